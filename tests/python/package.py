# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel and puts it into an environment of its own."""

import glob
import os
import subprocess
import sys
import sysconfig

import places
from report import Skip

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = ["bindings/python", "include", "pyproject.toml", "meson_options.txt"]


def venv_folder(name):
    return os.path.join(places.ROOT, "build", name)


def python_of(folder):
    return os.path.join(folder, "bin", "python")


def site_packages(folder):
    return glob.glob(os.path.join(folder, "lib", "python3*", "site-packages"))[0]


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, **options)


def last_line(done):
    return ((done.stderr + done.stdout).strip().splitlines() or ["no output"])[-1]


def pip(folder, *args):
    """Run the environment's pip; its programs come first in PATH."""
    path = os.path.join(folder, "bin") + os.pathsep + os.environ["PATH"]
    # The compiler cache, where there is one, must not count the folder: wheels are built in temporary ones.
    env = dict(os.environ, PATH=path, CCACHE_NOHASHDIR="1")
    return run([python_of(folder), "-m", "pip", "--disable-pip-version-check", *args], env=env)


def environment(name, requirements):
    """The folder of an environment that has what a file lists; made and filled on first use."""
    folder = venv_folder(name)
    stamp = os.path.join(folder, "requirements.txt")
    with open(requirements) as f:
        wanted = f.read()
    if os.path.exists(stamp):
        with open(stamp) as f:
            if f.read() == wanted:
                return folder
    if run([sys.executable, "-m", "venv", "--clear", folder]).returncode:
        raise Skip("python3 cannot make environments (apt install python3-venv)")
    done = pip(folder, "install", "-q", "--only-binary", ":all:", "--retries", "1", "--timeout", "30", "-r", requirements)
    if done.returncode:
        raise Skip(f"{os.path.basename(requirements)} cannot be installed: {last_line(done)}")
    with open(stamp, "w") as f:
        f.write(wanted)
    return folder


def newest_change(archive):
    """What an installed package must be newer than."""
    files = [archive, os.path.join(HERE, "package.py"), os.path.join(places.ROOT, "pyproject.toml")]
    for source in SOURCES:
        files += glob.glob(os.path.join(places.ROOT, source, "**", "*.*"), recursive=True)
    return max(os.path.getmtime(f) for f in files)


def install():
    """Build and install the package where it is not up to date; returns the interpreter that has it."""
    try:
        import ml_dtypes  # noqa: F401
        import numpy
        import onnx  # noqa: F401
    except ImportError as e:
        raise Skip(f"{e} (tools/deps venv)") from None
    if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
        raise Skip("no Python.h here (apt install python3-dev)")
    archive = os.path.join(places.BUILD, "libingot.a")
    if not os.path.exists(archive):
        raise Skip(f"no {archive} (set INGOT_BUILD)")
    if b"__asan_init" in open(archive, "rb").read() or b"__tsan_init" in open(archive, "rb").read():
        raise Skip("the library is built with a sanitizer, the package is not")
    folder = environment("venv-python", os.path.join(HERE, "requirements.txt"))
    site = site_packages(folder)
    stamp = os.path.join(site, "ingot.installed")
    if os.path.exists(stamp) and os.path.getmtime(stamp) > newest_change(archive):
        with open(stamp) as f:
            if f.read() == archive:
                return python_of(folder)
    with open(os.path.join(site, "oracles.pth"), "w") as f:
        f.write(os.path.dirname(os.path.dirname(numpy.__file__)) + "\n")
    done = pip(folder, "install", "-q", "--no-build-isolation", "--no-deps", "--force-reinstall", "--no-index",
               f"--config-settings=setup-args=-Dpython_archive={archive}", places.ROOT)
    if done.returncode:
        raise RuntimeError(f"pip install . fails: {done.stdout[-3000:]}{done.stderr[-3000:]}")
    with open(stamp, "w") as f:
        f.write(archive)
    return python_of(folder)
