# SPDX-License-Identifier: Apache-2.0
"""Rules of numbers: integers, indices, order, reductions, nothing at all, text."""

import numpy as np
from case import arr, f32

RNG = np.random.default_rng(11)
ORT = "microsoft/onnxruntime/issues/"
I64 = np.int64


def ints(*values):
    return np.array(values, I64)


def integers(suite):
    x = arr([777777777, 1111111111, 1900000000, -1999999999], np.int32)
    suite.check(
        "A5-01",
        "openvinotoolkit/openvino/issues/35830",
        [("Div", "x k", "y")],
        {"x": x},
        {"y": arr([70707070, 101010101, 172727272, -181818181], np.int32)},
        consts={"k": np.int32(11)},
    )
    for dtype in (np.int32, np.int64):
        low = np.iinfo(dtype).min
        suite.check(
            f"A5-03 lowest mod -1, {dtype.__name__}",
            "microsoft/onnxruntime/pull/32369",
            [("Mod", "x k", "y")],
            {"x": arr([low, 5], dtype)},
            {"y": arr([0, 0], dtype)},
            consts={"k": dtype(-1)},
        )
    x, k = arr([-4, 4], I64), arr([3, -3], I64)
    for fmod, want in ((0, [2, -2]), (1, [-1, 1])):
        suite.check(
            f"A5-03 signs, fmod {fmod}",
            "openvinotoolkit/openvino/issues/20898",
            [("Mod", "x k", "y", {"fmod": fmod})],
            {"x": x},
            {"y": arr(want, I64)},
            consts={"k": k},
        )
    for op, attrs in (("Div", {}), ("Mod", {}), ("Mod", {"fmod": 1})):
        for dtype in (np.int8, np.uint8, np.int32, np.int64):
            zeros = np.zeros(2, dtype)
            for name, rows, consts in (
                ("run", [(op, "x k", "y", attrs)], {"k": zeros}),
                ("folded", [(op, "c k", "z", attrs), ("Add", "x z", "y")], {"k": zeros, "c": zeros}),
            ):
                suite.refused(
                    f"A5-03 {op} {attrs} by 0, {dtype.__name__}, {name}",
                    "openvinotoolkit/openvino/issues/20898",
                    rows,
                    {"x": arr([5, 7], dtype)},
                    "zero",
                    consts=consts,
                )
    u8 = arr([5, 1, 100, 3, 7, 8, 9, 13, 100, 120, 127, 2, 6, 4, 11, 12, 90, 80], np.uint8)
    s8 = -u8.astype(np.int8)
    for n in (15, 16, 17, 18):
        suite.check(
            f"A3-12 uint8, {n}",
            "pytorch/pytorch/issues/191499",
            [("ReduceMin", "x", "y", {"axes": [0]}), ("ArgMin", "x", "i")],
            {"x": u8[:n]},
            {"y": u8[1:2], "i": arr([1], I64)},
            opset=13,
        )
        suite.check(
            f"A3-12 int8, {n}",
            "pytorch/pytorch/issues/191499",
            [("ReduceMax", "x", "y", {"axes": [0]}), ("ArgMax", "x", "i")],
            {"x": s8[:n]},
            {"y": s8[1:2], "i": arr([1], I64)},
            opset=13,
        )
    for n in (17, 33, 58, 66):
        a, b = RNG.standard_normal((3, n)).astype(f32), RNG.standard_normal((n, n)).astype(f32)
        rows = [("MatMul", "a b", "m"), ("ReduceSum", "m k", "s")]
        want = {"m": a @ b, "s": (a @ b).sum(1, keepdims=True)}
        suite.check(
            f"A3-13 rows of {n}",
            "pytorch/pytorch/issues/196681",
            rows,
            {"a": a},
            want,
            rtol=1e-4,
            atol=1e-4,
            consts={"b": b, "k": ints(1)},
        )


def indices(suite):
    suite.check(
        "A5-04 ties",
        "onnx/onnx/pull/6593",
        [("TopK", "x k", "y i")],
        {"x": arr([0, 1, 2, 2])},
        {"y": arr([2]), "i": ints(2)},
        consts={"k": ints(1)},
    )
    x = arr([0, 255, 0, 7], np.uint8)
    suite.check(
        "A5-04 smallest of uint8",
        "NervanaSystems/ngraph/pull/2710",
        [("TopK", "x k", "y i", {"largest": 0})],
        {"x": x},
        {"y": arr([0, 0], np.uint8), "i": ints(0, 2)},
        consts={"k": ints(2)},
    )
    x = arr([[3, 1], [1, 1], [2, 5]])
    suite.check(
        "A5-04 axis 0",
        "onnx/onnx/issues/3501",
        [("TopK", "x k", "y i", {"axis": 0})],
        {"x": x},
        {"y": arr([[3, 5], [2, 1]]), "i": arr([[0, 2], [2, 0]], I64)},
        consts={"k": ints(2)},
    )
    x = RNG.standard_normal((1, 10000)).astype(f32)
    at = np.sort(RNG.choice(10000, 60, replace=False))
    x[0, at] = np.inf
    suite.check(
        "A5-06 many infinities",
        ORT + "9843",
        [("TopK", "x k", "y i")],
        {"x": x},
        {"y": np.full((1, 50), np.inf, f32), "i": at[None, :50].astype(I64)},
        consts={"k": ints(50)},
    )
    x = np.zeros((2, 3), f32)
    suite.check(
        "A5-07 a negative place",
        "onnx/onnx-mlir/pull/3611",
        [("ScatterND", "x i u", "y")],
        {"x": x},
        {"y": arr([[0, 0, 0], [0, 0, 7]])},
        consts={"i": arr([[-1, -1]], I64), "u": arr([7])},
    )
    rows = arr([[1, 2, 3], [4, 5, 6]])
    suite.check(
        "A5-07 rows",
        "openvinotoolkit/openvino/pull/17219",
        [("ScatterND", "x i u", "y")],
        {"x": x},
        {"y": rows},
        consts={"i": arr([[0], [1]], I64), "u": rows},
    )
    x = arr([10, 11, 12, 13, 14])
    suite.check(
        "A5-09 last row",
        ORT + "28311",
        [("Gather", "x i", "y")],
        {"x": x},
        {"y": x[4]},
        consts={"i": I64(-1)},
    )
    for index in (5, -6):
        suite.refused(
            f"A5-09 row {index}",
            ORT + "28311",
            [("Gather", "x i", "y")],
            {"x": x},
            f"index {index}",
            consts={"i": I64(index)},
        )
    suite.refused(
        "A5-09 axis",
        "microsoft/onnxruntime/pull/31711",
        [("Gather", "x i", "y", {"axis": 7})],
        {"x": np.ones((2, 2), f32)},
        "axis",
        consts={"i": I64(0)},
    )
    boxes = arr([[[0, 0, 1, 1], [0, 0, 1, 1], [5, 5, 6, 6]]])
    scores = arr([[[0.5, 0.5, 0.9]]])
    nms = "ROCm/AMDMIGraphX/pull/4073"
    for name, most, threshold, want in (
        ("equal boxes", 10, 0.0, [[0, 0, 2], [0, 0, 0]]),
        ("no maximum", None, 0.0, np.zeros((0, 3))),
        ("maximum 0", 0, 0.0, np.zeros((0, 3))),
        ("score equal to the threshold", 10, 0.5, [[0, 0, 2]]),
    ):
        consts = {"t": f32(0.5), "s": f32(threshold), **({} if most is None else {"m": I64(most)})}
        names = f"b c {'-' if most is None else 'm'} t s"
        suite.check(
            f"A5-12 {name}",
            nms,
            [("NonMaxSuppression", names, "y")],
            {"b": boxes, "c": scores},
            {"y": arr(want, I64)},
            consts=consts,
        )


def reductions(suite):
    x = RNG.standard_normal((1, 3, 4, 5)).astype(f32)
    for op, full in (
        ("ReduceMean", x.mean()),
        ("ReduceSum", x.sum()),
        ("ReduceL1", np.abs(x).sum()),
    ):
        for noop in (0, 1):
            same = np.abs(x) if op == "ReduceL1" else x
            want = {"y": same if noop else np.full((1, 1, 1, 1), full, f32)}
            attrs = {"noop_with_empty_axes": noop}
            suite.check(
                f"A5-13 {op}, axes [], noop {noop}",
                ORT + "16586",
                [(op, "x a", "y", attrs)],
                {"x": x},
                want,
                opset=18,
                consts={"a": ints()},
            )
            suite.check(
                f"A5-13 {op}, no axes, noop {noop}",
                ORT + "25095",
                [(op, "x", "y", attrs)],
                {"x": x},
                want,
                opset=18,
            )
    suite.check("A5-15", ORT + "3208", [("ReduceMin", "x", "y")], {"x": f32(2)}, {"y": f32(2)})
    a, b, c = (RNG.standard_normal(s).astype(f32) for s in ((2, 3, 4), (4, 5), (5, 6, 7)))
    rows = [("Einsum", "a b c", "y", {"equation": "abc,cd,def->abd"})]
    suite.check(
        "A5-16 three operands",
        ORT + "7375",
        rows,
        {"a": a, "b": b, "c": c},
        {"y": np.einsum("abc,cd,def->abd", a, b, c)},
        rtol=1e-4,
        atol=1e-5,
    )
    for equation, shape, want in (
        ("ijk->ki", (2, 3, 4), [[12, 48], [15, 51], [18, 54], [21, 57]]),
        ("iij->i", (2, 2, 4), [6, 54]),
        (" I j -> j I ", (2, 3), [[0, 3], [1, 4], [2, 5]]),
    ):
        x = arr(np.arange(np.prod(shape)), shape=shape)
        suite.check(
            f"A5-16 {equation}",
            ORT + "18654",
            [("Einsum", "x", "y", {"equation": equation})],
            {"x": x},
            {"y": arr(want)},
        )
    x = arr(np.arange(9), shape=(3, 3))
    suite.check(
        "A5-16 diagonal",
        "robertknight/rten/pull/303",
        [("Einsum", "x", "y", {"equation": "ii->i"})],
        {"x": x},
        {"y": arr([0, 4, 8])},
    )
    suite.check(
        "A5-16 a scalar and a matrix",
        "onnx/onnx/issues/8207",
        [("Einsum", "s x", "y", {"equation": "...,...->..."})],
        {"s": f32(2), "x": x},
        {"y": 2 * x},
    )


def zero_sizes(suite):
    ort = "microsoft/onnxruntime/pull/6238"
    suite.check(
        "B-11 MatMul",
        ort,
        [("MatMul", "a b", "y")],
        {"a": np.zeros((2, 0), f32), "b": np.zeros((0, 3), f32)},
        {"y": np.zeros((2, 3), f32)},
    )
    suite.check(
        "B-11 Gemm",
        ort,
        [("Gemm", "a b c", "y")],
        {"a": np.zeros((2, 0), f32), "b": np.zeros((0, 3), f32)},
        {"y": arr([[1, 2, 3]] * 2)},
        consts={"c": arr([1, 2, 3])},
    )
    for dtype, a, b, want in (
        (np.int64, (0, 4, 8), (0, 8, 4), (0, 4, 4)),
        (f32, (0, 2, 3), (1, 3, 4), (0, 2, 4)),
        (f32, (0, 2), (2,), (0,)),
    ):
        feeds = {"a": np.zeros(a, dtype), "b": np.zeros(b, dtype)}
        suite.check(
            f"B-12 {a} x {b}",
            "openvinotoolkit/openvino/issues/37966",
            [("MatMul", "a b", "y")],
            feeds,
            {"y": np.zeros(want, dtype)},
        )


def texts(suite):
    words = np.array(["Ĭ,b", "Żółw", "東京", ""], dtype=object)
    report = "microsoft/onnxruntime-extensions/pull/65"
    rows = [("Gather", "x i", "g"), ("Concat", "x g", "y", {"axis": 0}), ("Equal", "x x", "e")]
    want = {"g": words[[2, 0]], "y": np.concatenate([words, words[[2, 0]]]), "e": np.ones(4, bool)}
    suite.check(
        "A5-18 Gather, Concat, Equal",
        report,
        rows,
        {"x": words},
        want,
        opset=19,
        consts={"i": ints(2, 0)},
    )
    want = np.array([["Ĭ", "b"], ["Żółw", ""], ["東京", ""], ["", ""]], dtype=object)
    rows = [("StringSplit", "x", "y n", {"delimiter": ","})]
    suite.check(
        "A5-18 StringSplit",
        report,
        rows,
        {"x": words},
        {"y": want, "n": ints(2, 1, 1, 0)},
        opset=20,
    )
    nul = np.array(["a\0b", "a"], dtype=object)
    suite.check(
        "A5-18 a zero byte",
        ORT + "2690",
        [("Identity", "x", "y"), ("Equal", "x k", "e")],
        {"x": nul},
        {"y": nul, "e": np.array([True, False])},
        opset=19,
        consts={"k": np.array(["a\0b", "a\0b"], dtype=object)},
    )


ALL = [integers, indices, reductions, zero_sizes, texts]
