# SPDX-License-Identifier: Apache-2.0
"""Entries of ai.onnx.ml: linear models, trees, scalers."""

import numpy as np
from onnx import TensorProto as TP

from draw import NUMPY, Case, Mapping
from entries import close, entry

ML = {"domain": "ai.onnx.ml"}
AFTER = [None, "NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"]
NUMBERS = [TP.FLOAT, TP.DOUBLE, TP.INT64, TP.INT32]


def rows(d, n=None, number=None):
    return d.values((d.int(1, 6), n or d.int(1, 7)), number or d.pick(NUMBERS))


def reals(d, n):
    return [float(np.float32(v)) for v in d.rng.normal(0, 1, n)]


def extracting(d):
    shape = d.shape(1, 3, zero=0)
    places = d.values((1, d.int(1, 5)) if d.chance(0.5) else (d.int(1, 5),), TP.INT64, low=0, high=shape[-1] - 1)
    return Case([d.values(shape, d.pick(NUMBERS)), places], {})


def scaling(d):
    x = rows(d)
    n = x.shape[1] if d.chance(0.7) else 1
    return Case([x], {"scale": reals(d, n), "offset": reals(d, n)})


def regressing(d):
    x = rows(d, number=TP.FLOAT)
    targets = d.int(1, 3)
    return Case(
        [x],
        {
            "targets": targets if targets > 1 or d.chance(0.5) else None,
            "coefficients": reals(d, targets * x.shape[1]),
            "intercepts": d.maybe(reals(d, targets)),
            "post_transform": d.pick(AFTER),
        },
    )


def classifying(d):
    x = rows(d)
    classes = d.int(2, 4)
    labels = {"classlabels_ints": [3 * k - 1 for k in range(classes)]}
    if d.chance(0.3):
        labels = {"classlabels_strings": [f"label {k}" for k in range(classes)]}
    return Case(
        [x],
        {
            **labels,
            "coefficients": reals(d, classes * x.shape[1]),
            "intercepts": reals(d, classes),
            "post_transform": d.pick(AFTER),
            "multi_class": d.pick([None, 0, 1]),
        },
        2,
    )


def forest(d, n_features):
    """Nodes of a few trees, and (tree, node) of the leaves."""
    f = {
        k: []
        for k in "nodes_treeids nodes_nodeids nodes_featureids nodes_values nodes_modes nodes_truenodeids nodes_falsenodeids nodes_missing_value_tracks_true".split()
    }
    leaves = []
    mode = d.pick(["BRANCH_LEQ", "BRANCH_LEQ", "BRANCH_LT", "BRANCH_GT", "BRANCH_GTE", "BRANCH_EQ", "BRANCH_NEQ"])
    mixed = d.chance(0.2)

    def grow(tree, depth):
        at = sum(1 for t in f["nodes_treeids"] if t == tree)
        for k in f:
            f[k].append(0)
        here = len(f["nodes_treeids"]) - 1
        f["nodes_treeids"][here], f["nodes_nodeids"][here] = tree, at
        if depth == 0 or d.chance(0.2):
            f["nodes_modes"][here], f["nodes_values"][here] = "LEAF", 0.0
            leaves.append((tree, at))
            return at
        f["nodes_featureids"][here] = d.int(0, n_features - 1)
        f["nodes_values"][here] = float(np.round(d.real(-2, 2) * 2) / 2)
        f["nodes_modes"][here] = d.pick(["BRANCH_LEQ", "BRANCH_GT", "BRANCH_EQ"]) if mixed else mode
        f["nodes_missing_value_tracks_true"][here] = d.int(0, 1)
        yes = grow(tree, depth - 1)
        no = grow(tree, depth - 1)
        f["nodes_truenodeids"][here], f["nodes_falsenodeids"][here] = yes, no
        return at

    for tree in range(d.int(1, 4)):
        grow(tree, d.int(0, 4))
    if d.chance(0.5):
        del f["nodes_missing_value_tracks_true"]
    return f, leaves


def features(d, n):
    x = rows(d, n, TP.FLOAT if d.chance(0.8) else d.pick([TP.DOUBLE, TP.INT64]))
    if x.number != TP.INT64:
        x.values = (np.round(x.values * 2) / 2).astype(x.values.dtype)
    if x.number == TP.FLOAT and d.chance(0.15):
        x.values[0, 0] = np.nan
    return x


def growing_values(d):
    n, targets = d.int(1, 5), d.int(1, 3)
    f, leaves = forest(d, n)
    return Case(
        [features(d, n)],
        {
            **f,
            "n_targets": targets,
            "target_treeids": [t for t, _ in leaves],
            "target_nodeids": [k for _, k in leaves],
            "target_ids": [d.int(0, targets - 1) for _ in leaves],
            "target_weights": reals(d, len(leaves)),
            "base_values": d.maybe(reals(d, targets), 0.3),
            "aggregate_function": d.pick([None, "SUM", "AVERAGE", "MIN", "MAX"]),
            "post_transform": d.pick(AFTER),
        },
    )


def growing_classes(d):
    n, classes = d.int(1, 5), d.int(3, 4)
    f, leaves = forest(d, n)
    labels = {"classlabels_int64s": [2 * k + 1 for k in range(classes)]}
    if d.chance(0.3):
        labels = {"classlabels_strings": [f"c{k}" for k in range(classes)]}
    pairs = [(t, k, c) for t, k in leaves for c in range(classes)]
    return Case(
        [features(d, n)],
        {
            **f,
            **labels,
            "class_treeids": [t for t, _, _ in pairs],
            "class_nodeids": [k for _, k, _ in pairs],
            "class_ids": [c for _, _, c in pairs],
            "class_weights": reals(d, len(pairs)),
            "base_values": d.maybe(reals(d, classes), 0.3),
            "post_transform": d.pick(AFTER),
        },
        2,
    )


KERNELS = ["LINEAR", "POLY", "RBF", "SIGMOID"]


def kernel(d):
    return {"kernel_type": d.pick(KERNELS), "kernel_params": [0.3, 0.1, 2.0]}


def machine_values(d):
    n, supports = d.int(1, 5), d.int(1, 5)
    return Case(
        [rows(d, n, TP.FLOAT)],
        {
            **kernel(d),
            "n_supports": supports,
            "support_vectors": reals(d, supports * n),
            "coefficients": reals(d, supports),
            "rho": reals(d, 1),
            "one_class": d.pick([None, 0, 1]),
            "post_transform": d.pick([None, "NONE"]),
        },
    )


def machine_classes(d):
    n, classes = d.int(1, 4), d.int(2, 4)
    per = [d.int(1, 3) for _ in range(classes)]
    pairs = classes * (classes - 1) // 2
    odds = d.chance(0.4)
    labels = {"classlabels_ints": [5 * k for k in range(classes)]}
    if d.chance(0.3):
        labels = {"classlabels_strings": [f"c{k}" for k in range(classes)]}
    return Case(
        [rows(d, n, TP.FLOAT)],
        {
            **kernel(d),
            **labels,
            "vectors_per_class": per,
            "support_vectors": reals(d, sum(per) * n),
            "coefficients": reals(d, sum(per) * (classes - 1)),
            "rho": reals(d, pairs),
            "prob_a": [-abs(v) for v in reals(d, pairs)] if odds else None,
            "prob_b": reals(d, pairs) if odds else None,
            "post_transform": d.pick([None, "NONE"]),
        },
        2,
    )


def mapping(d):
    attributes = {"cats_int64s": [1, 5, -3], "cats_strings": ["a", "abc", "x y"]}
    attributes |= {"default_int64": d.maybe(-7), "default_string": d.maybe("none")}
    if d.chance(0.5):
        return Case([d.values(d.shape(1, 2, most=12), TP.STRING)], attributes)
    return Case([d.values(d.shape(1, 2, most=12), TP.INT64, low=-4, high=6)], attributes)


entry("SVMRegressor", machine_values, close(2e-5), **ML)
entry("SVMClassifier", machine_classes, close(2e-5), **ML)
entry("CategoryMapper", mapping, **ML)


def zipping(d):
    n = d.int(1, 4)
    labels = {"classlabels_int64s": list(range(n))}
    if d.chance(0.5):
        labels = {"classlabels_strings": [f"c{k}" for k in range(n)]}
    return Case([rows(d, n, TP.FLOAT)], labels)


def encoding(d):
    keys = [1, 5, -3, 0]
    words = ["a", "abc", "x y", "0"]
    if d.chance(0.5):
        x = d.values(d.shape(0, 2, most=12), TP.INT64, low=-4, high=6)
        mapping = {"keys_int64s": keys}
    else:
        x = d.values(d.shape(0, 2, most=12), TP.STRING)
        mapping = {"keys_strings": words}
    choice = d.pick(["int64", "float", "string"])
    values = {"int64": [7, 8, 9, 10], "float": [0.5, 1.5, 2.5, -1.0], "string": ["p", "q", "r", "s"]}[choice]
    default = {"int64": -5, "float": 0.25, "string": "none"}[choice]
    if x.number == TP.INT64 and choice == "int64":
        choice, values, default = "float", [0.5, 1.5, 2.5, -1.0], 0.25
    return Case([x], {**mapping, f"values_{choice}s": values, f"default_{choice}": d.maybe(default)})


def imputing(d):
    x = rows(d, number=TP.FLOAT)
    n = x.shape[1] if d.chance(0.6) else 1
    missing = d.pick([float("nan"), 0.0])
    x.values[d.rng.random(x.shape) < 0.3] = missing
    return Case([x], {"imputed_value_floats": reals(d, n), "replaced_value_float": missing})


def one_hot_encoding(d):
    if d.chance(0.5):
        x = d.values(d.shape(1, 2, zero=0, most=12), d.pick([TP.INT64, TP.FLOAT]), low=0, high=4)
        x.values = np.round(x.values).astype(x.values.dtype)
        return Case([x], {"cats_int64s": [0, 1, 2, 3, 4, 9], "zeros": d.pick([None, 1])})
    return Case([d.values(d.shape(1, 2, zero=0, most=9), TP.STRING)], {"cats_strings": ["a", "B", "abc"], "zeros": d.pick([None, 1])})


def joining_features(d):
    number = d.pick(NUMBERS)
    n = d.int(1, 4)
    xs = [d.values((n, d.int(1, 4)), number) for _ in range(d.int(1, 3))]
    return Case(xs, {"inputdimensions": [x.shape[1] for x in xs]})


entry("ArrayFeatureExtractor", extracting, **ML)
entry("Binarizer", lambda d: Case([rows(d)], {"threshold": d.maybe(d.real(-1, 1))}), **ML)
entry("Scaler", scaling, close(2e-6), **ML)
entry(
    "Normalizer", lambda d: Case([rows(d)], {"norm": d.pick([None, "MAX", "L1", "L2"])}), close(2e-6), **ML
)
entry("LinearRegressor", regressing, close(5e-6), **ML)
entry("LinearClassifier", classifying, close(5e-6), **ML)
entry("TreeEnsembleRegressor", growing_values, close(5e-6), opsets=[1, 3], **ML)
entry("TreeEnsembleClassifier", growing_classes, close(5e-6), opsets=[1, 3], **ML)
entry("ZipMap", zipping, **ML)
entry("LabelEncoder", encoding, opsets=[2, 4], **ML)
entry("Imputer", imputing, **ML)
entry("OneHotEncoder", one_hot_encoding, **ML)
entry("FeatureVectorizer", joining_features, **ML)


# ---- maps ----


def casting_map(d):
    keys = sorted({d.int(0, 9) for _ in range(d.int(1, 5))}, key=lambda _: d.rng.random())
    number = d.pick([TP.FLOAT, TP.STRING])
    sparse = d.chance(0.5)
    values = [d.pick(["2.5", "-7", "12", "0.125"]) for _ in keys]
    if number == TP.FLOAT:
        values = [np.float32(v) for v in values]
    to = d.pick([None, "TO_FLOAT", "TO_STRING", "TO_INT64"])
    if number == TP.STRING and to == "TO_INT64":
        values = [d.pick(["25", "-7", "0"]) for _ in keys]
    table, width = dict(zip(keys, values)), d.int(max(keys) + 1, 12)

    def answer():
        """ONNX Runtime's Python takes no map to strings. Its text for an absent one is kept."""
        kind, none = {"TO_INT64": (np.int64, 0), "TO_STRING": (object, "0.f")}.get(to, (np.float32, 0))
        made = {k: str(v) if kind is object else float(v) for k, v in table.items()}
        row = [made.get(k, none) for k in (range(width) if sparse else sorted(made))]
        return np.array([row], dtype=kind)

    return Case(
        [Mapping(table, number)],
        {
            "cast_to": to,
            "map_form": "SPARSE" if sparse else d.pick([None, "DENSE"]),
            "max_map": width if sparse else None,
        },
        numpy=answer if number == TP.STRING else None,
    )


def looking_up(d):
    is_text = d.chance(0.5)
    words = ["a", "B", "x y", "", "日本"] if is_text else [0, 5, -3, 7, 2**40]
    number = d.pick([TP.FLOAT, TP.DOUBLE, TP.INT64 if is_text else TP.STRING])
    make = {TP.FLOAT: np.float32, TP.DOUBLE: np.float64, TP.INT64: int, TP.STRING: str}[number]
    keys = [words[i] for i in d.rng.permutation(len(words))[: d.int(1, 4)]]
    table = {k: make(d.int(-9, 9)) for k in keys}
    vocabulary = [words[i] for i in d.rng.permutation(len(words))[: d.int(1, 5)]]
    none = make(0) if number != TP.STRING else ""

    def answer():
        """One row, as ONNX Runtime has it and as what comes behind takes it; the text says a vector."""
        kind = object if number == TP.STRING else NUMPY[number]
        return np.array([[table.get(word, none) for word in vocabulary]], dtype=kind)

    attributes = {("string" if is_text else "int64") + "_vocabulary": vocabulary}
    return Case([Mapping(table, number)], attributes, numpy=answer)


entry("CastMap", casting_map, **ML)
entry("DictVectorizer", looking_up, **ML)
