# SPDX-License-Identifier: Apache-2.0
"""16-bit types: sums of skip connections, scores and masks of attention that do not fit."""

import numpy as np
from case import BFLOAT16, FLOAT, SITE, arr, f32, model_of

RNG = np.random.default_rng(17)
f16 = np.float16
LOWEST16 = f16(-65504)
LOWEST_BF16 = f32(-3.3895313892515355e38)


def skip_norm(x, skip, gamma, beta):
    """What LayerNormalization of x + skip is, in float64."""
    s = x.astype(np.float64) + skip.astype(np.float64)
    d = s - s.mean(-1, keepdims=True)
    return d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-5) * gamma + beta


def skip_connections(suite):
    """One channel is 200 times the others, and the sum has a second reader."""
    report = "microsoft/onnxruntime/issues/17689"
    x, skip = (RNG.normal(0, 8, (1, 8, 64)) for _ in range(2))
    x[..., 5] *= 200
    x, skip = x.astype(f16), skip.astype(f16)
    gamma, beta = RNG.normal(1, 0.2, 64).astype(f16), RNG.normal(0, 0.2, 64).astype(f16)
    want = skip_norm(x, skip, gamma.astype(np.float64), beta.astype(np.float64))
    plain = [
        ("Add", "x k", "s"),
        ("LayerNormalization", "s g b", "y", {"epsilon": 1e-5}),
        ("Add", "s x", "z"),
    ]
    fused = [
        ("SkipLayerNormalization", "x k g b", "y - - s", {"epsilon": 1e-5}, "com.microsoft"),
        ("Add", "s x", "z"),
    ]
    errors = {}
    for form, rows in (("Add and LayerNormalization", plain), ("SkipLayerNormalization", fused)):
        for level in suite.levels:
            feeds = {"x": x, "k": skip}
            model = model_of(rows, feeds, ["y", "s", "z"], {"g": gamma, "b": beta})
            with suite.session(model, level) as m:
                y, s, z = m.session(threads=1).run(feeds)
            errors[form, level] = np.abs(y - want).max()
            is_sum = np.array_equal(s, x + skip) and np.array_equal(z, (x + skip) + x)
            suite.report.check(f"A1-11 the sum, {form}, {level}", is_sum, f"({SITE}{report}) {s}")
    bound = 2 * errors["Add and LayerNormalization", "none"]
    for (form, level), error in errors.items():
        suite.report.check(
            f"A1-11 {form}, {level}", error <= bound, f"({SITE}{report}) {error}, not {bound}"
        )


def scores(suite):
    """Attention keeps scores in float32; what is spelled out has the type that it declares."""
    report = "pytorch/pytorch/issues/60939"
    value = arr([1, 3], f16, (1, 1, 2, 1))
    huge = {"q": arr([280], f16, (1, 1, 1, 1)), "k": arr([250, 250], f16, (1, 1, 2, 1)), "v": value}
    low = {"q": arr([-16], f16, (1, 1, 1, 1)), "k": arr([1, 1], f16, (1, 1, 2, 1)), "v": value}
    mask = np.full((1, 2), LOWEST16, f16)
    middle = arr([2], f16, (1, 1, 1, 1))
    attention = ("Attention", "q k v", "y", {"scale": 1.0})
    suite.check(
        "A2-12 scores of 70000", report, [attention], huge, {"y": middle}, opset=23, ir=10
    )
    suite.check(
        "A2-12 a row of which all is masked",
        "huggingface/transformers/pull/17306",
        [("Attention", "q k v m", "y", {"scale": 1.0})],
        {**low, "m": mask},
        {"y": middle},
        opset=23,
        ir=10,
    )
    spelled = [("Transpose", "k", "t", {"perm": [0, 1, 3, 2]}), ("MatMul", "q t", "s")]
    for name, feeds, rows, last in (
        ("scores of 70000", huge, spelled, "s"),
        ("a masked row", {**low, "m": mask}, [*spelled, ("Add", "s m", "a")], "a"),
    ):
        rows = [*rows, ("Softmax", last, "p"), ("MatMul", "p v", "y")]
        big = np.inf if last == "s" else -np.inf
        want = {last: np.full((1, 1, 1, 2), big, f16), "y": middle * f16(np.nan)}
        suite.check(f"A2-12 {name}, spelled out", report, rows, feeds, want)


def masks(suite):
    """Two masks of the lowest bfloat16: adding them gives -inf, composing them does not."""
    report = "NVIDIA-NeMo/Automodel/pull/2658"
    x = np.full((1, 2), LOWEST_BF16, f32)
    rows = [
        ("Cast", "x", "b", {"to": BFLOAT16}),
        ("Add", "b b", "s"),
        ("Softmax", "s", "p"),
        ("Cast", "s", "z", {"to": FLOAT}),
        ("Cast", "p", "y", {"to": FLOAT}),
    ]
    want = {"z": x * f32(np.inf), "y": x * f32(np.nan)}
    suite.check("A2-13 masks that are added", report, rows, {"x": x}, want)
    ones = np.ones((1, 1, 2, 1), f32)
    feeds = {
        "q": ones,
        "k": ones,
        "v": arr([1, 3], shape=(1, 1, 2, 1)),
        "m": np.full((2, 2), LOWEST_BF16, f32),
    }
    rows = [("Cast", n, n + "b", {"to": BFLOAT16}) for n in "qkvm"]
    rows += [
        ("Attention", "qb kb vb mb", "a", {"is_causal": 1}),
        ("Cast", "a", "y", {"to": FLOAT}),
    ]
    suite.check(
        "A2-13 a mask and a causal one",
        report,
        rows,
        feeds,
        {"y": arr([1, 2], shape=(1, 1, 2, 1))},
        opset=23,
        ir=10,
    )


ALL = [skip_connections, scores, masks]
