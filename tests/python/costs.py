# SPDX-License-Identifier: Apache-2.0
"""Memory and time that calls cost."""

import gc
import os
import resource
import time

import ingot
import models
import numpy as np
from report import Skip

RUNS = 100_000
MB = 1 << 20


def resident_bytes():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()


def growth(function, n):
    """Bytes that n calls leave behind, after a tenth of them to warm up."""
    for _ in range(n // 10):
        function()
    gc.collect()
    before = resident_bytes()
    for _ in range(n):
        function()
    gc.collect()
    return resident_bytes() - before


def large_input(report):
    """100 MB go in where they lie."""
    session = ingot.Session(
        models.model(
            [models.node("ReduceMax", ["x"], ["y"], keepdims=0)],
            [models.tensor("x", models.FLOAT, ["n"])],
            [models.tensor("y", models.FLOAT, [])],
        ),
        threads=1,
    )
    session([1.0])
    x = np.ones(25 * MB, np.float32)
    x[7] = 5
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    highest = session(x)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    report.check("result of 100 MB", highest == 5, str(highest))
    report.check("100 MB without a copy", after - before < 10 * MB, f"peak grew by {(after - before) / MB:.1f} MB")
    x = np.ones((5 * MB, 5), np.float32)[:, :4]
    strided = ingot.Session(
        models.model(
            [models.node("ReduceMax", ["x"], ["y"], keepdims=0)],
            [models.tensor("x", models.FLOAT, ["n", 4])],
            [models.tensor("y", models.FLOAT, [])],
        ),
        threads=1,
    )
    strided(x)
    seen = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - after
    report.check("a strided input is copied, so that the measure is one", seen > 50 * MB, f"peak grew by {seen / MB:.1f} MB")


def leaks(report):
    """100,000 runs of each kind leave nothing behind."""
    x = np.ones(4, np.float32)
    relu = ingot.Session(models.one_node("Relu"), threads=1)
    out = np.empty_like(x)
    text = ingot.Session(models.one_node("Identity", models.STRING), threads=1)
    words = np.array(["a", "bb", "ccc", "dddd"], dtype=object)

    def fails():
        for feeds in ([x[:2]], {"z": x}, [x.astype(np.float64)], ["a"]):
            try:
                relu.run(feeds)
            except ingot.Error:
                continue
            raise AssertionError("a bad input is taken")

    def fails_late():
        for feeds in ([[x, x[:2], "a"]], [[x, object()]], [{"a": 1.0}], [3]):
            try:
                listed.run(feeds)
            except ingot.Error:
                continue
            raise AssertionError("a bad list is taken")

    sequence = models.helper.make_tensor_sequence_value_info
    listed = ingot.Session(
        models.model([models.node("Identity", ["x"], ["y"])], [sequence("x", models.FLOAT, None)], [sequence("y", models.FLOAT, None)])
    )
    nibbles = ingot.Session(models.identity(22, ["n"]), threads=1)
    raw = np.ones(5, np.uint8)
    row = models.helper.make_map_type_proto(models.INT64, models.helper.make_tensor_type_proto(models.FLOAT, None))
    zipped = ingot.Session(
        models.model(
            [models.node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_int64s=[1000, 2000])],
            [models.tensor("x", models.FLOAT, ["n", 2])],
            [models.helper.make_value_info("y", models.helper.make_sequence_type_proto(row))],
            ml=1,
        )
    )
    table = np.ones((3, 2), np.float32)
    small = models.one_node("Relu")
    cases = [
        ("runs by name", lambda: relu.run({"x": x}), RUNS),
        ("calls", lambda: relu(x), RUNS),
        ("runs with out", lambda: relu.run([x], out=[out]), RUNS),
        ("runs without a copy", lambda: relu.run([x], copy=False), RUNS),
        ("runs on lists", lambda: relu.run([[1, 2, 3, 4]]), RUNS // 5),
        ("runs on strings", lambda: text(words), RUNS // 5),
        ("runs on sequences", lambda: listed.run([[x, x]]), RUNS // 10),
        ("runs on int4", lambda: nibbles(raw), RUNS // 10),
        ("runs to maps", lambda: zipped(table), RUNS // 10),
        ("futures", lambda: relu.run_async([x]).result(), RUNS // 20),
        ("failures", fails, RUNS // 20),
        ("failures in lists", fails_late, RUNS // 20),
        ("sessions of one model", lambda: ingot.Session(relu, threads=1)(x), RUNS // 100),
        ("sessions", lambda: ingot.Session(small, threads=1)(x), RUNS // 100),
        ("inspections", lambda: (relu.info, relu.steps(), relu.memory, relu.graph()), RUNS // 100),
    ]
    for name, function, n in cases:
        grown = growth(function, n)
        report.check(f"{n} {name}", grown < MB, f"resident memory grew by {grown / 1024:.0f} kB")


def call_overhead(report):
    """A model of one node on four numbers: what is measured is the way there and back."""
    try:
        import onnxruntime
    except ImportError:
        raise Skip("no onnxruntime here") from None
    data = models.one_node("Relu")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    theirs = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    ours = ingot.Session(data, threads=1)
    feeds = {"x": np.array([1, -1, 2, -2], np.float32)}
    report.check("results agree", np.array_equal(ours.run(feeds)["y"], theirs.run(None, feeds)[0]))
    best = {}
    for _ in range(20):
        for name, call in (("ours", lambda: ours.run(feeds)), ("theirs", lambda: theirs.run(None, feeds))):
            begin = time.perf_counter()
            for _ in range(300):
                call()
            best[name] = min(best.get(name, 1), (time.perf_counter() - begin) / 300)
    text = f"{best['ours'] * 1e6:.2f} µs, ONNX Runtime {best['theirs'] * 1e6:.2f} µs"
    report.note("call overhead", text)
    report.check("call overhead at most a third of ONNX Runtime's", best["ours"] * 3 <= best["theirs"], text)


ALL = [large_input, leaks, call_overhead] if os.path.exists("/proc/self/statm") else [call_overhead]
