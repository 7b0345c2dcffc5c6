# SPDX-License-Identifier: Apache-2.0
"""ingot.onnxruntime_compat beside the real module, and packages that run on it unchanged."""

import json
import os
import subprocess
import tempfile
import threading

import ingot
import ingot.onnxruntime_compat as ours
import models
import numpy as np
import package
from models import FLOAT, INT64, STRING, model, node, tensor
from onnx import helper
from report import Skip

HERE = os.path.dirname(os.path.abspath(__file__))


def several_models():
    with open(models.DIGITS, "rb") as f:
        yield "digits", f.read(), {"picture": np.random.default_rng(0).random((2, 1, 28, 28), np.float32)}
    yield "strings", models.identity(STRING, ["n"]), {"x": np.array(["a", "b"], dtype=object)}
    yield "scalar", models.identity(FLOAT, []), {"x": np.array(3, np.float32)}
    yield "double", models.identity(11, [2, "m"]), {"x": np.ones((2, 3))}
    yield "lists", models.identity(INT64, ["n"]), {"x": [1, 2, 3]}
    sequence = helper.make_tensor_sequence_value_info
    yield "sequence", model([node("SequenceConstruct", ["x", "x"], ["y"])], [tensor("x", FLOAT, ["n"])], [sequence("y", FLOAT, None)]), {
        "x": np.ones(2, np.float32)
    }
    value = helper.make_tensor("b", FLOAT, [1], [10.0])
    yield "default", model(
        [node("Add", ["a", "b"], ["y"])], [tensor("a", FLOAT, [1]), tensor("b", FLOAT, [1])], [tensor("y", FLOAT, [1])], initializer=[value]
    ), {"a": np.float32([1])}


def close(a, b):
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(close, a, b))
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tolist() == b.tolist() if a.dtype == object else np.allclose(a, b, atol=1e-5)


def beside(report):
    """Names, types, shapes and results are those of the real module."""
    try:
        import onnxruntime as theirs
    except ImportError:
        raise Skip("no onnxruntime here") from None
    theirs.set_default_logger_severity(3)
    for name, data, feeds in several_models():
        a, b = (module.InferenceSession(data, providers=["CPUExecutionProvider"]) for module in (ours, theirs))
        for what in ("get_inputs", "get_outputs"):
            seen, want = ([(x.name, x.type, x.shape) for x in getattr(session, what)()] for session in (a, b))
            report.check(f"{name}: {what}", seen == want, f"{seen}, theirs {want}")
        report.check(f"{name}: run", close(a.run(None, feeds), b.run(None, feeds)), f"{a.run(None, feeds)}, theirs {b.run(None, feeds)}")
        meta = [(m.producer_name, m.graph_name, m.description, m.custom_metadata_map) for m in (a.get_modelmeta(), b.get_modelmeta())]
        report.check(f"{name}: get_modelmeta", meta[0] == meta[1], str(meta))


def calls(report):
    options = ours.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ours.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    report.check("config entries", options.get_session_config_entry("session.intra_op.allow_spinning") == "0")
    with tempfile.TemporaryDirectory() as folder:
        np.float32([10, 20]).tofile(os.path.join(folder, "w.bin"))
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", folder)
        session = ours.InferenceSession(models.sum_with_weights_in("w.bin"), options)
        (y,) = session.run(None, {"x": np.float32([1, 2])})
        report.check("folder of weights", y.tolist() == [11, 22], str(y))
    try:
        options.no_such_option = 1
        report.failed("an unknown option", "is taken")
    except AttributeError:
        report.passed("an unknown option")
    net = ours.InferenceSession(models.one_node("Relu"), options, [("CPUExecutionProvider", {"arena_extend_strategy": "x"})], enable_fallback=False)
    x = np.float32([1, -1, 2, -2])
    report.check("run by names", net.run(["y"], {"x": x})[0].tolist() == [1, 0, 2, 0])
    report.check("OrtValue", net.run_with_ort_values(["y"], {"x": ours.OrtValue.ortvalue_from_numpy(x)})[0].numpy().tolist() == [1, 0, 2, 0])
    both = ours.InferenceSession(models.sum_with_default())
    fed = both.run(None, {"x": x[:2], "w": x[2:]})[0].tolist()
    report.check("an initializer is overridden", fed == [3, -3] and both.run(None, {"x": x[:2]})[0].tolist() == [2, 1], str(fed))
    binding = net.io_binding()
    binding.bind_cpu_input("x", x)
    room = ours.OrtValue.ortvalue_from_shape_and_type([4], np.float32)
    binding.bind_ortvalue_output("y", room)
    net.run_with_iobinding(binding)
    report.check("IOBinding", room.numpy().tolist() == [1, 0, 2, 0] and binding.copy_outputs_to_cpu()[0] is room.numpy())
    ready, got = threading.Event(), []
    net.run_async(["y"], {"x": x}, lambda *result: (got.append(result), ready.set()), "mine")
    report.check("run_async", ready.wait(60) and got[0][0][0].tolist() == [1, 0, 2, 0] and got[0][1:] == ("mine", ""), str(got))
    report.check("providers", net.get_providers() == ours.get_available_providers() == ["CPUExecutionProvider"])
    for wrong, call in ((ours.InvalidArgument, lambda: net.run(None, {})), (ours.InvalidArgument, lambda: net.run(None, {"z": x, "x": x})),
                        (ours.NoSuchFile, lambda: ours.InferenceSession("none.onnx")), (ours.InvalidProtobuf, lambda: ours.InferenceSession(b"\0\1")),
                        (ingot.UnsupportedError, lambda: options.register_custom_ops_library("x.so"))):
        try:
            call()
            report.failed(f"{wrong.__name__}", "is not raised")
        except wrong as e:
            report.passed(wrong.__name__, str(e))


def packages(report):
    """Packages of others on their own models: what they say with ONNX Runtime they say with Ingot."""
    folder = package.environment("venv-packages", os.path.join(HERE, "packages.txt"))
    env = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(ingot.__file__)), INGOT_TEST_ROOT=os.path.dirname(os.path.dirname(HERE)))
    for name in ("magika", "rapidocr", "orientation"):
        said = {}
        for engine in ("onnxruntime", "ingot"):
            done = subprocess.run([package.python_of(folder), os.path.join(HERE, "strangers.py"), name, engine], capture_output=True, text=True, env=env)
            if done.returncode and engine == "onnxruntime":  # the package itself does not work here: it lacks libraries
                report.skipped(name, done.stderr.strip().splitlines()[-1])
                break
            if done.returncode:
                report.failed(f"{name} on {engine}", done.stderr.strip()[-500:])
                break
            said[engine] = json.loads(done.stdout.splitlines()[-1])
        if len(said) == 2:
            a, b = said["onnxruntime"], said["ingot"]
            report.check(f"{name} uses the engine", b["engine"] == "ingot.onnxruntime_compat" != a["engine"], str(b["engine"]))
            report.check(f"{name}: labels", a["labels"] == b["labels"] and len(a["labels"]) > 0, f"{a['labels']} {b['labels']}")
            numbers = np.allclose(a["numbers"], b["numbers"], rtol=1e-3, atol=1e-4)
            report.check(f"{name}: numbers", numbers and len(a["numbers"]) > 0, f"{a['numbers']} {b['numbers']}")


ALL = [beside, calls, packages]
