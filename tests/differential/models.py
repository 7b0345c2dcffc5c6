# SPDX-License-Identifier: Apache-2.0
"""A drawn case as an ONNX model and its feeds.

Each tensor input is at random a constant of the file or fed at run time, and then declared with its
shape, with named dimensions, or without a shape. Types that NumPy lacks pass a Cast at the borders.
"""

import os

import numpy as np
import onnx
from onnx import TensorProto as TP
from onnx import helper, numpy_helper

from draw import BORDER, Mapping

IR_VERSION = 10
STANDARD_BESIDE = 21  # ai.onnx, in models of another domain


def declared(d, name, number, shape):
    style = d.pick(["shape", "shape", "names", "nothing"])
    if style == "nothing":
        info = helper.make_tensor_value_info(name, number, None)
    elif style == "names":
        dims = [f"{name}_{k}" if d.chance(0.6) else n for k, n in enumerate(shape)]
        info = helper.make_tensor_value_info(name, number, dims)
    else:
        info = helper.make_tensor_value_info(name, number, shape)
    return info


class Builder:
    def __init__(self, d, opset):
        self.d, self.opset = d, opset
        self.nodes, self.inputs, self.constants, self.feeds = [], [], [], {}

    def constant(self, name, values):
        values = np.asarray(values)
        if values.dtype == object:
            flat = [str(v).encode() for v in values.ravel()]
            self.constants.append(helper.make_tensor(name, TP.STRING, values.shape, flat))
        else:
            self.constants.append(numpy_helper.from_array(np.asarray(values, order="C"), name))

    def tensor(self, name, operand, constant_share=0.35):
        """The name under which the operand stands in the graph."""
        number, values = operand.number, operand.values
        outer = BORDER[number][0] if number in BORDER else number
        source = name + "_wide" if number in BORDER else name
        if self.d.chance(constant_share):
            self.constant(source, values)
        else:
            self.inputs.append(declared(self.d, source, outer, values.shape))
            self.feeds[source] = values
        if number in BORDER:
            self.nodes.append(helper.make_node("Cast", [source], [name], to=number))
        return name

    def sequence(self, name, items):
        element = helper.make_tensor_type_proto(items[0].number, None)
        kind = helper.make_sequence_type_proto(element)
        self.inputs.append(helper.make_value_info(name, kind))
        self.feeds[name] = [item.values for item in items]
        return name

    def mapping(self, name, table):
        is_text = isinstance(next(iter(table.items)), str)
        item = helper.make_tensor_type_proto(table.number, [])
        kind = helper.make_map_type_proto(TP.STRING if is_text else TP.INT64, item)
        self.inputs.append(helper.make_value_info(name, kind))
        self.feeds[name] = table.items
        return name

    def operand(self, name, thing):
        if thing is None:
            return ""
        if isinstance(thing, Mapping):
            return self.mapping(name, thing)
        if isinstance(thing, list):
            return self.sequence(name, thing)
        return self.tensor(name, thing)

    def model(self, outputs, domain=""):
        infos = [onnx.ValueInfoProto(name=name) for name in outputs]
        graph = helper.make_graph(self.nodes, "case", self.inputs, infos, self.constants)
        imports = [helper.make_opsetid(domain, self.opset)]
        if domain:
            imports.append(helper.make_opsetid("", STANDARD_BESIDE))
        return helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION)


def attribute(node, schema, name, value):
    kinds = {
        onnx.defs.OpSchema.AttrType.FLOAT: float,
        onnx.defs.OpSchema.AttrType.INT: int,
        onnx.defs.OpSchema.AttrType.FLOATS: lambda v: [float(x) for x in v],
    }
    known = schema.attributes.get(name) if schema else None
    if known and known.type in kinds:
        value = kinds[known.type](value)
    attr_type = None
    if isinstance(value, (list, tuple)) and not value:
        attr_type = onnx.AttributeProto.INTS
    if isinstance(value, np.ndarray):
        value = numpy_helper.from_array(value)
    node.attribute.append(helper.make_attribute(name, value, attr_type=attr_type))


def of_case(d, case):
    """(model, feeds) of a drawn case."""
    b = Builder(d, d.opset)
    names = [b.operand(f"x{i}", thing) for i, thing in enumerate(case.inputs)]
    for name, operand in case.captures.items():
        b.tensor(name, operand)
    outputs = [f"y{i}" for i in range(case.n_out)]
    node = helper.make_node(d.operator, names, outputs, name="node", domain=d.domain)
    for name, value in case.attributes.items():
        attribute(node, d.schema, name, value)
    b.nodes.append(node)
    model = b.model(outputs, d.domain)
    if not d.domain and d.schema:
        widen_outputs(model, by_schema(d, outputs))
    return model, b.feeds


def by_schema(d, outputs):
    """{output: type} where a type variable that was drawn tells it."""
    formal = [o.type_str for o in d.schema.outputs]
    return {n: d.types[t] for n, t in zip(outputs, formal) if t in d.types}


def inferred_of(model):
    """The model with its types; as it is where ONNX's own inference gives up."""
    try:
        return onnx.shape_inference.infer_shapes(model)
    except onnx.shape_inference.InferenceError:
        return model


def widen_outputs(model, known):
    """A Cast behind each output whose type NumPy lacks."""
    inferred = inferred_of(model)
    types = {v.name: v.type.tensor_type.elem_type for v in inferred.graph.output}
    for info in model.graph.output:
        number = known.get(info.name) or types.get(info.name)
        if number in BORDER:
            narrow, info.name = info.name, info.name + "_wide"
            cast = helper.make_node("Cast", [narrow], [info.name], to=BORDER[number][0])
            model.graph.node.append(cast)


def narrow_outputs(model, known):
    """{output index: type before the Cast at the border}"""
    wide = {n.output[0]: n.input[0] for n in model.graph.node if n.op_type == "Cast"}
    inferred = inferred_of(model)
    types = {v.name: v.type.tensor_type.elem_type for v in inferred.graph.value_info}
    return {
        i: known.get(wide[o.name]) or types.get(wide[o.name])
        for i, o in enumerate(model.graph.output)
        if o.name.endswith("_wide") and o.name in wide
    }


def text_of(model, feeds):
    """The model in ONNX's text form and its inputs, for a report."""
    lines = [onnx.printer.to_text(model)]
    for name, value in feeds.items():
        if isinstance(value, dict):
            lines.append(f"{name}: {value}")
            continue
        items = value if isinstance(value, list) else [value]
        for item in items:
            dims = list(item.shape)
            shown = np.array2string(item, threshold=64, separator=",").replace("\n", " ")
            lines.append(f"{name}: {item.dtype}{dims} {shown}")
    return "\n".join(lines)


def save(folder, name, model, feeds):
    """FOLDER/NAME: model.onnx and test_data_set_0/input_*.pb, as ONNX's own suites have it."""
    data = os.path.join(folder, name, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    onnx.save(model, os.path.join(folder, name, "model.onnx"))
    for i, value in enumerate(model.graph.input):
        fed = feeds[value.name]
        make = {list: numpy_helper.from_list, dict: numpy_helper.from_dict}.get(
            type(fed), numpy_helper.from_array
        )
        with open(os.path.join(data, f"input_{i}.pb"), "wb") as f:
            f.write(make(fed, value.name).SerializeToString())
