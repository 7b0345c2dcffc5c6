# SPDX-License-Identifier: Apache-2.0
"""Mean average precision in NumPy, written down from COCO's definition: slow, and without regard to the command's code."""

import numpy as np

OVERLAPS = np.linspace(0.5, 0.95, 10)
RECALLS = np.linspace(0, 1, 101)


def area(box):
    return (box[2] - box[0]) * (box[3] - box[1])


def overlap(found, label, is_crowd):
    sides = [min(found[k + 2], label[k + 2]) - max(found[k], label[k]) for k in (0, 1)]
    shared = max(sides[0], 0) * max(sides[1], 0)
    return shared / (area(found) if is_crowd else area(found) + area(label) - shared)


def match(found, labels, crowds, least):
    """For each found box, best first: 'right', 'wrong' or 'ignored'."""
    order = sorted(range(len(labels)), key=lambda g: crowds[g])
    free, said = set(order), []
    for box in found:
        best, most = None, min(least, 1 - 1e-10)
        for g in order:
            if g not in free and not crowds[g]:
                continue
            if best is not None and not crowds[best] and crowds[g]:
                break
            share = overlap(box, labels[g], crowds[g])
            if share >= most:
                best, most = g, share
        said.append("wrong" if best is None else "ignored" if crowds[best] else "right")
        free.discard(best)
    return said


def average_precision(pairs, n_labels):
    """pairs: (score, right or wrong)."""
    pairs = sorted(pairs, key=lambda p: -p[0])
    right = np.cumsum([p[1] == "right" for p in pairs])
    wrong = np.cumsum([p[1] == "wrong" for p in pairs])
    recall, precision = right / n_labels, right / np.maximum(right + wrong, 1e-300)
    samples = []
    for r in RECALLS:
        reached = [p for p, seen in zip(precision, recall) if seen >= r]
        samples.append(max(reached, default=0))
    return np.mean(samples)


def mean_average_precision(items, overlaps):
    """items: (found, labels), found rows class, score, x1 … y2; labels rows class, x1 … y2, crowd."""
    classes = sorted({int(row[0]) for _, labels in items for row in labels if not row[5]})
    values = []
    for c in classes:
        n_labels = sum(row[0] == c and not row[5] for _, labels in items for row in labels)
        for least in overlaps:
            pairs = []
            for found, labels in items:
                mine = sorted((f for f in found if f[0] == c), key=lambda f: -f[1])[:100]
                there = [row for row in labels if row[0] == c]
                said = match([f[2:] for f in mine], [g[1:5] for g in there], [g[5] for g in there], least)
                pairs += [(f[1], s) for f, s in zip(mine, said) if s != "ignored"]
            values.append(average_precision(pairs, n_labels))
    return float(np.mean(values))
