#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time and memory of whole processes: one picture classified by the command and by Python with ONNX
Runtime.

    process_time.py [--model M.onnx --image P.jpg] [--runs 15] [--threads N] [--json FILE] [--check]

Default: mobilenet_v2 of ../shared on a JPEG. Both processes do the same: read the model, decode and
resize the picture, run once in float32, print the best class. Runs alternate, so that a slow moment
of the machine hits both. Memory is the largest resident set that the kernel saw (ru_maxrss; never
below the 15 MB of this script, from which the processes are forked). With --check the limits of the
project are checked: 40 ms, a fifth of Python's time, and 1.3 x (weights + planned activations) + 8
MB.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import places  # noqa: E402
from report import Report, Skip  # noqa: E402

PREPROCESS = ["--size", "224", "--crop", "0.875", "--mean", "128", "--std", "128"]
RIVAL = os.path.join(places.ROOT, "examples", "classify_onnxruntime.py")


def once(command):
    """(milliseconds, peak bytes, output) of one process."""
    with tempfile.TemporaryFile() as complaint:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaint
        )
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        took = (time.perf_counter() - begin) * 1e3
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            complaint.seek(0)
            text = complaint.read().decode(errors="replace").strip()[-300:]
            raise Skip(f"{os.path.basename(command[0])} ended with {process.returncode}: {text}")
    return took, usage.ru_maxrss * 1024, out.decode(errors="replace")


def measure(commands, n_runs):
    """Medians of alternating runs, the first of each left out (it warms the page cache)."""
    times, peaks, last = {k: [] for k in commands}, dict.fromkeys(commands, 0), {}
    for i in range(n_runs + 1):
        for name, command in commands.items():
            took, peak, last[name] = once(command)
            if i:
                times[name].append(took)
                peaks[name] = max(peaks[name], peak)
    return {
        name: {
            "median_ms": statistics.median(times[name]),
            "min_ms": min(times[name]),
            "max_ms": max(times[name]),
            "peak_rss_bytes": peaks[name],
            "output": last[name].strip().splitlines()[-1:],
        }
        for name in commands
    }


def planned_bytes(model):
    """Weights + activations as `ingot inspect` states them, or None."""
    done = places.ingot("inspect", model, "--json")
    if done.returncode:
        return None
    facts = json.loads(done.stdout)
    memory = facts.get("memory", facts)
    weights = memory.get("weight_bytes", facts.get("weight_bytes"))
    slab = memory.get(
        "activation_bytes", memory.get("slab_bytes", memory.get("peak_activation_bytes"))
    )
    return None if weights is None or slab is None else weights + slab


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model")
    parser.add_argument("--image")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", help="write the figures to this file")
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def show(result):
    print(f"{'':28s}{'median':>10s}{'fastest':>10s}{'slowest':>10s}{'peak memory':>14s}")
    for name, row in result.items():
        times = "".join(f"{row[k]:7.1f} ms" for k in ("median_ms", "min_ms", "max_ms"))
        print(f"{name:28s}{times}{row['peak_rss_bytes'] / 1e6:11.1f} MB")


def check(report, result, planned):
    ours, theirs = result.get("ingot"), result.get("python + onnxruntime")
    report.check("process <= 40 ms", ours["median_ms"] <= 40, f"{ours['median_ms']:.1f} ms")
    if theirs:
        report.check(
            "process <= 1/5 of Python's",
            ours["median_ms"] * 5 <= theirs["median_ms"],
            f"{ours['median_ms']:.1f} of {theirs['median_ms']:.1f} ms",
        )
    if planned is None:
        report.skipped("peak memory", "inspect --json states no weights and activations")
    else:
        limit = 1.3 * planned + 8e6
        report.check(
            "peak memory",
            ours["peak_rss_bytes"] <= limit,
            f"{ours['peak_rss_bytes'] / 1e6:.1f} MB, limit {limit / 1e6:.1f} MB",
        )


def run(report, options):
    model = options.model or places.shared("models", "mobilenet_v2", "mnv2_f32.onnx")
    image = options.image or places.shared("data", "photos", "hot_dog.jpg")
    threads = str(options.threads)
    commands = {
        "ingot": [
            places.command(),
            "run",
            model,
            image,
            *PREPROCESS,
            "--top",
            "1",
            "--threads",
            threads,
        ]
    }
    try:
        rival = [sys.executable, RIVAL, model, image, *PREPROCESS, "--threads", threads]
        once(rival)
        commands["python + onnxruntime"] = rival
    except Skip as reason:
        report.skipped("python + onnxruntime", str(reason))
    result = measure(commands, options.runs)
    print(
        f"{os.path.basename(model)} on {os.path.basename(image)}, float32, {threads} threads, "
        f"{options.runs} processes each"
    )
    show(result)
    planned = planned_bytes(model)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as f:
            json.dump(
                {"threads": options.threads, "planned_bytes": planned, "processes": result},
                f,
                indent=2,
            )
    if options.check:
        check(report, result, planned)
    else:
        report.passed("measured")


def main():
    options, report = arguments(), Report()
    report.run("process time", run, report, options)
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
