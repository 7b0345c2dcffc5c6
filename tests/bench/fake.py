# SPDX-License-Identifier: Apache-2.0
"""A driver whose truth is known: fake.py MODE. What it should answer right it has from `ingot bench --driver`; how
long its runs take, and how it misbehaves, is its own."""

import json
import os
import signal
import subprocess
import sys
import time

SECONDS = {"steady": 0.005, "slow_first": 0.002, "tail": 0.0003, "leaks": 0.001, "slow_shapes": 0.002}
NEW_SHAPE_SECONDS = 0.02
TAIL_SECONDS, TAIL_EVERY = 0.05, 100
FIRST_SECONDS = 0.15
LEAK_BYTES = 1 << 17


def spend(seconds):
    """Wait awake, so that the truth does not depend on timers of the system."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


class Fake:
    def __init__(self, mode):
        self.mode, self.n_runs, self.kept = mode, 0, []
        self.shape, self.seen = None, set()
        self.real = subprocess.Popen(
            [os.environ["INGOT_FOR_FAKES"], "bench", "--driver"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, question):
        self.real.stdin.write(json.dumps(question) + "\n")
        self.real.stdin.flush()
        return json.loads(self.real.stdout.readline())

    def answer(self, question):
        what = question["do"]
        if what == "hello" and self.mode == "missing":
            return {"ok": False, "error": "No module named 'fake'", "install": "pip install fake"}
        if what in ("load", "feed"):
            self.shape = tuple(question["inputs"][0]["shape"])
        if what == "run":
            self.ask({"do": "run", "runs": 1})
            return self.run(question["runs"])
        if what == "offline" and self.mode != "no_offline":
            answer = self.run(question["runs"])
            return dict(answer, ns=sum(answer["ns"]))
        if what == "offline":
            return {"ok": False, "error": "one at a time"}
        answer = self.ask(question)
        if what == "load" and self.mode == "other_precision":
            answer["precision"] = "bf16"
        if what == "load" and self.mode == "cannot_load":
            return {"ok": False, "error": "operator Relu is unknown"}
        if what == "outputs" and (self.mode == "wrong" or self.mode == "wrong_later" and self.shape[0] > 3):
            for output in answer["outputs"]:
                with open(output["file"], "r+b") as f:
                    data = f.read()
                    f.seek(0)
                    f.write(data[4:] + data[:4])  # the right numbers in wrong places
        if what == "outputs" and self.mode == "wrong_shape":
            answer["outputs"][0]["shape"] = [7]
        return answer

    def run(self, n):
        if self.mode == "crashes" and self.n_runs:
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.mode == "hangs" and self.n_runs:
            time.sleep(1000)
        if self.mode == "ends":
            sys.exit("out of luck")
        if self.mode == "counts_wrong":
            n += 1
        times = [self.one() for _ in range(n)]
        if self.mode == "lies":
            times = [10 * t for t in times]
        return {"ok": True, "ns": times}

    def one(self):
        begin = time.perf_counter_ns()
        if self.mode == "leaks":
            self.kept.append(bytearray(b"x") * LEAK_BYTES)
        seconds = SECONDS.get(self.mode, 0.002)
        if self.mode == "slow_first" and self.n_runs == 0:
            seconds = FIRST_SECONDS
        if self.mode == "slow_shapes" and self.shape not in self.seen:
            seconds = NEW_SHAPE_SECONDS
        self.seen.add(self.shape)
        self.n_runs += 1
        if self.mode == "tail" and self.n_runs % TAIL_EVERY == 0:
            seconds = TAIL_SECONDS
        spend(seconds)
        return time.perf_counter_ns() - begin


def main():
    fake = Fake(sys.argv[1])
    for line in sys.stdin:
        if fake.mode == "garbage":
            print("Segmentation violin", flush=True)
        else:
            print(json.dumps(fake.answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
