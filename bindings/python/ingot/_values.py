# SPDX-License-Identifier: Apache-2.0
"""What the extension does not convert itself: strings, sequences, maps, optionals, element types that NumPy lacks, and
arrays that are not in one block. The tuples are described in core.h."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import InvalidError, ShapeError, UnsupportedError

TENSOR, STRINGS, SEQUENCE, MAP, OPTIONAL = range(5)
Description = tuple[Any, ...]
STRING = 8

# NumPy's names by the numbers of ingot_dtype; None for what NumPy has no type for.
_PLAIN_NAMES = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    9: "bool",
    10: "float16",
    11: "float64",
    12: "uint32",
    13: "uint64",
    14: "complex64",
    15: "complex128",
}
# Those of ml_dtypes, with the bits of an element.
_EXTRA = {
    16: ("bfloat16", 16),
    17: ("float8_e4m3fn", 8),
    18: ("float8_e4m3fnuz", 8),
    19: ("float8_e5m2", 8),
    20: ("float8_e5m2fnuz", 8),
    21: ("uint4", 4),
    22: ("int4", 4),
    23: ("float4_e2m1fn", 4),
    24: ("float8_e8m0fnu", 8),
    25: ("uint2", 2),
    26: ("int2", 2),
}
N_DTYPES = 27
PLAIN = [np.dtype(_PLAIN_NAMES[n]) if n in _PLAIN_NAMES else None for n in range(N_DTYPES)]
_CODES = {dtype: n for n, dtype in enumerate(PLAIN) if dtype is not None}


def _ml_dtypes() -> Any:
    try:
        import ml_dtypes
    except ImportError:
        return None
    return ml_dtypes


def extra_dtype(code: int) -> np.dtype | None:
    """The ml_dtypes type of an element type; None where it is not installed, or too old to have it."""
    kind = getattr(_ml_dtypes(), _EXTRA[code][0], None)
    return None if kind is None else np.dtype(kind)


def numpy_dtype(code: int) -> np.dtype | None:
    """The NumPy type in which arrays of an element type come out; None for an unknown type."""
    if code == STRING:
        return np.dtype(object)
    if code in _EXTRA:
        found = extra_dtype(code)
        return found if found is not None else np.dtype(np.uint16 if _EXTRA[code][1] == 16 else np.uint8)
    return PLAIN[code]


def _extra_code(dtype: np.dtype) -> int | None:
    """Element type of an ml_dtypes type, or None."""
    for code, (name, _) in _EXTRA.items():
        if dtype.name == name:
            return code
    return None


def _pack(array: np.ndarray, bits: int) -> np.ndarray:
    """One element a byte becomes several: the first in the low bits."""
    per_byte = 8 // bits
    flat = array.reshape(-1) & np.uint8((1 << bits) - 1)
    padded = np.zeros(-(-flat.size // per_byte) * per_byte, np.uint8)
    padded[: flat.size] = flat
    parts = padded.reshape(-1, per_byte)
    packed = np.zeros(len(parts), np.uint8)
    for i in range(per_byte):
        packed |= parts[:, i] << np.uint8(bits * i)
    return packed


def _unpack(data: np.ndarray, count: int, bits: int) -> np.ndarray:
    """The reverse of _pack; nothing above the bits of an element is set."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return ((data[:, None] >> shifts) & np.uint8((1 << bits) - 1)).reshape(-1)[:count]


def _raw(array: np.ndarray, code: int) -> Description:
    """An array of ml_dtypes, or of its bits."""
    bits = _EXTRA[code][1]
    data = np.ascontiguousarray(array).view(np.uint16 if bits == 16 else np.uint8)
    return (TENSOR, code, array.shape, _pack(data, bits) if bits < 8 else data)


def _as_bytes(item: Any) -> bytes:
    if isinstance(item, bytes):
        return item
    if isinstance(item, str):
        return item.encode("utf-8", "surrogateescape")
    raise ShapeError(f"an array of strings holds a {type(item).__name__}")


def _as_array(value: Any, code: int, name: str) -> np.ndarray:
    """Anything array-like; the model's type decides only where the value has none of its own, as a list of numbers."""
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    wanted = PLAIN[code] if 0 <= code < N_DTYPES else None
    if code == STRING:
        wanted = np.dtype(object)
    elif wanted is not None and isinstance(value, (bytes, bytearray, memoryview)):
        wanted = None  # memory has a type of its own
    try:
        return np.asarray(value, dtype=wanted)
    except (TypeError, ValueError, OverflowError) as e:
        raise ShapeError(f'input "{name}": a {type(value).__name__} is no array: {e}') from None


def _tensor(value: Any, code: int, name: str) -> Description:
    array = _as_array(value, code, name)
    if array.dtype.kind in "OUS" or array.dtype.kind == "T":
        return (STRINGS, array.shape, [_as_bytes(item) for item in array.reshape(-1).tolist()])
    found = _extra_code(array.dtype)
    if found is None and code in _EXTRA and array.dtype == (np.uint16 if _EXTRA[code][1] == 16 else np.uint8):
        found = code  # bits of a type that NumPy lacks
    if found is not None:
        return _raw(array, found)
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype not in _CODES:
        raise UnsupportedError(f'input "{name}": arrays of {array.dtype} have no counterpart in a model')
    if not (array.flags.c_contiguous and array.flags.aligned):
        array = np.array(array, order="C")
    return (TENSOR, _CODES[array.dtype], array.shape, array)


def _map(value: dict[Any, Any], code: int, name: str) -> Description:
    keys = list(value)
    is_text = bool(keys) and isinstance(keys[0], (str, bytes))
    key_part = _tensor(np.array(keys, dtype=object if is_text else np.int64), STRING if is_text else 7, name)
    values = list(value.values())
    if any(isinstance(item, dict) or (isinstance(item, (np.ndarray, list)) and np.ndim(item) > 0) for item in values):
        return (MAP, key_part, (SEQUENCE, [_any(item, code, name) for item in values]))
    return (MAP, key_part, _tensor(values, code, name))


def _any(value: Any, code: int, name: str) -> Description:
    if isinstance(value, dict):
        return _map(value, code, name)
    if isinstance(value, (list, tuple)):
        return (SEQUENCE, [_any(item, code, name) for item in value])
    return _tensor(value, code, name)


def describe(value: Any, kind: int, code: int, name: str) -> Description:
    """The description of an input; kind and code are what the model says of it."""
    if kind == 0:
        return _tensor(value, code, name)
    if kind == 3:
        return (OPTIONAL, None if value is None else _any(value, code, name))
    if kind == 1 and not isinstance(value, (list, tuple)):
        raise InvalidError(f'input "{name}" is a sequence: give a list, not a {type(value).__name__}')
    if kind == 2 and not isinstance(value, dict):
        raise InvalidError(f'input "{name}" is a map: give a dict, not a {type(value).__name__}')
    return _any(value, code, name)


def _deliver_extra(code: int, shape: tuple[int, ...], data: bytes) -> np.ndarray:
    bits = _EXTRA[code][1]
    raw = np.frombuffer(data, np.uint16 if bits == 16 else np.uint8)
    if bits < 8:
        raw = _unpack(raw, int(np.prod(shape, dtype=np.int64)), bits)
    dtype = extra_dtype(code)
    array = raw.reshape(shape)
    return array.copy() if dtype is None else array.view(dtype).copy()


def deliver(description: Any) -> Any:
    """The reverse: arrays of strings hold str, sequences are lists, maps dicts, and an empty optional None."""
    if isinstance(description, np.ndarray):
        return description
    tag = description[0]
    if tag == TENSOR:
        return _deliver_extra(*description[1:])
    if tag == STRINGS:
        array = np.empty(len(description[2]), dtype=object)
        array[:] = [text.decode("utf-8", "surrogateescape") for text in description[2]]
        return array.reshape(description[1])
    if tag == SEQUENCE:
        return [deliver(item) for item in description[1]]
    if tag == MAP:
        keys, values = deliver(description[1]), deliver(description[2])
        return dict(zip(keys.tolist(), values if isinstance(values, list) else values.tolist()))
    return None if description[1] is None else deliver(description[1])
