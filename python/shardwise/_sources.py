# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What may be given as a program, and how it is compiled: arguments that several functions share."""

from __future__ import annotations

import os
from typing import Any, Union

from . import _check, _core
from ._warn import warn_user
from .errors import InputTypeError, InvalidError, ProgramFileError, ProgramNotFoundError
from .plans import topology_name

#: A program: StableHLO text, bytecode, a path, or what `jax.jit(f).lower(...)` returns.
ProgramSource = Union[str, bytes, bytearray, memoryview, os.PathLike, Any]


def read(program: Any, name: str | None) -> tuple[bytes, str]:
    """The bytes of a program, and what the caller calls it."""
    text, path = _read(program)
    return text, _check.string(path if name is None else name, "name")


def load(program: Any, name: str | None) -> _core.LoadedProgram:
    return _core.LoadedProgram(*read(program, name))


def _read(program: Any) -> tuple[bytes, str]:
    """The bytes of a program, and what to call it."""
    if isinstance(program, (bytes, bytearray, memoryview)):
        return bytes(program), "<string>"
    if isinstance(program, str) and ("\n" in program or "{" in program):
        return _check.string(program, "program").encode(), "<string>"
    if isinstance(program, (str, os.PathLike)):
        path = os.fspath(program)
        if not isinstance(path, str) or not path or "\0" in path:
            raise InvalidError(f"{path!r} is no program: it has neither a line break nor a brace, and no "
                               "file can have this name")
        try:
            with open(path, "rb") as file:
                return file.read(), path
        except FileNotFoundError:
            raise ProgramNotFoundError(
                2, "there is no such file; give the path of an .mlir file, or the program itself, "
                "which has line breaks", path) from None
        except OSError as error:
            raise ProgramFileError(error.errno, f"the program cannot be read: {error.strerror}",
                                   path) from None
    # What jax.jit(f).lower(...) returns, and modules of MLIR's own Python bindings.
    as_text = getattr(program, "as_text", None)
    if callable(as_text):
        return _check.string(as_text(), "what as_text() returns").encode(), "<string>"
    raise InputTypeError("program must be text, bytes, a path, or what jax.jit(f).lower(...) returns; "
                         f"got {type(program).__name__}")


def choices_of(topology: Any, memory_limit: Any, max_devices: Any, times_on: Any = None) -> _core.Choices:
    return _core.Choices(topology_name(topology),
                         _check.optional_integer(memory_limit, "memory_limit", 1),
                         _check.optional_integer(max_devices, "max_devices", 1),
                         topology_name(times_on))


def warn(loaded: _core.LoadedProgram) -> None:
    if text := loaded.take_warnings():
        warn_user(text.rstrip("\n"))
