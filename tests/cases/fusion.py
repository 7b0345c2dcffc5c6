# SPDX-License-Identifier: Apache-2.0
"""Rewrites that changed the answer: fusions, folding, casts, moved layouts."""

import numpy as np
from case import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16, INT16, INT32, SITE, arr, f32, model_of
from onnx import numpy_helper

RNG = np.random.default_rng(7)
X4 = RNG.standard_normal((1, 8, 4, 4)).astype(f32)


def conv(x, w, group=1):
    """A 1x1 convolution."""
    n, c, h, width = x.shape
    out = np.zeros((n, w.shape[0], h, width))
    per, out_per = c // group, w.shape[0] // group
    for m in range(w.shape[0]):
        g = m // out_per
        out[:, m] = np.einsum("nchw,c->nhw", x[:, g * per : (g + 1) * per], w[m, :, 0, 0])
    return out


def epilogues(suite):
    w = RNG.standard_normal((8, 2, 1, 1)).astype(f32)
    for name, b in (
        ("full", RNG.standard_normal((1, 8, 4, 4))),
        ("a channel", RNG.standard_normal((1, 8, 1, 1))),
        ("a channel, no batch", RNG.standard_normal((8, 1, 1))),
        ("a column", RNG.standard_normal((4,))),
        ("a row", RNG.standard_normal((4, 1))),
    ):
        b = b.astype(f32)
        rows = [("Conv", "x w", "c", {"group": 4}), ("Add", "c b", "y")]
        want = {"y": (conv(X4, w, 4) + b).astype(f32)}
        suite.check(
            f"A1-01 Conv + {name}",
            "microsoft/onnxruntime/issues/12498",
            rows,
            {"x": X4},
            want,
            consts={"w": w, "b": b},
        )
    x, w = X4[:, :4], RNG.standard_normal((4, 1, 1, 1)).astype(f32)
    for shape in ((1, 4, 1, 1), (1, 1, 1, 4), (1,), (1, 2, 4, 1, 1)):
        k = RNG.standard_normal(shape).astype(f32)
        rows = [("Conv", "x w", "c", {"group": 4}), ("Mul", "c k", "y")]
        want = {"y": (conv(x, w, 4) * k).astype(f32)}
        suite.check(
            f"A1-02 Conv * {shape}",
            "onnx/tensorflow-onnx/pull/2152",
            rows,
            {"x": x},
            want,
            consts={"w": w, "k": k},
        )


def norms(suite):
    w = RNG.standard_normal((4, 8, 1, 1)).astype(f32)
    v = {n: RNG.uniform(0.5, 2, 4).astype(f32) for n in "sbmv"}
    tiny = {**v, "v": np.full(4, 1e-3, f32)}
    bn = ("BatchNormalization", "c s b m v", "y")
    for name, p in (("plain", v), ("small variance", tiny)):
        c = conv(X4, w)
        k = p["s"] / np.sqrt(p["v"].astype(np.float64) + 1e-5)
        want = (c - p["m"][:, None, None]) * k[:, None, None] + p["b"][:, None, None]
        rows = [("Conv", "x w", "c"), bn]
        suite.check(
            f"A1-05 Conv + BN, {name}",
            "onnx/optimizer/issues/255",
            rows,
            {"x": X4},
            {"y": want.astype(f32)},
            atol=2e-4,
            consts={"w": w, **p},
        )
        again = ("BatchNormalization", "y s b m v", "z")
        second = (want - p["m"][:, None, None]) * k[:, None, None] + p["b"][:, None, None]
        suite.check(
            f"A1-04 two BN share, {name}",
            "onnx/optimizer/issues/178",
            [*rows, again],
            {"x": X4},
            {"y": want.astype(f32), "z": second.astype(f32)},
            rtol=1e-4,
            atol=1e-2,
            consts={"w": w, **p},
        )

    constants = [("Constant", "", k, {"value": numpy_helper.from_array(v[k], k)}) for k in "sbmv"]
    k = v["s"] / np.sqrt(v["v"].astype(np.float64) + 1e-5)
    want = (conv(X4, w) - v["m"][:, None, None]) * k[:, None, None] + v["b"][:, None, None]
    rows = [*constants, ("Conv", "x w", "c"), bn]
    suite.check(
        "A1-04 parameters from Constant nodes",
        "onnx/optimizer/issues/178",
        rows,
        {"x": X4},
        {"y": want.astype(f32)},
        atol=2e-4,
        consts={"w": w},
    )
    for name, model in (
        ("Constant nodes", model_of(rows, {"x": X4}, ["y"], {"w": w})),
        ("initializers", model_of(rows[-2:], {"x": X4}, ["y"], {"w": w, **v})),
    ):
        with suite.session(model, "basic") as m:
            n_nodes = m.info().n_nodes
        suite.report.check(
            f"A1-04 one node is left, {name}",
            n_nodes == 1,
            f"({SITE}onnx/optimizer/issues/178) {n_nodes} nodes",
        )

    def layer_norm(x, gamma, eps, dtype=f32):
        rows = [("ReduceMean", "x", "m", {"axes": [-1]}), ("Sub", "x m", "d"), ("Mul", "d d", "q")]
        rows += [("ReduceMean", "q", "v", {"axes": [-1]}), ("Add", "v e", "a"), ("Sqrt", "a", "r")]
        rows += [("Div", "d r", "n"), ("Mul", "n g", "y")]
        return rows, {"g": np.asarray(gamma, dtype), "e": np.asarray(eps, dtype)}

    x = RNG.standard_normal((2, 3, 4)).astype(f32)
    plain = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    for shape in ((4,), (3, 1), (1,), (2, 1, 4)):
        gamma = RNG.standard_normal(shape).astype(f32)
        rows, consts = layer_norm(x, gamma, 1e-5)
        suite.check(
            f"A1-08 gamma {shape}",
            "microsoft/onnxruntime/issues/25855",
            rows,
            {"x": x},
            {"y": (plain * gamma).astype(f32)},
            consts=consts,
        )
    rows, consts = layer_norm(None, [1, 1], 1e-2)
    suite.check(
        "A1-10 epsilon",
        "tensorflow/tensorflow/pull/58863",
        rows,
        {"x": arr([[0, 0.02]])},
        {"y": arr([[-0.0995037, 0.0995037]])},
        consts=consts,
    )
    ones = np.ones((1, 4), np.float16)
    rows, consts = layer_norm(None, [1, 1, 1, 1], 1e-8, np.float16)
    with np.errstate(invalid="ignore", divide="ignore"):
        nothing = np.float16(0) / np.sqrt(np.float16(1e-8))
    suite.check(
        "A1-10 an epsilon that float16 does not have",
        "openxla/xla/pull/13289",
        rows,
        {"x": ones},
        {"y": np.full((1, 4), nothing, np.float16)},
        consts=consts,
    )
    suite.check(
        "A1-10 LayerNormalization of equal numbers",
        "openxla/xla/pull/13289",
        [("LayerNormalization", "x g", "y", {"epsilon": 1e-8})],
        {"x": ones},
        {"y": ones * 0},
        consts={"g": np.ones(4, np.float16)},
    )


def clips(suite):
    for dtype, opset in ((np.float64, 11), (f32, 11), (np.float16, 13), (f32, 13), (np.int8, 14)):
        x = np.array([-2, 0.5, 3]).astype(dtype)
        relu = np.maximum(x, 0)
        low, high = np.array(-1, dtype), np.array(1, dtype)
        want = {"y": np.clip(relu, low, high)}
        rows = [("Relu", "x", "r"), ("Clip", "r a b", "y")]
        suite.check(
            f"A1-07 {dtype.__name__} opset {opset}",
            "microsoft/onnxruntime/issues/11836",
            rows,
            {"x": x},
            want,
            opset=opset,
            consts={"a": low, "b": high},
        )
        rows[1] = ("Clip", "r - b", "y")
        suite.check(
            f"A1-07 {dtype.__name__} no min",
            "microsoft/onnxruntime/issues/23116",
            rows,
            {"x": x},
            want,
            opset=opset,
            consts={"b": high},
        )
        suite.check(
            f"A1-07 {dtype.__name__} min alone",
            "microsoft/onnxruntime/issues/10936",
            [rows[0], ("Clip", "r a", "y")],
            {"x": x},
            {"y": relu},
            opset=opset,
            consts={"a": low},
        )


def constants_as_bounds(suite):
    x = arr([-2, 0.5, 3], np.float64)
    low, high = (numpy_helper.from_array(np.array(v, np.float64)) for v in (-1, 1))
    rows = [
        ("Constant", "", "a", {"value": low}),
        ("Constant", "", "b", {"value": high}),
        ("Relu", "x", "r"),
        ("Clip", "r a b", "y"),
    ]
    suite.check(
        "A1-07 bounds from Constant nodes",
        "microsoft/onnxruntime/issues/9753",
        rows,
        {"x": x},
        {"y": arr([0, 0.5, 1], np.float64)},
        opset=11,
    )


def folding(suite):
    x = X4[0, :2, :2, :2].reshape(2, 4)
    w, b = RNG.standard_normal((4, 3)).astype(f32), RNG.standard_normal(3).astype(f32)
    from math import erf

    t = x @ w + b
    gelu = t * 0.5 * (1 + np.vectorize(erf)(t / np.sqrt(2)))
    rows = [("MatMul", "x w", "m"), ("Add", "m b", "a"), ("Div", "a s", "d"), ("Erf", "d", "e")]
    rows += [("Add", "e o", "p"), ("Mul", "a p", "i"), ("Mul", "i h", "y")]
    consts = {"w": w, "b": b, "s": f32(2**0.5), "o": f32(1), "h": f32(0.5)}
    want = {"a": t.astype(f32), "i": (gelu * 2).astype(f32), "y": gelu.astype(f32)}
    suite.check(
        "A1-13 inside of a pattern is an output",
        "microsoft/onnxruntime/issues/4110",
        rows,
        {"x": x},
        want,
        consts=consts,
    )

    rows = [
        ("LeakyRelu", "x", "a", {"alpha": 0.5}),
        ("LeakyRelu", "x", "b", {"alpha": 0.25}),
        ("LeakyRelu", "x", "c", {"alpha": 0.5}),
    ]
    rows += [
        ("Split", "x", "p q", {"axis": 1}),
        ("Split", "x", "r s t u", {"axis": 1}),
        ("MaxPool", "z", "v", {"kernel_shape": [1, 1]}),
        ("MaxPool", "z", "n o", {"kernel_shape": [1, 1]}),
    ]
    leaky = [np.where(x > 0, x, x * f32(k)) for k in (0.5, 0.25, 0.5)]
    want = dict(
        zip("abc", leaky), p=x[:, :2], t=x[:, 2:3], v=X4, n=X4, o=np.arange(128).reshape(X4.shape)
    )
    suite.check(
        "A1-14 what looks equal", "onnx/optimizer/issues/254", rows, {"x": x, "z": X4}, want
    )
    dice(suite)
    rows = [
        ("Cast", "x", "h", {"to": BFLOAT16}),
        ("Cast", "k", "c", {"to": BFLOAT16}),
        ("Identity", "c", "i"),
        ("Mul", "h i", "m"),
        ("Cast", "m", "y", {"to": FLOAT}),
    ]
    suite.check(
        "A1-16 folded bfloat16",
        "microsoft/onnxscript/issues/2187",
        rows,
        {"x": arr([1, 2, 3.5])},
        {"y": arr([2, 4, 7])},
        consts={"k": f32(2)},
    )
    rows = [
        ("SequenceEmpty", "", "e", {"dtype": FLOAT}),
        ("SequenceInsert", "e x", "s"),
        ("ConcatFromSequence", "s", "c", {"axis": 0}),
        ("Add", "k k", "z"),
        ("Add", "c z", "y"),
    ]
    suite.check(
        "A1-19 order of what is not folded",
        "onnxsim/onnxsim/pull/460",
        rows,
        {"x": x},
        {"y": x + 2},
        consts={"k": f32(1)},
    )


def dice(suite):
    """Random nodes that look equal are two throws."""
    x = np.ones((64, 64), f32)
    training = {"r": f32(0.5), "t": np.array(True)}
    for name, rows, consts in (
        ("RandomNormal", [("RandomNormal", "", n, {"shape": [64, 64]}) for n in "ab"], {}),
        ("RandomUniformLike", [("RandomUniformLike", "x", n) for n in "ab"], {}),
        ("Bernoulli", [("Mul", "x r", "h"), *[("Bernoulli", "h", n) for n in "ab"]], training),
        ("Dropout", [("Dropout", "x r t", n) for n in "ab"], training),
    ):
        for level in suite.levels:
            with suite.session(model_of(rows, {"x": x}, ["a", "b"], consts), level) as m:
                a, b = m.session(threads=1).run({"x": x})
            suite.report.check(
                f"A1-14 two {name}, {level}",
                not np.array_equal(a, b),
                f"({SITE}microsoft/onnxruntime/issues/28413) both are {a.ravel()[:4]}",
            )


def casts(suite):
    rows = [("Cast", "x", "i", {"to": INT32}), ("Cast", "i", "y", {"to": BOOL})]
    suite.check(
        "A2-01",
        "microsoft/onnxruntime/issues/4039",
        rows,
        {"x": arr([-0.2, -0.1, 0, 0.1, 0.2, 1.5])},
        {"y": np.array([False] * 5 + [True])},
    )
    rows = [("Cast", "x", "i", {"to": BOOL}), ("Cast", "i", "y", {"to": INT16})]
    suite.check(
        "A2-03 through bool",
        "onnx/onnx-mlir/issues/2210",
        rows,
        {"x": arr([-2, 0], np.int32)},
        {"y": arr([1, 0], np.int16)},
    )
    rows = [("Cast", "x", "i", {"to": INT32}), ("Cast", "i", "y", {"to": INT16})]
    suite.check(
        "A2-03 through int32",
        "onnx/onnx-mlir/issues/2210",
        rows,
        {"x": arr([70000, -5])},
        {"y": arr([4464, -5], np.int16)},
    )
    rows = [("Cast", "x", "h", {"to": FLOAT16}), ("Cast", "h", "y", {"to": FLOAT})]
    suite.check(
        "A2-04",
        "microsoft/onnxruntime/pull/24842",
        rows,
        {"x": arr([0.1])},
        {"y": arr([0.0999755859375])},
        rtol=0,
        atol=0,
    )
    rows = [("Cast", "x", "f", {"to": FLOAT}), ("Cast", "f", "y", {"to": FLOAT16})]
    half = np.array([0.1, 65504, 6e-8, np.inf], np.float16)
    suite.check(
        "A2-04 there and back",
        "microsoft/onnxruntime/pull/17953",
        rows,
        {"x": half},
        {"y": half},
        rtol=0,
        atol=0,
    )
    x = np.array([4.164, 3.107, 6.293, 4.184, 5.94, 4.6, 5.547], np.float16).reshape(1, 1, 1, 7)
    rows = [
        ("Cos", "x", "c"),
        ("Squeeze", "c a", "y"),
        ("Squeeze", "c a", "s"),
        ("Floor", "s", "z"),
    ]
    cos = np.cos(x.astype(np.float64)).astype(np.float16)[:, :, 0]
    suite.check(
        "A2-06 float16 before Floor",
        "microsoft/onnxruntime/issues/18213",
        rows,
        {"x": x},
        {"y": cos, "z": np.array([-1, -1, 1, -1, 0, -1, 0], np.float16).reshape(1, 1, 7)},
        rtol=2e-3,
        consts={"a": arr([2], np.int64)},
    )
    x = np.array([3.021, 6.277, 5.758, 3.828, 3.314, 6.816], np.float16).reshape(1, 1, 6, 1)
    rows = [("Mul", "x k", "m"), ("Cast", "m", "y", {"to": DOUBLE})]
    want = (x * np.float16(1.001)).astype(np.float64)
    for extra in ([], [("Transpose", "m", "t")]):
        outputs = {"y": want, **({"t": (x * np.float16(1.001)).T} if extra else {})}
        suite.check(
            f"A2-07 {len(extra)} more outputs",
            "microsoft/onnxruntime/issues/18228",
            rows + extra,
            {"x": x},
            outputs,
            rtol=0,
            atol=0,
            consts={"k": np.float16(1.001)},
        )
    rows = [("Cast", "x", "h", {"to": BFLOAT16}), ("Cast", "h", "y", {"to": FLOAT})]
    x = np.concatenate(
        [
            arr([0.2691408770292272, 3.14, 1e-8]),
            np.array([0x7F800001, 0x3F808000], np.uint32).view(f32),
        ]
    )
    suite.check(
        "A2-15 rounding to bfloat16",
        "groonga/groonga/pull/2961",
        rows,
        {"x": x},
        {"y": arr([0.26953125, 3.140625, 1.00117177e-8, np.nan, 1.0])},
        rtol=1e-7,
        atol=0,
    )
    suite.check(
        "A2-16 int32 to bfloat16",
        "tile-ai/tilelang/issues/2483",
        rows,
        {"x": arr([257, 259, 511], np.int32)},
        {"y": arr([256, 260, 512])},
    )


def nans(suite):
    nan = np.nan
    x = arr([nan, 1, nan, -2])
    suite.check(
        "A2-09 Relu",
        "microsoft/onnxruntime/issues/11010",
        [("Relu", "x", "y")],
        {"x": x},
        {"y": arr([nan, 1, nan, 0])},
    )
    suite.check(
        "A2-09 Sign",
        "microsoft/onnxruntime/issues/11010",
        [("Sign", "x", "y")],
        {"x": x},
        {"y": arr([nan, 1, nan, -1])},
    )
    for at in (0, 16, 31, 32):
        row = np.arange(33, dtype=f32)
        row[at] = nan
        for op in ("ReduceMax", "ReduceMin"):
            suite.check(
                f"A2-09 {op}, NaN at {at}",
                "apache/tvm/issues/19572",
                [(op, "x", "y", {"axes": [0]})],
                {"x": row},
                {"y": arr([nan])},
            )
    a, b = arr([nan, 7, nan, -2.5]), arr([10, nan, nan, 9])
    for op in ("Min", "Max"):
        want = arr([nan, nan, nan, -2.5 if op == "Min" else 9])
        suite.check(
            f"A2-10 {op}",
            "openvinotoolkit/openvino/issues/35839",
            [(op, "a b", "y")],
            {"a": a, "b": b},
            {"y": want},
        )
        column = arr([nan, 3, 20], shape=(3, 1))
        want = np.minimum(column, 10) if op == "Min" else np.maximum(column, 10)
        for order in ("a k", "k a"):
            suite.check(
                f"A2-10 {op} {order}",
                "microsoft/onnxruntime/issues/21455",
                [(op, order, "y")],
                {"a": column},
                {"y": want},
                consts={"k": arr([10])},
            )
    suite.check(
        "A2-10 Clip",
        "onnx/onnx/issues/6003",
        [("Clip", "x a b", "y")],
        {"x": x},
        {"y": arr([nan, 1, nan, -1])},
        consts={"a": f32(-1), "b": f32(1)},
    )
    half = np.array([[-65504]], np.float16)
    suite.check(
        "A2-12 sums of float16",
        "pytorch/pytorch/issues/60939",
        [("Add", "x k", "y")],
        {"x": half},
        {"y": np.array([[-np.inf]], np.float16)},
        consts={"k": np.float16(-16)},
    )


def layouts(suite):
    x = RNG.standard_normal((3, 4)).astype(f32)
    w, b = RNG.standard_normal((4, 5)).astype(f32), RNG.standard_normal(5).astype(f32)
    rows = [("Transpose", "x", "t", {"perm": [0, 1]}), ("Gemm", "t w b", "y")]
    suite.check(
        "A3-01 identity Transpose",
        "microsoft/onnxruntime/issues/32417",
        rows,
        {"x": x},
        {"y": x @ w + b},
        consts={"w": w, "b": b},
    )
    x = RNG.standard_normal((2, 8, 1, 1)).astype(f32)
    w = RNG.standard_normal((8, 4)).astype(f32)
    rows = [
        ("Transpose", "x", "t", {"perm": [0, 2, 3, 1]}),
        ("Reshape", "t s", "r"),
        ("MatMul", "r w", "y"),
    ]
    suite.check(
        "A3-03 Transpose and Reshape",
        "onnx/tensorflow-onnx/issues/226",
        rows,
        {"x": x},
        {"y": (x.reshape(2, 1, 1, 8) @ w)},
        consts={"s": arr([2, 1, 1, 8], np.int64), "w": w},
    )
    x = RNG.standard_normal((1, 1000, 1, 1)).astype(f32)
    soft = np.exp(x - x.max())
    for opset in (9, 12, 13):
        rows = [
            ("Transpose", "x", "t", {"perm": [0, 2, 3, 1]}),
            ("Transpose", "t", "u", {"perm": [0, 3, 1, 2]}),
            ("Softmax", "u", "y", {"axis": 1}),
        ]
        suite.check(
            f"A3-04 Softmax-{opset}",
            "microsoft/onnxruntime/issues/15949",
            rows,
            {"x": x},
            {"y": soft / soft.sum()},
            opset=opset,
        )
    a = RNG.standard_normal((1, 50, 1)).astype(f32)
    wide = np.broadcast_to(a, (1, 5, 50, 1)).copy()
    suite.check(
        "A3-06 x + 0",
        "microsoft/onnxruntime/issues/11870",
        [("Add", "x z", "y")],
        {"x": a},
        {"y": wide},
        consts={"z": np.zeros((1, 5, 50, 1), f32)},
    )
    suite.check(
        "A3-06 x * 1",
        "microsoft/onnxruntime/issues/23187",
        [("Mul", "x z", "y")],
        {"x": a},
        {"y": wide},
        consts={"z": np.ones((1, 5, 1, 1), f32)},
    )
    suite.check(
        "A3-06 Where",
        "microsoft/onnxruntime/issues/23187",
        [("Where", "c x z", "y")],
        {"x": a},
        {"y": a[None]},
        consts={"c": np.ones((1, 1, 1, 1), bool), "z": np.zeros((1, 50, 1), f32)},
    )
    x = RNG.standard_normal((2, 4)).astype(f32)
    suite.check(
        "A3-07 input to output",
        "microsoft/onnxruntime/pull/7312",
        [("Identity", "x", "y")],
        {"x": x},
        {"y": x},
    )
    suite.check(
        "A3-07 Split and Identity",
        "onnx/ir-py/issues/120",
        [("Split", "x", "a b", {"axis": 1}), ("Identity", "b", "y")],
        {"x": x},
        {"y": x[:, 2:]},
    )
    suite.check(
        "A3-07 one value, two names",
        "microsoft/onnxruntime/pull/8654",
        [("Relu", "x", "a"), ("Identity", "a", "y"), ("Identity", "a", "z")],
        {"x": x},
        {"y": np.maximum(x, 0), "z": np.maximum(x, 0)},
    )
    for level in suite.levels:
        with suite.session(model_of([("Relu", "x", "y")], {"x": x}, ["y", "y"]), level) as m:
            got = m.session(threads=1).run({"x": x})
        suite.report.check(
            f"A3-07 one name twice in the outputs, {level}",
            len(got) == 2 and all(np.array_equal(g, np.maximum(x, 0)) for g in got),
            f"({SITE}microsoft/onnxruntime/pull/8654) {got}",
        )
    q = arr([10, -20, 30], np.int8)
    s = arr([0.5, 0.25, 2])
    x = RNG.standard_normal((1, 3, 4, 4)).astype(f32)
    rows = [
        ("DequantizeLinear", "q s z", "d", {"axis": 0}),
        ("Unsqueeze", "d a", "u"),
        ("Transpose", "x", "t", {"perm": [0, 2, 3, 1]}),
        ("Transpose", "t", "v", {"perm": [0, 3, 1, 2]}),
        ("Mul", "v u", "y"),
    ]
    suite.check(
        "A3-09 DequantizeLinear's axis",
        "microsoft/onnxruntime/pull/21821",
        rows,
        {"x": x},
        {"y": x * (q * s)[:, None, None]},
        consts={"q": q, "s": s, "z": arr([0, 0, 0], np.int8), "a": arr([1, 2], np.int64)},
    )
    rows, last = [], "x"
    for i in range(4):
        rows += [
            ("Transpose", last, f"a{i}", {"perm": [0, 2, 3, 1]}),
            ("QuantizeLinear", f"a{i} s z", f"b{i}"),
            ("DequantizeLinear", f"b{i} s z", f"c{i}"),
            ("Transpose", f"c{i}", f"d{i}", {"perm": [0, 3, 1, 2]}),
        ]
        last = f"d{i}"
    want = np.clip(np.rint(x / 0.5), -128, 127) * 0.5
    suite.check(
        "A3-10 passes that undo each other",
        "microsoft/onnxruntime/pull/11636",
        [*rows, ("Identity", last, "y")],
        {"x": x},
        {"y": want.astype(f32)},
        consts={"s": f32(0.5), "z": np.int8(0)},
    )


ALL = [epilogues, norms, clips, constants_as_bounds, folding, casts, nans, layouts]
