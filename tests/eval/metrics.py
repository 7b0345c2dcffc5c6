# SPDX-License-Identifier: Apache-2.0
"""Every metric against what it must be: by hand, or by other code in NumPy."""

import math

import coco
from made import numpy, onnx

Z = 1.959963984540054


def wilson(k, n):
    share = k / n
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
    return middle - half, middle + half


def scores_of(np, answers, n_classes, seed=0):
    """Scores whose largest are these."""
    scores = np.random.default_rng(seed).random((len(answers), n_classes), np.float32)
    scores[np.arange(len(answers)), answers] += 2
    return scores


def shares(box):
    """120 rows, of which exactly 90 are right, by hand; five best by NumPy."""
    np = numpy()
    labels = np.arange(120) % 10
    answers = np.where(np.arange(120) < 90, labels, (labels + 1) % 10)
    x = scores_of(np, answers, 10)
    model = box.model([("x", "y", ["n", 10])])
    for n_batch in (1, 7, 64):
        seen = box.figures(model, box.npz(x=x, labels=labels), "top1,top5,accuracy", "-b", n_batch)
        box.near(f"top1, batches of {n_batch}", seen["top1"]["value"], 0.75)
        box.near("accuracy is the same", seen["accuracy"]["value"], 0.75)
        best = np.argsort(-x, axis=1)[:, :5]
        box.near("top5", seen["top5"]["value"], np.mean((best == labels[:, None]).any(1)))
    low, high = wilson(90, 120)
    box.near("Wilson's lower end", seen["top1"]["low"], low)
    box.near("Wilson's upper end", seen["top1"]["high"], high)
    seen = box.figures(model, box.npz(x=x, labels=answers), "top1")
    box.report.check(
        "all right: the interval ends at 1", seen["top1"]["value"] == seen["top1"]["high"] == 1 and seen["top1"]["low"] > 0.96,
        str(seen),
    )


def ties_and_nan(box):
    """Equal scores: the first class is the answer. NaN comes last."""
    np = numpy()
    nan = float("nan")
    x = np.array([[1, 1, 0], [nan, 0, 0], [nan, nan, -5], [0, 1, nan]], np.float32)
    model = box.model([("x", "y", ["n", 3])])
    seen = box.figures(model, box.npz(x=x, y=np.array([0, 1, 2, 1])), "top1")
    box.near("ties and NaN", seen["top1"]["value"], 1)


def f1_and_confusion(box):
    np = numpy()
    rng = np.random.default_rng(1)
    labels, answers = rng.integers(0, 4, 200), rng.integers(0, 4, 200)
    answers[:120] = labels[:120]
    model = box.model([("x", "y", ["n", 4])])
    data = box.npz(x=scores_of(np, answers, 4), labels=labels)
    facts = box.eval(model, data, "--metric", "f1", "--per-class")
    table = np.zeros((4, 4), int)
    np.add.at(table, (labels, answers), 1)
    each = 2 * np.diag(table) / (table.sum(0) + table.sum(1))
    figure = facts["engines"][0]["metrics"]["f1"]
    box.near("macro F1", figure["value"], each.mean())
    box.report.check(
        "its interval holds it, and is not empty", figure["low"] < each.mean() < figure["high"], str(figure)
    )
    for row, want in zip(facts["classes"], each):
        box.near(f"F1 of class {row['class']}", row["value"], want)
        box.report.check("items", row["n"] == table[row["class"]].sum(), str(row))
    off = {(p["label"], p["answer"]): p["n"] for p in facts["confused"]}
    want = {(i, k): table[i, k] for i in range(4) for k in range(4) if i != k and table[i, k]}
    box.report.check("confusion", off == want, f"{off} {want}")


def two_classes(box):
    """One probability an item: accuracy at one half, F1 of the positive class, area under the curve."""
    np = numpy()
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 2, 300)
    x = np.round(np.clip(labels * 0.3 + rng.random(300) * 0.7, 0, 1), 2).astype(np.float32)[:, None]
    model = box.model([("x", "y", ["n", 1])])
    seen = box.figures(model, box.npz(x=x, labels=labels), "accuracy,f1,auc")
    said = (x[:, 0] >= 0.5).astype(int)
    box.near("accuracy", seen["accuracy"]["value"], np.mean(said == labels))
    right = np.sum(said & labels)
    box.near("F1", seen["f1"]["value"], 2 * right / (said.sum() + labels.sum()))
    positive, negative = x[labels == 1], x[labels == 0]
    pairs = (positive > negative.T) + 0.5 * (positive == negative.T)
    box.near("area under the curve", seen["auc"]["value"], pairs.mean())
    other = box.figures(model, box.npz(x=x, labels=labels), "auc", "--positive", "0")
    box.near("the other class has the same area", other["auc"]["value"], pairs.mean())
    two = box.model([("x", "y", ["n", 2])], "two.onnx")
    seen = box.figures(two, box.npz(x=np.hstack([1 - x, x]), labels=labels), "auc")
    box.near("two scores have it, too", seen["auc"]["value"], pairs.mean())
    seen = box.figures(model, box.npz(x=x, labels=np.ones(300, int)), "auc")
    box.report.check("one class alone: undefined", seen["auc"]["value"] is None, str(seen))


def names_and_labels(box):
    """Labels by name; models that say labels instead of scores."""
    np = numpy()
    names = box.write("names.txt", "cat\ndog\nbird\n")
    x = scores_of(np, np.array([0, 1, 2, 2]), 3)
    data = box.npz(x=x, labels=np.array(["cat", "Dog", "bird", "cat"]))
    model = box.model([("x", "y", ["n", 3])])
    seen = box.figures(model, data, "top1", "--labels", names)
    box.near("names", seen["top1"]["value"], 0.75)
    labels = box.model([("x", "y", ["n"], onnx().TensorProto.INT64)], "labels.onnx")
    seen = box.figures(labels, box.npz(x=np.array([3, 1, 2]), labels=np.array([3, 1, 1])), "accuracy")
    box.near("a model that says labels", seen["accuracy"]["value"], 2 / 3)
    seen = box.figures(labels, box.npz(x=np.array([3, 1, 2]), labels=np.array([2, 0, 0])), "accuracy", "--truth-shift", "1")
    box.near("shifted", seen["accuracy"]["value"], 2 / 3)


def maps(box):
    """Scores as a map an item, as converters of trees write them."""
    np, h = numpy(), onnx().helper
    types = onnx().TensorProto
    said = h.make_sequence_type_proto(h.make_map_type_proto(types.INT64, h.make_tensor_type_proto(types.FLOAT, [])))
    node = h.make_node("ZipMap", ["x"], ["scores"], domain="ai.onnx.ml", classlabels_int64s=[0, 1])
    x = h.make_tensor_value_info("x", types.FLOAT, ["n", 2])
    graph = h.make_graph([node], "g", [x], [h.make_value_info("scores", said)])
    opsets = [h.make_opsetid("", 13), h.make_opsetid("ai.onnx.ml", 3)]
    model = box.write("maps.onnx", h.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())
    p = np.array([0.1, 0.4, 0.35, 0.8], np.float32)
    data = box.npz(x=np.stack([1 - p, p], 1), labels=np.array([0, 0, 1, 1]))
    for n_batch in (1, 3):
        seen = box.figures(model, data, "accuracy,auc", "-b", n_batch)
        box.near("accuracy of maps", seen["accuracy"]["value"], 0.75)
        box.near("area of maps, by hand", seen["auc"]["value"], 0.75)


def arrays(box):
    np = numpy()
    rng = np.random.default_rng(3)
    x = rng.normal(size=(40, 3, 5)).astype(np.float32)
    y = (x + 0.01 * rng.normal(size=x.shape)).astype(np.float32)
    model = box.model([("x", "out", ["n", 3, 5])])
    a, b = x.astype(float).reshape(40, -1), y.astype(float).reshape(40, -1)
    cosine = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    mse = np.mean((a - b) ** 2)
    want = {"cosine": cosine.mean(), "rms": mse**0.5, "max": abs(a - b).max(), "psnr": -10 * np.log10(mse)}
    for n_batch in (1, 8):
        for data in (box.npz(x=x, out=y), box.npz(x=x, truth=y), box.npz(is_packed=True, x=x, out=y)):
            seen = box.figures(model, data, ",".join(want), "-b", n_batch)
            for name, value in want.items():
                box.near(f"{name}, batches of {n_batch}", seen[name]["value"], value, 1e-9)
    for name in ("cosine", "rms", "psnr"):
        box.report.check(f"{name}: interval", seen[name]["low"] < want[name] < seen[name]["high"], str(seen[name]))
    box.report.check("max has no interval", seen["max"]["low"] is None, str(seen["max"]))
    seen = box.figures(model, box.npz(x=x, out=y), "psnr", "--peak", "2")
    box.near("--peak", seen["psnr"]["value"], 20 * np.log10(2) - 10 * np.log10(mse), 1e-9)
    x[3, 1, 1] = np.nan
    seen = box.figures(model, box.npz(x=x, out=y), "rms,max,cosine")
    box.report.check("a NaN is no small error", seen["rms"]["value"] is None and seen["max"]["value"] is None, str(seen))


def text(box):
    """Keys a b c, class 4 a space. By hand: 'aab c' for 'aab c', and 'ab' for 'abc'."""
    np = numpy()
    rows = [[0, 1, 1, 0, 1, 2, 4, 3, 3], [1, 2, 0, 0, 0, 0, 0, 0, 0]]
    x = np.eye(5, dtype=np.float32)[np.array(rows)]
    model = box.model([("x", "y", ["n", 9, 5])])
    keys = box.write("keys.txt", "a\nb\nc\n")
    data = box.npz(x=x, labels=np.array(["aab c", "abc"]))
    seen = box.figures(model, data, "wer,cer", "--ctc", keys)
    box.near("one of three words", seen["wer"]["value"], 1 / 3)
    box.near("one of eight characters", seen["cer"]["value"], 1 / 8)
    data = box.npz(x=x, labels=np.array(["a xb  c q", "äbc"]))
    seen = box.figures(model, data, "wer,cer", "--ctc", keys)
    # 'aab', 'c' → 'a', 'xb', 'c', 'q': one replaced, two inserted; 'ab' → 'äbc': one replaced.
    box.near("words: 4 edits for 5", seen["wer"]["value"], 4 / 5)
    # 'aab c' → 'a xb  c q': one replaced, four inserted; 'ab' → 'äbc': one replaced, one inserted.
    box.near("characters are code points", seen["cer"]["value"], 7 / 12)


PORTS = [("b", "boxes", [1, "k", 4]), ("s", "scores", [1, "k"]), ("c", "classes", [1, "k"])]


def detections(box):
    """By hand: one box of overlap 0.625 is right at 0.50, 0.55 and 0.60, and at no more."""
    np = numpy()
    model = box.model(PORTS)
    found = np.array([[[0, 0, 10, 10]]], np.float32)
    truth = np.array([[[2, 0, 0, 10, 6.25]]])
    arrays = dict(b=found, s=np.array([[0.9]], np.float32), c=np.array([[2]], np.float32), labels=truth)
    seen = box.figures(model, box.npz(**arrays), "map,map50")
    box.near("map50", seen["map50"]["value"], 1)
    box.near("map", seen["map"]["value"], 0.3)
    arrays["labels"] = np.array([[[1, 0, 0, 10, 10]]])
    seen = box.figures(model, box.npz(**arrays), "map50")
    box.near("the wrong class", seen["map50"]["value"], 0)
    # Two labels, the better-scored box is wrong: precision 0, then 1/2 until recall 1/2.
    arrays = dict(
        b=np.array([[[50, 50, 60, 60], [0, 0, 10, 10]]], np.float32), s=np.array([[0.9, 0.8]], np.float32),
        c=np.zeros((1, 2), np.float32), labels=np.array([[[0, 0, 0, 10, 10], [0, 20, 20, 30, 30]]]),
    )
    seen = box.figures(model, box.npz(**arrays), "map50")
    box.near("half of the recalls at half the precision", seen["map50"]["value"], 51 * 0.5 / 101)


def random_boxes(np, rng, n):
    corner, size = rng.uniform(0, 80, (n, 2)), rng.uniform(3, 20, (n, 2))
    return np.hstack([corner, corner + size])


def detections_against_numpy(box):
    """Many random boxes, crowds among the labels, equal scores, three orders of corners."""
    np = numpy()
    rng = np.random.default_rng(4)
    items, b, s, c, truth = [], [], [], [], []
    for _ in range(12):
        labels = np.zeros((9, 6))
        labels[:, 0] = rng.integers(0, 3, 9)
        labels[:, 1:5] = random_boxes(np, rng, 9)
        labels[:, 5] = rng.random(9) < 0.15
        labels[rng.random(9) < 0.2, 0] = -1
        near = labels[rng.integers(0, 9, 30), 1:5] + rng.normal(0, 1.2, (30, 4))
        boxes = np.vstack([near, random_boxes(np, rng, 6)]).astype(np.float32)
        boxes[:, 2:] = np.maximum(boxes[:, 2:], boxes[:, :2] + 1)
        scores = np.round(rng.random(36), 2).astype(np.float32)
        classes = rng.integers(0, 3, 36).astype(np.float32)
        items.append(
            (
                [(k, p, *map(float, xyxy)) for k, p, xyxy in zip(classes, scores, boxes)],
                [row for row in labels if row[0] >= 0],
            )
        )
        for rows, one in ((b, boxes), (s, scores), (c, classes), (truth, labels)):
            rows.append(one)
    arrays = {"s": np.array(s), "c": np.array(c), "labels": np.array(truth)}
    b = np.array(b)
    model = box.model(PORTS)
    corners, sizes = b[..., :2], b[..., 2:] - b[..., :2]
    orders = {
        "xyxy": b,
        "yxyx": b[..., [1, 0, 3, 2]],
        "xywh": np.concatenate([corners, sizes], -1),
    }
    want = {
        "map": coco.mean_average_precision(items, coco.OVERLAPS),
        "map50": coco.mean_average_precision(items, coco.OVERLAPS[:1]),
    }
    for order, boxes in orders.items():
        seen = box.figures(model, box.npz(b=boxes, **arrays), "map,map50", "--boxes", order)
        for name, value in want.items():
            box.near(f"{name} of {order}", seen[name]["value"], value, 1e-9 if order != "xywh" else 1e-3)
    box.report.check("interval", seen["map"]["low"] < want["map"] < seen["map"]["high"], str(seen["map"]))
    per_class = box.eval(model, box.npz(b=b, **arrays), "--metric", "map50", "--per-class")["classes"]
    mean = sum(row["value"] for row in per_class) / len(per_class)
    box.near("the mean of the classes", mean, want["map50"], 1e-9)


def interval_coverage(box):
    """A made-up metric of known spread: the bootstrap's interval is about that of the normal law."""
    np = numpy()
    rng = np.random.default_rng(5)
    x = rng.normal(1, 0.2, (400, 1)).astype(np.float32)
    model = box.model([("x", "out", ["n", 1])])
    seen = box.figures(model, box.npz(x=x, out=np.zeros_like(x)), "rms")["rms"]
    squares = x[:, 0].astype(float) ** 2
    spread = squares.std() / len(x) ** 0.5 / (2 * squares.mean() ** 0.5)
    width = (seen["high"] - seen["low"]) / (2 * Z * spread)
    box.report.check("bootstrap against the normal law", 0.85 < width < 1.15, f"{width:.3f} of it")
    again = box.figures(model, box.npz(x=x, out=np.zeros_like(x)), "rms")["rms"]
    box.report.check("the same seed, the same interval", again == seen, f"{again} {seen}")


ALL = [
    shares, ties_and_nan, f1_and_confusion, two_classes, names_and_labels, maps, arrays, text, detections,
    detections_against_numpy, interval_coverage,
]
