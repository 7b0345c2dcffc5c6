# SPDX-License-Identifier: Apache-2.0
"""The command and one hostile file: what it may take, and how it has to end."""

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import places  # noqa: E402

OK, NOMEM, IO, PARSE, INVALID, SHAPE, UNSUPPORTED, LIMIT, CANCELLED = 0, 3, 4, 5, 6, 7, 8, 9, 10
FAILURES = {NOMEM, IO, PARSE, INVALID, SHAPE, UNSUPPORTED, LIMIT, CANCELLED}
MAX_SECONDS, MAX_MB, HANG_SECONDS = 2, 200, 30

# Sanitizers and their shadow memory have bounds of their own.
IS_SANITIZED = any(f"{name}SAN_OPTIONS" in os.environ for name in ("A", "UB", "T", "L"))


class Outcome:
    """How one command ended: exit code, output, seconds and megabytes at its peak."""

    def __init__(self, arguments):
        begin = time.monotonic()
        process = subprocess.Popen(
            [places.command(), *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        watch = threading.Timer(HANG_SECONDS, process.kill)
        watch.start()
        with process.stdout:
            self.text = process.stdout.read().decode(errors="replace").strip()
        _, status, usage = os.wait4(process.pid, 0)
        watch.cancel()
        process.returncode = self.code = os.waitstatus_to_exitcode(status)
        self.seconds = time.monotonic() - begin
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        self.mb = usage.ru_maxrss / 1024


class Box:
    """A scratch folder and the checks that every hostile file has to pass."""

    def __init__(self, report, is_quick=False):
        self.report, self.is_quick, self.n_files = report, is_quick, 0
        self.folder = tempfile.mkdtemp(prefix="ingot-hostile-")
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, data):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
        return path

    def write_apart(self, name, make):
        """A large file, made by make() in a process of its own: a child's peak counts from its
        parent's size, so that this one has to stay small."""
        path = self.path(name)
        child = os.fork()
        if child == 0:
            with open(path, "wb") as f:
                f.write(make())
            os._exit(0)
        os.waitpid(child, 0)
        return path

    def _file(self, model):
        if isinstance(model, str):
            return model
        self.n_files += 1
        return self.write(f"m{self.n_files}.onnx", model)

    def run(self, model, *flags, seconds=MAX_SECONDS, mb=MAX_MB, command="run"):
        """Run a model (bytes, or a path) on made-up inputs; (outcome, what broke the bounds)."""
        path, out = self._file(model), self.path("out.npz")
        flags = ["--random", "--out", out, *flags] if command == "run" else list(flags)
        outcome = Outcome([command, path, *flags])
        wrong = []
        if outcome.code < 0:
            wrong.append(f"ended by signal {-outcome.code}")
        elif outcome.code and outcome.code not in FAILURES:
            wrong.append(f"exit code {outcome.code}")
        # What others do on the machine must not count: either clock may be the good one.
        if min(outcome.seconds, outcome.cpu_seconds) > seconds * (10 if IS_SANITIZED else 1):
            wrong.append(f"{outcome.seconds:.1f} s")
        if outcome.mb > mb and not IS_SANITIZED:
            wrong.append(f"{outcome.mb:.0f} MB")
        if outcome.code and os.path.exists(out):
            wrong.append("left a partial output")
        if outcome.code and len(outcome.text.splitlines()) != 1:
            wrong.append(f"{len(outcome.text.splitlines())} lines")
        if re.search("[\x00-\x09\x0b-\x1f\x7f]", outcome.text):
            wrong.append("control characters")
        if os.path.exists(out):
            os.unlink(out)
        if path != model and not wrong:
            os.unlink(path)
        return outcome, wrong

    def refused(self, name, model, codes, mention="", *flags, **bounds):
        """The file must be refused with one of the codes and a line that names it and `mention`."""
        codes = {codes} if isinstance(codes, int) else set(codes)
        outcome, wrong = self.run(model, *flags, **bounds)
        if outcome.code not in codes:
            wrong.insert(0, f"exit code {outcome.code}, not {sorted(codes)}")
        if ".onnx" not in outcome.text:
            wrong.append("does not name the file")
        if mention not in outcome.text:
            wrong.append(f"does not mention {mention!r}")
        self.report.check(name, not wrong, f"{', '.join(wrong)}: {outcome.text[:400]!r}")
        return outcome

    def survives(self, name, model, *flags, **bounds):
        """The file may run or be refused, within the bounds."""
        outcome, wrong = self.run(model, *flags, **bounds)
        self.report.check(name, not wrong, f"{', '.join(wrong)}: {outcome.text[:400]!r}")
        return outcome

    def accepted(self, name, model, *flags, **bounds):
        """The counterpart: what is allowed must not be refused."""
        outcome, wrong = self.run(model, *flags, **bounds)
        if outcome.code:
            wrong.insert(0, f"exit code {outcome.code}")
        self.report.check(name, not wrong, f"{', '.join(wrong)}: {outcome.text[:400]!r}")
        return outcome
