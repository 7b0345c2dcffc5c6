#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Driver for LiteRT (TensorFlow Lite) on the CPU, with its default delegate, XNNPACK.

It reads .tflite alone. For model.onnx it takes the model.tflite beside it, which whoever put it there says is the same
model; the outputs are compared in any case. Inputs are found by name, else by place. Pictures that the ONNX file has
channels first and the .tflite channels last are transposed before the clock starts, and such outputs afterwards; the
same for floats that a quantized model takes and gives as integers.
"""

import os

from ingot_driver import serve

TO_LAST, TO_FIRST = (0, 2, 3, 1), (0, 3, 1, 2)


def tflite_of(model):
    path = os.path.splitext(model)[0] + ".tflite"
    if not os.path.exists(path):
        raise FileNotFoundError(
            f"LiteRT reads .tflite, and there is no {os.path.basename(path)} beside {os.path.basename(model)}; "
            "convert it (pip install onnx2tf) and put it there"
        )
    return path


def is_quantized(detail):
    return detail["dtype"].__name__ in ("int8", "uint8", "int16") and detail["quantization"][0] > 0


def quantized(detail, array):
    if array.dtype.kind != "f" or not is_quantized(detail):
        return array
    import numpy as np

    scale, zero = detail["quantization"]
    limits = np.iinfo(detail["dtype"])
    return np.clip(np.rint(array / scale) + zero, limits.min, limits.max).astype(detail["dtype"])


def real(detail, array):
    scale, zero = detail["quantization"]
    return ((array.astype("float32") - zero) * scale).astype("float32") if is_quantized(detail) else array


def precision_of(tensors):
    """Integers with scales are a quantized model; what else it computes is float32 (XNNPACK's FP16 is not asked for)."""
    scaled = [t for t in tensors if t["dtype"].__name__ in ("int8", "uint8") and len(t["quantization_parameters"]["scales"])]
    return "int8" if scaled else "fp32"


class Engine:
    name = "litert"
    install = "pip install ai-edge-litert"

    def __init__(self):
        import importlib.metadata

        import ai_edge_litert.interpreter

        self.lite, self.version = ai_edge_litert.interpreter, importlib.metadata.version("ai-edge-litert")

    def load(self, model, threads, inputs):
        self.path, self.threads = tflite_of(model), threads
        self.net = self.lite.Interpreter(model_path=self.path, num_threads=threads)
        self.feed(inputs)
        self.precision = precision_of(self.net.get_tensor_details())
        self.settings = {
            "file": os.path.basename(self.path),
            "num_threads": threads,
            "delegate": "XNNPACK (default)",
            "layout": "channels last, transposed outside" if self.is_transposed else "as in ONNX",
            "inputs": "set once",
        }

    def match(self, inputs):
        """(detail, array) of every input of the .tflite."""
        details, pairs = self.net.get_input_details(), []
        for (name, array), by_place in zip(inputs.items(), details):
            named = [d for d in details if d["name"].split(":")[0] in (name, "serving_default_" + name)]
            detail = named[0] if named else by_place
            shape, wanted = array.shape, [int(n) for n in detail["shape_signature"]]
            self.is_transposed |= len(shape) == 4 and not fits(shape, wanted) and fits([shape[i] for i in TO_LAST], wanted)
            pairs.append((detail, array.transpose(TO_LAST) if self.is_transposed and len(shape) == 4 else array))
        if len(pairs) != len(details):
            raise ValueError(f"the .tflite has {len(details)} inputs, the ONNX file {len(inputs)}")
        return pairs

    def feed(self, inputs):
        self.is_transposed, self.inputs = False, inputs
        pairs = self.match(inputs)
        for detail, array in pairs:
            if list(detail["shape"]) != list(array.shape):
                self.net.resize_tensor_input(detail["index"], array.shape, strict=True)
        self.net.allocate_tensors()
        for detail, array in pairs:
            self.net.set_tensor(detail["index"], quantized(detail, array))

    def run(self):
        self.net.invoke()

    def stream(self):
        other = Engine()
        other.load(self.path, self.threads, self.inputs)
        return other.run

    def outputs(self):
        answer = {}
        for detail in self.net.get_output_details():
            array = real(detail, self.net.get_tensor(detail["index"]))
            answer[detail["name"]] = array.transpose(TO_FIRST) if self.is_transposed and array.ndim == 4 else array
        return answer


def fits(shape, wanted):
    return len(shape) == len(wanted) and all(w in (-1, n) for n, w in zip(shape, wanted))


if __name__ == "__main__":
    serve(Engine)
