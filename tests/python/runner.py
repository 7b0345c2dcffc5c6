# SPDX-License-Identifier: Apache-2.0
"""ingot.backend, by onnx's own runner and by hand."""

import json
import os
import subprocess
import sys
import types
import unittest

import ingot.backend
import models
import numpy as np
import onnx
import places
from onnx import helper

# Tests that the runner cannot judge.
RUNNERS_OWN = {"test_loop16_seq_none": "it takes the length of arrays without dimensions"}


class Names(unittest.TestResult):
    """Which tests ended how; those for other devices aside."""

    def __init__(self):
        super().__init__()
        self.passed, self.failed = [], {}

    def _name(self, test):
        return test._testMethodName.removesuffix("_cpu")

    def addSuccess(self, test):
        self.passed.append(self._name(test))

    def addFailure(self, test, error):
        self.failed[self._name(test)] = f"{error[0].__name__}: {error[1]}"[:300]

    addError = addFailure


def run_suite():
    """The whole suite, as JSON on standard output: in a process of its own, so that a crash is a failure."""
    import onnx.backend.test

    # The runner counts models that is_compatible refuses as passed.
    backend = types.SimpleNamespace(prepare=ingot.backend.prepare, supports_device=ingot.backend.supports_device, is_compatible=lambda *a: True)
    result = Names()
    onnx.backend.test.BackendTest(backend, __name__).test_suite.run(result)
    print(json.dumps([result.passed, result.failed]))


def onnx_backend(report):
    """The same passes as tests/conformance: all, less those of its list."""
    with open(os.path.join(places.ROOT, "tests", "conformance", "skipped.txt"), encoding="utf-8") as f:
        known = {line.split(None, 1)[0] for line in f if line.strip() and not line.startswith("#")}
    code = "import sys; sys.path[:0] = sys.argv[1:]; import warnings; warnings.simplefilter('ignore'); import runner; runner.run_suite()"
    here = os.path.dirname(os.path.abspath(__file__))
    env = dict(os.environ, ONNX_HOME=os.path.join(places.ROOT, "build", "onnx-home"))
    done = subprocess.run([sys.executable, "-c", code, here, os.path.dirname(here)], capture_output=True, text=True, env=env)
    if done.returncode:
        report.failed("onnx's runner", f"ended with {done.returncode}: {done.stderr[-500:]}")
        return
    passed, failed = json.loads(done.stdout.splitlines()[-1])
    report.note("onnx's runner", f"{len(passed)} passed, {len(failed)} failed, onnx {onnx.__version__}")
    report.check("onnx's runner has tests", len(passed) > 1500, str(len(passed)))
    for name in passed:
        report.passed(name)
    for name, cause in failed.items():
        if name in known or name in RUNNERS_OWN:
            report.skipped(name, RUNNERS_OWN.get(name, "tests/conformance/skipped.txt has the reason"))
        else:
            report.failed(name, cause)


def by_hand(report):
    node = helper.make_node("Sub", ["a", "b"], ["c"])
    a, b = np.float32([5]), np.float32([2])
    report.check("run_node", ingot.backend.run_node(node, [a, b])[0].tolist() == [3])
    report.check("run_node by name", ingot.backend.run_node(node, {"b": b, "a": a}).c.tolist() == [3])
    report.check("run_node, older", ingot.backend.run_node(node, [a, b], opset_version=7)[0].tolist() == [3])
    split = helper.make_node("Split", ["x"], ["p", "q"], num_outputs=2)
    got = ingot.backend.run_node(split, [np.arange(4, dtype=np.int64)], outputs_info=[(np.int64, (2,)), (np.int64, (2,))])
    report.check("run_node, two outputs", got["q"].tolist() == [2, 3] and len(got) == 2)
    scale = helper.make_node("Scaler", ["x"], ["y"], domain="ai.onnx.ml", offset=[1.0], scale=[2.0])
    report.check("run_node of another domain", ingot.backend.run_node(scale, [np.float32([[3]])])[0].tolist() == [[4]])
    clip = helper.make_node("Clip", ["x", "", "top"], ["y"])
    report.check("run_node, an input left out", ingot.backend.run_node(clip, [np.float32([5]), None, np.float32(3)])[0].tolist() == [3])
    model = onnx.load_from_string(models.one_node("Relu"))
    report.check("run_model", ingot.backend.run_model(model, [np.float32([1, -1, 2, -2])])[0].tolist() == [1, 0, 2, 0])
    rep = ingot.backend.prepare(model, "CPU", threads=1)
    report.check("prepare", rep.run({"x": np.float32([1, -1, 2, -2])}).y.tolist() == [1, 0, 2, 0])
    report.check("is_compatible", ingot.backend.is_compatible(model))
    model.graph.node[0].op_type = "NoSuchOperator"
    report.check("is not compatible", not ingot.backend.is_compatible(model))
    report.check("devices", ingot.backend.supports_device("CPU") and not ingot.backend.supports_device("CUDA:1"))


ALL = [by_hand, onnx_backend]
