# SPDX-License-Identifier: Apache-2.0
"""The ONNX backend suites as folders of tests: the installed onnx package makes the node tests of
its version and carries the other kinds; ../shared has packed ones with ONNX Runtime's results.

    python3 tests/conformance/suites.py FOLDER     writes the package's node tests there
"""

import csv
import os
import shutil
import subprocess
import sys
import tarfile
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import places  # noqa: E402
from report import Skip  # noqa: E402

KINDS = ["node", "simple", "pytorch-converted", "pytorch-operator", "light"]
ORT_RESULTS = ("conformance", "ort-1.30.0-results")


class Suite:
    """Folders of tests, a prefix for their names, and {test: passes in ONNX Runtime} or {}."""

    def __init__(self, name, folders, ort_passes):
        self.name, self.folders, self.ort_passes = name, folders, ort_passes


def ort_passes(*tables):
    """{test name: did it pass} of tables of stored results; in the last that has it, counts."""
    result = {}
    for table in tables:
        with open(places.shared(*ORT_RESULTS, table), newline="") as f:
            for row in csv.reader(f, delimiter="\t"):
                result[row[0]] = row[1] == "PASS"
    return result


def made_once(folder, make):
    """make(folder) unless that was done before; a half-made folder is made anew."""
    done = os.path.join(folder, ".done")
    if not os.path.exists(done):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        make(folder)
        open(done, "w").close()
    return folder


def unpack(archive, folder):
    try:
        import zstandard
    except ImportError as e:
        raise Skip("no Python package zstandard") from e
    with open(archive, "rb") as f, zstandard.ZstdDecompressor().stream_reader(f) as stream:
        with tarfile.open(fileobj=stream, mode="r|") as tar:
            # Python before 3.11.4 has no filters; the archives are our own input.
            tar.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))


def shared_suite(name, ort_tables):
    archive = places.shared("conformance", name + ".tar.zst")
    folder = made_once(
        os.path.join(places.BUILD, "conformance", name), lambda into: unpack(archive, into)
    )
    (top,) = [os.path.join(folder, d) for d in os.listdir(folder) if not d.startswith(".")]
    kinds = [os.path.join(top, k) for k in KINDS if os.path.isdir(os.path.join(top, k))]
    return Suite(name, kinds or [top], ort_passes(*ort_tables))


def write_value(path, value, info):
    import onnx
    from onnx import numpy_helper

    kind = info.type.WhichOneof("value")
    make = {
        "map_type": numpy_helper.from_dict,
        "sequence_type": numpy_helper.from_list,
        "optional_type": numpy_helper.from_optional,
    }.get(kind, numpy_helper.from_array)
    proto = value if isinstance(value, onnx.TensorProto) else make(value, info.name)
    with open(path, "wb") as f:
        f.write(proto.SerializeToString())


def write_node_tests(folder):
    """All node tests of the installed onnx package in the suite's layout."""
    warnings.simplefilter("ignore")
    from onnx.backend.test.loader import load_node_model_tests

    for case in load_node_model_tests():
        for i, (inputs, outputs) in enumerate(case.data_sets):
            data = os.path.join(folder, case.name, f"test_data_set_{i}")
            os.makedirs(data)
            for kind, values, infos in (
                ("input", inputs, case.model.graph.input),
                ("output", outputs, case.model.graph.output),
            ):
                for k, value in enumerate(values):
                    write_value(os.path.join(data, f"{kind}_{k}.pb"), value, infos[k])
        with open(os.path.join(folder, case.name, "model.onnx"), "wb") as f:
            f.write(case.model.SerializeToString())


def package_suite():
    try:
        import onnx
    except ImportError as e:
        raise Skip("no Python package onnx") from e

    def make(into):
        # In a process of its own: importing all cases leaves hundreds of modules behind.
        subprocess.run([sys.executable, os.path.abspath(__file__), into], check=True)

    node = made_once(os.path.join(places.BUILD, "conformance", "onnx-" + onnx.__version__), make)
    data = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data")
    kinds = [os.path.join(data, k) for k in KINDS if os.path.isdir(os.path.join(data, k))]
    return Suite("onnx-" + onnx.__version__, [node] + kinds, {})


SUITES = {
    "package": package_suite,
    "backend": lambda: shared_suite(
        "onnx-backend-1951",
        [
            "node.tsv",
            "node-allow-unreleased-opset.tsv",
            "simple.tsv",
            "pytorch-converted.tsv",
            "pytorch-operator.tsv",
        ],
    ),
    "history": lambda: shared_suite("onnx-node-history", ["node-history.tsv"]),
}

if __name__ == "__main__":
    write_node_tests(sys.argv[1])
