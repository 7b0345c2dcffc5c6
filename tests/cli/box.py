# SPDX-License-Identifier: Apache-2.0
"""A scratch folder with small models that let what they are fed be seen."""

import os
import shutil
import tempfile

from places import ingot
from report import Skip


class Box:
    def __init__(self, report, is_quick=False):
        self.report, self.is_quick = report, is_quick
        self.folder = tempfile.mkdtemp(prefix="ingot-cli-")

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        return self.path(name)

    def identity(self, shape, metadata=None, dtype=1):
        """A model whose output is its input."""
        h = module("onnx").helper
        ports = [h.make_tensor_value_info(n, dtype, shape) for n in ("x", "y")]
        graph = h.make_graph([h.make_node("Identity", ["x"], ["y"])], "same", *[[p] for p in ports])
        model = h.make_model(graph, opset_imports=[h.make_opsetid("", 13)], ir_version=8)
        if metadata:
            h.set_model_props(model, metadata)
        return self.write("same.onnx", model.SerializeToString())

    def tensor(self, model, *args):
        """What the model got: the output as an array, or None and a failed check."""
        done = ingot("run", model, *args, "--out", self.path("o.npy"))
        if done.returncode:
            self.report.check(f"run {' '.join(map(str, args))}", False, done.stderr[:300])
            return None
        return module("numpy").load(self.path("o.npy"))

    def said(self, *args, code=0):
        """Standard output of a run that ends with this code."""
        done = ingot(*args)
        self.report.check(
            f"{' '.join(str(a) for a in args if '/' not in str(a))}: exit code",
            done.returncode == code,
            f"{done.returncode}: {done.stderr[:300]}",
        )
        return done.stdout


def module(name):
    """An optional module of this Python; the test is skipped without it."""
    try:
        return __import__(name, fromlist=["*"])
    except ImportError:
        raise Skip(f"no {name} in this Python") from None
