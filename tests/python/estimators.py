# SPDX-License-Identifier: Apache-2.0
"""Predictor on tree models."""

import ingot
import numpy as np
from models import FLOAT, INT64, STRING, model, node, tensor
from onnx import helper


def tree(kind, **more):
    """One split: feature 1 <= 2.5."""
    return node(
        kind, ["X"], ["label", "scores"] if kind.endswith("Classifier") else ["y"], domain="ai.onnx.ml",
        nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[1, 0, 0], nodes_values=[2.5, 0.0, 0.0],
        nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"], nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0], **more,
    )


def classifier(labels, key, as_maps):
    names = {"classlabels_strings" if key == STRING else "classlabels_int64s": labels}
    weights = dict(class_treeids=[0] * 4, class_nodeids=[1, 1, 2, 2], class_ids=[0, 1, 0, 1], class_weights=[0.9, 0.1, 0.2, 0.8])
    nodes = [tree("TreeEnsembleClassifier", **names, **weights)]
    outputs = [tensor("label", key, [None]), tensor("scores", FLOAT, [None, 2])]
    if as_maps:
        nodes.append(node("ZipMap", ["scores"], ["maps"], domain="ai.onnx.ml", **names))
        row = helper.make_map_type_proto(key, helper.make_tensor_type_proto(FLOAT, None))
        outputs[1] = helper.make_value_info("maps", helper.make_sequence_type_proto(row))
    return model(nodes, [tensor("X", FLOAT, [None, 2])], outputs, ml=3)


def classifiers(report):
    X = [[0, 1], [0, 2.5], [0, 9]]
    for labels, key in (([3, 5], INT64), (["no", "yes"], STRING)):
        want = [labels[0], labels[0], labels[1]]
        for as_maps in (False, True):
            predictor = ingot.Predictor(classifier(labels, key, as_maps), threads=1)
            shown = f"classifier of {labels}, {'maps' if as_maps else 'tensor'}"
            report.check(f"{shown}: predict", predictor.predict(X).tolist() == want, repr(predictor.predict(X)))
            proba = predictor.predict_proba(np.array(X))
            report.check(f"{shown}: predict_proba", np.allclose(proba, [[0.9, 0.1], [0.9, 0.1], [0.2, 0.8]]), repr(proba))
            report.check(f"{shown}: classes_", predictor.classes_.tolist() == (labels if as_maps else [0, 1]), repr(predictor.classes_))
            report.check(f"{shown}: n_features_in_", predictor.n_features_in_ == 2)


def regressors(report):
    data = model(
        [tree("TreeEnsembleRegressor", n_targets=1, target_treeids=[0, 0], target_nodeids=[1, 2], target_ids=[0, 0], target_weights=[1.5, -4.0])],
        [tensor("X", FLOAT, [None, 2])],
        [tensor("y", FLOAT, [None, 1])],
        ml=3,
    )
    predictor = ingot.Predictor(data)
    got = predictor.predict([[0, 1], [0, 9]])
    report.check("regressor", got.shape == (2,) and got.tolist() == [1.5, -4], repr(got))
    report.check("a regressor has no predict_proba", not hasattr(predictor, "classes_"))
    try:
        predictor.predict([1.0, 2.0])
        report.failed("one row without a table", "is taken")
    except ingot.InvalidError as e:
        report.passed("one row without a table", str(e))


def columns(report):
    """One input for each column, by position and by name."""
    data = model(
        [node("Mul", ["width", "height"], ["area"])],
        [tensor("width", FLOAT, [None, 1]), tensor("height", FLOAT, [None, 1])],
        [tensor("area", FLOAT, [None, 1])],
    )
    predictor = ingot.Predictor(ingot.Session(data))
    report.check("columns by position", predictor.predict([[2, 3], [4, 5]]).tolist() == [6, 20])

    class Table(dict):
        columns = ("height", "width")

    report.check("columns by name", predictor.predict(Table(height=[3, 5], width=[2, 4])).tolist() == [6, 20])
    report.check("n_features_in_", predictor.n_features_in_ == 2)


ALL = [classifiers, regressors, columns]
