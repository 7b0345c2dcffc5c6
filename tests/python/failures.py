# SPDX-License-Identifier: Apache-2.0
"""Errors: their classes, their texts, and that a session works after them."""

import ingot
import models
import numpy as np
from models import FLOAT, model, node, tensor


def refuses(report, name, wrong, word, function):
    try:
        function()
        report.failed(name, "is taken")
    except wrong as e:
        report.check(name, word in str(e) and "\n" not in str(e), f"{type(e).__name__}: {e}")
    except Exception as e:
        report.failed(name, f"{type(e).__name__}: {e}, wanted {wrong.__name__}")


def classes(report):
    for kind, builtin in ((ingot.OutOfMemoryError, MemoryError), (ingot.FileError, OSError), (ingot.ParseError, ValueError),
                          (ingot.ShapeError, ValueError), (ingot.UnsupportedError, NotImplementedError), (ingot.LimitError, RuntimeError)):
        report.check(kind.__name__, issubclass(kind, ingot.Error) and issubclass(kind, builtin))


def opening(report):
    refuses(report, "no such file", ingot.FileError, "none.onnx", lambda: ingot.Session("none.onnx"))
    refuses(report, "nonsense", ingot.ParseError, "", lambda: ingot.Session(b"nonsense"))
    refuses(report, "nothing", ingot.Error, "", lambda: ingot.Session(b""))
    unknown = model([node("NoSuchOperator", ["x"], ["y"])], [tensor("x", FLOAT, [1])], [tensor("y", FLOAT, [1])])
    refuses(report, "unknown operator", ingot.UnsupportedError, "NoSuchOperator", lambda: ingot.Session(unknown))
    refuses(report, "a model of the wrong kind", TypeError, "", lambda: ingot.Session(3))
    refuses(report, "an unknown option", TypeError, "", lambda: ingot.Session(models.DIGITS, speed=9))


def running(report):
    session = ingot.Session(models.one_node("Relu"), threads=1)
    x = np.float32([1, -1, 2, -2])
    odd = np.zeros(4, [("a", np.float32), ("b", np.int32)])
    cases = [
        ("wrong shape", ingot.ShapeError, "x", [x[:3]]),
        ("wrong rank", ingot.ShapeError, "x", [x[None]]),
        ("9 dimensions", ingot.Error, "9", [np.ones((1,) * 9, np.float32)]),
        ("wrong type", ingot.ShapeError, "float64", [x.astype(np.float64)]),
        ("strings for numbers", ingot.ShapeError, "string", [np.array(["a"] * 4)]),
        ("words for numbers", ingot.ShapeError, "x", [["a", "b"]]),
        ("uneven lists", ingot.ShapeError, "x", [[[1], [2, 3]]]),
        ("dates", ingot.UnsupportedError, "datetime64", [x.astype("M8[s]")]),
        ("records", ingot.UnsupportedError, "x", [odd]),
        ("objects", ingot.ShapeError, "", [np.array([object()] * 4)]),
        ("no input", ingot.InvalidError, "x", []),
        ("None", ingot.InvalidError, "x", [None]),
        ("too many", ingot.InvalidError, "2 inputs", [x, x]),
        ("unknown name", ingot.InvalidError, '"z"', {"z": x}),
        ("a name too many", ingot.InvalidError, '"z"', {"x": x, "z": x}),
        ("a number for a name", ingot.InvalidError, "x", {3: x}),
    ]
    for name, wrong, word, feeds in cases:
        refuses(report, name, wrong, word, lambda feeds=feeds: session.run(feeds))
    refuses(report, "unknown output", ingot.InvalidError, '"z"', lambda: session.run([x], "z"))
    refuses(report, "unknown argument", TypeError, "", lambda: session.run([x], speed=9))
    refuses(report, "three arguments", TypeError, "", lambda: session.run([x], None, None))
    refuses(report, "feeds twice", TypeError, "", lambda: session.run([x], feeds=[x]))
    refuses(report, "by position and by name", TypeError, "", lambda: session(x, x=x))

    class Angry:
        def __array__(self, *args, **kwargs):
            raise KeyError("from inside")

    refuses(report, "exceptions of objects come through", KeyError, "from inside", lambda: session.run([Angry()]))
    report.check("works after all", session(x).tolist() == [1, 0, 2, 0])


class Meddler:
    """Empties the dict that it is an input of, while it is read."""

    def __init__(self, feeds):
        self.feeds = feeds

    def __array__(self, *args, **kwargs):
        self.feeds.clear()
        return np.float32([1, -1, 2, -2])


def meddling(report):
    session = ingot.Session(models.one_node("Relu"), threads=1)
    feeds = {}
    feeds["x"] = Meddler(feeds)
    try:
        report.check("a dict that changes while it is read", session.run(feeds)["y"].tolist() == [1, 0, 2, 0])
    except ingot.Error as e:
        report.passed("a dict that changes while it is read", str(e))
    loop = []
    loop.append(loop)
    sequence = models.helper.make_tensor_sequence_value_info
    echo = ingot.Session(model([node("Identity", ["x"], ["y"])], [sequence("x", FLOAT, None)], [sequence("y", FLOAT, None)]))
    refuses(report, "a list that holds itself", RecursionError, "", lambda: echo.run([loop]))


ALL = [classes, opening, running, meddling]
