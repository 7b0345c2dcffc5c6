# SPDX-License-Identifier: Apache-2.0
"""onnx.backend.base on Ingot, so that onnx's own test runner, and programs written for it, can use the engine.

    import ingot.backend
    outputs = ingot.backend.run_model(model, [x])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper
from onnx.backend.base import Backend, BackendRep, Device, DeviceType, namedtupledict

from ._errors import Error
from ._session import Session


class IngotBackendRep(BackendRep):
    """A prepared model."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._result = namedtupledict("Outputs", session.output_names)

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Run on a dict by name, or on a list in the order of the inputs. Returns a named tuple."""
        if isinstance(inputs, Mapping):
            return self._result(*self.session.run(inputs).values())
        given = inputs if isinstance(inputs, (list, tuple)) else [inputs]
        return self._result(*self.session.run(given))


class IngotBackend(Backend):
    """Options of ingot.Session are taken as keyword arguments by all methods."""

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """True when the model opens here."""
        try:
            cls.prepare(model, device, **kwargs)
        except Error:
            return False
        return cls.supports_device(device)

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> IngotBackendRep:
        """Open a model; its weights must be inside of it."""
        if not cls.supports_device(device):
            raise ValueError(f"device {device!r}: Ingot runs on the CPU")
        options = {key: value for key, value in kwargs.items() if key not in ("rtol", "atol")}
        return IngotBackendRep(Session(model.SerializeToString(), **options))

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any) -> tuple[Any, ...]:
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: onnx.NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[np.dtype, tuple[int, ...]]] | None = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Run one node on arrays (None for an input that it leaves out), in a model around it."""
        version = kwargs.pop("opset_version", None)
        arrays = [inputs[name] for name in node.input if name] if isinstance(inputs, Mapping) else list(inputs)
        names = [name for name in node.input if name]
        arrays = [np.asarray(array) for array in arrays if array is not None]
        if len(arrays) != len(names):
            raise ValueError(f"{len(arrays)} inputs are given, the node has {len(names)}")
        ports = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in zip(names, arrays)
        ]
        if outputs_info is None:
            results = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
        else:
            results = [
                helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)
                for name, (dtype, shape) in zip((name for name in node.output if name), outputs_info)
            ]
        imports = [helper.make_opsetid(node.domain, version or _newest(node))]
        graph = helper.make_graph([node], "node", ports, results)
        model = helper.make_model(graph, opset_imports=imports, ir_version=min(onnx.IR_VERSION, 14))
        return cls.run_model(model, arrays, device, **kwargs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return bool(Device(device).type == DeviceType.CPU)


def _newest(node: onnx.NodeProto) -> int:
    """The version of the node's domain that the onnx package has, but no newer than it has the operator in."""
    return onnx.defs.onnx_opset_version() if node.domain in ("", "ai.onnx") else onnx.defs.get_schema(node.op_type, node.domain).since_version


is_compatible = IngotBackend.is_compatible
prepare = IngotBackend.prepare
run_model = IngotBackend.run_model
run_node = IngotBackend.run_node
supports_device = IngotBackend.supports_device
