# SPDX-License-Identifier: Apache-2.0
"""mobilenet_v2 on 1,000 ImageNet pictures: Ingot and ONNX Runtime on the same tensors."""

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


def mobilenet_v2(report):
    path = shared("models", "mobilenet_v2", "mnv2_f32.onnx")
    nets = {"Ingot": engines.Ingot(path, threads=2), "ONNX Runtime": engines.Ort(path)}
    right, n, same = dict.fromkeys(nets, 0), 0, 0
    for file, label in rows():
        x = pictures.nchw(pictures.center_crop(pictures.load(file), 224), 128, 1 / 128)
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
    """The same in one command; its closing line states the accuracy."""
    folder = shared("data", "imagenet1000")
    model = shared("models", "mobilenet_v2", "mnv2_f32.onnx")
    flags = [
        "--size",
        "224",
        "--crop",
        "0.875",
        "--filter",
        "bicubic",
        "--mean",
        "128",
        "--std",
        "128",
    ]
    truth = ["--truth", os.path.join(folder, "labels.tsv"), "--truth-shift", "1", "--top", "1"]
    done = places.ingot("run", model, folder, *flags, *truth, timeout=600)
    last = (done.stdout.strip().splitlines() or [""])[-1]
    report.check("ingot run on imagenet1000", done.returncode == 0, done.stderr.strip()[:300])
    report.note("ingot run on imagenet1000", last)
