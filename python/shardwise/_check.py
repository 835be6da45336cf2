# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of users, looked at before they reach the C++ half."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from .errors import InputTypeError, InvalidError

_LARGEST = 2**63 - 1


def integer(value: Any, what: str, least: int | None = None, most: int = _LARGEST) -> int:
    """Returns `value` as an int; NumPy's integers are ones, booleans are not."""
    if isinstance(value, bool):
        raise InputTypeError(f"{what} must be an integer, got {value!r}")
    try:
        number = operator.index(value)
    except TypeError:
        raise InputTypeError(f"{what} must be an integer, got {value!r}") from None
    if least is not None and number < least:
        raise InvalidError(f"{what} must be at least {least}, got {number}")
    if abs(number) > most:
        raise InvalidError(f"{what} must be less than 2**{most.bit_length()}, got {number}")
    return number


def optional_integer(value: Any, what: str, least: int | None = None) -> int | None:
    return None if value is None else integer(value, what, least)


def optional_number(value: Any, what: str) -> float | None:
    """Returns `value`, a number of at least 0, as a float."""
    if value is None:
        return None
    if isinstance(value, (str, bytes, bool)):
        raise InputTypeError(f"{what} must be a number, got {value!r}")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputTypeError(f"{what} must be a number, got {value!r}") from None
    if not number >= 0:
        raise InvalidError(f"{what} must be at least 0, got {value!r}")
    return number


def string(value: Any, what: str) -> str:
    """Returns `value`, which must be a str without lone surrogates, which are no text."""
    if not isinstance(value, str):
        raise InputTypeError(f"{what} must be a string, got {value!r}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidError(f"{what} is no text that can be written as UTF-8: {value!r}") from None
    return value


def sequence(value: Any, what: str) -> Sequence[Any]:
    """Returns `value`, any iterable with an order, as a tuple. Text, sets and dictionaries are none."""
    if isinstance(value, (str, bytes, bytearray, Set, Mapping)) or not isinstance(value, Iterable):
        raise InputTypeError(f"{what} must be a list or tuple, got {value!r}")
    return tuple(value)


def shape(value: Any) -> tuple[int, ...]:
    return tuple(integer(size, "a size of the shape", 0) for size in sequence(value, "shape"))


def one_of(value: Any, what: str, words: Sequence[str]) -> str:
    if string(value, what) not in words:
        raise InvalidError(f"{what} must be one of {', '.join(words)}; got {value!r}")
    return value
