# SPDX-License-Identifier: Apache-2.0
"""The engine under test and the oracle behind one face: open(path) gives an object whose run(feeds)
returns the outputs."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import capi  # noqa: E402
from report import Skip  # noqa: E402


class Ingot:
    def __init__(self, path, opt="all", cpu=None, threads=1):
        self.model = capi.Model(path, opt=opt, cpu=cpu)
        self.session = self.model.session(threads)
        self.input_names = [name for name, _, _ in self.model.inputs]
        self.output_names = [name for name, _, _ in self.model.outputs]

    def run(self, feeds):
        return self.session.run(feeds)


class Ort:
    """ONNX Runtime. optimize=False runs the graph as it is, which shows how far its own fusions
    move a quantized model."""

    def __init__(self, path, optimize=True, threads=0):
        try:
            import onnxruntime as ort
        except ImportError:
            raise Skip("no onnxruntime in this Python") from None
        ort.set_default_logger_severity(3)
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        if not optimize:
            options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        self.session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.input_names = [i.name for i in self.session.get_inputs()]
        self.output_names = [o.name for o in self.session.get_outputs()]

    def run(self, feeds):
        if not isinstance(feeds, dict):
            feeds = dict(zip(self.input_names, feeds))
        return self.session.run(None, feeds)


class OrtPlain(Ort):
    """ONNX Runtime with the graph as it is: exact for QDQ models also on CPUs whose int8 kernels
    saturate (AVX2 without VNNI)."""

    def __init__(self, path):
        super().__init__(path, optimize=False)


def opener(name):
    """The class for --engine NAME."""
    return {"ingot": Ingot, "ort": Ort, "ort-plain": OrtPlain}[name]
