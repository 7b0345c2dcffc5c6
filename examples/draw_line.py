#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw a line of text, black on white, 48 pixels high: something for a text recognizer to read.

draw_line.py TEXT PICTURE.png
"""

import sys

from PIL import Image, ImageDraw, ImageFont

HEIGHT, MARGIN, FONT_SIZE = 48, 12, 30


def draw(text):
    font = ImageFont.load_default(FONT_SIZE)
    picture = Image.new("RGB", (int(font.getlength(text)) + 2 * MARGIN, HEIGHT), "white")
    ImageDraw.Draw(picture).text((MARGIN, HEIGHT // 2), text, "black", font, anchor="lm")
    return picture


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: draw_line.py TEXT PICTURE.png")
    draw(sys.argv[1]).save(sys.argv[2])
