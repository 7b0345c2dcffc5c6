# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the installed package; tests/python/run starts it."""

import argparse
import os
import sys
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import compat  # noqa: E402
import costs  # noqa: E402
import distribution  # noqa: E402
import estimators  # noqa: E402
import failures  # noqa: E402
import runner  # noqa: E402
import sessions  # noqa: E402
import threads  # noqa: E402
import values  # noqa: E402
from report import Report  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    report = Report(options.verbose)
    slow = [runner.onnx_backend, compat.packages]
    # Memory first: what others leave in caches would show.
    for module in (costs, distribution, sessions, values, failures, threads, estimators, compat, runner):
        for function in module.ALL:
            name = f"{module.__name__}.{function.__name__}"
            if options.only not in name:
                continue
            if options.quick and function in slow:
                report.skipped(name, "only in the full round")
            else:
                report.run(name, function, report)
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
