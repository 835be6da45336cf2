# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong, as exceptions.

Every exception of this package is a `ShardwiseError`, and also the built-in exception that fits, so
that both `except ShardwiseError` and `except ValueError` do what one expects. Messages say what was
given, what was expected and what to do.
"""

from __future__ import annotations

import re

__all__ = [
    "FileMissingError", "InfeasibleError", "InputTypeError", "InternalError", "InvalidError", "ProgramError",
    "ProgramFileError", "ProgramNotFoundError", "ShardwiseError", "ShardwiseWarning",
    "TimeoutExpired", "UnsupportedError", "VerificationError",
]


class ShardwiseError(Exception):
    """The base of all exceptions of this package."""


class InvalidError(ShardwiseError, ValueError):
    """A value that breaks a rule: a sharding that does not fit its mesh, an array of another shape."""


class InputTypeError(ShardwiseError, TypeError):
    """An argument of a type that is not expected."""


class UnsupportedError(ShardwiseError, NotImplementedError):
    """Valid, but not implemented; the message names a way out."""


class InfeasibleError(ShardwiseError, ValueError):
    """No answer within a limit; the message has the limit and the need."""


class TimeoutExpired(ShardwiseError, TimeoutError):
    """A device waited too long for its peers."""


class InternalError(ShardwiseError, RuntimeError):
    """A mistake of Shardwise's."""


class VerificationError(ShardwiseError, ArithmeticError):
    """A partitioned program gave other values than the program as it is."""


class FileMissingError(InvalidError, FileNotFoundError):
    """There is no file, or folder, with tensors or specs of this name."""


class ProgramFileError(ShardwiseError, OSError):
    """A program's file that cannot be read."""


class ProgramNotFoundError(ProgramFileError, FileNotFoundError):
    """There is no file of this name."""


class ProgramError(InvalidError):
    """A program that was refused, with the place.

    The text of the exception is what the command line tool prints: `file:line:column: error: ...`, the
    source line, and further places.

    Attributes:
        file: Name of the program, `<string>` if it came as text.
        line: Line of the first error, from 1.
        column: Column of the first error, from 1.
        message: The first error, without the place.
    """

    def __init__(self, text: str, file: str, line: int, column: int, message: str):
        super().__init__(text)
        self.file = file
        self.line = line
        self.column = column
        self.message = message

    def __reduce__(self):
        return ProgramError, (self.args[0], self.file, self.line, self.column, self.message)


class ShardwiseWarning(UserWarning):
    """What the compiler warns of: an op that shardings do not pass, for example."""


_PLACE = re.compile(r"^(.*):(\d+):(\d+): error: (.*)$", re.MULTILINE)
_KINDS = {
    "invalid": InvalidError,
    "unsupported": UnsupportedError,
    "infeasible": InfeasibleError,
    "timeout": TimeoutExpired,
    "internal": InternalError,
}


def make_error(kind: str, text: str) -> ShardwiseError:
    """Returns the exception for a failure of the C++ half, which calls this."""
    text = text.rstrip("\n")
    place = _PLACE.search(text)
    if kind == "invalid" and place:
        return ProgramError(text, place[1], int(place[2]), int(place[3]), place[4])
    return _KINDS[kind](text)
