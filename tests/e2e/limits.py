# SPDX-License-Identifier: Apache-2.0
"""What bounds a model that asks too much."""

import os

import places
from sandbox import LIMIT, MODEL, USAGE

RUN_CORPUS = os.path.join(places.ROOT, "tests", "fuzz", "corpus", "run")


def bounds(box):
    endless = os.path.join(RUN_CORPUS, "endless.onnx")
    scan = os.path.join(RUN_CORPUS, "scan.onnx")
    dynamic = os.path.join(RUN_CORPUS, "dynamic.onnx")
    for name, model, flag, value in [
        ("too many nodes", MODEL, "--max-nodes", "3"),
        ("a static tensor too large", MODEL, "--max-tensor", "300"),
        ("a dynamic tensor too large", dynamic, "--max-tensor", "4"),
        ("too many steps of a Loop", endless, "--max-loop-steps", "50"),
        ("too many steps of a Scan", scan, "--max-loop-steps", "1"),
        ("a run too long", endless, "--timeout", "0.1"),
    ]:
        box.fails(name, LIMIT, "run", model, "--random", flag, value, mention=flag)
    box.ok(
        "bounds that are wide enough", "run", MODEL, box.digit(3), "--max-nodes", "20",
        "--max-tensor", "10k", "--max-loop-steps", "1", "--timeout", "100",
    )


def wrong_bounds(box):
    for flag, value in [
        ("--max-nodes", "0"), ("--max-nodes", "1.5"), ("--max-loop-steps", "-1"),
        ("--max-tensor", "x"), ("--timeout", "0"), ("--timeout", "soon"),
    ]:
        box.fails(f"{flag} {value}", USAGE, "run", MODEL, "--random", flag, value, mention=flag)


ALL = [bounds, wrong_bounds]
