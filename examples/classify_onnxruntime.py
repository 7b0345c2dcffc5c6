#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `ingot run MODEL PICTURE` does, in Python with Pillow and ONNX Runtime: the other side of
the demo's comparison.

    classify_onnxruntime.py MODEL PICTURE [--size 224] [--crop 0.875] [--mean 127] [--std 128]
                            [--filter bilinear] [--threads N] [--repeat N]

Prints one line of JSON: the best class, its score, and with --repeat the median time of one
inference in milliseconds.
"""

import argparse
import json
import statistics
import time

import numpy as np
import onnxruntime as ort
from PIL import Image


def read_picture(path, size, crop, mean, std, resample):
    """The central square, resized, as float32[1,3,size,size]."""
    picture = Image.open(path).convert("RGB")
    side = round(min(picture.size) * crop)
    left, top = (picture.width - side) // 2, (picture.height - side) // 2
    picture = picture.resize(
        (size, size), getattr(Image, resample.upper()), box=(left, top, left + side, top + side)
    )
    pixels = (np.asarray(picture, np.float32) - mean) / std
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None], np.float32)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model")
    parser.add_argument("picture")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--crop", type=float, default=0.875)
    parser.add_argument("--mean", type=float, default=127)
    parser.add_argument("--std", type=float, default=128)
    parser.add_argument("--filter", default="bilinear", choices=["bilinear", "bicubic"])
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=0)
    options = parser.parse_args()

    settings = ort.SessionOptions()
    settings.intra_op_num_threads = options.threads
    session = ort.InferenceSession(options.model, settings, providers=["CPUExecutionProvider"])
    feeds = {
        session.get_inputs()[0].name: read_picture(
            options.picture, options.size, options.crop, options.mean, options.std, options.filter
        )
    }
    scores = session.run(None, feeds)[0].ravel()
    answer = {"class": int(scores.argmax()), "score": float(scores.max())}
    if options.repeat:
        times = []
        for _ in range(options.repeat):
            begin = time.perf_counter()
            session.run(None, feeds)
            times.append((time.perf_counter() - begin) * 1e3)
        answer["inference_ms"] = statistics.median(times)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
