# SPDX-License-Identifier: Apache-2.0
"""If, Loop, Scan and what they see; shapes that change from run to run."""

import capi
import numpy as np
from case import BOOL, FLOAT, INT64, SITE, arr, body_of, f32, model_of
from onnx import helper

ORT, I64 = "microsoft/onnxruntime/issues/", np.int64
TRUE, FALSE = np.array(True), np.array(False)


def info(name, dtype, dims=None):
    return helper.make_tensor_value_info(name, dtype, dims)


def if_row(then, otherwise, output="y", condition="c"):
    return ("If", condition, output, {"then_branch": then, "else_branch": otherwise})


def branches(suite):
    x = arr([10, 20])
    then = body_of([("Add", "x k", "b")], [], ["b"])
    other = body_of([("Sub", "x k", "b")], [], ["b"])
    for c, want in ((TRUE, [11, 22]), (FALSE, [9, 18])):
        suite.check(
            f"A6-01 a branch sees outer constants, {c}",
            ORT + "729",
            [if_row(then, other)],
            {"x": x, "c": c},
            {"y": arr(want)},
            consts={"k": arr([1, 2])},
        )
    then = body_of([("Add", "x t", "b")], [], ["b"], {"t": f32(10)})
    outer = body_of([], [], ["x"])
    for c, want in ((TRUE, [20, 30]), (FALSE, [10, 20])):
        rows = [if_row(then, outer), ("Add", "x x", "z"), ("Neg", "y", "n")]
        suite.check(
            f"A6-04 a branch hands an outer value on, {c}",
            ORT + "5991",
            rows,
            {"x": x, "c": c},
            {"y": arr(want), "z": x + x, "n": -arr(want)},
        )
        rows = [("Relu", "x", "r"), if_row(body_of([], [], ["r"]), then), ("Neg", "r", "n")]
        want_y = x if c else x + 10
        suite.check(
            f"A6-04 a computed one, {c}",
            ORT + "11536",
            rows,
            {"x": x, "c": c},
            {"y": want_y, "n": -x},
        )
    inner_then = body_of([("Add", "x k", "d")], [], ["d"])
    inner_else = body_of([("Neg", "x", "d")], [], ["d"])
    level = [
        ("Mul", "k k", "q"),
        ("Sub", "q q", "zero"),
        if_row(inner_then, inner_else, "e"),
        ("Add", "e zero", "b"),
    ]
    then = body_of(level, [], ["b"])
    for consts, feeds in (({"k": arr([3, 4])}, {}), ({}, {"k": arr([3, 4])})):
        rows = [if_row(then, body_of([("Identity", "x", "b")], [], ["b"]))]
        suite.check(
            f"A6-09 two levels, k {'fed' if feeds else 'known'}",
            "microsoft/onnxruntime/pull/4031",
            rows,
            {"x": x, "c": TRUE, **feeds},
            {"y": arr([13, 24])},
            consts=consts,
        )


def loop_body(rows, outputs, states=(("s", FLOAT),)):
    inputs = [info("i", INT64, []), info("k", BOOL, []), *[info(*s) for s in states]]
    return body_of([("Identity", "k", "l"), *rows], inputs, ["l", *outputs])


def loops(suite):
    body = loop_body([("Identity", "s", "t"), ("Identity", "i", "o")], ["t", "o"])
    rows = [("Loop", "n - x", "y z", {"body": body})]
    suite.check(
        "A6-06 the iteration's number",
        "microsoft/onnxruntime/pull/4210",
        rows,
        {"x": arr([1])},
        {"y": arr([1]), "z": arr([0, 1, 2], I64)},
        consts={"n": I64(3)},
    )
    body = loop_body([("Identity", "s", "t")], ["t", "i"])
    rows = [("Loop", "n - x", "y z", {"body": body})]
    suite.check(
        "A6-06 handed on as it is",
        "microsoft/onnxruntime/pull/4210",
        rows,
        {"x": arr([1])},
        {"y": arr([1]), "z": arr([0, 1, 2], I64)},
        consts={"n": I64(3)},
    )
    inputs = [info("i", INT64, []), info("k", BOOL, []), info("s", FLOAT, [4])]
    made = body_of(
        [("Identity", "k", "l"), ("Neg", "s", "t"), ("Relu", "s", "o")],
        inputs,
        ["l", info("t", FLOAT, [4]), info("o", FLOAT, [4])],
    )
    rows = [("Loop", "n - x", "y z", {"body": made})]
    x = arr([1, 2, 3, 4])
    suite.check(
        "A6-07 no iterations",
        "microsoft/onnxruntime/pull/1233",
        rows,
        {"x": x},
        {"y": x, "z": np.zeros((0, 4), f32)},
        consts={"n": I64(0)},
    )
    suite.check(
        "A6-07 a fed count of 0",
        "onnx/onnx/issues/3122",
        rows,
        {"x": x, "n": np.array(0, I64)},
        {"y": x, "z": np.zeros((0, 4), f32)},
    )
    suite.check(
        "A6-07 a condition that is false",
        "onnx/onnx/issues/3122",
        [("Loop", "n c x", "y z", {"body": made})],
        {"x": x, "c": FALSE},
        {"y": x, "z": np.zeros((0, 4), f32)},
        consts={"n": I64(5)},
    )


def scans(suite):
    for n in (4, 0):
        a, b = np.arange(2 * n, dtype=f32).reshape(n, 2), np.arange(n, dtype=f32) * 10
        inputs = [info("s", FLOAT, [2]), info("p", FLOAT, [2]), info("q", FLOAT, [])]
        rows = [
            ("Add", "s p", "t"),
            ("Add", "p q", "o1"),
            ("Neg", "q", "o2"),
            ("Identity", "p", "o3"),
        ]
        outputs = [
            info("t", FLOAT, [2]),
            info("o1", FLOAT, [2]),
            info("o2", FLOAT, []),
            info("o3", FLOAT, [2]),
        ]
        body = body_of(rows, inputs, outputs)
        attrs = {
            "body": body,
            "num_scan_inputs": 2,
            "scan_input_directions": [0, 1],
            "scan_output_axes": [0, 0, 1],
        }
        back = b[::-1]
        want = {
            "y": a.sum(0) if n else np.zeros(2, f32),
            "u": a + back[:, None],
            "v": -back,
            "w": a.T.copy(),
        }
        suite.check(
            f"A6-10 {n} steps",
            "onnx/onnx/pull/7843",
            [("Scan", "z a b", "y u v w", attrs)],
            {"a": a, "b": b},
            want,
            consts={"z": np.zeros(2, f32)},
        )


def runs(suite, name, report, rows, feeds_list, want_of, outputs, **options):
    """One session, many shapes: every answer must be right."""
    if suite.only not in name:
        return
    wrong = []
    for level in suite.levels:
        model = model_of(rows, feeds_list[0], outputs, is_symbolic=True, **options)
        with suite.session(model, level) as m:
            session = m.session(threads=1)
            for feeds in feeds_list:
                for got, want in zip(session.run(feeds), want_of(feeds)):
                    if got.shape != want.shape or not np.allclose(got, want, rtol=1e-5, atol=1e-6):
                        shapes = [v.shape for v in feeds.values()]
                        wrong.append(
                            f"{level}, inputs {shapes}: {got.ravel()[:6]}, not {want.ravel()[:6]}"
                        )
    suite.report.check(name, not wrong, f"({SITE}{report}) " + "; ".join(wrong[:4]))


def reuse(suite):
    rng = np.random.default_rng(3)

    def image(h, w):
        return {"x": rng.integers(0, 255, (1, 3, h, w)).astype(np.uint8)}

    rows = [("Shape", "x", "s"), ("Slice", "s k0 k2", "nc"), ("Concat", "nc m1", "t", {"axis": 0})]
    rows += [("Reshape", "x t", "f"), ("Reshape", "f s", "y")]
    consts = {"k0": arr([0], I64), "k2": arr([2], I64), "m1": arr([-1], I64)}
    sizes = [image(*s) for s in ((8, 8), (300, 200), (8, 8), (1, 1), (301, 7))]
    runs(
        suite,
        "B-06 a series of sizes",
        "openvinotoolkit/openvino/issues/21051",
        rows,
        sizes,
        lambda f: [f["x"]],
        ["y"],
        consts=consts,
    )

    def cache(n):
        return {
            "p": rng.integers(-9, 9, (2, 1, n, 3)).astype(f32),
            "q": rng.integers(-9, 9, (2, 1, 1, 3)).astype(f32),
        }

    rows = [("Concat", "p q", "y", {"axis": 2}), ("ReduceSum", "y a", "z")]
    consts = {"a": arr([2], I64)}
    runs(
        suite,
        "B-08 a cache that grows from nothing",
        ORT + "21213",
        rows,
        [cache(n) for n in range(64)],
        lambda f: [
            np.concatenate([f["p"], f["q"]], 2),
            np.concatenate([f["p"], f["q"]], 2).sum(2, keepdims=True),
        ],
        ["y", "z"],
        consts=consts,
    )

    def masked(s, b):
        return {
            "m": rng.integers(0, 2, (1, 1, s, s)).astype(bool),
            "x": rng.standard_normal((b, 2, s, s)).astype(f32),
        }

    rows = [("Where", "m x k", "y")]
    runs(
        suite,
        "B-05 a mask that broadcasts",
        "microsoft/onnxruntime/pull/9017",
        rows,
        [masked(4, 3), masked(1, 1), masked(9, 2)],
        lambda f: [np.where(f["m"], f["x"], f32(-9))],
        ["y"],
        consts={"k": f32(-9)},
    )

    def sequence(n):
        return {"x": rng.standard_normal((2, n)).astype(f32)}

    rows = [
        ("Slice", "x one end axis", "t"),
        ("Relu", "t", "r"),
        ("Relu", "x", "q"),
        ("Slice", "q one end axis", "w"),
        ("Add", "r w", "y"),
    ]
    consts = {"one": arr([1], I64), "end": arr([2**62], I64), "axis": arr([1], I64)}
    runs(
        suite,
        "B-03 one step less",
        ORT + "2756",
        rows,
        [sequence(n) for n in (1024, 1, 7, 2)],
        lambda f: [2 * np.maximum(f["x"][:, 1:], 0)],
        ["y"],
        consts=consts,
    )
    rows = [
        ("Resize", "x - - z", "a", {"mode": "nearest"}),
        ("Resize", "x - - w", "b", {"mode": "nearest"}),
    ]
    rows += [("Neg", "a", "c"), ("Neg", "b", "d"), ("ReduceSum", "c", "e"), ("ReduceSum", "d", "f")]
    x = rng.standard_normal((1, 3, 4, 4)).astype(f32)
    want = {
        "e": -np.repeat(np.repeat(x, 2, 2), 4, 3).sum(keepdims=True),
        "f": -np.repeat(np.repeat(x, 4, 2), 2, 3).sum(keepdims=True),
    }
    suite.check(
        "B-02 sizes that differ",
        ORT + "23739",
        rows,
        {"x": x},
        want,
        rtol=1e-3,
        atol=1e-3,
        consts={"z": arr([1, 3, 8, 16], I64), "w": arr([1, 3, 16, 8], I64)},
    )


def disagreements(suite):
    def named(a, b):
        graph = helper.make_graph(
            [helper.make_node("Add", ["a", "b"], ["y"])],
            "g",
            [info("a", FLOAT, ["N"]), info("b", FLOAT, ["N"])],
            [info("y", FLOAT, ["N"])],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    for level in suite.levels:
        with suite.session(named(3, 4), level) as m:
            try:
                m.session(threads=1).run({"a": np.ones(3, f32), "b": np.ones(4, f32)})
                text = "accepted"
            except capi.Error as e:
                text = str(e)
        suite.report.check(
            f"B-03 one name, two sizes, {level}",
            all(w in text for w in ("'N'", "3", "4")),
            f"({SITE}{ORT}2756) {text}",
        )
    # A value_info and an output that claim one more than there is: the computed shape wins.
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["t"]), helper.make_node("Neg", ["t"], ["y"])],
        "g",
        [info("x", FLOAT, [3])],
        [info("y", FLOAT, [5])],
        value_info=[info("t", FLOAT, [4])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    for level in suite.levels:
        with suite.session(model, level) as m:
            (got,) = m.session(threads=1).run({"x": arr([1, 2, 3])})
        suite.report.check(
            f"B-15 declared shapes that lie, {level}",
            np.array_equal(got, arr([-1, -2, -3])),
            f"({SITE}{ORT}15446) {got}",
        )


ALL = [branches, loops, scans, reuse, disagreements]
