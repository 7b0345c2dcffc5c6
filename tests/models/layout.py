# SPDX-License-Identifier: Apache-2.0
"""The ctypes structures of capi.py against what a C compiler makes of include/ingot.h."""

import os
import shutil
import subprocess
import tempfile

import capi
import places
from report import Skip


def program(layout):
    lines = ["#include <stddef.h>", "#include <stdio.h>", '#include "ingot.h"', "int main(void) {"]
    for struct, (_, fields) in layout.items():
        lines.append(f'printf("{struct} %zu\\n", sizeof({struct}));')
        lines += [f'printf("{struct}.{f} %zu\\n", offsetof({struct}, {f}));' for f in fields]
    return "\n".join(lines + ["return 0; }", ""])


def check(report):
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    if not compiler:
        raise Skip("no C compiler")
    layout = capi.layout()
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
        with open(source, "w", encoding="utf-8") as f:
            f.write(program(layout))
        subprocess.run(
            [compiler, "-I", os.path.join(places.ROOT, "include"), source, "-o", binary], check=True
        )
        text = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
    seen = {key: int(value) for key, value in (line.split() for line in text.splitlines())}
    want = {}
    for struct, (size, fields) in layout.items():
        want[struct] = size
        want.update({f"{struct}.{f}": offset for f, offset in fields.items()})
    wrong = [k for k in want if seen.get(k) != want[k]]
    report.check("layout of the C structures", not wrong, f"differs: {wrong}")
