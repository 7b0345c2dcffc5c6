# SPDX-License-Identifier: Apache-2.0
"""Engines whose truth is known on several models, in other scenarios than single; the drivers that come along."""

import csv
import io
import json
import math
import os
import pty
import subprocess
import sys

import fake
import places
from engines import drivers, interrupted, need_valid, versus
from sandbox import MODEL

SHORT = ["-d", "0.1", "--retries", "0", "--threads", "1"]


# ---- several models ----------------------------------------------------------------------------------


def several(box, *flags):
    """Two models that run, one that does not, with engines that do and do not; what the command printed."""
    models = [MODEL, box.write("broken.onnx", "no model"), box.copy_model("again.onnx")]
    return places.ingot(
        "bench", *models, "--vs", drivers(box, ["steady", "wrong"]), *SHORT, *flags,
        env={"INGOT_FOR_FAKES": places.command(), "TMPDIR": box.folder}, timeout=300,
    )


def close(a, b):
    return abs(a / b - 1) < 1e-6


def several_as_json(box):
    done = several(box, "--json", "-d", "0.7")
    facts = json.loads(done.stdout)
    names = [os.path.basename(m["model"]) for m in facts["models"]]
    box.report.check("a model that fails: exit code 1", done.returncode == 1, f"{done.returncode} {done.stderr}")
    box.report.check("a report each", names == ["digits.onnx", "broken.onnx", "again.onnx"], str(names))
    box.report.check("why it failed", "not an ONNX model" in facts["models"][1]["error"], str(facts["models"][1]))
    ran = [facts["models"][0], facts["models"][2]]
    engines = [{e["name"].split("/")[-1]: e for e in m["engines"]} for m in ran]
    box.report.check(
        "all engines of all models",
        all(e["ingot"]["state"] == e["steady"]["state"] == "fine" and e["wrong"]["state"] == "wrong" for e in engines),
        str(engines),
    )
    means = {m["engine"].split("/")[-1]: m for m in facts["means"]}
    ratios = [e["steady"]["ratio"] for e in engines if e["steady"]["ratio"]]
    box.report.check(
        "how many models a mean is of",
        means["steady"]["models"] == len(ratios) and means["wrong"]["models"] == 0 and means["wrong"]["ratio"] is None,
        str(means),
    )
    if ratios:
        truth = math.exp(sum(math.log(r["value"]) for r in ratios) / len(ratios))
        mean = means["steady"]["ratio"]
        box.report.check(
            "the mean is geometric", close(mean["value"], truth) and mean["low"] <= truth <= mean["high"],
            f"{mean}, {truth}",
        )
    box.report.check(
        "invalid ones are counted",
        means["steady"]["invalid_models"] == sum(not m["valid"] for m in ran if engines[ran.index(m)]["steady"]["ratio"]),
        str(means),
    )
    left = [name for name in os.listdir(box.folder) if name.startswith("ingot-bench-")]
    box.report.check("no file is left", not left, str(left))


def several_as_csv(box):
    done = several(box, "--csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    states = [(os.path.basename(r["model"]), os.path.basename(r["engine"]), r["state"]) for r in rows]
    expected = [
        *(("digits.onnx", e, s) for e, s in (("ingot", "fine"), ("steady", "fine"), ("wrong", "wrong"))),
        ("broken.onnx", "ingot", "failed"),
        *(("again.onnx", e, s) for e, s in (("ingot", "fine"), ("steady", "fine"), ("wrong", "wrong"))),
        ("geometric mean", "steady", ""),
        ("geometric mean", "wrong", ""),
    ]
    box.report.check("a line each", states == expected, str(states))
    box.report.check("errors are there", float(rows[1]["rms_error"]) < 1e-4 and rows[3]["why"], str(rows[1]))
    box.report.check("a mean of none is empty", rows[-1]["models"] == "0" and not rows[-1]["ratio"], str(rows[-1]))


def several_as_text(box):
    done = several(box)
    lines = done.stdout.splitlines()
    for name, words in (
        ("a row that says so", ("broken.onnx", "ingot", "failed")),
        ("a wrong engine has no time", ("wrong", "wrong")),
        ("means", ("geometric mean", "steady", " of 3")),
        ("why it failed", ("broken.onnx: failed: ", "not an ONNX model")),
        ("why it is wrong", ("digits.onnx: ", "its outputs are wrong")),
    ):
        box.report.check(name, any(all(w in line for w in words) for line in lines), done.stdout)
    box.report.check("nothing on standard error", not done.stderr, done.stderr)


def alone(box):
    """Several models without other engines are a table, too; if none runs, the exit code is still 1."""
    done = places.ingot("bench", MODEL, box.copy_model(), *SHORT, "--json")
    facts = json.loads(done.stdout)
    box.report.check(
        "two reports, no means", done.returncode == 0 and len(facts["models"]) == 2 and facts["means"] == [], done.stdout
    )
    broken = box.write("broken.onnx", "no model")
    done = places.ingot("bench", broken, broken, *SHORT, "--json")
    box.report.check(
        "none runs", done.returncode == 1 and all("error" in m for m in json.loads(done.stdout)["models"]),
        f"{done.returncode}: {done.stdout}",
    )


def interrupted_among_several(box):
    interrupted(box, [MODEL, MODEL])


def progress(box):
    """A bar on terminals, taken away at the end; nothing of it elsewhere."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [places.command(), "bench", MODEL, MODEL, *SHORT, "-d", "0.5"],
        env=dict(os.environ, TERM="xterm"), stdout=subprocess.PIPE, stderr=theirs,
    )
    os.close(theirs)
    out, _ = process.communicate(timeout=120)
    seen = b""
    try:
        while chunk := os.read(ours, 65536):
            seen += chunk
    except OSError:  # how a terminal ends
        pass
    os.close(ours)
    text = seen.decode()
    box.report.check("a bar with percent", "━" in text and " %" in text, repr(text[:200]))
    box.report.check("it is taken away", text.endswith("\x1b[K"), repr(text[-60:]))
    box.report.check("the table has none", "━".encode() not in out, out.decode())


# ---- scenarios ---------------------------------------------------------------------------------------


def offline(box):
    engines, facts = versus(
        box, "offline", ["steady", "lies", "no_offline"], "--scenario", "offline", "--sessions", "2", "-d", "0.5",
        "--retries", "0",
    )
    box.report.check("streams are told", facts["streams"] == 2 and facts["scenario"] == "offline", str(facts["streams"]))
    box.report.check("a lie", "claims" in engines["lies"]["why"], str(engines["lies"]))
    box.report.check("a driver without it", "one at a time" in engines["no_offline"]["why"], str(engines["no_offline"]))
    ours = engines["ingot"]
    box.report.check("Ingot has its streams", ours["settings"]["streams"] == 2, str(ours["settings"]))
    need_valid(facts)
    steady = engines["steady"]
    box.report.check("5 ms an inference", abs(steady["p50_ms"] / 5 - 1) <= 0.02, str(steady["p50_ms"]))
    box.report.check("are 200/s", abs(steady["inferences_per_s"] / 200 - 1) <= 0.1, str(steady["inferences_per_s"]))


def dynamic(box):
    """First runs of a shape apart from later ones; outputs of all shapes are looked at."""
    engines, facts = versus(
        box, "dynamic", ["slow_shapes", "wrong_later", "steady"], "--scenario", "dynamic", "--vary", "N=1..8",
        "-d", "0.5", "--retries", "0",
    )
    slow = engines["slow_shapes"]
    box.report.check(
        "wrong for one shape is wrong", engines["wrong_later"]["state"] == "wrong", str(engines["wrong_later"]["state"])
    )
    box.report.check("the shapes are told", facts["vary"] == ["N=1..8"], str(facts.get("vary")))
    firsts = [s["first_ms"] for s in slow["shapes"]]
    box.report.check(
        "each shape is new once", len(firsts) == 8 and min(firsts) >= 1e3 * fake.NEW_SHAPE_SECONDS, str(firsts)
    )
    first, again = slow["first_ratio"], slow["ratio"]
    box.report.check(
        "ratios of first and later runs", first["low"] <= first["value"] <= first["high"] and first["value"] > again["value"] > 0
        if again else first["value"] > 0,
        f"{first}, {again}",
    )
    need_valid(facts)
    box.report.check("later runs are fast", abs(slow["p50_ms"] / 2 - 1) <= 0.05, str(slow["p50_ms"]))


def cold(box):
    engines, facts = versus(
        box, "cold", ["slow_first", "ends", "steady"], "--scenario", "cold", "-d", "0.1", "--retries", "0"
    )
    box.report.check("one that ends failed", engines["ends"]["state"] == "failed", str(engines["ends"]))
    slow, steady = engines["slow_first"], engines["steady"]
    box.report.check("six processes at least", facts["rounds"] >= 6 and slow["inferences"] >= 6, str(facts["rounds"]))
    box.report.check(
        "the first run is part of it",
        slow["cold_first_ms"] >= 1e3 * fake.FIRST_SECONDS and slow["p50_ms"] >= slow["cold_first_ms"],
        str(slow["cold_first_ms"]),
    )
    box.report.check("every process is fresh", steady["cold_first_ms"] >= 5, str(steady["cold_first_ms"]))
    box.report.check(
        "the start is apart", slow["cold_start_ms"] > 0 and slow["cold_load_ms"] > 0 and slow["ratio"]["value"] > 1, str(slow)
    )


def conversation(box):
    """What `ingot bench --driver` answers: after an error the conversation goes on, with what was there."""
    files = [box.write(f"{n}.raw", b"\0" * (n * 28 * 28 * 4)) for n in (1, 2)]

    def tensor(n, path):
        return {"name": "picture", "dtype": "float32", "shape": [n, 1, 28, 28], "file": path}

    load = {"do": "load", "model": MODEL, "threads": 1, "streams": 3}
    talk = [
        ({"do": "offline", "runs": 1}, "nothing is loaded"),
        ({"do": "feed", "inputs": []}, "nothing is loaded"),
        (dict(load, inputs=[tensor(1, files[0])]), None),
        ({"do": "offline", "runs": 7}, None),
        ({"do": "offline", "runs": -1}, "no number of runs"),
        ({"do": "feed", "inputs": [tensor(2, files[1])]}, None),
        ({"do": "run", "runs": 2}, None),
        ({"do": "feed", "inputs": [tensor(9, files[1])]}, "28224 bytes, 6272 were given"),
        ({"do": "feed", "inputs": [tensor(1, box.path("none.raw"))]}, "none.raw"),
        ({"do": "feed", "inputs": [7]}, "without name"),
        ({"do": "offline", "runs": 4}, None),
        (dict(load, inputs=[]), None),
        ({"do": "run", "runs": 1}, "'picture' is missing"),
        ({"do": "stop"}, "not known"),
    ]
    lines = "".join(json.dumps(question) + "\n" for question, _ in talk)
    done = places.ingot("bench", "--driver", stdin=None, input=lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    box.report.check(
        "an answer each", done.returncode == 0 and len(answers) == len(talk), f"{done.returncode}: {done.stderr[:300]}"
    )
    for (question, error), answer in zip(talk, answers):
        good = answer["ok"] if error is None else not answer["ok"] and error in answer["error"]
        box.report.check(f"{question['do']}: {error or 'ok'}", good, str(answer))


# ---- the drivers that come along -----------------------------------------------------------------------


def shipped(box):
    """Each is right, or says what it lacks: a package, or something that its engine cannot do."""
    names = ["onnxruntime", "openvino", "mnn", "ncnn", "torch", "litert"]
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    done = box.ok(
        "the drivers that come along", "bench", MODEL, *SHORT, "--json", "--vs", ",".join(names), env={"PATH": path},
        timeout=300,
    )
    for engine in json.loads(done.stdout)["engines"][1:]:
        name, state, why = engine["name"], engine["state"], engine["why"] or ""
        right = {
            "fine": lambda e: e["precision"] == "fp32" and e["rms_error"] < 1e-3 and e["settings"],
            "missing": lambda e: f"install it: {'pip install'}" in e["why"],
            "failed": lambda e: "tflite" in e["why"] or name == "torch",
        }.get(state)
        box.report.check(f"{name}: {state}", bool(right and right(engine)), why or str(engine))


QUICK = [several_as_json, several_as_csv, several_as_text, alone, progress, conversation, shipped]
SLOW = [interrupted_among_several, offline, dynamic, cold]
