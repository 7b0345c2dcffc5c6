# SPDX-License-Identifier: Apache-2.0
"""One case: a model from a list of nodes, what goes in, what has to come out, at every level."""

import os
import shutil
import tempfile

import capi
import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT8, INT32, INT64 = (
    TensorProto.FLOAT,
    TensorProto.INT8,
    TensorProto.INT32,
    TensorProto.INT64,
)
UINT8, INT16, BOOL, FLOAT16 = (
    TensorProto.UINT8,
    TensorProto.INT16,
    TensorProto.BOOL,
    TensorProto.FLOAT16,
)
DOUBLE, BFLOAT16, STRING = TensorProto.DOUBLE, TensorProto.BFLOAT16, TensorProto.STRING
SITE = "https://github.com/"

f32 = np.float32


def arr(values, dtype=np.float32, shape=None):
    out = np.array(values, dtype)
    return out if shape is None else out.reshape(shape)


def nodes_of(rows):
    """Rows (operator, "inputs", "outputs", attributes, domain); "-" stands for one left out."""
    made = []
    for row in rows:
        op, inputs, outputs, attrs, domain = (*row, *[{}, ""][len(row) - 3 :])[:5]
        names = [
            ["" if name == "-" else name for name in part.split()] for part in (inputs, outputs)
        ]
        made.append(helper.make_node(op, *names, domain=domain, **attrs))
    return made


def typed(name, array, is_symbolic=False):
    """A value_info for an array; with symbols for its dimensions."""
    array = np.asarray(array)
    dtype = STRING if array.dtype.kind in "OU" else helper.np_dtype_to_tensor_dtype(array.dtype)
    dims = [f"{name}_{d}" for d in range(array.ndim)] if is_symbolic else array.shape
    return helper.make_tensor_value_info(name, dtype, dims)


def body_of(rows, inputs, outputs, consts=()):
    """A GraphProto for an attribute; inputs and outputs are value_infos or names."""
    infos = [
        [helper.make_empty_tensor_value_info(i) if isinstance(i, str) else i for i in part]
        for part in (inputs, outputs)
    ]
    tensors = [numpy_helper.from_array(np.asarray(a), n) for n, a in dict(consts).items()]
    return helper.make_graph(nodes_of(rows), "body", *infos, tensors)


def model_of(
    rows, feeds, outputs, consts=(), opset=17, is_symbolic=False, functions=(), ir=8, tensors=()
):
    inputs = [typed(name, array, is_symbolic) for name, array in feeds.items()]
    infos = [helper.make_empty_tensor_value_info(name) for name in outputs]
    made = [numpy_helper.from_array(np.asarray(a), n) for n, a in dict(consts).items()]
    graph = helper.make_graph(nodes_of(rows), "case", inputs, infos, [*made, *tensors])
    domains = {"": opset, "local": 1, "com.microsoft": 1}
    imports = [helper.make_opsetid(*pair) for pair in domains.items()]
    return helper.make_model(graph, opset_imports=imports, functions=functions, ir_version=ir)


def difference(got, want, rtol, atol):
    """What is wrong with an output, "" for nothing."""
    if isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            return f"is {got!r}, not {len(want)} items"
        return "; ".join(filter(None, (difference(*p, rtol, atol) for p in zip(got, want))))
    want = np.asarray(want)
    if got.shape != want.shape:
        return f"has shape {got.shape}, not {want.shape}"
    if want.dtype.kind in "OU":
        texts = [t.encode() if isinstance(t, str) else t for t in got.ravel()]
        right = [t.encode() if isinstance(t, str) else t for t in want.ravel()]
        return "" if texts == right else f"is {texts}, not {right}"
    if got.dtype != want.dtype:
        return f"has type {got.dtype}, not {want.dtype}"
    if want.dtype.kind == "f":
        good = np.allclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
    else:
        good = np.array_equal(got, want)
    return "" if good else f"is {got.ravel()[:12]}, not {want.ravel()[:12]}"


class Suite:
    def __init__(self, report, is_quick, only):
        self.report, self.only = report, only
        self.levels = ("none", "all") if is_quick else ("none", "basic", "all")
        self.folder = tempfile.mkdtemp(prefix="ingot-cases-")

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def save(self, model):
        path = os.path.join(self.folder, "case.onnx")
        with open(path, "wb") as f:
            f.write(model if isinstance(model, bytes) else model.SerializeToString())
        return path

    def session(self, model, level="all"):
        return capi.Model(self.save(model), opt=level)

    def twins(self, feeds):
        """(name, level, symbolic?) of every way to run a case."""
        for level in self.levels:
            yield level, level, False
        if feeds:
            yield "symbolic", "all", True

    def check(self, name, report, rows, feeds, want, rtol=1e-5, atol=1e-6, **options):
        """Run the nodes at all levels; report is the repository and number of the bug."""
        if self.only not in name:
            return
        wrong = []
        for twin, level, is_symbolic in self.twins(feeds):
            try:
                model = model_of(rows, feeds, list(want), is_symbolic=is_symbolic, **options)
                with self.session(model, level) as m:
                    got = m.session(threads=1).run(feeds)
            except capi.Error as e:
                wrong.append(f"{twin}: {e}")
                continue
            for (output, right), value in zip(want.items(), got):
                text = difference(value, right, rtol, atol)
                if text:
                    wrong.append(f"{twin}: {output} {text}")
        self.report.check(name, not wrong, f"({SITE}{report}) " + "; ".join(wrong))

    def refused(self, name, report, rows, feeds, mention, outputs=("y",), **options):
        """Every level must refuse the model or the run, with one line that has `mention`."""
        if self.only not in name:
            return
        wrong = []
        for twin, level, is_symbolic in self.twins(feeds):
            try:
                model = model_of(rows, feeds, list(outputs), is_symbolic=is_symbolic, **options)
                with self.session(model, level) as m:
                    m.session(threads=1).run(feeds)
                wrong.append(f"{twin}: was accepted")
            except capi.Error as e:
                if mention not in str(e) or "\n" in str(e):
                    wrong.append(f"{twin}: {e}")
        self.report.check(name, not wrong, f"({SITE}{report}) " + "; ".join(wrong))
