# SPDX-License-Identifier: Apache-2.0
"""Real models on real data: the figures that are known of them. 1,000 pictures of ImageNet are in tests/models."""

import gzip

from made import ingot, numpy
from places import shared


def percent(box, name, model, data, wanted, tolerance, *flags):
    facts = box.eval(model, data, "--metric", "top1", *flags, timeout=600)
    value = 100 * facts["engines"][0]["metrics"]["top1"]["value"] if facts else None
    box.near(f"{name}: {wanted} %", value, wanted, tolerance)


def cifar10(box):
    model, data = shared("models", "resnet8_cifar", "ic_f32.onnx"), shared("data", "cifar10", "test2000.npz")
    percent(box, "resnet8 on CIFAR-10", model, data, 76.4, 0.11, "--scale", "1")


def mnist(box):
    np = numpy()
    with gzip.open(shared("data", "mnist", "t10k-images-idx3-ubyte.gz")) as f:
        x = np.frombuffer(f.read(), np.uint8, offset=16).reshape(-1, 28, 28)
    with gzip.open(shared("data", "mnist", "t10k-labels-idx1-ubyte.gz")) as f:
        labels = np.frombuffer(f.read(), np.uint8, offset=8)
    data = box.npz(is_packed=True, x=x, labels=labels)
    percent(box, "mnist8", shared("models", "mnist", "mnist8.onnx"), data, 98.91, 0.015, "--scale", "1")
    flags = ["--scale", "1/255", "--mean", "0.1307", "--std", "0.3081"]
    percent(box, "burn_mnist", shared("models", "mnist", "burn_mnist.onnx"), data, 99.16, 0.015, *flags)


def kws(box):
    np = numpy()
    x, labels = (np.load(shared("data", "kws", f"{name}.npy")) for name in ("mfcc_int8", "labels"))
    data = box.npz(x=x, labels=labels)
    flags = ["--scale", "0.5847", "--mean", str(83 * 0.5847)]
    percent(box, "keyword spotting", shared("models", "kws", "kws_f32.onnx"), data, 90.1, 0.15, *flags)


def ocr(box):
    """Two lines of text, read without a fault; then one letter of a label is changed."""
    model = shared("models", "ppocr", "ch_PP-OCRv4_rec_infer.onnx")
    keys = shared("models", "ppocr", "ppocr_keys_v1.txt")
    texts = ["韩国小馆", "To facilitate the shot type analysis in videos, we collect MovieShots, a large-scale"]
    files = [shared("data", "ocr", name) for name in ("text_rec.jpg", "en_rec.jpg")]
    flags = ["--size", "x48", "--color", "bgr", "--mean", "127.5", "--std", "127.5", "--ctc", keys]
    data = box.write("lines.tsv", "".join(f"{f}\t{t}\n" for f, t in zip(files, texts)))
    seen = box.figures(model, data, "cer,wer", *flags)
    box.near("no error", seen["cer"]["value"] + seen["wer"]["value"], 0)
    data = box.write("lines.tsv", "".join(f"{f}\t{t.replace('videos', 'vidios')}\n" for f, t in zip(files, texts)))
    seen = box.figures(model, data, "cer,wer", *flags)
    box.near("one of all characters", seen["cer"]["value"], 1 / sum(map(len, texts)))
    box.near("one of all words", seen["wer"]["value"], 1 / sum(len(t.split()) for t in texts))


def trees(box):
    """A forest that says labels, and probabilities as maps."""
    np = numpy()
    model = shared("models", "trees", "rf.onnx")
    x = np.array([[5, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3, 5.6, 2], [5, 3.4, 1.5, 0.2]], np.float32)
    data = box.npz(x=x, labels=np.array([0, 1, 2, 1]))
    for n_batch in (1, 4):
        seen = box.figures(model, data, "accuracy,f1", "-b", n_batch)
        box.near("accuracy of a forest", seen["accuracy"]["value"], 0.75)


ALL = [cifar10, mnist, kws, ocr, trees]
