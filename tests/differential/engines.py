# SPDX-License-Identifier: Apache-2.0
"""Who answers: Ingot at a level of rewriting, ONNX Runtime, onnx.reference. Each gives a list of
arrays, or raises Refused with its words."""

import os
import tempfile

import numpy as np
import onnx
from onnx import helper

os.environ.setdefault("ALLOW_RELEASED_ONNX_OPSET_ONLY", "0")
import onnxruntime  # noqa: E402

import capi  # noqa: E402
import models  # noqa: E402

onnxruntime.set_default_logger_severity(4)
SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
NO_KERNEL = [
    "NOT_IMPLEMENTED",
    "Could not find an implementation",
    "is not a registered function/op",
    "is deprecated in domain_version",
    "is till opset",
    "No Op registered",
    "INVALID_GRAPH",
    "not supported",
    "Unsupported",
    "not currently support",
]


class Refused(Exception):
    """has_kernel False: the engine does not have it, which says nothing about the case."""

    def __init__(self, text, has_kernel=True):
        super().__init__(text)
        self.has_kernel = has_kernel


def ingot(data, feeds, opt="all", cpu=None, threads=1):
    return ingot_runs(data, [feeds], opt, cpu, threads)[0]


def texts_as_objects(feeds):
    return {k: v.astype(str).astype(object) if v_is_text(v) else v for k, v in feeds.items()}


def ingot_runs(data, all_feeds, opt="all", cpu=None, threads=1):
    """Outputs of each run of one session."""
    with tempfile.NamedTemporaryFile(suffix=".onnx", dir=SCRATCH) as f:
        f.write(data)
        f.flush()
        try:
            with capi.Model(f.name, opt=opt, cpu=cpu, max_memory_bytes=1 << 30) as model:
                session = model.session(threads)
                return [session.run(texts_as_objects(feeds)) for feeds in all_feeds]
        except capi.Error as e:
            raise Refused(str(e).replace(f.name, "model.onnx")) from None


def v_is_text(value):
    return isinstance(value, np.ndarray) and value.dtype.kind in "OUS"


def ort(data, feeds):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        return session.run(None, feeds)
    except Exception as e:
        text = str(e).split("\n")[0]
        raise Refused(text[:300], not any(words in text for words in NO_KERNEL)) from None


def reference(model, feeds):
    from onnx.reference import ReferenceEvaluator

    try:
        with np.errstate(all="ignore"):
            return [
                [np.asarray(v) for v in out] if isinstance(out, list) else out
                for out in ReferenceEvaluator(model).run(None, dict(feeds))
            ]
    except Exception as e:
        raise Refused(f"{type(e).__name__}: {e}"[:300], False) from None


OLD_HINTS = {"broadcast", "consumed_inputs", "output_sequence"}  # which say nothing about the numbers


def one_node(operator, arrays, attributes, opset, n_out=1):
    """Outputs of a standard operator: by ONNX Runtime, else by onnx.reference. arrays: its inputs,
    None where absent. For operators that are a variant of it and that neither has."""
    names = ["" if a is None else f"x{i}" for i, a in enumerate(arrays)]
    feeds = {name: a for name, a in zip(names, arrays) if name}
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for name, a in feeds.items()
    ]
    outputs = [f"y{i}" for i in range(n_out)]
    node, schema = helper.make_node(operator, names, outputs), onnx.defs.get_schema(operator, opset)
    for name, value in attributes.items():
        if value is None or name in OLD_HINTS:
            continue
        if name not in schema.attributes:
            raise Refused(f"opset {opset} has no attribute {name}")
        models.attribute(node, schema, name, value)
    ports = [onnx.ValueInfoProto(name=name) for name in outputs]
    graph = helper.make_graph([node], "one", infos, ports)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    try:
        return ort(model.SerializeToString(), feeds)
    except Refused:
        return reference(model, feeds)
