# SPDX-License-Identifier: Apache-2.0
"""The C interface (include/ingot.h) from Python: NumPy arrays in, NumPy arrays out.

    with Model("net.onnx", opt="basic", cpu="avx2") as model:
        session = model.session(threads=2)
        scores, = session.run({"input": x})

One process, many models and runs: the tests compare thousands of outputs this way. Sequences come
back as lists, maps as dicts, absent optionals as None. It is a test instrument, not the product's
Python package.
"""

import ctypes as C
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import places  # noqa: E402

MAX_RANK = 8
OPT_LEVELS = {"all": 0, "basic": 1, "none": 2}
KIND_TENSOR, KIND_SEQUENCE, KIND_MAP, KIND_OPTIONAL = range(4)
STRING = 8
NUMPY_TYPES = {
    1: np.float32,
    2: np.uint8,
    3: np.int8,
    4: np.uint16,
    5: np.int16,
    6: np.int32,
    7: np.int64,
    9: np.bool_,
    10: np.float16,
    11: np.float64,
    12: np.uint32,
    13: np.uint64,
    14: np.complex64,
    15: np.complex128,
}
DTYPES = {np.dtype(t): number for number, t in NUMPY_TYPES.items()}
STATUS = [
    "OK",
    "NOMEM",
    "IO",
    "PARSE",
    "INVALID",
    "SHAPE",
    "UNSUPPORTED",
    "LIMIT",
    "CANCELLED",
    "INTERNAL",
]


class CError(C.Structure):
    _fields_ = [("status", C.c_int), ("message", C.c_char * 1020)]


class CString(C.Structure):
    _fields_ = [("data", C.c_void_p), ("bytes", C.c_size_t)]


class CModelOptions(C.Structure):
    _fields_ = [
        ("struct_bytes", C.c_size_t),
        ("allocator", C.c_void_p),
        ("log", C.c_void_p),
        ("opt_level", C.c_int),
        ("disable_passes", C.c_char_p),
        ("dump_after", C.c_char_p),
        ("max_memory_bytes", C.c_size_t),
        ("cpu", C.c_char_p),
        ("max_nodes", C.c_int64),
        ("max_tensor_bytes", C.c_size_t),
        ("max_loop_steps", C.c_int64),
        ("allow_links", C.c_int),
        ("ops", C.c_void_p),
        ("overridable", C.POINTER(C.c_char_p)),
        ("data_folder", C.c_char_p),
        ("precision", C.c_int),
        ("force", C.c_char_p),
    ]


class CSessionOptions(C.Structure):
    _fields_ = [
        ("struct_bytes", C.c_size_t),
        ("n_threads", C.c_int),
        ("seed", C.c_uint64),
        ("share_team", C.c_void_p),
        ("timeout_ms", C.c_int64),
    ]


class CIoInfo(C.Structure):
    _fields_ = [
        ("name", C.c_char_p),
        ("kind", C.c_int),
        ("dtype", C.c_int),
        ("rank", C.c_int),
        ("dims", C.c_int64 * MAX_RANK),
        ("dim_names", C.c_char_p * MAX_RANK),
        ("has_default", C.c_int),
    ]


class CModelInfo(C.Structure):
    _fields_ = [
        ("struct_bytes", C.c_size_t),
        ("producer", C.c_char_p),
        ("producer_version", C.c_char_p),
        ("graph_name", C.c_char_p),
        ("doc", C.c_char_p),
        ("ir_version", C.c_int64),
        ("opset", C.c_int64),
        ("n_nodes_file", C.c_int64),
        ("n_nodes", C.c_int64),
        ("n_parameters", C.c_int64),
        ("weight_bytes", C.c_int64),
        ("packed_bytes", C.c_int64),
        ("map_ns", C.c_uint64),
        ("parse_ns", C.c_uint64),
        ("optimise_ns", C.c_uint64),
        ("precision", C.c_char_p),
    ]


class CMemoryStats(C.Structure):
    _fields_ = [
        ("current_bytes", C.c_size_t * 7),
        ("peak_bytes", C.c_size_t * 7),
        ("total_current_bytes", C.c_size_t),
        ("total_peak_bytes", C.c_size_t),
    ]


class CStepInfo(C.Structure):
    _fields_ = [
        ("struct_bytes", C.c_size_t),
        ("node", C.c_char_p),
        ("op", C.c_char_p),
        ("kernel", C.c_char_p),
        ("flops", C.c_int64),
        ("bytes", C.c_int64),
        ("n_runs", C.c_uint64),
        ("total_ns", C.c_uint64),
        ("min_ns", C.c_uint64),
        ("last_begin_ns", C.c_uint64),
        ("last_end_ns", C.c_uint64),
        ("shape", C.c_char * 96),
    ]


P, PP, ERR = C.c_void_p, C.POINTER(C.c_void_p), C.POINTER(CError)
DIMS = C.POINTER(C.c_int64)
FUNCTIONS = {  # name: (result, arguments)
    "ingot_version": (C.c_char_p, []),
    "ingot_status_exit_code": (C.c_int, [C.c_int]),
    "ingot_cpu_describe": (C.c_char_p, [C.c_char_p, C.c_size_t]),
    "ingot_tensor_create": (C.c_int, [C.c_int, C.c_int, DIMS, PP, ERR]),
    "ingot_tensor_wrap": (C.c_int, [C.c_int, C.c_int, DIMS, P, C.c_size_t, PP, ERR]),
    "ingot_tensor_set_string": (C.c_int, [P, C.c_int64, C.c_char_p, C.c_size_t, ERR]),
    "ingot_sequence_create": (C.c_int, [PP, ERR]),
    "ingot_sequence_push": (C.c_int, [P, P, ERR]),
    "ingot_optional_create": (C.c_int, [P, PP, ERR]),
    "ingot_map_create": (C.c_int, [P, P, PP, ERR]),
    "ingot_value_destroy": (None, [P]),
    "ingot_value_kind": (C.c_int, [P]),
    "ingot_tensor_dtype": (C.c_int, [P]),
    "ingot_tensor_rank": (C.c_int, [P]),
    "ingot_tensor_dims": (DIMS, [P]),
    "ingot_tensor_count": (C.c_int64, [P]),
    "ingot_tensor_bytes": (C.c_size_t, [P]),
    "ingot_tensor_data": (P, [P]),
    "ingot_value_n_items": (C.c_size_t, [P]),
    "ingot_value_item": (P, [P, C.c_size_t]),
    "ingot_model_open": (C.c_int, [C.c_char_p, C.POINTER(CModelOptions), PP, ERR]),
    "ingot_model_open_memory": (
        C.c_int,
        [P, C.c_size_t, C.POINTER(CModelOptions), PP, ERR],
    ),
    "ingot_model_close": (None, [P]),
    "ingot_model_n_inputs": (C.c_size_t, [P]),
    "ingot_model_n_outputs": (C.c_size_t, [P]),
    "ingot_model_input": (None, [P, C.c_size_t, C.POINTER(CIoInfo)]),
    "ingot_model_output": (None, [P, C.c_size_t, C.POINTER(CIoInfo)]),
    "ingot_model_get_info": (None, [P, C.POINTER(CModelInfo)]),
    "ingot_model_n_metadata": (C.c_size_t, [P]),
    "ingot_model_metadata": (None, [P, C.c_size_t, C.POINTER(C.c_char_p), C.POINTER(C.c_char_p)]),
    "ingot_model_memory": (None, [P, C.POINTER(CMemoryStats)]),
    "ingot_session_create": (C.c_int, [P, C.POINTER(CSessionOptions), PP, ERR]),
    "ingot_session_destroy": (None, [P]),
    "ingot_session_run": (C.c_int, [P, PP, C.c_size_t, ERR]),
    "ingot_session_output": (P, [P, C.c_size_t]),
    "ingot_session_bind_output": (C.c_int, [P, C.c_size_t, P, ERR]),
    "ingot_session_n_steps": (C.c_size_t, [P]),
    "ingot_session_step": (None, [P, C.c_size_t, C.POINTER(CStepInfo)]),
    "ingot_session_slab_bytes": (C.c_size_t, [P]),
}
_library = None


def load():
    """The library with its signatures; Skip (see report.py) where it is not built."""
    global _library
    if _library is None:
        _library = C.CDLL(places.library())
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(_library, name)
            function.restype, function.argtypes = result, arguments
    return _library


class Error(Exception):
    """A failed call: .status is its name without prefix ("PARSE"), the text is the library's one
    line."""

    def __init__(self, err):
        self.status = STATUS[err.status] if 0 <= err.status < len(STATUS) else str(err.status)
        super().__init__(f"{self.status}: {err.message.decode(errors='replace')}")


def check(status, err):
    if status:
        raise Error(err)


def dims_of(shape):
    return (C.c_int64 * max(len(shape), 1))(*shape)


class Optional:
    """An input that is an optional; item None: an empty one."""

    def __init__(self, item):
        self.item = item


def value_from(array, keep):
    """Make an ingot_value of a NumPy array (borrowed: appended to `keep`), a list (a sequence), an
    Optional or a dict (a map)."""
    lib, err, out = load(), CError(), C.c_void_p()
    if isinstance(array, Optional):
        item = None if array.item is None else value_from(array.item, keep)
        check(lib.ingot_optional_create(item, C.byref(out), err), err)
        return out
    if isinstance(array, dict):
        keys, values = (value_from(np.array(list(part)), keep) for part in (array, array.values()))
        check(lib.ingot_map_create(keys, values, C.byref(out), err), err)
        return out
    if isinstance(array, list):
        check(lib.ingot_sequence_create(C.byref(out), err), err)
        for item in array:
            check(lib.ingot_sequence_push(out, value_from(item, keep), err), err)
        return out
    array = np.asarray(array)
    if array.dtype.kind in "OUS":
        check(
            lib.ingot_tensor_create(STRING, array.ndim, dims_of(array.shape), C.byref(out), err),
            err,
        )
        for i, text in enumerate(array.ravel()):
            text = text if isinstance(text, bytes) else str(text).encode()
            check(lib.ingot_tensor_set_string(out, i, text, len(text), err), err)
        return out
    array = np.require(array, requirements=["C", "A"])
    keep.append(array)
    check(
        lib.ingot_tensor_wrap(
            DTYPES[array.dtype],
            array.ndim,
            dims_of(array.shape),
            array.ctypes.data,
            array.nbytes,
            C.byref(out),
            err,
        ),
        err,
    )
    return out


def array_of(value):
    """A copy of a value as NumPy array, list (sequence), dict (map) or None (empty optional)."""
    lib = load()
    kind = lib.ingot_value_kind(value)
    if kind != KIND_TENSOR:
        items = [
            array_of(lib.ingot_value_item(value, i)) for i in range(lib.ingot_value_n_items(value))
        ]
        if kind == KIND_MAP:
            return dict(
                zip(
                    items[0].tolist(),
                    items[1].tolist() if isinstance(items[1], np.ndarray) else items[1],
                )
            )
        return items if kind == KIND_SEQUENCE else (items[0] if items else None)
    shape = tuple(lib.ingot_tensor_dims(value)[: lib.ingot_tensor_rank(value)])
    count, dtype = lib.ingot_tensor_count(value), lib.ingot_tensor_dtype(value)
    data = lib.ingot_tensor_data(value)
    if dtype == STRING:
        cells = C.cast(data, C.POINTER(CString))
        texts = [C.string_at(cells[i].data, cells[i].bytes).decode() for i in range(count)]
        return np.array(texts, dtype=object).reshape(shape)
    raw = C.string_at(data, lib.ingot_tensor_bytes(value)) if count else b""
    if dtype not in NUMPY_TYPES:
        return np.frombuffer(raw, np.uint8)
    return np.frombuffer(raw, NUMPY_TYPES[dtype]).reshape(shape).copy()


class Model:
    """An open model. Inputs and outputs are lists of (name, dtype number, dims)."""

    def __init__(
        self,
        path,
        opt="all",
        cpu=None,
        max_memory_bytes=0,
        disable_passes=None,
        overridable=(),
        data_folder=None,
    ):
        """path: of a file, or the file's bytes. overridable: names of defaults that stay inputs."""
        self.lib, err, self.handle = load(), CError(), C.c_void_p()
        self.data = path if isinstance(path, bytes) else None  # stays valid as long as the model
        names = [name.encode() for name in overridable]
        options = CModelOptions(
            C.sizeof(CModelOptions),
            None,
            None,
            OPT_LEVELS[opt],
            disable_passes and disable_passes.encode(),
            None,
            max_memory_bytes,
            cpu and cpu.encode(),
        )
        options.data_folder = data_folder and os.fsencode(data_folder)
        if names:
            options.overridable = (C.c_char_p * (len(names) + 1))(*names, None)
        if self.data is None:
            status = self.lib.ingot_model_open(
                os.fsencode(path), options, C.byref(self.handle), err
            )
        else:
            status = self.lib.ingot_model_open_memory(
                self.data, len(self.data), options, C.byref(self.handle), err
            )
        check(status, err)
        self.inputs = self._ports(self.lib.ingot_model_n_inputs, self.lib.ingot_model_input)
        self.outputs = self._ports(self.lib.ingot_model_n_outputs, self.lib.ingot_model_output)

    def _ports(self, count, get):
        ports = []
        for i in range(count(self.handle)):
            info = CIoInfo()
            get(self.handle, i, info)
            ports.append((info.name.decode(), info.dtype, list(info.dims[: max(info.rank, 0)])))
        return ports

    def info(self):
        info = CModelInfo(struct_bytes=C.sizeof(CModelInfo))
        self.lib.ingot_model_get_info(self.handle, info)
        return info

    def memory(self):
        stats = CMemoryStats()
        self.lib.ingot_model_memory(self.handle, stats)
        return stats

    def metadata(self):
        found, key, value = {}, C.c_char_p(), C.c_char_p()
        for i in range(self.lib.ingot_model_n_metadata(self.handle)):
            self.lib.ingot_model_metadata(self.handle, i, key, value)
            found[key.value.decode()] = value.value.decode()
        return found

    def session(self, threads=1):
        return Session(self, threads)

    def close(self):
        if self.handle:
            self.lib.ingot_model_close(self.handle)
            self.handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Session:
    """Runs of one model. Destroyed with the object."""

    def __init__(self, model, threads):
        self.lib, self.model, err, self.handle = model.lib, model, CError(), C.c_void_p()
        self.bound = []  # arrays that outputs go to, and their values
        options = CSessionOptions(C.sizeof(CSessionOptions), threads, 0, None)
        check(self.lib.ingot_session_create(model.handle, options, C.byref(self.handle), err), err)

    def bind(self, i, array):
        """Deliver output i in the array, which must be contiguous, from now on."""
        err = CError()
        value = value_from(array, self.bound)
        self.bound.append(value)
        check(self.lib.ingot_session_bind_output(self.handle, i, value, err), err)

    def run(self, feeds):
        """feeds: dict by input name, or a list in order. Returns the list of outputs."""
        if isinstance(feeds, dict):
            unknown = set(feeds) - {name for name, _, _ in self.model.inputs}
            if unknown:
                names = [name for name, _, _ in self.model.inputs]
                raise KeyError(f"no input {sorted(unknown)}; the model has {names}")
            feeds = [feeds.get(name) for name, _, _ in self.model.inputs]
        keep, err = [], CError()
        values = [None if f is None else value_from(f, keep) for f in feeds]
        try:
            handles = (C.c_void_p * max(len(values), 1))(*[v.value if v else None for v in values])
            check(self.lib.ingot_session_run(self.handle, handles, len(values), err), err)
            return [
                array_of(self.lib.ingot_session_output(self.handle, i))
                for i in range(len(self.model.outputs))
            ]
        finally:
            for v in values:
                if v:
                    self.lib.ingot_value_destroy(v)

    def kernels(self):
        """Kernel names of the steps that the last run used, in order."""
        names = []
        for i in range(self.lib.ingot_session_n_steps(self.handle)):
            info = CStepInfo(struct_bytes=C.sizeof(CStepInfo))
            self.lib.ingot_session_step(self.handle, i, info)
            names.append(info.kernel.decode() if info.kernel else "")
        return names

    def __del__(self):
        if getattr(self, "handle", None):
            self.lib.ingot_session_destroy(self.handle)
            self.handle = None
            for value in self.bound:
                if isinstance(value, C.c_void_p):
                    self.lib.ingot_value_destroy(value)


def layout():
    """Name and size of each struct and offset of each field, for the check against the C
    compiler."""
    structs = {
        "ingot_error": CError,
        "ingot_string": CString,
        "ingot_model_options": CModelOptions,
        "ingot_session_options": CSessionOptions,
        "ingot_io_info": CIoInfo,
        "ingot_model_info": CModelInfo,
        "ingot_memory_stats": CMemoryStats,
        "ingot_step_info": CStepInfo,
    }
    return {
        name: (C.sizeof(s), {f[0]: getattr(s, f[0]).offset for f in s._fields_})
        for name, s in structs.items()
    }
