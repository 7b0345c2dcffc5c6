#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Real models on real input, as a newcomer meets them; called by `make demo`.
#
#   examples/demo.sh [--offline]
#
# INGOT is the program (default: build/src/cli/ingot), INGOT_PYTHON the Python with numpy, onnx, onnxruntime and pillow
# (default: build/venv's, which is made if it can be, else the system's). What cannot be had is named and left out.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

if [ -z "${INGOT_PYTHON:-}" ]; then
    INGOT_PYTHON=$root/build/venv/bin/python
    case " $* " in *" --offline "*) ;; *) "$root/tools/deps" venv ;; esac
    [ -x "$INGOT_PYTHON" ] || INGOT_PYTHON=$(command -v python3 || true)
fi
ingot=${INGOT:-$root/build/src/cli/ingot}

if [ -z "$INGOT_PYTHON" ]; then
    echo "No Python here, so only the digits that are in the repository:"
    exec "$ingot" run "$root/examples/digits.onnx" "$root/examples/digits" --top 1
fi
INGOT=$ingot exec "$INGOT_PYTHON" "$root/examples/demo.py" "$@"
