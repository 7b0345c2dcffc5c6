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
        def feed(self, inputs): ...              # other inputs from now on; without it: no scenario dynamic,
                                                 # and `ingot eval` loads again for each batch
        def stream(self): ...                    # a function that infers beside run(); without it: no offline

Before load(), the attributes `dynamic` (other shapes will follow), `streams` (inferences at once, each with `threads`) and
`folder` (scratch, removed after it) are set. What load() spends on converting a file, which is done once and ahead, it
adds to `conversion_ns`.
Standard output belongs to the protocol: what an engine prints there goes to standard error.
"""

import concurrent.futures
import itertools
import json
import os
import subprocess
import sys
import tempfile
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


def convert(engine, *command):
    """Run a converter; its time counts as conversion, its last line is the error."""
    begin = time.perf_counter_ns()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    engine.conversion_ns += time.perf_counter_ns() - begin
    if done.returncode:
        last = done.stdout.decode(errors="replace").strip().splitlines()[-1:] or ["nothing was said"]
        end = f"exit code {done.returncode}" if done.returncode > 0 else f"signal {-done.returncode}"
        raise RuntimeError(f"the conversion failed with {end}: {last[0]}")


class Server:
    def __init__(self, factory):
        self.factory, self.engine = factory, None

    def hello(self, question):
        try:
            self.engine = self.factory()
        except ImportError as e:
            return {"ok": False, "error": str(e), "install": self.factory.install}
        return {
            "ok": True,
            "protocol": PROTOCOL,
            "engine": self.factory.name,
            "version": self.engine.version,
            "feed": hasattr(self.engine, "feed"),
        }

    def load(self, question):
        engine, n_streams = self.engine, question.get("streams", 1)
        engine.dynamic, engine.streams, engine.conversion_ns = question.get("dynamic", False), n_streams, 0
        if engine.dynamic and not hasattr(engine, "feed"):
            raise NotImplementedError("this driver has no feed(), which --scenario dynamic needs")
        if n_streams > 1 and not hasattr(engine, "stream"):
            raise NotImplementedError("this driver has no stream(), which --scenario offline needs")
        inputs = {t["name"]: read_input(t) for t in question["inputs"]}
        with tempfile.TemporaryDirectory() as engine.folder:
            begin = time.perf_counter_ns()
            engine.load(question["model"], question["threads"], inputs)
            self.streams = [engine.run] + [engine.stream() for _ in range(1, n_streams)]
            took = time.perf_counter_ns() - begin - engine.conversion_ns
        settings = dict(engine.settings)
        if n_streams > 1:
            settings["streams"] = n_streams
        if engine.conversion_ns:
            settings["conversion_ms"] = round(engine.conversion_ns / 1e6)  # ahead of time, not in load
        self.pool = concurrent.futures.ThreadPoolExecutor(n_streams)
        return {"ok": True, "load_ns": took, "precision": engine.precision, "settings": settings}

    def feed(self, question):
        self.engine.feed({t["name"]: read_input(t) for t in question["inputs"]})
        return {"ok": True}

    def offline(self, question):
        """All runs are there at the begin; each stream takes the next one when it is free."""
        n, count = question["runs"], itertools.count()

        def work(run):
            while next(count) < n:
                run()

        begin = time.perf_counter_ns()
        for done in [self.pool.submit(work, run) for run in self.streams]:
            done.result()
        return {"ok": True, "ns": time.perf_counter_ns() - begin}

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
