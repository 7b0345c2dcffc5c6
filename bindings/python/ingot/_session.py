# SPDX-License-Identifier: Apache-2.0
"""The session: a model that is ready to run."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Self, Union

from . import _core
from ._errors import InvalidError
from ._inspect import ModelInfo, Port, Step, ports

OPT_LEVELS = {"all": 0, "basic": 1, "none": 2}
PRECISIONS = {"fp32": 0, "fp32-strict": 1}
Path = Union[str, "os.PathLike[str]"]


class Session(_core.Session):
    """A model, opened and optimised.

    model           a path, or the bytes of a file, or a session: its model is used, weights included, and the options
                    are those of the session alone
    threads         0: as many as the process may use
    seed            of random operators that have none of their own
    opt             "all", "basic" or "none": how much the graph is rewritten
    cpu             instruction sets as in INGOT_CPU: "ref", "portable", "avx2", "avx512"; None: the best
    max_memory      bytes that may be allocated in all, 0: no bound
    timeout_ms      a run that takes longer raises LimitError, 0: no bound
    custom_ops      a path, or paths, of shared libraries with operators: their code runs in this process
    disable_passes  names of passes to leave out, as a list or separated by commas
    allow_links     weights beside the model may be symbolic links
    data_folder     where weights in files lie; None: beside the model, and nowhere for a model of bytes
    overridable     names of inputs that stay inputs though the model has a default for them; all others are constants
    precision       "fp32" or "fp32-strict": rounding errors of at most 4 times, or once, those of plain float32 arithmetic

    Sessions may be used from any thread: a run waits for the one before it. Two runs at the same time take two
    sessions: Session(session) makes another one of the same model.
    """

    def __new__(
        cls,
        model: Path | bytes | bytearray | memoryview | Session,
        *,
        threads: int = 0,
        seed: int = 0,
        opt: str = "all",
        cpu: str | None = None,
        max_memory: int = 0,
        timeout_ms: int = 0,
        custom_ops: Path | Iterable[Path] = (),
        disable_passes: str | Iterable[str] = (),
        allow_links: bool = False,
        data_folder: Path | None = None,
        overridable: Iterable[str] = (),
        precision: str = "fp32",
    ) -> Self:
        if opt not in OPT_LEVELS:
            raise ValueError(f'opt is {opt!r}, possible are {", ".join(map(repr, OPT_LEVELS))}')
        if precision not in PRECISIONS:
            raise ValueError(f'precision is {precision!r}, possible are {", ".join(map(repr, PRECISIONS))}')
        path: bytes | None = None
        source: bytes | Session | None = None
        if isinstance(model, Session):
            of_model = (opt != "all", cpu, max_memory, custom_ops, disable_passes, allow_links, overridable, precision != "fp32")
            if any(of_model) or data_folder is not None:
                raise ValueError("a session that shares a model takes threads, seed and timeout_ms alone")
            source = model
        elif isinstance(model, (bytes, bytearray, memoryview)):
            source = bytes(model)
        else:
            path = os.fsencode(model)
        if isinstance(custom_ops, (str, os.PathLike)):
            custom_ops = [custom_ops]
        if not isinstance(disable_passes, str):
            disable_passes = ",".join(disable_passes)
        return super().__new__(
            cls,
            path,
            source,
            threads,
            seed & 0xFFFFFFFFFFFFFFFF,
            OPT_LEVELS[opt],
            cpu,
            max_memory,
            timeout_ms,
            [os.fsencode(library) for library in custom_ops],
            disable_passes or None,
            allow_links,
            [os.fsencode(name) for name in overridable],
            None if data_folder is None else os.fsencode(data_folder),
            PRECISIONS[precision],
        )

    def __init__(self, *args: Any, **options: Any) -> None:
        inputs, outputs = self._io()
        self._inputs, self._outputs = ports(inputs), ports(outputs)
        unknown = set(options.get("overridable", ())) - {port.name for port in self._inputs}
        if unknown:
            raise InvalidError(f"overridable: the model has no input {sorted(unknown)[0]!r}")
        self._pool: ThreadPoolExecutor | None = None
        self._pool_lock = threading.Lock()

    @property
    def inputs(self) -> list[Port]:
        """Inputs, in order."""
        return list(self._inputs)

    @property
    def outputs(self) -> list[Port]:
        """Outputs, in order."""
        return list(self._outputs)

    @property
    def info(self) -> ModelInfo:
        """What the file says and what became of it."""
        return ModelInfo(self.inputs, self.outputs, *self._info())

    @property
    def memory(self) -> dict[str, tuple[int, int]]:
        """Bytes in use now and at most, by purpose, and "total"."""
        return self._memory()

    def graph(self, form: str = "text") -> str:
        """The optimised graph, as "text" or as Graphviz ("dot")."""
        if form not in ("text", "dot"):
            raise ValueError(f"form is {form!r}, possible are 'text' and 'dot'")
        return b"".join(self._graph(form == "dot")).decode("utf-8", "replace")

    def steps(self) -> list[Step]:
        """Steps of the plan that the last run used; times are of profiled runs."""
        return [Step(*step) for step in self._steps()]

    def run_async(self, feeds: Any = (), outputs: Any = None, **options: Any) -> Future[Any]:
        """As run, by a thread of the session: returns a future at once. Runs go in the order in which they were asked
        for. In a coroutine: await asyncio.wrap_future(session.run_async(feeds)). Inputs must not change until the
        future is done."""
        with self._pool_lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(1, "ingot")
            return self._pool.submit(lambda: self.run(feeds, outputs, **options))

    def __repr__(self) -> str:
        def show(port: Port) -> str:
            dims = "?" if port.shape is None else ", ".join("?" if dim is None else str(dim) for dim in port.shape)
            return f"{port.name}: {port.dtype}[{dims}]" if port.kind == "tensor" else f"{port.name}: {port.kind}"

        return f"<ingot.Session {', '.join(map(show, self._inputs))} -> {', '.join(map(show, self._outputs))}>"

    def __reduce__(self) -> Any:
        raise TypeError("a session cannot be pickled: open the model in each process")
