# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds that are no plain models: corpus/text (graphs), corpus/npy (arrays, archives, sound) and
corpus/external (models whose data lies beside them; the target makes the files).

    python tests/fuzz/make_files.py        needs numpy and onnx
"""
import glob
import io
import os
import wave

import numpy as np
from onnx import TensorProto as T
from onnx import helper as h

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = """graph "kinds" (opset ai.onnx 17, example 2) (%x: float32[?0,n,max(n, 2)], %"a b": sequence<tensor, float32[*]>,
        %o: optional<tensor, int64[2]>, %m: map<tensor, int64, float32>) -> (%y, %#1) {
    const %c: complex64[1] = {1.5:-2}
    const %s: string[2] = {"a\\n", "\\xff"}
    const %e: int64[0] = {}
    const %f: float32[4] = {inf, -inf, nan, nan(0x7fc00001)}
    %y, _ = example::Many@1 "n 1" (%x, _, %"a b") { i = -3, f = 0.5, s = "q\\"", is = [1, 2], fs = [1.0, 2.5],
        ss = ["a", "b"], empty = ints [], t = tensor int8[2]{1, -1}, ts = tensors [float32[]{1}], ty = type float32[n*2+1] }
    %#1: int64[n//2] = Shape "" (%x)
}
"""


def put(folder, name, data):
    os.makedirs(os.path.join(HERE, "corpus", folder), exist_ok=True)
    with open(os.path.join(HERE, "corpus", folder, name), "wb") as file:
        file.write(data)


def texts():
    """The graphs of the cases of passes, before and after."""
    put("text", "kinds", KINDS.encode())
    for path in sorted(glob.glob(os.path.join(HERE, "..", "passes", "*.txt"))):
        name = os.path.basename(path).removesuffix(".txt")
        with open(path, encoding="utf-8") as file:
            before, after = file.read().split("--- in\n")[1].split("--- out\n")
        if name in ("all_passes", "fold_constants", "fuse_elementwise", "layout_axes", "layout_symbolic", "subgraph"):
            put("text", name + "_in", before.encode())
            put("text", name + "_out", after.encode())


def saved(save, *arguments, **named):
    file = io.BytesIO()
    save(file, *arguments, **named)
    return file.getvalue()


def arrays():
    grid = np.arange(6, dtype=np.float32).reshape(2, 3)
    kinds = {"f4": grid, "fortran": np.asfortranarray(grid), "swapped": grid.astype(">i2"), "scalar": np.float64(1.5),
             "empty": np.zeros((0, 3), np.uint8), "bool": grid > 2, "utf32": np.array(["ab", "\u00e9"]),
             "bytes": np.array([b"ab", b""]), "c16": grid.astype(np.complex128), "f2": grid.astype(np.float16)}
    for name, array in kinds.items():
        put("npy", name, saved(np.save, array))
    put("npy", "stored", saved(np.savez, first=grid, second=grid.astype(np.int64)))
    put("npy", "deflated", saved(np.savez_compressed, first=np.zeros(500), second=grid))
    for width, channels in ((1, 1), (2, 2), (3, 1), (4, 2)):
        file = io.BytesIO()
        with wave.open(file, "wb") as sound:
            sound.setparams((channels, width, 8000, 0, "NONE", ""))
            sound.writeframes(bytes(range(24)))
        put("npy", f"sound_{width}_{channels}", file.getvalue())


def external():
    places = {"whole": dict(location="w.bin"), "part": dict(location="w.bin", offset="16", length="16"),
              "folder": dict(location="sub/w.bin", offset="4096"), "link": dict(location="link", length="16"),
              "up": dict(location="up/secret"), "above": dict(location="../secret"), "loop": dict(location="loop"),
              "empty": dict(location="empty"), "itself": dict(location="model.onnx"),
              "far": dict(location="w.bin", offset="9223372036854775800")}
    for name, place in places.items():
        tensor = T(name="w", data_type=T.FLOAT, dims=[0 if name == "empty" else 4], data_location=T.EXTERNAL)
        for key, value in place.items():
            tensor.external_data.add(key=key, value=value)
        node = h.make_node("Constant", [], ["c"], value=tensor)
        outputs = [h.make_tensor_value_info(n, T.FLOAT, [4]) for n in ("w", "c")]
        model = h.make_model(h.make_graph([node], "g", [], outputs, [tensor]), ir_version=8,
                             opset_imports=[h.make_opsetid("", 13)])
        put("external", name, model.SerializeToString())


if __name__ == "__main__":
    for make in (texts, arrays, external):
        make()
