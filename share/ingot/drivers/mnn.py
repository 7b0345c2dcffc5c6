#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Driver for MNN on the CPU: the ONNX file converted by MNN's own converter, precision "high" unless INGOT_MNN_PRECISION
(high, normal, low) says otherwise.

The converter is called as a function in a process of its own: the command `mnnconvert` reports its use over the network.
MNN does not tell what precision it computed in; "high" is float32, though with Winograd and approximations that cost
accuracy, which the compared outputs show.
"""

import os
import sys

from ingot_driver import convert, serve

PRECISIONS = {"high": "fp32", "normal": "fp32", "low": "low"}  # low: BF16 or FP16 where the CPU has it, MNN's choice
CONVERT = "import sys, _tools; _tools.mnnconvert(sys.argv)"


class Engine:
    name = "mnn"
    install = "pip install MNN"

    def __init__(self):
        import MNN
        import MNN.expr
        import MNN.nn

        self.mnn, self.version = MNN, MNN.version()

    def load(self, model, threads, inputs):
        mode = os.environ.get("INGOT_MNN_PRECISION", "high")
        if mode not in PRECISIONS:
            raise ValueError(f"INGOT_MNN_PRECISION is {mode}, and not high, normal or low")
        self.precision = PRECISIONS[mode]
        path = os.path.join(self.folder, "model.mnn")
        convert(self, sys.executable, "-c", CONVERT, "-f", "ONNX", "--modelFile", model, "--MNNModel", path)
        if not os.path.exists(path):
            raise RuntimeError("MNN's converter refuses the model")
        config = {"backend": "CPU", "precision": mode, "numThread": threads}
        self.runtime = self.mnn.nn.create_runtime_manager((config,))
        self.net = self.mnn.nn.load_module_from_file(path, [], [], runtime_manager=self.runtime)
        info = self.net.get_info()
        self.input_names, self.output_names = info["inputNames"], info["outputNames"]
        self.feed(inputs)
        self.settings = dict(config, inputs="bound once")

    def feed(self, inputs):
        missing = [name for name in self.input_names if name not in inputs]
        if missing:
            raise ValueError(f"MNN needs a value for input {missing[0]}")
        expr = self.mnn.expr
        types = {"float32": expr.float, "int32": expr.int, "int64": expr.int, "uint8": expr.uint8, "int8": expr.int8,
                 "bool": expr.int}
        self.inputs = []
        for name in self.input_names:
            array = inputs[name]
            if array.dtype.name not in types:
                raise TypeError(f"MNN has no inputs of type {array.dtype.name}, as {name} is")
            if types[array.dtype.name] == expr.int:
                array = array.astype("int32")  # MNN has no int64: its converter made these int32
            self.inputs.append(expr.const(array, list(array.shape), expr.NCHW, types[str(array.dtype)]))

    def run(self):
        self.results = self.net.forward(self.inputs)

    def outputs(self):
        expr = self.mnn.expr
        return {name: expr.convert(value, expr.NCHW).read() for name, value in zip(self.output_names, self.results)}


if __name__ == "__main__":
    serve(Engine)
