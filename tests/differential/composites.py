# SPDX-License-Identifier: Apache-2.0
"""Entries of sequences, optionals, strings and control flow."""

import numpy as np
from onnx import TensorProto as TP
from onnx import helper, numpy_helper

from draw import BORDER, WORDS, Case, Operand
from entries import close, entry, ulp

PLAIN = [TP.FLOAT, TP.INT64, TP.INT32, TP.DOUBLE, TP.UINT8]


# ---- sequences ----


def sequence(d, low=1, high=4, same_rank=False):
    number = d.pick(PLAIN)
    shape = d.shape(1, 3, most=30)
    items = []
    for _ in range(d.int(low, high)):
        items.append(d.values(shape if same_rank or d.chance(0.5) else d.shape(0, 3, most=30), number))
    return items


def constructing(d):
    return Case(sequence(d), {})


def at(d):
    items = sequence(d)
    return Case([items, d.ints_of(np.array(d.int(-len(items), len(items) - 1)), "I")], {})


def inserting(d):
    items = sequence(d)
    place = d.maybe(d.ints_of(np.array(d.int(-len(items), len(items))), "I"))
    return Case([items, d.values(d.shape(0, 2, most=9), items[0].number), place], {})


def erasing(d):
    items = sequence(d, 2)
    place = d.maybe(d.ints_of(np.array(d.int(-len(items), len(items) - 1)), "I"))
    return Case([items, place], {})


def joining(d):
    new = d.chance(0.4)
    items = sequence(d, same_rank=True)
    rank = len(items[0].shape)
    axis = d.int(-rank - int(new), rank - 1 + int(new))
    return Case([items], {"axis": axis, "new_axis": d.pick([None, 0]) if not new else 1})


def parting(d):
    shape = d.shape(1, 3, zero=0)
    x = d.tensor(shape, among=[n for n in d.allowed("T") if n not in BORDER])
    axis = d.axis(len(shape))
    n = shape[axis]
    choice = d.pick(["none", "scalar", "list"])
    if choice == "none":
        keep = d.pick([None, 0, 1])
        return Case([x], {"axis": axis, "keepdims": keep})
    if choice == "scalar":
        return Case([x, d.ints_of(np.array(d.int(1, n)), "I")], {"axis": axis})
    cuts = np.sort(d.rng.integers(0, n + 1, d.int(0, 3)))
    return Case([x, d.ints_of(np.diff([0, *cuts, n]), "I")], {"axis": axis})


entry("SequenceConstruct", constructing)
entry("SequenceAt", at)
entry("SequenceInsert", inserting)
entry("SequenceErase", erasing)
entry("SequenceLength", lambda d: Case([sequence(d)], {}))
entry("SequenceEmpty", lambda d: Case([], {"dtype": d.maybe(d.pick(PLAIN))}))
entry("ConcatFromSequence", joining)
entry("SplitToSequence", parting)
entry("OptionalHasElement", lambda d: Case([d.values(d.shape(), d.pick(PLAIN))], {}), opsets=[18, 21])
entry("OptionalGetElement", lambda d: Case([d.values(d.shape(), d.pick(PLAIN))], {}), opsets=[18, 21])


# ---- strings ----


def joining_text(d):
    a, b = d.together(most=20)
    return Case([d.values(a, TP.STRING), d.values(b, TP.STRING)], {})


def splitting_text(d):
    x = d.values(d.shape(0, 2, most=8, zero=0), TP.STRING)
    parts = ["a,b,,c", " a  b ", ",", "", "x,y"]
    x.values = np.array([d.pick(parts + WORDS) for _ in range(x.values.size)], dtype=object).reshape(x.shape)
    return Case([x], {"delimiter": d.pick([None, "", ",", "b"]), "maxsplit": d.maybe(d.int(0, 3), 0.4)}, 2)


def matching(d):
    pattern = d.pick(["a.*", "[a-z]+", ".*b?", "(a|B)", "\\\\d+", "-?[0-9.]+", "x y", "", "[^ ]*"])
    return Case([d.values(d.shape(1, 2, most=12), TP.STRING)], {"pattern": pattern})


def normalizing_text(d):
    x = d.values((d.int(1, 6),) if d.chance(0.6) else (1, d.int(1, 6)), TP.STRING)
    x.values = np.array([d.pick([w for w in WORDS if w.isascii()]) for _ in range(x.values.size)], dtype=object).reshape(x.shape)
    stop = d.maybe(["a", "ABC", "x y"])
    return Case(
        [x],
        {
            "case_change_action": d.pick([None, "NONE"]) if stop else d.pick([None, "NONE", "LOWER", "UPPER"]),
            "is_case_sensitive": d.pick([None, 0, 1]) if stop else None,
            "stopwords": stop,
            "locale": "C",  # ONNX Runtime has no other in most places
        },
    )


entry("RegexFullMatch", matching)
entry("StringNormalizer", normalizing_text)
entry("StringConcat", joining_text)
entry("StringSplit", splitting_text)


# ---- control flow: bodies that use a value from outside ----


def info(name, number, shape=None):
    return helper.make_tensor_value_info(name, number, shape)


def body(nodes, name, inputs, outputs, constants=()):
    return helper.make_graph(nodes, name, inputs, outputs, list(constants))


def branching(d):
    shape = d.shape(1, zero=0)
    outer = d.float32(shape)
    condition = d.values(() if d.chance(0.5) else (1,), TP.BOOL)
    then = body(
        [helper.make_node("Add", ["outer", "outer"], ["t"])], "then", [], [info("t", TP.FLOAT)]
    )
    kinds = {
        "Neg": ("Neg", {}),
        "Flatten": ("Flatten", {"axis": 1}),
        "Transpose": ("Transpose", {}),
    }
    operator, attributes = kinds[d.pick(list(kinds))]
    other = body(
        [helper.make_node(operator, ["outer"], ["e"], **attributes)], "else", [], [info("e", TP.FLOAT)]
    )
    return Case(
        [condition], {"then_branch": then, "else_branch": other}, captures={"outer": outer}
    )


def looping(d):
    shape = d.shape(0, 2, zero=0, most=20)
    state, outer = d.float32(shape), d.float32(shape)
    trips = d.maybe(d.int64s(d.int(0, 5)), 0.8)
    stops = trips is None or d.chance(0.4)
    limit = numpy_helper.from_array(np.array(d.int(0, 4), np.int64), "limit")
    nodes = [
        helper.make_node("Add", ["state", "outer"], ["next"]),
        helper.make_node("Less", ["i", "limit"], ["goes_on"] if stops else ["unused"]),
        helper.make_node("Mul", ["next", "next"], ["seen"]),
    ]
    if not stops:
        nodes.append(helper.make_node("Identity", ["go"], ["goes_on"]))
    inputs = [info("i", TP.INT64, []), info("go", TP.BOOL, []), info("state", TP.FLOAT)]
    outputs = [info("goes_on", TP.BOOL), info("next", TP.FLOAT), info("seen", TP.FLOAT)]
    graph = body(nodes, "body", inputs, outputs, [limit])
    go = d.maybe(Operand(np.array(not d.chance(0.1)), TP.BOOL), 0.7)
    return Case([trips, go, state], {"body": graph}, 2, captures={"outer": outer})


def scanning(d):
    steps, shape = d.int(1, 5), d.shape(0, 2, zero=0, most=12)
    state = d.float32(shape)
    axis = d.int(0, len(shape)) if d.opset >= 9 else 0
    xs = d.float32((*shape[:axis], steps, *shape[axis:]))
    nodes = [
        helper.make_node("Add", ["state", "x"], ["next"]),
        helper.make_node("Sub", ["next", "outer"], ["y"]),
    ]
    inputs = [info("state", TP.FLOAT, shape), info("x", TP.FLOAT, shape)]
    outputs = [info("next", TP.FLOAT, shape), info("y", TP.FLOAT, shape)]
    attributes = {"body": body(nodes, "body", inputs, outputs), "num_scan_inputs": 1}
    attributes["scan_input_axes"] = [axis] if axis or d.chance(0.5) else None
    attributes["scan_input_directions"] = d.pick([None, [0], [1]])
    attributes["scan_output_directions"] = d.pick([None, [0], [1]])
    if len(shape) and d.chance(0.4):
        attributes["scan_output_axes"] = [d.int(0, len(shape))]
    return Case([state, xs], attributes, 2, captures={"outer": d.float32(shape)})


def mapping(d):
    """SequenceMap: the body of two operators on an item and perhaps a tensor or another sequence."""
    items = sequence(d)
    number = items[0].number
    second = d.pick(["none", "tensor", "sequence"])
    inputs = [items]
    if second == "tensor":
        inputs.append(d.values((), number))
    if second == "sequence":
        inputs.append([d.values(item.shape, number) for item in items])
    names = ["a", "b"][: len(inputs)]
    nodes = [
        helper.make_node("Add", ["a", names[-1]], ["twice"]),
        helper.make_node("Mul", ["twice", "outer"], ["y"]),
        helper.make_node("Shape", ["a"], ["shape"]),
    ]
    n_out = d.int(1, 2)
    outputs = [info("y", number), info("shape", TP.INT64)][:n_out]
    graph = body(nodes, "body", [info(n, number) for n in names], outputs)
    return Case(inputs, {"body": graph}, n_out, captures={"outer": d.values((), number)})


entry("SequenceMap", mapping, close(1e-6), opsets=[17, 21])
entry("If", branching, ulp(1))
entry("Loop", looping, close(1e-6), opsets=[11, 12, 13, 16, 19, 21])
entry("Scan", scanning, close(1e-6), opsets=[9, 10, 11, 15, 16, 19, 21])

