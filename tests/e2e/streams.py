# SPDX-License-Identifier: Apache-2.0
"""Terminals, pipes, full disks, signals: the command among other programs."""

import os
import pty
import resource
import select
import signal
import subprocess
import time

import places
from places import ingot
from sandbox import DIGITS, IO, MODEL, SHAPE, numpy


def plain_when_piped(box):
    done = ingot("run", MODEL, DIGITS)
    text = done.stdout + done.stderr
    box.report.check(
        "no colours and no progress bar in a pipe",
        done.returncode == 0 and "\x1b" not in text and "\r" not in text,
        repr(text[:200]),
    )
    box.report.check("a good run is silent on standard error", done.stderr == "", done.stderr[:200])


def terminal_text(args, env=None):
    """What the command writes to a terminal on standard error."""
    master, slave = pty.openpty()
    full = dict(os.environ, TERM="xterm-256color", **(env or {}))
    process = subprocess.Popen(
        [places.command(), *args], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=full
    )
    os.close(slave)
    text, end = b"", time.monotonic() + 60
    while time.monotonic() < end:
        ready, _, _ = select.select([master], [], [], 0.2)
        if ready:
            try:
                part = os.read(master, 65536)
            except OSError:  # Linux says EIO when the last writer has gone
                break
            if not part:
                break
            text += part
        elif process.poll() is not None:
            break
    os.close(master)
    process.wait()
    return process.returncode, text.decode(errors="replace")


def terminal(box):
    many = [DIGITS] * 30
    code, text = terminal_text(["run", MODEL, *many])
    box.report.check(
        "a progress bar on a terminal",
        code == 0 and ("\r" in text.replace("\r\n", "")),
        repr(text[:200]),
    )
    code, text = terminal_text(["run", MODEL, DIGITS], {"NO_COLOR": "1"})
    box.report.check(
        "NO_COLOR is heeded",
        code == 0 and "\x1b[3" not in text and "\x1b[1;3" not in text,
        repr(text[:200]),
    )


def closed_pipe(box):
    process = subprocess.Popen(
        [places.command(), "run", MODEL, *[DIGITS] * 50],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.readline()
    process.stdout.close()
    complaint = process.stderr.read().decode(errors="replace")
    code = process.wait(timeout=60)
    box.report.check(
        "a pipe that closes ends the run",
        code in (0, IO, -signal.SIGPIPE) and len(complaint.splitlines()) <= 1,
        f"{code} {complaint[:200]!r}",
    )


def full_disk(box):
    if not os.path.exists("/dev/full"):
        return
    for args in (
        ["run", MODEL, box.digit(1)],
        ["run", MODEL, box.digit(1), "--json"],
        ["inspect", MODEL],
        ["inspect", MODEL, "--json"],
        ["--help"],
    ):
        with open("/dev/full", "w") as full:
            done = ingot(*args, stdout=full)
        box.report.check(
            f"standard output is full: {' '.join(a for a in args if '/' not in a)}",
            done.returncode == IO and len(done.stderr.strip().splitlines()) == 1,
            f"exit code {done.returncode}, {done.stderr[:200]!r}",
        )
    box.fails(
        "--out on a full device",
        IO,
        "run",
        MODEL,
        box.digit(1),
        "--out",
        "/dev/full",
        mention="/dev/full",
    )


def no_partial_output(box):
    np = numpy()
    np.save(box.path("wide.npy"), np.zeros((1, 1, 28, 30), np.float32))
    np.save(box.path("many.npy"), np.zeros((2000, 1, 28, 28), np.float32))
    os.makedirs(box.path("o"))
    out = box.path("o", "out.npz")
    box.fails(
        "--out in a missing folder",
        IO,
        "run",
        MODEL,
        box.digit(1),
        "--out",
        box.path("none", "o.npz"),
        mention="none",
    )

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    box.fails(
        "the disk fills while writing",
        IO,
        "run",
        MODEL,
        box.path("many.npy"),
        "--out",
        out,
        mention="out.npz",
        preexec_fn=small_files,
    )
    box.report.check(
        "no partial file is left", os.listdir(box.path("o")) == [], str(os.listdir(box.path("o")))
    )
    with open(out, "w") as f:
        f.write("old")
    box.fails(
        "a failing run", SHAPE, "run", MODEL, box.path("wide.npy"), "--out", out, mention="30"
    )
    box.report.check(
        "leaves the old file alone",
        os.listdir(box.path("o")) == ["out.npz"] and open(out).read() == "old",
        str(os.listdir(box.path("o"))),
    )


def interrupted(box):
    process = subprocess.Popen(
        [places.command(), "bench", MODEL, "--duration", "30"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell's background jobs ignore the signal, and what they start does, too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    try:
        process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
    took = time.monotonic() - begin
    box.report.check(
        "Ctrl-C ends a bench at once",
        took < 3 and process.returncode in (0, 10, 130, -signal.SIGINT),
        f"{took:.1f} s, {process.returncode}",
    )


ALL = [plain_when_piped, terminal, closed_pipe, full_disk, no_partial_output, interrupted]
