# SPDX-License-Identifier: Apache-2.0
"""Entry of ImageDecoder: pictures that Pillow has written, in forms that lose nothing and in JPEG."""

import io

import numpy as np
from onnx import TensorProto as TP

from draw import Case, Operand
from entries import entry, step

FORMS = ["BMP", "PPM", "PNG", "TIFF", "WEBP", "JPEG", "JPEG2000"]


def decoding(d):
    from PIL import Image

    height, width = d.int(1, 20), d.int(1, 20)
    form = d.pick(FORMS)
    gray = form != "WEBP" and d.chance(0.3)
    # smooth, so that decoders of JPEG stay close to each other
    ramp = np.add.outer(np.linspace(0, 120, height), np.linspace(0, 100, width))
    pixels = (ramp[..., None] + d.rng.integers(0, 30, 1 if gray else 3)).astype(np.uint8)
    picture = Image.fromarray(pixels[..., 0] if gray else pixels, "L" if gray else "RGB")
    file = io.BytesIO()
    options = {"WEBP": {"lossless": True}, "JPEG": {"quality": 95, "subsampling": 0}}.get(form, {})
    picture.save(file, form, **options)
    data = np.frombuffer(file.getvalue(), np.uint8)
    wanted = d.pick([None, "RGB", "BGR", "Grayscale"])

    def answer():
        again = Image.open(io.BytesIO(file.getvalue()))
        if wanted == "Grayscale":
            return np.asarray(again.convert("L"))[..., None]
        return np.asarray(again.convert("RGB"))[..., :: -1 if wanted == "BGR" else 1]

    return Case([Operand(data, TP.UINT8)], {"pixel_format": wanted}, numpy=answer)


entry("ImageDecoder", decoding, step(2))
