# SPDX-License-Identifier: Apache-2.0
"""Entries of operators that move, choose and count elements."""

import numpy as np
from onnx import TensorProto as TP

from draw import FLOATS, INTS, NUMPY, Case, Operand, reals
from entries import SUM, close, entry, ulp


def concatenating(d):
    shape = d.shape(1)
    axis = d.axis(len(shape), d.opset >= 11)
    xs = []
    for _ in range(d.int(1, 4)):
        dims = list(shape)
        dims[axis] = d.size(0.1)
        xs.append(d.tensor(dims, special=0.2))
    if d.opset < 4 and d.chance(0.3):
        return Case(xs, {}) if len(shape) > 1 and axis % len(shape) == 1 else Case(xs, {"axis": axis})
    return Case(xs, {"axis": axis})


def splitting(d):
    shape = d.shape(1)
    axis = d.axis(len(shape), d.opset >= 11)
    n = shape[axis]
    parts = d.int(1, 4)
    cuts = np.sort(d.rng.integers(0, n + 1, parts - 1))
    sizes = np.diff([0, *cuts, n]).tolist()
    even = d.chance(0.4)
    if even and d.opset < 18 and (n % parts or not n):
        even = False
    x = d.tensor(shape)
    axis_given = d.maybe(axis, 0.8) if axis in (0,) else axis
    attributes = {"axis": axis_given}
    if d.opset >= 18 and even and n:
        size = -(-n // parts)
        while size * (parts - 1) >= n and parts > 1:  # no part may be empty
            parts -= 1
            size = -(-n // parts)
        return Case([x], {**attributes, "num_outputs": parts}, parts)

    def answer():
        at = parts if even else np.cumsum(sizes)[:-1]
        return tuple(np.split(x.values, at, axis))

    if even:
        return Case([x], attributes, parts, numpy=answer)
    if d.opset >= 13:
        return Case([x, d.int64s(sizes)], attributes, parts, numpy=answer)
    return Case([x], {**attributes, "split": sizes}, parts, numpy=answer)


def slicing(d):
    shape = d.shape(1)
    rank = len(shape)
    axes = d.axes(rank, d.opset >= 10, 1)
    if d.chance(0.3):
        axes = list(range(len(axes)))
    given = None if axes == list(range(len(axes))) and d.chance(0.7) else axes
    starts, ends, steps = [], [], []
    for a in axes:
        n = shape[a]
        steps.append(d.pick([1, 1, 1, 2, 3, -1, -1, -2]) if d.opset >= 10 else 1)
        starts.append(d.pick([d.int(-n - 3, n + 3), 0, n, -(2**31), 2**31 - 1]))
        ends.append(d.pick([d.int(-n - 3, n + 3), n, 2**31 - 1, 2**63 - 1, -(2**31), -(2**63)]))
        if d.chance(0.5):
            starts[-1] = d.int(0, n)
    x = d.tensor(shape)
    if d.opset < 10:
        return Case([x], {"starts": starts, "ends": ends, "axes": given})
    small = d.chance(0.4)
    if small:
        starts, ends = (np.clip(v, -(2**31), 2**31 - 1) for v in (starts, ends))
    else:
        d.types["Tind"] = TP.INT64
    ints = [None if v is None else d.ints_of(v) for v in (starts, ends, given)]
    if all(s == 1 for s in steps) and d.chance(0.6):
        return Case([x, *ints], {})
    return Case([x, *ints, d.ints_of(steps)], {})


def slicing_by_inputs(d):
    """DynamicSlice, from before Slice's tenth version."""
    shape = d.shape(1)
    axes = d.axes(len(shape), least=1)
    given = d.maybe(axes) if axes == list(range(len(axes))) else axes
    starts = [d.pick([d.int(-n - 3, n + 3), 0]) for n in (shape[a] for a in axes)]
    ends = [d.pick([d.int(-n - 3, n + 3), n, 2**31 - 1]) for n in (shape[a] for a in axes)]
    kinds = [TP.FLOAT, TP.FLOAT16, TP.INT64, TP.UINT8, TP.BOOL, TP.STRING, TP.DOUBLE]
    index = d.pick([TP.INT32, TP.INT64])
    ints = [v if v is None else Operand(np.array(v, NUMPY[index]), index) for v in (starts, ends, given)]
    return Case([d.values(shape, d.pick(kinds)), *ints], {})


def padded(x, pads, mode, fill):
    """Pad by pads [2, rank]: what is negative is cut off first."""
    cut = tuple(slice(max(0, -a), n - max(0, -b)) for n, a, b in zip(x.shape, *pads))
    width = np.maximum(pads, 0).T
    if mode in ("reflect", "edge", "wrap"):
        return np.pad(x.values[cut], width, mode)
    value = ("" if x.number == TP.STRING else 0) if fill is None else fill.values.reshape(())
    return np.pad(x.values[cut], width, constant_values=value)


def padding(d):
    shape = d.shape(1, 4, most=300)
    rank = len(shape)
    mode = d.pick([None, "constant", "reflect", "edge", "wrap"])
    if mode == "wrap" and d.opset < 19:
        mode = "reflect"
    pads = np.zeros((2, rank), np.int64)
    for axis, n in enumerate(shape):
        most = {"reflect": n - 1, "edge": 4 if n else 0, "wrap": n}.get(mode, 4)
        low = -1 if d.chance(0.3) and n > 3 else 0
        pads[:, axis] = [d.int(low, max(low, min(4, most))) for _ in range(2)]
    number = d.type("T")
    fill = d.values((), number, low=-5, high=5)
    x = d.tensor(shape)
    if d.opset < 11:
        name = "paddings" if d.opset < 2 else "pads"
        fill = d.maybe(fill)
        attributes = {name: pads.ravel().tolist(), "mode": mode, "value": fill and float(fill.values)}
        return Case([x], attributes, numpy=lambda: padded(x, pads, mode, fill))
    axes, given = None, pads
    if d.opset >= 18 and d.chance(0.4):
        axes = d.axes(rank, least=1)
        given = pads[:, axes]
        pads = np.zeros_like(pads)
        pads[:, axes] = given
        axes = d.ints_of(axes, "Tind")
    fill = d.maybe(fill, 0.6)
    inputs = [x, d.int64s(given.ravel()), fill, axes]
    return Case(inputs, {"mode": mode}, numpy=lambda: padded(x, pads, mode, fill))


def transposing(d):
    shape = d.shape(0, 4)
    perm = d.rng.permutation(len(shape)).tolist()
    return Case([d.tensor(shape)], {"perm": d.maybe(perm, 0.8) if perm else None})


def factored(d, count):
    """Dims with this product."""
    dims = []
    while count > 1:
        for f in (2, 3, 5, 7, 11, 13, 17):
            if count % f == 0:
                break
        else:
            f = count
        dims.append(f)
        count //= f
    d.rng.shuffle(dims)
    while len(dims) > d.int(1, 4):
        dims[-2:] = [dims[-1] * dims[-2]]
    if d.chance(0.3):
        dims.insert(d.int(0, len(dims)), 1)
    return dims


def reshaping(d):
    shape = d.shape(0, 4)
    count = int(np.prod(shape))
    x = d.tensor(shape)
    allow = d.pick([None, 0, 1]) if d.opset >= 14 else None
    dims = factored(d, count) if count else [n for n in shape]
    if count and dims and d.chance(0.4):
        dims[d.int(0, len(dims) - 1)] = -1
    if not allow and count and d.chance(0.3):
        for i in range(min(len(dims), len(shape))):
            if dims[i] == shape[i] and d.chance(0.5):
                dims[i] = 0
    if d.opset < 5:
        return Case([x], {"shape": dims})
    return Case([x, d.int64s(np.array(dims, np.int64))], {"allowzero": allow})


def flattening(d):
    shape = d.shape(0 if d.opset >= 9 else 1)
    low = -len(shape) if d.opset >= 11 else 0
    return Case([d.tensor(shape)], {"axis": d.maybe(d.int(low, len(shape)), 0.8)})


def by_axes(squeezing):
    def make(d):
        shape = list(d.shape(0, 4, most=200))
        if squeezing:
            for _ in range(min(d.int(0, 3), 8 - len(shape))):
                shape.insert(d.int(0, len(shape)), 1)
            axes = [i for i, n in enumerate(shape) if n == 1 and d.chance(0.7)]
            rank = len(shape)
        else:
            rank = min(len(shape) + d.int(1, 3), 8)
            axes = d.rng.permutation(rank)[: rank - len(shape)].tolist()
        if d.opset >= 11:
            axes = [a - rank if d.chance(0.4) else a for a in axes]
        if squeezing and (not axes or d.chance(0.2)):
            return Case([d.tensor(shape)], {})
        if d.opset >= 13:
            return Case([d.tensor(shape), d.int64s(axes)], {})
        return Case([d.tensor(shape)], {"axes": [int(a) for a in axes]})

    return make


def expanding(d):
    shape = d.shape()
    small = d.broadcast(shape)
    target = [n if d.chance(0.7) or small[len(small) - len(shape) + i :][:1] != (n,) else 1
              for i, n in enumerate(shape)] if len(small) == len(shape) else list(shape)
    return Case([d.tensor(small), d.int64s(np.array(target, np.int64))], {})


def tiling(d):
    shape = d.shape(1 if d.opset < 6 else 0, 4, most=60)
    x = d.tensor(shape)
    if d.opset < 6:
        axis = d.axis(len(shape), False)
        tiles, at = d.int(1, 3), axis
        return Case(
            [x, d.values((1,), d.type("T"), low=tiles, high=tiles), d.values((1,), d.type("T"), low=at, high=at)],
            {},
            numpy=lambda: np.concatenate([x.values] * tiles, axis),
        )
    repeats = [d.pick([1, 1, 2, 3, 0]) for _ in shape]
    return Case([x, d.int64s(np.array(repeats, np.int64))], {})


def indices(d, shape, n, variable="Tind"):
    low = -n if d.opset >= 11 else 0
    return d.ints_of(d.rng.integers(low, n, shape), variable)


def gathering(d):
    shape = d.shape(1, zero=0)
    axis = d.axis(len(shape), d.opset >= 11)
    return Case(
        [d.tensor(shape), indices(d, d.shape(0, 2, most=20), shape[axis])],
        {"axis": axis if axis or d.chance(0.5) else None},
    )


def gathering_elements(d):
    shape = d.shape(1, zero=0)
    axis = d.axis(len(shape))
    dims = [d.int(1, n) for n in shape]
    dims[axis] = d.size(0.05)
    return Case([d.tensor(shape), indices(d, dims, shape[axis])], {"axis": axis})


def tuples(d, shape, depth, outer):
    """Index tuples into the leading axes of shape behind the batch."""
    columns = [d.rng.integers(-n, n, outer) for n in shape[:depth]]
    return np.stack(columns, -1) if columns else np.zeros((*outer, 0), np.int64)


def gathering_nd(d):
    shape = d.shape(1, 4, zero=0)
    batch = d.int(0, len(shape) - 1) if d.opset >= 12 and d.chance(0.4) else 0
    depth = d.int(1, len(shape) - batch)
    outer = (*shape[:batch], *d.shape(0, 2, most=12))
    found = tuples(d, shape[batch:], depth, outer)
    return Case(
        [d.tensor(shape), d.int64s(found)], {"batch_dims": batch if batch else d.pick([None, 0])}
    )


def reduction(d):
    choices = [None, "none"]
    choices += ["add", "mul"] if d.opset >= 16 else []
    choices += ["max", "min"] if d.opset >= 18 else []
    return d.pick(choices) if d.opset >= 16 else None


def scattering_elements(d):
    shape = d.shape(1, 3, zero=0)
    axis = d.axis(len(shape), d.opset >= 11)
    dims = [d.int(1, n) for n in shape]
    how = reduction(d)
    if d.type("T") in (TP.BOOL, TP.STRING):
        how = None
    order = np.argsort(d.rng.random(shape), axis)
    found = order[tuple(slice(0, n) for n in dims)]
    if how not in (None, "none") and d.chance(0.5):
        found = d.rng.integers(0, shape[axis], dims)
    if d.opset >= 11 and d.chance(0.5):
        found = np.where(d.rng.random(found.shape) < 0.5, found - shape[axis], found)
    return Case(
        [d.tensor(shape), d.ints_of(found), d.tensor(dims)], {"axis": axis, "reduction": how}
    )


def scattering_nd(d):
    shape = d.shape(1, 4, zero=0)
    depth = d.int(1, len(shape))
    how = reduction(d)
    if d.type("T") in (TP.BOOL, TP.STRING):
        how = None
    total = int(np.prod(shape[:depth]))
    count = d.int(0, min(total, 6))
    flat = d.rng.permutation(total)[:count]
    if how not in (None, "none") and count:
        flat = d.rng.integers(0, total, count)
    found = np.stack(np.unravel_index(flat, shape[:depth]), -1).reshape(count, depth)
    if d.opset >= 13 and d.chance(0.5):
        found = np.where(d.rng.random(found.shape) < 0.5, found - np.array(shape[:depth]), found)
    updates = d.tensor((count, *shape[depth:]))
    return Case([d.tensor(shape), d.int64s(found), updates], {"reduction": how})


def by_blocks(to_space):
    def make(d):
        block = d.int(1, 3)
        n, c, h, w = d.int(1, 2), d.int(1, 3), d.int(1, 4), d.int(1, 4)
        if to_space:
            mode = d.pick([None, "DCR", "CRD"]) if d.opset >= 11 else None
            return Case(
                [d.tensor((n, c * block * block, h, w))], {"blocksize": block, "mode": mode}
            )
        return Case([d.tensor((n, c, h * block, w * block))], {"blocksize": block})

    return make


def reversing(d):
    time, batch = d.int(1, 6), d.int(1, 5)
    lead = (time, batch)
    axes = {}
    if d.chance(0.5):
        lead, axes = (batch, time), {"time_axis": 1, "batch_axis": 0}
    lengths = d.rng.integers(1, time + 1, batch)
    return Case([d.tensor((*lead, *d.shape(0, 2, most=20))), d.int64s(lengths)], axes)


def triangle(d):
    shape = d.shape(2)
    k = d.maybe(d.int64s(d.int(-8, 8)))
    return Case([d.tensor(shape), k], {"upper": d.pick([None, 0, 1])})


def one_hot(d):
    number = d.type("T1", [n for n in d.allowed("T1") if n in FLOATS or n in (TP.INT32, TP.INT64)])
    depth = d.int(1, 8)
    shape = d.shape(1, 3, most=40)
    low = -depth if d.opset >= 11 else 0
    x = d.values(shape, number, low=low, high=depth)
    x.values = np.round(x.values).astype(x.values.dtype)
    size = d.ints_of(np.array(depth) if d.chance(0.5) and d.opset >= 11 else [depth], "T2")
    axis = d.maybe(d.int(-len(shape) - 1, len(shape)))
    choice = d.tensor((2,), "T3")

    def answer():
        """Negative numbers count from the end since opset 11."""
        found = x.values.astype(np.int64)
        found = np.where((found < 0) & (d.opset >= 11), found + depth, found)
        hot = found[..., None] == np.arange(depth)
        y = np.where(hot, choice.values[1], choice.values[0]).astype(choice.values.dtype)
        return np.moveaxis(y, -1, -1 if axis is None else axis)

    return Case([x, size, choice], {"axis": axis}, numpy=answer)


def eye(d):
    kinds = [n for n in d.allowed("T2") if n in FLOATS or n in (TP.INT32, TP.INT64, TP.BOOL)]
    return Case(
        [d.tensor(d.shape(2, 2), "T1")], {"k": d.maybe(d.int(-4, 4)), "dtype": d.maybe(d.pick(kinds))}
    )


def ranging(d):
    number = d.type("T")
    start, delta = d.int(-6, 6), d.pick([1, 1, 2, 3, -1, -2])
    limit = start + delta * d.int(-1, 12)
    if number in FLOATS and d.chance(0.5):
        delta = delta / 2
    return Case([d.values((), number, low=v, high=v) for v in (start, limit, delta)], {})


def constant_of_shape(d):
    number = d.type("T2", [n for n in d.allowed("T2") if n not in (TP.BFLOAT16,) and n <= 13])
    value = d.maybe(d.values((1,), number).values)
    shape = d.shape()
    return Case([d.int64s(np.array(shape, np.int64))], {"value": value})


def shape_of(d):
    shape = d.shape()
    x = d.tensor(shape)
    if d.opset < 15:
        return Case([x], {})
    bounds = {k: d.maybe(d.int(-7, 7)) for k in ("start", "end")}
    return Case([x], bounds)


def cropping(d):
    shape = d.shape(1, 4, most=200)
    if d.chance(0.6):
        axes = d.axes(len(shape), least=1)
        target = [d.int(1, 9) for _ in axes]
        return Case([d.tensor(shape), d.ints_of(target)], {"axes": axes})
    return Case([d.tensor(shape), d.ints_of([d.int(1, 6) for _ in shape])], {})


def columns_to_image(d):
    axes = d.int(1, 3)
    image = [d.int(2, 6) for _ in range(axes)]
    block = [d.int(1, n) for n in image]
    strides = [d.int(1, 2) for _ in image]
    pads = [d.int(0, 1) for _ in range(2 * axes)]
    dilations = [d.int(1, 2) if (b - 1) * 2 + 1 <= n else 1 for b, n in zip(block, image)]
    spans = [(b - 1) * k + 1 for b, k in zip(block, dilations)]
    steps = [
        (n + pads[i] + pads[i + axes] - s) // strides[i] + 1 for i, (n, s) in enumerate(zip(image, spans))
    ]
    x = d.tensor((d.int(1, 2), d.int(1, 2) * int(np.prod(block)), int(np.prod(steps))))
    return Case(
        [x, d.int64s(image), d.int64s(block)],
        {"strides": strides, "pads": pads, "dilations": dilations},
    )


def identical(d):
    return Case([d.tensor(d.shape(), d.schema.inputs[0].type_str)], {})


def constant(d):
    choice = d.pick(["value"] + (["value_float", "value_floats", "value_int", "value_ints"] if d.opset >= 12 else []))
    if choice == "value":
        number = d.type("T", [n for n in d.allowed("T") if n <= 13 and n not in (8,)])
        return Case([], {"value": d.values(d.shape(), number, special=0.3).values})
    return Case([], {choice: {"value_float": 1.5, "value_floats": [1.5, -2.0], "value_int": -7, "value_ints": [3, -4]}[choice]})


def tensor_scattering(d):
    batch, most, width = d.int(1, 3), d.int(2, 7), d.int(1, 4)
    shape = (batch, *d.shape(0, 1, zero=0, most=4), most, width)
    axis = len(shape) - 2
    length = d.int(1, most)
    circular = d.chance(0.4)
    update = list(shape)
    update[axis] = length
    high = most - 1 if circular else most - length
    at = d.maybe(d.int64s(d.rng.integers(0, high + 1, batch)), 0.8)
    mode = "circular" if circular else d.pick([None, "linear"])
    return Case(
        [d.tensor(shape), d.tensor(update), at],
        {"mode": mode, "axis": axis if axis != len(shape) - 2 or d.chance(0.5) else None},
    )


entry("Concat", concatenating)
entry("Split", splitting)
entry("Slice", slicing)
entry("DynamicSlice", slicing_by_inputs, opsets=[1, 9])
entry("Pad", padding)
entry("Transpose", transposing)
entry("Reshape", reshaping)
entry("Flatten", flattening)
entry("Squeeze", by_axes(True))
entry("Unsqueeze", by_axes(False))
entry("Expand", expanding)
entry("Tile", tiling)
entry("Gather", gathering)
entry("GatherElements", gathering_elements)
entry("GatherND", gathering_nd)
entry("ScatterElements Scatter", scattering_elements, ulp(4))
entry("ScatterND", scattering_nd, ulp(4))
entry("DepthToSpace", by_blocks(True))
entry("SpaceToDepth", by_blocks(False))
entry("ReverseSequence", reversing)
entry("Trilu", triangle)
entry("OneHot", one_hot)
entry("EyeLike", eye)
entry("Range", ranging, ulp(4))
entry("ConstantOfShape", constant_of_shape)
entry("Shape", shape_of)
entry("Size", identical)
entry("CenterCropPad", cropping)
entry("Col2Im", columns_to_image, SUM)
entry("Constant", constant)
entry("TensorScatter", tensor_scattering)


# ---- reductions and choices ----


def reducing(d):
    zero_sums = d.operator in ("ReduceSum", "ReduceL1", "ReduceL2", "ReduceSumSquare")
    shape = d.shape(0, 4, zero=0.05 if zero_sums or d.opset >= 18 else 0)
    variable = d.schema.inputs[0].type_str
    limits = {"low": 0.1, "high": 3} if d.operator in ("ReduceLogSum", "ReduceProd") else {}
    x = d.tensor(shape, variable, special=0.1 if not limits else 0, **limits)
    axes = d.axes(len(shape), d.opset >= 11, 1) if shape else []
    attributes = {"keepdims": d.pick([None, 0, 1])}
    by_input = d.opset >= (13 if d.operator == "ReduceSum" else 18)
    if by_input:
        attributes["noop_with_empty_axes"] = d.pick([None, 0, 1])
        given = d.maybe(d.int64s(np.array(axes if d.chance(0.9) else [], np.int64)), 0.8)
        chosen = [] if given is None else given.values.tolist()
        is_none = not chosen and attributes["noop_with_empty_axes"] == 1
    else:
        given, chosen, is_none = d.maybe(axes, 0.8) if axes else None, None, False
        chosen = given or []

    def answer():
        """The logarithms, which some types have nowhere else; integers are truncated once."""
        values, axis = reals(x), tuple(chosen) or (() if is_none else None)
        if d.operator == "ReduceLogSumExp":
            top = values.max(initial=-np.inf) if values.size else 0.0
            values = np.exp(values - top)
        y = np.log(values.sum(axis, keepdims=attributes["keepdims"] != 0))
        y = y + top if d.operator == "ReduceLogSumExp" else y
        return (np.trunc(y) if x.number in INTS else y).astype(x.values.dtype)

    numpy = answer if d.operator.startswith("ReduceLog") else None
    if by_input:
        return Case([x, given], attributes, numpy=numpy)
    return Case([x], {**attributes, "axes": given}, numpy=numpy)


def arg_choosing(d):
    shape = d.shape(1, zero=0)
    x = d.tensor(shape, special=0.1)
    if d.chance(0.3):
        x.values = np.round(x.values).astype(x.values.dtype)
    attributes = {"axis": d.maybe(d.axis(len(shape), d.opset >= 11), 0.8), "keepdims": d.pick([None, 0, 1])}
    if d.opset >= 12:
        attributes["select_last_index"] = d.pick([None, 0, 1])
    return Case([x], attributes)


def cumulating(d):
    shape = d.shape(1)
    x = d.tensor(shape, **({"low": 0.5, "high": 1.5} if d.operator == "CumProd" else {}))
    axis = d.ints_of(np.array(d.axis(len(shape))), "T2")
    return Case([x, axis], {"exclusive": d.pick([None, 0, 1]), "reverse": d.pick([None, 0, 1])})


def top_k(d):
    shape = d.shape(1, zero=0)
    axis = d.axis(len(shape), d.opset >= 11)
    k = d.int(0 if d.opset >= 10 else 1, shape[axis])
    x = d.tensor(shape)
    if d.opset >= 11 and d.chance(0.5):
        x.values = np.round(x.values).astype(x.values.dtype)
    attributes = {"axis": axis}
    if d.opset < 10:
        return Case([x], {**attributes, "k": k}, 2)
    if d.opset >= 11:
        attributes |= {"largest": d.pick([None, 0, 1]), "sorted": d.pick([None, 1])}
    return Case([x, d.int64s([k])], attributes, 2)


def normalizing(low_rank=1):
    def make(d):
        shape = d.shape(low_rank)
        axis = d.axis(len(shape), d.opset >= 11)
        return Case([d.tensor(shape, low=-30 if d.chance(0.2) else None, high=30)], {"axis": d.maybe(axis, 0.8)})

    return make


def lp(d):
    shape = d.shape(1)
    return Case([d.tensor(shape)], {"axis": d.maybe(d.axis(len(shape))), "p": d.pick([None, 1, 2])})


def unique(d):
    shape = d.shape(1, 3, most=60)
    number = d.type("T", [n for n in d.allowed("T") if n not in (TP.BOOL,)])
    x = d.values(shape, number, low=-2, high=3)
    if number != TP.STRING:
        x.values = np.round(x.values).astype(x.values.dtype)
    axis, is_sorted = d.maybe(d.axis(len(shape))), d.pick([None, 0, 1])

    def answer():
        at = axis or 0
        values = x.values.ravel() if axis is None else x.values
        y, first, inverse, counts = np.unique(values, True, True, True, at)
        if is_sorted == 0:
            order = np.argsort(first)
            y, first, counts = np.take(y, order, at), first[order], counts[order]
            inverse = np.argsort(order)[inverse.ravel()]
        return y, first, inverse.ravel(), counts

    return Case([x], {"axis": axis, "sorted": is_sorted}, 4, numpy=answer)


def compressing(d):
    shape = d.shape(1)
    axis = d.maybe(d.axis(len(shape), d.opset >= 11))
    n = int(np.prod(shape)) if axis is None else shape[axis]
    return Case([d.tensor(shape), d.values((d.int(min(n, 1), n),), TP.BOOL)], {"axis": axis})


def nonzero(d):
    x = d.tensor(d.shape(1))
    if x.values.dtype.kind == "f":
        x.values = np.round(x.values).astype(x.values.dtype)
    return Case([x], {})


for name in "ReduceSum ReduceMean ReduceL1 ReduceL2 ReduceSumSquare ReduceProd".split():
    entry(name, reducing, SUM)
entry("ReduceLogSumExp ReduceLogSum", reducing, close(3e-6))
entry("ReduceMax ReduceMin", reducing)
entry("ArgMax ArgMin", arg_choosing)
entry("CumSum", cumulating, SUM)
entry("CumProd", cumulating, close(1e-5))
entry("TopK", top_k)
entry("Softmax LogSoftmax", normalizing(), close(3e-6))
entry("Hardmax", normalizing())
entry("LpNormalization", lp, close(3e-6))
entry("Unique", unique)
entry("Compress", compressing)
entry("NonZero", nonzero)
