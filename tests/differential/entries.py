# SPDX-License-Identifier: Apache-2.0
"""The register of operators: what makes a case of each, and how closely answers must agree.

    entry("Abs Neg", unary(), EXACT)

A make function gets a Draw and returns a Case. Tolerances:
    EXACT      equal bits, but for NaN's payload
    ulp(n)     n units of the last place of the output's type
    SUM        relative to the sum of the absolute products: for whatever adds up many numbers
    loose(r)   relative to the largest element of the output
    close(r)   r times (1 + the number)
    step(n)    integers at most n apart
"""

import onnx

EXACT = ("ulp", 0)
SUM = ("sum", 0)


def ulp(n):
    return ("ulp", n)


def loose(relative):
    return ("loose", relative)


def close(relative):
    return ("close", relative)


def step(n):
    return ("step", n)


class Entry:
    def __init__(self, operator, domain, make, tolerance, opsets, newer):
        self.operator, self.domain, self.make, self.tolerance = operator, domain, make, tolerance
        self.opsets, self.newer = opsets, newer

    def versions(self):
        """Pairs (first, last) of opsets between which the schema is the same."""
        if self.opsets:
            return [(v, v) for v in self.opsets]
        newest = NEWEST[self.domain]
        since = sorted(
            s.since_version
            for s in onnx.defs.get_all_schemas_with_history()
            if s.name == self.operator and s.domain == self.domain and s.since_version <= newest
        )
        ends = [v - 1 for v in since[1:]] + [newest]
        return [
            (a, b)
            for a, b in zip(since, ends)
            if not onnx.defs.get_schema(self.operator, a, self.domain).deprecated
        ]


NEWEST = {"": 28, "ai.onnx.ml": 5, "ai.onnx.preview": 1, "ai.onnx.preview.training": 1}
ENTRIES = {}


def entry(operators, make, tolerance=EXACT, domain="", opsets=None, newer=None):
    """opsets: those to draw from, in place of all at which the schema changed. newer: an opset in which
    the operator means the same in float32, for types and versions that other engines lack."""
    for operator in operators.split():
        ENTRIES[(domain, operator)] = Entry(operator, domain, make, tolerance, opsets, newer)
