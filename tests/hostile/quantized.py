# SPDX-License-Identifier: Apache-2.0
"""Quantized operators with scales, zero points, axes and packed weights that make no sense."""

from box import INVALID, LIMIT, NOMEM, SHAPE, UNSUPPORTED
from wire import FLOAT, FLOAT16, INT4, INT8, INT32, UINT8, floats, node, simple, tensor

ANY = {INVALID, SHAPE, UNSUPPORTED, LIMIT, NOMEM}
NAN, INF = float("nan"), float("inf")


def f32(name, dims, *values):
    return tensor(name, dims, FLOAT, floats(*values))


def u8(name, dims, *values):
    return tensor(name, dims, UINT8, bytes(values))


def s8(name, dims, *values):
    return tensor(name, dims, INT8, bytes(v & 255 for v in values))


def quantize(scale, zero, attrs=(), x=(2, 3), version=21):
    nodes = [node("QuantizeLinear", ["x", "s", *(["z"] if zero else [])], ["q"], attrs)]
    nodes.append(node("Cast", ["q"], ["y"], {"to": FLOAT}))
    return simple(*nodes, x=x, initializers=[scale, *([zero] if zero else [])], version=version)


def dequantize(scale, zero, attrs=(), x=(2, 3), dtype=INT8, version=21):
    return simple(
        node("DequantizeLinear", ["x", "s", *(["z"] if zero else [])], ["y"], attrs),
        x=x,
        dtype=dtype,
        initializers=[scale, *([zero] if zero else [])],
        version=version,
    )


def scales(box):
    """Absurd scales give absurd numbers, but always the same and within the type."""
    for name, scale in (("0", 0.0), ("-0.5", -0.5), ("NaN", NAN), ("inf", INF), ("1e-45", 1e-45)):
        for op, make, zero in (
            ("QuantizeLinear", quantize, u8("z", [], 7)),
            ("DequantizeLinear", dequantize, s8("z", [], 7)),
        ):
            box.survives(f"{op}: scale {name}", make(f32("s", [], scale), zero))
        parts = [f32("s", [], scale), u8("z", [], 0), u8("w", [3, 2], *[255] * 6)]
        product = node("QLinearMatMul", ["x", "s", "z", "w", "s", "z", "s", "z"], ["y"])
        box.survives(
            f"QLinearMatMul: scale {name}",
            simple(product, x=(2, 3), dtype=UINT8, initializers=parts),
        )
        parts = [f32("s", [], scale), u8("z", [], 0), u8("w", [1, 1, 2, 2], *[255] * 4)]
        conv = node("QLinearConv", ["x", "s", "z", "w", "s", "z", "s", "z"], ["y"])
        box.survives(
            f"QLinearConv: scale {name}",
            simple(conv, x=(1, 1, 3, 3), dtype=UINT8, initializers=parts),
        )
    for name, x in (("NaN", NAN), ("inf", INF), ("0", 0.0)):
        nodes = [
            node("Mul", ["x", "k"], ["t"]),
            node("DynamicQuantizeLinear", ["t"], ["q", "s", "z"]),
        ]
        nodes.append(node("Cast", ["q"], ["y"], {"to": FLOAT}))
        box.accepted(
            f"DynamicQuantizeLinear of {name}", simple(*nodes, initializers=[f32("k", [], x)])
        )


def types(box):
    one = f32("s", [], 1)
    for name, body in (
        ("zero point of floats", quantize(one, f32("z", [], 0))),
        ("zero point of int32", quantize(one, tensor("z", [], INT32, bytes(4)))),
        ("scale of int8", quantize(s8("s", [], 1), u8("z", [], 0))),
        ("scale of uint8", dequantize(u8("s", [], 1), s8("z", [], 0))),
        ("zero point of another type", dequantize(one, u8("z", [], 0))),
        ("input of floats", dequantize(one, None, dtype=FLOAT)),
        ("output_dtype 99", quantize(one, None, {"output_dtype": 99})),
        ("output_dtype float", quantize(one, None, {"output_dtype": FLOAT})),
        (
            "output_dtype and zero point differ",
            quantize(one, u8("z", [], 0), {"output_dtype": INT8}),
        ),
    ):
        box.refused(name, body, ANY, "izeLinear")


def axes(box):
    three, two = f32("s", [3], 1, 1, 1), f32("s", [2], 1, 1)
    zeros = s8("z", [3], 0, 0, 0)
    for name, scale, zero, attrs in (
        ("axis 2", three, zeros, {"axis": 2}),
        ("axis -3", three, zeros, {"axis": -3}),
        ("axis 2^62", three, zeros, {"axis": 1 << 62}),
        ("3 scales for 2", three, zeros, {"axis": 0}),
        ("2 scales for 3", two, None, {"axis": 1}),
        ("3 zero points for 2 scales", two, zeros, {"axis": 0}),
        ("scales of rank 2", f32("s", [1, 3], 1, 1, 1), None, {"axis": 1}),
        ("no scale", f32("s", [0]), None, {"axis": 1}),
        ("block_size 2 of 3", f32("s", [2, 1], 1, 1), None, {"axis": 1, "block_size": 2}),
        ("block_size 5 of 3", f32("s", [2, 2], 1, 1, 1, 1), None, {"axis": 1, "block_size": 5}),
        ("block_size -1", f32("s", [2, 3], *[1] * 6), None, {"axis": 1, "block_size": -1}),
        ("block_size 2^62", f32("s", [2, 3], *[1] * 6), None, {"axis": 1, "block_size": 1 << 62}),
    ):
        box.refused(name, dequantize(scale, zero, attrs), ANY, "DequantizeLinear")
        if zero is not zeros:
            box.refused(f"{name}, quantizing", quantize(scale, None, attrs), ANY, "QuantizeLinear")


def products(box):
    parts = [f32("s", [], 1), u8("z", [], 0), u8("w", [3, 2], *[1] * 6), f32("s3", [3], 1, 1, 1)]
    parts += [s8("z8", [], 0), u8("z3", [3], 0, 0, 0)]

    def qlinear(*names):
        return simple(
            node("QLinearMatMul", list(names), ["y"]), x=(2, 3), dtype=UINT8, initializers=parts
        )

    box.accepted("QLinearMatMul", qlinear("x", "s", "z", "w", "s", "z", "s", "z"))
    for name, body in (
        ("3 scales for 2 columns", qlinear("x", "s", "z", "w", "s3", "z3", "s", "z")),
        ("zero point of another type", qlinear("x", "s", "z8", "w", "s", "z", "s", "z")),
        ("floats for a zero point", qlinear("x", "s", "s", "w", "s", "z", "s", "z")),
        ("inner dims", qlinear("w", "s", "z", "x", "s", "z", "s", "z")),
        ("inputs left out", qlinear("x", "s", "z", "w", "", "z", "s", "z")),
    ):
        if name == "inner dims":
            body = simple(
                node("QLinearMatMul", ["w", "s", "z", "w", "s", "z", "s", "z"], ["y"]),
                x=None,
                initializers=parts,
            )
        box.refused(f"QLinearMatMul: {name}", body, ANY, "QLinearMatMul")
    for name, names in (
        ("zero point of another type", ["x", "w", "z8"]),
        ("3 zero points for 2 columns", ["x", "w", "z", "z3"]),
    ):
        body = simple(
            node("MatMulInteger", names, ["y"]), x=(2, 3), dtype=UINT8, initializers=parts
        )
        box.refused(f"MatMulInteger: {name}", body, ANY, "MatMulInteger")
    for name, attrs, weight in (
        ("group 0", {"group": 0}, u8("v", [1, 1, 1, 1], 1)),
        ("rank", {}, u8("v", [1, 1, 1], 1)),
        ("stride 0", {"strides": [0, 0]}, u8("v", [1, 1, 1, 1], 1)),
        ("channels", {}, u8("v", [1, 2, 1, 1], 1, 1)),
    ):
        conv = node("QLinearConv", ["x", "s", "z", "v", "s", "z", "s", "z"], ["y"], attrs)
        body = simple(conv, x=(1, 1, 3, 3), dtype=UINT8, initializers=[*parts, weight])
        box.refused(f"QLinearConv: {name}", body, ANY, "QLinearConv")


def packed_weights(box):
    """Four-bit weights of com.microsoft: the buffer has to be as long as the attributes say."""

    def product(attrs, b, scales, x=(1, 32), more=()):
        names = ["x", "b", "s", *[name for name, _ in more]]
        parts = [b, scales, *[t for _, t in more]]
        body = node("MatMulNBits", names, ["y"], attrs, "com.microsoft")
        return simple(body, x=x, initializers=parts)

    def bytes_of(n, dims):
        return tensor("b", dims, UINT8, bytes(n))

    good = {"K": 32, "N": 2, "bits": 4, "block_size": 32}
    s = f32("s", [2], 1, 1)
    fine = product(good, bytes_of(32, [2, 1, 16]), s)
    outcome, _ = box.run(fine)
    knows = "is not known" not in outcome.text
    if knows:
        box.accepted("MatMulNBits", fine)
    else:
        box.report.note("MatMulNBits", "is not known yet: all its models are refused")
    for name, body in (
        ("short", product(good, bytes_of(16, [2, 1, 8]), s)),
        ("flat and short", product(good, bytes_of(31, [31]), s)),
        ("one scale", product(good, bytes_of(32, [2, 1, 16]), f32("s", [1], 1))),
        ("K 2^40", product({**good, "K": 1 << 40}, bytes_of(32, [2, 1, 16]), s)),
        ("K -32", product({**good, "K": -32}, bytes_of(32, [2, 1, 16]), s)),
        ("N 2^62", product({**good, "N": 1 << 62}, bytes_of(32, [2, 1, 16]), s)),
        ("N 0", product({**good, "N": 0}, bytes_of(32, [2, 1, 16]), s)),
        ("block_size 0", product({**good, "block_size": 0}, bytes_of(32, [2, 1, 16]), s)),
        ("block_size 7", product({**good, "block_size": 7}, bytes_of(32, [2, 1, 16]), s)),
        ("block_size 2^31", product({**good, "block_size": 1 << 31}, bytes_of(32, [2, 1, 16]), s)),
        ("bits 99", product({**good, "bits": 99}, bytes_of(32, [2, 1, 16]), s)),
        ("bits 0", product({**good, "bits": 0}, bytes_of(32, [2, 1, 16]), s)),
        ("no attributes", product({}, bytes_of(32, [2, 1, 16]), s)),
        ("input of another K", product(good, bytes_of(32, [2, 1, 16]), s, x=(1, 33))),
        (
            "short zero points",
            product(good, bytes_of(32, [2, 1, 16]), s, more=[("z", u8("z", [1], 0))]),
        ),
        (
            "group index past the blocks",
            product(
                good,
                bytes_of(32, [2, 1, 16]),
                s,
                more=[("", b""), ("g", tensor("g", [32], INT32, b"\xff\xff\xff\x7f" * 32))][1:],
            ),
        ),
    ):
        box.refused(f"MatMulNBits: {name}", body, ANY, "MatMulNBits")
    # No weights at all stand for zeros, as in the engine that the operator comes from.
    box.survives("MatMulNBits: empty", product(good, bytes_of(0, [2, 1, 0]), s))
    half = tensor("s", [], FLOAT16, b"\0\x3c")
    four = simple(
        node("DequantizeLinear", ["w", "s"], ["y"]),
        x=None,
        initializers=[tensor("w", [3], INT4, b"\x21"), half],
        version=21,
    )
    box.refused("int4 weights that are short", four, INVALID, "'w'")


ALL = [scales, types, axes, products, packed_weights]
