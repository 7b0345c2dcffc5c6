# SPDX-License-Identifier: Apache-2.0
"""Entries of decision trees as ai.onnx.ml's version 5 stores them: nodes and leaves apart."""

import numpy as np
from onnx import TensorProto as TP

from draw import NUMPY, Case
from entries import close, entry

LEQ, LT, GTE, GT, EQ, NEQ, MEMBER = range(7)


class Forest:
    """Trees in the making: every node's fields side by side."""

    def __init__(self, d, n_features, n_targets, modes):
        self.d, self.n_features, self.n_targets, self.modes = d, n_features, n_targets, modes
        self.features, self.kinds, self.splits = [], [], []
        self.branches = [[], []]  # true, false: (index, is a leaf)
        self.targets, self.members, self.roots = [], [], []

    def leaf(self):
        self.targets.append(self.d.int(0, self.n_targets - 1))
        return len(self.targets) - 1, 1

    def grow(self, depth):
        """The index of a new node, or of a leaf, and whether it is one."""
        if depth == 0:
            return self.leaf()
        d, at = self.d, len(self.kinds)
        self.features.append(d.int(0, self.n_features - 1))
        self.kinds.append(d.pick(self.modes))
        self.splits.append(d.int(-4, 4) / 2)
        if self.kinds[-1] == MEMBER:
            self.members += [*(d.int(-4, 4) / 2 for _ in range(d.int(1, 3))), np.nan]
        for side in self.branches:
            side.append(None)
        for side in self.branches:
            side[at] = self.grow(0 if d.chance(0.25) else depth - 1)
        return at, 0

    def plant(self):
        self.roots.append(self.grow(self.d.int(1, 4))[0])

    def members_of(self, node):
        """The set of a MEMBER node: sets stand in the order of their nodes, each with a NaN behind."""
        ends = [i for i, m in enumerate(self.members) if np.isnan(m)]
        k = sum(kind == MEMBER for kind in self.kinds[:node])
        return self.members[ends[k - 1] + 1 if k else 0 : ends[k]]

    def holds(self, node, x, missing):
        if np.isnan(x):
            return bool(missing[node]) or self.kinds[node] == NEQ
        split, kind = self.splits[node], self.kinds[node]
        if kind == MEMBER:
            return x in self.members_of(node)
        return [x <= split, x < split, x >= split, x > split, x == split, x != split][kind]

    def scores(self, row, weights, how, missing):
        """One row's number for each target; 0 for one that no leaf speaks of."""
        found = [[] for _ in range(self.n_targets)]
        for at in self.roots:
            is_leaf = 0
            while not is_leaf:
                side = 0 if self.holds(at, row[self.features[at]], missing) else 1
                at, is_leaf = self.branches[side][at]
            found[self.targets[at]].append(float(weights[at]))
        if how == AVERAGE:
            return [sum(v) / len(self.roots) for v in found]
        return [{MIN: min, MAX: max}.get(how, sum)(v) if v else 0.0 for v in found]


AVERAGE, ADD, MIN, MAX = range(4)


def transformed(y, how):
    """SOFTMAX (1), LOGISTIC (2), SOFTMAX_ZERO (3) of rows."""
    if how == 2:
        return 1 / (1 + np.exp(-y))
    if how not in (1, 3):
        return y
    e = np.exp(y - y.max(1, keepdims=True, initial=-np.inf))
    if how == 3:
        e = np.where(y == 0, 0, e)
    total = e.sum(1, keepdims=True)
    return np.divide(e, total, out=np.zeros_like(e), where=total != 0)


def growing(d):
    n, targets, number = d.int(1, 4), d.int(1, 3), d.type("T", [TP.FLOAT, TP.DOUBLE])
    modes = d.pick([[LEQ], [LT], [GT], [GTE], [EQ], [LEQ, MEMBER], [NEQ], [LEQ, GT, EQ, MEMBER]])
    forest = Forest(d, n, targets, modes)
    for _ in range(d.int(1, 4)):
        forest.plant()
    x = d.values((d.int(0 if d.chance(0.05) else 1, 6), n), number)
    x.values = (np.round(x.values * 2) / 2).astype(x.values.dtype)
    if x.values.size and d.chance(0.2):
        x.values[0, 0] = np.nan
    real = NUMPY[number]
    (true, true_leafs), (false, false_leafs) = (zip(*side) for side in forest.branches)
    weights = d.rng.normal(0, 1, len(forest.targets)).astype(real)
    missing = d.maybe([d.int(0, 1) for _ in true], 0.4)
    how, after = d.pick([None, AVERAGE, ADD, MIN, MAX]), d.pick([None, 0, 1, 2, 3])

    def answer():
        """A single target is not transformed: ONNX Runtime does not, and converters count on that."""
        rows = [forest.scores(row, weights, how, missing or [0] * len(true)) for row in x.values]
        y = np.array(rows, np.float64).reshape(-1, targets)
        return (transformed(y, after) if targets > 1 else y).astype(real)

    return Case(
        [x],
        {
            "n_targets": targets,
            "tree_roots": forest.roots,
            "nodes_featureids": forest.features,
            "nodes_modes": np.array(forest.kinds, np.uint8),
            "nodes_splits": np.array(forest.splits, real),
            "nodes_truenodeids": list(true),
            "nodes_trueleafs": list(true_leafs),
            "nodes_falsenodeids": list(false),
            "nodes_falseleafs": list(false_leafs),
            "nodes_missing_value_tracks_true": missing,
            "leaf_targetids": forest.targets,
            "leaf_weights": weights,
            "membership_values": np.array(forest.members, real) if forest.members else None,
            "aggregate_function": how,
            "post_transform": after,
        },
        numpy=answer,
    )


entry("TreeEnsemble", growing, close(5e-6), domain="ai.onnx.ml", opsets=[5])
