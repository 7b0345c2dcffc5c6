# SPDX-License-Identifier: Apache-2.0
"""Sessions: ways to call, outputs, options, custom operators, inspection."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import types

import ingot
import models
import numpy as np
import places
from models import FLOAT, model, node, tensor
from report import Skip


def two_by_two():
    return ingot.Session(
        model(
            [node("Add", ["a", "b"], ["sum"]), node("Sub", ["a", "b"], ["difference"])],
            [tensor("a", FLOAT, ["n"]), tensor("b", FLOAT, ["n"])],
            [tensor("sum", FLOAT, ["n"]), tensor("difference", FLOAT, ["n"])],
        ),
        threads=1,
    )


def calls(report):
    session = two_by_two()
    a, b = np.float32([5, 7]), np.float32([1, 2])
    as_list = session.run([a, b])
    report.check("list", isinstance(as_list, list) and as_list[0].tolist() == [6, 9] and as_list[1].tolist() == [4, 5])
    as_dict = session.run({"b": b, "a": a})
    report.check("dict", list(as_dict) == ["sum", "difference"] and as_dict["difference"].tolist() == [4, 5])
    mapping = types.MappingProxyType({"a": a, "b": b})
    report.check("mapping", session.run(mapping)["sum"].tolist() == [6, 9])
    report.check("call by position", [x.tolist() for x in session(a, b)] == [[6, 9], [4, 5]])
    report.check("call by name", [x.tolist() for x in session(b=b, a=a)] == [[6, 9], [4, 5]])
    report.check("one name", session.run([a, b], "difference")[0].tolist() == [4, 5])
    picked = session.run({"a": a, "b": b}, outputs=["difference", "sum"])
    report.check("order of outputs", list(picked) == ["difference", "sum"])
    first = session.run([a, b])[0]
    session.run([b, b])
    report.check("outputs are kept", first.tolist() == [6, 9] and first.flags.owndata and first.flags.writeable)


def given_outputs(report):
    session = two_by_two()
    a, b = np.float32([5, 7]), np.float32([1, 2])
    room = np.zeros(2, np.float32)
    got = session.run([a, b], out=[None, room])
    report.check("out by position", got[1] is room and room.tolist() == [4, 5] and got[0].tolist() == [6, 9])
    got = session.run({"a": a, "b": b}, out={"sum": room})
    report.check("out by name", got["sum"] is room and room.tolist() == [6, 9])
    part = np.zeros(6, np.float32)
    session.run([a, b], "sum", out=part[2:4])
    report.check("out in the middle of an array", part.tolist() == [0, 0, 6, 9, 0, 0], str(part))
    frozen = np.zeros(2, np.float32)
    frozen.flags.writeable = False
    bad = [np.zeros(3, np.float32), np.zeros(2, np.float64), np.zeros((1, 2), np.float32), np.zeros(4, np.float32)[::2], frozen, "x"]
    for array in bad:
        try:
            session.run([a, b], out=[array, None])
            report.failed("out", f"takes {array!r}")
        except (ingot.ShapeError, ingot.InvalidError) as e:
            report.check(f"out refuses {getattr(array, 'shape', array)}", str(e).startswith("out: "), str(e))
    for out in ([room], {"nothing": room}):
        try:
            session.run([a, b], out=out)
            report.failed("out", f"takes {out!r}")
        except ingot.InvalidError:
            report.passed("out must fit the outputs")


def views(report):
    session = two_by_two()
    a, b = np.float32([5, 7]), np.float32([1, 2])
    view = session.run([a, b], copy=False)[0]
    report.check("view", view.tolist() == [6, 9] and not view.flags.writeable and not view.flags.owndata)
    try:
        session.run([b, b])
        report.failed("a run with a view alive", "runs")
    except ingot.InvalidError as e:
        report.check("a run with a view alive", "copy=False" in str(e) and view.tolist() == [6, 9], str(e))
    part = view[1:]
    del view
    try:
        session.run([b, b])
        report.failed("a run with a part of a view alive", "runs")
    except ingot.InvalidError:
        report.passed("a run with a part of a view alive")
    del part
    report.check("a run when views are gone", session.run([b, b])[0].tolist() == [2, 4])
    last = two_by_two().run([a, b], copy=False)
    report.check("a view outlives the name of its session", last[0].tolist() == [6, 9])


def defaults(report):
    """Initializers that are inputs, too: constants, or inputs with a default, by name."""
    data = models.sum_with_default()
    x, w = np.float32([1, 2]), np.float32([10, 20])
    for opt in ("none", "all"):
        frozen = ingot.Session(data, opt=opt)
        report.check(f"constant at {opt}", frozen.run({"x": x})["y"].tolist() == [2, 4])
        try:
            frozen.run({"x": x, "w": w})
            report.failed("feeding a constant", "is taken")
        except ingot.InvalidError as e:
            report.passed("feeding a constant", str(e))
        open_ = ingot.Session(data, opt=opt, overridable=["w"])
        port = open_.inputs[1]
        report.check(f"an input with a default at {opt}", port.name == "w" and port.has_default)
        report.check(f"default at {opt}", open_.run({"x": x})["y"].tolist() == [2, 4])
        report.check(f"fed at {opt}", open_.run({"x": x, "w": w})["y"].tolist() == [11, 22])
        report.check(f"default again at {opt}", open_.run({"x": x})["y"].tolist() == [2, 4])
    try:
        ingot.Session(data, overridable=["v"])
        report.failed("overridable that is none", "is taken")
    except ingot.InvalidError as e:
        report.check("overridable that is none", "'v'" in str(e), str(e))


def elsewhere(report):
    """Weights in a file: found beside the model, or in the folder that the caller names."""
    x = np.float32([1, 2])
    data = models.sum_with_weights_in("w.bin")
    with tempfile.TemporaryDirectory() as folder:
        np.float32([10, 20]).tofile(os.path.join(folder, "w.bin"))
        for name, place in (("str", folder), ("path", pathlib.Path(folder))):
            got = ingot.Session(data, data_folder=place).run({"x": x})["y"]
            report.check(f"bytes, and a folder as {name}", got.tolist() == [11, 22], str(got))
        try:
            ingot.Session(data)
            report.failed("bytes without a folder", "is taken")
        except ingot.Error as e:
            report.check("bytes without a folder", "data_folder" in str(e), str(e))
        try:
            ingot.Session(ingot.Session(data, data_folder=folder), data_folder=folder)
            report.failed("a folder for a shared model", "is taken")
        except ValueError:
            report.passed("a folder for a shared model")


def options(report):
    x = np.ones((1, 1, 28, 28), np.float32)
    want = ingot.Session(models.DIGITS, threads=1)(x)
    for given in ({"opt": "none"}, {"opt": "basic"}, {"cpu": "ref"}, {"cpu": "portable"}, {"threads": 2}, {"disable_passes": ingot.passes()},
                  {"precision": "fp32-strict"}):
        got = ingot.Session(models.DIGITS, **given)(x)
        report.check(f"digits with {given}", np.allclose(got, want, atol=1e-5), str(np.abs(got - want).max()))
    report.check("threads", ingot.Session(models.DIGITS, threads=2).threads == 2)
    random = model([node("RandomNormal", [], ["y"], shape=[4])], [], [tensor("y", FLOAT, [4])])
    one, same, other = (ingot.Session(random, seed=seed)() for seed in (1, 1, 2))
    report.check("seed", np.array_equal(one, same) and not np.array_equal(one, other))
    with open(models.DIGITS, "rb") as f:
        data = f.read()
    for form in (data, bytearray(data), memoryview(data)):
        report.check(f"digits from {type(form).__name__}", np.array_equal(ingot.Session(form, threads=1)(x), want))
    for given, wrong in (({"opt": "most"}, ValueError), ({"precision": "int3"}, ValueError), ({"cpu": "abacus"}, ingot.InvalidError), ({"max_memory": 1000}, ingot.LimitError),
                         ({"disable_passes": "none-such"}, ingot.InvalidError), ({"custom_ops": "/none/such.so"}, ingot.FileError)):
        try:
            ingot.Session(models.DIGITS, **given)
            report.failed(f"options {given}", "are taken")
        except wrong as e:
            report.passed(f"options {given}", str(e))


def custom_operators(report):
    compiler = shutil.which(os.environ.get("CC", "cc").split()[0])
    if not compiler:
        raise Skip("no C compiler here")
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "custom_op.so")
        examples = os.path.join(places.ROOT, "examples")
        command = [compiler, "-shared", "-fPIC", os.path.join(examples, "custom_op.c"), "-I" + os.path.join(places.ROOT, "include"), "-o", library]
        subprocess.run(command, check=True)
        path = os.path.join(examples, "custom_op.onnx")
        session = ingot.Session(path, custom_ops=library)
        frames, energy = session(np.float32([-1, 0, 2, 1, 0.25, 3]))
        report.check("custom operators run", frames.tolist() == [[-0.5, 0, 1.5, 0.5], [1.5, 0.5, 0, 2.5]], str(frames))
        report.check("and what follows them", energy.tolist() == [2.75, 8.75], str(energy))
        try:
            ingot.Session(path)
            report.failed("without the library", "opens")
        except ingot.UnsupportedError as e:
            report.passed("without the library", str(e))


def precisions(report):
    """The kernels of a 3x3 convolution by precision and INGOT_FORCE, and their answers."""
    rng = np.random.default_rng(5)
    weights, x = rng.standard_normal((64, 32, 3, 3), np.float32), rng.standard_normal((1, 32, 40, 37), np.float32)
    data = model([node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1])], [tensor("x", FLOAT, x.shape)], [tensor("y", FLOAT, (1, 64, 40, 37))],
                 initializer=[models.constant("w", weights)])
    answers, saved = {}, os.environ.pop("INGOT_FORCE", None)
    for force, precision, mark in (("conv:direct", "fp32", "ig_k_conv_"), (None, "fp32", "_f4_"), (None, "fp32-strict", "_f2_"),
                                   ("conv:winograd2", "fp32", "_f2_"), ("conv:winograd4", "fp32", "_f4_")):
        if force:
            os.environ["INGOT_FORCE"] = force
        session = ingot.Session(data, precision=precision, threads=2)
        answers[force or precision] = session(x)
        kernels = [step.kernel for step in session.steps()]
        report.check(f"kernel of {force}, {precision}", any(mark in kernel for kernel in kernels), str(kernels))
        os.environ.pop("INGOT_FORCE", None)
    if saved is not None:
        os.environ["INGOT_FORCE"] = saved
    for name, y in answers.items():
        off = float(np.abs(y - answers["conv:direct"]).max())
        report.check(f"answer of {name}", off <= 2e-4, str(off))
    report.check("strict is F(2x2)", np.array_equal(answers["fp32-strict"], answers["conv:winograd2"]))


def facts(report):
    session = ingot.Session(models.DIGITS, threads=1)
    port = session.inputs[0]
    report.check("input", (port.name, port.dtype, port.shape, port.kind) == ("picture", "float32", ("N", 1, 28, 28), "tensor"), str(port))
    report.check("NumPy's type", port.numpy_dtype == np.float32)
    report.check("inspect", ingot.inspect(models.DIGITS) == session.info)
    report.check("operators", session.info.operators["Conv"] == 3 and session.info.n_parameters == 43354)
    steps = ingot.profile(session, runs=2)
    report.check("profile", len(steps) > 3 and all(step.n_runs == 2 and step.total_ns >= 2 * step.min_ns > 0 for step in steps))
    before = session.steps()[0].n_runs
    session(np.zeros((1, 1, 28, 28), np.float32))
    report.check("profiling ends", session.steps()[0].n_runs == before)
    report.check("graph", "Conv" in session.graph() and session.graph("dot").startswith("digraph"))
    report.check("memory", session.memory["total"][1] >= session.memory["total"][0] > 0)
    report.check("repr", "picture: float32[N, 1, 28, 28]" in repr(session), repr(session))


ALL = [calls, given_outputs, views, defaults, elsewhere, options, precisions, custom_operators, facts]
