# SPDX-License-Identifier: Apache-2.0
"""Tensors whose shape, type and data do not belong together."""

import struct

from box import INVALID, LIMIT, PARSE, UNSUPPORTED
from wire import BOOL, DOUBLE, FLOAT, FLOAT16, INT4, INT64, STRING, UINT2, UINT4
from wire import Tensor, field, floats, int64s, node, repeated, simple, tensor

MAX = 2**63 - 1


def add_w(w, dtype=FLOAT):
    """y = x + w."""
    return simple(node("Add", ["x", "w"], ["y"]), x=(1,), dtype=dtype, initializers=[w])


def cast_w(w):
    """y = float(w): any element type of w will do."""
    return simple(node("Cast", ["w"], ["y"], {"to": FLOAT}), x=None, initializers=[w], version=21)


def dimensions(box):
    for name, dims, mention in (
        ("-1", [-1], "dimension 0 is -1"),
        ("-2^63", [2, -MAX - 1], "dimension 1"),
        ("2^63 - 1", [MAX], "overflows"),
        ("2^32 x 2^32", [1 << 32, 1 << 32], "overflows"),
        ("2^31 x 2^31", [1 << 31, 1 << 31], ""),
        ("2^62 x 0 x 2^62", [1 << 62, 0, 1 << 62], ""),
        ("2^40", [1 << 40], "8 bytes of data"),
    ):
        box.refused(f"dims {name}", add_w(tensor("w", dims, FLOAT, b"\0" * 8)), INVALID, "'w'")
        if mention:
            box.refused(
                f"dims {name}, cause", add_w(tensor("w", dims, FLOAT, b"\0" * 8)), INVALID, mention
            )
    many = [1] * 9
    box.refused("9 dims", add_w(tensor("w", many, FLOAT, b"\0" * 4)), LIMIT, "8 dimensions")
    many = [1] * 100000
    box.refused("100,000 dims", add_w(tensor("w", many, FLOAT, b"\0" * 4)), LIMIT, "8 dimensions")


def amounts(box):
    for name, w, mention in (
        ("zero dim with data", tensor("w", [0], FLOAT, b"\0" * 4), "4 bytes"),
        ("zero dim with numbers", tensor("w", [0], FLOAT, extra=field(4, floats(1))), "1 numbers"),
        ("too little", tensor("w", [2], FLOAT, b"\0" * 4), "4 bytes"),
        ("too much", tensor("w", [2], FLOAT, b"\0" * 12), "12 bytes"),
        ("no multiple", tensor("w", [2], FLOAT, b"\0" * 7), "7 bytes"),
        ("one number short", tensor("w", [3], FLOAT, extra=field(4, floats(1, 2))), "2 numbers"),
        ("one number long", tensor("w", [1], FLOAT, extra=field(4, floats(1, 2))), "2 numbers"),
        ("4096 bytes for one", tensor("w", [1], INT64, b"\0" * 4096), "4096 bytes"),
        ("8 bytes for 512", tensor("w", [512], INT64, b"\0" * 8), "8 bytes"),
        ("no data", tensor("w", [1], FLOAT), "0 numbers"),
        ("other list", tensor("w", [1], FLOAT, extra=field(7, b"\x01")), "int64_data"),
        ("raw and list", tensor("w", [1], FLOAT, floats(1), field(4, floats(2))), "both"),
        (
            "raw and other list",
            tensor("w", [1], FLOAT, floats(1), field(7, b"\x01")),
            "both",
        ),
        (
            "two lists",
            tensor("w", [1], FLOAT, extra=field(4, floats(1)) + field(7, b"\x01")),
            "int64_data",
        ),
        ("strings as raw", tensor("w", [1], STRING, b"abc"), "raw"),
        ("segment", tensor("w", [1], FLOAT, floats(1), field(3, field(1, 0) + field(2, 4))), ""),
    ):
        box.refused(name, add_w(w), {INVALID, UNSUPPORTED}, "'w'")
        box.refused(f"{name}, cause", add_w(w), {INVALID, UNSUPPORTED}, mention)
    cut = tensor("w", [1], FLOAT, extra=field(4, floats(1)[:3]))
    box.refused("list cut inside a number", add_w(cut), PARSE, "cut off")


def element_types(box):
    for dtype, code in ((0, INVALID), (27, UNSUPPORTED), (1000, UNSUPPORTED), (-1, INVALID)):
        w = tensor("w", [1], dtype, b"\0" * 4)
        box.refused(f"element type {dtype}", add_w(w), code, f"element type {dtype}")
        constant = node("Constant", [], ["y"], {"value": Tensor(w)})
        box.refused(f"element type {dtype} of a constant", simple(constant), code, "Constant")
        cast = node("Cast", ["x"], ["y"], {"to": dtype})
        box.refused(f"Cast to {dtype}", simple(cast), {INVALID, UNSUPPORTED}, "Cast")
    nameless = repeated(1, [1]) + field(8, "w") + field(9, floats(1))
    box.refused("no element type", add_w(nameless), INVALID, "'w'")


def packed(box):
    """Two or four elements a byte; odd counts are legal and end in half a byte."""
    for name, dtype, count, raw, fits in (
        ("int4 x 3 in 2 bytes", INT4, 3, b"\x21\x03", True),
        ("int4 x 3 in 1 byte", INT4, 3, b"\x21", False),
        ("int4 x 3 in 3 bytes", INT4, 3, b"\x21\x03\x04", False),
        ("uint4 x 1 in 1 byte", UINT4, 1, b"\x01", True),
        ("uint4 x 1 in 0 bytes", UINT4, 1, b"", False),
        ("uint4 x 2^62", UINT4, 1 << 62, b"\x01", False),
        ("uint2 x 5 in 2 bytes", UINT2, 5, b"\x1b\x01", True),
        ("uint2 x 5 in 1 byte", UINT2, 5, b"\x1b", False),
    ):
        w = cast_w(tensor("w", [count], dtype, raw))
        if fits:
            box.accepted(name, w)
        else:
            box.refused(name, w, INVALID, "'w'")
    for count, numbers, fits in (
        (3, b"\x21\x03", True),
        (3, b"\x21", False),
        (4, b"\x21\x03\x04", False),
    ):
        w = cast_w(tensor("w", [count], INT4, extra=field(5, numbers)))
        if fits:
            box.accepted(f"int4 x {count} in {len(numbers)} numbers", w)
        else:
            box.refused(f"int4 x {count} in {len(numbers)} numbers", w, INVALID, "'w'")


def misaligned(box):
    """Data may lie anywhere in the file."""
    n = 3000
    for shift in range(4):
        raw = struct.pack(f"<{n}d", *range(n))
        w = field(12, "d" * shift) + tensor("w", [n], DOUBLE, raw)
        box.accepted(f"float64 at byte offset {shift}", add_w(w, DOUBLE))
    box.accepted("a bool of 255", cast_w(tensor("w", [2], BOOL, b"\xff\x02")))
    box.accepted(
        "float16 by numbers", cast_w(tensor("w", [1], FLOAT16, extra=field(5, b"\x80\x78")))
    )


def sparse(box):
    def holder(values, indices, dims):
        return field(1, values) + field(2, indices) + repeated(3, dims)

    def constant(s):
        out = field(1, "sparse_value") + field(22, s) + field(20, 11)
        return simple(node("Constant", [], ["y"], raw_attrs=[out]), x=None)

    one = tensor("w", [1], FLOAT, floats(1))
    for name, values, indices, dims in (
        ("index past the end", one, tensor("", [1], INT64, int64s(4)), [4]),
        ("negative index", one, tensor("", [1], INT64, int64s(-1)), [4]),
        ("indices of another count", one, tensor("", [2], INT64, int64s(0, 1)), [4]),
        ("negative dims", one, tensor("", [1], INT64, int64s(0)), [-4]),
        ("dims that overflow", one, tensor("", [1], INT64, int64s(0)), [1 << 32, 1 << 32]),
        ("indices as floats", one, tensor("", [1], FLOAT, floats(0)), [4]),
        ("values of rank 2", tensor("w", [1, 1], FLOAT, floats(1)), one, [4]),
        ("2^40 elements", one, tensor("", [1], INT64, int64s(0)), [1 << 40]),
    ):
        box.refused(
            f"sparse: {name}",
            constant(holder(values, indices, dims)),
            {INVALID, LIMIT, UNSUPPORTED},
            "Constant",
        )
    box.refused(
        "sparse: half a billion zeros",
        constant(holder(one, tensor("", [1], INT64, int64s(0)), [1 << 27])),
        {LIMIT},
        "Constant",
        "--max-memory",
        "100M",
    )


def attributes(box):
    """Attributes that are tensors are read with the same care."""
    for name, w in (
        ("short", tensor("w", [4], FLOAT, b"\0" * 4)),
        ("negative", tensor("w", [-4], FLOAT, b"\0" * 16)),
        ("unnamed and huge", repeated(1, [1 << 50]) + field(2, FLOAT) + field(9, b"\0")),
    ):
        constant = node("Constant", [], ["y"], {"value": Tensor(w)}, name="c")
        box.refused(f"constant: {name}", simple(constant, x=None), INVALID, "'c'")
        fill = node("ConstantOfShape", ["x"], ["y"], {"value": Tensor(w)}, name="c")
        box.refused(f"attribute: {name}", simple(fill, dtype=INT64), INVALID, "'value'")
    empty = field(1, "value") + field(20, 4)
    box.refused(
        "a tensor attribute without tensor",
        simple(node("Constant", [], ["y"], raw_attrs=[empty])),
        INVALID,
        "Constant",
    )


ALL = [dimensions, amounts, element_types, packed, misaligned, sparse, attributes]
