#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Train a small digit classifier on drawn digits and write it as ONNX: NumPy and onnx, no data set,
no network, under a minute.

    train_digits.py [OUTDIR]            (default: the folder of this script)

The digits are drawn by this program: each is a few pen strokes, bent, turned, slanted, shifted,
thick or thin, blurred and noisy, white on black or black on white. Written: digits.onnx (float32,
opset 13; input "picture" [N,1,28,28] with 0…1, output "probs" [N,10]), digits.onnx.card.json for
`ingot run`, and ten test pictures digits/0.png … 9.png that the training has not seen. The same
seed on the same machine gives the same bytes; another BLAS may round differently.
"""

import argparse
import json
import os
import struct
import time
import zlib

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # these products are too small to share

import numpy as np  # noqa: E402
from onnx import TensorProto, checker, helper, numpy_helper, save_model  # noqa: E402

SIZE = 28
SEED = 20


# ---- Drawing -------------------------------------------------------------------------------------


def arc(cx, cy, rx, ry, begin, end, n=14):
    """Points of an elliptic arc; angles in degrees, 0 to the right, 90 downwards."""
    t = np.radians(np.linspace(begin, end, n))
    return np.stack([cx + rx * np.cos(t), cy + ry * np.sin(t)], 1)


def line(*points):
    return np.array(points, float)


# Ways to write each digit: lists of strokes in a unit square, x to the right, y downwards.
GLYPHS = {
    0: [[arc(0.5, 0.5, 0.3, 0.45, -90, 270, 24)], [arc(0.5, 0.5, 0.22, 0.45, -100, 262, 24)]],
    1: [
        [line((0.5, 0.05), (0.5, 0.95))],
        [line((0.3, 0.25), (0.52, 0.05), (0.52, 0.95))],
        [line((0.3, 0.22), (0.5, 0.05), (0.5, 0.95)), line((0.28, 0.95), (0.72, 0.95))],
    ],
    2: [
        [np.concatenate([arc(0.5, 0.3, 0.28, 0.25, -180, 40), line((0.2, 0.95), (0.8, 0.95))])],
        [
            np.concatenate(
                [
                    arc(0.5, 0.3, 0.28, 0.25, -160, 50),
                    arc(0.35, 0.85, 0.12, 0.1, -60, -300),
                    line((0.8, 0.95)),
                ]
            )
        ],
    ],
    3: [
        [
            np.concatenate(
                [arc(0.47, 0.28, 0.27, 0.23, -160, 90), arc(0.47, 0.73, 0.3, 0.23, -90, 160)]
            )
        ],
        [
            np.concatenate(
                [
                    line((0.22, 0.05), (0.75, 0.05), (0.45, 0.4)),
                    arc(0.45, 0.68, 0.3, 0.27, -90, 150),
                ]
            )
        ],
    ],
    4: [
        [line((0.6, 0.05), (0.18, 0.65), (0.85, 0.65)), line((0.65, 0.4), (0.65, 0.95))],
        [line((0.25, 0.05), (0.22, 0.5), (0.8, 0.5)), line((0.72, 0.05), (0.7, 0.95))],
    ],
    5: [
        [
            np.concatenate(
                [
                    line((0.78, 0.05), (0.3, 0.05), (0.26, 0.45)),
                    arc(0.47, 0.66, 0.3, 0.28, -130, 140),
                ]
            )
        ],
        [
            np.concatenate(
                [line((0.32, 0.05), (0.28, 0.42)), arc(0.47, 0.66, 0.28, 0.28, -120, 150)]
            ),
            line((0.32, 0.06), (0.78, 0.05)),
        ],
    ],
    6: [
        [
            np.concatenate(
                [line((0.68, 0.05), (0.4, 0.3)), arc(0.5, 0.68, 0.27, 0.27, -170, 190, 22)]
            )
        ],
        [
            np.concatenate(
                [arc(0.6, 0.5, 0.38, 0.46, -80, -180), arc(0.48, 0.7, 0.26, 0.25, -180, 180, 22)]
            )
        ],
        [
            np.concatenate(
                [
                    line((0.62, 0.03), (0.42, 0.28), (0.33, 0.58)),
                    arc(0.5, 0.76, 0.18, 0.18, -190, 180, 20),
                ]
            )
        ],
        [
            np.concatenate(
                [
                    line((0.5, 0.03), (0.4, 0.4), (0.38, 0.8)),
                    arc(0.5, 0.8, 0.13, 0.13, 170, -150, 18),
                ]
            )
        ],
    ],
    7: [
        [line((0.2, 0.05), (0.8, 0.05), (0.4, 0.95))],
        [line((0.2, 0.08), (0.8, 0.05), (0.42, 0.95)), line((0.3, 0.5), (0.72, 0.48))],
        [line((0.2, 0.2), (0.2, 0.06), (0.8, 0.05), (0.55, 0.5), (0.45, 0.95))],
    ],
    8: [
        [arc(0.5, 0.28, 0.22, 0.23, -90, 270, 20), arc(0.5, 0.73, 0.28, 0.23, -90, 270, 20)],
        [
            np.concatenate(
                [
                    arc(0.5, 0.28, 0.23, 0.23, -60, -270, 16),
                    arc(0.5, 0.73, 0.26, 0.22, -90, 270, 20),
                    arc(0.5, 0.28, 0.23, 0.23, 90, -60, 12),
                ]
            )
        ],
        [arc(0.53, 0.25, 0.13, 0.2, -90, 270, 18), arc(0.47, 0.7, 0.16, 0.26, -90, 270, 18)],
        [
            np.concatenate(
                [
                    line((0.72, 0.15), (0.5, 0.06), (0.36, 0.22), (0.62, 0.7)),
                    arc(0.48, 0.8, 0.15, 0.14, -20, 190),
                    line((0.7, 0.2)),
                ]
            )
        ],
    ],
    9: [
        [np.concatenate([arc(0.48, 0.3, 0.26, 0.25, 0, 360, 20), line((0.72, 0.5), (0.66, 0.95))])],
        [
            np.concatenate(
                [arc(0.48, 0.3, 0.25, 0.25, 0, 360, 20), arc(0.4, 0.55, 0.34, 0.4, -20, 80)]
            )
        ],
    ],
}


def hand(rng):
    """A way of writing: a function that bends, slants, turns and scales points of a glyph; the
    result has its centre near 0."""
    wave, phase = rng.uniform(-0.05, 0.05, 2), rng.uniform(0, 6.28, 2)
    turn, slant = rng.normal(0, 0.13), rng.normal(-0.1, 0.2)
    width, height = rng.uniform(0.42, 0.85), rng.uniform(0.55, 0.85)
    turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    matrix = turned @ np.array([[width, slant * height], [0, height]])

    def write(points):
        p = points - 0.5
        bend = np.stack(
            [wave[0] * np.sin(5 * p[:, 1] + phase[0]), wave[1] * np.sin(5 * p[:, 0] + phase[1])], 1
        )
        return (p + bend) @ matrix.T + rng.normal(0, 0.012, 2)

    return write


def distance_to_segments(a, b, size):
    """Distance of each pixel to the nearest of the segments a[i]…b[i], [size, size]; the picture is
    a unit square around 0."""
    grid = (np.arange(size, dtype=np.float32) + 0.5) / size - 0.5
    x, y = np.tile(grid, size)[:, None], np.repeat(grid, size)[:, None]
    (ax, ay), (dx, dy) = a.T, (b - a).T
    from_x, from_y = x - ax, y - ay
    along = np.clip((from_x * dx + from_y * dy) / np.maximum(dx * dx + dy * dy, 1e-9), 0, 1)
    from_x -= along * dx
    from_y -= along * dy
    return np.sqrt((from_x * from_x + from_y * from_y).min(1)).reshape(size, size)


def draw(digit, rng, size=SIZE):
    """One picture, float32 [size, size] in 0…1."""
    ways, write = GLYPHS[digit], hand(rng)
    strokes = [write(stroke) for stroke in ways[rng.integers(len(ways))]]
    points = np.concatenate(strokes)
    middle = (points.min(0) + points.max(0)) / 2 - rng.uniform(-0.07, 0.07, 2)
    a = np.concatenate([s[:-1] for s in strokes]) - middle
    b = np.concatenate([s[1:] for s in strokes]) - middle
    distance = distance_to_segments(a.astype(np.float32), b.astype(np.float32), size)
    pen, soft = rng.uniform(0.02, 0.065), rng.uniform(0.012, 0.04)
    ink = np.clip((pen - distance) / soft + 0.5, 0, 1)
    paper, strong = rng.uniform(0, 0.15), rng.uniform(0.75, 1)
    picture = paper + (strong - paper) * ink + rng.normal(0, rng.uniform(0, 0.05), (size, size))
    return np.clip(picture if rng.random() < 0.5 else 1 - picture, 0, 1).astype(np.float32)


def data_set(n, rng):
    labels = np.arange(n) % 10
    return np.stack([draw(d, rng) for d in labels])[:, None], labels


# ---- The network: three convolutions with stride 2, two full layers ------------------------------

CONVOLUTIONS = [(1, 12, 5), (12, 24, 3), (24, 32, 3)]  # channels in, out, kernel
HIDDEN = 64


def initial_weights(rng):
    weights = {}
    for i, (n_in, n_out, k) in enumerate(CONVOLUTIONS):
        weights[f"conv{i}.w"] = rng.normal(0, np.sqrt(2 / (n_in * k * k)), (n_out, n_in, k, k))
        weights[f"conv{i}.b"] = np.zeros(n_out)
    n_features = CONVOLUTIONS[-1][1] * 4 * 4
    weights["hidden.w"], weights["hidden.b"] = rng.normal(
        0, np.sqrt(2 / n_features), (n_features, HIDDEN)
    ), np.zeros(HIDDEN)
    weights["scores.w"], weights["scores.b"] = rng.normal(
        0, np.sqrt(1 / HIDDEN), (HIDDEN, 10)
    ), np.zeros(10)
    return {k: v.astype(np.float32) for k, v in weights.items()}


def patches(x, k):
    """Windows of a padded NHWC batch at stride 2, as a matrix [n*h*w, k*k*c]."""
    x = np.pad(x, ((0, 0), (k // 2, k // 2), (k // 2, k // 2), (0, 0)))
    view = np.lib.stride_tricks.sliding_window_view(x, (k, k), (1, 2))[:, ::2, ::2]
    return view.reshape(-1, view.shape[3] * k * k), view.shape[:3]


def scatter(columns, shape, k):
    """The adjoint of patches: sums window gradients back into an NHWC batch of `shape`."""
    n, h, w, c = shape
    out = np.zeros((n, h + k - 1, w + k - 1, c), np.float32)
    n_rows, n_columns = -(-h // 2), -(-w // 2)
    windows = columns.reshape(n, n_rows, n_columns, c, k, k)
    for i, j in np.ndindex(k, k):
        out[:, i : i + 2 * n_rows - 1 : 2, j : j + 2 * n_columns - 1 : 2] += windows[..., i, j]
    return out[:, k // 2 : k // 2 + h, k // 2 : k // 2 + w]


def forward(weights, x):
    """Class scores of an NHWC batch, and what backward needs."""
    tape = []
    for i, (_, n_out, k) in enumerate(CONVOLUTIONS):
        columns, grid = patches(x, k)
        tape.append((columns, x.shape))
        x = np.maximum(
            columns @ weights[f"conv{i}.w"].reshape(n_out, -1).T + weights[f"conv{i}.b"], 0
        ).reshape(*grid, n_out)
        tape[-1] += (x,)
    features = x.transpose(0, 3, 1, 2).reshape(len(x), -1)  # ONNX flattens channels first
    hidden = np.maximum(features @ weights["hidden.w"] + weights["hidden.b"], 0)
    return hidden @ weights["scores.w"] + weights["scores.b"], (tape, features, hidden)


def backward(weights, saved, slope):
    """Gradients of all weights; slope is the gradient of the scores."""
    tape, features, hidden = saved
    grads = {"scores.w": hidden.T @ slope, "scores.b": slope.sum(0)}
    slope = (slope @ weights["scores.w"].T) * (hidden > 0)
    grads["hidden.w"], grads["hidden.b"] = features.T @ slope, slope.sum(0)
    slope = slope @ weights["hidden.w"].T
    slope = slope.reshape(len(slope), CONVOLUTIONS[-1][1], 4, 4).transpose(0, 2, 3, 1)
    for i in reversed(range(len(CONVOLUTIONS))):
        columns, shape, y = tape[i]
        _, n_out, k = CONVOLUTIONS[i]
        slope = (slope * (y > 0)).reshape(-1, n_out)
        grads[f"conv{i}.w"] = (slope.T @ columns).reshape(weights[f"conv{i}.w"].shape)
        grads[f"conv{i}.b"] = slope.sum(0)
        if i:
            slope = scatter(slope @ weights[f"conv{i}.w"].reshape(n_out, -1), shape, k)
    return grads


def softmax(scores):
    e = np.exp(scores - scores.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def jitter(x, rng):
    """Shift the batch by up to two pixels: cheap fresh data in each epoch."""
    dy, dx = rng.integers(-2, 3, 2)
    return np.roll(x, (dy, dx), (1, 2))


def train(x, y, rng, n_epochs, batch=128, rate=2e-3):
    """Adam with a cosine schedule."""
    weights = initial_weights(rng)
    mean = {k: np.zeros_like(v) for k, v in weights.items()}
    square = {k: np.zeros_like(v) for k, v in weights.items()}
    n_steps, step = n_epochs * (len(x) // batch), 0
    for _ in range(n_epochs):
        order = rng.permutation(len(x))
        for begin in range(0, len(x) - batch + 1, batch):
            pick = order[begin : begin + batch]
            scores, saved = forward(weights, jitter(x[pick], rng))
            slope = softmax(scores)
            slope[np.arange(batch), y[pick]] -= 1
            grads = backward(weights, saved, (slope / batch).astype(np.float32))
            step += 1
            now = rate * 0.5 * (1 + np.cos(np.pi * step / n_steps))
            for k, g in grads.items():
                mean[k] += 0.1 * (g - mean[k])
                square[k] += 0.01 * (g * g - square[k])
                unbiased = np.sqrt(square[k] / (1 - 0.99**step)) + 1e-7
                weights[k] -= (now / (1 - 0.9**step) * mean[k] / unbiased).astype(np.float32)
    return weights


# ---- Files ---------------------------------------------------------------------------------------


def onnx_model(weights):
    nodes, x = [], "picture"
    for i, (_, _, k) in enumerate(CONVOLUTIONS):
        nodes.append(
            helper.make_node(
                "Conv",
                [x, f"conv{i}.w", f"conv{i}.b"],
                [f"conv{i}"],
                kernel_shape=[k, k],
                strides=[2, 2],
                pads=[k // 2] * 4,
            )
        )
        nodes.append(helper.make_node("Relu", [f"conv{i}"], [f"conv{i}.relu"]))
        x = f"conv{i}.relu"
    nodes += [
        helper.make_node("Flatten", [x], ["features"]),
        helper.make_node("Gemm", ["features", "hidden.w", "hidden.b"], ["hidden"]),
        helper.make_node("Relu", ["hidden"], ["hidden.relu"]),
        helper.make_node("Gemm", ["hidden.relu", "scores.w", "scores.b"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["probs"], axis=1),
    ]
    picture = helper.make_tensor_value_info("picture", TensorProto.FLOAT, ["N", 1, SIZE, SIZE])
    probs = helper.make_tensor_value_info("probs", TensorProto.FLOAT, ["N", 10])
    initializers = [
        numpy_helper.from_array(np.ascontiguousarray(v, np.float32), k) for k, v in weights.items()
    ]
    graph = helper.make_graph(nodes, "digits", [picture], [probs], initializers)
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="train_digits.py"
    )
    model.ir_version = 8
    checker.check_model(model)
    return model


def write_png(path, picture):
    """An 8-bit grey PNG of a float picture in 0…1."""
    rows = (np.clip(picture, 0, 1) * 255 + 0.5).astype(np.uint8)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", rows.shape[1], rows.shape[0], 8, 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(
            b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(raw, 9))
            + chunk(b"IEND", b"")
        )


def card():
    """How a picture becomes the input, and the output a digit (docs/card.md)."""
    return {
        "name": "Digits",
        "source": "examples/train_digits.py",
        "preprocess": {"size": SIZE, "color": "gray", "layout": "nchw", "mean": [0], "std": [255]},
        "labels": [str(d) for d in range(10)],
        "postprocess": {"top": 1},
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("outdir", nargs="?", default=os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--examples", type=int, default=14000, help="digits to draw for training")
    parser.add_argument("--epochs", type=int, default=16)
    options = parser.parse_args()

    begin = time.monotonic()
    rng = np.random.default_rng(SEED)
    x, y = data_set(options.examples, rng)
    weights = train(x.transpose(0, 2, 3, 1), y, rng, options.epochs)
    test_x, test_y = data_set(2000, np.random.default_rng(SEED + 1))
    right = np.mean(forward(weights, test_x.transpose(0, 2, 3, 1))[0].argmax(1) == test_y)

    os.makedirs(os.path.join(options.outdir, "digits"), exist_ok=True)
    model_path = os.path.join(options.outdir, "digits.onnx")
    save_model(onnx_model(weights), model_path)
    with open(model_path + ".card.json", "w", encoding="utf-8") as file:
        json.dump(card(), file, indent=2)
        file.write("\n")
    for digit in range(10):
        write_png(
            os.path.join(options.outdir, "digits", f"{digit}.png"),
            draw(digit, np.random.default_rng(SEED + 200 + digit), 56),
        )
    print(
        f"{model_path}: {os.path.getsize(model_path) / 1e3:.0f} kB, "
        f"{100 * right:.2f} % of 2,000 unseen digits right, "
        f"{time.monotonic() - begin:.0f} s"
    )


if __name__ == "__main__":
    main()
