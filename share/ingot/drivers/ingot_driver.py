# SPDX-License-Identifier: Apache-2.0
"""The answering side of the driver protocol (docs/drivers.md), for engines with a Python interface.

A driver defines a class and hands it to serve():

    class Engine:
        name = "onnxruntime"
        install = "pip install onnxruntime"      # said where the import fails
        def __init__(self): ...                  # import the engine; self.version
        def load(self, model, threads, inputs):  # inputs: {name: array}; sets self.precision, self.settings
        def run(self): ...                       # one inference, nothing else: this is what is timed
        def outputs(self): ...                   # {name: array} of the last run

Standard output belongs to the protocol: what an engine prints there goes to standard error.
"""

import json
import os
import sys
import time

PROTOCOL = 1

# Drivers have the names of the packages that they import: those must not be found here.
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != HERE]


def take_output():
    """A file for answers; file descriptor 1 becomes standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def read_input(tensor):
    import numpy as np

    return np.fromfile(tensor["file"], np.dtype(tensor["dtype"])).reshape(tensor["shape"])


class Server:
    def __init__(self, factory):
        self.factory, self.engine = factory, None

    def hello(self, question):
        try:
            self.engine = self.factory()
        except ImportError as e:
            return {"ok": False, "error": str(e), "install": self.factory.install}
        return {"ok": True, "protocol": PROTOCOL, "engine": self.factory.name, "version": self.engine.version}

    def load(self, question):
        inputs = {t["name"]: read_input(t) for t in question["inputs"]}
        begin = time.perf_counter_ns()
        self.engine.load(question["model"], question["threads"], inputs)
        took = time.perf_counter_ns() - begin
        return {
            "ok": True,
            "load_ns": took,
            "precision": self.engine.precision,
            "settings": self.engine.settings,
        }

    def run(self, question):
        run, clock = self.engine.run, time.perf_counter_ns
        times = []
        for _ in range(question["runs"]):
            begin = clock()
            run()
            times.append(clock() - begin)
        return {"ok": True, "ns": times}

    def outputs(self, question):
        import numpy as np

        answer = []
        for i, (name, array) in enumerate(self.engine.outputs().items()):
            array = np.ascontiguousarray(array)
            if array.dtype.kind not in "fiub":  # strings and the like have no numbers to compare
                continue
            path = f"{question['folder']}-{i}.raw"
            array.tofile(path)
            answer.append({"name": name, "dtype": array.dtype.name, "shape": array.shape, "file": path})
        return {"ok": True, "outputs": answer}


def serve(factory):
    """Answer questions until there are no more."""
    answers, server = take_output(), Server(factory)
    for line in sys.stdin:
        try:
            question = json.loads(line)
            answer = getattr(server, question["do"])(question)
        except Exception as e:  # the engine's: the conversation goes on
            answer = {"ok": False, "error": f"{type(e).__name__}: {' '.join(str(e).split())[:300]}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
