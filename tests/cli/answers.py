# SPDX-License-Identifier: Apache-2.0
"""Cards, labels, text, and every element type through .npy and .npz."""

import json

from box import module
from places import ingot


def scores(box, rows):
    np = module("numpy")
    np.save(box.path("s.npy"), np.array(rows, np.float32))
    return box.path("s.npy")


def classes(box):
    model = box.identity(["n", 3])
    s = scores(box, [[0.1, 0.7, 0.2], [5, 4, 6]])
    labels = box.write("labels.txt", "cat\r\ndog\nbird of prey\n")
    text = box.said("run", model, s, "--labels", labels, "--top", "2")
    box.report.check("labels", "0.7000  dog\n  0.2000  bird of prey" in text, text)
    for name, content in (
        ("l.json", '["cat", "dog", "bird"]'),
        ("o.json", '{"0": "cat", "2": "bird", "1": "dog"}'),
    ):
        lines = box.said("run", model, s, "--labels", box.write(name, content), "--json", "-k1")
        rows = [json.loads(line) for line in lines.splitlines()]
        seen = [row["top"][0]["label"] for row in rows]
        box.report.check(f"labels in {name}", seen == ["dog", "bird"], str(rows))
    row = json.loads(box.said("run", model, s, "--top", "3", "--softmax", "--json").splitlines()[1])
    total = sum(c["score"] for c in row["top"])
    box.report.check("--softmax", abs(total - 1) < 1e-9 and row["top"][0]["index"] == 2, str(row))


def ctc(box):
    model = box.identity(["n", "t", 5], {"characters": "a\nb\nc"})
    best = [0, 1, 1, 0, 1, 2, 4, 3, 3]  # a a b " " c
    rows = [[[1.0 if c == k else 0 for c in range(5)] for k in best]]
    keys = box.write("keys.txt", "a\nb\nc\n")
    for flag in (keys, "metadata:characters"):
        text = box.said("run", model, scores(box, rows), "--ctc", flag, "--json")
        box.report.check(f"--ctc {flag[:9]}", json.loads(text)["text"] == "aab c", text)


def cards(box):
    model = box.identity(["n", 3])
    s = scores(box, [[0.1, 0.7, 0.2]])
    box.write("same.onnx.card.json", '{"labels": ["x", "y", "z"], "postprocess": {"top": 1}}')
    box.report.check("card", "  y  0.7" in box.said("run", model, s), "")
    box.report.check("--card none", "  y  0.7" not in box.said("run", model, s, "--card", "none"), "")
    for text, word in (
        ('{"labels": 3}', "labels"),
        ('{"labels": "../names.txt"}', "names.txt"),
        ('{"preprocess": {"size": "28x"}}', "28x"),
        ('{"preprocess": {"mean": [1, 2]}}', "mean"),
        ('{"preprocess": {"color": "pink"}}', "pink"),
        ('{"postprocess": {"top": 0}}', "top"),
        ("[]", "card.json"),
    ):
        box.write("same.onnx.card.json", text)
        done = ingot("run", model, s)
        box.report.check(
            f"card {text}",
            done.returncode == 6 and word in done.stderr and done.stderr.count("\n") == 1,
            f"{done.returncode}: {done.stderr}",
        )


def types(box):
    np, onnx = module("numpy"), module("onnx")
    for dtype in (
        *("float16 float32 float64 int8 int16 int32 int64".split()),
        *("uint8 uint16 uint32 uint64 bool complex64 complex128".split()),
    ):
        x = np.array([[0, 1, 2], [3, 4, 100]]).astype(dtype)
        number = onnx.helper.np_dtype_to_tensor_dtype(x.dtype)
        model = box.identity([2, "n"], dtype=number)
        for name, value in (("native", x), ("big-endian", x.astype(x.dtype.newbyteorder(">")))):
            np.save(box.path("x.npy"), value)
            seen = box.tensor(model, box.path("x.npy"))
            box.report.check(
                f"{dtype}, {name}",
                seen is not None and seen.dtype == x.dtype and np.array_equal(seen, x),
                str(seen),
            )
    x = np.array(["", "a", "übergröße", "漢字😀"])
    np.save(box.path("x.npy"), x)
    seen = box.tensor(box.identity(["n"], dtype=onnx.TensorProto.STRING), box.path("x.npy"))
    box.report.check("strings", seen is not None and list(seen) == list(x), str(seen))


def numbers_and_random(box):
    np = module("numpy")
    model = box.identity(["n", 3])
    seen = box.tensor(model, "x=2.5", "--shape", "n=2")
    box.report.check("NAME=NUMBER", np.array_equal(seen, np.full((2, 3), 2.5, np.float32)), "")
    a, b, c = (
        box.tensor(model, "--random", "--seed", s, "--shape", "x=4x3") for s in ("1", "1", "2")
    )
    same = a.shape == (4, 3) and np.array_equal(a, b) and not np.array_equal(a, c)
    box.report.check("--random --seed", same and 0 <= a.min() and a.max() < 1, str(a))


ALL = [classes, ctc, cards, types, numbers_and_random]
