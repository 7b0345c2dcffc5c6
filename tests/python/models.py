# SPDX-License-Identifier: Apache-2.0
"""Small models as bytes."""

import os

import places
from onnx import TensorProto, helper, numpy_helper

DIGITS = os.path.join(places.ROOT, "examples", "digits.onnx")
FLOAT, INT64, STRING, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING, TensorProto.BOOL
tensor = helper.make_tensor_value_info
node = helper.make_node


def model(nodes, inputs, outputs, opset=17, ml=None, **more):
    imports = [helper.make_opsetid("", opset)] + ([helper.make_opsetid("ai.onnx.ml", ml)] if ml else [])
    graph = helper.make_graph(nodes, "g", inputs, outputs, **more)
    return helper.make_model(graph, opset_imports=imports, ir_version=10).SerializeToString()


def constant(name, array):
    return numpy_helper.from_array(array, name)


def one_node(op, dtype=FLOAT, shape=(4,), opset=17):
    return model([node(op, ["x"], ["y"])], [tensor("x", dtype, shape)], [tensor("y", dtype, shape)], opset)


def sum_with_default():
    """y = x + w, where the input w has an initializer."""
    pair = [tensor("x", FLOAT, [2]), tensor("w", FLOAT, [2])]
    weights = helper.make_tensor("w", FLOAT, [2], [1, 2])
    return model([node("Add", ["x", "w"], ["y"])], pair, [tensor("y", FLOAT, [2])], initializer=[weights])


def sum_with_weights_in(location):
    """y = x + w, where w lies in a file of that name."""
    weights = TensorProto(name="w", dims=[2], data_type=FLOAT, data_location=TensorProto.EXTERNAL)
    weights.external_data.add(key="location", value=location)
    ends = [tensor("x", FLOAT, [2])], [tensor("y", FLOAT, [2])]
    return model([node("Add", ["x", "w"], ["y"])], *ends, initializer=[weights])


def identity(dtype, shape=("n",)):
    return one_node("Identity", dtype, shape, 25 if dtype > 20 else 19)


def chain_of_products(n, size):
    """n products of square matrices, one after the other: a run that takes a while."""
    nodes = [node("MatMul", [f"x{i}", "w"], [f"x{i + 1}"]) for i in range(n)]
    square = [size, size]
    return model(nodes, [tensor("x0", FLOAT, square), tensor("w", FLOAT, square)], [tensor(f"x{n}", FLOAT, square)])
