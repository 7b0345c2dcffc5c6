# SPDX-License-Identifier: Apache-2.0
"""Counts and prints the results of a test program: one line a failure or skip, one closing line of
totals."""

import json
import os
import select
import signal
import sys
import time
import traceback


class Skip(Exception):
    """Raised by a test that cannot run here; its text is the reason that is printed."""


class Report:
    """Collects results. With verbose=True passed checks are printed too."""

    def __init__(self, verbose=False):
        self.verbose = verbose
        self.n_passed = self.n_failed = self.n_skipped = 0
        self.failures = []

    def _line(self, mark, name, text):
        print(f"{mark:5s} {name}" + (f": {text}" if text else ""), flush=True)

    def passed(self, name, text=""):
        self.n_passed += 1
        if self.verbose:
            self._line("ok", name, text)

    def failed(self, name, text):
        self.n_failed += 1
        self.failures.append((name, text))
        self._line("FAIL", name, text)

    def skipped(self, name, reason):
        self.n_skipped += 1
        self._line("skip", name, reason)

    def note(self, name, text):
        """A measured figure worth seeing in every log; counts as nothing."""
        self._line("note", name, text)

    def check(self, name, condition, text=""):
        """Count one check; text tells what was seen. Returns the condition."""
        if condition:
            self.passed(name, text)
        else:
            self.failed(name, text or "not true")
        return bool(condition)

    def run(self, name, function, *args):
        """Call function(*args): a Skip or an exception becomes a line, and the next test runs."""
        begin = time.monotonic()
        try:
            function(*args)
        except Skip as reason:
            self.skipped(name, str(reason))
        except Exception as e:  # a broken test is a failed one
            where = traceback.extract_tb(e.__traceback__)[-1]
            self.failed(
                name, f"{type(e).__name__}: {e} ({os.path.basename(where.filename)}:{where.lineno})"
            )
        if self.verbose:
            self._line("time", name, f"{time.monotonic() - begin:.1f} s")

    def isolated(self, name, function, *args, seconds=300):
        """As run, in a process of its own: a crash or a hang of the library is one failure, and the
        tests that follow still run. function's last effects are its checks; nothing else comes back.
        """
        reader, writer = os.pipe()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.close(reader)
            mine = Report(self.verbose)
            mine.run(name, function, mine, *args)
            sys.stdout.flush()
            counts = [mine.n_passed, mine.n_failed, mine.n_skipped, mine.failures]
            with os.fdopen(writer, "w") as pipe:
                json.dump(counts, pipe)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            is_done = select.select([pipe], [], [], seconds)[0]
            if not is_done:
                os.kill(child, signal.SIGKILL)
            text = pipe.read()
        _, status = os.waitpid(child, 0)
        if not is_done:
            self.failed(name, f"did not end within {seconds} s")
        elif not text:
            self.failed(name, f"ended by signal {os.waitstatus_to_exitcode(status) * -1}")
        else:
            passed, failed, skipped, failures = json.loads(text)
            self.n_passed += passed
            self.n_failed += failed
            self.n_skipped += skipped
            self.failures += failures

    def close(self):
        """Print the failures again, then the closing line; returns the exit code."""
        if self.n_failed > 5:
            print(f"\nAll {self.n_failed} failures again:")
            for name, text in self.failures:
                self._line("FAIL", name, text)
        print(f"{self.n_passed} passed, {self.n_failed} failed, {self.n_skipped} skipped")
        sys.stdout.flush()
        return 1 if self.n_failed else 0
