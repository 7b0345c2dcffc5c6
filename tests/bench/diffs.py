# SPDX-License-Identifier: Apache-2.0
"""`ingot bench diff`: reports against each other."""

import json

import places
from sandbox import MODEL


def made_up(box, name, middle, spread=0.01, **changes):
    """A report whose windows lie evenly round `middle`."""
    windows = [middle * (1 + spread * (i - 4.5) / 4.5) for i in range(10)]
    facts = {
        "model": "m.onnx", "scenario": "single", "valid": True, "precision": "fp32", "threads": 1,
        "cpu": "a CPU", "windows_ms": windows,
    }
    return box.write(name, json.dumps(dict(facts, **changes)))


def diff(box):
    before = made_up(box, "before.json", 10)
    cases = [
        ("the same", 10, 0.01, 0, "same"),
        ("2 % slower, within the gate", 10.2, 0.005, 0, "same"),
        ("10 % slower", 11, 0.01, 1, "slower"),
        ("20 % faster", 8, 0.01, 0, "faster"),
        ("perhaps slower: the interval holds the gate", 10.3, 0.2, 0, "unsure"),
    ]
    for name, middle, spread, code, verdict in cases:
        after = made_up(box, "after.json", middle, spread)
        done = places.ingot("bench", "diff", before, after, "--gate", "3%", "--json")
        row = json.loads(done.stdout)["rows"][0]
        box.report.check(
            name,
            done.returncode == code and row["verdict"] == verdict,
            f"exit code {done.returncode}, {row}",
        )
        box.report.check(
            f"{name}: ratio", abs(row["ratio"] - middle / 10) < 1e-9 and row["low"] <= row["ratio"] <= row["high"],
            str(row),
        )
    done = places.ingot("bench", "diff", before, made_up(box, "after.json", 11))
    box.report.check("without a gate nothing fails", done.returncode == 0 and "slower" in done.stdout, done.stdout)


def diff_of_engines(box):
    def engines(name, ours, theirs):
        parts = [("ingot", ours), ("rival", theirs)]
        parts = [
            {"name": n, "state": "fine", "precision": "fp32", "windows_ms": [t] * 10} for n, t in parts
        ]
        parts.append({"name": "gone", "state": "failed"})
        return made_up(box, name, 10, engines=parts)

    before = engines("before.json", 10, 20)
    done = places.ingot("bench", "diff", before, engines("a.json", 10, 30), "--gate", "0.03", "--json")
    rows = {row["name"]: row["verdict"] for row in json.loads(done.stdout)["rows"]}
    box.report.check(
        "a rival that became slower fails no gate",
        done.returncode == 0 and rows == {"ingot": "same", "rival": "slower"},
        f"{done.returncode}, {rows}",
    )
    done = places.ingot("bench", "diff", before, engines("a.json", 12, 20), "--gate", "0.03")
    box.report.check("Ingot that did fails it", done.returncode == 1, done.stdout)


def diff_refuses(box):
    good = made_up(box, "good.json", 10)
    for name, changes, mention in (
        ("an invalid report", {"valid": False, "invalid_because": "steal"}, "INVALID: steal"),
        ("another model", {"model": "/x/n.onnx"}, "different models"),
        ("another precision", {"precision": "bf16"}, "different precision"),
        ("other threads", {"threads": 2}, "different threads"),
        ("another CPU", {"cpu": "another"}, "different cpu"),
        ("too few windows", {"windows_ms": [1, 2, 3]}, "not enough samples"),
        ("impossible times", {"windows_ms": [1, -2, 3]}, "no positive number"),
        ("no times", {"windows_ms": "x"}, "not enough samples"),
    ):
        bad = made_up(box, "bad.json", 10, **changes)
        box.fails(name, 6, "bench", "diff", good, bad, "--gate", "3%", mention=mention)
    box.fails("no JSON", 5, "bench", "diff", good, box.write("x.json", "{"), mention="x.json")
    box.fails("no report", 6, "bench", "diff", good, box.write("x.json", "[1]"), mention="no report")
    box.fails("one file", 2, "bench", "diff", good, mention="AFTER.json")
    box.fails("a strange gate", 2, "bench", "diff", good, good, "--gate", "x", mention="--gate")
    box.fails("a gate of nothing", 2, "bench", MODEL, "--gate", "3%", mention="--gate")


def loads(box):
    """Servers, sessions and shapes are compared where they had the same to do."""
    server = {"scenario": "server", "overloaded": False, "settings": {"rate_per_s": 50, "sessions": 1}}
    multi = {"scenario": "multi", "settings": {"sessions": 2}}
    offline = {"scenario": "offline", "settings": {"sessions": 2}}
    for load in (server, multi, offline):
        name = load["scenario"]
        before, after = made_up(box, "a.json", 10, **load), made_up(box, "b.json", 11, **load)
        done = places.ingot("bench", "diff", before, after, "--gate", "3%", "--json")
        row = json.loads(done.stdout)["rows"][0]
        box.report.check(
            f"{name}: 10 % slower",
            done.returncode == 1 and row["verdict"] == "slower" and abs(row["ratio"] - 1.1) < 1e-9,
            f"{done.returncode}, {row}",
        )
        other = dict(load, settings=dict(load["settings"], sessions=3))
        box.fails(
            f"{name}: other sessions", 6, "bench", "diff", before, made_up(box, "b.json", 10, **other),
            mention="different sessions: ",
        )
    before = made_up(box, "a.json", 10, **server)
    other = dict(server, settings={"rate_per_s": 51, "sessions": 1})
    box.fails("other rates", 6, "bench", "diff", before, made_up(box, "b.json", 10, **other), mention="the same --rate")
    other = dict(server, overloaded=True)
    box.fails("an overloaded server", 6, "bench", "diff", before, made_up(box, "b.json", 10, **other), mention="overloaded")


def shapes(box):
    """Sizes that differ a hundredfold do not hide 5 %: a shape is compared with itself."""

    def report(name, first, again, sizes=20, **changes):
        times = [{"first_ms": first * 1.3**i, "again_ms": again * 1.3**i} for i in range(sizes)]
        facts = {"scenario": "dynamic", "vary": ["N=1..20"], "shapes": times}
        return made_up(box, name, 1, **dict(facts, **changes))

    before = report("a.json", 2, 1)
    done = places.ingot("bench", "diff", before, report("b.json", 2, 1.05), "--gate", "3%", "--json")
    rows = {row["name"]: row for row in json.loads(done.stdout)["rows"]}
    box.report.check(
        "5 % slower shapes",
        done.returncode == 1
        and rows["ingot, seen before"]["verdict"] == "slower"
        and rows["ingot, shape first seen"]["verdict"] == "same",
        str(rows),
    )
    box.fails("other shapes", 6, "bench", "diff", before, report("b.json", 2, 1, vary=["N=2..21"]), mention="--vary")
    few = report("b.json", 2, 1, sizes=5)
    box.fails("too few shapes", 6, "bench", "diff", before, few, mention="not enough samples, 5 of 6")


def several(box):
    """Of several models: what cannot be compared is said, what broke fails the gate."""

    def report(name, **parts):
        texts = []
        for model, change in parts.items():
            if isinstance(change, str):
                texts.append({"model": f"/x/{model}", "error": change})
                continue
            with open(made_up(box, "part.json", change.pop("middle", 10), model=f"/x/{model}", **change)) as f:
                texts.append(json.load(f))
        return box.write(name, json.dumps({"models": texts, "means": []}))

    def both(name, before, after):
        done = places.ingot("bench", "diff", before, after, "--gate", "3%", "--json")
        rows = {row["model"]: row for row in json.loads(done.stdout)["rows"]}
        return done.returncode, rows

    before = report("a.json", a={}, b={}, c={}, d="was broken", gone={})
    code, rows = both("same", before, report("b.json", a={}, b={"valid": False, "invalid_because": "steal"}, c={"threads": 2}, d={}))
    verdicts = {model: row["verdict"] for model, row in rows.items()}
    box.report.check(
        "each model by itself",
        code == 0 and verdicts == {"a": "same", "b": "skipped", "c": "skipped", "d": "skipped"},
        f"{code}, {verdicts}",
    )
    box.report.check(
        "and why", "steal" in rows["b"]["why"] and "threads" in rows["c"]["why"] and rows["b"]["ratio"] is None, str(rows)
    )
    code, rows = both("slower", before, report("b.json", a={}, b={"middle": 12}, c={}))
    box.report.check("one slower fails the gate", code == 1 and rows["b"]["verdict"] == "slower", str(rows))
    after = report("b.json", a={}, b="no such operator")
    code, rows = both("broken", before, after)
    box.report.check("one that broke fails it", code == 1 and rows["b"]["verdict"] == "broken", str(rows))
    text = places.ingot("bench", "diff", before, after).stdout
    box.report.check("the reason is told", "b: broken: no such operator" in text, text)
    box.fails("one model and several", 6, "bench", "diff", before, made_up(box, "b.json", 10), mention="several models")
    box.fails(
        "other models", 6, "bench", "diff", before, report("b.json", z={}), mention="nothing in common"
    )
    many = report("b.json", **{f"m{i}": "x" for i in range(1001)})
    box.fails("too many", 9, "bench", "diff", many, many, mention="1001 models")


def written(box, name, flags):
    """A report of the command, whatever else the machine does meanwhile."""
    done = places.ingot(
        "bench", MODEL, *flags, "--threads", "1", "-d", "0.5", "--retries", "0", "--json", env={"TMPDIR": box.folder}
    )
    text = done.stdout.replace('"valid": false', '"valid": true').replace('"overloaded": true', '"overloaded": false')
    return box.write(name, text)


def real_reports(box):
    """What the command writes it can compare."""
    for name, n_rows, flags in (
        ("offline", 1, ["--scenario", "offline"]),
        ("multi", 1, ["--scenario", "multi"]),
        ("server", 1, ["--scenario", "server", "--rate", "100"]),
        ("dynamic", 2, ["--scenario", "dynamic", "--vary", "N=1..8"]),
        ("several models", 2, [box.copy_model()]),
    ):
        done = places.ingot("bench", "diff", written(box, "a.json", flags), written(box, "b.json", flags), "--json")
        text = done.stdout + done.stderr
        if "not enough samples" in text:
            box.report.skipped(f"{name}: reports compare", "the machine is too busy for six windows")
            continue
        rows = json.loads(done.stdout)["rows"] if done.returncode == 0 else []
        box.report.check(
            f"{name}: reports compare", len(rows) == n_rows and all(row["ratio"] > 0 for row in rows), text
        )


QUICK = [diff, diff_of_engines, diff_refuses, loads, shapes, several, real_reports]
