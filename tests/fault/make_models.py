# SPDX-License-Identifier: Apache-2.0
"""Writes models/wide.onnx: operators that read constants of 4 kB and more, which the reader leaves where they lie in
the file, at any address.

    python tests/fault/make_models.py       needs numpy and onnx
"""
import os

import numpy as np
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

HERE = os.path.dirname(os.path.abspath(__file__))
N = 1024  # float32 values of 4 kB
rng = np.random.default_rng(3)
initializers = []


def const(name, *dims, low=-8, high=8, dtype=np.float32, scale=8):
    x = rng.integers(low, high, dims)
    initializers.append(nh.from_array((x / scale if dtype == np.float32 else x).astype(dtype), name))
    return name


def main():
    nodes = [
        # A convolution that takes in a batch normalization and a bias, and one whose batch normalization stays.
        h.make_node("Conv", ["x", const("w", N, 2, 1, 1), const("wb", N)], ["c"]),
        h.make_node("BatchNormalization", ["c", const("s", N), const("o", N), const("m", N), const("v", N, low=1)], ["n"]),
        h.make_node("Conv", ["x", "w"], ["c2"]),
        h.make_node("Add", ["c2", const("b", 1, N, 1, 1)], ["a"]),
        h.make_node("PRelu", ["a", const("slope", N, 1, 1)], ["p"]),
        h.make_node("BatchNormalization", ["p", "s", "o", "m", "v"], ["n2"]),
        h.make_node("Mul", ["n", "n2"], ["k"]),
        h.make_node("GlobalAveragePool", ["k"], ["g"]),
        h.make_node("Flatten", ["g"], ["f"]),
        h.make_node("LayerNormalization", ["f", const("ls", N), const("lb", N)], ["l"]),
        # Products, with bias, and through quantized weights with a scale a column.
        h.make_node("MatMul", ["l", const("mw", N, 6)], ["h"]),
        h.make_node("MatMul", ["h", const("hw", 6, N)], ["u"]),
        h.make_node("Add", ["u", const("ub", N)], ["u2"]),
        h.make_node("Gemm", ["h", "hw", const("gb", N)], ["gm"]),
        h.make_node("DequantizeLinear", [const("q", 6, N, dtype=np.int8), const("qs", N, low=1), const("qz", N, dtype=np.int8)],
                    ["d"], axis=1),
        h.make_node("MatMul", ["h", "d"], ["dq"]),
        h.make_node("QuantizeLinear", ["gm", "qs", "qz"], ["ql"], axis=1),
        h.make_node("DequantizeLinear", ["ql", "qs", "qz"], ["qd"], axis=1),
        # Integers and data movement.
        h.make_node("Gather", [const("table", N, 2), const("rows", N, low=0, high=N, dtype=np.int64)], ["t"]),
        h.make_node("ReduceMean", ["t"], ["tm"], axes=[0], keepdims=0),
        h.make_node("Where", [const("mask", N, low=0, high=2, dtype=np.bool_), "u2", "dq"], ["wh"]),
        h.make_node("ScatterElements", ["wh", const("at", 1, N, low=0, high=N, dtype=np.int64), const("up", 1, N)], ["sc"],
                    axis=1, reduction="add"),
        h.make_node("Max", ["sc", "qd", const("floor", N)], ["mx"]),
        h.make_node("Cast", [const("ints", N, dtype=np.int32)], ["ci"], to=T.FLOAT),
        h.make_node("Add", ["mx", "ci"], ["y"]),
        # Recurrent weights.
        h.make_node("LSTM", ["hs", const("lw", 1, 128, 8), const("lr", 1, 128, 32), const("lbias", 1, 256)], ["yl", "", ""],
                    hidden_size=32),
    ]
    inputs = [h.make_tensor_value_info("x", T.FLOAT, [1, 2, 3, 3]), h.make_tensor_value_info("hs", T.FLOAT, [3, 1, 8])]
    outputs = [h.make_tensor_value_info(name, T.FLOAT, None) for name in ("y", "yl", "tm")]
    graph = h.make_graph(nodes, "wide", inputs, outputs, initializers)
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)
    with open(os.path.join(HERE, "models", "wide.onnx"), "wb") as file:
        file.write(model.SerializeToString())


main()
