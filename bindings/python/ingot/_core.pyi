# SPDX-License-Identifier: Apache-2.0
from collections.abc import Mapping, Sequence
from typing import Any, Self, overload

import numpy as np

version: str

def cpu() -> str: ...
def passes() -> list[str]: ...
def dtype_name(code: int, /) -> str: ...

class Session:
    def __new__(
        cls,
        path: bytes | None,
        source: bytes | Session | None,
        threads: int,
        seed: int,
        opt: int,
        cpu: str | None,
        max_memory: int,
        timeout_ms: int,
        custom_ops: list[bytes],
        disable_passes: str | None,
        allow_links: bool,
        overridable: list[bytes],
        data_folder: bytes | None,
        precision: int,
        /,
    ) -> Self: ...
    @property
    def input_names(self) -> tuple[str, ...]: ...
    @property
    def output_names(self) -> tuple[str, ...]: ...
    @property
    def threads(self) -> int: ...
    @overload
    def run(
        self,
        feeds: Mapping[str, Any],
        outputs: str | Sequence[str] | None = None,
        *,
        out: Mapping[str, np.ndarray | None] | Sequence[np.ndarray | None] | np.ndarray | None = None,
        copy: bool = True,
    ) -> dict[str, Any]: ...
    @overload
    def run(
        self,
        feeds: Any = (),
        outputs: str | Sequence[str] | None = None,
        *,
        out: Mapping[str, np.ndarray | None] | Sequence[np.ndarray | None] | np.ndarray | None = None,
        copy: bool = True,
    ) -> list[Any]: ...
    def __call__(self, *inputs: Any, **named: Any) -> Any: ...
    def cancel(self) -> None: ...
    def set_profiling(self, on: bool, /) -> None: ...
    def _info(self) -> tuple[Any, ...]: ...
    def _io(self) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]: ...
    def _steps(self) -> list[tuple[Any, ...]]: ...
    def _memory(self) -> dict[str, tuple[int, int]]: ...
    def _graph(self, dot: bool, /) -> list[bytes]: ...
