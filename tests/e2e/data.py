# SPDX-License-Identifier: Apache-2.0
"""Every kind of input and output, and that they carry the same numbers."""

import json
import os
import wave

from places import ingot
from sandbox import DIGITS, MODEL, numpy, onnx


def first_label(line):
    """The answer on a line of `ingot run` for one picture: the first single digit that stands alone
    after the file name."""
    words = line.replace(":", " ").replace("→", " ").split()
    return next((w for w in words[1:] if w in list("0123456789")), None)


def pictures(box):
    for d in range(10):
        text = box.ok(f"digits/{d}.png", "run", MODEL, box.digit(d), "--top", "1").stdout
        box.report.check(
            f"digits/{d}.png is {d}", str(d) in text.replace(f"{d}.png", "").split(), text[:200]
        )


def folder_and_glob(box):
    by_folder = box.ok("a folder of pictures", "run", MODEL, DIGITS, "--json").stdout
    by_glob = box.ok(
        "a glob of pictures", "run", MODEL, os.path.join(DIGITS, "*.png"), "--json"
    ).stdout
    box.report.check(
        "folder and glob see ten pictures",
        by_folder.count(".png") == 10 and by_glob.count(".png") == 10,
        f"{by_folder.count('.png')} and {by_glob.count('.png')}",
    )
    order = [by_folder.find(f"{d}.png") for d in range(10)]
    box.report.check("a folder goes in order of names", order == sorted(order), str(order))
    os.makedirs(box.path("nothing"))
    done = ingot("run", MODEL, box.path("nothing"))
    box.report.check(
        "an empty folder is an error",
        done.returncode != 0 and "nothing" in done.stderr,
        f"{done.returncode} {done.stderr[:200]!r}",
    )
    done = ingot("run", MODEL, box.path("*.png"))
    box.report.check(
        "a glob without match is an error",
        done.returncode != 0 and "*.png" in done.stderr,
        f"{done.returncode} {done.stderr[:200]!r}",
    )


def parse_json(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


def json_output(box):
    text = box.ok("--json", "run", MODEL, box.digit(6), "--json", "--top", "3").stdout
    box.report.check("--json parses", bool(parse_json(text)), text[:200])
    box.report.check("--json has the label", '"6"' in text, text[:300])
    odd = box.write('odd "name"\n.png', open(box.digit(6), "rb").read())
    box.report.check(
        "--json with an odd file name",
        bool(parse_json(box.ok("odd file name", "run", MODEL, odd, "--json").stdout)),
        "",
    )


def tensor_files(box):
    """The same tensor as .npy, .npz, .pb and raw gives the same bytes out."""
    np = numpy()
    x = np.random.default_rng(3).uniform(0, 1, (2, 1, 28, 28)).astype(np.float32)
    np.save(box.path("x.npy"), x)
    np.save(box.path("fortran.npy"), np.asfortranarray(x))
    np.savez(box.path("x.npz"), picture=x)
    np.savez_compressed(box.path("small.npz"), picture=x)
    box.write("x.raw", x[:1].tobytes())
    inputs = ["x.npy", "fortran.npy", "x.npz", "small.npz"]
    try:
        with open(box.path("x.pb"), "wb") as f:
            f.write(onnx().numpy_helper.from_array(x, "picture").SerializeToString())
        inputs.append("x.pb")
    except ImportError:
        pass
    results = {}
    for name in inputs:
        out = box.path("out.npz")
        box.ok(f"input {name}", "run", MODEL, box.path(name), "--out", out)
        if os.path.exists(out):
            results[name] = np.load(out)["probs"]
            os.unlink(out)
    want = results.get("x.npy")
    box.report.check(
        "--out x.npz is keyed by output",
        want is not None and want.shape == (2, 10) and want.dtype == np.float32,
        str(results.keys()),
    )
    box.report.check(
        "probabilities sum to 1", want is not None and np.allclose(want.sum(1), 1, atol=1e-5), ""
    )
    for name, seen in results.items():
        box.report.check(
            f"{name} gives what x.npy gives",
            want is not None and seen.tobytes() == want.tobytes(),
            "differs",
        )
    box.ok(
        "NAME=FILE", "run", MODEL, "picture=" + box.path("x.npy"), "--out", box.path("named.npz")
    )
    box.report.check(
        "NAME=FILE gives the same",
        np.load(box.path("named.npz"))["probs"].tobytes() == want.tobytes(),
        "differs",
    )
    box.ok("raw input", "run", MODEL, "picture=" + box.path("x.raw"), "--out", box.path("raw.npz"))
    raw = np.load(box.path("raw.npz"))["probs"]
    box.report.check(
        "raw gives the same",
        raw.shape == (1, 10) and np.allclose(raw, want[:1], rtol=1e-5, atol=1e-6),
        str(raw.shape),
    )
    check_oracle(box, x, want)


def check_oracle(box, x, want):
    try:
        import onnxruntime as ort
    except ImportError:
        return
    reference = ort.InferenceSession(MODEL, providers=["CPUExecutionProvider"]).run(
        None, {"picture": x}
    )[0]
    box.report.check(
        "digits equal ONNX Runtime",
        numpy().allclose(want, reference, rtol=1e-3, atol=1e-4),
        "differs",
    )


def folder_of_pb(box):
    """--out DIR/ writes output_0.pb, …: the ONNX test suite's form."""
    np, module = numpy(), onnx()
    x = np.random.default_rng(4).uniform(0, 1, (1, 1, 28, 28)).astype(np.float32)
    np.save(box.path("x.npy"), x)
    box.ok("--out DIR/", "run", MODEL, box.path("x.npy"), "--out", box.path("pb") + "/")
    box.ok("--out x.npz", "run", MODEL, box.path("x.npy"), "--out", box.path("same.npz"))
    tensor = module.TensorProto()
    with open(box.path("pb", "output_0.pb"), "rb") as f:
        tensor.ParseFromString(f.read())
    seen = module.numpy_helper.to_array(tensor)
    box.report.check(
        "output_0.pb equals the npz",
        seen.tobytes() == np.load(box.path("same.npz"))["probs"].tobytes()
        and tensor.name == "probs",
        tensor.name,
    )
    box.report.check(
        "nothing else in DIR",
        os.listdir(box.path("pb")) == ["output_0.pb"],
        str(os.listdir(box.path("pb"))),
    )
    box.ok(
        "a .pb that Ingot wrote reads back",
        "run",
        sum_model(box),
        "a=" + box.path("pb", "output_0.pb"),
        "b=" + box.path("pb", "output_0.pb"),
        "--out",
        box.path("sum.npz"),
    )
    box.report.check(
        "the sum of two files",
        np.array_equal(np.load(box.path("sum.npz"))["sum"], seen + seen),
        "differs",
    )


def sum_model(box):
    h, T = onnx().helper, onnx().TensorProto
    ports = [h.make_tensor_value_info(n, T.FLOAT, ["n", "m"]) for n in ("a", "b", "sum")]
    graph = h.make_graph([h.make_node("Add", ["a", "b"], ["sum"])], "sum", ports[:2], ports[2:])
    return box.write(
        "sum.onnx",
        h.make_model(
            graph, opset_imports=[h.make_opsetid("", 13)], ir_version=8
        ).SerializeToString(),
    )


def several_inputs(box):
    np, model = numpy(), sum_model(box)
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.full((2, 3), 10, np.float32)
    np.save(box.path("a.npy"), a)
    np.save(box.path("b.npy"), b)
    np.savez(box.path("both.npz"), b=b, a=a)
    for name, args in (
        ("NAME=FILE twice", ["b=" + box.path("b.npy"), "a=" + box.path("a.npy")]),
        ("one npz for all inputs", [box.path("both.npz")]),
    ):
        box.ok(name, "run", model, *args, "--out", box.path("o.npz"))
        box.report.check(
            f"{name}: sum", np.array_equal(np.load(box.path("o.npz"))["sum"], a + b), "differs"
        )
    done = ingot("run", model, "a=" + box.path("a.npy"))
    box.report.check(
        "a missing input is named",
        done.returncode not in (0, 70) and "b" in done.stderr,
        f"{done.returncode} {done.stderr[:200]!r}",
    )


def wav_input(box):
    np, h, T = numpy(), onnx().helper, onnx().TensorProto
    ports = [h.make_tensor_value_info(n, T.FLOAT, [1, "samples"]) for n in ("audio", "twice")]
    graph = h.make_graph(
        [h.make_node("Add", ["audio", "audio"], ["twice"])], "twice", ports[:1], ports[1:]
    )
    model = box.write(
        "twice.onnx",
        h.make_model(
            graph, opset_imports=[h.make_opsetid("", 13)], ir_version=8
        ).SerializeToString(),
    )
    samples = (np.sin(np.arange(1600) / 9) * 20000).astype(np.int16)
    with wave.open(box.path("tone.wav"), "wb") as w:
        w.setnchannels(1)
        w.setsampwidth(2)
        w.setframerate(16000)
        w.writeframes(samples.tobytes())
    box.ok("WAV input", "run", model, box.path("tone.wav"), "--out", box.path("o.npz"))
    seen = np.load(box.path("o.npz"))["twice"]
    box.report.check(
        "WAV samples are /32768",
        seen.shape == (1, 1600) and np.allclose(seen[0], samples / 32768 * 2, atol=1e-6),
        str(seen.shape),
    )
    box.fails(
        "a broken WAV",
        {4, 5, 1},
        "run",
        model,
        box.write("cut.wav", b"RIFF\x10\0\0\0WAVE"),
        "--out",
        box.path("never.npz"),
        mention="cut.wav",
    )


def same_bits_for_threads(box):
    np = numpy()
    np.save(
        box.path("x.npy"), np.random.default_rng(5).uniform(0, 1, (5, 1, 28, 28)).astype(np.float32)
    )
    results = []
    for n in (1, 2):
        box.ok(
            f"--threads {n}",
            "run",
            MODEL,
            box.path("x.npy"),
            "--threads",
            n,
            "--out",
            box.path("o.npz"),
        )
        results.append(np.load(box.path("o.npz"))["probs"].tobytes())
    box.report.check("1 and 2 threads give the same bits", results[0] == results[1], "differ")
    for level in ("none", "basic", "all"):
        box.ok(
            f"--opt {level}",
            "run",
            MODEL,
            box.path("x.npy"),
            "--opt",
            level,
            "--out",
            box.path("o.npz"),
        )


ALL = [
    pictures,
    folder_and_glob,
    json_output,
    tensor_files,
    folder_of_pb,
    several_inputs,
    wav_input,
    same_bits_for_threads,
]
