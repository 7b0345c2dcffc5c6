#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Driver for PyTorch on the CPU: the ONNX file as a module by onnx2torch, eager unless INGOT_TORCH_MODE is compile.

PyTorch has no importer of ONNX files of its own. onnx2torch makes a graph of PyTorch's own operators, what a person
would have written mostly; `compile` hands that to torch.compile, which needs a C++ compiler and takes long at the first
run. Matrix products are held to full float32.
"""

import os

from ingot_driver import serve


class Engine:
    name = "torch"
    install = "pip install torch torchvision pillow onnx onnx2torch (the CPU builds are enough)"

    def __init__(self):
        import onnx
        import onnx2torch
        import torch

        self.onnx, self.onnx2torch, self.torch, self.version = onnx, onnx2torch, torch, torch.__version__

    def load(self, model, threads, inputs):
        torch, mode = self.torch, os.environ.get("INGOT_TORCH_MODE", "eager")
        if mode not in ("eager", "compile"):
            raise ValueError(f"INGOT_TORCH_MODE is {mode}, and not eager or compile")
        torch.set_num_threads(threads)
        torch.set_float32_matmul_precision("highest")
        file = self.onnx.load(model)
        weights = {t.name for t in file.graph.initializer}
        self.input_names = [i.name for i in file.graph.input if i.name not in weights]
        self.output_names = [o.name for o in file.graph.output]
        self.net = self.onnx2torch.convert(file).eval()
        if mode == "compile":
            self.net = torch.compile(self.net, dynamic=self.dynamic)
        self.feed(inputs)
        self.precision = "fp32" if torch.get_float32_matmul_precision() == "highest" else "mixed"
        self.settings = {
            "mode": mode,
            "num_threads": torch.get_num_threads(),
            "float32_matmul_precision": torch.get_float32_matmul_precision(),
            "importer": "onnx2torch",
            "grad": "inference mode",
            "inputs": "bound once",
        }

    def feed(self, inputs):
        self.inputs = [self.torch.from_numpy(inputs[name]) for name in self.input_names]

    def infer(self):
        with self.torch.inference_mode():
            return self.net(*self.inputs)

    def run(self):
        self.results = self.infer()

    def stream(self):
        return self.infer

    def outputs(self):
        results = self.results if isinstance(self.results, (tuple, list)) else [self.results]
        return {name: value.numpy() for name, value in zip(self.output_names, results)}


if __name__ == "__main__":
    serve(Engine)
