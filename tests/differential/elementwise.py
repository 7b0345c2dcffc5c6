# SPDX-License-Identifier: Apache-2.0
"""Entries of elementwise operators, casts among them."""

import numpy as np
from onnx import TensorProto as TP

from draw import FLOATS, INTS, NAMES, UNSIGNED, Case, reals
from entries import EXACT, SUM, close, entry, ulp


def unary(low=None, high=None, special=0.35, **attributes):
    """One input, any shape; attributes: name = function of the Draw."""

    def make(d):
        x = d.tensor(d.shape(), d.schema.inputs[0].type_str, low=low, high=high, special=special)
        drawn = {k: f(d) for k, f in attributes.items() if d.has(k)}
        if "consumed_inputs" in d.schema.attributes:
            drawn.pop("consumed_inputs", None)
        return Case([x], drawn)

    return make


def some(low, high, p=0.6):
    """A float attribute, present with probability p."""
    return lambda d: d.maybe(d.real(low, high), p)


entry("Abs Neg Ceil Floor Sign Relu IsNaN Not BitwiseNot Identity", unary())
entry("Round", unary())
entry("Sqrt Reciprocal", unary(), ulp(1))
entry("Exp", unary(), ulp(4))
entry("Log Erf Tanh", unary(), ulp(8))
entry("Sigmoid", unary(), ulp(8))
entry("Sin Cos Tan Sinh Cosh Asinh Atan", unary(), ulp(8))
entry("Acos Asin Atanh", unary(-1.1, 1.1), ulp(8))
entry("Acosh", unary(0.9, 50), ulp(8))
entry("Softsign", unary(), ulp(4), newer=1)
entry("Softplus Mish HardSwish", unary(), close(1e-6))
entry("Celu", unary(alpha=some(0.1, 3)), ulp(16))
entry("Elu", unary(alpha=some(-1, 3)), ulp(16))
entry("Selu", unary(alpha=some(0.5, 3), gamma=some(0.5, 2)), ulp(16))
entry("LeakyRelu", unary(alpha=some(-1, 2)), ulp(1))
entry("HardSigmoid", unary(alpha=some(-1, 2), beta=some(-1, 2)), close(3e-7))
entry("ThresholdedRelu", unary(alpha=some(-2, 3)), EXACT)
entry("Shrink", unary(bias=some(-2, 2), lambd=some(0, 3)), ulp(1))
entry("Gelu", unary(approximate=lambda d: d.pick([None, "none", "tanh"])), close(3e-6))
entry("Swish", unary(alpha=some(-2, 3)), close(3e-6))
entry(
    "IsInf",
    unary(
        special=0.8,
        detect_positive=lambda d: d.pick([None, 0, 1]),
        detect_negative=lambda d: d.pick([None, 0, 1]),
    ),
)


# ---- two and more inputs ----


def old_broadcast(d, function, x, y_type=None, **values):
    """Before opset 7: the second input matches a run of the first's axes, if broadcast is set."""
    if d.chance(0.4) or not len(x.shape):
        y = d.values(x.shape, y_type or x.number, **values)
        return Case([x, y], {}, numpy=lambda: function(x.values, y.values))
    begin = d.int(0, len(x.shape) - 1)
    end = d.int(begin + 1, len(x.shape)) if d.chance(0.7) else len(x.shape)
    y = d.values(x.shape[begin:end], y_type or x.number, **values)
    axis = None if end == len(x.shape) and d.chance(0.5) else begin
    shape = y.shape + (1,) * (len(x.shape) - end)
    return Case(
        [x, y],
        {"broadcast": 1, "axis": axis},
        numpy=lambda: function(x.values, y.values.reshape(shape)),
    )


def binary(function, second=None, types=None, **values):
    """Two inputs that broadcast. second: bounds of the second input alone."""

    def make(d):
        variable, other = (i.type_str for i in d.schema.inputs[:2])
        limits = {**dict(special=0.3), **values}
        second_limits = limits if second is None else {"special": 0, **second}
        if d.opset < 7 and d.has("broadcast"):
            x = d.tensor(d.shape(), variable, types, **limits)
            return old_broadcast(d, function, x, d.type(other), **second_limits)
        a, b = d.together()
        x, y = d.tensor(a, variable, types, **limits), d.tensor(b, other, types, **second_limits)
        return Case([x, y], {}, numpy=lambda: function(x.values, y.values))

    return make


def dividing(d):
    """Div: integers must not be divided by zero, nor the least one by -1."""
    floats = d.type("T") in FLOATS
    limits = {"special": 0.4} if floats else {"low": 1, "high": 9}
    if d.opset < 7:
        x = d.tensor(d.shape(), special=0.3 if floats else 0)
        divide = np.divide if floats else (lambda a, b: np.trunc(a / b).astype(a.dtype))
        return old_broadcast(d, divide, x, **limits)
    a, b = d.together()
    y = d.tensor(b, **limits)
    if not floats and d.type("T") in INTS and y.values.dtype.kind == "i" and d.chance(0.5):
        y.values = (y.values * -1).astype(y.values.dtype)
    return Case([d.tensor(a, special=0.3 if floats else 0.1), y], {})


def power(d):
    a, b = d.together()
    if d.opset < 7:
        x = d.tensor(d.shape(), low=0.1, high=4)
        return old_broadcast(d, np.power, x, low=-2, high=3)
    base = d.type("T")
    exponent = d.type("T1") if d.opset >= 12 else base
    integers = base in INTS
    x = d.values(a, base, low=-5 if integers else None, high=6 if integers else None)
    whole = d.chance(0.4)
    y = d.values(b, exponent, low=0 if integers else -2, high=3)
    if whole and exponent in FLOATS:
        y.values = np.round(y.values).astype(y.values.dtype)
    if d.chance(0.3):
        y = d.values((), exponent, low=2, high=2)
    return Case([x, y], {})


def modulo(d):
    a, b = d.together()
    number = d.type("T")
    fmod = 1 if number in FLOATS or d.chance(0.4) else d.pick([None, 0])
    y = d.tensor(b, low=1, high=9)
    if y.values.dtype.kind in "if" and d.chance(0.5):
        y.values = (-y.values).astype(y.values.dtype)
    return Case([d.tensor(a, special=0 if number in FLOATS else 0.2), y], {"fmod": fmod})


def shifting(d):
    a, b = d.together()
    bits = {TP.UINT8: 8, TP.UINT16: 16, TP.UINT32: 32, TP.UINT64: 64}.get(d.type("T"), 8)
    y = d.tensor(b, low=0, high=bits - 1)
    return Case([d.tensor(a, low=0, special=0.4), y], {"direction": d.pick(["LEFT", "RIGHT"])})


def variadic(function):
    def make(d):
        count = d.int(1, 5)
        if d.opset < 8:
            shapes = [d.shape()] * count
        else:
            shapes = d.together(count)
        xs = [d.tensor(s, special=0.25) for s in shapes]
        return Case(xs, {}, numpy=lambda: function([x.values for x in xs]))

    return make


def choosing(d):
    c, a, b = d.together(3)
    return Case([d.values(c, TP.BOOL), d.tensor(a, special=0.3), d.tensor(b, special=0.3)], {})


def sloped(d):
    """PRelu: before opset 7 one slope a channel, then unidirectional broadcasting."""
    shape = d.shape(1 if d.opset >= 7 else 2)
    x = d.tensor(shape, special=0.3)
    slope = d.broadcast(shape)
    if d.opset < 7:
        slope = (shape[1],) if d.chance(0.7) else (1,)
        s = d.tensor(slope)
        wide = s.values.reshape(slope + (1,) * (len(shape) - 2))
        return Case([x, s], {}, numpy=lambda: np.where(x.values < 0, wide * x.values, x.values))
    return Case([x, d.tensor(slope)], {})


entry("Add", binary(np.add), ulp(1))
entry("Sub", binary(np.subtract), ulp(1))
entry("Mul", binary(np.multiply), ulp(1))
entry("Div", dividing, ulp(1))
entry("Pow", power, ulp(8))
entry("Mod", modulo, ulp(1))
entry("BitShift", shifting)
for name, function in (("And", np.logical_and), ("Or", np.logical_or), ("Xor", np.logical_xor)):
    entry(name, binary(function))
for name in ("And", "Or", "Xor"):
    entry("Bitwise" + name, binary(getattr(np, "bitwise_" + name.lower())))
for name in ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"):
    words = {"GreaterOrEqual": "greater_equal", "LessOrEqual": "less_equal"}
    entry(name, binary(getattr(np, words.get(name, name.lower()))))
entry("Max", variadic(lambda xs: np.maximum.reduce(np.broadcast_arrays(*xs))))
entry("Min", variadic(lambda xs: np.minimum.reduce(np.broadcast_arrays(*xs))))
entry("Sum", variadic(sum), SUM)
entry("Mean", variadic(lambda xs: sum(xs) / len(xs)), SUM)
entry("Where", choosing)
entry("PRelu", sloped, ulp(1))


# ---- bounds, casts ----


def clipping(d):
    x = d.tensor(d.shape(), special=0.3)
    low, high = sorted([d.real(-4, 4), d.real(-4, 4)], reverse=d.chance(0.08) and d.opset >= 13)
    if d.type("T") not in FLOATS:
        low, high = int(low), int(high) + 3
    bounds = [d.maybe(d.tensor((), low=b, high=b), 0.7) for b in (low, high)]

    def answer():
        """From opset 6 to 10 an absent bound is the end of float's range."""
        y, end = x.values, float(np.finfo(np.float32).max)
        if 6 <= d.opset < 11:
            y = np.clip(reals(x), -end, end).astype(y.dtype)
        y = y if bounds[0] is None else np.where(y < bounds[0].values, bounds[0].values, y)
        return y if bounds[1] is None else np.where(y > bounds[1].values, bounds[1].values, y)

    if d.opset < 11:
        given = {k: b and float(b.values) for k, b in zip(("min", "max"), bounds)}
        return Case([x], given, numpy=answer)
    return Case([x, *bounds], {}, numpy=answer)


def casting(d, like=False):
    source = d.type("T1", [n for n in d.allowed("T1") if n != TP.STRING])
    to = d.pick([n for n in d.allowed("T2") if n != TP.STRING])
    limits = {"special": 0.3} if to in FLOATS or to == TP.BOOL else {}
    if source in FLOATS and to in INTS:
        limits = {"low": 0 if to in UNSIGNED else -100, "high": 100, "special": 0}
    x = d.values(d.shape(), source, **limits)
    if like:
        return Case([x, d.values(d.shape(high=2, most=9), to)], {})
    return Case([x], {"to": NAMES[to].upper() if d.opset < 6 else to})


def recoding(d):
    """BitCast: between types of one width."""
    source = d.type("T1", [n for n in d.allowed("T1") if n in FLOATS | INTS])
    width = {TP.FLOAT16: 2, TP.BFLOAT16: 2}.get(source)
    x = d.values(d.shape(), source, special=0.4)
    width = width or x.values.dtype.itemsize
    sizes = {TP.FLOAT: 4, TP.DOUBLE: 8, TP.FLOAT16: 2, TP.INT8: 1, TP.UINT8: 1, TP.INT16: 2}
    sizes |= {TP.UINT16: 2, TP.INT32: 4, TP.UINT32: 4, TP.INT64: 8, TP.UINT64: 8}
    return Case([x], {"to": d.pick([n for n, size in sizes.items() if size == width])})


entry("Clip", clipping)
entry("Cast", casting)
entry("CastLike", lambda d: casting(d, like=True))
entry("BitCast", recoding)


def dropping(d):
    """Dropout in inference."""
    x = d.tensor(d.shape())
    n_out = d.int(1, 2)

    def answer():
        """The mask is of booleans since opset 10."""
        mask = np.ones(x.shape, np.bool_ if d.opset >= 10 else x.values.dtype)
        return (x.values, mask)[:n_out]

    if d.opset < 12:
        attributes = {"ratio": d.maybe(d.real(0, 0.9)), "is_test": 1 if d.opset < 7 else None}
        return Case([x], attributes, n_out, numpy=answer)
    ratio = d.maybe(d.values((), d.type("T1"), low=0, high=0.9))
    training = d.maybe(d.values((), TP.BOOL))
    if training is not None:
        training.values = np.zeros((), np.bool_)
    return Case([x, ratio, training], {"seed": d.maybe(d.int(0, 99))}, n_out)


entry("Dropout", dropping)


# ---- com.microsoft ----


def biased(d):
    shape = d.shape(1, zero=0)
    return Case([d.float32(shape), d.float32(shape[-1:])], {})


entry("BiasGelu", biased, close(3e-6), "com.microsoft", [1])
entry(
    "FastGelu",
    lambda d: Case([(c := biased(d)).inputs[0], d.maybe(c.inputs[1])], {}),
    close(3e-6),
    "com.microsoft",
    [1],
)
entry("Gelu", lambda d: Case([d.float32(d.shape(1))], {}), close(3e-6), "com.microsoft", [1])
entry(
    "QuickGelu",
    lambda d: Case([d.float32(d.shape(1))], {"alpha": d.maybe(d.real(0.5, 2))}),
    close(3e-6),
    "com.microsoft",
    [1],
)
