# SPDX-License-Identifier: Apache-2.0
"""Quantized models: saturation, zero points, scales that were assumed or forgotten."""

import capi
import numpy as np
import places
from case import SITE, arr, f32, model_of

ORT, I8, U8, I32 = "microsoft/onnxruntime/issues/", np.int8, np.uint8, np.int32
RNG = np.random.default_rng(5)


def products(suite):
    x, w = arr([255, 255], U8, (1, 2, 1, 1)), arr([113, 113], I8, (1, 2, 1, 1))
    rows = [("ConvInteger", "x w z", "y")]
    report = "pytorch/pytorch/issues/76390"
    suite.check(
        "C-02 pair of products",
        report,
        rows,
        {"x": x},
        {"y": arr([25086], I32, (1, 1, 1, 1))},
        consts={"w": w, "z": U8(144)},
    )
    for weight, total in ((127, 64 * 255 * 127), (-128, -64 * 255 * 128)):
        a, b = np.full((1, 64), 255, U8), np.full((64, 3), weight, I8)
        suite.check(
            f"C-02 64 products with {weight}",
            report,
            [("MatMulInteger", "a b", "y")],
            {"a": a},
            {"y": np.full((1, 3), total, I32)},
            consts={"b": b},
        )
    a = arr([[238, 115, 94], [245, 111, 102], [158, 225, 48]], U8)
    b = arr([[25, 36, 125], [42, -123, 76], [-81, -86, 35]], I8)
    want = arr([[12100, 1951, 40214], [11745, 2293, 41351], [18030, -10919, 36548]], I32)
    for feeds, consts in (({"a": a}, {"b": b}), ({"a": a, "b": b}, {})):
        consts = {**consts, "p": U8(42), "q": I8(-26)}
        suite.check(
            f"C-03 both zero points, {len(feeds)} fed",
            ORT + "7524",
            [("MatMulInteger", "a b p q", "y")],
            feeds,
            {"y": want},
            consts=consts,
        )
    for n in (1, 15, 16, 17, 31, 33, 64, 65):
        a = RNG.integers(0, 256, (5, n)).astype(U8)
        b = RNG.integers(-128, 128, (n, 9)).astype(I8)
        want = (a.astype(I32) - 130) @ (b.astype(I32) + 5)
        suite.check(
            f"C-02 random, K {n}",
            ORT + "16105",
            [("MatMulInteger", "a b p q", "y")],
            {"a": a},
            {"y": want.astype(I32)},
            consts={"b": b, "p": U8(130), "q": I8(-5)},
        )


def saturation(suite):
    x = arr([3, -3, 1.27, -1.28], f32)
    suite.check(
        "C-05 300 and -300",
        ORT + "29727",
        [("QuantizeLinear", "x s z", "y")],
        {"x": x},
        {"y": arr([127, -128, 127, -128], I8)},
        consts={"s": f32(0.01), "z": I8(0)},
    )
    x, w = arr([100, -100], I8, (2, 1, 1, 1)), arr([3], I8, (1, 1, 1, 1))
    rows = [("QLinearConv", "x s z w s z s z", "y")]
    suite.check(
        "C-05 requantized",
        "tinygrad/tinygrad/issues/8546",
        rows,
        {"x": x},
        {"y": arr([127, -128], I8, (2, 1, 1, 1))},
        consts={"w": w, "s": f32(1), "z": I8(0)},
    )


def softmax(suite):
    """The first entry is at the top of the type: one step more would wrap."""
    suite.check(
        "C-05 QLinearSoftmax",
        ORT + "29727",
        [("QLinearSoftmax", "x s z t u", "y", {"opset": 13}, "com.microsoft")],
        {"x": arr([[127, -128, -128, -128]], I8)},
        {"y": arr([[127, -128, -128, -128]], I8)},
        consts={"s": f32(0.5), "z": I8(0), "t": f32(1 / 256), "u": I8(-128)},
    )


def padding(suite):
    """What is padded is the zero point, in an even kernel with pads of one and two."""
    x = RNG.integers(0, 256, (1, 2, 16)).astype(U8)
    w = RNG.integers(-9, 10, (4, 2, 4)).astype(I8)
    zero, scale, out_scale = 131, f32(0.25), f32(4)
    padded = np.pad(x.astype(np.float64) - zero, ((0, 0), (0, 0), (1, 2)))
    windows = np.stack([padded[0, :, i : i + 4] for i in range(16)])
    exact = np.einsum("tck,mck->mt", windows, w.astype(np.float64))[None] * scale * 0.5
    want = np.clip(np.rint(exact / out_scale) + 128, 0, 255).astype(U8)
    consts = {
        "w": w,
        "s": scale,
        "z": U8(zero),
        "v": f32(0.5),
        "u": I8(0),
        "o": out_scale,
        "q": U8(128),
    }
    suite.check(
        "A4-23 even kernel, 8 bits",
        "pytorch/executorch/issues/20558",
        [("QLinearConv", "x s z w v u o q", "y", {"pads": [1, 2]})],
        {"x": x},
        {"y": want},
        consts=consts,
    )
    rows = [
        ("DequantizeLinear", "x s z", "dx"),
        ("DequantizeLinear", "w v u", "dw"),
        ("Conv", "dx dw", "c", {"pads": [1, 2]}),
        ("QuantizeLinear", "c o q", "y"),
    ]
    suite.check(
        "A4-23 even kernel, Q and DQ",
        "pytorch/executorch/issues/20558",
        rows,
        {"x": x},
        {"y": want},
        consts=consts,
    )


def behind_reshape(suite):
    """Weights that a Reshape hands on are weights: folded first, then they take part."""
    w = RNG.integers(-127, 128, (12,)).astype(I8)
    s = arr([0.5, 1, 2, 0.25])
    x = RNG.integers(-8, 9, (2, 3)).astype(f32)
    shape = arr([3, 4], np.int64)
    wide = w.reshape(3, 4).astype(f32)
    for op in ("MatMul", "Gemm"):
        suite.check(
            f"C-20 {op}",
            ORT + "18668",
            [("Reshape", "w n", "r"), (op, "x r", "y")],
            {"x": x},
            {"y": x @ wide},
            consts={"w": w.astype(f32), "n": shape},
        )
        rows = [
            ("Reshape", "w n", "r"),
            ("DequantizeLinear", "r s", "d", {"axis": 1}),
            (op, "x d", "y"),
        ]
        suite.check(
            f"C-20 {op}, a scale a column",
            ORT + "18668",
            rows,
            {"x": x},
            {"y": x @ (wide * s)},
            consts={"w": w, "n": shape, "s": s},
        )
        model = model_of(rows, {"x": x}, ["y"], consts={"w": w, "n": shape, "s": s})
        with suite.session(model, "all") as m:
            n_nodes = m.info().n_nodes
        suite.report.check(
            f"C-20 {op}: no Reshape is left", n_nodes <= 2, f"({SITE}{ORT}18668) {n_nodes} nodes"
        )


def every_cpu(suite):
    """Weights of the full range with a scale each: the same bits on every instruction set."""
    x = RNG.integers(0, 256, (1, 16, 9, 9)).astype(U8)
    x[0, :, :3] = 255
    w = RNG.choice(np.array([-127, 127], I8), (24, 16, 3, 3))
    v = RNG.uniform(1e-4, 2e-4, 24).astype(f32)
    consts = {
        "w": w,
        "s": f32(0.02),
        "z": U8(3),
        "v": v,
        "u": np.zeros(24, I8),
        "o": f32(0.01),
        "q": U8(128),
    }
    rows = [("QLinearConv", "x s z w v u o q", "y", {"pads": [1, 1, 1, 1]})]
    path = suite.save(model_of(rows, {"x": x}, ["y"], consts=consts))
    padded = np.pad(x.astype(np.float64) - 3, ((0, 0), (0, 0), (1, 1), (1, 1)))
    sums = sum(
        np.einsum("chw,mc->mhw", padded[0, :, i : i + 9, j : j + 9], w[:, :, i, j].astype(float))
        for i in range(3)
        for j in range(3)
    )
    exact = sums[None] * 0.02 * v.astype(np.float64)[:, None, None] / 0.01 + 128
    want = np.clip(np.rint(exact), 0, 255)
    got = {}
    for mask in places.cpu_masks():
        with capi.Model(path, cpu=mask) as m:
            (got[mask],) = m.session(threads=1).run({"x": x})
    for mask, y in got.items():
        is_right = np.array_equal(y, got["ref"]) and np.abs(y - want).max() <= 1
        suite.report.check(
            f"C-21 scales a channel, {mask}", is_right, f"({SITE}{ORT}6545) {y.ravel()[:12]}"
        )


def moved(suite):
    x = arr([1, 2, 3, 4], I8, (1, 1, 1, 4))
    rows = [
        ("DequantizeLinear", "x s z", "d"),
        ("MaxPool", "d", "m", {"kernel_shape": [1, 4]}),
        ("QuantizeLinear", "m s z", "y"),
    ]
    suite.check(
        "C-06 negative scale",
        ORT + "21176",
        rows,
        {"x": x},
        {"y": arr([1], I8, (1, 1, 1, 1)), "m": arr([-0.5], f32, (1, 1, 1, 1))},
        consts={"s": f32(-0.5), "z": I8(0)},
    )
    for opset in (10, 12, 21, 22):
        suite.check(
            f"C-11 MaxPool at opset {opset}",
            ORT + "7460",
            rows,
            {"x": x},
            {"y": arr([4], I8, (1, 1, 1, 1))},
            opset=opset,
            consts={"s": f32(0.5), "z": I8(0)},
        )
    bias = arr([10], I32)
    rows = [
        ("DequantizeLinear", "b t u", "d"),
        ("Reshape", "d n", "r"),
        ("Transpose", "r", "v"),
        ("Add", "x v", "y"),
    ]
    suite.check(
        "C-09 int32 that is moved",
        ORT + "25001",
        rows,
        {"x": arr([[1, 2]])},
        {"y": arr([[2, 3]])},
        consts={"b": bias, "t": f32(0.1), "u": I32(0), "n": arr([1, 1], np.int64)},
    )
    for dtype in (I32, I8):
        x, w = arr([2], U8, (1, 1, 1, 1)), arr([4], I8, (1, 1, 1, 1))
        consts = {
            "w": w,
            "b": arr([10], dtype),
            "sx": f32(0.5),
            "sw": f32(0.25),
            "sb": f32(0.1),
            "zx": U8(0),
            "zw": I8(0),
            "zb": dtype(0),
        }
        rows = [
            ("DequantizeLinear", "x sx zx", "dx"),
            ("DequantizeLinear", "w sw zw", "dw"),
            ("DequantizeLinear", "b sb zb", "db"),
            ("Conv", "dx dw db", "y"),
        ]
        suite.check(
            f"C-08 scale of a bias of {dtype.__name__}",
            "Xilinx/onnx-mlir/pull/439",
            rows,
            {"x": x},
            {"y": arr([2], f32, (1, 1, 1, 1))},
            consts=consts,
        )
    rows[2] = ("DequantizeLinear", "b sb zb", "db")
    suite.check(
        "C-08 zero point of a bias",
        "Xilinx/onnx-mlir/pull/439",
        rows,
        {"x": x},
        {"y": arr([1.5], f32, (1, 1, 1, 1))},
        consts={**consts, "zb": I8(5)},
    )


def layouts(suite):
    x = arr([10, -20, 30], I8)
    for scale in (f32(0.5), arr([0.5])):
        for zero in (None, I8(0), arr([0], I8)):
            names = "x s" + ("" if zero is None else " z")
            consts = {"s": scale, **({} if zero is None else {"z": zero})}
            shapes = f"{np.shape(scale)}, {None if zero is None else np.shape(zero)}"
            suite.check(
                f"C-12 scale and zero point {shapes}",
                ORT + "13915",
                [("DequantizeLinear", names, "y", {"axis": 0})],
                {"x": x},
                {"y": arr([5, -10, 15])},
                consts=consts,
            )
    x = np.full((1, 1, 1, 1), 10, U8)
    w, s = arr([1, 2], I8, (2, 1, 1, 1)), arr([0.5, 2])
    rows = [("QLinearConv", "x one zu w s zw one zu", "y")]
    consts = {"w": w, "s": s, "one": f32(1), "zu": U8(0), "zw": arr([0, 0], I8)}
    suite.check(
        "C-14 a scale for each output channel",
        "tensorflow/tensorflow/issues/66081",
        rows,
        {"x": x},
        {"y": arr([5, 40], U8, (1, 2, 1, 1))},
        consts=consts,
    )
    consts.update(s=arr([0.5, 2, 1]), zw=arr([0, 0, 0], I8))
    suite.refused(
        "C-14 scales that do not fit",
        "tensorflow/tensorflow/issues/66081",
        rows,
        {"x": x},
        "QLinearConv",
        consts=consts,
    )
    w = arr([1, 2], I8, (1, 2, 1, 1))
    rows = [("DequantizeLinear", "w s zw", "d", {"axis": 1}), ("ConvTranspose", "x d", "y")]
    suite.check(
        "C-14 ConvTranspose, axis 1",
        "tensorflow/tensorflow/issues/66081",
        rows,
        {"x": arr([10], f32, (1, 1, 1, 1))},
        {"y": arr([5, 40], f32, (1, 2, 1, 1))},
        consts={"w": w, "s": arr([0.5, 2]), "zw": arr([0, 0], I8)},
    )
    a, w, s = (
        RNG.standard_normal((2, 3)).astype(f32),
        RNG.integers(-9, 9, (3, 4)).astype(I8),
        arr([0.5, 1, 2, 0.25]),
    )
    for name, zero in (("left out", None), ("zeros", np.zeros(4, I8))):
        deq = ("DequantizeLinear", "w s" + ("" if zero is None else " z"), "d", {"axis": 1})
        rows = [
            ("QuantizeLinear", "x t u", "q"),
            ("DequantizeLinear", "q t u", "f"),
            deq,
            ("MatMul", "f d", "m"),
            ("Add", "m b", "y"),
        ]
        b = arr([1, 2, 3, 4])
        x = np.clip(np.rint(a / f32(0.125)), -128, 127) * f32(0.125)
        consts = {
            "w": w,
            "s": s,
            "b": b,
            "t": f32(0.125),
            "u": I8(0),
            **({} if zero is None else {"z": zero}),
        }
        suite.check(
            f"C-18 zero points {name}",
            "onnxsim/onnxsim/pull/1421",
            rows,
            {"x": a},
            {"y": (x @ (w * s) + b).astype(f32)},
            rtol=1e-4,
            atol=1e-4,
            consts=consts,
        )


def dynamic(suite):
    rows = [
        ("Relu", "x", "r"),
        ("DynamicQuantizeLinear", "r", "y s z"),
        ("MatMulInteger", "y w z", "m"),
    ]
    w = arr([[1], [2]], I8)
    zeros = np.zeros((1, 2), U8)
    want = {"y": zeros, "s": f32(1), "z": np.array(0, U8), "m": arr([[0]], I32)}
    suite.check(
        "C-17 all zero",
        "onnx/onnx/issues/8437",
        rows,
        {"x": arr([[-1, -2]])},
        want,
        consts={"w": w},
    )
    want = {"y": np.full((1, 2), 255, U8), "s": f32(5 / 255), "z": np.array(0, U8)}
    suite.check(
        "C-17 all five",
        "onnx/onnx/issues/8437",
        [("DynamicQuantizeLinear", "x", "y s z")],
        {"x": arr([[5, 5]])},
        want,
    )


    # NaN takes no part in the range, and becomes 0.
    want = {"y": arr([[0, 128, 255]], U8), "s": f32(2 / 255), "z": np.array(0, U8)}
    suite.check(
        "C-17 a NaN",
        "vllm-project/tpu-inference/pull/1694",
        [("DynamicQuantizeLinear", "x", "y s z")],
        {"x": arr([[np.nan, 1.004, 2]])},
        want,
    )


def rounding(suite):
    """Multipliers whose products end in a half: every level rounds to even."""
    x = np.arange(-128, 128).astype(I8).reshape(1, 1, 16, 16)
    w = arr([1], I8, (1, 1, 1, 1))
    rows = [("QLinearConv", "x sx z w sx z sy z", "y")]
    want = np.clip(np.rint(x.astype(np.float64) * 0.5), -128, 127).astype(I8)
    suite.check(
        "C-15 halves",
        "tensorflow/tensorflow/issues/99072",
        rows,
        {"x": x},
        {"y": want},
        consts={"w": w, "sx": f32(1), "sy": f32(2), "z": I8(0)},
    )


ALL = [
    products,
    saturation,
    softmax,
    padding,
    behind_reshape,
    every_cpu,
    moved,
    layouts,
    dynamic,
    rounding,
]
