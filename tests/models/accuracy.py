# SPDX-License-Identifier: Apache-2.0
"""mobilenet_v2 on 1,000 ImageNet pictures: Ingot and ONNX Runtime on the same tensors."""

import json
import os

import numpy as np

import engines
import pictures
import places
from places import shared


def rows():
    """(path, class with background at 0) of each picture."""
    folder = shared("data", "imagenet1000")
    with open(os.path.join(folder, "labels.tsv"), encoding="utf-8") as f:
        for line in f:
            name, label = line.split("\t")[:2]
            if label.isdigit():
                yield os.path.join(folder, name), int(label) + 1


def tensor(file):
    return pictures.nchw(pictures.center_crop(pictures.load(file), 224), 128, 1 / 128)


def mobilenet_v2(report):
    path = shared("models", "mobilenet_v2", "mnv2_f32.onnx")
    nets = {"Ingot": engines.Ingot(path), "ONNX Runtime": engines.Ort(path, threads=1)}
    right, n, same = dict.fromkeys(nets, 0), 0, 0
    for file, label in rows():
        x = tensor(file)
        said = {name: int(np.argmax(net.run([x])[0])) for name, net in nets.items()}
        for name in nets:
            right[name] += said[name] == label
        same += len(set(said.values())) == 1
        n += 1
    seen = {name: 100 * r / n for name, r in right.items()}
    text = (
        ", ".join(f"{name} {p:.1f} %" for name, p in seen.items())
        + f" of {n}; same answer on {same}"
    )
    report.check(
        "mobilenet_v2 top-1 on imagenet1000",
        abs(seen["Ingot"] - seen["ONNX Runtime"]) <= 0.2 and n >= 1000,
        text,
    )
    report.note("mobilenet_v2 top-1", text)


def by_command(report):
    """The same in one command, whose own decoding and resizing must give Pillow's pixels."""
    folder = shared("data", "imagenet1000")
    model = shared("models", "mobilenet_v2", "mnv2_f32.onnx")
    pixels = ["--size", "224", "--crop", "0.875", "--filter", "bicubic", "--mean", "128", "--std", "128"]
    judged = ["--truth-shift", "1", "--metric", "top1,top5", "--json"]
    done = places.ingot("eval", model, "--data", folder, *pixels, *judged, timeout=900)
    if not report.check(
        "ingot eval on imagenet1000", done.returncode == 0, done.stderr.strip()[:300]
    ):
        return
    facts = json.loads(done.stdout)
    net = engines.Ort(model, threads=1)
    n_right = 0
    for file, label in rows():
        n_right += int(np.argmax(net.run([tensor(file)])[0])) == label
    seen, want = 100 * facts["engines"][0]["metrics"]["top1"]["value"], n_right / 10
    text = f"{seen:.1f} % (ONNX Runtime on Pillow's pixels {want:.1f} %)"
    report.check("top-1 of ingot eval", abs(seen - want) <= 0.2 and facts["items"] == 1000, text)
    report.note("top-1 of ingot eval", text)
