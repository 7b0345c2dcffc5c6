# SPDX-License-Identifier: Apache-2.0
"""ONNX files byte by byte: the protobuf wire format and the messages of onnx.proto, without any
check, so that a file can say what no library would write. Field numbers are those of onnx.proto."""

import struct

FLOAT, UINT8, INT8, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE = 1, 2, 3, 6, 7, 8, 9, 10, 11
UINT4, INT4, UINT2 = 21, 22, 25


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def tag(number, wire):
    return varint(number << 3 | wire)


def field(number, value):
    """One field: integers as varints, floats as 32 bits, text and bytes by length."""
    if isinstance(value, int):
        return tag(number, 0) + varint(value)
    if isinstance(value, float):
        return tag(number, 5) + struct.pack("<f", value)
    if isinstance(value, str):
        value = value.encode()
    return tag(number, 2) + varint(len(value)) + value


def repeated(number, values):
    return b"".join(field(number, value) for value in values)


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def int64s(*values):
    return struct.pack(f"<{len(values)}q", *values)


def tensor(name, dims, dtype, raw=None, extra=b""):
    out = repeated(1, dims) + field(2, dtype) + field(8, name)
    return out + (field(9, raw) if raw is not None else b"") + extra


def ints(name, *values):
    """An int64 vector."""
    return tensor(name, [len(values)], INT64, int64s(*values))


def external(name, dims, dtype, *entries):
    """A tensor whose data lie elsewhere; entries are pairs of key and value."""
    pairs = b"".join(field(13, field(1, key) + field(2, value)) for key, value in entries)
    return tensor(name, dims, dtype, extra=pairs + field(14, 1))


class Graph(bytes):
    """A GraphProto where an attribute's value is expected."""


class Tensor(bytes):
    """A TensorProto where an attribute's value is expected."""


def attribute(name, value):
    """An AttributeProto of the type that the Python value suggests."""
    out = field(1, name)
    if isinstance(value, Graph):
        return out + field(6, bytes(value)) + field(20, 5)
    if isinstance(value, Tensor):
        return out + field(5, bytes(value)) + field(20, 4)
    if isinstance(value, float):
        return out + field(2, value) + field(20, 1)
    if isinstance(value, int):
        return out + field(3, value) + field(20, 2)
    if isinstance(value, (str, bytes)):
        return out + field(4, value) + field(20, 3)
    if value and isinstance(value[0], float):
        return out + b"".join(field(7, v) for v in value) + field(20, 6)
    if value and isinstance(value[0], str):
        return out + repeated(9, value) + field(20, 8)
    return out + repeated(8, value) + field(20, 7)


def node(op, inputs, outputs, attrs=(), domain="", name="", raw_attrs=()):
    """attrs: name → value; raw_attrs: AttributeProtos as bytes."""
    out = repeated(1, inputs) + repeated(2, outputs) + field(4, op)
    out += field(3, name) if name else b""
    out += field(7, domain) if domain else b""
    return out + repeated(5, [attribute(*pair) for pair in dict(attrs).items()] + list(raw_attrs))


def shape_of(dims):
    return b"".join(
        field(1, field(2, dim) if isinstance(dim, (str, bytes)) else field(1, dim)) for dim in dims
    )


def value(name, dtype=FLOAT, dims=None):
    """A ValueInfoProto; dims None: of no known rank; a string is a dimension's name."""
    kind = field(1, dtype) + (field(2, shape_of(dims)) if dims is not None else b"")
    return field(1, name) + field(2, field(1, kind))


def graph(nodes, inputs=(), outputs=(), initializers=(), name="g"):
    return Graph(
        repeated(1, nodes)
        + field(2, name)
        + repeated(5, initializers)
        + repeated(11, inputs)
        + repeated(12, outputs)
    )


def opset(version, domain=""):
    return (field(1, domain) if domain else b"") + field(2, version)


def model(body, opsets=None, functions=(), ir_version=8):
    opsets = [opset(17)] if opsets is None else opsets
    out = field(1, ir_version) + field(7, bytes(body))
    return out + repeated(8, opsets) + repeated(25, functions)


def function(name, nodes, inputs=("x",), outputs=("y",), domain="local", attrs=(), version=17):
    out = field(1, name) + repeated(4, inputs) + repeated(5, outputs) + repeated(6, attrs)
    return out + repeated(7, nodes) + field(9, opset(version)) + field(10, domain)


def simple(*nodes, x=(4,), dtype=FLOAT, initializers=(), version=17, functions=(), opsets=None):
    """A model from input x to output y, of these nodes."""
    inputs = [] if x is None else [value("x", dtype, x)]
    body = graph(nodes, inputs, [value("y")], initializers)
    opsets = opsets or [opset(version), opset(1, "local"), opset(1, "com.microsoft")]
    return model(body, opsets, functions)
