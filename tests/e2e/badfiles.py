# SPDX-License-Identifier: Apache-2.0
"""Files that are not what they claim to be: always one line and a documented exit code, never a
crash, never a partial output."""

import os
import random
import time

from places import ingot
from sandbox import (
    DIGITS,
    DOCUMENTED,
    INVALID,
    IO,
    LIMIT,
    MODEL,
    PARSE,
    SHAPE,
    SOME_FAILED,
    UNSUPPORTED,
    USAGE,
    numpy,
    onnx,
)


def wrong_models(box):
    picture = box.digit(3)
    box.fails("missing model", IO, "run", box.path("nothing.onnx"), picture, mention="nothing.onnx")
    box.fails("model is a folder", {IO, PARSE}, "run", DIGITS, picture, mention="digits")
    box.fails(
        "empty model", PARSE, "run", box.write("empty.onnx", b""), picture, mention="empty.onnx"
    )
    box.fails(
        "text as model",
        PARSE,
        "run",
        box.write("text.onnx", "This is no model.\n" * 50),
        picture,
        mention="text.onnx",
    )
    box.fails("picture as model", PARSE, "run", picture, picture, mention="3.png")
    box.fails(
        "zeros as model",
        {PARSE, INVALID},
        "run",
        box.write("zeros.onnx", bytes(4096)),
        picture,
        mention="zeros.onnx",
    )
    for command in ("inspect", "bench", "profile"):
        box.fails(
            f"{command} of a text file", PARSE, command, box.path("text.onnx"), mention="text.onnx"
        )
        box.fails(
            f"{command} of a missing file",
            IO,
            command,
            box.path("nothing.onnx"),
            mention="nothing.onnx",
        )
    if os.geteuid():
        locked = box.copy_model("locked.onnx")
        os.chmod(locked, 0)
        box.fails("unreadable model", IO, "run", locked, picture, mention="locked.onnx")


def survives(box, path, seconds=20):
    """Exit code of a run on a damaged model; a string where it crashed, hung, or was not
    documented."""
    begin = time.monotonic()
    done = ingot("run", path, box.digit(3), timeout=60)
    took = time.monotonic() - begin
    if done.returncode < 0:
        return f"killed by signal {-done.returncode}"
    if done.returncode not in DOCUMENTED:
        return f"exit code {done.returncode}"
    if done.returncode and len(done.stderr.strip().splitlines()) != 1:
        return f"standard error {done.stderr[:300]!r}"
    return f"took {took:.0f} s" if took > seconds else done.returncode


def truncated(box):
    data, wrong, n_accepted = box.model_bytes(), [], 0
    cuts = sorted(
        {1, 2, 3, 7, 20, 100, len(data) - 1, len(data) - 10}
        | {len(data) * i // 24 for i in range(1, 24)}
    )
    cuts = cuts[::4] if box.is_quick else cuts
    for cut in cuts:
        seen = survives(box, box.write("cut.onnx", data[:cut]))
        n_accepted += seen == 0
        if not isinstance(seen, int):
            wrong.append(f"{cut} bytes: {seen}")
    box.report.check("truncated models", not wrong, "; ".join(wrong))
    box.report.check(
        "truncated models are refused", n_accepted == 0, f"{n_accepted} of {len(cuts)} were run"
    )


def bit_flipped(box):
    data, wrong, rng = box.model_bytes(), [], random.Random(7)
    places_ = (
        [rng.randrange(400) for _ in range(30)]
        + [len(data) - 1 - rng.randrange(1200) for _ in range(40)]
        + [rng.randrange(len(data)) for _ in range(20)]
    )
    for place in places_[::5] if box.is_quick else places_:
        bit = rng.randrange(8)
        flipped = bytearray(data)
        flipped[place] ^= 1 << bit
        seen = survives(box, box.write("flip.onnx", bytes(flipped)))
        if not isinstance(seen, int):
            wrong.append(f"byte {place} bit {bit}: {seen}")
    box.report.check("bit-flipped models", not wrong, "; ".join(wrong))


def save(box, name, nodes, inputs, outputs, initializers=(), opset=17):
    """Write an ONNX model without checking it."""
    h = onnx().helper
    graph = h.make_graph(nodes, name, inputs, outputs, initializer=list(initializers))
    return box.write(
        f"{name}.onnx",
        h.make_model(
            graph, opset_imports=[h.make_opsetid("", opset)], ir_version=8
        ).SerializeToString(),
    )


def lying_models(box):
    h, T, np = onnx().helper, onnx().TensorProto, numpy()
    np.save(box.path("x.npy"), np.ones((1, 4), np.float32))
    x = h.make_tensor_value_info("x", T.FLOAT, [1, 4])
    y = h.make_tensor_value_info("y", T.FLOAT, None)
    cases = [
        (
            "unknown operator",
            [h.make_node("Frobnicate", ["x"], ["y"], name="odd")],
            (),
            UNSUPPORTED,
            "Frobnicate",
        ),
        (
            "cycle",
            [
                h.make_node("Add", ["x", "b"], ["a"]),
                h.make_node("Relu", ["a"], ["b"]),
                h.make_node("Relu", ["a"], ["y"]),
            ],
            (),
            INVALID,
            "",
        ),
        (
            "missing input of a node",
            [h.make_node("Add", ["x", "ghost"], ["y"])],
            (),
            INVALID,
            "ghost",
        ),
        ("output nobody makes", [h.make_node("Relu", ["x"], ["z"])], (), INVALID, "y"),
        (
            "shapes that do not fit",
            [h.make_node("MatMul", ["x", "w"], ["y"])],
            [h.make_tensor("w", T.FLOAT, [3, 2], [0.0] * 6)],
            {SHAPE, INVALID},
            "",
        ),
        (
            "initializer with too little data",
            [h.make_node("Add", ["x", "w"], ["y"])],
            [onnx().TensorProto(name="w", dims=[1, 4], data_type=1, raw_data=b"\0" * 4)],
            {PARSE, INVALID, SHAPE},
            "w",
        ),
        (
            "absurd dimensions",
            [h.make_node("Add", ["x", "w"], ["y"])],
            [
                onnx().TensorProto(
                    name="w", dims=[1 << 40, 1 << 40], data_type=1, raw_data=b"\0" * 16
                )
            ],
            {PARSE, INVALID, SHAPE, LIMIT},
            "w",
        ),
        (
            "negative dimension",
            [h.make_node("Add", ["x", "w"], ["y"])],
            [onnx().TensorProto(name="w", dims=[-4], data_type=1, raw_data=b"\0" * 16)],
            {PARSE, INVALID, SHAPE},
            "w",
        ),
        (
            "attribute of the wrong type",
            [h.make_node("Concat", ["x", "x"], ["y"], axis="one")],
            (),
            {PARSE, INVALID},
            "axis",
        ),
    ]
    for name, nodes, initializers, codes, mention in cases:
        path = save(box, name.replace(" ", "_"), nodes, [x], [y], initializers)
        box.fails(
            name, codes, "run", path, box.path("x.npy"), "--out", box.path("y.npz"), mention=mention
        )
        box.report.check(
            f"{name}: no output file", not os.path.exists(box.path("y.npz")), "y.npz was written"
        )


def path_traversal(box):
    """External data outside the model's folder is refused."""
    h, T = onnx().helper, onnx().TensorProto
    box.write("secret.bin", bytes(16))
    for location in ("../secret.bin", "sub/../../secret.bin", box.path("secret.bin")):
        w = onnx().TensorProto(name="w", dims=[4], data_type=1, data_location=1)
        w.external_data.add(key="location", value=location)
        x, y = (h.make_tensor_value_info(n, T.FLOAT, [4]) for n in "xy")
        os.makedirs(box.path("inner", "sub"), exist_ok=True)
        path = save(box, "inner/external", [h.make_node("Add", ["x", "w"], ["y"])], [x], [y], [w])
        box.fails(
            f"external data at {location.replace(box.folder, '/…')}",
            {PARSE, INVALID, IO},
            "inspect",
            path,
            mention="w",
        )


def bad_pictures(box):
    with open(box.digit(5), "rb") as f:
        png = f.read()
    bad = {
        "empty.png": b"",
        "text.png": b"not a picture",
        "cut.png": png[: len(png) // 2],
        "header.png": png[:8],
        "cut.jpg": b"\xff\xd8\xff\xe0",
    }
    for name, data in bad.items():
        box.fails(
            f"picture {name}",
            {IO, PARSE, SOME_FAILED},
            "run",
            MODEL,
            box.write(name, data),
            mention=name,
        )
    box.fails(
        "missing picture", {IO, SOME_FAILED}, "run", MODEL, box.path("none.png"), mention="none.png"
    )
    done = ingot(
        "run",
        MODEL,
        box.digit(4),
        box.path("text.png"),
        box.digit(7),
        box.path("empty.png"),
        box.digit(2),
    )
    box.report.check(
        "keeps going past unreadable pictures",
        done.returncode == SOME_FAILED,
        f"exit code {done.returncode}: {done.stderr[:200]}",
    )
    box.report.check(
        "good pictures are answered",
        all(f"{d}.png" in done.stdout for d in (4, 7, 2)),
        done.stdout[:400],
    )
    box.report.check(
        "bad pictures are named at the end",
        "text.png" in done.stderr and "empty.png" in done.stderr,
        done.stderr[:400],
    )


def wrong_inputs(box):
    np = numpy()
    np.save(box.path("wide.npy"), np.zeros((1, 1, 28, 30), np.float32))
    np.save(box.path("flat.npy"), np.zeros(784, np.float32))
    np.save(box.path("double.npy"), np.zeros((1, 1, 28, 28), np.float64))
    np.save(box.path("good.npy"), np.zeros((1, 1, 28, 28), np.float32))
    out = box.path("never.npz")
    box.fails("wrong width", SHAPE, "run", MODEL, box.path("wide.npy"), "--out", out, mention="30")
    box.fails("wrong rank", SHAPE, "run", MODEL, box.path("flat.npy"), "--out", out, mention="784")
    box.fails(
        "wrong type", SHAPE, "run", MODEL, box.path("double.npy"), "--out", out, mention="float64"
    )
    box.fails(
        "unknown input name",
        {USAGE, INVALID},
        "run",
        MODEL,
        "image=" + box.path("good.npy"),
        "--out",
        out,
        mention="image",
    )
    box.fails(
        "npy without data",
        {PARSE, IO},
        "run",
        MODEL,
        box.write("cut.npy", open(box.path("good.npy"), "rb").read()[:200]),
        "--out",
        out,
        mention="cut.npy",
    )
    box.fails(
        "text as npz",
        {PARSE, IO},
        "run",
        MODEL,
        box.write("text.npz", "no archive"),
        "--out",
        out,
        mention="text.npz",
    )
    box.fails(
        "text as pb",
        {PARSE, IO},
        "run",
        MODEL,
        box.write("text.pb", "no tensor at all"),
        "--out",
        out,
        mention="text.pb",
    )
    box.report.check("no output after failures", not os.path.exists(out), "never.npz exists")


def memory_bound(box):
    box.fails(
        "--max-memory",
        {LIMIT, 3},
        "run",
        MODEL,
        box.digit(3),
        "--max-memory",
        "64k",
        mention="memory",
    )


ALL = [
    wrong_models,
    truncated,
    bit_flipped,
    lying_models,
    path_traversal,
    bad_pictures,
    wrong_inputs,
    memory_bound,
]
