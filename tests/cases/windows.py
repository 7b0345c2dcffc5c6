# SPDX-License-Identifier: Apache-2.0
"""Rules of windows and places: pooling, convolutions, resizing, sampling."""

import capi
import numpy as np
from case import SITE, arr, f32, model_of, typed

RNG = np.random.default_rng(11)
ORT = "microsoft/onnxruntime/issues/"
I64 = np.int64


def ints(*values):
    return np.array(values, I64)


def pools(suite):
    row = arr([1, 2, 3, 4, 5], shape=(1, 1, 5))
    attrs = {"kernel_shape": [2], "strides": [2], "ceil_mode": 1, "count_include_pad": 1}
    suite.check(
        "A4-02 ceil_mode",
        "sonos/tract/pull/2851",
        [("AveragePool", "x", "y", attrs)],
        {"x": row},
        {"y": arr([1.5, 3.5, 5], shape=(1, 1, 3))},
        opset=19,
    )
    square = arr(np.arange(1, 17), shape=(1, 1, 4, 4))
    attrs = {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}
    suite.check(
        "A4-02 ceil_mode, no pads counted",
        "microsoft/onnxscript/pull/754",
        [("AveragePool", "x", "y", attrs)],
        {"x": square},
        {"y": arr([6, 7.5, 12, 13.5], shape=(1, 1, 2, 2))},
        opset=19,
    )
    attrs = {"kernel_shape": [2, 2], "pads": [0, 0, 1, 1], "count_include_pad": 1}
    suite.check(
        "A4-03 pads of one side",
        "microsoft/onnxruntime/pull/27375",
        [("AveragePool", "x", "y", attrs)],
        {"x": np.ones((1, 1, 2, 2), f32)},
        {"y": arr([1, 0.5, 0.5, 0.25], shape=(1, 1, 2, 2))},
        opset=19,
    )
    attrs = {"kernel_shape": [2, 2, 2], "pads": [0, 0, 0, 1, 1, 1], "count_include_pad": 1}
    part = arr([1, 0.5])
    cube = part[:, None, None] * part[:, None] * part
    suite.check(
        "A4-03 three dimensions",
        "microsoft/onnxruntime/pull/27375",
        [("AveragePool", "x", "y", attrs)],
        {"x": np.ones((1, 1, 2, 2, 2), f32)},
        {"y": cube[None, None]},
        opset=19,
    )
    attrs = {"kernel_shape": [3], "strides": [2], "dilations": [2]}
    suite.check(
        "A4-05 kernel larger than the input",
        ORT + "1224",
        [("MaxPool", "x", "y", attrs)],
        {"x": arr([1, 2, 3, 4], shape=(1, 1, 4))},
        {"y": np.zeros((1, 1, 0), f32)},
    )
    x = arr([1, 9, 2, 8, 3, 7, 4, 6, 5], shape=(1, 1, 9))
    attrs = {"kernel_shape": [2], "dilations": [2], "pads": [1, 1]}
    want = {
        "y": arr([9, 2, 9, 3, 8, 4, 7, 5, 6], shape=(1, 1, 9)),
        "i": arr([1, 2, 1, 4, 3, 6, 5, 8, 7], I64, (1, 1, 9)),
    }
    suite.check(
        "A4-06 dilated, padded", ORT + "29637", [("MaxPool", "x", "y i", attrs)], {"x": x}, want
    )


def convolutions(suite):
    x, w = arr([2, 3, 4, 5], shape=(1, 1, 2, 2)), arr(np.arange(2, 11), shape=(1, 1, 3, 3))
    rows = [("ConvTranspose", "x w", "y", {"auto_pad": "SAME_UPPER", "strides": [1, 1]})]
    suite.check(
        "A4-08 auto_pad",
        ORT + "4086",
        rows,
        {"x": x},
        {"y": arr([49, 63, 91, 105], shape=(1, 1, 2, 2))},
        consts={"w": w},
    )
    x, w = RNG.standard_normal((1, 3, 32, 32)).astype(f32), np.zeros((3, 1, 3, 3), f32)
    w[:, :, 1, 1] = 1
    attrs = {"auto_pad": "SAME_UPPER", "group": 3}
    suite.check(
        "A4-08 the size stays",
        "onnx/onnx/issues/2788",
        [("ConvTranspose", "x w", "y", attrs)],
        {"x": x},
        {"y": x},
        consts={"w": w},
    )
    x, w = arr([1, 2, 3], shape=(1, 1, 3)), arr([1, 10, 100], shape=(1, 1, 3))
    for mode, want in (
        ("SAME_UPPER", [1, 10, 102, 20, 203, 30]),
        ("SAME_LOWER", [10, 102, 20, 203, 30, 300]),
    ):
        rows = [("ConvTranspose", "x w", "y", {"auto_pad": mode, "strides": [2]})]
        suite.check(
            f"A4-09 {mode}",
            ORT + "9370",
            rows,
            {"x": x},
            {"y": arr(want, shape=(1, 1, 6))},
            consts={"w": w},
        )
    x, w = np.ones((1, 1, 7, 5), f32), np.ones((1, 1, 3, 3), f32)
    rows = [
        ("Conv", "x w", "c", {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
        ("Shape", "c", "y"),
    ]
    suite.check(
        "A4-11 SAME_UPPER with strides",
        ORT + "495",
        rows,
        {"x": x},
        {"y": ints(1, 1, 4, 3)},
        consts={"w": w},
    )
    model = model_of(rows[:1], {"x": x}, ["c"], {"w": w})
    model.graph.output[0].CopyFrom(typed("c", np.zeros((1, 1, 7, 5), f32)))
    for level in suite.levels:
        try:
            with suite.session(model, level) as m:
                (got,) = m.session(threads=1).run({"x": x})
            text = f"shape {got.shape}"
        except capi.Error as e:
            text = str(e)
        is_right = text == "shape (1, 1, 4, 3)" or ("Conv" in text and "4" in text)
        suite.report.check(
            f"A4-11 a declared size of 7 x 5, {level}", is_right, f"({SITE}{ORT}495) {text}"
        )
    x, w = RNG.standard_normal((1, 2, 16)).astype(f32), RNG.standard_normal((4, 2, 4)).astype(f32)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 2)))
    want = np.stack([np.einsum("ck,mck->m", padded[0, :, i : i + 4], w) for i in range(16)], -1)[
        None
    ]
    suite.check(
        "A4-23 even kernel",
        "pytorch/executorch/issues/20558",
        [("Conv", "x w", "y", {"pads": [1, 2]})],
        {"x": x},
        {"y": want.astype(f32)},
        consts={"w": w},
    )
    suite.refused(
        "D-05 kernel of more dimensions",
        ORT + "28731",
        [("Conv", "x w", "y")],
        {"x": np.ones((1, 3, 8, 8), f32)},
        "Conv",
        consts={"w": np.ones((4, 3, 3, 3, 3), f32)},
    )
    for attrs in ({"pads": [1, 1, 1]}, {"strides": [1]}):
        suite.refused(
            f"D-05 {attrs}",
            ORT + "28731",
            [("Conv", "x w", "y", attrs)],
            {"x": np.ones((1, 1, 8, 8), f32)},
            "Conv",
            consts={"w": np.ones((1, 1, 3, 3), f32)},
        )
    tiny = RNG.standard_normal((1, 4, 6, 6)).astype(f32)
    w = RNG.standard_normal((4, 4, 1, 1)).astype(f32)
    suite.refused(
        "B-11 Conv of no channels",
        "microsoft/onnxruntime/pull/6238",
        [("Conv", "x w", "y")],
        {"x": tiny},
        "Conv",
        consts={"w": w[:, :0]},
    )


def resizing(suite):
    row = arr([0, 1, 2, 3], shape=(1, 1, 4))

    def resize(name, report, x, want, *, sizes=None, scales=None, rtol=1e-5, atol=1e-6, **attrs):
        last = "z" if sizes is not None else "s"
        rows = [("Resize", "x - s" if last == "s" else "x - - z", "y", attrs)]
        consts = {last: ints(*sizes) if last == "z" else arr(scales)}
        suite.check(
            name, report, rows, {"x": x}, {"y": want}, rtol=rtol, atol=atol, opset=18, consts=consts
        )

    for mode, want in (
        ("align_corners", np.arange(8) * 3 / 7),
        ("asymmetric", np.minimum(np.arange(8) / 2, 3)),
    ):
        resize(
            f"A4-12 {mode}",
            ORT + "17564",
            row,
            want.astype(f32).reshape(1, 1, 8),
            sizes=(1, 1, 8),
            mode="linear",
            coordinate_transformation_mode=mode,
        )
    x = arr(np.arange(1, 17), shape=(1, 1, 4, 4))
    for mode, nearest, first in (
        ("half_pixel", "floor", [0, 0, 0, 1, 1, 2, 2, 3]),
        ("asymmetric", "floor", [0, 0, 1, 1, 2, 2, 3, 3]),
        ("half_pixel", "ceil", [0, 1, 1, 2, 2, 3, 3, 3]),
    ):
        resize(
            f"A4-14 {mode} {nearest}",
            "sonos/tract/pull/2554",
            x,
            x[:, :, first][:, :, :, first],
            scales=(1, 1, 2, 2),
            mode="nearest",
            coordinate_transformation_mode=mode,
            nearest_mode=nearest,
        )
    for nearest, digits in (
        ("floor", "000111222333"),
        ("round_prefer_floor", "001112223333"),
        ("round_prefer_ceil", "001112223333"),
        ("ceil", "011122233333"),
    ):
        resize(
            f"A4-14 4 to 12, {nearest}",
            "apache/tvm/pull/18838",
            row,
            arr([int(d) for d in digits], shape=(1, 1, 12)),
            scales=(1, 1, 3),
            mode="nearest",
            coordinate_transformation_mode="asymmetric",
            nearest_mode=nearest,
        )
    suite.check(
        "A4-14 Upsample",
        "iree-org/iree/issues/24581",
        [("Upsample", "x s", "y")],
        {"x": row},
        {"y": row[:, :, [0, 0, 1, 1, 2, 2, 3, 3]]},
        opset=9,
        consts={"s": arr([1, 1, 2])},
    )
    spike = arr([0, 0, 0, 1, 0, 0, 0, 0], shape=(1, 1, 8))
    for a, want in ((-0.5, [0, 0.5625, -0.0625, 0]), (-0.75, [0, 0.59375, -0.09375, 0])):
        resize(
            f"A4-17 cubic_coeff_a {a}",
            ORT + "28292",
            spike,
            arr(want, shape=(1, 1, 4)),
            scales=(1, 1, 0.5),
            mode="cubic",
            cubic_coeff_a=a,
        )
    for name, attrs in (
        ("linear", {"mode": "linear"}),
        ("cubic", {"mode": "cubic"}),
        ("cubic, exclude_outside", {"mode": "cubic", "exclude_outside": 1}),
        ("nearest", {"mode": "nearest"}),
    ):
        resize(
            f"A4-18 to one, {name}",
            "onnx/onnx/issues/4275",
            arr([1, 2, 3, 4], shape=(1, 1, 4)),
            arr([1], shape=(1, 1, 1)),
            sizes=(1, 1, 1),
            coordinate_transformation_mode="pytorch_half_pixel",
            **attrs,
        )
    # 1, 2.667, 4.333, 6: 8-bit results are rounded to the nearest.
    x, want = np.array([1, 6], np.uint8), np.array([1, 3, 4, 6], np.uint8)
    for name, shape, sizes, axes in (
        ("a row", (1, 1, 2), (1, 1, 4), (1, 1, 4)),
        ("a column", (1, 1, 2, 1), (1, 1, 4, 1), (1, 1, 4, 1)),
        ("a column of pixels", (1, 1, 2, 1), (1, 1, 4, 3), (1, 1, 4, 1)),
    ):
        y = np.broadcast_to(want.reshape(axes), sizes).copy()
        for dtype in (np.uint8, np.int8):
            resize(
                f"A4-15 {dtype.__name__}, {name}",
                ORT + "25417",
                x.astype(dtype).reshape(shape),
                y.astype(dtype),
                sizes=sizes,
                mode="linear",
                coordinate_transformation_mode="align_corners",
            )


def sampling(suite):
    x = arr([1, 2, 3], shape=(1, 1, 1, 3))
    for mode in ("linear", "nearest", "cubic"):
        grid = arr([[2.5e38, 0], [np.inf, 0], [-np.inf, 0], [-2.5e38, 0]], shape=(1, 1, 4, 2))
        suite.check(
            f"A4-20 {mode}",
            "pytorch/pytorch/issues/42616",
            [("GridSample", "x g", "y", {"mode": mode, "padding_mode": "zeros"})],
            {"x": x, "g": grid},
            {"y": np.zeros((1, 1, 1, 4), f32)},
            opset=20,
        )
    far = arr([[2.5e38, 0], [1e20, 0], [np.inf, 0], [-np.inf, 0]], shape=(1, 1, 4, 2))
    for mode in ("linear", "nearest", "cubic"):
        suite.check(
            f"A4-20 border, {mode}",
            "pytorch/pytorch/issues/24823",
            [("GridSample", "x g", "y", {"mode": mode, "padding_mode": "border"})],
            {"x": x, "g": far},
            {"y": arr([3, 3, 3, 1], shape=(1, 1, 1, 4))},
            opset=20,
        )
    # NaN, and what is mirrored for ever, is no place: beyond the first pixel. 1 to 3 mirrored is
    # within 1 to 3.
    feeds = {"x": x, "g": arr([[np.nan, 0], [1e20, 0], [np.inf, 0]], shape=(1, 1, 3, 2))}
    for padding, mode in ((p, m) for p in ("border", "reflection") for m in ("linear", "nearest")):
        rows = [
            ("GridSample", "x g", "y", {"mode": mode, "padding_mode": padding}),
            ("Clip", "y low high", "z"),
            ("Sub", "y z", "outside"),
        ]
        suite.check(
            f"A4-20 {padding}, {mode}: stays among the pixels",
            "pytorch/pytorch/issues/24823",
            rows,
            feeds,
            {"outside": np.zeros((1, 1, 1, 3), f32)},
            opset=20,
            consts={"low": f32(1), "high": f32(3)},
        )
    # Pixels -0.5 and 3.5: mirrored about -0.5 and 2.5, or about 0 and 2.
    for align, left, right in ((0, 1.0, 2.5), (1, 1.5, 1.5)):
        at = [(2 * (p + 0.5) / 3 - 1) if not align else p - 1 for p in (-0.5, 3.5)]
        grid = arr([[v, 0] for v in at], shape=(1, 1, 2, 2))
        rows = [
            (
                "GridSample",
                "x g",
                "y",
                {"mode": "linear", "padding_mode": "reflection", "align_corners": align},
            )
        ]
        want = arr([left, right], shape=(1, 1, 1, 2))
        suite.check(
            f"A4-21 align_corners {align}",
            "onnx/onnx/issues/4033",
            rows,
            {"x": x, "g": grid},
            {"y": want},
            opset=20,
        )


ALL = [pools, convolutions, resizing, sampling]
