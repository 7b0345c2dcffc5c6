# SPDX-License-Identifier: Apache-2.0
"""Where the test programs find what they test, and what they test it with."""

import glob
import os
import subprocess

from report import Skip

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("INGOT_SHARED", os.path.join(os.path.dirname(ROOT), "shared"))
BUILD = os.environ.get("INGOT_BUILD", os.path.join(ROOT, "build"))
COMMAND = os.environ.get("INGOT", os.path.join(BUILD, "src", "cli", "ingot"))


def shared(*parts):
    """Path of a shared file; Skip where it is missing."""
    path = os.path.join(SHARED, *parts)
    if not os.path.exists(path):
        raise Skip(f"no {os.path.join('../shared', *parts)}")
    return path


def shared_models():
    """All ONNX files of the shared models, sorted; an empty list where there are none."""
    return sorted(glob.glob(os.path.join(SHARED, "models", "*", "*.onnx")))


def library():
    """The shared library to test: INGOT_LIB, or that of the build folder."""
    path = os.environ.get("INGOT_LIB")
    if path:
        return path
    found = sorted(
        glob.glob(os.path.join(BUILD, "libingot.so*"))
        + glob.glob(os.path.join(BUILD, "src", "libingot.so*"))
    )
    found = [f for f in found if os.path.isfile(f) and ".p" not in os.path.basename(f)]
    if not found:
        raise Skip(f"no libingot.so under {BUILD} (set INGOT_BUILD or INGOT_LIB)")
    return found[0]


def command():
    """The `ingot` program to test; Skip where it is not built."""
    if not os.access(COMMAND, os.X_OK):
        raise Skip(f"no program {COMMAND} (set INGOT or INGOT_BUILD)")
    return COMMAND


def ingot(*args, timeout=120, env=None, **options):
    """Run the command; returns the CompletedProcess with text output."""
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    options.setdefault("stdin", subprocess.DEVNULL)
    full = dict(os.environ, **(env or {}))
    return subprocess.run(
        [command(), *map(str, args)],
        timeout=timeout,
        env=full,
        text=True,
        errors="replace",
        **options,
    )


def cpu_masks():
    """Instruction set masks that make a difference on this CPU, weakest first."""
    masks = ["ref", "portable"]
    try:
        with open("/proc/cpuinfo") as f:
            flags = next((line for line in f if line.startswith("flags")), "").split()
    except OSError:
        flags = []
    if "avx2" in flags and "fma" in flags:
        masks.append("avx2")
    if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= set(flags):
        masks.append("avx512")
    return masks
