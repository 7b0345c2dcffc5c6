# SPDX-License-Identifier: Apache-2.0
"""Well-known architectures with random weights: inspected by the command, and run against ONNX
Runtime."""

import glob
import json
import os
import subprocess
import sys

import compare
import places
from report import Skip

BIG_BYTES = 150 << 20


def folder():
    """INGOT_ZOO, or the build folder's copy, which is made on first use (half a minute, 1.9 GB)."""
    path = os.environ.get("INGOT_ZOO", os.path.join(places.ROOT, "build", "zoo"))
    if glob.glob(os.path.join(path, "*.onnx")):
        return path
    script = places.shared("tools", "make_zoo.py")
    os.makedirs(path, exist_ok=True)
    done = subprocess.run([sys.executable, script, path], capture_output=True, text=True)
    if done.returncode:
        raise Skip(f"make_zoo.py failed: {done.stderr.strip().splitlines()[-1:]}")
    return path


def inspect(report, path):
    name = os.path.basename(path)
    done = places.ingot("inspect", path, "--json")
    report.check(
        f"inspect {name}",
        done.returncode == 0,
        f"exit code {done.returncode}: {done.stderr.strip()[:200]}",
    )
    if done.returncode == 0:
        report.check(
            f"inspect {name} JSON", bool(json.loads(done.stdout).get("inputs")), "no inputs in it"
        )


def all_models(report, quick, word=""):
    if quick:
        report.skipped("zoo", "only in the full round")
        return
    for path in sorted(p for p in glob.glob(os.path.join(folder(), "*.onnx")) if word in p):
        report.run(f"inspect {os.path.basename(path)}", inspect, report, path)
        levels = ("all",) if os.path.getsize(path) > BIG_BYTES else ("none", "all")
        report.isolated(
            os.path.basename(path),
            compare.one_model,
            path,
            places.cpu_masks()[-1:],
            levels,
            True,
        )
