# SPDX-License-Identifier: Apache-2.0
"""Writes models/*.onnx: graphs that use operators of the domain "test", which test_custom.c registers.

    python tests/custom/make_models.py       needs onnx
"""

import os
import struct

from onnx import TensorProto as T
from onnx import helper as h, save

HERE = os.path.dirname(os.path.abspath(__file__))
FLOAT, STRING, BOOL, INT64 = T.FLOAT, T.STRING, T.BOOL, T.INT64


def node(op, inputs, outputs, **attributes):
    return h.make_node(op, inputs.split(), outputs.split(), name=outputs.split()[0], domain="test", **attributes)


def onnx_node(op, inputs, outputs, **attributes):
    return h.make_node(op, inputs.split(), outputs.split(), name=outputs.split()[0], **attributes)


def value(name, *dims, dtype=FLOAT):
    return h.make_tensor_value_info(name, dtype, list(dims))


def unshaped(name, dtype=FLOAT):
    return h.make_tensor_value_info(name, dtype, None)


def constant(name, numbers, dtype=FLOAT, dims=None):
    return h.make_tensor(name, dtype, dims if dims is not None else [len(numbers)], numbers)


def write(name, nodes, inputs, outputs, constants=(), functions=(), version=1):
    graph = h.make_graph(list(nodes), name, list(inputs), list(outputs), list(constants))
    opsets = [h.make_opsetid("", 17), h.make_opsetid("test", version)]
    if functions:
        opsets.append(h.make_opsetid("local", 1))
    model = h.make_model(graph, opset_imports=opsets, functions=list(functions), ir_version=8)
    save(model, os.path.join(HERE, "models", name + ".onnx"))


def main():
    n = ("n", 3)
    write("chain", [onnx_node("Neg", "x", "a"), node("Scale", "a", "b", factor=3.0), onnx_node("Relu", "b", "y")],
          [value("x", *n)], [value("y", *n)])
    for version in (2, 5):
        write(f"version{version}", [node("Later", "x", "y")], [value("x", *n)], [value("y", *n)], version=version)

    # Equal nodes: pure ones become one.
    write("twins", [node("Scale", "x", "a"), node("Scale", "x", "b"), onnx_node("Add", "a b", "y"),
                    node("Tick", "x", "c"), node("Tick", "x", "d"), onnx_node("Add", "c d", "z")],
          [value("x", *n)], [value("y", *n), value("z", *n)])

    # Constant inputs: only what is pure is folded.
    write("folded", [node("Scale", "k", "a"), onnx_node("Add", "x a", "y"), node("Tick", "k", "b"), onnx_node("Add", "x b", "z")],
          [value("x", 3)], [value("y", 3), value("z", 3)], [constant("k", [1.0, 2.0, 3.0])])

    # Subgraphs, with values from outside, and functions.
    def branch(name, nodes):
        return h.make_graph(nodes, name, [], [unshaped(nodes[-1].output[0])])

    scale = h.make_function("local", "Thrice", ["v"], ["w"], [
        h.make_node("Neg", ["v"], ["m"]), h.make_node("Scale", ["m"], ["s"], domain="test", factor=-3.0),
        h.make_node("Identity", ["s"], ["w"])], [h.make_opsetid("", 17), h.make_opsetid("test", 1)])
    body = h.make_graph(
        [node("Scale", "state", "next", factor=2.0), onnx_node("Identity", "go", "on"), node("Keep", "next", "row")],
        "body", [value("i", dtype=INT64), value("go", dtype=BOOL), unshaped("state")],
        [value("on", dtype=BOOL), unshaped("next"), unshaped("row")])
    write("places", [
        onnx_node("If", "c", "chosen", then_branch=branch("then", [node("Scale", "x", "t", factor=5.0)]),
                  else_branch=branch("else", [onnx_node("Neg", "x", "u0"), node("Scale", "u0", "u", factor=7.0)])),
        h.make_node("Thrice", ["chosen"], ["thrice"], domain="local"),
        onnx_node("Loop", "trips yes thrice", "last rows", body=body)],
        [value("x", 3), value("c", dtype=BOOL)], [unshaped("last"), unshaped("rows")],
        [constant("trips", [2], INT64, []), constant("yes", [True], BOOL, [])], [scale])

    # A shape that only the kernel tells, and what follows from it.
    write("keep", [node("Keep", "x", "k"), onnx_node("Add", "k one", "y"), onnx_node("Shape", "k", "n")],
          [value("x", "n")], [unshaped("y"), unshaped("n", INT64)], [constant("one", [1.0])])

    # A shape from the contents of an input: known when that is constant.
    write("repeat", [node("Repeat", "x times", "y")], [value("x", 2)], [unshaped("y")], [constant("times", [3], INT64, [])])
    write("repeat_fed", [node("Repeat", "x times", "y")], [value("x", 2), value("times", dtype=INT64)], [unshaped("y")])

    write("words", [node("Upper", "x", "y")], [value("x", "n", dtype=STRING)], [value("y", "n", dtype=STRING)])
    write("attributes", [node("Attributes", "x", "y", i=-7, f=0.5, s="word", ints=[1, 2, 3], floats=[0.25, 4.0],
                              strings=["a", "bc"], t=h.make_tensor("", FLOAT, [2000], struct.pack("<2000f", *range(2000)), raw=True))],
          [value("x", 1)], [value("y", 1)])
    write("operands", [h.make_node("Operands", ["x", "", "x"], ["", "y"], name="o", domain="test")], [value("x", 2)], [value("y", 2)])
    write("sequence", [onnx_node("SequenceConstruct", "x", "s"), node("Scale", "s", "y")], [value("x", 2)], [unshaped("y")])
    write("graph", [node("Scale", "x", "y", body=branch("inner", [onnx_node("Neg", "x", "g")]))], [value("x", 2)], [value("y", 2)])
    # The test replaces the word by that of the trouble it wants.
    write("trouble", [node("Scale", "x", "a"), node("Trouble", "a", "y", how="________")], [value("x", 2)], [value("y", 2)])
    write("unknown", [node("Scale", "x", "a"), node("Nowhere", "a", "y")], [value("x", 2)], [value("y", 2)], version=4)


if __name__ == "__main__":
    main()
