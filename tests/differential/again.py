# SPDX-License-Identifier: Apache-2.0
"""A session that has run is run again: with other shapes, where the model leaves them open, and then
with the first ones."""

import numpy as np

import engines
from engines import Refused


def other_feeds(rng, model, feeds):
    """Feeds with one open dimension made longer or shorter; None where nothing is open."""
    open_ = []
    for value in model.graph.input:
        kind = value.type.tensor_type
        if not isinstance(feeds.get(value.name), np.ndarray) or feeds[value.name].dtype == object:
            continue
        if not kind.HasField("shape"):
            open_ += [(value.name, i) for i in range(feeds[value.name].ndim)]
        else:
            open_ += [(value.name, i) for i, d in enumerate(kind.shape.dim) if d.dim_param]
    if not open_:
        return None
    name, axis = open_[int(rng.integers(len(open_)))]
    old = feeds[name]
    shape = list(old.shape)
    shape[axis] = max(1, shape[axis] + int(rng.choice([-1, 1, 3])))
    if shape == list(old.shape) or old.size == 0:
        return None
    return {**feeds, name: np.resize(old, shape)}


def agrees_with_reference(trial, feeds, got, differ):
    try:
        return not differ(got, engines.reference(trial.model, feeds))
    except Refused:
        return False


def problem(trial, rng, mark, differ, is_lenient=False):
    """None or what is wrong. Shapes that ONNX Runtime refuses are no business of ours."""
    other = other_feeds(rng, trial.model, trial.feeds)
    if other is None:
        return None
    mark("ort")
    try:
        want = engines.ort(trial.data, other)
        first = engines.ort(trial.data, trial.feeds)
    except Refused:
        return None
    mark("ingot")
    try:
        got = engines.ingot_runs(trial.data, [trial.feeds, other, trial.feeds])
    except Refused as e:
        if is_lenient:  # ONNX Runtime also takes what the text of an operator forbids
            return None
        shapes = {k: list(v.shape) for k, v in other.items() if v is not trial.feeds[k]}
        return f"[again] refuses with {shapes}: {e}"
    for which, g, w in zip(("first", "other", "first again"), got, (first, want, first)):
        found = differ(g, w)
        if found and which == "other" and any(isinstance(x, np.ndarray) and not x.size for x in g):
            continue  # a window larger than what is left of the picture: engines round differently
        if found and which == "other" and agrees_with_reference(trial, other, g, differ):
            continue
        if found:
            shapes = {k: list(v.shape) for k, v in other.items() if v is not trial.feeds[k]}
            return f"[again] {which} with {shapes}: {found}"
    return None
