# SPDX-License-Identifier: Apache-2.0
"""examples/classify.c builds as C and as C++ against the library, and gives the command's answer;
the completions are shell code."""

import os
import shutil
import subprocess

import places
from places import ingot
from report import Skip

SOURCE = os.path.join(places.ROOT, "examples", "classify.c")
DIGITS = os.path.join(places.ROOT, "examples", "digits.onnx")


def sanitizers(library):
    """Flags that a program needs for a library that was built with sanitizers."""
    with open(library, "rb") as f:
        symbols = f.read()
    known = ((b"__asan_init", "address"), (b"__tsan_init", "thread"), (b"__ubsan_", "undefined"))
    return [f"-fsanitize={name}" for symbol, name in known if symbol in symbols]


def built(box, compiler, *flags):
    if not shutil.which(compiler):
        raise Skip(f"no {compiler}")
    library = places.library()
    program = box.path("classify")
    command = [compiler, *flags, *sanitizers(library), "-Wall", "-Wextra", "-Werror", "-pedantic", SOURCE]
    command += ["-I", os.path.join(places.ROOT, "include"), "-x", "none", library, "-o", program]
    command.append("-Wl,-rpath," + os.path.dirname(os.path.abspath(library)))
    done = subprocess.run(command, capture_output=True, text=True)
    box.report.check(f"classify.c builds with {compiler}", done.returncode == 0, done.stderr[-500:])
    return program


def classify(box, compiler, *flags):
    program = built(box, compiler, *flags)
    raw = box.write("zeros.raw", bytes(4 * 28 * 28))
    done = subprocess.run([program, DIGITS, raw], capture_output=True, text=True)
    said = ingot("run", DIGITS, raw, "--top", "1").stdout.split()
    box.report.check(
        f"classify.c by {compiler} says what the command says",
        done.returncode == 0 and said[-2:] == done.stdout.replace(",", "").split()[1::2],
        f"{done.returncode}: {done.stdout!r} {done.stderr!r}, command: {said}",
    )
    done = subprocess.run([program, raw, raw], capture_output=True, text=True)
    box.report.check(
        "a wrong model", done.returncode == 5 and "zeros.raw" in done.stderr, str(done)
    )


def as_c(box):
    classify(box, os.environ.get("CC", "cc").split()[0], "-std=c99", "-x", "c")


def as_cxx(box):
    classify(box, os.environ.get("CXX", "c++").split()[0], "-std=c++11", "-x", "c++")


def short(box):
    with open(SOURCE, encoding="utf-8") as f:
        n = len(f.readlines())
    box.report.check("classify.c has fewer than 80 lines", n < 80, str(n))


def completions(box):
    for shell in ("bash", "zsh"):
        text = box.said("generate", shell)
        if shutil.which(shell):
            done = subprocess.run([shell, "-n"], input=text, capture_output=True, text=True)
            box.report.check(f"{shell} completion parses", done.returncode == 0, done.stderr)
        box.report.check(f"{shell} completion knows --threads", "--threads" in text, "")


ALL = [short, as_c, as_cxx, completions]
