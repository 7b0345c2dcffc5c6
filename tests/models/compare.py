# SPDX-License-Identifier: Apache-2.0
"""Every model, elementwise against ONNX Runtime: all levels of rewriting, thread counts and
instruction sets."""

import os

import numpy as np

import engines
import inputs
import places
from capi import Error

RTOL, ATOL = 1e-3, 1e-4
SMALL_BYTES = 4 << 20  # larger files are left out of the quick round
# Scalar reference kernels are slow by design: these models would take minutes with them.
NOT_WITH_REF = {
    "sr10.onnx",
    "yolov8n.onnx",
    "unet.onnx",
    "vit_b16.onnx",
    "resnet50.onnx",
    "resnet18.onnx",
    "bert_base.onnx",
    "gpt2_small.onnx",
}


def worst(seen, want, rtol=RTOL, atol=ATOL):
    """Largest |seen - want| / (atol + rtol |want|) over everything inside; inf where types, shapes
    or NaNs differ. At most 1 is equal."""
    if isinstance(want, (list, tuple)):
        if not isinstance(seen, (list, tuple)) or len(seen) != len(want):
            return np.inf
        return max([worst(s, w, rtol, atol) for s, w in zip(seen, want)], default=0.0)
    if isinstance(want, dict):
        if not isinstance(seen, dict) or seen.keys() != want.keys():
            return np.inf
        return max([worst(seen[k], want[k], rtol, atol) for k in want], default=0.0)
    want, seen = np.asarray(want), np.asarray(seen)
    if want.shape != seen.shape:
        return np.inf
    if want.dtype.kind != "f":
        return 0.0 if np.array_equal(want, seen) else np.inf
    if seen.dtype.kind != "f" or not np.array_equal(np.isnan(want), np.isnan(seen)):
        return np.inf
    want, seen = want.astype(np.float64), seen.astype(np.float64)
    with np.errstate(invalid="ignore"):
        off = np.where(
            (want == seen) | np.isnan(want), 0, np.abs(seen - want) / (atol + rtol * np.abs(want))
        )
    return float(off.max(initial=0.0))


def same_bits(a, b):
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same_bits(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return a == b
    a, b = np.asarray(a), np.asarray(b)
    return (
        a.dtype == b.dtype
        and a.shape == b.shape
        and (a.tobytes() == b.tobytes() if a.dtype != object else np.array_equal(a, b))
    )


def largest(arrays):
    """Largest absolute element, the yardstick for absolute tolerances."""
    return max(
        [
            float(np.abs(a).max(initial=0))
            for a in arrays
            if isinstance(a, np.ndarray) and a.dtype.kind == "f"
        ],
        default=0.0,
    )


def is_quantized(path):
    """Whether the file holds quantized arithmetic: by its operators' names, which stand in it as
    text."""
    with open(path, "rb") as f:
        data = f.read(64 << 20)
    return any(
        word in data
        for word in (b"DequantizeLinear", b"QLinearConv", b"ConvInteger", b"MatMulInteger")
    )


def step_of(arrays):
    """The quantization step of outputs that lie on a grid, else 1/256 of their range."""
    values = np.unique(np.concatenate([np.asarray(a, np.float32).ravel() for a in arrays]))
    gap = float(np.diff(values).min(initial=np.inf))
    on_grid = (
        len(values) <= 256 and gap < largest(arrays) / 8
    )  # with two or three values the gap need not be a step
    return gap if on_grid else largest(arrays) / 255


class Reference:
    """ONNX Runtime's outputs of one model, with the absolute tolerance that fits them.

    A float model must agree within rtol 1e-3 / atol 1e-4 (with scaled=True, atol relative to the
    largest output). In a quantized one the reference is ONNX Runtime with the graph as it is: float
    arithmetic between the quantizers, exact on every CPU, while its int8 kernels saturate on CPUs
    without VNNI. A result may be one quantization step away; and since a rounding tie that falls
    the other way in the first layer moves later ones by whole steps, also twice as far as the
    reference itself moves when its input moves by a ten-thousandth.
    """

    def __init__(self, path, scaled=False):
        self.quantized = is_quantized(path)
        net = engines.Ort(path, optimize=not self.quantized)
        ports = [(i.name, i.type, i.shape) for i in net.session.get_inputs()]
        self.names = net.output_names
        self.feeds = inputs.for_model(path, ports)
        self.want = [net.run(f) for f in self.feeds]
        self.atol = [ATOL * max(1.0, largest(w)) if scaled else ATOL for w in self.want]
        if self.quantized:
            self.atol = [
                max(1.01 * step_of(w), 2 * self.motion(net, f, w))
                for f, w in zip(self.feeds, self.want)
            ]

    @staticmethod
    def motion(net, feeds, want):
        rng, moved = np.random.default_rng(1), 0.0
        for _ in range(4):
            near = {
                k: (v + 1e-4 * np.abs(v).max() * rng.uniform(-1, 1, v.shape)).astype(v.dtype)
                for k, v in feeds.items()
            }
            moved = max([moved] + [float(np.abs(a - b).max()) for a, b in zip(net.run(near), want)])
        return moved

    def off(self, outputs, i):
        return worst(outputs, self.want[i], RTOL, self.atol[i])


def one_way(report, reference, path, way, level, mask, is_repeated):
    """One level of rewriting on one instruction set: equal to the reference, and the same bits with
    1 and 2 threads, and again."""
    with engines.capi.Model(path, opt=level, cpu=mask) as model:
        single, double = model.session(1), model.session(2)
        for i, feeds in enumerate(reference.feeds):
            seen = single.run(feeds)
            off = reference.off(seen, i)
            text = f"set {i}: {off:.3g} times the tolerance (atol {reference.atol[i]:.2g})"
            report.check(way, off <= 1, text)
            same = same_bits(seen, double.run(feeds))
            report.check(f"{way} threads", same, f"set {i}: 1 and 2 threads differ")
            if is_repeated:
                same = same_bits(seen, single.run(feeds))
                report.check(f"{way} again", same, f"set {i}: a second run differs")
        del single, double


def one_model(report, path, masks, levels, scaled=False):
    """Compare one model in all its ways: every level on the best instruction set, the last level on
    the others."""
    name = os.path.basename(path)
    reference = Reference(path, scaled)
    for mask in masks:
        if mask == "ref" and name in NOT_WITH_REF:
            continue
        is_best = mask == masks[-1]
        for level in levels if is_best else levels[-1:]:
            way = f"{name} opt={level} cpu={mask}"
            is_repeated = is_best and level == levels[-1]
            try:
                one_way(report, reference, path, way, level, mask, is_repeated)
            except Error as e:
                report.failed(way, str(e))


def all_models(report, quick, word=""):
    """The shared models whose path has `word`, on every mask of this CPU."""
    paths = [p for p in places.shared_models() if word in p]
    if not places.shared_models():
        report.skipped("comparison with ONNX Runtime", "no ../shared/models")
    masks = places.cpu_masks()
    if quick:
        paths = [
            p
            for p in paths
            if os.path.getsize(p) < SMALL_BYTES
            and os.path.basename(p) not in ("sr10.onnx", "nmp.onnx")
        ]
        masks = masks[-1:]
    for path in paths:
        report.isolated(
            os.path.basename(path),
            one_model,
            path,
            masks,
            ("none", "all") if quick else ("none", "basic", "all"),
        )
