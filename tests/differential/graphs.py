# SPDX-License-Identifier: Apache-2.0
"""Random small graphs of several kinds, to find what passes get wrong: each runs at every level of
rewriting, and one session again with other shapes where dimensions are named.

A kind is a function that adds operators to a Sketch, which knows type and shape of each value. All
shapes are concrete; inputs are declared with named dimensions at random.
"""

import zlib

import numpy as np
import onnx
from onnx import TensorProto as TP
from onnx import helper, numpy_helper

import again
import agree
import engines
import models
from draw import Draw, Operand
from engines import Refused
from models import IR_VERSION, declared

F, I64, U8, I8, B = TP.FLOAT, TP.INT64, TP.UINT8, TP.INT8, TP.BOOL


class Sketch:
    """A graph in the making. Values are (name, type, shape)."""

    def __init__(self, d, opset):
        self.d, self.opset = d, opset
        self.nodes, self.inputs, self.constants, self.feeds = [], [], [], {}
        self.values = []

    def input(self, shape, number=F, **limits):
        name = f"in{len(self.inputs)}"
        operand = self.d.values(shape, number, **limits)
        self.inputs.append(declared(self.d, name, number, operand.shape))
        self.feeds[name] = operand.values
        self.values.append((name, number, tuple(operand.shape)))
        return self.values[-1]

    def constant(self, values):
        if isinstance(values, Operand):
            values = values.values
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def weight(self, shape, number=F, low=-0.5, high=0.5):
        return self.constant(self.d.values(shape, number, low=low, high=high))

    def ints(self, values):
        return self.constant(np.array(values, np.int64))

    def add(self, operator, inputs, shape, number=F, domain="", **attributes):
        """A node with one output; inputs are values or names."""
        return self.many(operator, inputs, [shape], number, domain, **attributes)[0]

    def many(self, operator, inputs, shapes, number=F, domain="", **attributes):
        names = [i if isinstance(i, str) else i[0] for i in inputs]
        outputs = [f"v{len(self.nodes)}_{k}" for k in range(len(shapes))]
        attributes = {k: v for k, v in attributes.items() if v is not None}
        self.nodes.append(
            helper.make_node(operator, names, outputs, name=f"n{len(self.nodes)}", domain=domain, **attributes)
        )
        made = [(n, number, tuple(int(x) for x in s)) for n, s in zip(outputs, shapes)]
        self.values += made
        return made

    def recent(self, *numbers):
        """A value of one of these types, later ones more often."""
        found = [v for v in self.values if v[1] in (numbers or (F,))]
        back = min(len(found) - 1, int(self.d.rng.geometric(0.45)) - 1)
        return found[len(found) - 1 - back]

    def model(self):
        used = {i for n in self.nodes for i in n.input}
        made = {o for n in self.nodes for o in n.output}
        outputs = [v for v in self.values if v[0] in made and v[0] not in used]
        outputs += [v for v in self.values if v[0] in made and v[0] in used and self.d.chance(0.1)]
        infos = [onnx.ValueInfoProto(name=v[0]) for v in outputs]
        graph = helper.make_graph(self.nodes, "graph", self.inputs, infos, self.constants)
        imports = [helper.make_opsetid("", self.opset)]
        return helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION)


# ---- pieces ----

UNARY = "Relu Sigmoid Tanh Neg Abs Exp Erf Softplus Sin Sqrt Floor Ceil Round Identity Reciprocal".split()
ACTIVATIONS = ["Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid", "HardSwish", "Elu", "Clip", "Softplus"]


def activation(s, x):
    kind = s.d.pick(ACTIVATIONS + ["SiLU", "Gelu"])
    if kind == "HardSwish" and s.opset < 14:
        kind = "HardSigmoid"
    if kind == "Clip":
        low, high = s.constant(np.float32(-0.5)), s.constant(np.float32(1.5))
        if s.d.chance(0.5):
            low, high = s.constant(np.float32(0)), s.constant(np.float32(6))
        return s.add("Clip", [x, low, high], x[2])
    if kind == "SiLU":
        return s.add("Mul", [x, s.add("Sigmoid", [x], x[2])], x[2])
    if kind == "Gelu":
        scaled = s.add("Div", [x, s.constant(np.float32(np.sqrt(2)))], x[2])
        one = s.add("Add", [s.add("Erf", [scaled], x[2]), s.constant(np.float32(1))], x[2])
        if s.d.chance(0.5):
            return s.add("Mul", [s.add("Mul", [x, one], x[2]), s.constant(np.float32(0.5))], x[2])
        return s.add("Mul", [x, s.add("Mul", [one, s.constant(np.float32(0.5))], x[2])], x[2])
    return s.add(kind, [x], x[2])


def unary(s, x):
    operator = s.d.pick(UNARY)
    if operator == "Sqrt":
        x = s.add("Abs", [x], x[2])
    if operator == "Exp":
        x = s.add("Tanh", [x], x[2])
    if operator == "Reciprocal":
        x = s.add("Add", [s.add("Abs", [x], x[2]), s.constant(np.float32(0.5))], x[2])
    return s.add(operator, [x], x[2])


def arithmetic(s, x):
    """Another value, a constant or a broadcast one on either side."""
    operator = s.d.pick(["Add", "Sub", "Mul", "Max", "Min", "Add", "Mul"])
    same = [v for v in s.values if v[1] == x[1] and v[2] == x[2]]
    shape = x[2]
    if s.d.chance(0.6) and len(same) > 1:
        y = s.d.pick(same)
    elif s.d.chance(0.3):
        wide = (s.d.int(1, 2), *x[2]) if len(x[2]) < 4 else x[2]
        y, shape = s.weight(wide, low=-2, high=2), wide
    else:
        y = s.weight(s.d.broadcast(x[2]), low=-2, high=2)
    pair = [x, y] if s.d.chance(0.7) else [y, x]
    return s.add(operator, pair, shape)


def transpose(s, x, perm=None):
    perm = perm or s.d.rng.permutation(len(x[2])).tolist()
    return s.add("Transpose", [x], [x[2][p] for p in perm], x[1], perm=perm)


def reshape(s, x):
    shape = list(x[2])
    if len(shape) > 1 and s.d.chance(0.5):
        k = s.d.int(0, len(shape) - 2)
        shape[k : k + 2] = [shape[k] * shape[k + 1]]
    elif shape:
        k = s.d.int(0, len(shape) - 1)
        factor = next((f for f in (2, 3, 5, 1) if shape[k] % f == 0), 1)
        shape[k : k + 1] = [factor, shape[k] // factor]
    target = list(shape)
    if target and s.d.chance(0.4) and 0 not in target:
        target[s.d.int(0, len(target) - 1)] = -1
    return s.add("Reshape", [x, s.ints(target)], shape, x[1])


def concat(s, x):
    axis = s.d.int(0, len(x[2]) - 1)
    rest = [
        v for v in s.values
        if v[1] == x[1] and len(v[2]) == len(x[2]) and all(a == b for i, (a, b) in enumerate(zip(v[2], x[2])) if i != axis)
    ]
    parts = [x] + [s.d.pick(rest) for _ in range(s.d.int(0, 2))]
    shape = list(x[2])
    shape[axis] = sum(p[2][axis] for p in parts)
    return s.add("Concat", parts, shape, x[1], axis=axis - (len(shape) if s.d.chance(0.3) else 0))


def split(s, x):
    axis = s.d.int(0, len(x[2]) - 1)
    n = x[2][axis]
    if n < 2:
        return x
    first = s.d.int(1, n - 1)
    shapes = [list(x[2]), list(x[2])]
    shapes[0][axis], shapes[1][axis] = first, n - first
    if s.opset >= 13:
        return s.many("Split", [x, s.ints([first, n - first])], shapes, x[1], axis=axis)[s.d.int(0, 1)]
    return s.many("Split", [x], shapes, x[1], axis=axis, split=[first, n - first])[s.d.int(0, 1)]


def slice_(s, x):
    axis = s.d.int(0, len(x[2]) - 1)
    n = x[2][axis]
    begin, step = s.d.int(0, max(n - 1, 0)), s.d.pick([1, 1, 2, -1])
    end = s.d.int(begin, n) if step > 0 else -n - 1
    shape = list(x[2])
    shape[axis] = len(range(n)[slice(begin, end if step > 0 else None, step)])
    if shape[axis] == 0:
        return x
    return s.add("Slice", [x, s.ints([begin]), s.ints([end]), s.ints([axis]), s.ints([step])], shape, x[1])


def pad(s, x):
    pads = [s.d.pick([0, 0, 1, 2]) for _ in range(2 * len(x[2]))]
    shape = [n + pads[i] + pads[i + len(x[2])] for i, n in enumerate(x[2])]
    return s.add("Pad", [x, s.ints(pads)], shape, x[1])


def squeeze_or_unsqueeze(s, x):
    ones = [i for i, n in enumerate(x[2]) if n == 1]
    if ones and s.d.chance(0.5):
        axis = s.d.pick(ones)
        shape = [n for i, n in enumerate(x[2]) if i != axis]
        inputs, attributes = ([x, s.ints([axis])], {}) if s.opset >= 13 else ([x], {"axes": [axis]})
        return s.add("Squeeze", inputs, shape, x[1], **attributes)
    if len(x[2]) > 4:
        return x
    axis = s.d.int(0, len(x[2]))
    shape = [*x[2][:axis], 1, *x[2][axis:]]
    inputs, attributes = ([x, s.ints([axis])], {}) if s.opset >= 13 else ([x], {"axes": [axis]})
    return s.add("Unsqueeze", inputs, shape, x[1], **attributes)


def reduce_(s, x):
    axis = s.d.int(0, len(x[2]) - 1)
    keep = s.d.int(0, 1)
    shape = [1 if i == axis else n for i, n in enumerate(x[2]) if i != axis or keep]
    return reduced(s, s.d.pick(["ReduceMean", "ReduceMax"]), x, axis, shape, keep)


def reduced(s, operator, x, axis, shape, keep=1):
    """One axis, which is an attribute before opset 18."""
    if s.opset < 18:
        return s.add(operator, [x], shape, axes=[axis], keepdims=keep)
    return s.add(operator, [x, s.ints([axis])], shape, keepdims=keep)


MOVES = [transpose, transpose, reshape, concat, split, slice_, pad, squeeze_or_unsqueeze]


# ---- kinds ----


def conv(s, x, channels=None, bias=True):
    d, (n, c, h, w) = s.d, x[2]
    group = d.pick([1, 1, 1, c]) if c > 1 else 1
    out = channels or (c * d.pick([1, 2]) if group > 1 else d.pick([1, 3, 4, 8, 16, 17]))
    if channels:
        group = c if channels == c and group > 1 else 1
    k = d.pick([k for k in (1, 1, 3, 3, 5) if k <= min(h, w) + 2])
    p, stride = (k - 1) // 2, d.pick([1, 1, 2])
    if channels:
        stride = 1
    size = [(m + 2 * p - k) // stride + 1 for m in (h, w)]
    inputs = [x, s.weight((out, c // group, k, k))]
    if bias and d.chance(0.6):
        inputs.append(s.weight((out,)))
    return s.add("Conv", inputs, (n, out, *size), kernel_shape=[k, k], strides=[stride, stride], pads=[p] * 4, group=group)


def batch_norm(s, x):
    c = x[2][1]
    variance = s.weight((c,), low=0.2, high=2)
    return s.add(
        "BatchNormalization", [x, s.weight((c,)), s.weight((c,)), s.weight((c,)), variance], x[2], epsilon=1e-3
    )


def pool(s, x):
    n, c, h, w = x[2]
    if min(h, w) < 2 or s.d.chance(0.2):
        return s.add("GlobalAveragePool", [x], (n, c, 1, 1))
    operator = s.d.pick(["MaxPool", "AveragePool"])
    return s.add(operator, [x], (n, c, h // 2, w // 2), kernel_shape=[2, 2], strides=[2, 2])


def convolutional(s):
    d = s.d
    s.input((d.int(1, 2), d.pick([1, 3, 4, 8]), d.int(4, 9), d.int(4, 9)))
    for _ in range(d.int(3, 8)):
        x = s.recent()
        if len(x[2]) != 4:
            x = s.values[0]
        choice = d.int(0, 9)
        if choice < 4:
            y = conv(s, x)
            if d.chance(0.6):
                y = batch_norm(s, y)
            if d.chance(0.6):
                activation(s, y)
        elif choice == 4:
            y = conv(s, x, channels=x[2][1])  # a residual
            y = batch_norm(s, y) if d.chance(0.5) else y
            if y[2] == x[2]:
                y = s.add("Add", [x, y] if d.chance(0.5) else [y, x], x[2])
            if d.chance(0.6):
                activation(s, y)
        elif choice == 5:
            pool(s, x)
        elif choice == 6:  # squeeze and excite
            g = s.add("GlobalAveragePool", [x], (*x[2][:2], 1, 1))
            g = s.add(d.pick(["Sigmoid", "HardSigmoid"]), [conv(s, g, channels=x[2][1])], g[2])
            s.add("Mul", [x, g], x[2])
        elif choice == 7:
            d.pick([concat, split, slice_, pad])(s, x)
        elif choice == 8:
            d.pick([unary, arithmetic, activation, batch_norm])(s, x)
        else:
            scale = s.constant(np.array([1, 1, 2, 2], np.float32))
            mode = d.pick(["nearest", "linear"])
            how = d.pick(["asymmetric", "half_pixel"])
            shape = (*x[2][:2], x[2][2] * 2, x[2][3] * 2)
            if np.prod(shape) < 20000:
                roi = "" if s.opset >= 13 else s.constant(np.zeros(0, np.float32))
                s.add("Resize", [x, roi, scale], shape, mode=mode, coordinate_transformation_mode=how)
    x = s.values[-1]
    if d.chance(0.4) and len(x[2]) == 4:
        flat = s.add("Flatten", [x], (x[2][0], int(np.prod(x[2][1:]))))
        gemm(s, flat)


def gemm(s, x, n=None):
    n, k = n or s.d.pick([1, 4, 8, 17]), x[2][-1]
    if len(x[2]) == 2 and s.d.chance(0.5):
        flip = s.d.int(0, 1)
        b = s.weight((n, k) if flip else (k, n))
        bias = [s.weight(s.d.pick([(n,), (1, n)]))] if s.d.chance(0.7) else []
        return s.add("Gemm", [x, b, *bias], (x[2][0], n), transB=flip)
    y = s.add("MatMul", [x, s.weight((k, n))], (*x[2][:-1], n))
    if s.d.chance(0.6):
        bias = s.weight((n,))
        y = s.add("Add", [y, bias] if s.d.chance(0.5) else [bias, y], y[2])
    return y


def layer_norm(s, x):
    if s.d.chance(0.5) and s.opset >= 17:
        return s.add("LayerNormalization", [x, s.weight(x[2][-1:]), s.weight(x[2][-1:])], x[2], axis=-1)
    small = (*x[2][:-1], 1)
    mean = reduced(s, "ReduceMean", x, -1, small)
    off = s.add("Sub", [x, mean], x[2])
    square = (
        s.add("Pow", [off, s.constant(np.float32(2))], x[2]) if s.d.chance(0.5) else s.add("Mul", [off, off], x[2])
    )
    variance = reduced(s, "ReduceMean", square, -1, small)
    deviation = s.add("Sqrt", [s.add("Add", [variance, s.constant(np.float32(1e-2))], small)], small)
    y = s.add("Div", [off, deviation], x[2])
    if s.d.chance(0.7):
        y = s.add("Mul", [y, s.weight(x[2][-1:])], x[2])
        y = s.add("Add", [y, s.weight(x[2][-1:])], x[2])
    return y


def transformer(s):
    d = s.d
    n, t, heads, size = d.int(1, 2), d.int(1, 6), d.int(1, 3), d.pick([2, 4, 8])
    wide = heads * size
    x = s.input((n, t, wide))
    for _ in range(d.int(1, 2)):
        y = layer_norm(s, x) if d.chance(0.7) else x
        parts = []
        for role in "qkv":
            p = gemm(s, y, wide)
            p = s.add("Reshape", [p, s.ints([0, 0, heads, size] if d.chance(0.5) else [n, t, heads, size])], (n, t, heads, size))
            perm = [0, 2, 3, 1] if role == "k" else [0, 2, 1, 3]
            parts.append(transpose(s, p, perm))
        scores = s.add("MatMul", parts[:2], (n, heads, t, t))
        scores = s.add(d.pick(["Mul", "Div"]), [scores, s.constant(np.float32(1.7))], scores[2])
        if d.chance(0.4):
            scores = s.add("Add", [scores, s.weight((t, t), low=-3, high=3)], scores[2])
        scores = s.add("Softmax", [scores], scores[2], axis=-1)
        mixed = transpose(s, s.add("MatMul", [scores, parts[2]], (n, heads, t, size)), [0, 2, 1, 3])
        mixed = s.add("Reshape", [mixed, s.ints([0, 0, wide])], (n, t, wide))
        x = s.add("Add", [x, gemm(s, mixed, wide)], x[2])
        h = activation(s, gemm(s, layer_norm(s, x), 2 * wide))
        x = s.add("Add", [gemm(s, h, wide), x], x[2])
    if d.chance(0.5):
        s.add("Gather", [x, s.ints(0)], (n, wide), axis=1)


def shape_arithmetic(s):
    """Reshapes whose targets are computed from shapes."""
    d = s.d
    x = s.input(d.shape(2, 4, zero=0, most=200))
    for _ in range(d.int(1, 4)):
        rank = len(x[2])
        shape = s.add("Shape", [x], (rank,), I64)
        k = d.int(0, rank - 1)
        first = s.add("Gather", [shape, s.ints([k])], (1,), I64, axis=0)
        choice = d.int(0, 4)
        if choice == 0:
            target = s.add("Concat", [first, s.ints([-1])], (2,), I64, axis=0)
            x = s.add("Reshape", [x, target], (x[2][k], int(np.prod(x[2])) // x[2][k]))
        elif choice == 1:
            rest = s.add("ReduceProd", [shape], (1,), I64, keepdims=1)
            other = s.add("Div", [rest, first], (1,), I64)
            target = s.add("Concat", [other, first], (2,), I64, axis=0)
            x = s.add("Reshape", [x, target], (int(np.prod(x[2])) // x[2][k], x[2][k]))
        elif choice == 2:
            twice = s.add("Mul", [first, s.ints([2])], (1,), I64)
            target = s.add("Concat", [twice, shape], (rank + 1,), I64, axis=0)
            if np.prod(x[2]) * 2 * x[2][k] < 3000 and rank < 5:
                x = s.add("Expand", [x, target], (2 * x[2][k], *x[2]))
        elif choice == 3:
            half = s.add("Div", [s.add("Add", [first, s.ints([1])], (1,), I64), s.ints([2])], (1,), I64)
            dims = list(x[2])
            dims[k] = (dims[k] + 1) // 2
            x = s.add("Slice", [x, s.ints([0]), half, s.ints([k])], dims)
        else:
            scalar = s.add("Cast", [first], (1,), F, to=F)
            x = s.add("Mul", [x, scalar], x[2])
        if d.chance(0.5):
            x = d.pick([unary, arithmetic])(s, x)
        if 0 in x[2]:
            break


def elementwise(s):
    d = s.d
    shape = d.shape(1, 4, zero=0.05)
    for _ in range(d.int(1, 2)):
        s.input(shape)
    for _ in range(d.int(3, 12)):
        x = s.recent()
        if np.prod(x[2]) < 4000:
            d.pick([unary, arithmetic, arithmetic, activation])(s, x)
        if d.chance(0.1):
            y = s.recent()
            zero = s.constant(np.float32(0.1))
            compare = ["Greater", "Less"] + (["LessOrEqual"] if s.opset >= 12 else [])
            mask = s.add(d.pick(compare), [y, zero], y[2], B)
            s.add("Where", [mask, y, s.constant(np.float32(-0.25))], y[2])


def layouts(s):
    d = s.d
    s.input((d.int(1, 2), d.pick([2, 3, 4, 8]), d.int(3, 6), d.int(3, 6)))
    for _ in range(d.int(4, 11)):
        x = s.recent()
        if np.prod(x[2]) > 6000 or len(x[2]) > 6:
            x = s.values[0]
        if len(x[2]) == 4 and d.chance(0.35):
            d.pick([conv, pool, batch_norm])(s, x)
        elif not x[2]:
            unary(s, x)
        else:
            d.pick([*MOVES, reduce_, unary, arithmetic, activation])(s, x)


def quantize(s, x, scale=None, zero=None, number=None):
    number = number or s.d.pick([U8, I8])
    step = s.constant(np.float32(scale or s.d.pick([1 / 16, 1 / 32, 1 / 8])))
    at = s.constant(np.array(zero if zero is not None else (120 if number == U8 else 3), np.uint8 if number == U8 else np.int8))
    q = s.add("QuantizeLinear", [x, step, at], x[2], number)
    return s.add("DequantizeLinear", [q, step, at], x[2])


def quantized_weight(s, shape, axis):
    per = s.d.chance(0.5) and s.opset >= 13
    w = s.constant(s.d.values(shape, I8, low=-100, high=100))
    scale = s.constant(np.full(shape[axis] if per else (), 1 / 128, np.float32))
    zero = s.constant(np.zeros(shape[axis] if per else (), np.int8))
    return s.add("DequantizeLinear", [w, scale, zero], shape, axis=axis if per else None)


def quantized(s):
    d = s.d
    x = quantize(s, s.input((1, d.pick([1, 3, 4]), d.int(3, 6), d.int(3, 6))))
    for _ in range(d.int(1, 4)):
        if len(x[2]) == 4:
            out, k = d.pick([1, 4, 8]), d.pick([1, 3])
            w = quantized_weight(s, (out, x[2][1], k, k), 0)
            x = s.add("Conv", [x, w], (1, out, *x[2][2:]), kernel_shape=[k, k], pads=[k // 2] * 4)
            if d.chance(0.5):
                x = s.add("Relu", [x], x[2])
            x = quantize(s, x, scale=1 / 8)
            if d.chance(0.3) and min(x[2][2:]) > 2:
                x = quantize(s, s.add("MaxPool", [x], (*x[2][:2], x[2][2] - 1, x[2][3] - 1), kernel_shape=[2, 2]))
            if d.chance(0.3):
                x = s.add("Flatten", [x], (1, int(np.prod(x[2]))))
        else:
            n = d.pick([3, 8])
            w = quantized_weight(s, (x[2][1], n), 1)
            x = quantize(s, s.add("MatMul", [x, w], (x[2][0], n)), scale=1 / 4)


TYPES = {TP.DOUBLE: np.float64, TP.FLOAT16: np.float16, I64: np.int64, TP.INT32: np.int32, F: np.float32}


def typed(s):
    """Other types than float32, which passes must leave alone or treat by their rules."""
    d = s.d
    for _ in range(2):
        s.input(d.shape(1, 4, zero=0.05), d.pick(list(TYPES)), low=-3, high=3)
    for _ in range(d.int(4, 10)):
        x = s.recent(*TYPES)
        if np.prod(x[2]) > 3000 or len(x[2]) > 6 or not x[2]:
            x = s.values[0]
        number, numpy_type = x[1], TYPES[x[1]]
        choice = d.int(0, 6)
        if choice < 2:
            y = s.constant(np.array(d.int(-2, 3), numpy_type))
            same = [v for v in s.values if v[1:] == x[1:]]
            y = d.pick(same) if d.chance(0.4) else y
            operators = ["Add", "Sub", "Mul", "Max", "Min"] if s.opset >= 12 else ["Add", "Sub", "Mul"]
            s.add(d.pick(operators), [x, y] if d.chance(0.6) else [y, x], x[2], number)
        elif choice == 2:
            s.add(d.pick(["Neg", "Abs", "Identity"]), [x], x[2], number)
        elif choice == 3 and s.opset >= 12:
            low, high = (s.constant(np.array(v, numpy_type)) for v in (-2, 4))
            s.add("Clip", [x, low, high], x[2], number)
        elif choice == 4:
            floats = [F, TP.DOUBLE, TP.FLOAT16]  # halves are rounded at other places by engines
            to = d.pick(floats if number == TP.FLOAT16 else list(TYPES))
            s.add("Cast", [x], x[2], to, to=to)
        else:
            d.pick([m for m in MOVES if m is not pad])(s, x)


KINDS = {
    "convolutional": (convolutional, 1e-4),
    "elementwise": (elementwise, 3e-4),
    "layouts": (layouts, 1e-4),
    "quantized": (quantized, "steps"),
    "shape_arithmetic": (shape_arithmetic, 2e-5),
    "transformer": (transformer, 1e-4),
    "typed": (typed, 1e-5),
}


class GraphTrial:
    """A graph of one kind, from its seed."""

    domain = ""

    def __init__(self, seed, index, kind, left_out=()):
        self.seed, self.index, self.operator = seed, index, kind
        self.left_out = left_out
        make, self.limit = KINDS[kind]
        self.rng = np.random.default_rng([seed, index, zlib.crc32(kind.encode())])
        d = Draw(self.rng, opset=13)
        sketch = Sketch(d, d.pick([11, 13, 13, 15, 17, 18, 21]))
        make(sketch)
        self.model, self.feeds = sketch.model(), sketch.feeds
        self.data = self.model.SerializeToString()

    @property
    def name(self):
        return f"graph {self.operator} {self.seed}:{self.index}"

    def save(self, folder):
        models.save(folder, f"{self.operator}-{self.seed}-{self.index}", self.model, self.feeds)

    def differ(self, got, want):
        """None or how they differ: relative to the largest number; quantized: a few steps."""
        for i, (g, w) in enumerate(zip(got, want)):
            tolerance = ("loose", 1.0 / 16 if self.limit == "steps" else self.limit)
            if np.asarray(w).dtype.kind != "f":
                tolerance = ("step", 2)
            elif np.asarray(w).dtype == np.float16 or self.operator == "typed":
                tolerance = ("close", 2e-2)
            found = agree.difference(g, w, tolerance)
            if found:
                return f"output {i} ({self.model.graph.output[i].name}): {found[1]}"
        return None if len(got) == len(want) else "another number of outputs"

    def is_as_reference(self, answers, mark):
        """Does onnx.reference agree at every level? ONNX Runtime's sigmoid of -28 is 0, say, and what
        Ceil makes of that is no rounding any more."""
        if "reference" in self.left_out:
            return False
        mark("reference")
        try:
            want = engines.reference(self.model, self.feeds)
        except Refused:
            return False
        return not any(isinstance(a, Refused) or self.differ(a, want) for a in answers.values())

    def judge(self, mark):
        from trials import Verdict

        answers = {}
        mark("ingot")
        ways = [("none", None, 1), ("basic", None, 1), ("all", None, 2)]
        ways.append(("all", ["ref", "portable"][self.index % 2], 1))
        for opt, cpu, threads in ways:
            try:
                answers[f"{opt}/{cpu or 'best'}"] = engines.ingot(self.data, self.feeds, opt, cpu, threads)
            except Refused as e:
                answers[f"{opt}/{cpu or 'best'}"] = e
        mark("ort")
        want, oracle = None, "ort"
        try:
            if "ort" in self.left_out:
                raise Refused("died of it")
            want = engines.ort(self.data, self.feeds)
        except Refused as e:
            if all(isinstance(a, Refused) for a in answers.values()):
                return Verdict("skipped", f"all refuse: {e}")
            want, oracle = answers["none/best"], f"none/best (ort: {e!s:.80})"
        for way, got in answers.items():
            if isinstance(got, Refused):
                return Verdict("failed", f"{way} refuses: {got}", self.detail())
            problem = self.differ(got, want)
            if problem and self.is_as_reference(answers, mark):
                return Verdict("passed", oracle="reference")
            if problem:
                return Verdict("failed", f"{way} against {oracle}: {problem}", self.detail())
        problem = None if self.left_out else again.problem(self, self.rng, mark, self.differ)
        if problem:
            return Verdict("failed", problem, self.detail())
        return Verdict("passed", oracle=oracle[:9])

    def detail(self):
        return models.text_of(self.model, self.feeds)
