# SPDX-License-Identifier: Apache-2.0
"""Pictures become the tensors that Pillow and NumPy make of them, bit for bit."""

import itertools

from box import module

FILTERS = ["bilinear", "bicubic", "lanczos", "box", "nearest"]


def noise(box, size, mode="RGB"):
    np, image = module("numpy"), module("PIL.Image")
    depth = {"RGB": (3,), "RGBA": (4,), "L": ()}[mode]
    rng = np.random.default_rng(hash(size) % 1000)
    return image.fromarray(rng.integers(0, 256, (size[1], size[0]) + depth, dtype=np.uint8))


def files(box):
    """(path, picture as RGB) of every kind of file."""
    image = module("PIL.Image")
    smooth = noise(box, (40, 30)).resize((230, 310), image.Resampling.BICUBIC)
    for name, picture, options in (
        ("wide.png", noise(box, (301, 117)), {}),
        ("tall.png", noise(box, (90, 222)), {}),
        ("gray.png", noise(box, (33, 47), "L"), {}),
        ("alpha.png", noise(box, (33, 47), "RGBA"), {}),
        ("palette.png", smooth.convert("P"), {}),
        ("bits.png", smooth.convert("1"), {}),
        ("photo.jpg", smooth, {"quality": 90}),
        ("progressive.jpg", smooth, {"progressive": True}),
        ("full.jpg", smooth, {"subsampling": 0}),
        ("gray.jpg", smooth.convert("L"), {}),
        ("cmyk.jpg", smooth.convert("CMYK"), {}),
    ):
        picture.save(box.path(name), **options)
        yield box.path(name), image.open(box.path(name)).convert("RGB")


def crop_box(picture, size, fraction):
    ratio = size[0] / size[1]
    width = round(min(picture.width, picture.height * ratio) * fraction)
    height = round(min(picture.height, picture.width / ratio) * fraction)
    left, top = (picture.width - width) // 2, (picture.height - height) // 2
    return left, top, left + width, top + height


def resizing(box):
    np, image = module("numpy"), module("PIL.Image")
    version = int(module("PIL").__version__.split(".")[0])
    model = box.identity(["n", 3, "h", "w"])
    sizes = [(64, 64)] if box.is_quick else [(64, 64), (150, 50), (47, 171)]
    filters = FILTERS[:2] if box.is_quick else FILTERS
    for path, picture in files(box):
        wrong = []
        for size, name, fraction in itertools.product(sizes, filters, (None, 0.875)):
            area = crop_box(picture, size, fraction) if fraction else None
            want = picture.resize(size, getattr(image.Resampling, name.upper()), box=area)
            args = ["--size", f"{size[0]}x{size[1]}", "--filter", name, "--scale", "1"]
            seen = box.tensor(model, path, *args, *(["--crop", str(fraction)] if fraction else []))
            want = np.asarray(want, np.float32).transpose(2, 0, 1)[None]
            # Older Pillows always take the x axis first, which may round another way.
            limit = 0 if version >= 13 else 16
            if seen is None or seen.shape != want.shape or np.abs(seen - want).max() > limit:
                wrong.append(f"{size} {name} {fraction}")
        box.report.check(f"{path.split('/')[-1]} resized", not wrong, "; ".join(wrong))


def interlaced(box):
    """Pillow cannot write such files: the same pixels by Adam7, made by hand."""
    import struct
    import zlib

    np = module("numpy")
    x = np.asarray(noise(box, (13, 11)))
    passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2)]
    rows = b""
    for y0, x0, dy, dx in passes + [(1, 0, 2, 1)]:
        part = x[y0::dy, x0::dx]
        rows += b"".join(b"\0" + row.tobytes() for row in part) if part.size else b""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 13, 11, 8, 2, 0, 0, 1)
    data = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    path = box.write("adam7.png", b"\x89PNG\r\n\x1a\n" + data)
    seen = box.tensor(box.identity(["n", 3, "h", "w"]), path, "--scale", "1")
    box.report.check(
        "interlaced PNG", seen is not None and np.array_equal(seen[0].transpose(1, 2, 0), x), ""
    )


def orientation(box):
    np, image, ops = module("numpy"), module("PIL.Image"), module("PIL.ImageOps")
    model = box.identity(["n", 3, "h", "w"])
    for turn in range(1, 9):
        exif = image.Exif()
        exif[0x0112] = turn
        noise(box, (60, 40)).save(box.path("turned.jpg"), exif=exif)
        want = np.asarray(ops.exif_transpose(image.open(box.path("turned.jpg"))))
        seen = box.tensor(model, box.path("turned.jpg"), "--scale", "1")
        same = seen is not None and np.array_equal(seen[0], want.transpose(2, 0, 1))
        box.report.check(f"EXIF orientation {turn}", same, "differs")


def arithmetic(box):
    np = module("numpy")
    picture = noise(box, (20, 10))
    picture.save(box.path("p.png"))
    x = np.asarray(picture, np.float64)
    nchw, nhwc = box.identity(["n", 3, 10, 20]), None
    for name, args, want in (
        ("nothing said", [], x / 255),
        ("mean and std", ["--mean", "127", "--std", "128"], (x - 127) / 128),
        ("three numbers", ["--mean", "1,2,3", "--std", "4,5,6"], (x - [1, 2, 3]) / [4, 5, 6]),
        ("scale", ["--scale", "1/255"], x / 255),
        ("bgr", ["--color", "bgr", "--mean", "1,2,3"], x[:, :, ::-1] - [1, 2, 3]),
        (
            "imagenet",
            ["--preset", "imagenet", "--crop", "1"],
            (x / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225],
        ),
        ("flags over a preset", ["--preset", "unit", "--scale", "2"], x * 2),
    ):
        seen = box.tensor(nchw, box.path("p.png"), *args)
        want = want.transpose(2, 0, 1)[None].astype(np.float32)
        box.report.check(name, seen is not None and np.allclose(seen, want, rtol=1e-6, atol=1e-7), "")
    nhwc = box.identity([1, 10, 20, 3], dtype=module("onnx").TensorProto.UINT8)
    seen = box.tensor(nhwc, box.path("p.png"))
    box.report.check(
        "nhwc and uint8 from the model", seen is not None and np.array_equal(seen[0], x), ""
    )
    gray = box.tensor(box.identity([1, 1, 10, 20]), box.path("p.png"), "--scale", "1")
    want = np.asarray(picture.convert("L"), np.float32)
    box.report.check("gray", gray is not None and np.array_equal(gray[0, 0], want), "")


def batches(box):
    """Pictures of one size go together, others alone; the order stays."""
    np = module("numpy")
    model = box.identity(["n", 3, 8, 8])
    names = [f"{i:02d}.png" for i in range(11)]
    for i, name in enumerate(names):
        noise(box, (8 + i, 9)).save(box.path(name))
    paths = [box.path(n) for n in names]
    single = [box.tensor(model, p) for p in paths]
    for n in (1, 3, 8, 50):
        seen = box.tensor(model, *paths, "--batch", n)
        same = seen is not None and np.array_equal(seen, np.concatenate(single))
        box.report.check(f"--batch {n}", same, "differs from one by one")


ALL = [resizing, interlaced, orientation, arithmetic, batches]
