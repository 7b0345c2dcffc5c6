# SPDX-License-Identifier: Apache-2.0
"""Whether two answers agree. Types and shapes exactly; numbers as the operator's tolerance says;
NaN, infinities and (with an exact tolerance) the sign of zero where the other has them."""

import numpy as np
from onnx import TensorProto as TP

MANTISSA = {  # bits of the significand behind the point
    TP.FLOAT16: 10,
    TP.BFLOAT16: 7,
    TP.FLOAT8E4M3FN: 3,
    TP.FLOAT8E4M3FNUZ: 3,
    TP.FLOAT8E5M2: 2,
    TP.FLOAT8E5M2FNUZ: 2,
}
EPSILON = {np.dtype(np.float16): 2.0**-10, np.dtype(np.float32): 2.0**-23, np.dtype(np.float64): 2.0**-52}


def unit(values, dtype, narrow):
    """Distance of neighbours around each value in its type."""
    bits = {2: 10, 4: 23, 8: 52}[dtype.itemsize]
    least = {2: -24, 4: -149, 8: -1074}[dtype.itemsize]
    if narrow in MANTISSA:
        bits = MANTISSA[narrow]
        least = max(least, {TP.BFLOAT16: -133, TP.FLOAT16: -24}.get(narrow, -16))
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.floor(np.log2(np.abs(values)))
    exponent = np.where(np.isfinite(exponent), exponent, least + bits)
    return np.exp2(np.maximum(exponent - bits, least))


def allowed(want, got, tolerance, dtype, narrow, magnitude):
    """Largest difference allowed for each element, in float64."""
    kind, amount = tolerance
    wide = want.astype(np.float64)
    if kind == "ulp":
        top = np.maximum(np.abs(wide), np.abs(got.astype(np.float64)))
        return amount * unit(np.where(np.isfinite(top), top, 0), dtype, narrow) * 1.0001
    finite = np.abs(wide[np.isfinite(wide)])
    largest = float(finite.max()) if finite.size else 0.0
    epsilon = 2.0 ** -MANTISSA[narrow] if narrow in MANTISSA else EPSILON[dtype]
    if kind == "loose":
        return np.full(want.shape, max(amount, 8 * epsilon) * largest + 1e-12)
    if kind == "close":
        return max(amount, 4 * epsilon) * (1 + np.abs(wide))
    if magnitude is None:
        return 8 * epsilon * np.abs(wide) + 1e-30
    scale = np.maximum(np.abs(magnitude.astype(np.float64)), np.abs(wide))
    half = max(epsilon, 2.0**-23 if dtype == np.float32 else epsilon)
    return 16 * half * scale + 1e-30


def difference(got, want, tolerance, narrow=None, magnitude=None):
    """None, or (kind, text). kind: kind, type, shape, nan, sign, value."""
    if isinstance(want, (list, tuple)):
        if not isinstance(got, list) or len(got) != len(want):
            return "kind", f"{got!r:.80} for a list of {len(want)}"
        found = (difference(g, w, tolerance) for g, w in zip(got, want))
        return next(filter(None, found), None)
    if isinstance(want, dict) or want is None:
        return None if str(got) == str(want) else ("kind", f"{got!r:.80}, not {want!r:.80}")
    if got is None or isinstance(got, (list, dict)):
        return "kind", f"{got!r:.80}, not {want!r:.80}"
    want, got = np.asarray(want), np.asarray(got)
    if want.dtype.kind in "OUS" and got.dtype.kind in "OUS":
        if want.shape != got.shape:
            return "shape", f"shape {got.shape}, not {want.shape}"
        same = [str(a) == str(b) for a, b in zip(got.ravel(), want.ravel())]
        return None if all(same) else ("value", f"{got.tolist()!r:.80}, not {want.tolist()!r:.80}")
    if got.dtype != want.dtype:
        return "type", f"type {got.dtype}, not {want.dtype}"
    if got.shape != want.shape:
        return "shape", f"shape {got.shape}, not {want.shape}"
    if not want.size:
        return None
    if want.dtype.kind in "biu":
        return whole_numbers(got, want, tolerance)
    return reals(got, want, tolerance, narrow, magnitude)


def worst(kind, bad, got, want):
    at = np.unravel_index(int(np.argmax(bad)), bad.shape)
    where = [int(i) for i in at]
    text = f"{int(bad.sum())} of {bad.size} differ, at {where} {got[at]!s}, not {want[at]!s}"
    return kind, text


def whole_numbers(got, want, tolerance):
    if tolerance[0] in ("close", "step"):
        wide = want.astype(np.float64)
        limit = tolerance[1]
        if tolerance[0] == "close":  # computed in real numbers, then rounded: ties fall to either side
            limit = 1 + limit * np.abs(wide)
        apart = np.abs(got.astype(np.float64) - wide) > limit
        return worst("value", apart, got, want) if apart.any() else None
    bad = got != want
    return worst("value", bad, got, want) if bad.any() else None


def reals(got, want, tolerance, narrow, magnitude):
    bad = np.isnan(got) != np.isnan(want)
    if bad.any():
        return worst("nan", bad, got, want)
    exact = tolerance == ("ulp", 0)
    with np.errstate(invalid="ignore", over="ignore"):
        if tolerance[0] == "step":
            tolerance = ("loose", 1e-5)
        apart = np.abs(got.astype(np.float64) - want.astype(np.float64))
        off = apart > allowed(want, got, tolerance, want.dtype, narrow, magnitude)
    bad = (got != want) & ~np.isnan(want) & (off | ~np.isfinite(want) | ~np.isfinite(got))
    if bad.any():
        infinite = np.isinf(got) != np.isinf(want)
        return worst("infinity" if (bad & infinite).any() else "value", bad, got, want)
    if exact:
        bad = (np.signbit(got) != np.signbit(want)) & ~np.isnan(want)
        if bad.any():
            return worst("sign", bad, got, want)
    return None


