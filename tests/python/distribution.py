# SPDX-License-Identifier: Apache-2.0
"""What the wheel carries, the stubs, and the examples of the manual."""

import ast
import doctest
import importlib.metadata
import os

import ingot
import places
from ingot import _core


def wheel(report):
    files = {str(f) for f in importlib.metadata.files("ingot")}
    for name in ("ingot/py.typed", "ingot/_core.pyi", "ingot/_core.abi3.so"):
        report.check(f"the wheel has {name}", name in files, str(sorted(files)))
    report.check("the wheel has the licence", any(f.endswith("LICENSE") for f in files), str(sorted(files)))
    tag = importlib.metadata.distribution("ingot").read_text("WHEEL")
    report.check("the wheel is for the stable interface", "-abi3-" in tag, tag)
    version = importlib.metadata.version("ingot")
    report.check("versions agree", version == ingot.__version__, f"{version}, {ingot.__version__}")


def stubs(report):
    """The stubs name what is there, and all of it."""
    with open(os.path.join(os.path.dirname(ingot.__file__), "_core.pyi")) as f:
        tree = ast.parse(f.read())

    def names(body):
        found = {item.name for item in body if isinstance(item, (ast.FunctionDef, ast.ClassDef))}
        return found | {item.target.id for item in body if isinstance(item, ast.AnnAssign)}

    stub = names(tree.body)
    real = {name for name in vars(_core) if not name.startswith("__")}
    report.check("functions of _core", stub == real, f"stub {sorted(stub)}, module {sorted(real)}")
    in_class = next(item for item in tree.body if isinstance(item, ast.ClassDef))
    stub = names(in_class.body)
    real = {name for name in vars(_core.Session) if not name.startswith("__")} | {"__new__", "__call__"}
    report.check("methods of _core.Session", stub == real, f"stub {sorted(stub)}, type {sorted(real)}")


def manual(report):
    """The examples of docs/python.md."""
    here = os.getcwd()
    os.chdir(places.ROOT)
    try:
        result = doctest.testfile(os.path.join(places.ROOT, "docs", "python.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    finally:
        os.chdir(here)
    report.check("examples of docs/python.md", result.attempted > 30 and not result.failed, str(result))


ALL = [wheel, stubs, manual]
