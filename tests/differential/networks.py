# SPDX-License-Identifier: Apache-2.0
"""Entries of convolutions, pooling, products, normalisation, pictures, recurrent nets, losses."""

import numpy as np
from onnx import TensorProto as TP

import engines
from draw import FLOATS, INTS, Case, reals
from entries import SUM, close, entry, loose

# ---- windows ----


def window(d, axes, channels, dilated=True):
    """Attributes of a sliding window and spatial sizes that hold at least one of them."""
    kernel = [d.pick([1, 1, 2, 3, 3, 4, 5]) for _ in range(axes)]
    strides = [d.pick([1, 1, 1, 2, 3]) for _ in range(axes)]
    dilations = [d.pick([1, 1, 1, 2, 3]) if dilated else 1 for _ in range(axes)]
    spans = [(k - 1) * s + 1 for k, s in zip(kernel, dilations)]
    most = {1: 40, 2: 17, 3: 7}[axes]
    spatial = [d.int(span, max(span, most)) for span in spans]
    return kernel, strides, dilations, spans, spatial


def borders(d, kernel, spans, spatial, axes, auto):
    """pads or auto_pad. Pads stay below the kernel's size, as the engines want it for pooling."""
    kind = d.pick([None, "NOTSET", "pads", "pads", "SAME_UPPER", "SAME_LOWER", "VALID"])
    if kind == "pads" or (kind and not auto):
        return {"pads": [d.int(0, k - 1) for k in kernel + kernel]}
    return {"auto_pad": kind}


def shapes_of(d):
    return d.pick([1, 2, 2, 2, 3]), d.int(0 if d.chance(0.1) else 1, 2)


def convolving(d, number=None):
    axes, batch = shapes_of(d)
    group = d.pick([1, 1, 1, 2, 3, 5])
    per = d.pick([1, 2, 3, 4])
    depthwise = d.chance(0.2)
    c_in, c_out = (group, group * d.pick([1, 2])) if depthwise else (group * per, group * d.pick([1, 2, 3, 8]))
    kernel, strides, dilations, spans, spatial = window(d, axes, c_in)
    x = d.tensor((batch, c_in, *spatial))
    w = d.tensor((c_out, c_in // group, *kernel))
    b = d.maybe(d.tensor((c_out,)))
    pads = borders(d, kernel, spans, spatial, axes, True)
    if str(pads.get("auto_pad")).startswith("SAME") and d.chance(0.8):
        dilations = [1] * axes
    return Case(
        [x, w, b],
        {
            "kernel_shape": d.maybe(kernel),
            "strides": d.maybe(strides, 0.8),
            "dilations": dilations if max(dilations) > 1 else d.maybe(dilations),
            "group": group if group > 1 or d.chance(0.5) else None,
            **pads,
        },
    )


def transposed(d):
    axes, batch = shapes_of(d)
    group = d.pick([1, 1, 2])
    c_in, out = group * d.int(1, 3), d.int(1, 3)
    kernel, strides, dilations, spans, _ = window(d, axes, c_in)
    spatial = [d.int(1, 6) for _ in range(axes)]
    extra = [d.int(0, max(s, k) - 1) if d.chance(0.3) else 0 for s, k in zip(strides, dilations)]
    extra = [min(e, s - 1) for e, s in zip(extra, strides)]
    attributes = {"strides": strides, "dilations": dilations, "group": group}
    full = [(n - 1) * s + span + e for n, s, span, e in zip(spatial, strides, spans, extra)]
    choice = d.pick(["pads", "none", "auto", "shape"])
    if choice == "pads":
        pads = [d.int(0, min(k - 1, (n - 1) // 2)) for k, n in zip(kernel * 2, full * 2)]
        attributes["pads"] = pads
    elif choice == "auto":
        attributes["auto_pad"] = d.pick(["SAME_UPPER", "SAME_LOWER", "VALID"])
        extra = [0] * axes
        if any(n < s for n, s in zip(spans, strides)):
            attributes["auto_pad"] = "VALID"
    elif choice == "shape":
        attributes["output_shape"] = [max(1, n - d.int(0, 2)) for n in full]
    if any(extra):
        attributes["output_padding"] = extra
    return Case(
        [
            d.tensor((batch, c_in, *spatial)),
            d.tensor((c_in, out, *kernel)),
            d.maybe(d.tensor((out * group,))),
        ],
        {**attributes, "kernel_shape": d.maybe(kernel)},
    )


def pooling(d):
    axes, batch = shapes_of(d)
    channels = d.pick([1, 2, 3, 5])
    dilated = d.has("dilations")
    kernel, strides, dilations, spans, spatial = window(d, axes, channels, dilated)
    x = d.tensor((batch, channels, *spatial), special=0.05 if d.operator == "MaxPool" else 0)
    attributes = {"kernel_shape": kernel, "strides": d.maybe(strides, 0.8)}
    attributes |= borders(d, kernel, spans, spatial, axes, True)
    if str(attributes.get("auto_pad")).startswith("SAME"):
        dilations = [1] * axes
    if dilated and max(dilations) > 1:
        attributes["dilations"] = dilations
    if d.has("ceil_mode"):
        attributes["ceil_mode"] = d.pick([None, 0, 1])
    if d.has("count_include_pad"):
        attributes["count_include_pad"] = d.pick([None, 0, 1])
    if d.operator == "LpPool":
        p = d.pick([None, 1, 2, 3])
        attributes["p"] = p if d.opset >= 2 or p is None else float(p)
    n_out = 2 if d.operator == "MaxPool" and d.opset >= 8 and d.chance(0.4) else 1
    if n_out == 2:
        attributes["storage_order"] = d.pick([None, 0, 1]) if axes == 2 else None
    return Case([x], attributes, n_out)


def pooling_all(d):
    axes, batch = shapes_of(d)
    x = d.tensor((batch, d.int(1, 5), *(d.int(1, 9) for _ in range(axes))))
    attributes = {"p": d.pick([None, 1, 2, 3])} if d.operator == "GlobalLpPool" else {}
    if d.operator == "GlobalLpPool" and d.opset < 2:
        attributes = {k: v and float(v) for k, v in attributes.items()}
    return Case([x], attributes)


entry("Conv", convolving, SUM)
entry("ConvTranspose", transposed, SUM, newer=11)
entry("MaxPool", pooling, newer=12)
entry("AveragePool", pooling, SUM, newer=19)
entry("LpPool", pooling, SUM, newer=18)
entry("GlobalAveragePool GlobalLpPool", pooling_all, SUM, newer=2)
entry("GlobalMaxPool", pooling_all)


# ---- products ----


def multiplying(d, types=("T", "T")):
    m, k, n = d.pick([1, 1, 2, 5, 7, 17]), d.size(0.04), d.pick([1, 1, 3, 8, 16, 17, 33])
    a, b = d.together(low=0, high=2, most=12)
    a, b = (*a, m, k), (*b, k, n)
    if d.chance(0.15):
        a = (k,)
    if d.chance(0.15):
        b = (k,)
    return a, b


def products(d):
    a, b = multiplying(d)
    return Case([d.tensor(a, special=0.05), d.tensor(b, special=0.05)], {})


def general(d):
    m, k, n = d.size(0.02), d.size(0.02), d.size(0.02)
    trans_a, trans_b = d.chance(0.4), d.chance(0.4)
    shape = (m, n)
    c = d.pick([shape, (1, n), (m, 1), (1, 1)] + ([(n,), (1,), ()] if d.opset >= 7 else []))
    attributes = {
        "alpha": d.maybe(d.real(-2, 2), 0.4),
        "beta": d.pick([None, None, 0.0, d.real(-2, 2)]),
        "transA": int(trans_a) if trans_a or d.chance(0.5) else None,
        "transB": int(trans_b) if trans_b or d.chance(0.5) else None,
    }
    if d.opset < 7:
        c = d.pick([shape, (n,)])
        attributes["broadcast"] = 1 if c != shape else d.pick([None, 0])
    a, b = d.tensor((k, m) if trans_a else (m, k)), d.tensor((n, k) if trans_b else (k, n))
    third = d.tensor(c)
    third = third if d.opset < 11 else d.maybe(third, 0.7)
    factors = [1 if attributes[f] is None else attributes[f] for f in ("alpha", "beta")]

    def answer():
        """Integers, which wrap."""
        left, right = a.values.T if trans_a else a.values, b.values.T if trans_b else b.values
        alpha, beta = (a.values.dtype.type(f) for f in factors)
        return (left @ right) * alpha + (0 if third is None else beta * third.values)

    is_whole = a.number in INTS and not any(f % 1 for f in factors)
    return Case([a, b, third], attributes, numpy=answer if is_whole else None)


EQUATIONS = [
    "ij,jk->ik", "bij,bjk->bik", "ij->ji", "ii->i", "ii", "ij->", "ij,ij->", "i,j->ij", "ij,j",
    "bhid,bhjd->bhij", "...ij,...jk->...ik", "...ii->...i", "ij,kj->ik", "abc->cab", "i,i",
    "ijk,jil->kl", "ij,jk,kl->il", "...,...->...", " i j , j k -> k i", "bij->b",
]  # fmt: skip


def einstein(d):
    equation = d.pick(EQUATIONS)
    size, dots = {}, d.shape(0, 2, zero=0, most=6)
    inputs = []
    for term in equation.split("->")[0].replace(" ", "").split(","):
        shape, at = [], 0
        while at < len(term):
            if term[at] == ".":
                shape += dots
                at += 3
            else:
                shape.append(size.setdefault(term[at], d.int(1, 5)))
                at += 1
        inputs.append(d.tensor(shape))
    return Case(inputs, {"equation": equation})


def determinants(d):
    n = d.int(1, 5)
    return Case([d.tensor((*d.shape(0, 2, most=10), n, n))], {})


entry("MatMul", products, SUM)
entry("Gemm", general, SUM, newer=13)
entry("Einsum", einstein, SUM)
entry("Det", determinants, loose(3e-4))


# ---- normalisation ----


def batch_normalizing(d):
    shape = d.shape(2 if d.opset < 9 else 1, 4, zero=0.02)
    if len(shape) == 1 or d.opset < 9:
        shape = (*shape[:1], d.int(1, 7), *shape[2:])
    c = shape[1]
    vectors = [d.tensor((c,), d.schema.inputs[i].type_str) for i in (1, 2, 3)]
    variance = d.tensor((c,), d.schema.inputs[4].type_str, low=0.1, high=4)
    attributes = {"epsilon": d.maybe(d.real(1e-6, 0.1)), "momentum": d.maybe(0.8)}
    if d.opset < 7:
        attributes |= {"is_test": 1, "consumed_inputs": [0, 0, 0, 1, 1] if d.opset < 6 else None}
    if d.has("spatial"):
        attributes["spatial"] = d.pick([None, 1])
    n_out, x = 1, d.tensor(shape)

    def answer():
        scale, shift, mean, spread = (
            reals(v).reshape(-1, *[1] * (len(shape) - 2)) for v in (*vectors, variance)
        )
        epsilon = 1e-5 if attributes["epsilon"] is None else attributes["epsilon"]
        return ((reals(x) - mean) / np.sqrt(spread + epsilon) * scale + shift).astype(x.values.dtype)

    if d.opset >= 14 and d.chance(0.3) and np.prod(shape):
        attributes["training_mode"], n_out = 1, 3
    return Case([x, *vectors, variance], attributes, n_out, numpy=answer if n_out == 1 else None)


def instance_normalizing(d):
    shape = d.shape(3, 4, zero=0, most=300)
    c = shape[1]
    return Case(
        [d.tensor(shape), d.tensor((c,)), d.tensor((c,))], {"epsilon": d.maybe(d.real(1e-6, 0.1))}
    )


def layer_normalizing(d):
    shape = d.shape(1, 4, zero=0.02)
    axis = d.axis(len(shape))
    scale = shape[axis:]
    if d.chance(0.25):
        scale = d.broadcast(scale) or (1,)
    n_out = d.int(1, 3) if d.operator == "LayerNormalization" else 1
    x, w = d.tensor(shape), d.tensor(scale, d.schema.inputs[1].type_str)
    attributes = {"axis": axis if axis != -1 else d.maybe(axis), "epsilon": d.maybe(d.real(1e-6, 0.1))}
    if d.operator == "LayerNormalization":
        return Case([x, w, d.maybe(d.tensor(scale))], attributes, n_out)
    return Case([x, w], attributes)


def simply_normalizing(d):
    """SimplifiedLayerNormalization, ONNX Runtime's own in the domain ai.onnx."""
    shape = d.shape(1, 4, zero=0.02)
    axis = d.axis(len(shape))
    number, side = d.pick([TP.FLOAT, TP.FLOAT, TP.FLOAT16, TP.DOUBLE]), TP.FLOAT
    side = number if number != TP.FLOAT16 else d.pick([TP.FLOAT, TP.FLOAT16])
    attributes = {"axis": axis if axis != -1 else d.maybe(axis), "epsilon": d.maybe(d.real(1e-6, 0.1))}
    return Case([d.values(shape, number), d.values(shape[axis:], side)], attributes, d.int(1, 2))


def group_normalizing(d):
    groups = d.int(1, 3)
    c = groups * d.int(1, 4)
    count = groups if d.opset < 21 else c
    x = d.tensor((d.int(1, 3), c, *d.shape(1, 2, zero=0, most=30)))
    return Case(
        [x, d.tensor((count,)), d.tensor((count,))],
        {"num_groups": groups, "epsilon": d.maybe(d.real(1e-6, 0.1))},
    )


def mean_variance(d):
    shape = d.shape(4, 4, zero=0, most=300)
    return Case([d.tensor(shape)], {"axes": d.maybe(d.pick([[0, 2, 3], [0, 1, 2, 3], [1], [2, 3]]))})


def local_response(d):
    shape = (d.int(1, 2), d.int(1, 9), d.int(1, 4), d.int(1, 4))
    return Case(
        [d.tensor(shape)],
        {
            "size": d.pick([1, 3, 5, 7]),
            "alpha": d.maybe(d.real(1e-4, 0.5)),
            "beta": d.maybe(d.real(0.3, 1)),
            "bias": d.maybe(d.real(0.5, 2)),
        },
    )


entry("BatchNormalization", batch_normalizing, loose(2e-5))
entry("InstanceNormalization", instance_normalizing, loose(5e-5))
entry("LayerNormalization", layer_normalizing, close(5e-5))
entry("SimplifiedLayerNormalization", simply_normalizing, loose(1e-5), opsets=[17, 21])
entry("RMSNormalization", layer_normalizing, loose(1e-5))
entry("GroupNormalization", group_normalizing, loose(5e-5))
entry("MeanVarianceNormalization", mean_variance, loose(5e-5), newer=13)
entry("LRN", local_response, close(3e-6), newer=13)


# ---- pictures ----


def resizing(d):
    axes = d.pick([1, 2, 2, 2, 3])
    spatial = [d.int(1, 8) for _ in range(axes)]
    lead = d.pick([(1, 1), (2, 3), (1, 4)])
    shape = (*lead, *spatial)
    numbers = [n for n in d.allowed(d.schema.inputs[0].type_str) if n in FLOATS or n in (TP.UINT8, TP.INT8, TP.INT32)]
    x = d.tensor(shape, d.schema.inputs[0].type_str, numbers)
    mode = d.pick([None, "nearest", "linear", "cubic"])
    if d.opset < 11 and mode == "cubic":
        mode = "linear"
    if mode == "cubic" and axes != 2 or mode == "linear" and d.opset < 13 and axes > 2:
        mode = "nearest"
    scales = [1.0, 1.0] + [d.pick([0.5, 0.6, 1.0, 1.5, 2.0, 2.5, 3.0, 0.34]) for _ in spatial]
    scales = [s if int(n * s) else 1.0 for n, s in zip(shape, scales)]
    by_scale = d.values((len(shape),), TP.FLOAT)
    by_scale.values = np.array(scales, np.float32)
    if d.opset < 11:
        return Case([x, by_scale], {"mode": mode})
    attributes = {"mode": mode}
    how = d.pick(
        [None, "half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize"]
        + (["half_pixel_symmetric"] if d.opset >= 19 else [])
    )
    attributes["coordinate_transformation_mode"] = how
    if mode in (None, "nearest"):
        attributes["nearest_mode"] = d.pick(
            [None, "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]
        )
    if mode == "cubic":
        attributes["cubic_coeff_a"] = d.maybe(d.pick([-0.5, -0.75]))
        attributes["exclude_outside"] = d.pick([None, 0, 1])
    roi = None
    if how == "tf_crop_and_resize":
        begins = [0.0, 0.0] + [d.real(-0.1, 0.4) for _ in spatial]
        ends = [1.0, 1.0] + [d.real(0.6, 1.1) for _ in spatial]
        roi = d.values((2 * len(shape),), TP.FLOAT)
        roi.values = np.array(begins + ends, np.float32)
        attributes["extrapolation_value"] = d.maybe(d.real(-3, 3))
    elif d.opset < 13:
        roi = d.values((0,), TP.FLOAT)
    if d.opset >= 18 and mode in ("linear", "cubic") and d.chance(0.3):
        attributes["antialias"] = 1
    if d.chance(0.4):
        sizes = [*lead, *(d.int(1, 12) for _ in spatial)]
        empty = d.values((0,), TP.FLOAT) if d.opset < 13 else None
        if d.opset >= 18 and d.chance(0.4) and roi is None:
            attributes["axes"] = list(range(2, len(shape)))
            attributes["keep_aspect_ratio_policy"] = d.pick([None, "stretch", "not_larger", "not_smaller"])
            sizes = sizes[2:]
        return Case([x, roi, empty, d.int64s(sizes)], attributes)
    return Case([x, roi, by_scale], attributes)


def upsampling(d):
    h, w = d.int(1, 6), d.int(1, 6)
    x = d.tensor((d.int(1, 2), d.int(1, 3), h, w), among=[TP.FLOAT, TP.INT32, TP.UINT8])
    mode = d.pick([None, "nearest", "linear"] if d.opset >= 7 else [None, "nearest"])
    up = [1.0, 1.0, d.pick([1.0, 2.0, 3.0, 1.5]), d.pick([1.0, 2.0, 2.5])]
    scales = d.values((4,), TP.FLOAT)
    scales.values = np.array(up, np.float32)

    def answer():
        """Resize, of which Upsample is the older form."""
        how = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor", "mode": mode}
        arrays = [x.values.astype(np.float32), None, scales.values]
        return engines.one_node("Resize", arrays, how, 13)[0].astype(x.values.dtype)

    if d.opset < 7:
        return Case([x], {"mode": mode, "height_scale": up[2], "width_scale": up[3]}, numpy=answer)
    if d.opset < 9:
        return Case([x], {"mode": mode, "scales": up}, numpy=answer)
    return Case([x, scales], {"mode": mode}, numpy=answer)


def aligning(d):
    n, c, h, w = d.int(1, 2), d.int(1, 3), d.int(2, 8), d.int(2, 8)
    count = d.int(0 if d.chance(0.1) else 1, 4)
    begin = d.values((count, 2), d.type("T1"), low=0, high=4)
    size = d.values((count, 2), d.type("T1"), low=0.2, high=8)
    rois = begin
    rois.values = np.concatenate([begin.values, begin.values + size.values], 1)
    attributes = {
        "output_height": d.maybe(d.int(1, 4)),
        "output_width": d.maybe(d.int(1, 4)),
        "sampling_ratio": d.pick([None, 0, 1, 2, 3]),
        "spatial_scale": d.pick([None, 1.0, 0.5]),
        "mode": d.pick([None, "avg", "max"]),
    }
    if d.opset >= 16:
        attributes["coordinate_transformation_mode"] = d.pick([None, "half_pixel", "output_half_pixel"])
    return Case([d.tensor((n, c, h, w), "T1"), rois, d.int64s(d.rng.integers(0, n, count))], attributes)


def grid_sampling(d):
    axes = d.pick([2, 2, 3]) if d.opset >= 20 else 2
    n, c = d.int(1, 2), d.int(1, 3)
    x = d.tensor((n, c, *(d.int(1, 6) for _ in range(axes))), "T1", [TP.FLOAT, TP.DOUBLE])
    grid = d.values((n, *(d.int(1, 5) for _ in range(axes)), axes), d.type("T1") if d.opset < 20 else d.type("T2", [d.types["T1"]]), low=-1.4, high=1.4)
    names = ["bilinear", "nearest", "bicubic"] if d.opset < 20 else ["linear", "nearest", "cubic"]
    mode = d.pick(names[: 2 if axes == 3 else 3])
    return Case(
        [x, grid],
        {
            "mode": d.maybe(mode, 0.8) if mode == names[0] else mode,
            "padding_mode": d.pick([None, "zeros", "border", "reflection"]),
            "align_corners": d.pick([None, 0, 1]),
        },
    )


def affine(d):
    axes, n = d.pick([2, 3]), d.int(1, 3)
    theta = d.tensor((n, axes, axes + 1), "T1")
    size = d.int64s([n, d.int(1, 3), *(d.int(1, 5) for _ in range(axes))])
    return Case([theta, size], {"align_corners": d.pick([None, 0, 1])})


def suppressing(d):
    batches, classes, boxes = d.int(1, 2), d.int(1, 3), d.int(0 if d.chance(0.05) else 1, 8)
    corner = d.floats((batches, boxes, 2), 0, 4)
    size = d.floats((batches, boxes, 2), 0.2, 3)
    b = d.float32((1,))
    b.values = np.concatenate([corner, corner + size], -1).astype(np.float32)
    center = d.pick([None, 0, 1])
    if not center and d.chance(0.2):
        b.values = b.values[..., [2, 3, 0, 1]]
    scores = d.float32((batches, classes, boxes), low=0, high=1)
    most = d.maybe(d.int64s([d.int(0, 5)]), 0.8)
    overlap = d.maybe(d.float32((1,), low=0, high=1), 0.7)
    least = d.maybe(d.float32((1,), low=0, high=0.8), 0.6)
    return Case([b, scores, most, overlap, least], {"center_point_box": center})


def deforming(d):
    n, group, offset_group = d.int(1, 2), d.pick([1, 1, 2]), d.pick([1, 1, 2])
    c, out = 2 * d.int(1, 2), group * d.int(1, 3)
    kernel = [d.int(1, 3), d.int(1, 3)]
    strides, dilations = [d.int(1, 2) for _ in range(2)], [d.int(1, 2) for _ in range(2)]
    pads = [d.int(0, 1) for _ in range(4)]
    spans = [(k - 1) * s + 1 for k, s in zip(kernel, dilations)]
    spatial = [d.int(span, 7) for span in spans]
    size = [(m + pads[i] + pads[i + 2] - spans[i]) // strides[i] + 1 for i, m in enumerate(spatial)]
    taps = kernel[0] * kernel[1] * offset_group
    x, w = d.tensor((n, c, *spatial)), d.tensor((out, c // group, *kernel))
    offset = d.tensor((n, 2 * taps, *size), low=-1.5, high=1.5)
    mask = d.maybe(d.tensor((n, taps, *size), low=0, high=1))
    attributes = {"kernel_shape": kernel, "strides": strides, "dilations": dilations, "pads": pads}
    attributes |= {"group": group, "offset_group": offset_group}
    return Case([x, w, offset, d.maybe(d.tensor((out,))), mask], attributes)


def bins_of(first, last, count, size):
    """Slices of `count` bins of the pixels first to last, both included, within [0, size)."""
    n = max(last - first + 1, 1)
    cuts = [(first + k * n // count, first - (-(k + 1) * n // count)) for k in range(count)]
    return [slice(min(max(a, 0), size), min(max(b, 0), size)) for a, b in cuts]


def roi_pooling(d):
    n, c, h, w = d.int(1, 2), d.int(1, 3), d.int(2, 8), d.int(2, 8)
    rois = d.tensor((d.int(1, 4), 5), low=0, high=6)
    rois.values = np.round(rois.values).astype(rois.values.dtype)
    rois.values[:, 0] = d.rng.integers(0, n, rois.shape[0])
    rois.values[:, 3:] = np.maximum(rois.values[:, 3:], rois.values[:, 1:3])
    scale = d.pick([None, 1.0, 0.5])
    x, bins = d.tensor((n, c, h, w)), [d.int(1, 3), d.int(1, 3)]

    def answer():
        y = np.zeros((len(rois.values), c, *bins))
        for r, row in enumerate(reals(rois)):
            corners = np.floor(row[1:] * (scale or 1) + 0.5).astype(int)
            spans = [bins_of(corners[1 - k], corners[3 - k], bins[k], (h, w)[k]) for k in range(2)]
            for i, rows in enumerate(spans[0]):
                for j, columns in enumerate(spans[1]):
                    part = reals(x)[int(row[0]), :, rows, columns]
                    y[r, :, i, j] = part.max((1, 2)) if part.size else 0
        return y.astype(x.values.dtype)

    return Case([x, rois], {"pooled_shape": bins, "spatial_scale": scale}, numpy=answer)


def unpooling(d):
    n, c, axes = d.int(1, 2), d.int(1, 3), d.pick([1, 2, 2])
    spatial = [d.int(1, 4) for _ in range(axes)]
    kernel, strides = [2] * axes, [2] * axes
    out = [2 * m for m in spatial]
    plane = int(np.prod(out))
    count = int(np.prod(spatial))
    at = [p * plane + np.sort(d.rng.permutation(plane)[:count]) for p in range(n * c)]
    x = d.tensor((n, c, *spatial), d.schema.inputs[0].type_str)
    places = d.int64s(np.stack(at).reshape(n, c, *spatial))
    return Case([x, places], {"kernel_shape": kernel, "strides": strides})


entry("DeformConv", deforming, loose(1e-4))
entry("MaxRoiPool", roi_pooling)
entry("MaxUnpool", unpooling)
entry("Resize", resizing, close(3e-5))
entry("Upsample", upsampling, close(1e-5))
entry("RoiAlign", aligning, close(3e-5))
entry("GridSample", grid_sampling, close(5e-5), newer=16)
entry("AffineGrid", affine, close(1e-5))
entry("NonMaxSuppression", suppressing)


# ---- recurrent nets ----

ACTIVATIONS = ["Sigmoid", "Tanh", "Relu", "HardSigmoid", "Elu", "LeakyRelu", "Softsign", "Softplus"]


def recurring(gates, n_out, cell=False):
    def make(d):
        time, batch, wide, hidden = d.int(1, 5), d.int(1, 3), d.int(1, 5), d.pick([1, 2, 3, 5, 8])
        direction = d.pick([None, "forward", "reverse", "bidirectional"])
        ways = 2 if direction == "bidirectional" else 1
        layout = d.pick([None, 0, 1]) if d.opset >= 14 and d.chance(0.4) else None
        number = d.type("T")

        def t(*shape):
            return d.values(shape, number, low=-1, high=1)

        x = t(batch, time, wide) if layout else t(time, batch, wide)
        w, r = t(ways, gates * hidden, wide), t(ways, gates * hidden, hidden)
        b = d.maybe(t(ways, 2 * gates * hidden))
        lengths = d.maybe(d.values((batch,), TP.INT32, low=1, high=time), 0.4)
        state = (batch, ways, hidden) if layout else (ways, batch, hidden)
        inputs = [x, w, r, b, lengths, d.maybe(t(*state))]
        attributes = {"hidden_size": hidden, "direction": direction, "layout": layout}
        if cell:
            inputs += [d.maybe(t(*state)), d.maybe(t(ways, 3 * hidden), 0.4)]
        if d.chance(0.3):
            attributes["clip"] = d.real(0.2, 2)
        if gates == 3 and d.opset >= 3:
            attributes["linear_before_reset"] = d.pick([None, 0, 1])
        if d.chance(0.3):
            per = {1: 1, 3: 2, 4: 3}[gates]
            attributes["activations"] = [d.pick(ACTIVATIONS) for _ in range(per * ways)]
        if d.opset < 7 and d.chance(0.5):
            attributes["output_sequence"] = 1 if gates != 1 else None
        return Case(inputs, attributes, n_out)

    return make


entry("RNN", recurring(1, 2), close(2e-5), newer=14)
entry("GRU", recurring(3, 2), close(2e-5), newer=14)
entry("LSTM", recurring(4, 3, True), close(2e-5), newer=14)


# ---- losses ----


def losing(d):
    n, c = d.int(1, 4), d.int(1, 5)
    rest = d.shape(0, 2, zero=0, most=20)
    logits = d.tensor((n, c, *rest))
    if d.operator == "NegativeLogLikelihoodLoss":
        logits.values = -np.abs(logits.values)
    ignored = d.pick([None, None, 0, c - 1, -1])
    target = d.values((n, *rest), d.type(d.schema.inputs[1].type_str), low=0, high=c - 1)
    weight = d.maybe(d.tensor((c,), low=0.1, high=2))
    attributes = {"reduction": d.pick([None, "none", "sum", "mean"]), "ignore_index": ignored}
    n_out = 2 if d.operator == "SoftmaxCrossEntropyLoss" and d.chance(0.4) else 1
    return Case([logits, target, weight], attributes, n_out)


entry("NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", losing, close(2e-5))


# ---- signals ----


def transforming(d):
    inverse = d.pick([None, 0, 1])
    onesided = None if inverse else d.pick([None, 0, 1])
    parts = 2 if inverse or (not onesided and d.chance(0.4)) else 1
    shape = (d.int(1, 3), *(d.int(1, 9) for _ in range(d.int(1, 2))), parts)
    x = d.tensor(shape, "T1", [TP.FLOAT, TP.DOUBLE])
    axis = d.int(1, len(shape) - 2)
    length = d.maybe(d.values((), TP.INT64, low=1, high=12), 0.5)
    attributes = {"inverse": inverse, "onesided": onesided}
    if d.opset < 20:
        return Case([x, length], {**attributes, "axis": axis})
    return Case([x, length, d.int64s(axis - len(shape) if d.chance(0.5) else axis)], attributes)


def short_time(d):
    batch, n = d.int(1, 2), d.int(8, 30)
    frame, hop = d.int(2, 8), d.int(1, 5)
    onesided = d.pick([None, 0, 1])
    x = d.tensor((batch, n, 1), "T1", [TP.FLOAT, TP.DOUBLE])
    size = d.int64s(frame)
    window_ = d.maybe(d.values((frame,), d.type("T1"), low=0, high=1), 0.6)
    return Case([x, d.int64s(hop), window_, size], {"onesided": onesided})


def windowing(d):
    kinds = [n for n in d.allowed("T2") if n in (TP.FLOAT, TP.DOUBLE)]
    return Case(
        [d.ints_of(np.array(d.int(2, 12)), "T1")],
        {"periodic": d.pick([None, 0, 1]), "output_datatype": d.maybe(d.pick(kinds))},
    )


def mel(d):
    values = [d.int(2, 8), d.int(16, 40), 8000, 0, 4000]
    scalars = [d.int64s(v) for v in values[:3]]
    edges = []
    for v in values[3:]:
        edge = d.float32(())
        edge.values = np.array(v, np.float32)
        edges.append(edge)
    return Case([*scalars, *edges], {})


entry("DFT", transforming, loose(2e-5))
entry("STFT", short_time, loose(2e-5))
entry("HannWindow HammingWindow BlackmanWindow", windowing, close(2e-6))
entry("MelWeightMatrix", mel, close(1e-6))


# ---- com.microsoft ----

MS = {"domain": "com.microsoft", "opsets": [1]}


EPILOGUES = {
    None: lambda y, *p: y,
    "Relu": lambda y: np.maximum(y, 0),
    "Tanh": np.tanh,
    "Sigmoid": lambda y: 1 / (1 + np.exp(-y)),
    "LeakyRelu": lambda y, a: np.where(y < 0, a * y, y),
    "Clip": lambda y, low, high: np.clip(y, low, high),
    "HardSigmoid": lambda y, a, b: np.clip(a * y + b, 0, 1),
}


def fused_product(d):
    a, b = multiplying(d)
    if min(len(a), len(b)) < 2 or 0 in a + b:
        a, b = (3, 4), (4, 5)
    trans_a, trans_b = d.chance(0.4), d.chance(0.4)
    if trans_a:
        a = (*a[:-2], a[-1], a[-2])
    if trans_b:
        b = (*b[:-2], b[-1], b[-2])
    return Case(
        [d.float32(a), d.float32(b)],
        {"transA": int(trans_a), "transB": int(trans_b), "alpha": d.maybe(d.real(-2, 2))},
    )


def fused_general(d):
    case = general(d)
    while any(0 in x.shape for x in case.inputs if x):
        case = general(d)
    arrays, attributes = [x and x.values for x in case.inputs], dict(case.attributes)
    name = case.attributes["activation"] = d.pick(["Relu", "Tanh", "Sigmoid"])

    def answer():
        plain = engines.one_node("Gemm", arrays, attributes, 13)[0]
        return EPILOGUES[name](plain.astype(np.float64)).astype(np.float32)

    case.numpy = answer
    return case


def fused_convolution(d):
    case = convolving(d)
    while 0 in case.inputs[0].shape or len(case.inputs[0].shape) != 4:
        case = convolving(d)
    activation = d.pick([None, "Relu", "Tanh", "Sigmoid", "LeakyRelu", "Clip", "HardSigmoid"])
    parameters = {"LeakyRelu": [0.1], "Clip": [-1.0, 2.0], "HardSigmoid": [0.2, 0.5]}
    if activation:
        case.attributes["activation"] = activation
    if activation in parameters:
        case.attributes["activation_params"] = parameters[activation]
    return case


def skip_normalizing(d):
    n, length, hidden = d.int(1, 2), d.int(1, 4), d.pick([4, 8, 12, 16, 33])
    x, skip = (d.float32((n, length, hidden)) for _ in range(2))
    gamma, beta, bias = (d.float32((hidden,)) for _ in range(3))
    epsilon = {"epsilon": d.maybe(d.real(1e-6, 0.1))}
    beta, bias = d.maybe(beta), d.maybe(bias)
    if d.operator == "SkipLayerNormalization":
        return Case([x, skip, gamma, beta, bias], epsilon)
    return Case([x, skip, gamma, bias], epsilon)


entry("FusedMatMul", fused_product, SUM, **MS)
entry("FusedGemm", fused_general, loose(1e-4), **MS)
entry("FusedConv", fused_convolution, loose(1e-4), **MS)
entry("SkipLayerNormalization SkipSimplifiedLayerNormalization", skip_normalizing, loose(5e-5), **MS)
