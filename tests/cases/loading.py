# SPDX-License-Identifier: Apache-2.0
"""Files: what they may leave out, say twice or name elsewhere; functions."""

import os
import subprocess
import time

import capi
import numpy as np
import places
from case import FLOAT, SITE, arr, body_of, f32, model_of, nodes_of
from onnx import AttributeProto, TensorProto, helper, numpy_helper

RNG = np.random.default_rng(29)
X = RNG.standard_normal((1, 2, 5, 5)).astype(f32)
ORT = "microsoft/onnxruntime/issues/"


def function(name, inputs, outputs, rows, attributes=(), nodes=()):
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    return helper.make_function(
        "local", name, inputs, outputs, [*nodes_of(rows), *nodes], imports, attributes
    )


def referring(node, name, ref, kind):
    node.attribute.append(AttributeProto(name=name, ref_attr_name=ref, type=kind))
    return node


def functions(suite):
    constant = referring(
        helper.make_node("Constant", [], ["c"]), "value_int", "inner", AttributeProto.INT
    )
    cast = helper.make_node("Cast", ["c"], ["d"], to=FLOAT)
    add = helper.make_node("Add", ["x", "d"], ["y"])
    inner = function("f1", ["x"], ["y"], [], ["inner"], [constant, cast, add])
    call = referring(
        helper.make_node("f1", ["x"], ["y"], domain="local"), "inner", "outer", AttributeProto.INT
    )
    outer = function("f", ["x"], ["y"], [], ["outer"], [call])
    suite.check(
        "D-11 an attribute handed on",
        ORT + "12506",
        [("f", "x", "y", {"outer": 1}, "local")],
        {"x": np.zeros(3, f32)},
        {"y": np.ones(3, f32)},
        functions=[outer, inner],
    )
    up = function(
        "up", ["x", "scales"], ["y"], [("Resize", "x - scales", "y", {"mode": "nearest"})]
    )
    x = arr([1, 2], shape=(1, 1, 2))
    suite.check(
        "D-12 an input left out inside",
        ORT + "10249",
        [("up", "x s", "y", {}, "local")],
        {"x": x},
        {"y": x[:, :, [0, 0, 1, 1]]},
        functions=[up],
        consts={"s": arr([1, 1, 2])},
    )
    lazy = function("lazy", ["x", "unused"], ["y"], [("Relu", "x", "y")])
    suite.check(
        "D-12 an unused input left out",
        ORT + "15046",
        [("lazy", "x -", "y", {}, "local")],
        {"x": x},
        {"y": x},
        functions=[lazy],
    )
    clash = function(
        "clash", ["a"], ["b"], [("Neg", "a", "x"), ("Neg", "x", "t"), ("Add", "t t", "b")]
    )
    rows = [("Relu", "x", "t"), ("clash", "t", "y", {}, "local"), ("Sub", "x t", "z")]
    suite.check(
        "D-12 names that clash",
        "microsoft/onnxruntime/pull/14734",
        rows,
        {"x": x},
        {"y": 2 * x, "z": 0 * x},
        functions=[clash],
    )
    then = body_of([("clash", "x", "b", {}, "local")], [], ["b"])
    other = body_of([("Neg", "x", "b")], [], ["b"])
    rows = [("If", "c", "y", {"then_branch": then, "else_branch": other})]
    suite.check(
        "D-12 called in a branch",
        "microsoft/onnxruntime/pull/14734",
        rows,
        {"x": x, "c": np.array(True)},
        {"y": 2 * x},
        functions=[clash],
    )


def names(suite):
    x = arr([1, 2])
    suite.refused(
        "D-14 two nodes make one value",
        "onnx/models/issues/2",
        [("Relu", "x", "t"), ("Neg", "x", "t"), ("Abs", "t", "y")],
        {"x": x},
        "'t'",
    )
    twice = [numpy_helper.from_array(arr(v, np.int64), "shape") for v in ([2], [2, 1])]
    suite.refused(
        "D-14 two initializers of a name",
        "onnx/ir-py/issues/448",
        [("Reshape", "x shape", "y")],
        {"x": x},
        "'shape'",
        tensors=twice,
    )
    suite.refused(
        "D-14 an input that nobody makes",
        "microsoft/onnxruntime/pull/7459",
        [("Add", "x ghost", "y")],
        {"x": x},
        "'ghost'",
    )
    model = model_of([("Relu", "x", "t"), ("Neg", "t", "y")], {"x": x}, ["y"])
    for node in model.graph.node:
        node.name = "same"
    with suite.session(model) as m:
        (got,) = m.session(threads=1).run({"x": x})
    suite.report.check("D-14 node names may repeat", np.array_equal(got, -x), str(got))
    weird = model_of([("Relu", "x", "y", {}, "\xff")], {"x": x}, ["y"])
    untyped = model_of([("Relu", "x", "y")], {"x": x}, ["y"])
    untyped.graph.input[0].ClearField("type")
    odd = model_of([("Relu", "x", "y")], {"x": x}, ["y"])
    odd.graph.value_info.append(helper.make_tensor_value_info("x", 99, [2]))
    for name, broken, fine in (
        ("a domain of \\xff", weird, False),
        ("an input without type", untyped, False),
        ("value_info of type 99", odd, True),
    ):
        text = "accepted"
        try:
            suite.session(broken).__exit__()
        except capi.Error as e:
            text = str(e)
        suite.report.check(
            f"D-06 {name}",
            "\n" not in text and (fine or text != "accepted"),
            f"({SITE}{ORT}4349) {text}",
        )


def defaults(suite):
    """Weights that are inputs too."""
    x, w = arr([1, 2]), arr([10, 20])
    for ir in (3, 8):
        model = model_of([("Add", "x w", "y")], {"x": x, "w": w}, ["y"], consts={"w": w}, ir=ir)
        for level in suite.levels:
            with suite.session(model, level) as m:
                (got,) = m.session(threads=1).run({"x": x})
                suite.report.check(
                    f"D-15 the default, IR {ir}, {level}",
                    np.array_equal(got, x + w),
                    f"({SITE}{ORT}5585) {got}",
                )
                # A default is a constant unless the caller asks: nobody can believe to have changed it.
                names = [port[0] for port in m.inputs]
                suite.report.check(
                    f"D-15 what has a default is no input, IR {ir}, {level}",
                    names == ["x"],
                    f"({SITE}microsoft/onnxjs/issues/147) {names}",
                )


def overridden(suite):
    """A default that the caller feeds: what is fed counts, and nothing was folded into it."""
    x, w = X, RNG.standard_normal((4, 2, 3, 3)).astype(f32)
    v = {n: RNG.uniform(0.5, 2, 4).astype(f32) for n in "sbmv"}
    rows = [
        ("Conv", "x w", "c"),
        ("BatchNormalization", "c s b m v", "n"),
        ("Relu", "n", "y"),
    ]
    feeds = {"x": x, "w": 2 * w}
    model = model_of(rows, feeds, ["y"], consts={"w": w, **v})
    plain = model_of(rows, {"x": x}, ["y"], consts={"w": 2 * w, **v})
    with suite.session(plain, "none") as m:
        (want,) = m.session(threads=1).run({"x": x})
    for level in suite.levels:
        with capi.Model(suite.save(model), opt=level, overridable=["w"]) as m:
            session = m.session(threads=1)
            fed, default = session.run(feeds)[0], session.run({"x": x})[0]
        is_right = np.allclose(fed, want, rtol=1e-4, atol=1e-5) and not np.allclose(default, want)
        suite.report.check(f"D-15 what is fed counts, {level}", is_right, f"({SITE}{ORT}5585) {fed}")


def refusal(suite, source, level="all"):
    """What is said against a model, a path or bytes; "accepted" if nothing is."""
    try:
        capi.Model(source, opt=level).close()
    except capi.Error as e:
        return str(e)
    return "accepted"


def elsewhere(suite):
    """Weights in a file beside the model, wherever the command runs."""
    w = np.ones((3, 3), f32)
    tensor = TensorProto(name="w", dims=[3, 3], data_type=FLOAT, data_location=1)
    tensor.external_data.add(key="location", value="w.bin")
    x = np.zeros((3, 3), f32)
    model = model_of([("Add", "w w", "z"), ("Add", "x z", "y")], {"x": x}, ["y"], tensors=[tensor])
    path = suite.save(model)
    with open(os.path.join(suite.folder, "w.bin"), "wb") as f:
        f.write(w.tobytes())
    np.save(os.path.join(suite.folder, "x.npy"), x)
    for level in suite.levels:
        done = subprocess.run(
            [
                places.command(),
                "run",
                path,
                os.path.join(suite.folder, "x.npy"),
                "--out",
                os.path.join(suite.folder, "y.npy"),
                "--opt",
                level,
            ],
            cwd="/",
            capture_output=True,
            text=True,
        )
        good = done.returncode == 0 and np.array_equal(
            np.load(os.path.join(suite.folder, "y.npy")), x + 2
        )
        suite.report.check(
            f"D-17 beside the model, {level}", good, f"({SITE}{ORT}6696) {done.stderr}"
        )
    # From memory: nowhere, unless the caller names the folder; the working folder is none.
    bare, home = model.SerializeToString(), os.getcwd()
    os.chdir(suite.folder)
    for level in suite.levels:
        text = refusal(suite, bare, level)
        with capi.Model(bare, opt=level, data_folder=suite.folder) as m:
            (got,) = m.session(threads=1).run({"x": x})
        suite.report.check(
            f"D-17 from memory, {level}",
            "'w'" in text and "data_folder" in text,
            f"({SITE}{ORT}6696) {text}",
        )
        suite.report.check(
            f"A1-17 from memory, with a folder, {level}",
            np.array_equal(got, x + 2),
            f"({SITE}{ORT}8422) {got}",
        )
    os.chdir(home)
    # The tensor's bytes are nowhere: it must not be folded from what happens to lie in memory.
    os.unlink(os.path.join(suite.folder, "w.bin"))
    for name, source in (("no file", suite.save(model)), ("no folder", model.SerializeToString())):
        text = refusal(suite, source)
        suite.report.check(
            f"A1-17 weights that are not there, {name}",
            "'w'" in text and (name == "no folder" or "w.bin" in text),
            f"({SITE}{ORT}8422) {text}",
        )


def seconds_to_answer(suite, model, feeds):
    """Processor time from the file to the first answer, the least of three."""
    path, times = suite.save(model), []
    for _ in range(3):
        begin = time.process_time()
        with capi.Model(path) as m:
            m.session(threads=1).run(feeds)
        times.append(time.process_time() - begin)
    return min(times)


def growth(suite):
    """Four times the nodes, or groups, take about four times as long, not sixteen."""

    def additions(n):
        rows = [("Add", f"t{i} k{i % 7}", f"t{i + 1}") for i in range(n)]
        consts = {f"k{i}": arr([i, 1]) for i in range(7)}
        feeds = {"t0": arr([1, 2])}
        return model_of(rows, feeds, [f"t{n}"], consts), feeds

    def groups(n):
        w = np.ones((n, 1, 3, 3), f32)
        rows = [("Conv", "x w", "y", {"group": n})]
        feeds = {"x": np.zeros((1, n, 4, 4), f32)}
        return model_of(rows, feeds, ["y"], {"w": w}), feeds

    for name, make, few, report in (
        ("Add nodes", additions, 4000, "3361"),
        ("groups of a Conv", groups, 1024, "11217"),
    ):
        times = [seconds_to_answer(suite, *make(n)) for n in (few, 4 * few)]
        # 2.5 a doubling, and a tick of the clock.
        suite.report.check(
            f"F-14 {few} and {4 * few} {name}",
            times[1] <= 6.25 * times[0] + 0.02,
            f"({SITE}{ORT}{report}) {times[0]:.3f} s and {times[1]:.3f} s",
        )


def scopes(suite):
    """A body's initializer with the name of an outer one hides it, in that body alone."""
    inputs = [
        helper.make_tensor_value_info("i", TensorProto.INT64, []),
        helper.make_tensor_value_info("k", TensorProto.BOOL, []),
        helper.make_tensor_value_info("s", FLOAT, [2]),
    ]
    rows = [("Identity", "k", "l"), ("Add", "s w", "t")]
    body = body_of(rows, inputs, ["l", "t"], {"w": arr([1, 2])})
    suite.check(
        "A6-03 one name inside and outside",
        "christopherthompson81/vernacula/issues/60",
        [("Loop", "n - x", "a", {"body": body}), ("Mul", "a w", "y")],
        {"x": arr([0, 0])},
        {"y": arr([30, 600])},
        consts={"n": np.int64(3), "w": arr([10, 100])},
    )


ALL = [functions, names, scopes, growth, defaults, overridden, elsewhere]
