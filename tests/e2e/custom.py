# SPDX-License-Identifier: Apache-2.0
"""Operators from shared libraries: --custom-op."""

import json
import os
import shutil
import struct
import subprocess

import places
from report import Skip
from sandbox import EXAMPLES, INVALID, IO, UNSUPPORTED

SOURCE = os.path.join(EXAMPLES, "custom_op.c")
MODEL = os.path.join(EXAMPLES, "custom_op.onnx")
SIGNAL = [2, -0.25, -3, 0.75, 1.5, -0.5, 4]
FRAMES = [1.5, -0.0, -2.5, 0.25, -2.5, 0.25, 1, -0.0]  # threshold 0.5, size 4, step 2


def module(name):
    """A library that tests/custom builds."""
    path = os.path.join(places.BUILD, "tests", "custom", name + ".so")
    if not os.path.exists(path):
        raise Skip(f"no {path}")
    return path


def signal(box):
    return box.write("signal.raw", struct.pack(f"<{len(SIGNAL)}f", *SIGNAL))


def outputs(done):
    found = json.loads(done.stdout)["outputs"] if done.returncode == 0 else {}
    return {name: (value["shape"], value["data"]) for name, value in found.items()}


def example(box):
    library = module("custom_op")
    energy = [sum(x * x for x in FRAMES[k : k + 4]) for k in (0, 4)]
    want = {"frames": ([2, 4], FRAMES), "energy": ([2], energy)}
    for level in ("all", "basic", "none"):
        done = box.ok(
            f"the example at --opt {level}", "run", "--custom-op", library, MODEL, "--opt", level,
            "--json", "--input", "signal=" + signal(box),
        )
        box.report.check(f"its answer at --opt {level}", outputs(done) == want, str(outputs(done)))
    for command in ("inspect", "bench", "profile"):
        few = [] if command == "inspect" else ["--duration", "0.01"]
        few += ["--retries", "0"] if command == "bench" else []
        box.ok(f"{command} --custom-op", command, MODEL, "--custom-op", library, *few)


def built_by_hand(box):
    """As the example says that it is built, and by a name without a slash."""
    compiler = os.environ.get("CC", "cc").split()[0]
    if not shutil.which(compiler):
        raise Skip(f"no {compiler}")
    command = [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC", SOURCE]
    command += ["-I", os.path.join(places.ROOT, "include"), "-o", box.path("custom_op.so")]
    done = subprocess.run(command, capture_output=True, text=True)
    box.report.check("custom_op.c builds as C99", done.returncode == 0, done.stderr[-500:])
    box.ok(
        "a library in the working directory", "run", "--custom-op", "custom_op.so", MODEL,
        "--random", "--shape", "n=9", cwd=box.folder, executable=os.path.abspath(places.COMMAND),
    )
    with open(SOURCE, encoding="utf-8") as f:
        n = len(f.readlines())
    box.report.check("custom_op.c has fewer than 100 lines", n < 100, str(n))


def wrong_libraries(box):
    for name, library, code, mention in [
        ("no such library", "/nowhere/ops.so", IO, "/nowhere/ops.so: no such file"),
        ("a folder as library", box.folder, INVALID, "cannot be loaded"),
        ("text as library", box.write("text.so", "no library\n" * 50), INVALID, "cannot be loaded"),
        ("no entry", module("ops_without_entry"), INVALID, "exports no function ingot_register_ops"),
        ("another version", module("ops_another_version"), UNSUPPORTED,
         "is built for version 2 of the operator interface, this Ingot has version 1"),
        ("a library that refuses", module("ops_refusing"), UNSUPPORTED, "wants more than version 1"),
        ("a name that is taken", module("ops_clashing"), INVALID, "has an operator of that name"),
    ]:
        box.fails(name, code, "run", MODEL, "--random", "--custom-op", library, mention=mention)
    twice = ["--custom-op", module("custom_op")] * 2
    box.fails("a library given twice", INVALID, "run", MODEL, "--random", *twice, mention="already")


def failing(box):
    library = module("ops_failing")
    box.fails(
        "an operator that fails", UNSUPPORTED, "run", MODEL, "--custom-op", library, "--input",
        "signal=" + signal(box),
        mention="custom_op.onnx: node 0 'soft' (com.example.SoftThreshold): 7 elements are too many",
    )
    for command in ("run", "inspect", "bench", "profile"):
        box.fails(
            f"{command} without the library", UNSUPPORTED, command, MODEL,
            mention="operator SoftThreshold of domain 'com.example', version 1, is not known; a "
                    "library of custom operators (--custom-op,",
        )


ALL = [example, built_by_hand, wrong_libraries, failing]
