# SPDX-License-Identifier: Apache-2.0
"""Writes the seed models: corpus/onnx (importer; also read by tests/unit/test_import_onnx.c), corpus/run (whole
runs) and corpus/value.

    python tests/fuzz/make_corpus.py        needs numpy and onnx
"""
import os

import numpy as np
from onnx import AttributeProto, MapProto, OptionalProto
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

HERE = os.path.dirname(os.path.abspath(__file__))
F = T.FLOAT


def info(name, dims=(2,), dtype=F):
    return h.make_tensor_value_info(name, dtype, dims)


def save(folder, name, graph, opset=13, ir=8, functions=(), imports=(), **fields):
    model = h.make_model(graph, producer_name="seeds", ir_version=ir, functions=list(functions),
                         opset_imports=[h.make_opsetid("", opset), *[h.make_opsetid(d, v) for d, v in imports]])
    for key, value in fields.items():
        setattr(model, key, value)
    with open(os.path.join(HERE, "corpus", folder, name + ".onnx"), "wb") as file:
        file.write(model.SerializeToString())


def graph(nodes, inputs, outputs, initializers=(), name="g", **kw):
    return h.make_graph(nodes, name, inputs, outputs, list(initializers), **kw)


def typed(name, dtype, dims, values, raw=False):
    return h.make_tensor(name, dtype, dims, values, raw=raw)


def reference(name, kind, to):
    return AttributeProto(name=name, type=kind, ref_attr_name=to)


# ---- importer ----

def data_types():
    """Every typed list and element type, each an initializer that is an output."""
    tensors = [
        typed("f32", T.FLOAT, [3], [1.5, -2, 3]), typed("f64", T.DOUBLE, [2], [1.25, -7]),
        typed("i8", T.INT8, [3], [-128, 0, 127]), typed("u8", T.UINT8, [2], [0, 255]),
        typed("i16", T.INT16, [2], [-32768, 5]), typed("u16", T.UINT16, [1], [65535]),
        typed("i32", T.INT32, [2], [-5, 7]), typed("u32", T.UINT32, [1], [4294967295]),
        typed("i64", T.INT64, [2], [-(1 << 63), 9]), typed("u64", T.UINT64, [1], [(1 << 64) - 1]),
        typed("bool", T.BOOL, [3], [1, 0, 1]), typed("f16", T.FLOAT16, [2], np.array([1.5, -2], np.float16)),
        typed("bf16", T.BFLOAT16, [2], [1.5, -2]), typed("str", T.STRING, [2], [b"ab", b"\xff\n"]),
        typed("c64", T.COMPLEX64, [1], [1 + 2j]), typed("i4", T.INT4, [3], [-8, 7, 1]),
        typed("u4", T.UINT4, [2], [15, 1]), typed("f8", T.FLOAT8E4M3FN, [2], [1.0, -2.0]),
        typed("scalar", T.INT64, [], [42]), typed("empty", T.FLOAT, [0, 3], []),
        nh.from_array(np.arange(6, dtype=np.float32).reshape(2, 3), "raw"),
        nh.from_array(np.array([1, 2], np.int64), "raw_i64"),
    ]
    outputs = [info(t.name, list(t.dims), t.data_type) for t in tensors]
    save("onnx", "data_types", graph([], [], outputs, tensors), opset=21, ir=10)


def sparse():
    values = typed("s", F, [2], [5, 7])
    by_index = h.make_sparse_tensor(values, typed("i", T.INT64, [2], [1, 5]), [2, 3])
    by_coords = h.make_sparse_tensor(typed("v", F, [1], [3]), typed("j", T.INT64, [1, 2], [1, 0]), [2, 2])
    nodes = [h.make_node("Constant", [], ["c"], sparse_value=by_coords)]
    save("onnx", "sparse", graph(nodes, [], [info("s", [2, 3]), info("c", [2, 2])], sparse_initializer=[by_index]))


def constants():
    attrs = [("f", dict(value_float=1.5)), ("fs", dict(value_floats=[1.0, 2.0])), ("i", dict(value_int=-3)),
             ("is_", dict(value_ints=[4, 5, 6])), ("s", dict(value_string="hi")),
             ("ss", dict(value_strings=["a", "bc"])), ("t", dict(value=typed("", F, [1], [9])))]
    nodes = [h.make_node("Constant", [], [n], name=n, **kw) for n, kw in attrs]
    save("onnx", "constants", graph(nodes, [], [h.make_empty_tensor_value_info(n) for n, _ in attrs]))


def metadata():
    g = graph([h.make_node("Relu", ["x"], ["y"], name="r")], [info("x", ["batch", 3, None, "?"])], [info("y", ["batch", 3, None, "?"])])
    g.doc_string = "graph text"
    model = h.make_model(g, producer_name="maker", producer_version="1.2", doc_string="about", domain="org.example",
                         model_version=7, ir_version=9, opset_imports=[h.make_opsetid("ai.onnx", 17)])
    h.set_model_props(model, {"first": "1", "second": "two"})
    with open(os.path.join(HERE, "corpus", "onnx", "metadata.onnx"), "wb") as file:
        file.write(model.SerializeToString())


def types():
    kinds = [info("tensor", ["n", 2], T.INT64), h.make_tensor_sequence_value_info("seq", F, None),
             h.make_value_info("opt", h.make_optional_type_proto(h.make_tensor_type_proto(F, [2]))),
             h.make_value_info("opt_seq", h.make_optional_type_proto(
                 h.make_sequence_type_proto(h.make_tensor_type_proto(T.INT32, None)))),
             h.make_value_info("map", h.make_map_type_proto(T.STRING, h.make_tensor_type_proto(F, [])))]
    nodes = [h.make_node("Identity", [v.name], [v.name + "_out"]) for v in kinds]
    save("onnx", "types", graph(nodes, kinds, [h.make_empty_tensor_value_info(v.name + "_out") for v in kinds]), opset=16)


def unsorted():
    nodes = [h.make_node("Add", ["b", "x"], ["y"], name="last"), h.make_node("Neg", ["a"], ["b"], name="middle"),
             h.make_node("Abs", ["x"], ["a"], name="first")]
    save("onnx", "unsorted", graph(nodes, [info("x")], [info("y")]))


def defaults():
    weights = typed("w", F, [2], [1, 2])
    g = graph([h.make_node("Add", ["x", "w"], ["y"])], [info("x"), info("w")], [info("y")], [weights])
    save("onnx", "defaults_ir3", g, opset=8, ir=3)
    save("onnx", "defaults_ir8", g)


def branches():
    """Captures of an input, a node's output and a constant, two levels deep, and a shadowed name."""
    inner = graph([h.make_node("Add", ["x", "a"], ["i1"]), h.make_node("Mul", ["i1", "k"], ["i2"])], [], [info("i2")], name="inner")
    inner_else = graph([h.make_node("Identity", ["x"], ["ie"])], [], [info("ie")], name="inner_else")
    then = graph([h.make_node("If", ["c2"], ["t"], then_branch=inner, else_branch=inner_else)], [], [info("t")], name="then")
    other = graph([h.make_node("Neg", ["x"], ["a"]), h.make_node("Abs", ["a"], ["e"])], [], [info("e")], name="else")
    nodes = [h.make_node("Relu", ["x"], ["a"]),
             h.make_node("If", ["c"], ["y"], name="branch", then_branch=then, else_branch=other)]
    g = graph(nodes, [info("x"), info("c", [], T.BOOL), info("c2", [], T.BOOL)], [info("y")], [typed("k", F, [2], [3, 4])])
    save("onnx", "branches", g)


def loop(folder="onnx"):
    body = graph([h.make_node("Add", ["s", "x"], ["s2"]), h.make_node("Identity", ["go"], ["go2"]),
                  h.make_node("Identity", ["s2"], ["scan"])],
                 [info("i", [], T.INT64), info("go", [], T.BOOL), info("s")],
                 [info("go2", [], T.BOOL), info("s2"), info("scan")], name="body")
    nodes = [h.make_node("Loop", ["n", "", "x"], ["y", "all"], name="loop", body=body)]
    save(folder, "loop", graph(nodes, [info("x")], [info("y"), info("all", [None, 2])], [typed("n", T.INT64, [], [3])]))


def endless():
    """A Loop that only a cancelled run leaves."""
    body = graph([h.make_node("Add", ["s", "x"], ["s2"]), h.make_node("Identity", ["go"], ["go2"])],
                 [info("i", [], T.INT64), info("go", [], T.BOOL), info("s")], [info("go2", [], T.BOOL), info("s2")], name="body")
    save("run", "endless", graph([h.make_node("Loop", ["", "", "x"], ["y"], name="loop", body=body)], [info("x")], [info("y")]))


def scan():
    body = graph([h.make_node("Add", ["s", "e"], ["s2"]), h.make_node("Mul", ["e", "w"], ["o"])],
                 [info("s"), info("e")], [info("s2"), info("o")], name="body")
    nodes = [h.make_node("Scan", ["s0", "x"], ["s1", "y"], body=body, num_scan_inputs=1)]
    g = graph(nodes, [info("s0"), info("x", [3, 2])], [info("s1"), info("y", [3, 2])], [typed("w", F, [2], [1, 2])])
    save("onnx", "scan", g)
    save("run", "scan", g)


def functions():
    """Nested calls, attribute references with and without default, a left-out input, a constant and a subgraph inside."""
    scale = h.make_function("local", "Scale", ["a"], ["b"],
                            [h.make_node("Constant", [], ["k"]), h.make_node("Mul", ["a", "k"], ["b"], name="mul")],
                            [h.make_opsetid("", 13)], ["factor"])
    scale.node[0].attribute.append(reference("value", AttributeProto.TENSOR, "factor"))
    leaky = h.make_node("LeakyRelu", ["t"], ["o"])
    leaky.attribute.append(reference("alpha", AttributeProto.FLOAT, "alpha"))
    call = h.make_node("Scale", ["x"], ["t"], domain="local")
    call.attribute.append(h.make_attribute("factor", typed("", F, [], [2])))
    outer = h.make_function("local", "Outer", ["x", "unused"], ["o", "x2"],
                            [call, leaky, h.make_node("Identity", ["x"], ["x2"])],
                            [h.make_opsetid("", 13), h.make_opsetid("local", 1)], [], [h.make_attribute("alpha", 0.25)])
    then = graph([h.make_node("Neg", ["v"], ["n"])], [], [info("n")], name="then")
    other = graph([h.make_node("Identity", ["v"], ["m"])], [], [info("m")], name="else")
    choose = h.make_function("local", "Choose", ["c", "v"], ["r", "v"],
                             [h.make_node("If", ["c"], ["r"], then_branch=then, else_branch=other)], [h.make_opsetid("", 13)])
    nodes = [h.make_node("Outer", ["x"], ["y", ""], domain="local", name="call"),
             h.make_node("Outer", ["y"], ["z"], domain="local", alpha=0.5),
             h.make_node("Choose", ["c", "z"], ["w", "same"], domain="local")]
    g = graph(nodes, [info("x"), info("c", [], T.BOOL)], [info("y"), info("z"), info("w"), info("same")])
    for folder in ("onnx", "run"):
        save(folder, "functions", g, functions=[scale, outer, choose], imports=[("local", 1)])


def attributes():
    node = h.make_node("Strange", ["x"], ["y"], domain="org.example", a=1, b=2.5, c="text", d=[1, 2, -3], e=[0.5, 1.5],
                       f=["p", "q"], g=typed("t", T.INT64, [2], [1, 2]))
    node.attribute.append(h.make_attribute("h", [typed("t1", F, [1], [1]), typed("t2", F, [1], [2])]))
    node.attribute.append(h.make_attribute("i", h.make_tensor_type_proto(F, [1])))
    save("onnx", "attributes", graph([node], [info("x")], [info("y")]), imports=[("org.example", 1)])


def newer():
    save("onnx", "newer", graph([h.make_node("Relu", ["x"], ["y"])], [info("x")], [info("y")]), opset=99, ir=77)


# ---- whole runs ----

def run(name, nodes, inputs, outputs, initializers=(), opset=13, imports=()):
    save("run", name, graph(nodes, inputs, outputs, initializers), opset=opset, imports=imports)


def weight(name, *dims, seed=1):
    x = np.random.default_rng(seed).standard_normal(dims).astype(np.float32)
    return nh.from_array(x, name)


def ints(name, *values):
    return typed(name, T.INT64, [len(values)], values)


def runnable():
    run("conv", [h.make_node("Conv", ["x", "w", "b"], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
                 h.make_node("BatchNormalization", ["c", "s", "o", "m", "v"], ["n"]), h.make_node("Relu", ["n"], ["r"]),
                 h.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
                 h.make_node("GlobalAveragePool", ["p"], ["g"]), h.make_node("Flatten", ["g"], ["f"]),
                 h.make_node("Gemm", ["f", "fw"], ["l"], transB=1), h.make_node("Softmax", ["l"], ["y"])],
        [info("x", [1, 2, 6, 6])], [info("y", [1, 3])],
        [weight("w", 4, 2, 3, 3), weight("b", 4), weight("s", 4), weight("o", 4), weight("m", 4),
         nh.from_array(np.ones(4, np.float32), "v"), weight("fw", 3, 4)])
    run("dynamic", [h.make_node("Shape", ["x"], ["s"]), h.make_node("Gather", ["s", "zero"], ["n"]),
                    h.make_node("Concat", ["n", "rest"], ["to"], axis=0), h.make_node("Reshape", ["x", "to"], ["r"]),
                    h.make_node("MatMul", ["r", "w"], ["y"])],
        [info("x", ["n", 2, 3])], [info("y", ["n", 2])], [ints("zero", 0), ints("rest", 6), weight("w", 6, 2)])
    run("chain", [h.make_node("Sigmoid", ["x"], ["a"]), h.make_node("Mul", ["a", "x"], ["b"]), h.make_node("Add", ["b", "w"], ["c"]),
                  h.make_node("Transpose", ["c"], ["d"], perm=[1, 0]), h.make_node("ReduceMean", ["d"], ["y"], axes=[1])],
        [info("x", [2, 3])], [info("y", [3, 1])], [weight("w", 3)])
    run("depthwise", [h.make_node("Conv", ["x", "w"], ["c"], group=3, kernel_shape=[3, 3]), h.make_node("Clip", ["c", "lo", "hi"], ["y"])],
        [info("x", [1, 3, 5, 5])], [info("y", [1, 3, 3, 3])],
        [weight("w", 3, 1, 3, 3), typed("lo", F, [], [0]), typed("hi", F, [], [6])])
    run("lstm", [h.make_node("LSTM", ["x", "w", "r"], ["y", "", ""], hidden_size=2)],
        [info("x", [3, 1, 2])], [info("y", [3, 1, 1, 2])], [weight("w", 1, 8, 2), weight("r", 1, 8, 2)])
    run("quant", [h.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]), h.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
                  h.make_node("DequantizeLinear", ["w", "s", "z"], ["dw"]), h.make_node("MatMul", ["d", "dw"], ["y"])],
        [info("x", [2, 2])], [info("y", [2, 2])],
        [typed("s", F, [], [0.1]), typed("z", T.INT8, [], [1]), typed("w", T.INT8, [2, 2], [1, -2, 3, 4])])
    run("slices", [h.make_node("Slice", ["x", "b", "e", "ax"], ["s"]), h.make_node("Pad", ["s", "p"], ["d"]),
                   h.make_node("Split", ["d"], ["u", "v"], axis=0), h.make_node("Concat", ["v", "u"], ["y"], axis=1)],
        [info("x", [4, 3])], [info("y", [1, 6])], [ints("b", 1), ints("e", 3), ints("ax", 0), ints("p", 0, 1, 0, -1)])
    run("born", [h.make_node("NonZero", ["x"], ["i"]), h.make_node("Transpose", ["i"], ["t"]), h.make_node("GatherND", ["x", "t"], ["y"])],
        [info("x", [2, 3])], [info("y", [None])])
    run("topk", [h.make_node("TopK", ["x", "k"], ["v", "i"]), h.make_node("Cast", ["i"], ["f"], to=F), h.make_node("Sub", ["v", "f"], ["y"])],
        [info("x", [2, 5])], [info("y", [2, 2])], [ints("k", 2)])
    run("reshape_fed", [h.make_node("Reshape", ["x", "to"], ["r"]), h.make_node("Expand", ["r", "big"], ["y"])],
        [info("x", [6]), info("to", [2], T.INT64), info("big", [2], T.INT64)], [info("y", [None, None])])
    run("resize", [h.make_node("Resize", ["x", "", "s"], ["y"], mode="linear")],
        [info("x", [1, 1, 3, 3])], [info("y", [1, 1, 6, 6])], [typed("s", F, [4], [1, 1, 2, 2])])
    body = graph([h.make_node("Neg", ["x"], ["t"])], [], [info("t", [None])], name="then")
    other = graph([h.make_node("Identity", ["x"], ["e"])], [], [info("e", [None])], name="else")
    run("if", [h.make_node("If", ["c"], ["y"], then_branch=body, else_branch=other)],
        [info("x", ["n"]), info("c", [1], T.BOOL)], [info("y", [None])])
    loop("run")
    endless()
    run("sequence", [h.make_node("SequenceConstruct", ["x", "x"], ["s"]), h.make_node("SequenceAt", ["s", "i"], ["a"]),
                     h.make_node("ConcatFromSequence", ["s"], ["y"], axis=0)],
        [info("x", [2])], [info("a", [2]), info("y", [4])], [typed("i", T.INT64, [], [1])])
    run("nms", [h.make_node("NonMaxSuppression", ["b", "s", "n"], ["y"])],
        [info("b", [1, 3, 4]), info("s", [1, 1, 3])], [info("y", [None, 3], T.INT64)], [ints("n", 2)])


# ---- values ----

def values():
    """Protobuf values with the kind (0 tensor, 1 sequence, 2 map, 3 optional) as a byte in front."""
    sequence = nh.from_list([np.ones(2, np.float32), np.zeros((1, 3), np.float32)])
    optional = OptionalProto(elem_type=1, tensor_value=nh.from_array(np.arange(3)))
    mapping = MapProto(key_type=T.INT64, keys=[3, 4], values=nh.from_list([np.float32(0.5), np.float32(2)]))
    strings = typed("s", T.STRING, [2], [b"ab", b""])
    nested = OptionalProto(elem_type=3, sequence_value=sequence)
    seeds = [(0, strings, "strings"), (0, typed("f", F, [2], [1, 2]), "floats"), (0, typed("i", T.INT4, [3], [1, 2, 3]), "int4"),
             (1, sequence, "sequence"), (2, mapping, "map"), (3, optional, "optional"), (3, nested, "nested")]
    for kind, proto, name in seeds:
        with open(os.path.join(HERE, "corpus", "value", name), "wb") as file:
            file.write(bytes([kind]) + proto.SerializeToString())


if __name__ == "__main__":
    for folder in ("onnx", "run", "value"):
        os.makedirs(os.path.join(HERE, "corpus", folder), exist_ok=True)
    for make in (data_types, sparse, constants, metadata, types, unsorted, defaults, branches, loop, scan, functions, attributes,
                 newer, runnable, values):
        make()
