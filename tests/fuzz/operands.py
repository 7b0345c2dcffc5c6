# SPDX-License-Identifier: Apache-2.0
"""Models of one node whose operands do not fit the operator: every input of a case of every operator, one at a time, gets
another shape or type, is left out, is the first input again, or stands once more behind the last one."""

import collections
import random

import opcheck_models
from onnx import ModelProto, TensorProto, helper, numpy_helper

import numpy as np

TYPES = (TensorProto.INT8, TensorProto.INT64, TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE)
MOST_BYTES = 3000


def shapes_beside(shape):
    """Shapes that differ from `shape` in rank, in one dimension or in all of them."""
    others = [[], [1], [1] * len(shape), [2] * len(shape), [1, *shape], shape[1:], [0, *shape[1:]], shape[::-1],
              [n + 1 for n in shape], [max(n - 1, 0) for n in shape]]
    return [other for k, other in enumerate(others) if other != shape and other not in others[:k]]


def operand(model, name):
    """(what holds it, its place there, element type, shape) of a tensor that can be made again, else None."""
    for k, tensor in enumerate(model.graph.initializer):
        if tensor.name == name and tensor.data_type != TensorProto.STRING:
            return model.graph.initializer, k, tensor.data_type, list(tensor.dims)
    for k, value in enumerate(model.graph.input):
        if value.name == name and value.type.HasField("tensor_type"):
            of = value.type.tensor_type
            return model.graph.input, k, of.elem_type, [d.dim_value for d in of.shape.dim]
    return None


def with_operand(model, name, dtype, shape):
    """The model where this input has another type or shape; constants keep their first elements."""
    changed = copy_of(model)
    holder, k, old_type, _ = operand(changed, name)
    if holder is changed.graph.input:
        holder[k].CopyFrom(helper.make_tensor_value_info(name, dtype, shape))
        return changed
    old = numpy_helper.to_array(holder[k])
    kind = helper.tensor_dtype_to_np_dtype(dtype)
    source = old if dtype == old_type and old.size else np.ones(1)
    holder[k].CopyFrom(numpy_helper.from_array(np.resize(source, shape).astype(kind).reshape(shape), name))
    return changed


def copy_of(model):
    copy = ModelProto()
    copy.CopyFrom(model)
    return copy


def misfits(model):
    """(what was done, model)."""
    names = model.graph.node[0].input
    for i, name in enumerate(names):
        if not name:
            continue
        changed = copy_of(model)
        changed.graph.node[0].input[i] = ""
        yield f"{i} left out", changed
        changed = copy_of(model)
        changed.graph.node[0].input.append(name)
        yield f"{i} once more", changed
        if i and names[0]:
            changed = copy_of(model)
            changed.graph.node[0].input[i] = names[0]
            yield f"{i} is the first", changed
        found = operand(model, name)
        if not found:
            continue
        _, _, dtype, shape = found
        for other in shapes_beside(shape):
            yield f"{i} of shape {other}", with_operand(model, name, dtype, other)
        for other in TYPES:
            if other != dtype:
                yield f"{i} of type {TensorProto.DataType.Name(other)}", with_operand(model, name, other, shape)


def cases(per_operator):
    """Small cases of each operator, those with the most inputs first, the others by chance."""
    found = collections.defaultdict(list)
    for has_choice in (True, False):
        for case, data in opcheck_models.models([], has_choice):
            if len(data) <= MOST_BYTES:
                found[case["domain"], case["op"]].append(ModelProto.FromString(data))
    rng = random.Random(1)
    for (_, op), models in sorted(found.items()):
        models.sort(key=lambda model: -sum(map(bool, model.graph.node[0].input)))
        first, rest = models[: per_operator // 2 + 1], models[per_operator // 2 + 1 :]
        for model in first + rng.sample(rest, min(len(rest), per_operator // 2)):
            yield op, model
