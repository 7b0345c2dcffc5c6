#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Driver for ONNX Runtime on the CPU: all optimisations, inputs and outputs bound once."""

from ingot_driver import serve


class Engine:
    name = "onnxruntime"
    install = "pip install onnxruntime"

    def __init__(self):
        import onnxruntime

        self.ort, self.version = onnxruntime, onnxruntime.__version__

    def load(self, model, threads, inputs):
        options = self.ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.graph_optimization_level = self.ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.log_severity_level = 3
        self.session = self.ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.feed(inputs)
        self.precision = "fp32"  # the CPU provider computes float32 models in float32
        self.settings = {
            "intra_op_num_threads": threads,
            "inter_op_num_threads": 1,
            "execution_mode": "sequential",
            "graph_optimization_level": "all",
            "providers": ",".join(self.session.get_providers()),
            "spinning": "default",
            "inputs": "bound once",
        }

    def bind(self):
        binding = self.session.io_binding()
        for name, array in self.inputs.items():
            binding.bind_cpu_input(name, array)
        for output in self.session.get_outputs():
            binding.bind_output(output.name, "cpu")
        return binding

    def feed(self, inputs):
        self.inputs = inputs  # the binding borrows them
        self.binding = self.bind()

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def stream(self):
        binding = self.bind()  # of the same session, which may be run from several threads
        return lambda: self.session.run_with_iobinding(binding)

    def outputs(self):
        names = [output.name for output in self.session.get_outputs()]
        return dict(zip(names, self.binding.copy_outputs_to_cpu()))


if __name__ == "__main__":
    serve(Engine)
