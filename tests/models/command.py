# SPDX-License-Identifier: Apache-2.0
"""The same models through `ingot run`: tensors from files, outputs to files, pictures to words."""

import os
import tempfile

import numpy as np

import compare
import places
from places import shared

PHOTOS = [("coffee.png", "espresso"), ("parrot.jpg", "macaw"), ("hot_dog.jpg", "hotdog")]


def tensors(report, path, level, threads):
    """One model: feeds by .npz, outputs by .npz, against ONNX Runtime."""
    name = f"ingot run {os.path.basename(path)} --opt {level} --threads {threads}"
    reference = compare.Reference(path)
    with tempfile.TemporaryDirectory() as folder:
        source, out = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
        np.savez(source, **reference.feeds[0])
        done = places.ingot("run", path, source, "--out", out, "--opt", level, "--threads", threads)
        if not report.check(
            name, done.returncode == 0, f"exit code {done.returncode}: {done.stderr.strip()[:300]}"
        ):
            return
        seen = np.load(out)
        for output, want in zip(reference.names, reference.want[0]):
            if isinstance(want, np.ndarray):  # sequences of maps have no place in an npz
                ok = output in seen.files
                off = (
                    compare.worst(seen[output], want, compare.RTOL, reference.atol[0])
                    if ok
                    else np.inf
                )
                report.check(
                    f"{name}, {output}",
                    off <= 1,
                    f"{off:.3g} times the tolerance" if ok else f"not in {seen.files}",
                )


def photos(report):
    """Pictures decoded, resized and normalized by the command itself."""
    model, labels = shared("models", "mobilenet_v2", "mnv2_f32.onnx"), shared(
        "models", "mobilenet_v2", "imagenet_labels.txt"
    )
    flags = [
        "--size",
        "224",
        "--crop",
        "0.875",
        "--mean",
        "128",
        "--std",
        "128",
        "--labels",
        labels,
        "--top",
        "1",
    ]
    for photo, word in PHOTOS:
        done = places.ingot("run", model, shared("data", "photos", photo), *flags)
        report.check(
            f"ingot run mobilenet_v2 on {photo}",
            done.returncode == 0 and word in done.stdout,
            f"exit code {done.returncode}: {(done.stderr or done.stdout).strip()[:200]}",
        )


def text_line(report):
    model, keys = shared("models", "ppocr", "ch_PP-OCRv4_rec_infer.onnx"), shared(
        "models", "ppocr", "ppocr_keys_v1.txt"
    )
    done = places.ingot(
        "run",
        model,
        shared("data", "ocr", "text_rec.jpg"),
        "--size",
        "x48",
        "--color",
        "bgr",
        "--mean",
        "127.5",
        "--std",
        "127.5",
        "--ctc",
        keys,
    )
    report.check(
        "ingot run ppocr on text_rec.jpg",
        "韩国小馆" in done.stdout,
        f"exit code {done.returncode}: {(done.stderr or done.stdout)[:200]!r}",
    )


def all_models(report, quick, word=""):
    places.command()
    report.run("ingot run on photos", photos, report)
    report.run("ingot run on a line of text", text_line, report)
    for path in places.shared_models():
        if word in path and not (quick and os.path.getsize(path) > compare.SMALL_BYTES):
            for level, threads in (("all", 2),) if quick else (("all", 1), ("none", 2)):
                report.run(os.path.basename(path), tensors, report, path, level, threads)
