# SPDX-License-Identifier: Apache-2.0
"""Writes custom_op.onnx: a signal, its small values taken away, cut into frames, and the energy of each. The two
operators in the middle are those of custom_op.c.

    python examples/custom_op_to_onnx.py       needs onnx
"""

import os

from onnx import TensorProto, save
from onnx import helper as h

DOMAIN = "com.example"


def main():
    nodes = [
        h.make_node("SoftThreshold", ["signal"], ["soft"], name="soft", domain=DOMAIN, threshold=0.5),
        h.make_node("Frames", ["soft"], ["frames"], name="cut", domain=DOMAIN, size=4, step=2),
        h.make_node("ReduceSumSquare", ["frames"], ["energy"], name="energy", axes=[1], keepdims=0),
    ]
    inputs = [h.make_tensor_value_info("signal", TensorProto.FLOAT, ["n"])]
    outputs = [
        h.make_tensor_value_info("frames", TensorProto.FLOAT, ["m", 4]),
        h.make_tensor_value_info("energy", TensorProto.FLOAT, ["m"]),
    ]
    opsets = [h.make_opsetid("", 17), h.make_opsetid(DOMAIN, 1)]
    model = h.make_model(h.make_graph(nodes, "frames", inputs, outputs), opset_imports=opsets, ir_version=8)
    save(model, os.path.join(os.path.dirname(os.path.abspath(__file__)), "custom_op.onnx"))


if __name__ == "__main__":
    main()
