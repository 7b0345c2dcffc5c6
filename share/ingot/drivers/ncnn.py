#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Driver for ncnn on the CPU: the ONNX file converted by pnnx, float32 everywhere.

ncnn would store weights and activations in half precision where it can: all of that is switched off. It has no batch
axis of its own; inputs and outputs go through its Mat with batch index 0, as in the program that pnnx writes. Streams
and other shapes than those at the conversion are not offered.
"""

import importlib.util
import os
import re
import shutil

from ingot_driver import convert, serve

HALF = ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_packed", "use_bf16_storage")
TYPES = {"float32": "f32", "float64": "f64", "float16": "f16", "int64": "i64", "int32": "i32", "int16": "i16",
         "int8": "i8", "uint8": "u8", "bool": "i8"}


def pnnx_program():
    """The program inside the package, which is not imported: it would import PyTorch, and that counts as memory."""
    spec = importlib.util.find_spec("pnnx")
    path = os.path.join(os.path.dirname(spec.origin), "pnnx") if spec else shutil.which("pnnx")
    if not path or not os.access(path, os.X_OK):
        raise ImportError("no converter pnnx")
    return path


class Engine:
    name = "ncnn"
    install = "pip install ncnn pnnx"

    def __init__(self):
        import ncnn

        self.ncnn, self.version, self.pnnx = ncnn, ncnn.__version__, pnnx_program()

    def load(self, model, threads, inputs):
        link = os.path.join(self.folder, "m.onnx")  # pnnx writes beside the model
        os.symlink(model, link)
        shapes = ",".join(f"[{','.join(map(str, a.shape))}]{TYPES[a.dtype.name]}" for a in inputs.values())
        convert(self, self.pnnx, link, "fp16=0", "inputshape=" + shapes)
        self.net = self.ncnn.Net()
        for name in HALF:
            setattr(self.net.opt, name, False)
        self.net.opt.num_threads = threads
        param, weights = (os.path.join(self.folder, "m.ncnn." + end) for end in ("param", "bin"))
        if not os.path.exists(param):
            raise RuntimeError("pnnx wrote nothing for ncnn")
        if self.net.load_param(param) or self.net.load_model(weights):
            raise RuntimeError("ncnn lacks an operator of this model")
        with open(os.path.join(self.folder, "m_ncnn.py")) as f:
            self.read_program(f.read(), list(inputs.values()))
        self.output_names = sorted(self.net.output_names(), key=lambda name: int(name[3:]))  # out0, out1, … as in ONNX
        self.precision = "mixed" if any(getattr(self.net.opt, name) for name in HALF) else "fp32"
        self.settings = {"num_threads": self.net.opt.num_threads, "half precision": "off", "inputs": "bound once"}

    def read_program(self, text, arrays):
        """Which inputs and outputs have a batch axis that ncnn keeps apart, pnnx tells in the program that it writes."""
        self.inputs = []
        for name in self.net.input_names():
            call = re.search(rf'ex\.input\("{name}", ncnn\.Mat\(in(\d+)(.*)\)', text)
            if not call:
                raise RuntimeError(f"pnnx does not tell what input {name} is")
            options = {"batch_index": 0} if "batch_index=0" in call[2] else {}
            self.inputs.append((name, self.ncnn.Mat(arrays[int(call[1])], **options).clone()))
        self.batched = {m[1] for m in re.finditer(r"from_numpy\((\w+)\.numpy\(batch_index=0\)", text)}

    def run(self):
        extractor = self.net.create_extractor()
        for name, mat in self.inputs:
            extractor.input(name, mat)
        self.results = {}
        for name in self.output_names:
            status, self.results[name] = extractor.extract(name)
            if status:
                raise RuntimeError(f"ncnn cannot compute output {name}: {status}")

    def outputs(self):
        return {n: m.numpy(batch_index=0) if n in self.batched else m.numpy() for n, m in self.results.items()}


if __name__ == "__main__":
    serve(Engine)
