#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Driver for OpenVINO on the CPU: latency mode (throughput for streams), float32 unless INGOT_OPENVINO_PRECISION says otherwise.

Without the hint OpenVINO computes float32 models in bfloat16 where the CPU has instructions for it. The precision that
is answered is the one that the compiled model reports.
"""

import os

from ingot_driver import serve

PRECISIONS = {"f32": "fp32", "float": "fp32", "float32": "fp32", "bf16": "bf16", "bfloat16": "bf16",
              "f16": "fp16", "float16": "fp16"}


def word_of(element_type):
    text = str(element_type).lower()
    for mark in ("<type:", ">", "'"):
        text = text.replace(mark, " ")
    word = text.split()[-1]
    return PRECISIONS.get(word, word)


class Engine:
    name = "openvino"
    install = "pip install openvino"

    def __init__(self):
        import openvino

        self.ov, self.version = openvino, openvino.get_version().split("-")[0]

    def load(self, model, threads, inputs):
        core = self.ov.Core()
        hint = os.environ.get("INGOT_OPENVINO_PRECISION", "f32")
        config = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads}
        if self.streams > 1:
            config = {"PERFORMANCE_HINT": "THROUGHPUT", "NUM_STREAMS": self.streams,
                      "INFERENCE_NUM_THREADS": threads * self.streams}
        if hint != "default":
            config["INFERENCE_PRECISION_HINT"] = hint
        network = core.read_model(model)
        if not self.dynamic:  # as static as the inputs are
            network.reshape({name: list(array.shape) for name, array in inputs.items()})
        self.compiled = core.compile_model(network, "CPU", config)
        self.request = self.compiled.create_infer_request()
        self.feed(inputs)
        self.precision = word_of(self.compiled.get_property("INFERENCE_PRECISION_HINT"))
        shapes = "as in the file" if self.dynamic else "static"
        self.settings = dict(config, device="CPU", shapes=shapes, inputs="bound once")

    def bind(self, request):
        for name, array in self.inputs.items():
            request.set_tensor(name, self.ov.Tensor(array, shared_memory=True))

    def feed(self, inputs):
        self.inputs = inputs
        self.bind(self.request)

    def run(self):
        self.request.infer()

    def stream(self):
        request = self.compiled.create_infer_request()
        self.bind(request)
        return request.infer

    def outputs(self):
        answer = {}
        for i, port in enumerate(self.compiled.outputs):
            names = sorted(port.get_names())
            answer[names[0] if names else str(i)] = self.request.get_output_tensor(i).data
        return answer


if __name__ == "__main__":
    serve(Engine)
