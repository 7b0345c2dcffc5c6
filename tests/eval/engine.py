# SPDX-License-Identifier: Apache-2.0
"""A driver whose answers are known: engine.py MODE N. It says the first input again; what else it does, MODE says."""

import json
import os
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DRIVERS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "share", "ingot", "drivers")
sys.path.insert(0, DRIVERS)

import ingot_driver  # noqa: E402

MODE = sys.argv[1]
N_FLIPPED = int(sys.argv[2])  # of the first answers, which "flips" and "loads again" turn round


class Engine:
    name, version, install = "fake", "1", "pip install fake"

    def __init__(self):
        self.n_loads = self.n_rows = self.n_runs = 0

    def load(self, model, threads, inputs):
        self.n_loads += 1
        self.inputs = inputs
        self.precision, self.settings = "fp32", {"mode": MODE}
        if MODE == "reports loads":
            sys.stderr.write(f"loads {self.n_loads}\n")

    def run(self):
        self.n_runs += 1
        if MODE == "crashes" and self.n_runs == 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        if MODE == "hangs" and self.n_runs == 3:
            signal.pause()

    def outputs(self):
        x = next(iter(self.inputs.values())).copy()
        for i in range(len(x)):
            if MODE in ("flips", "loads again") and self.n_rows + i < N_FLIPPED:
                x[i] = x[i][::-1]
        self.n_rows += len(x)
        return {"y": x[:, :1].repeat(7, 1)[: max(len(x) - 1, 1)] if MODE == "wrong shape" else x}


if MODE != "loads again":  # without it, the server loads again
    Engine.feed = lambda self, inputs: setattr(self, "inputs", inputs)


class OldServer(ingot_driver.Server):
    """A driver from before "feed": it neither says nor knows it."""

    def hello(self, question):
        answer = super().hello(question)
        del answer["feed"]
        return answer

    feed = None


if MODE == "old":
    ingot_driver.Server = OldServer
if MODE == "refuses to feed":
    Engine.feed = lambda self, inputs: json.loads("no")

ingot_driver.serve(Engine)
