# SPDX-License-Identifier: Apache-2.0
"""Values in and out: every element type, every layout, everything that is no tensor."""

import array

import ingot
import ml_dtypes
import models
import numpy as np
from ingot import _values
from models import BOOL, FLOAT, INT64, STRING, model, node, tensor
from onnx import TensorProto, helper

NUMPY = [np.float32, np.uint8, np.int8, np.uint16, np.int16, np.int32, np.int64, np.bool_, np.float16, np.float64, np.uint32,
         np.uint64, np.complex64, np.complex128]


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def numpy_types(report):
    rng = np.random.default_rng(0)
    for dtype in map(np.dtype, NUMPY):
        session = ingot.Session(models.identity(helper.np_dtype_to_tensor_dtype(dtype), ["n", "m"]), threads=1)
        x = rng.integers(0, 2, (3, 5)).astype(dtype)
        report.check(f"{dtype} comes back", same(session(x), x), repr(session(x)))
        report.check(f"{dtype} empty", same(session(x[:0]), x[:0]))
        big = x.astype(dtype.newbyteorder(">"))
        report.check(f"{dtype} in the other byte order", same(session(big), x))
        report.check(f"NumPy's type of {dtype}", session.inputs[0].numpy_dtype == dtype)


def other_types(report):
    """Those of ml_dtypes, and their bits."""
    rng = np.random.default_rng(1)
    for code, (name, bits) in _values._EXTRA.items():
        session = ingot.Session(models.identity(code, ["n"]), threads=1)
        dtype = np.dtype(getattr(ml_dtypes, name))
        width = np.uint16 if bits == 16 else np.uint8
        for n in (0, 1, 2, 3, 4, 5, 15):
            raw = rng.integers(0, 1 << bits, n).astype(width)
            x = raw.astype(np.int8).astype(dtype) if name in ("int4", "int2") else raw.view(dtype)
            y = session(x)
            report.check(f"{n} of {name}", y.dtype == dtype and np.array_equal(x.view(width), y.view(width)), f"{x} {y}")
        if name in ("int4", "int2"):
            x = np.array([-1, 1, -2, 0, 1], np.int8).astype(dtype)
            report.check(f"signs of {name}", session(x).astype(np.int8).tolist() == [-1, 1, -2, 0, 1], str(session(x)))
        raw = rng.integers(0, 1 << bits, 9).astype(width)
        y = session(raw)
        mask = (1 << bits) - 1
        report.check(f"bits of {name}", np.array_equal(y.view(width) & width(mask), raw), f"{raw} {y.view(width)}")


def without_ml_dtypes(report):
    kept, _values._ml_dtypes = _values._ml_dtypes, lambda: None
    try:
        for code, (name, bits) in _values._EXTRA.items():
            session = ingot.Session(models.identity(code, ["n"]), threads=1)
            raw = (np.arange(7) % (1 << bits)).astype(np.uint16 if bits == 16 else np.uint8)
            report.check(f"bits of {name} without ml_dtypes", same(session(raw), raw), repr(session(raw)))
    finally:
        _values._ml_dtypes = kept


def layouts(report):
    session = ingot.Session(models.identity(FLOAT, ["n", "m"]), threads=1)
    base = np.arange(48, dtype=np.float32).reshape(6, 8)
    frozen = base.copy()
    frozen.flags.writeable = False
    room = np.zeros(base.nbytes + 1, np.uint8)
    crooked = room[1:].view(np.float32).reshape(6, 8)
    crooked[:] = base
    cases = {"C": base, "Fortran": np.asfortranarray(base), "transposed": base.T, "reversed": base[::-1], "steps": base[::2, 1::3],
             "read-only": frozen, "unaligned": crooked, "broadcast": np.broadcast_to(base[:1], (6, 8)), "part": base[2:4]}
    for name, x in cases.items():
        report.check(f"layout {name}", same(session(x), np.ascontiguousarray(x)), repr(session(x)))
    scalar = ingot.Session(models.identity(FLOAT, []), threads=1)
    for x in (np.float32(3), np.array(3, np.float32), 3, 3.0):
        report.check(f"scalar {type(x).__name__}", same(scalar(x), np.array(3, np.float32)))
    row = ingot.Session(models.identity(FLOAT, ["n"]), threads=1)
    want = np.float32([1, 2, 3])
    for x in ([1, 2, 3], (1, 2, 3), array.array("f", [1, 2, 3]), memoryview(want), range(1, 4)):
        report.check(f"from {type(x).__name__}", same(row.run([x])[0], want))
    deep = ingot.Session(models.identity(FLOAT, list("abcdefgh")), threads=1)
    x = np.ones((1, 2) * 4, np.float32)
    report.check("8 dimensions", same(deep(x), x))


class OnlyDlpack:
    """An array of another library, as far as DLPack shows it."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def dlpack(report):
    session = ingot.Session(models.identity(FLOAT, ["n"]), threads=1)
    x = np.float32([1, 2, 3])
    y = session(OnlyDlpack(x))
    report.check("DLPack in", same(y, x))
    report.check("DLPack out", same(np.from_dlpack(y), x))


def strings(report):
    session = ingot.Session(models.identity(STRING, ["n", "m"]), threads=1)
    words = [["a", "", "für"], ["日本", "x" * 300, "e\0f"]]
    want = np.array(words, dtype=object)
    forms = {"object": want, "list": words, "str": np.array(words), "bytes": np.array([[w.encode() for w in row] for row in words], dtype=object),
             "transposed twice": want.T.copy().T}
    for name, x in forms.items():
        y = session.run([x])[0]
        report.check(f"strings from {name}", y.dtype == object and y.tolist() == words, repr(y))
    report.check("no strings", session(np.empty((0, 3), dtype=object)).shape == (0, 3))
    odd = b"\xff\xfe".decode("utf-8", "surrogateescape")
    report.check("bytes that are no text", session.run([[[b"\xff\xfe"]]])[0][0, 0] == odd)


def sequences(report):
    info = helper.make_tensor_sequence_value_info
    session = ingot.Session(model([node("Identity", ["x"], ["y"])], [info("x", FLOAT, None)], [info("y", FLOAT, None)]), threads=1)
    items = [np.float32([1, 2]), np.ones((2, 3), np.float32), np.float32(4)]
    y = session.run([items])[0]
    report.check("sequence", isinstance(y, list) and all(same(a, np.asarray(b)) for a, b in zip(y, items)) and len(y) == 3, repr(y))
    report.check("empty sequence", session.run([[]])[0] == [])
    report.check("sequence by name", len(session.run({"x": items})["y"]) == 3)
    texts = ingot.Session(model([node("Identity", ["x"], ["y"])], [info("x", STRING, None)], [info("y", STRING, None)]), threads=1)
    y = texts.run([[np.array(["a", "b"], dtype=object)]])[0]
    report.check("sequence of strings", y[0].tolist() == ["a", "b"], repr(y))


def maps(report):
    entry = helper.make_map_type_proto
    number = helper.make_tensor_type_proto(FLOAT, None)
    for key, feed in ((STRING, {"b": 2.0, "z": 5.0}), (INT64, {10: 2.0, 20: 5.0})):
        names = {"string_vocabulary" if key == STRING else "int64_vocabulary": ["a", "b"] if key == STRING else [5, 10]}
        session = ingot.Session(
            model(
                [node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml", **names)],
                [helper.make_value_info("x", entry(key, number))],
                [tensor("y", FLOAT, None)],
                ml=1,
            ),
            threads=1,
        )
        report.check(f"map in, keys {key}", session.run([feed])[0].reshape(-1).tolist() == [0, 2], repr(session.run([feed])))
        report.check(f"map in by name, keys {key}", session.run({"x": feed})["y"].reshape(-1).tolist() == [0, 2])
    zipped = ingot.Session(
        model(
            [node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_strings=["a", "b"])],
            [tensor("x", FLOAT, ["n", 2])],
            [helper.make_value_info("y", helper.make_sequence_type_proto(entry(STRING, number)))],
            ml=1,
        ),
        threads=1,
    )
    y = zipped.run([np.float32([[1, 2], [3, 4]])])[0]
    report.check("maps out", y == [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}], repr(y))


def optionals(report):
    kind = helper.make_optional_type_proto(helper.make_tensor_type_proto(FLOAT, [2]))
    has = ingot.Session(
        model([node("OptionalHasElement", ["x"], ["y"])], [helper.make_value_info("x", kind)], [tensor("y", BOOL, [])], 18), threads=1
    )
    report.check("an optional without a value", not has.run([None])[0])
    report.check("an optional with a value", bool(has.run([np.float32([1, 2])])[0]))
    echo = ingot.Session(
        model([node("Identity", ["x"], ["y"])], [helper.make_value_info("x", kind)], [helper.make_value_info("y", kind)], 18), threads=1
    )
    report.check("no value comes out as None", echo.run([None])[0] is None)
    report.check("a value comes out", same(echo.run([np.float32([1, 2])])[0], np.float32([1, 2])))


def left_out(report):
    """An initializer that is listed as an input, too, is no input: the file's value counts."""
    value = helper.make_tensor("b", TensorProto.FLOAT, [1], [10.0])
    session = ingot.Session(
        model([node("Add", ["a", "b"], ["y"])], [tensor("a", FLOAT, [1]), tensor("b", FLOAT, [1])], [tensor("y", FLOAT, [1])], initializer=[value]),
        threads=1,
    )
    a = np.float32([1])
    for feeds in ([a], {"a": a}):
        got = session.run(feeds)
        report.check(f"initializer with {feeds}", float((got["y"] if isinstance(got, dict) else got[0])[0]) == 11, repr(got))


ALL = [numpy_types, other_types, without_ml_dtypes, layouts, dlpack, strings, sequences, maps, optionals, left_out]
