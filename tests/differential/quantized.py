# SPDX-License-Identifier: Apache-2.0
"""Entries of quantized operators. Scales are powers of two or small decimals; a tie that falls to
the other side in another order of rounding is one step."""

import numpy as np
from onnx import TensorProto as TP

from draw import Case, Operand
from entries import entry, step, ulp
from networks import convolving, multiplying

BYTES = [TP.UINT8, TP.INT8]


def scale(d, shape=(), number=TP.FLOAT):
    return d.values(shape, number, low=0.01, high=0.4)


def zero(d, number, shape=()):
    low, high = (0, 255) if number == TP.UINT8 else (-128, 127)
    return d.values(shape, number, low=low // 4, high=high // 4)


def byte(d, shape, number):
    low, high = (0, 255) if number == TP.UINT8 else (-128, 127)
    return d.values(shape, number, low=low, high=high)


def layout(d, shape):
    """(shape of scale, attributes): for all, an axis, or blocks."""
    choice = d.int(0, 2 if d.opset >= 21 else (1 if d.opset >= 13 else 0))
    if choice == 0 or not shape or 0 in shape:
        return (), {}
    axis = d.axis(len(shape))
    if choice == 1:
        return (shape[axis],), {"axis": axis}
    block = d.pick([k for k in range(1, shape[axis] + 1) if shape[axis] % k == 0])
    dims = list(shape)
    dims[axis] //= block
    return tuple(dims), {"axis": axis, "block_size": block}


def quantizing(d):
    shape = d.shape(1)
    dims, attributes = layout(d, shape)
    floats = [n for n in d.allowed("T1") if n in (TP.FLOAT, TP.FLOAT16, TP.BFLOAT16)]
    x = d.tensor(shape, "T1", floats)
    number = d.type(d.schema.outputs[0].type_str)
    wide = "T2" if d.opset >= 23 else ("T1" if d.opset >= 19 else "tensor(float)")
    s = scale(d, dims, d.type(wide, [d.types["T1"]] if wide != "tensor(float)" else None))
    z = d.values(dims, number, low=0, high=7)
    if number not in range(1, 14) and number not in (TP.INT4, TP.UINT4):
        z.values = np.zeros_like(z.values)
    given = None if number == TP.UINT8 and d.chance(0.3) else z
    return Case([x, s, given], attributes)


def dequantizing(d):
    shape = d.shape(1)
    dims, attributes = layout(d, shape)
    variable = d.schema.inputs[0].type_str
    number = d.type(variable)
    x = d.values(shape, number, low=-128, high=127)
    wide = d.schema.inputs[1].type_str
    s = scale(d, dims, d.type(wide))
    z = d.maybe(d.values(dims, number, low=0, high=7))
    if z and (number == TP.INT32 or number not in range(1, 14) and number not in (TP.INT4, TP.UINT4)):
        z.values = np.zeros_like(z.values)
    return Case([x, s, z], attributes)


def dynamic(d):
    return Case([d.float32(d.shape(zero=0))], {}, 3)


def integer_product(d):
    a, b = multiplying(d)
    ta, tb = d.type("T1"), d.type("T2")
    za = d.maybe(zero(d, ta))
    zb = d.maybe(zero(d, tb, () if len(b) < 2 or d.chance(0.5) else (b[-1],)))
    if zb is not None and len(b) > 2:
        zb = zero(d, tb)
    return Case([byte(d, a, ta), byte(d, b, tb), za, zb], {})


def integer_convolution(d):
    d.types["T"] = TP.FLOAT
    case = convolving(d)
    x, w = case.inputs[:2]
    ta, tb = d.type("T1"), d.type("T2")
    zw = d.maybe(zero(d, tb))
    return Case([byte(d, x.shape, ta), byte(d, w.shape, tb), d.maybe(zero(d, ta)), zw], case.attributes)


def linear_convolution(d):
    d.types["T"] = TP.FLOAT
    case = convolving(d)
    x, w = case.inputs[:2]
    ta = d.type("T1", BYTES)
    tb = d.type("T2", [TP.INT8] if ta == TP.INT8 else BYTES)
    ty = d.type("T3", [ta])
    per = (w.shape[0],) if d.chance(0.5) else ()
    zw = zero(d, tb, per)
    zw.values = np.zeros_like(zw.values) if tb == TP.INT8 else np.full_like(zw.values, 120)
    bias = d.maybe(d.values((w.shape[0],), TP.INT32, low=-300, high=300))
    inputs = [byte(d, x.shape, ta), scale(d), zero(d, ta), byte(d, w.shape, tb), scale(d, per), zw]
    out = scale(d)
    out.values = np.asarray(out.values * 30, np.float32)
    return Case([*inputs, out, zero(d, ty), bias], case.attributes)


def linear_product(d):
    a, b = multiplying(d)
    if min(len(a), len(b)) < 2:
        a, b = (3, 5), (5, 4)
    first, second, third = (d.schema.inputs[i].type_str for i in (0, 3, 7))
    ta, tb = d.type(first, BYTES), d.type(second, BYTES)
    ty = d.type(third, [ta])
    if d.opset >= 21:
        d.types["TS"] = TP.FLOAT
    out = scale(d)
    out.values = np.asarray(out.values * 30, np.float32)
    return Case(
        [byte(d, a, ta), scale(d), zero(d, ta), byte(d, b, tb), scale(d), zero(d, tb), out, zero(d, ty)],
        {},
    )


entry("QuantizeLinear", quantizing, step(1))
entry("DequantizeLinear", dequantizing, ulp(1))
entry("DynamicQuantizeLinear", dynamic, step(1))
entry("MatMulInteger", integer_product)
entry("ConvInteger", integer_convolution)
entry("QLinearConv", linear_convolution, step(1))
entry("QLinearMatMul", linear_product, step(1))


# ---- com.microsoft ----

MS = {"domain": "com.microsoft", "opsets": [1]}


def points(d, number):
    return [scale(d), zero(d, number)]


def linear_pair(d):
    number = d.pick(BYTES)
    a, b = d.together(zero=0)
    out = scale(d)
    if d.operator == "QLinearMul":
        out.values = np.asarray(out.values * 20, np.float32)
    return Case(
        [byte(d, a, number), *points(d, number), byte(d, b, number), *points(d, number), out, zero(d, number)],
        {},
    )


def linear_unary(d):
    number = d.pick(BYTES)
    out = scale(d)
    if d.operator == "QLinearSigmoid":
        out.values = np.array(1 / 256, np.float32)
    attributes = {"alpha": d.maybe(d.real(-0.5, 0.9))} if d.operator == "QLinearLeakyRelu" else {}
    return Case([byte(d, d.shape(1, zero=0), number), *points(d, number), out, zero(d, number)], attributes)


def linear_softmax(d):
    number = d.pick(BYTES)
    out = Operand(np.array(1 / 256, np.float32), TP.FLOAT)
    low = Operand(np.array(0 if number == TP.UINT8 else -128, np.uint8 if number == TP.UINT8 else np.int8), number)
    shape = d.shape(2, 4, zero=0)
    return Case(
        [byte(d, shape, number), *points(d, number), out, low],
        {"axis": d.int(0, len(shape) - 1), "opset": d.pick([11, 13])},
    )


def linear_concat(d):
    number = d.pick(BYTES)
    shape = d.shape(1, 3, zero=0)
    axis = d.axis(len(shape))
    inputs = [*points(d, number)]
    for _ in range(d.int(1, 3)):
        dims = list(shape)
        dims[axis] = d.int(1, 4)
        inputs += [byte(d, dims, number), *points(d, number)]
    return Case(inputs, {"axis": axis})


def linear_pool(d):
    number = d.pick(BYTES)
    n, c, h, w = d.int(1, 2), d.int(1, 5), d.int(3, 9), d.int(3, 9)
    x = byte(d, (n, c, h, w), number)
    ends = [*points(d, number), *points(d, number)]
    if d.operator == "QLinearGlobalAveragePool":
        return Case([x, *ends], {"channels_last": 0})
    return Case(
        [x, *ends],
        {
            "kernel_shape": [d.int(1, 3), d.int(1, 3)],
            "strides": [d.int(1, 2), d.int(1, 2)],
            "ceil_mode": d.pick([None, 0, 1]),
            "count_include_pad": d.pick([None, 0, 1]),
        },
    )


def to_float(d):
    """MatMulIntegerToFloat."""
    m, k, n = d.pick([1, 3, 7]), d.size(0), d.pick([1, 4, 17])
    ta, tb = d.pick([(TP.UINT8, TP.UINT8), (TP.UINT8, TP.INT8), (TP.INT8, TP.INT8)])
    per = (n,) if d.chance(0.5) else ()
    return Case(
        [
            byte(d, (m, k), ta),
            byte(d, (k, n), tb),
            scale(d),
            scale(d, per),
            d.maybe(zero(d, ta)),
            d.maybe(zero(d, tb, per)),
            d.maybe(d.float32((n,))),
        ],
        {},
    )


def dynamic_product(d):
    m, k, n = d.pick([1, 3, 7]), d.size(0), d.pick([1, 4, 17])
    tb = d.pick(BYTES)
    per = (n,) if d.chance(0.5) else ()
    return Case(
        [d.float32((m, k)), byte(d, (k, n), tb), scale(d, per), d.maybe(zero(d, tb, per)), d.maybe(d.float32((n,)))],
        {},
    )


def ms_quantizing(d):
    shape = d.shape(1, zero=0)
    number = d.pick([TP.UINT8, TP.INT8, TP.UINT16, TP.INT16])
    axis = d.axis(len(shape)) if d.chance(0.5) else None
    dims = () if axis is None else (shape[axis],)
    z = d.values(dims, number, low=0, high=90)
    if d.operator == "QuantizeLinear":
        return Case([d.float32(shape), scale(d, dims), z], {"axis": axis})
    return Case([d.values(shape, number, low=-128, high=200), scale(d, dims), z], {"axis": axis})


def linear_general(d):
    """QGemm."""
    m, k, n = d.int(1, 7), d.int(1, 9), d.int(1, 17)
    ta, tb = d.pick([(TP.UINT8, TP.UINT8), (TP.UINT8, TP.INT8), (TP.INT8, TP.INT8)])
    flip_a, flip_b = d.chance(0.3), d.chance(0.3)
    per = (n,) if d.chance(0.4) else ()
    a = byte(d, (k, m) if flip_a else (m, k), ta)
    b = byte(d, (n, k) if flip_b else (k, n), tb)
    inputs = [a, scale(d), zero(d, ta), b, scale(d, per), zero(d, tb, per)]
    inputs.append(d.maybe(d.values(d.pick([(n,), (1, n), (m, n)]), TP.INT32, low=-300, high=300)))
    attributes = {"transA": int(flip_a), "transB": int(flip_b), "alpha": d.maybe(d.real(0.5, 2))}
    if d.chance(0.5):
        out = scale(d)
        out.values = np.asarray(out.values * 30, np.float32)
        inputs += [out, zero(d, ta)]
    return Case(inputs, attributes)


entry("QGemm", linear_general, step(1), **MS)
entry("QLinearAdd QLinearMul", linear_pair, step(1), **MS)
entry("QLinearSigmoid QLinearLeakyRelu", linear_unary, step(1), **MS)
entry("QLinearSoftmax", linear_softmax, step(1), **MS)
entry("QLinearConcat", linear_concat, step(1), **MS)
entry("QLinearAveragePool QLinearGlobalAveragePool", linear_pool, step(1), **MS)
entry("MatMulIntegerToFloat", to_float, ("loose", 1e-5), **MS)
entry("DynamicQuantizeMatMul", dynamic_product, ("loose", 1e-5), **MS)
entry("QuantizeLinear", ms_quantizing, step(1), **MS)
entry("DequantizeLinear", ms_quantizing, ulp(1), **MS)
