# SPDX-License-Identifier: Apache-2.0
"""Help, version, wrong flags."""

from places import ingot
from sandbox import MODEL, USAGE

COMMANDS = ["run", "inspect", "bench", "profile", "card"]


def help_texts(box):
    done = box.ok("--help", "--help")
    for command in COMMANDS:
        box.report.check(f"--help lists {command}", command in done.stdout, "not in the text")
        text = box.ok(f"{command} --help", command, "--help").stdout
        box.report.check(
            f"{command} --help shows an example",
            f"ingot {command} " in text and len(text.splitlines()) > 5,
            text[:200],
        )
        box.report.check(
            f"{command} --help fits 100 columns",
            max(map(len, text.splitlines()), default=0) <= 100,
            "a line is longer",
        )


def version(box):
    done = box.ok("--version", "--version")
    box.report.check(
        "--version names version and CPU",
        "0." in done.stdout and "kernels" in done.stdout.lower(),
        done.stdout[:200],
    )


def wrong_usage(box):
    picture = box.digit(3)
    for name, args, mention in [
        ("no arguments", [], ""),
        ("unknown command", ["rnu", MODEL], "rnu"),
        ("unknown flag", ["run", MODEL, picture, "--frobnicate"], "frobnicate"),
        ("flag without its value", ["run", MODEL, picture, "--threads"], "threads"),
        ("threads is no number", ["run", MODEL, picture, "--threads", "many"], "many"),
        ("negative threads", ["run", MODEL, picture, "--threads", "-2"], "threads"),
        ("unknown opt level", ["run", MODEL, picture, "--opt", "most"], "most"),
        ("unknown precision", ["run", MODEL, picture, "--precision", "fp31"], "fp31"),
        ("bad size", ["run", MODEL, picture, "--size", "28x"], "28x"),
        ("zero size", ["run", MODEL, picture, "--size", "0"], "size"),
        ("huge size", ["run", MODEL, picture, "--size", "99999999999x2"], "size"),
        ("unknown preset", ["run", MODEL, picture, "--preset", "imaginet"], "imaginet"),
        ("unknown layout", ["run", MODEL, picture, "--layout", "hcwn"], "hcwn"),
        ("bad mean", ["run", MODEL, picture, "--mean", "1,two,3"], "mean"),
        ("top is no number", ["run", MODEL, picture, "--top", "x"], "top"),
        ("run without a model", ["run"], ""),
        ("inspect without a model", ["inspect"], ""),
        ("bench without a model", ["bench"], ""),
    ]:
        box.fails(name, USAGE, *args, mention=mention)


def unknown_pass(box):
    box.fails(
        "unknown pass",
        {USAGE, 6},
        "run",
        MODEL,
        box.digit(3),
        "--disable-pass",
        "no-such-pass",
        mention="no-such-pass",
    )


def cpu_mask(box):
    done = ingot("run", MODEL, box.digit(3), env={"INGOT_CPU": "ref"})
    box.report.check(
        "INGOT_CPU=ref",
        done.returncode == 0 and "3" in done.stdout,
        f"{done.returncode} {done.stderr[:200]}",
    )
    done = ingot("run", MODEL, box.digit(3), env={"INGOT_CPU": "abacus"})
    box.report.check(
        "unknown INGOT_CPU does not crash",
        done.returncode >= 0 and "abacus" in done.stderr,
        f"{done.returncode} {done.stderr[:200]!r}",
    )


def precision(box):
    picture = box.digit(3)
    for args in (["--precision", "fp32-strict"], ["--force", "conv:direct"]):
        done = ingot("run", MODEL, picture, *args)
        text = f"{done.returncode} {done.stderr[:200]}"
        box.report.check(" ".join(args), done.returncode == 0 and "3" in done.stdout, text)
    done = ingot("bench", MODEL, "-d", "0.01", "--json", "--precision", "fp32-strict")
    box.report.check("bench names the mode", '"precision": "fp32-strict"' in done.stdout, done.stdout[:200])
    strict = ["--precision", "fp32-strict", "--force", "conv:winograd4"]
    for name, args, mention in [
        ("unknown kernel", ["--force", "conv:magic"], "conv:magic"),
        ("kernel that is not exact enough", strict, "fp32-strict"),
    ]:
        box.fails(name, {USAGE, 6}, "run", MODEL, picture, *args, mention=mention)
    done = ingot("run", MODEL, picture, env={"INGOT_FORCE": "conv:magic"})
    box.report.check("unknown INGOT_FORCE", "conv:magic" in done.stderr, done.stderr[:200])


ALL = [help_texts, version, wrong_usage, unknown_pass, cpu_mask, precision]
