# SPDX-License-Identifier: Apache-2.0
"""Files that are no well-formed protobuf: cut anywhere, lengths and numbers that lie, groups."""

import ctypes
import glob
import os

import places
from box import INVALID, LIMIT, PARSE, SHAPE, UNSUPPORTED
from report import Skip
from wire import FLOAT, Graph, field, floats, graph, model, node, simple, tag
from wire import tensor, value, varint

RELU = simple(node("Relu", ["x"], ["y"]))


class Library:
    """Opens models from memory that is exactly as long as the data."""

    class Error(ctypes.Structure):
        _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 1020)]

    def __init__(self):
        self.lib, self.libc = ctypes.CDLL(places.library()), ctypes.CDLL(None)
        self.libc.malloc.restype = ctypes.c_void_p
        self.libc.malloc.argtypes = [ctypes.c_size_t]
        self.libc.free.argtypes = [ctypes.c_void_p]
        self.lib.ingot_model_open_memory.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [
            ctypes.c_void_p
        ] * 3
        self.lib.ingot_model_close.argtypes = [ctypes.c_void_p]

    def open(self, data):
        """(status, message) of opening the bytes."""
        error, handle = self.Error(), ctypes.c_void_p()
        exact = self.libc.malloc(max(len(data), 1))
        ctypes.memmove(exact, data, len(data))
        status = self.lib.ingot_model_open_memory(
            exact, len(data), None, ctypes.byref(handle), ctypes.byref(error)
        )
        self.lib.ingot_model_close(handle)
        self.libc.free(exact)
        return status, error.message.decode(errors="replace")


def cut_everywhere(report, paths, step):
    library, n_opened = Library(), 0
    for path in paths:
        with open(path, "rb") as f:
            data = f.read()
        wrong = []
        for n in range(0, len(data), step):
            status, message = library.open(data[:n])
            n_opened += status == 0
            if status == 9 or (status and (not message or "\n" in message)):
                wrong.append(f"{n} bytes: status {status}, {message!r}")
        report.check(f"{os.path.basename(path)} cut at every byte", not wrong, "; ".join(wrong[:3]))
    report.check("a cut model is a broken one", n_opened <= len(paths) * 8, f"{n_opened} opened")


def truncated_everywhere(box):
    """A cut between two fields can leave a legal file, so a few of them open."""
    corpus = os.path.join(places.ROOT, "tests", "fuzz", "corpus")
    paths = sorted(glob.glob(os.path.join(corpus, "onnx", "*.onnx")))
    paths += sorted(glob.glob(os.path.join(corpus, "run", "*.onnx")))
    if not paths:
        raise Skip("no corpus of models")
    paths = [path for path in paths if os.path.getsize(path) < 1000]
    step = 7 if box.is_quick else 1
    box.report.isolated("truncated", cut_everywhere, paths, step, seconds=60)


def lengths(box):
    body = field(7, graph([node("Relu", ["x"], ["y"])], [value("x")], [value("y")]))
    for name, n in (
        ("one past the end", len(body) + 1),
        ("2 GiB", 1 << 31),
        ("2^63", 1 << 63),
        ("2^64 - 1", -1),
    ):
        box.refused(f"length {name}", tag(7, 2) + varint(n) + body, PARSE, "past the end")
    box.refused("varint of 11 bytes", b"\x08" + b"\xff" * 10 + b"\x01" + RELU, PARSE, "at byte 1")
    box.refused("varint without end", RELU + b"\x08" + b"\xff" * 200, PARSE, "bad varint")
    box.refused("tag of 6 bytes", b"\xff\xff\xff\xff\xff\x01" + RELU, PARSE, "tag")
    box.refused("field number 0", b"\x00\x00" + RELU, PARSE, "field number 0")
    for wire in (6, 7):
        box.refused(f"wire type {wire}", tag(9, wire) + b"\0" + RELU, PARSE, "wire type")
    box.refused("graph as a number", field(7, 5), PARSE, "wire type")
    box.refused("IR version as text", field(1, "eight") + RELU, PARSE, "wire type")


def groups(box):
    box.accepted("an unknown group is skipped", RELU + tag(99, 3) + field(1, 1) + tag(99, 4))
    box.refused("group without end", RELU + tag(99, 3), PARSE, "group")
    box.refused("end without group", tag(99, 4) + RELU, PARSE, "group")
    box.refused("group closed by another", RELU + tag(99, 3) + tag(98, 4), PARSE, "group")
    box.refused("10,000 groups", RELU + tag(99, 3) * 10000 + tag(99, 4) * 10000, PARSE, "deep")
    box.refused("graph as a group", tag(7, 3) + tag(7, 4), PARSE, "")


def nested(n, wrap, core=b""):
    for _ in range(n):
        core = wrap(core)
    return core


def nesting(box):
    def in_if(body):
        inner = Graph(body or graph([], outputs=[value("y")]))
        return graph([node("If", ["x"], ["y"], {"then_branch": inner})], outputs=[value("y")])

    depth = 1000 if box.is_quick else 10000
    deep = nested(depth, in_if)
    deep += field(11, value("x"))
    box.refused(f"{depth} graphs in each other", model(deep), LIMIT, "nested deeper")
    kind = nested(depth, lambda t: field(4, field(1, t)), field(1, field(1, FLOAT)))
    body = graph([node("Relu", ["x"], ["y"])], [field(1, "x") + field(2, kind)], [value("y")])
    box.refused(f"{depth} sequences in each other", model(body), {LIMIT, UNSUPPORTED}, "'x'")
    kind = nested(depth, lambda t: field(9, field(1, t)), field(1, field(1, FLOAT)))
    body = graph([node("Relu", ["x"], ["y"])], [field(1, "x") + field(2, kind)], [value("y")])
    box.refused(f"{depth} optionals in each other", model(body), {LIMIT, UNSUPPORTED}, "'x'")


def claimed_items(box):
    """Numbers that a file claims to have, without having them."""
    billion = 10**9
    for name, number in (("dims", 1), ("float_data", 4), ("int64_data", 7)):
        data = field(2, FLOAT) + field(8, "w") + tag(number, 2) + varint(billion) + b"\0" * 8
        body = tag(5, 2) + varint(len(data)) + data
        box.refused(f"10^9 {name}", model(body), PARSE, "past the end")
    w = tensor("w", [billion], FLOAT, extra=field(4, floats(1, 2)))
    box.refused("dims of 10^9, two numbers", simple(initializers=[w]), INVALID, "2 numbers")
    many = field(1, "axes") + field(8, b"\x01" * 4000000) + field(20, 7)
    add = node("ReduceSum", ["x"], ["y"], raw_attrs=[many])
    box.refused("4,000,000 axes", simple(add, version=11), {INVALID, SHAPE}, "ReduceSum")


def duplicate_scalars(box):
    """The last of several scalars counts, as in every protobuf reader."""
    twice = field(2, 6) + field(2, FLOAT)
    w = field(1, 2) + twice + field(8, "w") + field(9, floats(1, 2))
    box.accepted(
        "element type twice", simple(node("Add", ["x", "w"], ["y"]), x=(2,), initializers=[w])
    )
    box.refused("two graphs", RELU + RELU, PARSE, "second graph")


ALL = [truncated_everywhere, lengths, groups, nesting, claimed_items, duplicate_scalars]
