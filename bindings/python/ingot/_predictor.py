# SPDX-License-Identifier: Apache-2.0
"""Classifiers and regressors with the methods of scikit-learn's estimators."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import InvalidError
from ._inspect import Model, Port, _session


class Predictor:
    """A converted estimator (trees, linear models, pipelines): predict and predict_proba over rows.

    The model has one input of rows by features, or one input of rows by 1 for each column of a table. A classifier's
    outputs are labels, and probabilities as a tensor or as one map a row; a regressor has one output of numbers.
    """

    def __init__(self, model: Model, **options: Any) -> None:
        self.session = _session(model, options)
        if not self.session.inputs or not self.session.outputs:
            raise InvalidError("a predictor needs a model with an input and an output")
        outputs = self.session.outputs
        self._is_classifier = len(outputs) > 1
        self._scores = outputs[1] if self._is_classifier else outputs[0]
        self._classes: np.ndarray | None = None

    @property
    def n_features_in_(self) -> int | None:
        """Columns of X; None where the model does not fix it."""
        inputs = self.session.inputs
        if len(inputs) > 1:
            return len(inputs)
        shape = inputs[0].shape
        return shape[-1] if shape and isinstance(shape[-1], int) else None

    @property
    def classes_(self) -> np.ndarray:
        """Labels in the order of the columns of predict_proba. Models whose probabilities are a tensor do not name
        theirs: these are numbered."""
        if not self._is_classifier:
            raise AttributeError("a regressor has no classes_")
        if self._classes is None:
            raise AttributeError("classes_ are known after the first predict_proba")
        return self._classes

    def _feeds(self, X: Any) -> dict[str, Any]:
        inputs = self.session.inputs
        if len(inputs) == 1:
            return {inputs[0].name: _matrix(X, inputs[0])}
        table = X if hasattr(X, "columns") else np.asarray(X)
        if not hasattr(X, "columns") and (table.ndim != 2 or table.shape[1] != len(inputs)):
            raise InvalidError(f"X has shape {table.shape}, the model wants {len(inputs)} columns")
        columns = {}
        for i, port in enumerate(inputs):
            column = table[port.name] if hasattr(X, "columns") else table[:, i]
            columns[port.name] = _matrix(np.asarray(column).reshape(-1, 1), port)
        return columns

    def predict(self, X: Any) -> np.ndarray:
        """Labels of a classifier, numbers of a regressor: one a row, or one row of targets."""
        name = self.session.output_names[0]
        result = np.asarray(self.session.run(self._feeds(X), name)[name])
        return result.reshape(-1) if result.ndim == 2 and result.shape[1] == 1 else result

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of a classifier, rows by classes."""
        if not self._is_classifier:
            raise AttributeError("a regressor has no predict_proba")
        name = self._scores.name
        result = self.session.run(self._feeds(X), name)[name]
        if isinstance(result, list):  # one map a row
            if result:
                self._classes = np.array(list(result[0]))
            return np.array([list(row.values()) for row in result], dtype=np.float32)
        if self._classes is None:
            self._classes = np.arange(result.shape[1])
        return np.asarray(result)


def _matrix(X: Any, port: Port) -> np.ndarray:
    """X as the input wants it; estimators convert numbers, and so does this."""
    if port.dtype == "string":
        return np.asarray(X, dtype=object)
    array = np.ascontiguousarray(np.asarray(X), dtype=port.numpy_dtype)
    if array.ndim != 2:
        raise InvalidError(f"X has {array.ndim} dimensions, it must have rows and columns")
    return array
