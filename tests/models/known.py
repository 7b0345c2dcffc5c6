# SPDX-License-Identifier: Apache-2.0
"""Real models, real data, answers that are known: each function is one model; all run through the C
interface.

The figures come from ../shared/models/README.md and were measured with ONNX Runtime.
"""

import base64
import gzip
import json
import wave

import numpy as np

import pictures
from places import shared
from report import Skip

LABEL_SHIFT = 1  # mobilenet's class 0 is "background"


def best(scores):
    i = int(np.argmax(scores))
    return i, float(scores.ravel()[i])


def labels_mobilenet():
    with open(shared("models", "mobilenet_v2", "imagenet_labels.txt"), encoding="utf-8") as f:
        return f.read().splitlines()


def photos(report, engine, model, crop, mean, shift, expected):
    """crop: fraction and filter that the stated scores were measured with."""
    labels = labels_mobilenet()
    net = engine(shared("models", *model))
    for photo, word, score, tolerance in expected:
        x = pictures.nchw(
            pictures.center_crop(pictures.load(shared("data", "photos", photo)), 224, *crop),
            mean,
            1 / 128,
        )
        i, value = best(net.run([x])[0])
        report.check(
            f"{model[-1]} on {photo}",
            word in labels[i + shift] and abs(value - score) < tolerance,
            f"{labels[i + shift]} {value:.3f} (expected {word} {score})",
        )


def mobilenet_v2(report, engine):
    photos(
        report,
        engine,
        ("mobilenet_v2", "mnv2_f32.onnx"),
        (1.0, "BILINEAR"),
        128,
        0,
        [
            ("coffee.png", "espresso", 0.963, 0.003),
            ("parrot.jpg", "macaw", 0.998, 0.003),
            ("hot_dog.jpg", "hotdog", 0.973, 0.003),
        ],
    )


def efficientnet_lite0(report, engine):
    crop = (0.875, "BICUBIC")
    photos(
        report,
        engine,
        ("efficientnet_lite0", "lite0_f32.onnx"),
        crop,
        127,
        LABEL_SHIFT,
        [
            ("coffee.png", "espresso", 0.951, 0.003),
            ("parrot.jpg", "macaw", 0.899, 0.004),
            ("hot_dog.jpg", "hotdog", 0.977, 0.003),
        ],
    )
    # Quantized: the same words; the scores move with the rounding of each kernel, so they have a
    # wide tolerance.
    photos(
        report,
        engine,
        ("efficientnet_lite0", "lite0_qdq_per_channel.onnx"),
        crop,
        127,
        LABEL_SHIFT,
        [("coffee.png", "espresso", 0.945, 0.03), ("hot_dog.jpg", "hotdog", 0.97, 0.03)],
    )
    photos(
        report,
        engine,
        ("efficientnet_lite0", "lite0_qdq_per_tensor.onnx"),
        crop,
        127,
        LABEL_SHIFT,
        [("coffee.png", "espresso", 0.75, 0.2), ("hot_dog.jpg", "hotdog", 0.93, 0.06)],
    )


def mnist(report, engine):
    with gzip.open(shared("data", "mnist", "t10k-images-idx3-ubyte.gz")) as f:
        x = (
            np.frombuffer(f.read(), np.uint8, offset=16)
            .reshape(-1, 1, 1, 28, 28)
            .astype(np.float32)
        )
    with gzip.open(shared("data", "mnist", "t10k-labels-idx1-ubyte.gz")) as f:
        y = np.frombuffer(f.read(), np.uint8, offset=8)
    normal = ((x / np.float32(255) - np.float32(0.1307)) / np.float32(0.3081)).astype(np.float32)
    for name, data, percent, tolerance in (
        ("mnist8.onnx", x, 98.91, 0.015),
        ("mnist_q.onnx", x, 88.13, 0.35),
        ("burn_mnist.onnx", normal, 99.16, 0.015),
    ):
        net = engine(shared("models", "mnist", name))
        right = sum(int(np.argmax(net.run([data[i]])[0])) == y[i] for i in range(len(y)))
        seen = 100 * right / len(y)
        report.check(
            f"{name} accuracy",
            abs(seen - percent) <= tolerance,
            f"{seen:.2f} % (expected {percent} %)",
        )


def kws(report, engine):
    x = np.load(shared("data", "kws", "mfcc_int8.npy")).astype(np.float32)
    x = ((x - 83) * np.float32(0.5847)).reshape(-1, 1, 1, 49, 10).astype(np.float32)
    y = np.load(shared("data", "kws", "labels.npy"))
    net = engine(shared("models", "kws", "kws_f32.onnx"))
    seen = 100 * np.mean([np.argmax(net.run([x[i]])[0]) == y[i] for i in range(len(y))])
    report.check(
        "kws_f32.onnx accuracy", abs(seen - 90.1) < 0.15, f"{seen:.1f} % (expected 90.1 %)"
    )


def resnet8_cifar(report, engine):
    data = np.load(shared("data", "cifar10", "test2000.npz"))
    x = data["x"].astype(np.float32).transpose(0, 3, 1, 2).copy()
    net = engine(shared("models", "resnet8_cifar", "ic_f32.onnx"))
    seen = 100 * np.mean(
        [np.argmax(net.run([x[i : i + 1]])[0]) == data["y"].ravel()[i] for i in range(len(x))]
    )
    report.check(
        "ic_f32.onnx accuracy",
        abs(seen - 76.4) < 0.11,
        f"{seen:.2f} % (expected 76.40 % on these 2,000 copies)",
    )


def magika_input(content, config):
    """Beginning and end of a file, white space stripped, padded to 1024 each; as the model was
    trained."""
    n, pad, block = config["beg_size"], config["padding_token"], config["block_size"]
    head, tail = content[:block].lstrip()[:n], content[-block:].rstrip()[-config["end_size"] :]
    row = (
        list(head) + [pad] * (n - len(head)) + [pad] * (config["end_size"] - len(tail)) + list(tail)
    )
    return np.array([row], np.int32)


def magika(report, engine):
    with open(shared("models", "magika", "magika_cfg.json"), encoding="utf-8") as f:
        config = json.load(f)
    with open(shared("models", "magika", "magika_ref.json"), encoding="utf-8") as f:
        cases = json.load(f)
    net = engine(shared("models", "magika", "magika.onnx"))
    n_cases = n_right = 0
    differences = []
    for case in cases:
        want = case.get("prediction") or {}
        if case.get("status") != "ok" or want.get("dl", "undefined") == "undefined":
            continue
        i, score = best(
            net.run([magika_input(base64.b64decode(case["content_base64"]), config)])[0]
        )
        n_cases += 1
        n_right += config["target_labels_space"][i] == want["dl"]
        differences.append(abs(score - want["score"]))
    report.check(
        "magika.onnx labels",
        n_cases == 129 and n_right == n_cases,
        f"{n_right} of {n_cases} (expected 129 of 129)",
    )
    # The network takes a variance as E[x^2] - E[x]^2. On files of a few bytes nearly all terms are
    # equal, and what is left is rounding: for the worst case (9 bytes) float64 gives 0.65537, ONNX
    # Runtime 0.65871, Ingot 0.65533. The stored scores are ONNX Runtime's.
    worst, usual = max(differences), sorted(differences)[len(differences) // 2]
    report.check(
        "magika.onnx scores",
        worst < 6e-3 and usual < 2e-5,
        f"largest difference {worst:.1e}, median {usual:.1e}",
    )


def samples(path):
    """A 16-bit mono WAV as float32 in -1…1, and its rate."""
    with wave.open(path) as w:
        return (
            np.frombuffer(w.readframes(w.getnframes()), np.int16).astype(np.float32) / 32768,
            w.getframerate(),
        )


def silero_vad(report, engine):
    x, _ = samples(shared("data", "audio", "speech60s.wav"))
    for name in ("silero_vad.onnx", "silero_vad_16k_op15.onnx"):
        net = engine(shared("models", "silero_vad", name))
        state, context, scores = np.zeros((2, 1, 128), np.float32), np.zeros(64, np.float32), []
        for begin in range(0, len(x), 512):
            chunk = np.zeros(512, np.float32)
            part = x[begin : begin + 512]
            chunk[: len(part)] = part
            feeds = {
                "input": np.concatenate([context, chunk])[None],
                "state": state,
                "sr": np.array(16000, np.int64),
            }
            score, state = net.run(feeds)
            scores.append(float(score[0, 0]))
            context = chunk[-64:]
        speech, total = sum(s > 0.5 for s in scores), sum(scores)
        report.check(
            f"{name} on speech60s.wav",
            len(scores) == 1875 and speech == 1452 and abs(total - 1459.371) < 0.01,
            f"{speech} of {len(scores)} chunks, sum {total:.3f} (expected 1452 of 1875, 1459.371)",
        )


def halve_rate(x, n_taps=127):
    """Windowed-sinc low pass, then every second sample: 44.1 kHz to 22.05 kHz."""
    t = np.arange(n_taps) - n_taps // 2
    taps = np.sinc(t * 0.475) * np.kaiser(n_taps, 8)
    return np.convolve(x, taps / taps.sum(), "same")[::2].astype(np.float32)


def basic_pitch_maps(net, audio):
    """Windows of 43,844 samples that overlap by 30 frames of 256; the overlapping halves are cut
    off and the rest joined."""
    size, overlap = 43844, 30 * 256
    padded = np.concatenate([np.zeros(overlap // 2, np.float32), audio])
    maps = []
    for begin in range(0, len(padded), size - overlap):
        window = np.zeros(size, np.float32)
        window[: len(padded[begin : begin + size])] = padded[begin : begin + size]
        maps.append(dict(zip(net.output_names, net.run([window[None, :, None]]))))
    joined = {k: np.concatenate([m[k][0, 15:-15] for m in maps]) for k in maps[0]}
    return joined, int(np.floor(len(audio) / 256))


def basic_pitch(report, engine):
    net = engine(shared("models", "basic_pitch", "nmp.onnx"))
    names = {
        "note": "StatefulPartitionedCall:1",
        "onset": "StatefulPartitionedCall:2",
        "contour": "StatefulPartitionedCall:0",
    }
    t = np.arange(43844, dtype=np.float32) / 22050
    sine = dict(
        zip(
            net.output_names,
            net.run([(0.5 * np.sin(2 * np.pi * 440 * t)).astype(np.float32)[None, :, None]]),
        )
    )
    midi = 21 + int(np.argmax(sine[names["note"]][0].mean(0)))
    report.check("nmp.onnx on a 440 Hz sine", midi == 69, f"MIDI {midi} (expected 69)")
    x, rate = samples(shared("data", "audio", "bp.wav"))
    maps, _ = basic_pitch_maps(net, halve_rate(x) if rate == 44100 else x)
    stored = np.load(shared("data", "audio", "bp_out.npz"), allow_pickle=True)["arr_0"].item()
    for key, name in names.items():
        seen, want = maps[name][: len(stored[key])], stored[key]
        error = float(np.abs(seen - want[: len(seen)]).mean())
        same = float(np.corrcoef(seen.ravel(), want[: len(seen)].ravel())[0, 1])
        report.check(
            f"nmp.onnx on bp.wav, {key}",
            error < 0.01 and same > 0.98,
            f"mean difference {error:.4f}, correlation {same:.4f}",
        )


def ultraface(report, engine):
    picture = pictures.load(shared("data", "photos", "faces.jpg")).resize(
        (320, 240), pictures.Image.BILINEAR
    )
    x = pictures.nchw(picture, 127, 1 / 128)
    for name in ("version-RFB-320.onnx", "version-RFB-320_simplified.onnx"):
        faces = engine(shared("models", "ultraface", name)).run([x])[0][0, :, 1]
        count, top = int((faces > 0.7).sum()), float(faces.max())
        report.check(
            f"{name} on faces.jpg",
            abs(count - 86) <= 3 and abs(top - 0.9992) < 0.001,
            f"{count} anchors above 0.7, maximum {top:.4f} (expected about 86, 0.9992)",
        )


def ppocr(report, engine):
    with open(shared("models", "ppocr", "ppocr_keys_v1.txt"), encoding="utf-8") as f:
        keys = f.read().splitlines()
    net = engine(shared("models", "ppocr", "ch_PP-OCRv4_rec_infer.onnx"))
    for name, want in (
        ("text_rec.jpg", "韩国小馆"),
        (
            "en_rec.jpg",
            "To facilitate the shot type analysis in videos, we collect MovieShots, a large-scale",
        ),
    ):
        scores = net.run([pictures.text_line(pictures.load(shared("data", "ocr", name)))])[0]
        seen = pictures.ctc_decode(scores[0], keys)
        report.check(f"ppocr recognizer on {name}", seen == want, f"{seen!r} (expected {want!r})")


def trees(report, engine):
    """Typical measures of the three iris kinds; a forest that learned them says 0, 1, 2 with high
    probability."""
    x = np.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]], np.float32)
    labels, maps = engine(shared("models", "trees", "rf.onnx")).run([x])
    report.check(
        "rf.onnx labels",
        np.asarray(labels).tolist() == [0, 1, 2],
        f"{np.asarray(labels).tolist()} (expected [0, 1, 2])",
    )
    report.check(
        "rf.onnx probabilities",
        len(maps) == 3
        and all(m[i] > 0.8 and abs(sum(m.values()) - 1) < 1e-5 for i, m in enumerate(maps)),
        str([{k: round(v, 3) for k, v in m.items()} for m in maps]),
    )


def micro_kws(report, engine):
    """The quantized forms of one net agree with each other and with its float form."""
    x = np.random.default_rng(5).standard_normal((40, 1, 1960)).astype(np.float32)
    forms = {
        n: engine(shared("models", "micro_kws", f"micro_kws_m_{n}.onnx"))
        for n in ("static_qdq", "static_qoperator")
    }
    out = {n: np.concatenate([net.run([row])[0] for row in x]) for n, net in forms.items()}
    worst = float(np.abs(out["static_qdq"] - out["static_qoperator"]).max())
    report.check(
        "micro_kws QDQ against QOperator",
        worst <= 0.0041,
        f"largest difference {worst:.4f} (expected <= 0.004)",
    )


ALL = [
    mobilenet_v2,
    efficientnet_lite0,
    mnist,
    kws,
    resnet8_cifar,
    magika,
    silero_vad,
    basic_pitch,
    ultraface,
    ppocr,
    trees,
    micro_kws,
]


def run_all(report, engine):
    """Run every known answer; missing files become skips."""
    for function in ALL:
        report.isolated(f"known answers of {function.__name__}", function, engine)
