# SPDX-License-Identifier: Apache-2.0
"""Ingot runs trained models (ONNX) on the CPU.

    session = ingot.Session("net.onnx")
    scores = session(pixels)                      # one output: an array; several: a tuple
    scores = session.run({"input": pixels})       # a dict by name
"""

from . import _core
from ._errors import (
    CancelledError,
    Error,
    FileError,
    InternalError,
    InvalidError,
    LimitError,
    OutOfMemoryError,
    ParseError,
    ShapeError,
    UnsupportedError,
)
from ._inspect import ModelInfo, Port, Step, inspect, profile
from ._predictor import Predictor
from ._session import Session

__version__ = _core.version
cpu = _core.cpu
passes = _core.passes

__all__ = [
    "CancelledError",
    "Error",
    "FileError",
    "InternalError",
    "InvalidError",
    "LimitError",
    "ModelInfo",
    "OutOfMemoryError",
    "ParseError",
    "Port",
    "Predictor",
    "Session",
    "ShapeError",
    "Step",
    "UnsupportedError",
    "cpu",
    "inspect",
    "passes",
    "profile",
]
