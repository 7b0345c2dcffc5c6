# SPDX-License-Identifier: Apache-2.0
"""Other engines: drivers whose answers are known, old ones, and those that misbehave."""

import json
import os
import signal
import subprocess
import sys
import time

from made import ingot, numpy
from places import command
from sandbox import USAGE

HERE = os.path.dirname(os.path.abspath(__file__))
N, N_FLIPPED = 40, 5


def driver(box, mode):
    name = mode.replace(" ", "_")
    path = box.write(name, f"#!/bin/sh\nexec {sys.executable} {os.path.join(HERE, 'engine.py')} '{mode}' {N_FLIPPED}\n")
    os.chmod(path, 0o755)
    return path


def data(box):
    """Ingot is right on 35 of 40; an engine that turns the first five round is wrong on those, too."""
    np = numpy()
    labels = np.arange(N) % 3
    x = np.eye(3, dtype=np.float32)[np.where(np.arange(N) < 35, labels, (labels + 1) % 3)]
    return box.model([("x", "y", ["n", 3])]), box.npz(x=x, labels=labels), labels


def evaluate(box, modes, *flags, **options):
    model, path, _ = data(box)
    wanted = ",".join(driver(box, mode) for mode in modes)
    facts = box.eval(model, path, "--vs", wanted, *flags, env={"TMPDIR": box.folder}, **options)
    left = [name for name in os.listdir(box.folder) if name.startswith("ingot-eval-")]
    box.report.check("no file is left", not left, str(left))
    return {os.path.basename(e["name"]): e for e in facts["engines"]} if facts else None


def paired(box):
    """By hand: classes 0 and 2 are swapped on the first five, of which class 1 is not: 4 or 3 differ."""
    labels = data(box)[2]
    n_lost = sum(int(c != 1) for c in labels[: N_FLIPPED])
    for mode in ("flips", "loads again"):
        for n_batch in (1, 8):
            rival = evaluate(box, [mode], "-b", n_batch)[mode.replace(" ", "_")]
            seen = rival["metrics"]["top1"]
            versus = seen["versus_ingot"]
            box.near(f"{mode}: value", seen["value"], (35 - n_lost) / N)
            box.near(f"{mode}: difference", versus["value"], -n_lost / N)
            counts = versus["answered_otherwise"], versus["right_alone"], versus["ingot_right_alone"]
            box.report.check(f"{mode}: items", counts == (n_lost, 0, n_lost), str(counts))
            box.near(f"{mode}: sign test by hand", versus["mcnemar_p"], 2 * 0.5**n_lost)
            # Bonett and Price: one item added on either side.
            p_a, p_b = (n_lost + 1) / (N + 2), 1 / (N + 2)
            half = 1.959963984540054 * ((p_a + p_b - (p_b - p_a) ** 2) / (N + 2)) ** 0.5
            box.near(f"{mode}: interval", versus["low"], p_b - p_a - half)


def same(box):
    """One that answers the same differs nowhere, whatever the metric; its wrong items are saved as its own."""
    rivals = evaluate(box, ["plain"], "--metric", "top1,f1", "--save-errors", box.path("wrong.tsv"))
    for name in ("top1", "f1"):
        versus = rivals["plain"]["metrics"][name]["versus_ingot"]
        box.report.check(f"{name}: none differs", versus["answered_otherwise"] == 0 and versus["value"] == 0, str(versus))
    f1 = rivals["plain"]["metrics"]["f1"]["versus_ingot"]
    box.report.check("pairs are drawn together", f1["low"] == f1["high"] == 0, str(f1))
    with open(box.path("wrong.tsv")) as f:
        engines = [line.split("\t")[3].strip() for line in f]
    box.report.check("five wrong of each", sorted(engines) == sorted(["ingot", driver(box, "plain")] * 5), str(engines))


def old(box):
    """A driver without "feed" is loaded again for each batch, and is as good."""
    rival = evaluate(box, ["old"])["old"]
    box.near("an old driver", rival["metrics"]["top1"]["value"], 35 / N)


def ingot_itself(box):
    """`ingot bench --driver` takes feeds; of what one process answers, the other answers the same."""
    model, path, _ = data(box)
    own = box.write("own", f"#!/bin/sh\nexec {command()} bench --driver\n")
    os.chmod(own, 0o755)
    facts = box.eval(model, path, "--vs", own, "-b", "3")
    versus = facts["engines"][1]["metrics"]["top1"]["versus_ingot"]
    box.report.check("Ingot against itself", versus["answered_otherwise"] == 0 and facts["items"] == N, str(facts["engines"][1]))


def questions(box):
    """The protocol, spoken by hand: feed before load is refused, and other shapes are taken after it."""
    np = numpy()
    model = data(box)[0]
    process = subprocess.Popen([command(), "bench", "--driver"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(**question):
        process.stdin.write(json.dumps(question) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    def tensor(array):
        array.tofile(box.path("x.raw"))
        return [{"name": "x", "dtype": "float32", "shape": list(array.shape), "file": box.path("x.raw")}]

    hello = ask(do="hello", protocol=1)
    box.report.check("hello says feed", hello["feed"] is True, str(hello))
    first, second = np.ones((2, 3), np.float32), np.full((5, 3), 7, np.float32)
    box.report.check("feed before load", ask(do="feed", inputs=tensor(first))["ok"] is False)
    box.report.check("load", ask(do="load", model=model, threads=1, inputs=tensor(first))["ok"])
    box.report.check("run", ask(do="run", runs=1)["ok"])
    os.unlink(box.path("x.raw"))
    box.report.check("feed", ask(do="feed", inputs=tensor(second))["ok"])
    box.report.check("run again", ask(do="run", runs=1)["ok"])
    output = ask(do="outputs", folder=box.path("o"))["outputs"][0]
    seen = np.fromfile(output["file"], np.float32).reshape(output["shape"])
    box.report.check("the new input's answer", np.array_equal(seen, second), str(seen))
    bad = dict(tensor(second)[0], shape=[5, 4])
    box.report.check("a file too short for its shape", ask(do="feed", inputs=[bad])["ok"] is False)
    process.stdin.close()
    box.report.check("the end", process.wait(timeout=30) == 0)


def misbehaving(box):
    expected = {
        "crashes": ("failed", "Segmentation fault"),
        "hangs": ("failed", "no answer within 2 s"),
        "wrong shape": ("wrong", ""),
        "refuses to feed": ("failed", "JSONDecodeError"),
    }
    rivals = evaluate(box, [*expected, "plain"], "--timeout", "2", "-b", "4")
    for mode, (state, word) in expected.items():
        rival = rivals[mode.replace(" ", "_")]
        box.report.check(f"{mode}: {state}", rival["state"] == state and word in rival["why"], str(rival))
        box.report.check(f"{mode}: has no value", "metrics" not in rival, str(rival))
    for name in ("ingot", "plain"):
        box.near(f"{name}: fine beside them", rivals[name]["metrics"]["top1"]["value"], 35 / N)
    model, path, _ = data(box)
    done = ingot("eval", model, "--data", path, "--vs", "nobody", "--json")
    box.report.check(
        "no such driver", done.returncode == 0 and json.loads(done.stdout)["engines"][1]["state"] == "missing", done.stderr
    )
    text = ingot("eval", model, "--data", path, "--vs", "nobody").stdout
    box.report.check("is said in words", "nobody: missing: no driver" in text, text)
    box.fails("an empty name", USAGE, "eval", model, "--data", path, "--vs", "a,", mention="--vs")


def interrupted(box):
    """Ctrl-C while an engine does not answer: the end, and nothing is left."""
    model, path, _ = data(box)
    process = subprocess.Popen(
        [command(), "eval", model, "--data", path, "--vs", driver(box, "hangs"), "-b", "1"],
        env=dict(os.environ, TMPDIR=box.folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    box.report.check("exit code 130", process.returncode == 130, f"{process.returncode} {err}")
    left = [name for name in os.listdir(box.folder) if name.startswith("ingot-eval-")]
    box.report.check("no file is left", not left and not out, str(left))


ALL = [paired, same, old, ingot_itself, questions, misbehaving, interrupted]
