# SPDX-License-Identifier: Apache-2.0
"""ImageDecoder gives the pixels that Pillow gives, through the module that the command loads; and says what is missing
where there is no module."""

import io

from box import module
from pictures import noise
from places import ingot

CHANNELS = {"RGB": 3, "BGR": 3, "Grayscale": 1}


def model(box, pixels):
    h, t = module("onnx").helper, module("onnx").TensorProto
    node = h.make_node("ImageDecoder", ["x"], ["y"], pixel_format=pixels)
    x = h.make_tensor_value_info("x", t.UINT8, ["n"])
    y = h.make_tensor_value_info("y", t.UINT8, ["h", "w", CHANNELS[pixels]])
    graph = h.make_graph([node], "decode", [x], [y])
    made = h.make_model(graph, opset_imports=[h.make_opsetid("", 20)], ir_version=9)
    return box.write(f"{pixels}.onnx", made.SerializeToString())


def decoded(box, data, pixels="RGB"):
    np = module("numpy")
    np.save(box.path("x.npy"), np.frombuffer(data, np.uint8))
    return box.tensor(model(box, pixels), box.path("x.npy"))


def wanted(data, pixels):
    np, image = module("numpy"), module("PIL.Image")
    picture = image.open(io.BytesIO(data))
    if pixels == "Grayscale":
        return np.asarray(picture.convert("RGB").convert("L"))[:, :, None]
    x = np.asarray(picture.convert("RGB"))
    return x[:, :, ::-1] if pixels == "BGR" else x


def files(box):
    """(name, bytes, largest difference from Pillow)"""
    image = module("PIL.Image")
    small = noise(box, (40, 30))
    smooth = small.resize((201, 133), image.Resampling.BICUBIC)
    for name, picture, options, limit in (
        ("rgb.bmp", small, {}, 0),
        ("palette.bmp", smooth.quantize(16), {}, 0),
        ("bits.bmp", small.convert("1"), {}, 0),
        ("gray.bmp", small.convert("L"), {}, 0),
        ("bits.pbm", small.convert("1"), {}, 0),
        ("gray.pgm", small.convert("L"), {}, 0),
        ("rgb.ppm", small, {}, 0),
        ("rgb.png", small, {}, 0),
        ("palette.png", smooth.convert("P"), {}, 0),
        ("alpha.png", noise(box, (33, 47), "RGBA"), {}, 0),
        ("photo.jpg", smooth, {"quality": 90}, 0),
        ("progressive.jpg", smooth, {"progressive": True}, 0),
        ("gray.jpg", smooth.convert("L"), {}, 0),
        ("lossless.webp", small, {"lossless": True}, 0),
        ("photo.webp", smooth, {"quality": 80}, 0),
        ("plain.tiff", small, {}, 0),
        ("lzw.tiff", smooth, {"compression": "tiff_lzw"}, 0),
        ("gray.tiff", small.convert("L"), {}, 0),
        ("bits.tiff", small.convert("1"), {"compression": "group4"}, 0),
        ("exact.jp2", small, {}, 0),
        ("photo.jp2", smooth, {"irreversible": True, "quality_layers": [20]}, 1),
        ("bare.j2k", small, {}, 0),
        ("gray.jp2", small.convert("L"), {}, 0),
    ):
        picture.save(box.path(name), **options)
        with open(box.path(name), "rb") as file:
            yield name, file.read(), limit


def formats(box):
    np = module("numpy")
    for name, data, limit in files(box):
        for pixels in CHANNELS:
            seen, want = decoded(box, data, pixels), wanted(data, pixels)
            same = seen is not None and seen.shape == want.shape
            far = np.abs(seen.astype(int) - want).max() if same else "another shape"
            box.report.check(f"{name} as {pixels}", same and far <= limit, f"differs by {far}")


def damaged(box):
    """What cannot be read has no pixels; the command does not fail."""
    for name, data, _ in files(box):
        for what, bytes_ in (("cut", data[: len(data) // 2]), ("only begun", data[:12])):
            seen = decoded(box, bytes_, "Grayscale")
            empty = seen is not None and seen.shape == (0, 0, 1)
            # Formats that say nothing of their end may have all pixels in the half.
            partial = seen is not None and what == "cut" and name.split(".")[1] in ("jp2", "j2k", "tiff")
            box.report.check(f"{name}, {what}", empty or partial, "has pixels" if not empty else "")
    seen = decoded(box, b"no picture")
    box.report.check("no picture", seen is not None and seen.shape == (0, 0, 3), "has pixels")


def without_module(box):
    """Where the module cannot be loaded BMP still is read, and the error says what PNG needs."""
    np = module("numpy")
    box.write("libingot_image.so", "this is no library")
    for kind, told in (("bmp", ""), ("png", "PNG picture: the image codecs cannot be loaded")):
        noise(box, (4, 4)).save(box.path(f"x.{kind}"))
        with open(box.path(f"x.{kind}"), "rb") as file:
            np.save(box.path("x.npy"), np.frombuffer(file.read(), np.uint8))
        done = ingot("run", model(box, "RGB"), box.path("x.npy"), env={"LD_LIBRARY_PATH": box.folder})
        same = told in done.stderr and (done.returncode == 0) == (kind == "bmp")
        box.report.check(f"{kind} without the module", same, done.stderr)


ALL = [formats, damaged, without_module]
