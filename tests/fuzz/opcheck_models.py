# SPDX-License-Identifier: Apache-2.0
"""Cases of operators (what opcheck --list prints) as models of one node, to fuzz from.

    python tests/fuzz/opcheck_models.py FOLDER [OPERATOR…]    every case, into a folder
    python tests/fuzz/opcheck_models.py                        one case each of FAMILIES, into corpus/ops

INGOT_BUILD (default: build) has opcheck. Needs numpy and onnx.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "opcheck")]

import ort  # noqa: E402
from onnx import TensorProto as T  # noqa: E402
from onnx import ValueInfoProto, helper  # noqa: E402

# Operators of each kind. Of each the case with the most constants and attributes is taken; of several the smallest.
FAMILIES = """
AffineGrid ArgMax Attention AveragePool BatchNormalization Binarizer Cast CategoryMapper CausalConvWithState
CenterCropPad Compress ConvInteger ConvTranspose CumSum DFT DeformConv DepthToSpace DynamicQuantizeLinear Einsum
FusedConv Gather GatherElements GRU GridSample InstanceNormalization LSTM LayerNormalization
LinearClassifier LpPool MaxUnpool MelWeightMatrix Multinomial OneHot Pad QLinearConv QLinearMatMul RNN
ReduceSumSquare RegexFullMatch Resize ReverseSequence RoiAlign RotaryEmbedding SVMClassifier ScatterND SequenceInsert
SoftmaxCrossEntropyLoss StringNormalizer StringSplit TfIdfVectorizer TopK TreeEnsemble TreeEnsembleClassifier Unique
Where""".split()
MOST_BYTES = 2000
FRACTIONS = (T.FLOAT, T.DOUBLE, T.FLOAT16, T.BFLOAT16)


def model_of(case, has_choice):
    """has_choice: inputs that are no fractions may be fed, too; else they are constants, since most of what could be fed
    makes no sense as an index or a size."""
    inputs, initializers, names = [], [], []
    for i, value in enumerate(case["inputs"]):
        names.append(f"i{i}" if value else "")
        is_const = value and (value["is_const"] or not has_choice and value["dtype"] not in FRACTIONS)
        if is_const and value["kind"] == "tensor":
            initializers.append(ort.tensor_of(f"i{i}", value))
        elif value:
            inputs.append(helper.make_value_info(f"i{i}", ort.type_of(value)))
    outputs = [f"o{i}" for i in range(case["n_out"])]
    node = helper.make_node(case["op"], names, outputs, name="n", domain=case["domain"])
    ort.add_attributes(node, case)
    graph = helper.make_graph([node], "case", inputs, [ValueInfoProto(name=name) for name in outputs], initializers)
    imports = [helper.make_opsetid(case["domain"], case["opset"])]
    if case["domain"]:
        imports.append(helper.make_opsetid("", 21))
    return helper.make_model(graph, opset_imports=imports, ir_version=10, producer_name="seeds")


def models(operators, has_choice=False):
    """(case, bytes) of those that can be written; subgraphs cannot."""
    for case in ort.cases(operators):
        try:
            yield case, model_of(case, has_choice).SerializeToString()
        except ort.NoOracle:
            continue


def write(folder, name, data):
    with open(os.path.join(folder, name + ".onnx"), "wb") as file:
        file.write(data)


def export(folder, operators):
    os.makedirs(folder, exist_ok=True)
    for has_choice in (False, True):
        for n, (case, data) in enumerate(models(operators, has_choice)):
            write(folder, f"{case['op']}_{n}_{has_choice:d}", data)


def select():
    best = {}
    for case, data in models(FAMILIES):
        if case["fails"] is not None or len(data) > MOST_BYTES:
            continue
        rank = (sum(bool(v and v["is_const"]) for v in case["inputs"]) + len(case["attrs"]), -len(data))
        if case["op"] not in best or rank > best[case["op"]][0]:
            best[case["op"]] = rank, data
    os.makedirs(os.path.join(HERE, "corpus", "ops"), exist_ok=True)
    for operator in FAMILIES:
        if operator not in best:
            sys.exit(f"no case of {operator} with at most {MOST_BYTES} bytes")
        write(os.path.join(HERE, "corpus", "ops"), operator, best[operator][1])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        export(sys.argv[1], sys.argv[2:])
    else:
        select()
