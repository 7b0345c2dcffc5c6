# SPDX-License-Identifier: Apache-2.0
"""Entries of com.microsoft's operators that move elements, pool, normalise or sample pictures.

ONNX Runtime's CPU provider lacks some of them; those have an answer of their own here, either in
NumPy or from the standard's operator of which they are a variant (engines.one_node)."""

import numpy as np
from onnx import TensorProto as TP

import engines
from draw import NUMPY, Case, reals
from entries import SUM, close, entry, loose, step
from networks import EPILOGUES, convolving, fused_product, window
from quantized import BYTES, byte, scale, zero
from shapes import padded

MS = {"domain": "com.microsoft", "opsets": [1]}
HALVES = [TP.FLOAT, TP.FLOAT, TP.FLOAT16]
REALS = [TP.FLOAT, TP.DOUBLE, TP.FLOAT16]
NUMBERS = [TP.FLOAT, TP.DOUBLE, TP.INT32, TP.INT64, TP.UINT8, TP.FLOAT16]


# ---- moving ----


def inserting_axis(d):
    shape = d.shape(0, 3)
    axis = d.int(-len(shape) - 1, len(shape))
    at = d.values((1,) if d.chance(0.5) else (), TP.INT32, low=axis, high=axis)
    x = d.values(shape, d.pick([*NUMBERS, TP.STRING]))
    return Case([x, at], {}, numpy=lambda: np.expand_dims(x.values, axis))


def triangle(d):
    k, upper = d.maybe(d.int(-6, 6)), d.pick([None, 0, 1])
    x = d.values(d.shape(2), d.pick([*NUMBERS, TP.BOOL]))
    keep = np.tril if upper == 0 else np.triu
    inputs = [x, None if k is None else d.int64s(k)]
    return Case(inputs, {"upper": upper}, numpy=lambda: keep(x.values, k or 0))


def counting_up(d):
    number = d.pick([TP.FLOAT, TP.DOUBLE, TP.INT16, TP.INT32, TP.INT64])
    start, delta = d.int(-6, 6), d.pick([None, 1, 2, -1, -3])
    limit = start + (delta or 1) * d.int(-1, 12) + d.pick([0, 1])
    rank = () if d.chance(0.7) else (1,)
    ends = [d.values(rank, number, low=v, high=v) for v in (start, limit)]
    return Case([*ends, delta and d.values(rank, number, low=delta, high=delta)], {})


def first_of_each(d):
    x = d.values((d.size(0.05),), TP.FLOAT, low=-2, high=3)
    x.values = np.round(x.values)
    return Case([x], {}, 3)


def padding(d):
    shape = d.shape(1, 4, most=200, zero=0)
    mode = d.pick([None, "constant", "reflect", "edge"])
    pads = np.zeros((2, len(shape)), np.int64)
    for axis, n in enumerate(shape):
        most = min(4, n - 1) if mode == "reflect" else 4
        low = -1 if d.chance(0.3) and n > 3 else 0
        pads[:, axis] = [d.int(low, max(low, most)) for _ in range(2)]
    given = d.int64s(pads.ravel() if d.chance(0.6) else pads.reshape(1, -1))
    number = d.pick(REALS)
    x, fill = d.values(shape, number), d.maybe(d.values(() if d.chance(0.5) else (1,), number))
    return Case([x, given, fill], {"mode": mode}, numpy=lambda: padded(x, pads, mode, fill))


entry("ExpandDims", inserting_axis, **MS)
entry("Trilu", triangle, **MS)
entry("Range", counting_up, **MS)
entry("Unique", first_of_each, **MS)
entry("Pad", padding, **MS)


# ---- products and windows ----


def inverting(d):
    n = d.int(1, 6)
    x = d.values((*d.shape(0, 2, most=10), n, n), d.pick(REALS), low=-1, high=1)
    x.values = (x.values + 2 * np.eye(n) * (1 + n // 2)).astype(x.values.dtype)
    return Case([x], {}, numpy=lambda: np.linalg.inv(reals(x)).astype(x.values.dtype))


def channels_last(x):
    return np.moveaxis(x, 1, -1)


def channels_first(x):
    return np.moveaxis(x, -1, 1)


def standing_last(operand):
    operand.values = np.ascontiguousarray(channels_last(operand.values))
    return operand


PARAMETERS = {"LeakyRelu": [0.1], "Clip": [-1.0, 2.0], "HardSigmoid": [0.2, 0.5]}


def convolving_last(d):
    """NhwcConv, NhwcFusedConv: Conv between two transpositions, then a residual and an activation."""
    d.types["T"] = d.pick(HALVES) if d.operator == "NhwcFusedConv" else d.pick(REALS)
    case = convolving(d)
    while 0 in case.inputs[0].shape:
        case = convolving(d)
    case.inputs += [None] * (3 - len(case.inputs))
    attributes = dict(case.attributes)
    arrays = [x and reals(x).astype(np.float32) for x in case.inputs]
    plain = engines.one_node("Conv", arrays, attributes, 11)[0]
    standing_last(case.inputs[0])
    act, residual = None, None
    if d.operator == "NhwcFusedConv":
        act = d.pick(list(EPILOGUES))
        residual = d.maybe(d.values(channels_last(plain).shape, d.types["T"]), 0.4)
        case.attributes |= {"activation": act, "activation_params": PARAMETERS.get(act)}

    def answer():
        y = channels_last(plain) + (0 if residual is None else residual.values)
        return EPILOGUES[act](y, *PARAMETERS.get(act, [])).astype(NUMPY[d.types["T"]])

    return Case([*case.inputs, residual], case.attributes, numpy=answer)


def pooling_last(d):
    axes = d.pick([1, 2, 2, 3])
    kernel, strides, dilations, _, spatial = window(d, axes, 1)
    x = byte(d, (d.int(1, 2), *spatial, d.pick([1, 3, 8, 17, 40])), d.pick(BYTES))
    pads = [d.int(0, k - 1) for k in kernel * 2]
    attributes = {"kernel_shape": kernel, "strides": strides, "ceil_mode": d.pick([None, 0, 1])}
    attributes |= {"dilations": dilations, "pads": d.maybe(pads)}
    return Case([x], attributes)


entry("Inverse", inverting, loose(2e-5), **MS)
entry("TransposeMatMul", fused_product, SUM, **MS)
entry("NhwcConv NhwcFusedConv", convolving_last, loose(2e-4), **MS)
entry("NhwcMaxPool", pooling_last, **MS)


# ---- sums ----


def softmax_rows(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def biased_softmax(d):
    """Rows are all dimensions from axis on; those of the bias serve some rows of the data each."""
    outer, repeats, row = d.int(1, 4), d.int(1, 3), d.shape(1, 2, zero=0, most=40)
    is_inner = d.int(0, 1)
    number = d.pick(REALS)
    lead = (outer, repeats) if is_inner else (repeats, outer)
    bias_lead = (outer, 1) if is_inner else (1, outer)
    axis = d.pick([2, 2 - (2 + len(row))])
    x, bias = d.values((*lead, *row), number), d.values((*bias_lead, *row), number)

    def answer():
        y = softmax_rows((reals(x) + reals(bias)).reshape(*lead, -1))
        return y.reshape(x.shape).astype(x.values.dtype)

    return Case([x, bias], {"axis": axis, "is_inner_broadcast": is_inner}, numpy=answer)


def grouped_normal(x, gamma, beta, groups, epsilon, act):
    """x [n, spatial…, channels]: mean 0 and variance 1 over the spatial axes and a group's channels."""
    parts = x.reshape(x.shape[0], -1, groups, x.shape[-1] // groups)
    mean = parts.mean((1, 3), keepdims=True)
    spread = np.sqrt(((parts - mean) ** 2).mean((1, 3), keepdims=True) + epsilon)
    y = ((parts - mean) / spread).reshape(x.shape) * gamma + beta
    return y / (1 + np.exp(-y)) if act else y


def grouping(d):
    """GroupNorm, SkipGroupNorm."""
    groups, per = d.int(1, 3), d.int(1, 4)
    c = groups * per
    number, side = d.pick(HALVES), d.pick([TP.FLOAT, TP.FLOAT, TP.FLOAT16])
    shape = (d.int(1, 2), d.int(1, 5), d.int(2, 6), c)
    last = d.pick([None, 1, 0])
    turned = last == 0

    def t(dims):
        return d.values(dims, number)

    x, gamma, beta = t(shape), d.values((c,), side), d.values((c,), side)
    attributes = {"groups": groups, "activation": d.int(0, 1), "channels_last": last}
    attributes["epsilon"] = d.maybe(d.real(1e-4, 0.1))
    epsilon = 1e-5 if attributes["epsilon"] is None else attributes["epsilon"]
    inputs, skip, bias = [x, gamma, beta], None, None
    if d.operator == "SkipGroupNorm":
        skip = t(d.pick([shape, shape, (shape[0], c), (shape[0], 1, 1, c)]))
        if turned and skip.shape != shape:
            skip = t((shape[0], c))
        bias = d.maybe(t((c,)))
        inputs += [skip, bias]
    whole = reals(x)
    if skip is not None:
        whole = whole + (reals(skip) if len(skip.shape) == 4 else reals(skip)[:, None, None, :])
        whole = whole + (0 if bias is None else reals(bias))
    whole = whole.astype(x.values.dtype)
    out = grouped_normal(
        whole.astype(np.float64), reals(gamma), reals(beta), groups, epsilon, attributes["activation"]
    ).astype(x.values.dtype)
    answer = (out, whole) if skip is not None else (out,)
    if turned:
        for operand in (x, skip):
            if operand is not None and len(operand.shape) == 4:
                operand.values = np.ascontiguousarray(channels_first(operand.values))
        answer = tuple(channels_first(y) for y in answer)
    n_out = d.int(1, 2) if skip is not None else 1
    return Case(inputs, attributes, n_out, numpy=lambda: answer[:n_out])


def requantized(real, s, z, number):
    low, high = (0, 255) if number == TP.UINT8 else (-128, 127)
    return np.clip(np.rint(real / float(s.values)) + int(z.values), low, high).astype(NUMPY[number])


def real_of(x, s, z):
    return (x.values.astype(np.float64) - int(z.values)) * float(s.values)


def quantized_mean(d):
    number = d.pick(BYTES)
    shape = d.shape(1, 4, zero=0)
    axes = d.axes(len(shape), least=1)
    keep = d.int(0, 1)
    x, s, z = byte(d, shape, number), scale(d), zero(d, number)
    out, at = scale(d), zero(d, number)

    def answer():
        mean = real_of(x, s, z).mean(tuple(axes), keepdims=bool(keep))
        return requantized(mean, out, at, number)

    return Case([x, s, z, out, at], {"axes": axes, "keepdims": keep}, numpy=answer)


def quantized_choice(d):
    number = d.pick(BYTES)
    c, a, b = d.together(3)
    condition, sides = d.values(c, TP.BOOL), []
    for shape in (a, b):
        sides.append((byte(d, shape, number), scale(d), zero(d, number)))
    out = scale(d), zero(d, number)

    def answer():
        real = np.where(condition.values, *(real_of(*side) for side in sides))
        return requantized(real, *out, number)

    return Case([condition, *sides[0], *sides[1], *out], {}, numpy=answer)


entry("BiasSoftmax", biased_softmax, close(3e-6), **MS)
entry("GroupNorm SkipGroupNorm", grouping, loose(5e-5), **MS)
entry("QLinearReduceMean", quantized_mean, step(1), **MS)
entry("QLinearWhere", quantized_choice, step(1), **MS)


# ---- pictures ----


def cropping(d):
    n, c, h, w = d.int(1, 2), d.int(1, 3), d.int(1, 7), d.int(1, 7)
    count = d.int(0 if d.chance(0.1) else 1, 4)
    rois = d.float32((count, 4), low=-0.3, high=1.3)
    if d.chance(0.3):
        rois.values = np.round(rois.values * 4) / 4
    batch = d.values((count,), TP.INT32, low=0, high=n - 1)
    size = d.values((2,), TP.INT32, low=1, high=5)
    attributes = {"mode": d.pick([None, "bilinear", "nearest"])}
    attributes["extrapolation_value"] = d.maybe(d.real(-3, 3))
    return Case([d.float32((n, c, h, w)), rois, batch, size], attributes)


def sampling(d):
    n, c = d.int(1, 2), d.int(1, 3)
    x = d.float32((n, c, d.int(1, 6), d.int(1, 6)))
    grid = d.float32((n, d.int(1, 5), d.int(1, 5), 2), low=-1.4, high=1.4)
    attributes = {
        "mode": d.pick([None, "bilinear", "nearest", "bicubic"]),
        "padding_mode": d.pick([None, "zeros", "border", "reflection"]),
        "align_corners": d.pick([None, 0, 1]),
    }
    return Case([x, grid], attributes)


entry("CropAndResize", cropping, close(3e-5), **MS)
entry("GridSample", sampling, close(5e-5), **MS)
