# SPDX-License-Identifier: Apache-2.0
"""What a model is and where its time goes, as dataclasses."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _core
from ._values import numpy_dtype

if TYPE_CHECKING:
    from ._session import Session

KINDS = ("tensor", "sequence", "map", "optional")


@dataclass(frozen=True)
class Port:
    """An input or output. Dimensions of `shape` are numbers, names, or None; the whole is None where even the rank is
    not known."""

    name: str
    dtype: str
    shape: tuple[int | str | None, ...] | None
    kind: str = "tensor"
    has_default: bool = False
    code: int = field(default=0, repr=False)  # of ingot_dtype, which is ONNX's

    @property
    def numpy_dtype(self) -> np.dtype | None:
        """The type of arrays that come out of it."""
        return numpy_dtype(self.code)


def ports(raw: Sequence[tuple[Any, ...]]) -> list[Port]:
    return [
        Port(name, _core.dtype_name(code), shape, KINDS[kind], has_default, code)
        for name, kind, code, shape, has_default in raw
    ]


@dataclass(frozen=True)
class ModelInfo:
    """What a model file says about itself, and what Ingot made of it."""

    inputs: list[Port]
    outputs: list[Port]
    producer: str
    producer_version: str
    graph_name: str
    doc: str
    ir_version: int
    opset: int
    n_nodes_file: int
    n_nodes: int
    n_parameters: int
    weight_bytes: int
    packed_bytes: int
    metadata: dict[str, str]
    operators: dict[str, int]


@dataclass(frozen=True)
class Step:
    """A step of a plan with its times over all profiled runs."""

    node: str
    op: str
    kernel: str
    shape: str
    flops: int
    bytes: int
    n_runs: int
    total_ns: int
    min_ns: int
    last_begin_ns: int
    last_end_ns: int

    @property
    def mean_ms(self) -> float:
        return self.total_ns / max(self.n_runs, 1) / 1e6


Model = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, "Session"]


def _session(model: Model, options: dict[str, Any]) -> Session:
    from ._session import Session

    if not isinstance(model, Session):
        return Session(model, **options)
    if options:
        raise TypeError("options go with a path or bytes: the session has its own already")
    return model


def inspect(model: Model, **options: Any) -> ModelInfo:
    """What is in a model: a path, bytes or a session. Options are those of Session."""
    return _session(model, options).info


def _random_feeds(session: Session, seed: int) -> dict[str, Any]:
    """Numbers for each input that must be given; dimensions that are not fixed are 1."""
    rng = np.random.default_rng(seed)
    feeds = {}
    for port in session.inputs:
        if port.has_default:
            continue
        dtype = port.numpy_dtype
        if port.kind != "tensor" or port.shape is None or dtype is None or dtype.kind not in "fiub":
            raise ValueError(f'input "{port.name}" needs a value: give feeds')
        shape = [dim if isinstance(dim, int) else 1 for dim in port.shape]
        if dtype.kind == "f":
            feeds[port.name] = rng.standard_normal(shape).astype(dtype)
        else:
            feeds[port.name] = rng.integers(0, 2, shape).astype(dtype)
    return feeds


def profile(
    model: Model,
    feeds: Mapping[str, Any] | Sequence[Any] | None = None,
    *,
    runs: int = 10,
    seed: int = 0,
    **options: Any,
) -> list[Step]:
    """Run a model `runs` times, after one run that prepares it, and tell how long each step took. Without feeds the
    inputs are random, and dimensions that are not fixed are 1."""
    session = _session(model, options)
    given: Any = _random_feeds(session, seed) if feeds is None else feeds
    session.run(given)
    session.set_profiling(True)
    try:
        for _ in range(runs):
            session.run(given)
    finally:
        session.set_profiling(False)
    return session.steps()
