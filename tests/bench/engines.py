# SPDX-License-Identifier: Apache-2.0
"""Engines whose truth is known, measured and told apart by `ingot bench --vs`."""

import json
import os
import signal
import subprocess
import sys
import time

import fake
import places
from report import Skip
from sandbox import MODEL

HERE = os.path.dirname(os.path.abspath(__file__))


def drivers(box, modes):
    """Paths of programs that are fake.py in these modes."""
    paths = []
    for mode in modes:
        path = box.write(
            mode, f"#!/bin/sh\nexec {sys.executable} {os.path.join(HERE, 'fake.py')} {mode}\n"
        )
        os.chmod(path, 0o755)
        paths.append(path)
    return ",".join(paths)


def versus(box, name, modes, *flags):
    """The report of a run against these fakes: {mode: its part}, and all of it."""
    done = box.ok(
        name, "bench", MODEL, "--threads", "1", "--vs", drivers(box, modes), "--json", *flags,
        env={"INGOT_FOR_FAKES": places.command(), "TMPDIR": box.folder}, timeout=300,
    )
    facts = json.loads(done.stdout)
    return {os.path.basename(e["name"]): e for e in facts["engines"]}, facts


def need_valid(facts):
    if not facts["valid"]:
        raise Skip(facts["invalid_because"])


def misbehaving(box):
    """Each is told apart, and none disturbs the others."""
    expected = {
        "garbage": ("failed", "garbage"),
        "crashes": ("failed", "crashed: Segmentation fault"),
        "hangs": ("failed", "no answer within 2 s"),
        "wrong": ("wrong", "outputs are wrong"),
        "wrong_shape": ("wrong", "is float32[7] and not float32[1,10]"),
        "other_precision": ("refused", "--allow-mixed-precision"),
        "missing": ("missing", "install it: pip install fake"),
        "ends": ("failed", "out of luck"),
        "cannot_load": ("failed", "operator Relu is unknown"),
        "lies": ("failed", "claims"),
        "counts_wrong": ("failed", "times to"),
    }
    modes = [*expected, "steady"]
    engines, facts = versus(
        box, "engines that misbehave", modes, "-d", "0.1", "--retries", "0", "--timeout", "2"
    )
    for mode, (state, word) in expected.items():
        engine = engines[mode]
        box.report.check(
            f"{mode}: {state}",
            engine["state"] == state and word in engine["why"],
            f"{engine['state']}: {engine['why']}",
        )
        box.report.check(f"{mode}: has no speed", "p50_ms" not in engine, str(engine))
    for name in ("ingot", "steady"):
        engine = engines[name]
        box.report.check(
            f"{name}: fine beside them", engine["state"] == "fine" and engine["p50_ms"] > 0, str(engine)
        )
    box.report.check(
        "right outputs are right",
        engines["steady"]["rms_error"] < 1e-4 and engines["steady"]["top1_agreement"] == 1,
        str(engines["steady"]),
    )
    left = [name for name in os.listdir(box.folder) if name.startswith("ingot-bench-")]
    box.report.check("no file is left", not left, str(left))


def mixed_precision(box):
    """Allowed, it is labelled in every line that has its name."""
    flags = ["-d", "0.2", "--retries", "0", "--allow-mixed-precision"]
    engines, facts = versus(box, "another precision, allowed", ["other_precision"], *flags)
    engine = engines["other_precision"]
    if facts["rounds"] < 6:
        raise Skip("the machine is too busy for six rounds")
    box.report.check(
        "it has a ratio and a label",
        engine["ratio"]["value"] > 0 and engine["other_precision"] is True,
        str(engine),
    )
    path = drivers(box, ["other_precision"])
    text = box.ok(
        "the same as text", "bench", MODEL, "--threads", "1", "--vs", path, *flags,
        env={"INGOT_FOR_FAKES": places.command()},
    ).stdout
    lines = [line for line in text.splitlines() if "other_precision" in line]
    box.report.check(
        "every line is labelled", len(lines) >= 2 and all("[bf16]" in line for line in lines), text
    )


def known_times(box):
    """5 ms are 5 ms; a slow first run stays out of the rest; the ratio holds the truth."""
    engines, facts = versus(
        box, "known times", ["steady", "slow_first"], "-d", "1", "--retries", "1"
    )
    first = engines["slow_first"]
    box.report.check(
        "the first run is told apart",
        first["first_ms"] >= 1e3 * fake.FIRST_SECONDS,
        f"{first['first_ms']} ms",
    )
    need_valid(facts)
    for name in ("steady", "slow_first"):
        want, got = 1e3 * fake.SECONDS[name], engines[name]["p50_ms"]
        box.report.check(f"{name}: {want} ms", abs(got / want - 1) <= 0.02, f"{got} ms")
    box.report.check("it is in no quantile", first["p99_ms"] is None or first["p99_ms"] < 50, str(first))
    ours, ratio = engines["ingot"]["p50_ms"], engines["steady"]["ratio"]
    box.report.check(
        "the ratio is that of the times",
        ratio["low"] <= ratio["value"] <= ratio["high"]
        and abs(ratio["value"] * ours / 5 - 1) < 0.2,
        f"{ratio}, {ours} ms",
    )


def tail(box):
    """One run of a hundred takes 50 ms: only the far quantiles show it."""
    engines, facts = versus(box, "a tail", ["tail"], "-d", "3.2", "--retries", "0")
    engine = engines["tail"]
    far = engine["p999_ms"]
    box.report.check("the tail is seen", engine["max_ms"] >= 1e3 * fake.TAIL_SECONDS, str(engine["max_ms"]))
    need_valid(facts)
    box.report.check("P50 does not see it", abs(engine["p50_ms"] / 0.3 - 1) <= 0.05, str(engine["p50_ms"]))
    box.report.check("P95 does not see it", engine["p95_ms"] < 5, str(engine["p95_ms"]))
    box.report.check(
        "P99.9 sees it, or says that the runs are too few",
        far is None and engine["inferences"] < 3688 or far is not None and far >= 50,
        f"{far} of {engine['inferences']} runs",
    )


def leaking(box):
    engines, _ = versus(box, "a leak", ["leaks", "steady"], "-d", "0.4", "--retries", "0")
    box.report.check("it is seen", engines["leaks"].get("leaks") is True, str(engines["leaks"]))
    for name in ("steady", "ingot"):
        box.report.check(f"{name} has none", engines[name]["leaks"] is False, str(engines[name]))


def interrupted(box, models=(MODEL,)):
    """Ctrl-C while an engine does not answer: the end, and nothing is left."""
    process = subprocess.Popen(
        [places.command(), "bench", *models, "--vs", drivers(box, ["hangs"])],
        env=dict(os.environ, INGOT_FOR_FAKES=places.command(), TMPDIR=box.folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell's background jobs ignore the signal, and what they start does, too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(2)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)  # to the command alone, not to its drivers
    process.communicate(timeout=60)
    box.report.check(
        "Ctrl-C ends it", process.returncode == 130, f"{process.returncode} after {time.monotonic() - begin:.1f} s"
    )
    left = [name for name in os.listdir(box.folder) if name.startswith("ingot-bench-")]
    box.report.check("no file is left", not left, str(left))


QUICK = [misbehaving]
SLOW = [interrupted, mixed_precision, known_times, tail, leaking]
