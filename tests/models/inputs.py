# SPDX-License-Identifier: Apache-2.0
"""Deterministic inputs for each model: the same arrays on every machine and in every run."""

import os
import zlib

import numpy as np

# What a plain normal distribution is wrong for. name of the file: {input: (how to draw, shape)};
# one entry a set of inputs.
NORMAL, PIXELS, UNIT, STRIPES = "normal", "pixels", "unit", "stripes"
SETS = {
    "nmp.onnx": [{"serving_default_input_2:0": (NORMAL, (1, 43844, 1))}],
    "magika.onnx": [
        {"bytes": ((0, 257, np.int32), (3, 2048))},
        {"bytes": ((0, 257, np.int32), (1, 2048))},
    ],
    "mnist8.onnx": [{"Input3": (PIXELS, (1, 1, 28, 28))}],
    "mnist_q.onnx": [{"Input3": (PIXELS, (1, 1, 28, 28))}],
    "ic_f32.onnx": [{"t0": (PIXELS, (1, 3, 32, 32))}],
    "ch_PP-OCRv4_det_infer.onnx": [
        {"x": (STRIPES, (1, 3, 96, 160))},
        {"x": (STRIPES, (2, 3, 64, 64))},
    ],
    "ch_PP-OCRv4_rec_infer.onnx": [{"x": (UNIT, (1, 3, 48, 160))}, {"x": (UNIT, (2, 3, 48, 88))}],
    "ch_ppocr_mobile_v2.0_cls_infer.onnx": [{"x": (NORMAL, (2, 3, 48, 192))}],
    "tract_bilstm.onnx": [
        {"input": ((0, 256, np.uint8), (2, 37))},
        {"input": ((0, 256, np.uint8), (1, 1))},
    ],
    "silero_vad.onnx": [
        {
            "input": (UNIT, (2, 576)),
            "state": (UNIT, (2, 2, 128)),
            "sr": ((16000, 16001, np.int64), ()),
        },
        {
            "input": (UNIT, (1, 288)),
            "state": (UNIT, (2, 1, 128)),
            "sr": ((8000, 8001, np.int64), ()),
        },
    ],
    "silero_vad_16k_op15.onnx": [
        {
            "input": (UNIT, (2, 576)),
            "state": (UNIT, (2, 2, 128)),
            "sr": ((16000, 16001, np.int64), ()),
        }
    ],
    "rf.onnx": [{"X": ((0.0, 8.0, np.float32), (9, 4))}],
    "lite0_f32.onnx": [{"input": (UNIT, (1, 3, 224, 224))}],
    "yolov8n.onnx": [{"images": (UNIT, (1, 3, 640, 640))}],
    "bert_base.onnx": [
        {
            "input_ids": ((0, 30000, np.int64), (2, 9)),
            "attention_mask": ((1, 2, np.int64), (2, 9)),
            "token_type_ids": ((0, 2, np.int64), (2, 9)),
        }
    ],
    "lstm_lm.onnx": [
        {
            "tokens": ((0, 10000, np.int64), (7, 2)),
            "h0": (UNIT, (2, 2, 650)),
            "c0": (UNIT, (2, 2, 650)),
        }
    ],
    "gpt2_small.onnx": [
        dict(
            {
                "input_ids": ((0, 50257, np.int64), (1, 4)),
                "attention_mask": ((1, 2, np.int64), (1, 7)),
            },
            **{
                f"past_key_values.{i}.{kv}": (NORMAL, (1, 12, 3, 64))
                for i in range(12)
                for kv in ("key", "value")
            },
        )
    ],
}
TYPES = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(uint8)": np.uint8,
    "tensor(int8)": np.int8,
    "tensor(bool)": np.bool_,
}


def stripes(rng, shape):
    """Dark vertical strokes in lines on white paper: what a text detector answers to."""
    n, c, height, width = shape
    picture = np.full((n, height, width), 2.2, np.float32)
    for top in range(8, height - 20, 28):
        for left in range(10, width - 14, 7):
            tall = int(rng.integers(8, 15))
            picture[:, top : top + tall, left : left + 3] = -2
            picture[:, top + tall // 2 : top + tall // 2 + 2, left : left + 5] = -2
    picture = np.repeat(picture[:, None], c, 1) + rng.standard_normal(shape) * 0.05
    return picture.astype(np.float32)


def draw(rng, how, shape):
    if how == NORMAL:
        return rng.standard_normal(shape, np.float32)
    if how == PIXELS:
        return rng.integers(0, 256, shape).astype(np.float32)
    if how == UNIT:
        return rng.uniform(-1, 1, shape).astype(np.float32)
    if how == STRIPES:
        return stripes(rng, shape)
    low, high, dtype = how
    if np.issubdtype(dtype, np.floating):
        return rng.uniform(low, high, shape).astype(dtype)
    return rng.integers(low, high, shape).astype(dtype)


def for_model(path, ports):
    """Sets of feeds for a model. ports: (name, ONNX Runtime's type text, dims) of its inputs;
    unnamed dimensions become 1."""
    name = os.path.basename(path)
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    if name in SETS:
        return [{k: draw(rng, how, shape) for k, (how, shape) in s.items()} for s in SETS[name]]
    feeds = {}
    for port, type_name, dims in ports:
        shape = tuple(d if isinstance(d, int) and d > 0 else 1 for d in dims)
        dtype = TYPES[type_name]
        how = (
            NORMAL
            if dtype == np.float32
            else (0, 2, dtype) if not port.startswith("sparse_") else (0, 4, dtype)
        )
        feeds[port] = draw(rng, how, shape)
    return [feeds]
