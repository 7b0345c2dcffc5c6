#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Driver for PyTorch on the CPU: the ONNX file as a module by onnx2torch, eager unless INGOT_TORCH_MODE says otherwise.

PyTorch has no importer of ONNX files of its own. onnx2torch makes a graph of PyTorch's own operators, what a person
would have written mostly. `jit` traces and freezes that for the shapes at hand; `compile` hands it to torch.compile, which
needs a C++ compiler, takes long at the first run and refuses the Reshapes of onnx2torch. Matrix products are
held to full float32.
"""

import os

from ingot_driver import serve


def spell_out_padding(onnx, file, inputs):
    """onnx2torch knows no automatic padding: the same in numbers, which need the shapes of these inputs."""
    for i in file.graph.input:
        if i.name in inputs:
            for dim, size in zip(i.type.tensor_type.shape.dim, inputs[i.name].shape):
                dim.dim_value = size
    known = onnx.shape_inference.infer_shapes(file).graph
    sizes = {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in [*known.input, *known.value_info]}
    kernels = {t.name: list(t.dims)[2:] for t in file.graph.initializer}
    for node in file.graph.node:
        given = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        mode = given.get("auto_pad", b"").decode()
        kernel = given.get("kernel_shape") or (kernels.get(node.input[1]) if len(node.input) > 1 else None)
        size = sizes.get(node.input[0], [])[2:] if node.input else []
        if node.op_type not in ("Conv", "MaxPool", "AveragePool") or mode == "" or not kernel or not all(size):
            continue
        ones = [1] * len(kernel)
        pads = [0] * len(kernel)
        if mode.startswith("SAME"):
            each = zip(size, kernel, given.get("strides", ones), given.get("dilations", ones))
            pads = [max((-(-n // s) - 1) * s + d * (k - 1) + 1 - n, 0) for n, k, s, d in each]
        small, large = [p // 2 for p in pads], [p - p // 2 for p in pads]
        kept = [a for a in node.attribute if a.name not in ("auto_pad", "pads")]
        del node.attribute[:]
        before_after = large + small if mode == "SAME_LOWER" else small + large
        node.attribute.extend([*kept, onnx.helper.make_attribute("pads", before_after)])


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
        if mode not in ("eager", "jit", "compile"):
            raise ValueError(f"INGOT_TORCH_MODE is {mode}, and not eager, jit or compile")
        if mode == "jit" and self.dynamic:
            raise ValueError("INGOT_TORCH_MODE=jit fixes the shapes, which --scenario dynamic varies")
        torch.set_num_threads(threads)
        torch.set_float32_matmul_precision("highest")
        file = self.onnx.load(model)
        if not self.dynamic:
            spell_out_padding(self.onnx, file, inputs)
        weights = {t.name for t in file.graph.initializer}
        self.input_names = [i.name for i in file.graph.input if i.name not in weights]
        self.output_names = [o.name for o in file.graph.output]
        self.net = self.onnx2torch.convert(file).eval()
        if mode == "compile":
            self.net = torch.compile(self.net, dynamic=self.dynamic)
        self.feed(inputs)
        if mode == "jit":
            with torch.no_grad():
                self.net = torch.jit.freeze(torch.jit.trace(self.net, tuple(self.inputs)))
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
