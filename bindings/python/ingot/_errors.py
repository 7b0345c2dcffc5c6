# SPDX-License-Identifier: Apache-2.0
"""Exceptions. Their text is the library's one line: place, cause, remedy."""


class Error(Exception):
    """Anything that Ingot refuses or cannot do."""


class OutOfMemoryError(Error, MemoryError):
    """The allocator had no memory left."""


class FileError(Error, OSError):
    """A file cannot be opened, read or mapped."""


class ParseError(Error, ValueError):
    """The bytes are not what they claim to be."""


class InvalidError(Error, ValueError):
    """Well-formed, but against a rule: missing inputs, wrong names, bad options."""


class ShapeError(Error, ValueError):
    """Dimensions or element types do not fit together."""


class UnsupportedError(Error, NotImplementedError):
    """Correct, but this build cannot do it, as with an unknown operator."""


class LimitError(Error, RuntimeError):
    """A bound would be exceeded: memory, time, rank, iterations."""


class CancelledError(Error, RuntimeError):
    """The caller asked for the run to stop."""


class InternalError(Error, RuntimeError):
    """A fault of Ingot itself; please report it."""


# In the order of ingot_status; the first is "ok".
BY_STATUS = [
    Error,
    OutOfMemoryError,
    FileError,
    ParseError,
    InvalidError,
    ShapeError,
    UnsupportedError,
    LimitError,
    CancelledError,
    InternalError,
]
