# SPDX-License-Identifier: Apache-2.0
"""inspect, bench, profile and card: what they print, and that their JSON is JSON."""

import json
import os

from sandbox import MODEL

BENCH_KEYS = [
    "load_ms",
    "first_ms",
    "p50_ms",
    "p90_ms",
    "p99_ms",
    "inferences_per_s",
    "peak_rss_bytes",
    "threads",
    "precision",
    "cpu",
    "scenario",
    "valid",
    "p95_ms",
    "p999_ms",
    "quantiles",
    "phases_ms",
    "memory",
    "cpu_ms_per_inference",
    "idle_cpu_share",
    "warm_up_ms",
    "windows_ms",
    "noise",
    "settings",
]


def inspect(box):
    text = box.ok("inspect", "inspect", MODEL).stdout
    for word in ("picture", "probs", "Conv", "Gemm", "13", "train_digits.py"):
        box.report.check(f"inspect shows {word}", word in text, text[:400])
    facts = json.loads(box.ok("inspect --json", "inspect", MODEL, "--json").stdout)
    box.report.check(
        "inspect --json has inputs and outputs",
        facts.get("inputs") and facts.get("outputs"),
        str(list(facts)),
    )
    box.report.check(
        "inspect --json counts parameters",
        "43354" in json.dumps(facts).replace(",", ""),
        json.dumps(facts)[:400],
    )
    dot = box.ok("inspect --dot", "inspect", MODEL, "--dot").stdout
    box.report.check(
        "--dot is Graphviz",
        dot.lstrip().startswith("digraph") and dot.rstrip().endswith("}"),
        dot[:100],
    )
    box.report.check(
        "--graph is text",
        "Conv" in box.ok("inspect --graph", "inspect", MODEL, "--graph").stdout,
        "",
    )


def bench(box):
    facts = json.loads(
        box.ok(
            "bench --json", "bench", MODEL, "--duration", "0.5", "--threads", "1", "--json",
            "--retries", "0"
        ).stdout
    )
    missing = [k for k in BENCH_KEYS if k not in facts]
    box.report.check("bench --json has every key", not missing, f"missing {missing}")
    # A slow machine gives too few samples for the tail: then it is null.
    known = [facts[k] for k in ("p50_ms", "p90_ms", "p95_ms", "p99_ms") if facts[k] is not None]
    box.report.check(
        "bench's numbers are in order",
        len(known) > 0 and 0 < known[0] and known == sorted(known) and facts["threads"] == 1,
        str(facts),
    )
    box.report.check(
        "bench's rate lies between its shortest and longest time",
        1 / facts["max_ms"] <= facts["inferences_per_s"] / 1000 <= 1 / facts["min_ms"],
        str(facts),
    )
    text = box.ok(
        "bench", "bench", MODEL, "--duration", "0.3", "--retries", "0", "--shape",
        "picture=4x1x28x28"
    ).stdout
    box.report.check("bench prints percentiles", "P50" in text or "p50" in text, text[:300])


def profile(box):
    trace = box.path("trace.json")
    text = box.ok("profile", "profile", MODEL, "--trace", trace).stdout
    box.report.check(
        "profile names operators and kernels", "Conv" in text or "conv" in text, text[:400]
    )
    with open(trace, encoding="utf-8") as f:
        events = json.load(f)
    events = events["traceEvents"] if isinstance(events, dict) else events
    whole = [e for e in events if e.get("ph") == "X"]
    box.report.check(
        "--trace is a Chrome trace",
        whole and all("ts" in e and "dur" in e and "name" in e for e in whole),
        str(events[:2]),
    )


def card(box):
    """A card that the command writes is one that `ingot run` reads; flags win over it."""
    model = box.copy_model("digits.onnx")
    box.ok("card", "card", model, "--size", "28", "--color", "gray", "--std", "255")
    path = model + ".card.json"
    box.report.check(
        "card writes MODEL.card.json", os.path.exists(path), str(os.listdir(box.folder))
    )
    with open(path, encoding="utf-8") as f:
        json.load(f)
    text = box.ok("run with that card", "run", model, box.digit(7), "--top", "1").stdout
    box.report.check("the card's answer", "7" in text.replace("7.png", ""), text[:200])
    box.write("digits.onnx.card.json", "{ not JSON")
    box.fails("a broken card", {4, 5, 6}, "run", model, box.digit(7), mention="card.json")


ALL = [inspect, bench, profile, card]
