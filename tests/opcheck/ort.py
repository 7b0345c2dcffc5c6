# SPDX-License-Identifier: Apache-2.0
"""Cases of operators against other implementations: ONNX Runtime, or onnx.reference where it has no
kernel. Knows no operator: what differs on purpose stands in accepted.txt."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "models")]

import numpy as np  # noqa: E402

import capi  # noqa: E402
import places  # noqa: E402
from report import Skip  # noqa: E402

RELATIVE = {np.dtype(np.float16): 4e-3, np.dtype(np.float32): 1e-4, np.dtype(np.float64): 1e-7}
ONNX_VERSIONS_TRIED = range(30, 12, -1)
# Where the case does not say and ONNX Runtime has no kernel for the newest version.
NOT_THIS_VERSION = ["Could not find an implementation", "is deprecated in domain_version"]
OLDER_VERSIONS = [21, 17, 13, 11, 9]


class NoOracle(Exception):
    """Nobody else runs this case; the text says why."""


def cases(operators=()):
    """What opcheck --list prints, as dicts."""
    program = os.path.join(places.BUILD, "tests", "opcheck", "opcheck")
    if not os.access(program, os.X_OK):
        raise Skip(f"no program {program} (set INGOT_BUILD)")
    text = subprocess.run(
        [program, "--list", *operators], capture_output=True, text=True, check=True
    ).stdout
    return [json.loads(line) for line in text.splitlines()]


def accepted():
    """[(operator, begin of the case's text, reason)]"""
    found = []
    with open(os.path.join(HERE, "accepted.txt"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                operator, text, reason = (part.strip() for part in line.split("|", 2))
                found.append((operator, text.removesuffix("*"), reason))
    return found


def reason_for(case, reasons):
    for operator, text, reason in reasons:
        if case["op"] == operator and case["text"].startswith(text):
            return reason
    return None


# ---- a case as a model ----


def array_of(value):
    """NumPy array, list (sequence) or None of a listed value."""
    if value["kind"] == "optional":
        return array_of(value["items"][0]) if value["items"] else None
    if value["kind"] == "sequence":
        return [array_of(item) for item in value["items"]]
    if value["kind"] == "map":
        keys, values = (array_of(item) for item in value["items"])
        if not keys.size or values.dtype == object:
            raise NoOracle("ONNX Runtime's Python takes no such map")
        return dict(zip(keys.tolist(), values if values.dtype.kind == "f" else values.tolist()))
    if "strings" in value:
        return np.array(value["strings"], dtype=object).reshape(value["dims"])
    dtype = capi.NUMPY_TYPES.get(value["dtype"])
    if dtype is None:
        raise NoOracle(f"NumPy has no type for element type {value['dtype']}")
    return np.frombuffer(bytes.fromhex(value["hex"]), dtype).reshape(value["dims"])


def tensor_of(name, value):
    from onnx import helper

    if "strings" in value:
        return helper.make_tensor(
            name, value["dtype"], value["dims"], [s.encode() for s in value["strings"]]
        )
    return helper.make_tensor(
        name, value["dtype"], value["dims"], bytes.fromhex(value["hex"]), raw=True
    )


def type_of(value):
    from onnx import helper

    if value["kind"] == "tensor":
        return helper.make_tensor_type_proto(value["dtype"], value["dims"])
    item = helper.make_tensor_type_proto(value["dtype"], None)
    if value["kind"] == "map":
        keys, values = (part["dtype"] for part in value["items"])
        item = helper.make_tensor_type_proto(values, [])
        return helper.make_map_type_proto(keys, item)
    make = helper.make_sequence_type_proto
    return make(item) if value["kind"] == "sequence" else helper.make_optional_type_proto(item)


def add_attributes(node, case):
    from onnx import AttributeProto, helper

    types = {
        "ints": AttributeProto.INTS,
        "floats": AttributeProto.FLOATS,
        "strings": AttributeProto.STRINGS,
    }
    for a in case["attrs"]:
        if a["is"] == "graph":
            raise NoOracle("the case has a subgraph")
        value = tensor_of("", a) if a["is"] == "tensor" else a["value"]
        if value is None:
            value = float("nan")
        if a["is"] == "float":
            value = float(value)
        elif a["is"] == "floats":
            value = [float("nan") if v is None else float(v) for v in value]
        node.attribute.append(helper.make_attribute(a["name"], value, attr_type=types.get(a["is"])))


def schema_of(case, opset):
    import onnx

    try:
        return onnx.defs.get_schema(case["op"], opset, case["domain"])
    except onnx.defs.SchemaError:
        return None


def is_in_schema(case, opset):
    schema = schema_of(case, opset)
    return schema is None or all(a["name"] in schema.attributes for a in case["attrs"])


def check_schema(case, opset):
    """Attributes and inputs that only Ingot's passes set are nobody else's business."""
    if case["domain"] == "ingot":
        raise NoOracle("the operator is Ingot's own")
    schema = schema_of(case, opset)
    for a in case["attrs"] if schema else []:
        if a["name"] not in schema.attributes:
            raise NoOracle(f"attribute {a['name']} is not in ONNX")
    if schema and len(case["inputs"]) > schema.max_input:
        raise NoOracle("more inputs than in ONNX")


def build(case, opset):
    """(model, feeds) with constants as initializers."""
    import onnx
    from onnx import helper

    check_schema(case, opset)
    inputs, initializers, names, feeds = [], [], [], {}
    for i, value in enumerate(case["inputs"]):
        names.append(f"i{i}" if value else "")
        if value is None:
            continue
        if value["is_const"]:
            initializers.append(tensor_of(f"i{i}", value))
        else:
            inputs.append(helper.make_value_info(f"i{i}", type_of(value)))
            feeds[f"i{i}"] = array_of(value)
    outputs = [f"o{i}" for i in range(case["n_out"])]
    node = helper.make_node(case["op"], names, outputs, name="n", domain=case["domain"])
    add_attributes(node, case)
    graph = helper.make_graph(
        [node],
        "case",
        inputs,
        [onnx.ValueInfoProto(name=name) for name in outputs],
        initializers,
    )
    imports = [helper.make_opsetid(case["domain"], opset)]
    if case["domain"]:
        imports.append(helper.make_opsetid("", 21))
    return helper.make_model(graph, opset_imports=imports, ir_version=10), feeds


# ---- engines ----


def run_ort(model, feeds):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, feeds)


def newest_opset():
    """Of ai.onnx, that ONNX Runtime takes."""
    from onnx import TensorProto, helper

    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [1]) for n in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
    for version in ONNX_VERSIONS_TRIED:
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", version)], ir_version=10
        )
        try:
            run_ort(model, {"x": np.zeros(1, np.float32)})
            return version
        except Exception:
            continue
    raise Skip("ONNX Runtime does not run Relu")


def opsets(case, newest):
    """Versions to try, best first: those that have the case's attributes."""
    if case["has_opset"]:
        return [case["opset"]]
    newest = case["opset"] if case["domain"] else min(case["opset"], newest)
    older = range(newest - 1, 0, -1) if case["domain"] else OLDER_VERSIONS
    versions = [newest, *(v for v in older if v < newest)]
    return [v for v in versions if is_in_schema(case, v)] or versions[:1]


def oracle(case, newest):
    """(name, model, feeds, outputs) of whoever runs the case; NoOracle."""
    from onnx.reference import ReferenceEvaluator

    first, reasons = None, []
    for opset in opsets(case, newest):
        model, feeds = build(case, opset)
        first = first or model
        try:
            return "ORT", model, feeds, run_ort(model, feeds)
        except Exception as e:
            reasons.append(str(e).splitlines()[0][:120])
            if not any(words in str(e) for words in NOT_THIS_VERSION):
                break
    try:
        outputs = ReferenceEvaluator(first).run(None, feeds)
        return "onnx.reference", first, feeds, outputs
    except BaseException as e:
        raise NoOracle(f"{reasons[0]}; {type(e).__name__}") from e


def run_ingot(model, feeds):
    optionals = {i.name for i in model.graph.input if i.type.HasField("optional_type")}
    feeds = {k: capi.Optional(v) if k in optionals else v for k, v in feeds.items()}
    with tempfile.NamedTemporaryFile(suffix=".onnx") as f:
        f.write(model.SerializeToString())
        f.flush()
        with capi.Model(f.name) as opened:
            return opened.session().run(feeds)


# ---- comparison ----


def difference(got, want, only_shape):
    """None, or how they differ."""
    if isinstance(want, (list, tuple)):
        if not isinstance(got, list) or len(got) != len(want):
            return f"{got!r:.80} for a list of {len(want)}"
        return next(filter(None, (difference(g, w, only_shape) for g, w in zip(got, want))), None)
    if want is None or got is None or isinstance(want, dict):
        return None if str(got) == str(want) else f"{got!r:.80} for {want!r:.80}"
    want, got = np.asarray(want), np.asarray(got)
    if want.dtype.kind == "V" or want.dtype.name == "bfloat16":  # ours comes as bytes
        return None if only_shape or got.tobytes() == want.tobytes() else "other bytes"
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    if want.dtype.kind in "OUS":
        same = [str(a) == str(b) for a, b in zip(got.ravel(), want.ravel())]
        return None if all(same) else f"{got.tolist()!r:.80}, not {want.tolist()!r:.80}"
    if got.dtype != want.dtype:
        return f"type {got.dtype}, not {want.dtype}"
    if only_shape or not want.size:
        return None
    if want.dtype.kind not in "fc":
        bad = got != want
    else:
        relative = RELATIVE.get(want.dtype, 1e-4)
        finite = np.abs(want[np.isfinite(want)])
        scale = max(1.0, float(finite.max())) if finite.size else 1.0
        bad = ~np.isclose(got, want, rtol=relative, atol=relative * scale * 0.1, equal_nan=True)
    if not bad.any():
        return None
    at = np.unravel_index(int(np.argmax(bad)), bad.shape)
    where = list(map(int, at))
    return f"{int(bad.sum())} of {bad.size} differ, at {where} {got[at]}, not {want[at]}"


def check_operator(report, listed, newest, reasons):
    for case in listed:
        name = f"{case['op']} \"{case['text']}\""
        if case["fails"] is not None:
            continue
        reason = reason_for(case, reasons)
        if reason:
            report.skipped(name, reason)
            continue
        try:
            engine, model, feeds, wants = oracle(case, newest)
            got = run_ingot(model, feeds)
        except NoOracle as e:
            report.skipped(name, f"no oracle: {e}")
            continue
        except capi.Error as e:
            report.failed(name, f"Ingot fails, {engine} does not: {e}")
            continue
        found = [difference(g, w, case["is_random"]) for g, w in zip(got, wants)]
        text = "; ".join(f"output {i}: {d}" for i, d in enumerate(found) if d)
        report.check(name, not text, f"{engine}: {text}")


def check_all(report, operators=()):
    import onnx  # noqa: F401
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    newest, reasons, grouped = newest_opset(), accepted(), {}
    report.note("ONNX Runtime", f"{onnxruntime.__version__}, opset {newest}")
    for case in cases(operators):
        grouped.setdefault((case["domain"], case["op"]), []).append(case)
    for (_, operator), listed in grouped.items():
        report.isolated(operator, check_operator, listed, newest, reasons)
