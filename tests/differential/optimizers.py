# SPDX-License-Identifier: Apache-2.0
"""Entries of ai.onnx.preview.training: one step of an optimizer, for one tensor or several. The
specification's formulas are in NumPy as well: onnx.reference lets a rate of another shape widen what
it changes."""

import numpy as np
from onnx import TensorProto as TP

from draw import Case, reals
from entries import close, entry


def momentum(a, rate, count, x, gradient, speed):
    gradient = a["norm_coefficient"] * x + gradient
    speed = a["alpha"] * speed + (a["beta"] if count > 0 else 1) * gradient
    return x - rate * (gradient + a["alpha"] * speed if a["mode"] == "nesterov" else speed), speed


def adagrad(a, rate, count, x, gradient, squares):
    rate = rate / (1 + count * a.get("decay_factor", 0))
    gradient = a.get("norm_coefficient", 0) * x + gradient
    squares = squares + gradient * gradient
    return x - rate * gradient / (np.sqrt(squares) + a.get("epsilon", 1e-6)), squares


def adam(a, rate, count, x, gradient, mean, squares):
    alpha, beta = a.get("alpha", np.float32(0.9)), a.get("beta", np.float32(0.999))
    alpha, beta = float(alpha), float(beta)
    gradient = a.get("norm_coefficient", 0) * x + gradient
    mean = alpha * mean + (1 - alpha) * gradient
    squares = beta * squares + (1 - beta) * gradient * gradient
    if count > 0:
        rate = rate * np.sqrt(1 - beta**count) / (1 - alpha**count)
    x = x - rate * mean / (np.sqrt(squares) + a.get("epsilon", 1e-6))
    return (1 - a.get("norm_coefficient_post", 0)) * x, mean, squares


def stepping(formula, n_states, names, is_needed=False):
    """Tensors, then their gradients, then n_states numbers for each element, of which the last ones
    are sums of squares. names: float attributes."""

    def make(d):
        number, shapes = d.type("T3"), [d.shape(0, 3) for _ in range(d.int(1, 3))]
        parts = [[d.values(shape, number) for shape in shapes] for _ in range(2 + n_states)]
        if formula is not momentum:
            for operand in parts[-1]:
                operand.values = abs(operand.values)
        rate = d.values(() if d.chance(0.7) else (1,), d.type("T1"), low=0.01, high=0.5)
        count = d.values(() if d.chance(0.7) else (1,), TP.INT64, low=0, high=3)
        attributes = {n: d.real(0.1, 0.9) for n in names if is_needed or d.chance(0.5)}
        if formula is momentum:
            attributes["mode"] = d.pick(["standard", "nesterov"])

        def answer():
            scalars = float(rate.values.reshape(())), int(count.values.reshape(()))
            done = [formula(attributes, *scalars, *map(reals, one)) for one in zip(*parts)]
            kind = parts[0][0].values.dtype
            return tuple(np.asarray(y).astype(kind) for part in zip(*done) for y in part)

        flat = [operand for part in parts for operand in part]
        return Case([rate, count, *flat], attributes, (1 + n_states) * len(shapes), numpy=answer)

    return make


TRAINING = {"domain": "ai.onnx.preview.training"}
NORM, POST = "norm_coefficient", "norm_coefficient_post"
entry("Momentum", stepping(momentum, 1, [NORM, "alpha", "beta"], True), close(5e-6), **TRAINING)
entry("Adagrad", stepping(adagrad, 1, [NORM, "decay_factor", "epsilon"]), close(5e-6), **TRAINING)
entry("Adam", stepping(adam, 2, [NORM, POST, "alpha", "beta", "epsilon"]), close(5e-6), **TRAINING)
