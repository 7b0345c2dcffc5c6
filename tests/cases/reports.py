# SPDX-License-Identifier: Apache-2.0
"""Which reports have no case here, and why. Every other one has a case of its number.

../shared/reference/bug-reports.md holds the reports: a section letter, a number, and for each a
model and the right result. The check holds that list against the cases and the tables below.
"""

import os
import re

import places
from report import Skip

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBER = re.compile(r"\b([A-G]\d?)-(\d\d)\b")

# Rebuilt with other tools, since it takes a process, a broken file or a clock.
ELSEWHERE = {
    "D-02": ("tests/hostile/external.py", "hub_cache: links need --allow-links (decision 0027)"),
    "D-03": ("tests/hostile/tensors.py", "amounts, packed: bytes and numbers that do not fit dims"),
    "D-18": ("tests/hostile/external.py", "numbers: keys, offsets and lengths of external data"),
}

# Not rebuilt: what the report is about is no part of Ingot.
NOT_HERE = {
    "D-08": "GGUF: Ingot reads ONNX alone",
    "D-09": "GGUF: Ingot reads ONNX alone",
    "D-20": "a cache of compiled models: Ingot keeps none",
}
SECTIONS_NOT_HERE = {
    "E": "serving: Ingot has no server",
    "F": "speed, by the clock: `ingot bench` measures it, and F-14 has a case",
    "G": "language models' sampling, caches and API: Ingot has none",
}
# Rebuilt but for one part that is no part of Ingot.
IN_PART = {
    "A4-23": "int8 and float32 in ONNX; the report's file is ExecuTorch's",
    "A6-03": "scopes and answers; Ingot writes no ONNX files, so that nothing is saved again",
    "B-14": "the bound on memory; there is no call that trims",
    "C-14": "ONNX's axes; TensorFlow Lite's files are not read",
    "C-15": "halves and equal bits; no TensorFlow Lite to compare with",
    "C-20": "weights behind a Reshape; there is no quantizer to find them",
    "C-21": "equal bits on every CPU; there is no quantizer to warn",
}


def cases_of(modules):
    """Numbers of the reports that some case names."""
    found = set()
    for module in modules:
        with open(module.__file__, encoding="utf-8") as f:
            found |= {"-".join(pair) for pair in NUMBER.findall(f.read())}
    return found


def check(report, modules):
    """The tables are true; with ../shared also: every report has a case or a line in them."""
    found = cases_of(modules)
    for number, (path, what) in ELSEWHERE.items():
        name = what.split(",")[0].split(":")[0]
        with open(os.path.join(places.ROOT, path), encoding="utf-8") as f:
            report.check(f"{number} is in {path}", f"def {name}(" in f.read(), what)
    for number in (*ELSEWHERE, *NOT_HERE):
        report.check(f"{number} has no case", number not in found)
    for number, what in IN_PART.items():
        report.check(f"{number} has a case", number in found, what)
    try:
        path = places.shared("reference", "bug-reports.md")
    except Skip as reason:
        report.skipped("all reports", str(reason))
        return
    with open(path, encoding="utf-8") as f:
        listed = set(re.findall(r"^\| ([A-G]\d?-\d\d) \|", f.read(), re.MULTILINE))
    known = {*found, *ELSEWHERE, *NOT_HERE}
    missing = {n for n in listed - known if n[0] not in SECTIONS_NOT_HERE}
    report.check("every report", listed and not missing, f"nothing on {sorted(missing)}")
    report.check("no other report", not known - listed, f"{sorted(known - listed)} are not listed")
