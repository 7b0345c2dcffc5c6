# SPDX-License-Identifier: Apache-2.0
"""Pictures to tensors, written out plainly with Pillow and NumPy: the tests' own pre-processing,
independent of the command's."""

import numpy as np

try:
    from PIL import Image
except ImportError:
    Image = None

from report import Skip


def load(path):
    """Decode a picture as RGB."""
    if Image is None:
        raise Skip("no Pillow in this Python")
    return Image.open(path).convert("RGB")


def nchw(picture, mean, scale):
    """(x - mean) * scale as float32[1,3,H,W]."""
    x = (np.asarray(picture, np.float32) - np.float32(mean)) * np.float32(scale)
    return np.ascontiguousarray(x.transpose(2, 0, 1)[None], np.float32)


def center_crop(picture, size, fraction=0.875, filter_name="BICUBIC"):
    """The central square of `fraction` of the shorter side, resized to size x size."""
    width, height = picture.size
    side = int(round(min(width, height) * fraction))
    left, top = (width - side) // 2, (height - side) // 2
    return picture.resize(
        (size, size), getattr(Image, filter_name), box=(left, top, left + side, top + side)
    )


def text_line(picture, height=48):
    """A line of text for a recognizer of PaddleOCR's kind: BGR, (x/255 - 0.5)/0.5, width by aspect
    ratio."""
    width = max(8, int(np.ceil(height * picture.width / picture.height)))
    bgr = np.asarray(picture.resize((width, height), Image.BILINEAR), np.float32)[:, :, ::-1]
    return np.ascontiguousarray(((bgr / 255 - 0.5) / 0.5).transpose(2, 0, 1)[None], np.float32)


def ctc_decode(scores, keys):
    """Greedy CTC of [steps, classes]: class 0 is blank, class i is keys[i - 1], the class after the
    last key is a space."""
    best = scores.argmax(1)
    keep = [c for i, c in enumerate(best) if c and (i == 0 or best[i - 1] != c)]
    return "".join(keys[c - 1] if c <= len(keys) else " " for c in keep)
