# SPDX-License-Identifier: Apache-2.0
"""What each end-to-end test starts from: a scratch folder, the committed digit model, and checks
that fit every failure."""

import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import places  # noqa: E402
from places import ingot  # noqa: E402
from report import Skip  # noqa: E402

USAGE, SOME_FAILED, IO, PARSE, INVALID, SHAPE, UNSUPPORTED, LIMIT = 2, 1, 4, 5, 6, 7, 8, 9
DOCUMENTED = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 70}
EXAMPLES = os.path.join(places.ROOT, "examples")
MODEL = os.path.join(EXAMPLES, "digits.onnx")
DIGITS = os.path.join(EXAMPLES, "digits")


class Sandbox:
    """A scratch folder, removed with the object."""

    def __init__(self, report, is_quick=False):
        self.report, self.is_quick = report, is_quick
        self.folder = tempfile.mkdtemp(prefix="ingot-e2e-")
        if not os.path.exists(MODEL):
            raise Skip("no examples/digits.onnx")

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, data):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        return path

    def digit(self, d):
        return os.path.join(DIGITS, f"{d}.png")

    def model_bytes(self):
        with open(MODEL, "rb") as f:
            return f.read()

    def copy_model(self, name="m.onnx"):
        """The digit model without its card."""
        return self.write(name, self.model_bytes())

    # -- checks ------------------------------------------------------------------------------------

    def ok(self, name, *args, **options):
        """The command must succeed and say nothing on standard error."""
        done = ingot(*args, **options)
        self.report.check(
            name,
            done.returncode == 0 and not done.stderr,
            f"exit code {done.returncode}, stderr {done.stderr.strip()[:300]!r}",
        )
        return done

    def fails(self, name, codes, *args, mention="", **options):
        """The command must fail with one of the codes, and one line on standard error that has
        `mention` in it."""
        codes = {codes} if isinstance(codes, int) else set(codes)
        done = ingot(*args, **options)
        text = done.stderr.strip() if done.stderr else ""
        self.report.check(
            name,
            done.returncode in codes,
            f"exit code {done.returncode}, expected {sorted(codes)}: {text[:300]!r}",
        )
        one_line = len(text.splitlines()) == 1 or (
            USAGE in codes and 1 <= len(text.splitlines()) <= 12
        )
        self.report.check(
            f"{name}: one line",
            one_line,
            f"{len(text.splitlines())} lines on standard error: {text[:400]!r}",
        )
        self.report.check(
            f"{name}: message", mention in text, f"{mention!r} is not in {text[:300]!r}"
        )
        return done


def numpy():
    try:
        import numpy as np

        return np
    except ImportError:
        raise Skip("no numpy in this Python") from None


def onnx():
    try:
        import onnx as module

        return module
    except ImportError:
        raise Skip("no onnx in this Python") from None
