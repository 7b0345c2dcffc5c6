# SPDX-License-Identifier: Apache-2.0
"""Models of one node whose operands and attributes do not fit the operator. One at a time, every input of a case gets another
shape, type or (constants) other contents, is left out, is the first input again, or stands once more behind the last one;
and every attribute gets other values, or is left out."""

import collections
import random

import opcheck_models
from onnx import AttributeProto, ModelProto, TensorProto, helper, numpy_helper

import numpy as np

TYPES = (TensorProto.INT8, TensorProto.INT64, TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE)
INTS = (0, 1, -1, 2, 3, 17, -(2**31), 2**31, 2**32 + 1, 2**62, 2**63 - 1, -(2**63))
FLOATS = (0.0, -1.0, 1e-45, 3.4e38, float("inf"), float("-inf"), float("nan"))
STRINGS = (b"", b"x", b"\xff\xfe")
MOST_BYTES = 3000


def shapes_beside(shape):
    """Shapes that differ from `shape` in rank, in one dimension or in all of them."""
    others = [[], [1], [1] * len(shape), [2] * len(shape), [1, *shape], shape[1:], [0, *shape[1:]], shape[::-1],
              [n + 1 for n in shape], [max(n - 1, 0) for n in shape]]
    for d in range(len(shape)):
        others += [[*shape[:d], n, *shape[d + 1 :]] for n in (0, 1)]
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


def contents_beside(array):
    """Arrays of the same shape and type with a number as all elements, or as the first one."""
    if array.dtype.kind not in "iuf" or not array.size:
        return
    is_float = array.dtype.kind == "f"
    limits = None if is_float else np.iinfo(array.dtype)
    for number in FLOATS if is_float else INTS:
        if not is_float and not limits.min <= number <= limits.max:
            continue
        yield f"all {number}", np.full_like(array, number)
        changed = array.copy()
        changed.flat[0] = number
        yield f"first {number}", changed


def misfit_contents(model, name):
    """(what was done, model) of a constant."""
    holder, k, _, _ = operand(model, name)
    if holder is not model.graph.initializer:
        return
    with np.errstate(over="ignore"):
        for what, array in contents_beside(numpy_helper.to_array(holder[k])):
            changed = copy_of(model)
            changed.graph.initializer[k].CopyFrom(numpy_helper.from_array(array, name))
            yield what, changed


def copy_of(model):
    copy = ModelProto()
    copy.CopyFrom(model)
    return copy


def lists_beside(values, scalars):
    """Other lengths of a list, and other values at one place of it."""
    yield []
    yield values[:-1]
    yield [*values, *(values[-1:] or scalars[:1])]
    for scalar in scalars:
        yield [scalar, *values[1:]]
        yield [*values[:-1], scalar]


def attributes_beside(attribute):
    """Values of the same kind; none for kinds that are no numbers or strings."""
    kinds = {
        AttributeProto.FLOAT: ("f", FLOATS),
        AttributeProto.INT: ("i", INTS),
        AttributeProto.STRING: ("s", STRINGS),
        AttributeProto.FLOATS: ("floats", FLOATS),
        AttributeProto.INTS: ("ints", INTS),
        AttributeProto.STRINGS: ("strings", STRINGS),
    }
    if attribute.type not in kinds:
        return
    field, scalars = kinds[attribute.type]
    is_list = field.endswith("s") and len(field) > 1
    for value in lists_beside(list(getattr(attribute, field)), scalars) if is_list else scalars:
        yield field, value


def misfit_attributes(model):
    """(what was done, model)."""
    for k, attribute in enumerate(model.graph.node[0].attribute):
        changed = copy_of(model)
        del changed.graph.node[0].attribute[k]
        yield f"attribute {attribute.name} left out", changed
        for field, value in attributes_beside(attribute):
            changed = copy_of(model)
            target = changed.graph.node[0].attribute[k]
            target.ClearField(field)
            if isinstance(value, list):
                getattr(target, field).extend(value)
            else:
                setattr(target, field, value)
            yield f"attribute {attribute.name} {value}"[:80], changed


def misfits(model):
    """(what was done, model)."""
    yield from misfit_attributes(model)
    names = model.graph.node[0].input
    for i, name in enumerate(names):
        if not name:
            continue
        changed = copy_of(model)
        changed.graph.node[0].input[i] = ""
        yield f"input {i} left out", changed
        changed = copy_of(model)
        changed.graph.node[0].input.append(name)
        yield f"input {i} once more", changed
        if i and names[0]:
            changed = copy_of(model)
            changed.graph.node[0].input[i] = names[0]
            yield f"input {i} is the first", changed
        found = operand(model, name)
        if not found:
            continue
        _, _, dtype, shape = found
        for what, changed in misfit_contents(model, name):
            yield f"input {i} {what}", changed
        for other in shapes_beside(shape):
            yield f"input {i} of shape {other}", with_operand(model, name, dtype, other)
        for other in TYPES:
            if other != dtype:
                yield f"input {i} of type {TensorProto.DataType.Name(other)}", with_operand(model, name, other, shape)


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
