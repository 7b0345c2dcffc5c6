# SPDX-License-Identifier: Apache-2.0
"""The common calls of the `onnxruntime` module, on Ingot.

    import ingot.onnxruntime_compat as onnxruntime

For packages that import it themselves, before they do:

    import ingot.onnxruntime_compat
    ingot.onnxruntime_compat.install()

What has no meaning here is taken and ignored where results do not depend on it (arenas, execution modes, log levels),
and refused with UnsupportedError otherwise.
"""

from __future__ import annotations

import enum
import os
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from . import _core
from ._errors import CancelledError, Error, FileError, InvalidError, ParseError, UnsupportedError
from ._inspect import Port
from ._session import Session

# Packages compare this with the versions of the module that they think they have.
__version__ = "1.20.0"
PROVIDER = "CPUExecutionProvider"

Fail = RuntimeException = EPFail = Error
InvalidArgument = InvalidGraph = InvalidError
InvalidProtobuf = ParseError
NoSuchFile = NoModel = FileError
NotImplemented = UnsupportedError  # noqa: A001  (the name that callers catch)


class GraphOptimizationLevel(enum.IntEnum):
    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class ExecutionOrder(enum.IntEnum):
    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2


class _Options:
    """Attributes with defaults; others are an error, as in the original."""

    _defaults: ClassVar[dict[str, Any]] = {}
    _entries: dict[str, str]

    def __init__(self) -> None:
        for name, value in self._defaults.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_entries", {})

    def __getattr__(self, name: str) -> Any:  # only asked for what is not there
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._defaults:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        object.__setattr__(self, name, value)

    def _add_entry(self, key: str, value: str) -> None:
        self._entries[str(key)] = str(value)

    def _get_entry(self, key: str) -> str:
        if key not in self._entries:
            raise InvalidError(f"no entry {key!r} was added")
        return self._entries[key]


# Where a model of bytes has the weights that it keeps in files.
_DATA_FOLDER = "session.model_external_initializers_file_folder_path"


class SessionOptions(_Options):
    """Of these, graph_optimization_level and intra_op_num_threads have an effect, and of the entries the folder of
    weights in files."""

    _defaults: ClassVar[dict[str, Any]] = {
        "enable_cpu_mem_arena": True,
        "enable_mem_pattern": True,
        "enable_mem_reuse": True,
        "enable_profiling": False,
        "execution_mode": ExecutionMode.ORT_SEQUENTIAL,
        "execution_order": ExecutionOrder.DEFAULT,
        "graph_optimization_level": GraphOptimizationLevel.ORT_ENABLE_ALL,
        "inter_op_num_threads": 0,
        "intra_op_num_threads": 0,
        "log_severity_level": -1,
        "log_verbosity_level": 0,
        "logid": "",
        "optimized_model_filepath": "",
        "profile_file_prefix": "onnxruntime_profile_",
        "use_deterministic_compute": False,
        "use_per_session_threads": True,
    }

    add_session_config_entry = _Options._add_entry
    get_session_config_entry = _Options._get_entry

    def add_free_dimension_override_by_name(self, name: str, size: int) -> None:
        """Shapes are taken from the inputs here."""

    def add_free_dimension_override_by_denotation(self, name: str, size: int) -> None:
        """Shapes are taken from the inputs here."""

    def register_custom_ops_library(self, path: str) -> None:
        raise UnsupportedError("libraries of ONNX Runtime do not fit; ingot.Session has custom_ops")

    def add_initializer(self, name: str, value: Any) -> None:
        raise UnsupportedError("initializers cannot be replaced when a model is opened")


class RunOptions(_Options):
    """terminate, set before a run, cancels it."""

    _defaults: ClassVar[dict[str, Any]] = {
        "log_severity_level": -1,
        "log_verbosity_level": 0,
        "logid": "",
        "only_execute_path_to_fetches": False,
        "terminate": False,
        "training_mode": False,
    }

    add_run_config_entry = _Options._add_entry
    get_run_config_entry = _Options._get_entry


# ONNX's words for element types, where they are not NumPy's.
_WORDS = {
    "float32": "float",
    "float64": "double",
    "float8_e4m3fn": "float8e4m3fn",
    "float8_e4m3fnuz": "float8e4m3fnuz",
    "float8_e5m2": "float8e5m2",
    "float8_e5m2fnuz": "float8e5m2fnuz",
}


class NodeArg:
    """Name, shape and type of an input or output."""

    def __init__(self, port: Port) -> None:
        word = f"tensor({_WORDS.get(port.dtype, port.dtype)})"
        self.name = port.name
        self.shape = [] if port.shape is None else list(port.shape)
        self.type = {"tensor": word, "sequence": f"seq({word})", "optional": f"optional({word})"}.get(port.kind, port.kind)

    def __repr__(self) -> str:
        return f"NodeArg(name={self.name!r}, type={self.type!r}, shape={self.shape})"


class ModelMetadata:
    """What the file says about itself."""

    def __init__(self, session: Session) -> None:
        info = session.info
        self.producer_name = info.producer
        self.graph_name = info.graph_name
        self.description = info.doc
        self.graph_description = ""
        self.domain = ""
        self.version = 0
        self.custom_metadata_map = dict(info.metadata)


class OrtValue:
    """A value on the CPU: an array or what else an input may be."""

    def __init__(self, value: Any) -> None:
        self._value = value

    @staticmethod
    def ortvalue_from_numpy(array: Any, device_type: str = "cpu", device_id: int = 0) -> OrtValue:
        _refuse_device(device_type)
        return OrtValue(np.asarray(array))

    @staticmethod
    def ortvalue_from_shape_and_type(
        shape: Sequence[int], element_type: Any = np.float32, device_type: str = "cpu", device_id: int = 0
    ) -> OrtValue:
        _refuse_device(device_type)
        return OrtValue(np.zeros(shape, element_type))

    def numpy(self) -> Any:
        return self._value

    def shape(self) -> list[int]:
        return list(self._value.shape)

    def data_type(self) -> str:
        return f"tensor({_WORDS.get(self._value.dtype.name, self._value.dtype.name)})"

    def element_type(self) -> int:
        return int(_element_type(self._value.dtype))

    def device_name(self) -> str:
        return "cpu"

    def is_tensor(self) -> bool:
        return isinstance(self._value, np.ndarray)

    def has_value(self) -> bool:
        return self._value is not None

    def update_inplace(self, array: np.ndarray) -> None:
        np.copyto(self._value, array)


def _element_type(dtype: np.dtype) -> int:
    from ._values import PLAIN, STRING

    return PLAIN.index(dtype) if dtype in PLAIN else STRING


def _refuse_device(device: str) -> None:
    if device.lower() not in ("cpu", ""):
        raise UnsupportedError(f"device {device!r}: Ingot runs on the CPU")


def _plain(value: Any) -> Any:
    return value.numpy() if isinstance(value, OrtValue) else value


class IOBinding:
    """Inputs and outputs that stay the same over several runs."""

    def __init__(self, session: InferenceSession) -> None:
        self._feeds: dict[str, Any] = {}
        self._arrays: dict[str, Any] = {}
        self._names = [arg.name for arg in session.get_outputs()]
        self._results: dict[str, Any] = {}

    def bind_cpu_input(self, name: str, array: Any) -> None:
        self._feeds[name] = array

    def bind_ortvalue_input(self, name: str, value: OrtValue) -> None:
        self._feeds[name] = value.numpy()

    def bind_output(self, name: str, device_type: str = "cpu", *args: Any, **kwargs: Any) -> None:
        _refuse_device(device_type)
        self._arrays[name] = None

    def bind_ortvalue_output(self, name: str, value: OrtValue) -> None:
        self._arrays[name] = value.numpy()

    def clear_binding_inputs(self) -> None:
        self._feeds.clear()

    def clear_binding_outputs(self) -> None:
        self._arrays.clear()

    def synchronize_inputs(self) -> None:
        """Nothing to wait for on a CPU."""

    def synchronize_outputs(self) -> None:
        """Nothing to wait for on a CPU."""

    def _run(self, session: Session) -> None:
        names = [name for name in self._names if name in self._arrays] or self._names
        self._results = session.run(self._feeds, names, out={name: self._arrays.get(name) for name in names})

    def get_outputs(self) -> list[OrtValue]:
        return [OrtValue(value) for value in self._results.values()]

    def copy_outputs_to_cpu(self) -> list[Any]:
        return list(self._results.values())


def _opt_level(level: int) -> str:
    if level == GraphOptimizationLevel.ORT_DISABLE_ALL:
        return "none"
    return "basic" if level == GraphOptimizationLevel.ORT_ENABLE_BASIC else "all"


class InferenceSession:
    """A model, opened; providers other than the CPU's are passed over."""

    def __init__(
        self,
        path_or_bytes: str | bytes | os.PathLike[str],
        sess_options: SessionOptions | None = None,
        providers: Sequence[Any] | None = None,
        provider_options: Sequence[Mapping[str, Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        self._options = sess_options or SessionOptions()
        self._model = path_or_bytes
        self._session = self._open(())
        self._inputs = [NodeArg(port) for port in self._session.inputs if not port.has_default]
        self._outputs = [NodeArg(port) for port in self._session.outputs]

    def _open(self, overridable: Sequence[str]) -> Session:
        return Session(
            self._model,
            opt=_opt_level(int(self._options.graph_optimization_level)),
            threads=max(int(self._options.intra_op_num_threads), 0),
            # Caches of models are made of links.
            allow_links=True,
            data_folder=self._options._entries.get(_DATA_FOLDER) or None,
            overridable=overridable,
        )

    def _feeds(self, input_feed: Mapping[str, Any]) -> dict[str, Any]:
        """What the session is fed. Initializers that are inputs, too, are constants until somebody feeds one."""
        known = {port.name for port in self._session.inputs}
        others = [name for name in input_feed if name not in known]
        if others:
            kept = [port.name for port in self._session.inputs if port.has_default]
            try:
                self._session = self._open([*kept, *others])
            except InvalidError:
                raise InvalidError(f"the model has no input {' or '.join(map(repr, others))}") from None
        return {name: _plain(value) for name, value in input_feed.items()}

    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any], run_options: RunOptions | None = None
    ) -> list[Any]:
        if run_options is not None and run_options.terminate:
            raise CancelledError("the run options say: terminate")
        missing = [
            port.name for port in self._session.inputs if not port.has_default and port.name not in input_feed
        ]
        if missing:
            raise InvalidError(f"required inputs {missing} are missing from input feed {list(input_feed)}")
        feeds = self._feeds(input_feed)
        return list(self._session.run(feeds, output_names or None).values())

    def run_with_ort_values(
        self, output_names: Sequence[str] | None, feeds: Mapping[str, OrtValue], run_options: RunOptions | None = None
    ) -> list[OrtValue]:
        return [OrtValue(value) for value in self.run(output_names, feeds, run_options)]

    def run_async(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        callback: Any,
        user_data: Any,
        run_options: RunOptions | None = None,
    ) -> None:
        def done(future: Any) -> None:
            error = future.exception()
            callback([] if error else list(future.result().values()), user_data, str(error) if error else "")

        feeds = self._feeds(input_feed)
        self._session.run_async(feeds, output_names or None).add_done_callback(done)

    def io_binding(self) -> IOBinding:
        return IOBinding(self)

    def run_with_iobinding(self, iobinding: IOBinding, run_options: RunOptions | None = None) -> None:
        iobinding._run(self._session)

    def get_inputs(self) -> list[NodeArg]:
        return self._inputs

    def get_outputs(self) -> list[NodeArg]:
        return self._outputs

    def get_overridable_initializers(self) -> list[NodeArg]:
        return [NodeArg(port) for port in self._session.inputs if port.has_default]

    def get_modelmeta(self) -> ModelMetadata:
        return ModelMetadata(self._session)

    def get_session_options(self) -> SessionOptions:
        return self._options

    def get_providers(self) -> list[str]:
        return [PROVIDER]

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        return {PROVIDER: {}}

    def set_providers(self, providers: Sequence[Any] | None = None, provider_options: Any = None) -> None:
        """There is one provider."""

    def disable_fallback(self) -> None:
        """There is nothing to fall back to."""

    def enable_fallback(self) -> None:
        """There is nothing to fall back to."""

    def end_profiling(self) -> str:
        raise UnsupportedError("no profile is written to a file; ingot.profile returns one")


def get_available_providers() -> list[str]:
    return [PROVIDER]


def get_all_providers() -> list[str]:
    return [PROVIDER]


def get_device() -> str:
    return "CPU"


def get_build_info() -> str:
    return f"Ingot {_core.version}"


def get_version_string() -> str:
    return __version__


def set_default_logger_severity(level: int) -> None:
    """Ingot does not log by itself."""


def set_default_logger_verbosity(level: int) -> None:
    """Ingot does not log by itself."""


def set_seed(seed: int) -> None:
    """Random operators have the seed of their session."""


def disable_telemetry_events() -> None:
    """There are none."""


def enable_telemetry_events() -> None:
    raise UnsupportedError("Ingot sends nothing anywhere")


def preload_dlls(*args: Any, **kwargs: Any) -> None:
    """There are none."""


def install() -> None:
    """Make `import onnxruntime` find this module, in this process. Does nothing the second time."""
    me = sys.modules[__name__]
    if sys.modules.get("onnxruntime") is me:
        return
    if "onnxruntime" in sys.modules:
        raise RuntimeError("onnxruntime is imported already: call install() before the packages that import it")
    capi = types.ModuleType("onnxruntime.capi")
    capi.__path__ = []  # a package, for its sub-modules
    sys.modules["onnxruntime"] = me
    sys.modules["onnxruntime.capi"] = capi
    for name in ("_pybind_state", "onnxruntime_pybind11_state", "onnxruntime_inference_collection"):
        sys.modules[f"onnxruntime.capi.{name}"] = me
        setattr(capi, name, me)
    globals()["capi"] = capi
