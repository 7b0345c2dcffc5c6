# SPDX-License-Identifier: Apache-2.0
"""Drawing of what a case is made of: types, shapes, numbers, axes. Everything follows from the seed.

A Draw belongs to one case of one operator at one opset. Types come from ONNX's own schema, so that
no list of types stands here: d.type("T") draws one for the type variable T, and remembers it.
"""

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto as TP

TYPE_NUMBERS = {  # as schemas write them: number
    "float": TP.FLOAT,
    "double": TP.DOUBLE,
    "float16": TP.FLOAT16,
    "bfloat16": TP.BFLOAT16,
    "int8": TP.INT8,
    "int16": TP.INT16,
    "int32": TP.INT32,
    "int64": TP.INT64,
    "uint8": TP.UINT8,
    "uint16": TP.UINT16,
    "uint32": TP.UINT32,
    "uint64": TP.UINT64,
    "bool": TP.BOOL,
    "string": TP.STRING,
    "int4": TP.INT4,
    "uint4": TP.UINT4,
    "float8e4m3fn": TP.FLOAT8E4M3FN,
    "float8e4m3fnuz": TP.FLOAT8E4M3FNUZ,
    "float8e5m2": TP.FLOAT8E5M2,
    "float8e5m2fnuz": TP.FLOAT8E5M2FNUZ,
}
NAMES = {number: name for name, number in TYPE_NUMBERS.items()}
NUMPY = {
    TP.FLOAT: np.float32,
    TP.DOUBLE: np.float64,
    TP.FLOAT16: np.float16,
    TP.INT8: np.int8,
    TP.INT16: np.int16,
    TP.INT32: np.int32,
    TP.INT64: np.int64,
    TP.UINT8: np.uint8,
    TP.UINT16: np.uint16,
    TP.UINT32: np.uint32,
    TP.UINT64: np.uint64,
    TP.BOOL: np.bool_,
    TP.STRING: np.object_,
}
# Types that NumPy lacks travel as float32 (or int32) and are cast at the borders of the model.
BORDER = {
    TP.BFLOAT16: (TP.FLOAT, ml_dtypes.bfloat16, 13),
    TP.FLOAT8E4M3FN: (TP.FLOAT, ml_dtypes.float8_e4m3fn, 19),
    TP.FLOAT8E4M3FNUZ: (TP.FLOAT, ml_dtypes.float8_e4m3fnuz, 19),
    TP.FLOAT8E5M2: (TP.FLOAT, ml_dtypes.float8_e5m2, 19),
    TP.FLOAT8E5M2FNUZ: (TP.FLOAT, ml_dtypes.float8_e5m2fnuz, 19),
    TP.INT4: (TP.INT32, np.int32, 21),
    TP.UINT4: (TP.INT32, np.int32, 21),
}
FLOATS = {TP.FLOAT, TP.DOUBLE, TP.FLOAT16, TP.BFLOAT16}
SIGNED = {TP.INT8, TP.INT16, TP.INT32, TP.INT64}
UNSIGNED = {TP.UINT8, TP.UINT16, TP.UINT32, TP.UINT64}
INTS = SIGNED | UNSIGNED
LIKELY = {TP.FLOAT: 12, TP.INT64: 3, TP.INT32: 2, TP.DOUBLE: 2, TP.FLOAT16: 2, TP.BFLOAT16: 0.7}
SIZES = [1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 33]
SPECIALS = [0.0, -0.0, 1e-42, -1e-42, np.inf, -np.inf, np.nan, 3e38, -3e38, 1.17549435e-38, 0.5, -0.5, 1.5]
WORDS = ["", "a", "B", "abc", "Zürich", "x y", "0", "-1.5", "日本", "tab\there"]


class Operand:
    """A tensor input: values in a type that NumPy has, and the type that the operator gets."""

    def __init__(self, values, number):
        self.values, self.number = values, number

    @property
    def shape(self):
        return self.values.shape


class Mapping:
    """A map input: keys are int64 or text by their Python type, values are of type `number`."""

    def __init__(self, items, number):
        self.items, self.number = items, number


class Case:
    """One operator with its inputs (Operand, Mapping, a list of Operands for a sequence, or None),
    attributes, number of outputs. `numpy`: computes the output, or a tuple of them, where no other
    engine does. captures: values that subgraphs take from outside, by name. told: takes a list of
    outputs and returns what of them the operator's text defines; None: all of it."""

    def __init__(self, inputs, attributes, n_out=1, numpy=None, captures=None, told=None):
        self.inputs, self.n_out, self.numpy = inputs, n_out, numpy
        self.captures, self.told = captures or {}, told
        self.attributes = {k: v for k, v in attributes.items() if v is not None}
        while self.inputs and self.inputs[-1] is None:
            self.inputs.pop()


class Draw:
    def __init__(self, rng, operator="", domain="", opset=21):
        self.rng, self.operator, self.domain, self.opset = rng, operator, domain, opset
        self.types = {}
        self.schema = None
        if onnx.defs.has(operator, opset, domain):
            self.schema = onnx.defs.get_schema(operator, opset, domain)

    # ---- choices ----

    def chance(self, p):
        return bool(self.rng.random() < p)

    def int(self, low, high):
        """Both ends included."""
        return int(self.rng.integers(low, high + 1))

    def real(self, low, high):
        return float(np.float32(self.rng.uniform(low, high)))

    def pick(self, things):
        return things[int(self.rng.integers(len(things)))]

    def maybe(self, thing, p=0.5):
        """thing, or None: an attribute or input that is left out."""
        return thing if self.chance(p) else None

    def has(self, attribute):
        return self.schema is None or attribute in self.schema.attributes

    # ---- types ----

    def allowed(self, variable):
        """Numbers of the types that the schema allows for a type variable or a written type."""
        if self.schema is None:
            return [TP.FLOAT]
        for constraint in self.schema.type_constraints:
            if constraint.type_param_str == variable:
                texts = constraint.allowed_type_strs
                break
        else:
            texts = [variable]
        found = (TYPE_NUMBERS.get(t.removeprefix("tensor(").removesuffix(")")) for t in texts)
        return [n for n in found if n and (n not in BORDER or self.opset >= BORDER[n][2])]

    def type(self, variable="T", among=None):
        """Draw once per variable; among narrows it."""
        if variable not in self.types:
            numbers = [n for n in self.allowed(variable) if among is None or n in among]
            weights = np.array([LIKELY.get(n, 1.0) for n in numbers])
            self.types[variable] = int(self.rng.choice(numbers, p=weights / weights.sum()))
        return self.types[variable]

    # ---- shapes ----

    def size(self, zero=0.02):
        return 0 if self.chance(zero) else self.pick(SIZES)

    def shape(self, low=0, high=4, most=600, zero=0.03):
        """Rank in [low, high] (rarely 6), at most `most` elements."""
        rank = self.int(low, high)
        if high >= 4 and self.chance(0.06):
            rank = self.int(max(low, 4), 6)
        dims = [self.pick(SIZES) for _ in range(rank)]
        while np.prod(dims, dtype=float) > most:
            at = int(np.argmax(dims))
            dims[at] = max(1, dims[at] // 2)
        if rank and self.chance(zero):
            dims[self.int(0, rank - 1)] = 0
        return tuple(dims)

    def broadcast(self, shape):
        """A shape that broadcasts to this one."""
        dims = [1 if self.chance(0.3) else n for n in shape]
        if self.chance(0.35):
            return tuple(shape)
        return tuple(dims[self.int(0, len(dims)) :])

    def together(self, n=2, **limits):
        """n shapes that broadcast together, in any direction."""
        whole = self.shape(**limits)
        return [self.broadcast(whole) for _ in range(n)]

    def axis(self, rank, negative=True):
        """An axis of a tensor of this rank; with negative also counted from the end."""
        axis = self.int(0, max(rank, 1) - 1)
        return axis - rank if negative and rank and self.chance(0.4) else axis

    def axes(self, rank, negative=True, least=0):
        count = self.int(least, rank)
        axes = self.rng.permutation(rank)[:count]
        return [int(a) - (rank if negative and self.chance(0.3) else 0) for a in axes]

    # ---- numbers ----

    def floats(self, shape, low=None, high=None, special=0.0):
        if low is not None:
            found = self.rng.uniform(low, high, shape)
        else:
            found = self.rng.normal(0, self.pick([0.3, 1, 1, 1, 3, 30]), shape)
            if self.chance(0.15):
                found = np.round(found * 2) / 2
        found = np.asarray(found, np.float64)
        if special and found.size and self.chance(special):
            flat = found.reshape(-1)
            for _ in range(self.int(1, 4)):
                flat[self.int(0, flat.size - 1)] = self.pick(SPECIALS)
        return found

    def values(self, shape, number, low=None, high=None, special=0.0):
        """An Operand of this type. low, high: bounds, else what suits the type."""
        if number == TP.STRING:
            words = [self.pick(WORDS) for _ in range(int(np.prod(shape)))]
            return Operand(np.array(words, dtype=object).reshape(shape), number)
        if number == TP.BOOL:
            return Operand(np.asarray(self.rng.random(shape) < 0.5), number)
        if number in INTS or number in (TP.INT4, TP.UINT4):
            return Operand(self.ints(shape, number, low, high, special), number)
        with np.errstate(over="ignore", invalid="ignore"):
            found = self.floats(shape, low, high, special)
            if number in BORDER:
                wide = BORDER[number][1]
                return Operand(found.astype(np.float32).astype(wide).astype(np.float32), number)
            return Operand(np.asarray(found, dtype=NUMPY[number]), number)

    def ints(self, shape, number, low, high, special):
        if number in (TP.INT4, TP.UINT4):
            least, most, numpy_type = (-8, 7, np.int32) if number == TP.INT4 else (0, 15, np.int32)
        else:
            numpy_type = NUMPY[number]
            least, most = np.iinfo(numpy_type).min, np.iinfo(numpy_type).max
        if low is None and high is None and self.chance(0.08):
            low, high = least, most
        low = max(least, -9 if low is None else int(low))
        high = min(most, 20 if high is None else int(high))
        found = self.rng.integers(low, max(high, low), shape, numpy_type, endpoint=True)
        found = np.asarray(found)
        if special and found.size and self.chance(special):
            flat = found.reshape(-1)
            for _ in range(self.int(1, 3)):
                flat[self.int(0, flat.size - 1)] = self.pick([least, most, 0, 1])
        return found

    def tensor(self, shape, variable="T", among=None, **limits):
        return self.values(shape, self.type(variable, among), **limits)

    def float32(self, shape, **limits):
        return self.values(shape, TP.FLOAT, **limits)

    def int64s(self, values):
        return Operand(np.array(values, dtype=np.int64), TP.INT64)

    def ints_of(self, values, variable="Tind", fallback=TP.INT64):
        """Given integers as the index type that the schema allows."""
        numbers = [n for n in (self.allowed(variable) if self.schema else []) if n in SIGNED]
        number = self.pick(numbers) if numbers else fallback
        self.types.setdefault(variable, number)
        number = self.types[variable]
        return Operand(np.array(values, dtype=NUMPY[number]), number)


def reals(operand):
    """float64 of an Operand's values, for NumPy answers."""
    return operand.values.astype(np.float64)
