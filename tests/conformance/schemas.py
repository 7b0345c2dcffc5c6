# SPDX-License-Identifier: Apache-2.0
"""Ingot's table of operators against the schemas of the installed onnx package: every operator,
every version at which its schema changed, every element type of its first input."""

import os
import subprocess

import places
from report import Skip

PROGRAM = os.path.join(places.BUILD, "tests", "conformance", "operators")
# Operators that Ingot leaves out, and says so when a model has one.
LEFT_OUT = {("ai.onnx.preview.training", "Gradient")}
DOMAINS = ["ai.onnx", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training"]

# Types of input 0 that are missing, and why.
FLOAT6 = {27, 28}
WITHOUT = {
    "DequantizeLinear": (FLOAT6, "6-bit floats are newer than this table of types"),
}


def table():
    """{(domain, name): (versions, types)} of Ingot; types empty: any."""
    if not os.access(PROGRAM, os.X_OK):
        raise Skip(f"no program {PROGRAM} (set INGOT_BUILD)")
    text = subprocess.run([PROGRAM, "--tsv"], capture_output=True, text=True, check=True).stdout
    rows = {}
    for line in text.splitlines():
        domain, name, versions, _, types = line.split("\t")
        rows[domain, name] = (
            {int(v) for v in versions.split(",")},
            {int(t) for t in types.split(",") if t},
        )
    return rows


def type_numbers():
    """{"tensor(float16)": 10, …}"""
    from onnx import TensorProto

    return {f"tensor({name.lower()})": number for name, number in TensorProto.DataType.items()}


def first_types(schema):
    """The element types that a schema allows for input 0; empty when it is no tensor."""
    if not schema.inputs:
        return set()
    numbers = type_numbers()
    return {numbers[t] for t in schema.inputs[0].types if t in numbers}


def check(report):
    try:
        import onnx.defs
    except ImportError as e:
        raise Skip("no Python package onnx") from e
    ours = table()
    for schema in onnx.defs.get_all_schemas_with_history():
        domain = schema.domain or "ai.onnx"
        key = (domain, schema.name)
        if domain not in DOMAINS or key in LEFT_OUT:
            continue
        versions, types = ours.get(key, (set(), set()))
        what = f"{domain} {schema.name}-{schema.since_version}"
        if not report.check(f"{what} is known", bool(versions), "no such operator"):
            continue
        report.check(
            f"{what} is a version",
            schema.since_version in versions,
            f"the table has {sorted(versions)}",
        )
        missing = first_types(schema) - types if types else set()
        excused, reason = WITHOUT.get(schema.name, (set(), ""))
        if missing & excused:
            report.skipped(f"{what} takes all its types", reason)
        missing -= excused
        report.check(f"{what} takes its types", not missing, f"lacks types {sorted(missing)}")
