# SPDX-License-Identifier: Apache-2.0
"""Places in memory: offsets beyond 32 bits, outputs of the caller's, many shapes, many runs."""

import os

import capi
import numpy as np
from case import FLOAT, INT64, SITE, arr, f32, model_of
from onnx import TensorProto, helper

RNG = np.random.default_rng(23)
ORT, I64 = "microsoft/onnxruntime/issues/", np.int64
ROWS, COLUMNS = 262144, 8960  # 2,348,810,240 bytes; row 239675 begins beyond 2^31
ROW = 255999


def tables(suite):
    """A table of 2.2 GiB, of which only a page or two is ever touched."""
    table = np.zeros((ROWS, COLUMNS), np.uint8)
    row = RNG.integers(1, 255, COLUMNS).astype(np.uint8)
    table[ROW] = row
    for op, attrs, index, want in (
        ("Gather", {}, np.array([ROW]), row[None]),
        ("Gather", {}, np.array([ROW - ROWS]), row[None]),
        ("GatherND", {}, np.array([[ROW, 7], [ROW, COLUMNS - 1]]), row[[7, COLUMNS - 1]]),
        ("GatherElements", {"axis": 0}, np.full((1, 5), ROW), row[None, :5]),
    ):
        suite.check(
            f"A5-10 {op} {index.ravel()[0]}",
            ORT + "28107",
            [(op, "t i", "y", attrs)],
            {"t": table, "i": index.astype(I64)},
            {"y": want},
        )
    suite.check(
        "A5-10 Slice",
        ORT + "28107",
        [("Slice", "t a b", "y")],
        {"t": table},
        {"y": np.stack([row, 0 * row])},
        consts={"a": arr([ROW], I64), "b": arr([ROW + 2], I64)},
    )


def weights(suite):
    """The same table as weights: a file with a hole."""
    tensor = TensorProto(name="t", dims=[ROWS, COLUMNS], data_type=TensorProto.UINT8)
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="table.bin")
    row = RNG.integers(1, 255, COLUMNS).astype(np.uint8)
    path = os.path.join(suite.folder, "table.bin")
    with open(path, "wb") as f:
        f.truncate(ROWS * COLUMNS)
        f.seek(ROW * COLUMNS)
        f.write(row.tobytes())
    feeds = {"i": arr([3, ROW], I64)}
    model = model_of([("Gather", "t i", "y")], feeds, ["y"], tensors=[tensor])
    for level in suite.levels:
        with suite.session(model, level) as m:
            (got,) = m.session(threads=1).run(feeds)
        suite.report.check(
            f"A5-10 weights, {level}",
            np.array_equal(got, np.stack([0 * row, row])),
            f"({SITE}microsoft/onnxruntime/pull/27444) {got}",
        )
    os.unlink(path)


def outputs(suite):
    """The caller's memory for an output: of the right shape, or an error that names both."""
    report = "microsoft/onnxruntime/pull/29863"
    x = RNG.standard_normal((2, 10)).astype(f32)
    model = model_of([("Neg", "x", "y")], {"x": x}, ["y"], is_symbolic=True)
    scalar = model_of([("ReduceMax", "x", "y", {"keepdims": 0})], {"x": x}, ["y"])
    for level in suite.levels:
        with suite.session(model, level) as m:
            session, own = m.session(threads=1), np.zeros((2, 10), f32)
            session.bind(0, own)
            session.run({"x": x})
            suite.report.check(
                f"B-09 the right shape, {level}", np.array_equal(own, -x), f"({SITE}{report}) {own}"
            )
        for name, source, wrong in (
            ("another shape", model, np.full((4, 5), 7, f32)),
            ("another type", model, np.full((2, 10), 7, np.int32)),
            ("a row for a scalar", scalar, np.full(1, 7, f32)),
        ):
            with suite.session(source, level) as m:
                session, text = m.session(threads=1), "accepted"
                session.bind(0, wrong)
                try:
                    session.run({"x": x})
                except capi.Error as e:
                    text = str(e)
                is_right = "'y'" in text and "\n" not in text and (wrong == 7).all()
                suite.report.check(f"B-09 {name}, {level}", is_right, f"({SITE}{report}) {text}")


def conv_over_time():
    x = helper.make_tensor_value_info("x", FLOAT, [1, 8, "time"])
    rows = [("Conv", "x w b", "c", {"pads": [1, 1]}), ("Relu", "c", "r"), ("Conv", "r w b", "y")]
    feeds = {"x": np.zeros((1, 8, 8), f32)}
    consts = {"w": RNG.standard_normal((8, 8, 3)).astype(f32), "b": np.ones(8, f32)}
    model = model_of(rows, feeds, ["y"], consts)
    model.graph.input[0].CopyFrom(x)
    return model


def lengths(suite):
    """2000 runs over 200 lengths take hardly more memory than the longest alone."""
    path, longest = suite.save(conv_over_time()), 8000
    order = RNG.permutation(np.tile(np.arange(1, 201) * 40, 10))
    peaks = []
    for sizes in ([longest], order):
        with capi.Model(path) as m:
            session = m.session(threads=1)
            for n in sizes:
                session.run({"x": np.zeros((1, 8, n), f32)})
            peaks.append(m.memory().total_peak_bytes)
    suite.report.check(
        "B-14 2000 runs over 200 lengths",
        peaks[1] <= 1.2 * peaks[0],
        f"({SITE}{ORT}11118) {peaks[1]} bytes at most; {peaks[0]} for the longest alone",
    )


def repeats(suite):
    """Three sessions, three runs each: the same bits, with shapes that the file declares wrong."""
    x = RNG.standard_normal((2, 3, 4, 5, 6)).astype(f32)
    rows = [
        ("Shape", "x", "s"),
        ("Slice", "s k0 k4", "head"),
        ("Concat", "head last", "t", {"axis": 0}),
        ("Reshape", "x t", "r"),
        ("MatMul", "r w", "m"),
        ("Softmax", "m", "p"),
        ("ReduceSum", "p axes", "y"),
    ]
    consts = {
        "k0": arr([0], I64),
        "k4": arr([4], I64),
        "last": arr([-1], I64),
        "w": RNG.standard_normal((6, 33)).astype(f32),
        "axes": arr([1, 3], I64),
    }
    model = model_of(rows, {"x": x}, ["y"], consts)
    model.graph.value_info.append(helper.make_tensor_value_info("t", INT64, [4]))
    got = []
    for _ in range(3):
        for level in suite.levels:
            with suite.session(model, level) as m:
                session = m.session(threads=2)
                got += [(level, session.run({"x": x})[0]) for _ in range(3)]
    for level in suite.levels:
        bits = {y.tobytes() for name, y in got if name == level}
        suite.report.check(
            f"A2-18 nine runs, {level}",
            len(bits) == 1 and np.isfinite(got[0][1]).all(),
            f"({SITE}{ORT}29788) {len(bits)} results",
        )
    declared = model_of([("Reshape", "x t", "y")], {"x": x, "t": np.zeros(4, I64)}, ["y"])
    for level in suite.levels:
        with suite.session(declared, level) as m:
            try:
                m.session(threads=1).run({"x": x, "t": arr([2, 3, 4, 5, 6], I64)})
                text = "accepted"
            except capi.Error as e:
                text = str(e)
        suite.report.check(
            f"A2-18 five where four are declared, {level}",
            all(word in text for word in ("'t'", "4", "5")),
            f"({SITE}{ORT}29788) {text}",
        )


ALL = [tables, weights, outputs, lengths, repeats]
