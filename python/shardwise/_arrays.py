# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy arrays as element type, shape and bytes, as the C++ half takes and gives them."""

from __future__ import annotations

import functools
from typing import Any

import numpy

from .errors import InputTypeError, InvalidError, UnsupportedError

_NUMPY_NAMES = {
    "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "ui8",
    "uint16": "ui16", "uint32": "ui32", "uint64": "ui64", "float16": "f16", "float32": "f32",
    "float64": "f64", "complex64": "complex<f32>", "complex128": "complex<f64>",
}
# Of the package ml_dtypes, which JAX brings.
_ML_NAMES = {
    "bfloat16": "bf16", "int2": "i2", "int4": "i4", "uint2": "ui2", "uint4": "ui4",
    "float8_e4m3": "f8E4M3", "float8_e4m3fn": "f8E4M3FN", "float8_e4m3fnuz": "f8E4M3FNUZ",
    "float8_e4m3b11fnuz": "f8E4M3B11FNUZ", "float8_e5m2": "f8E5M2", "float8_e5m2fnuz": "f8E5M2FNUZ",
    "float8_e3m4": "f8E3M4", "float8_e8m0fnu": "f8E8M0FNU",
}
_NAMES = {**_NUMPY_NAMES, **_ML_NAMES}
_DTYPES = {name: dtype for dtype, name in _NAMES.items()}
# StableHLO's text has "ui8"; people write "u8" too.
_SHORT = {"u8": "ui8", "u16": "ui16", "u32": "ui32", "u64": "ui64", "c64": "complex<f32>",
          "c128": "complex<f64>"}


@functools.cache
def numpy_dtype(name: str) -> numpy.dtype:
    """Returns the NumPy dtype of an element type as in StableHLO."""
    dtype = _DTYPES[name]
    if dtype in _NUMPY_NAMES:
        return numpy.dtype(dtype)
    try:
        import ml_dtypes
    except ImportError:
        raise UnsupportedError(f"arrays of {name} need the package ml_dtypes; install it with "
                               "`pip install ml_dtypes`") from None
    if not hasattr(ml_dtypes, dtype):
        raise UnsupportedError(f"this version of ml_dtypes has no {dtype}; install a later one")
    return numpy.dtype(getattr(ml_dtypes, dtype))


def dtype_name(dtype: Any) -> str:
    """Returns the name in StableHLO of a NumPy dtype, of its name, or of a name in StableHLO."""
    if isinstance(dtype, str):
        written = _NAMES.get(dtype, _SHORT.get(dtype, dtype))
        if written in _DTYPES:
            return written
    try:
        name = None if dtype is None else _NAMES.get(numpy.dtype(dtype).name)
    except TypeError:
        name = None
    if name is None:
        expected = f"a NumPy dtype or one of {', '.join(_DTYPES)}"
        if isinstance(dtype, str):
            raise InvalidError(f"there is no element type {dtype!r}; expected {expected}")
        raise InputTypeError(f"{dtype!r} is no element type; expected {expected}")
    return name


def to_core(array: Any, name: str, what: str, other: str = "the program"):
    """Returns an array for the C++ half. What is no array yet becomes one of the type `name`.

    Raises:
        InvalidError: It is an array of another element type, or a ragged list.
        InputTypeError: It can be no array of this type.
    """
    if not isinstance(array, (numpy.ndarray, numpy.generic)) and not hasattr(array, "__array__"):
        array = _made_array(array, name, what)
    array = numpy.asarray(array)
    own = _NAMES.get(array.dtype.name)
    if own is None:
        raise InputTypeError(f"{what} is an array of {array.dtype}, {other} has {name} there; "
                             f"convert it with astype({_DTYPES[name]!r})")
    if own != name:
        raise InvalidError(f"{what} is an array of {array.dtype} ({own}), {other} has {name} "
                           f"there; convert it with astype({_DTYPES[name]!r})")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    flat = numpy.ascontiguousarray(array).reshape(-1)
    return name, list(array.shape), flat.view(numpy.uint8)


def _made_array(value: Any, name: str, what: str) -> numpy.ndarray:
    """An array of numbers and nested lists, whose values the element type must be able to hold."""
    try:
        plain = numpy.asarray(value)
    except ValueError as error:
        raise InvalidError(f"{what} is no array: {error}") from None
    if plain.dtype.kind not in "biufc":
        raise InputTypeError(f"{what} must be an array or numbers, got {value!r}")
    # What is empty has no type of its own.
    if plain.size and _width_of(plain.dtype.kind) > _width_of(name):
        raise InvalidError(f"{what} has values of type {plain.dtype}, the program has {name} there; "
                           "give an array of that type")
    made = plain.astype(numpy_dtype(name))
    if _width_of(name) == 1 and (made.astype(object) != plain.astype(object)).any():
        raise InvalidError(f"{what} has values that are out of range for {name}")
    return made


def _width_of(kind: str) -> int:
    """0 for truth values, 1 for integers, 2 for floats, 3 for complex numbers; of a kind of NumPy's, or
    a name in StableHLO."""
    if kind in ("b", "i1"):
        return 0
    if kind.startswith(("i", "u")):
        return 1
    return 2 if kind.startswith(("f", "bf")) else 3


def from_core(parts) -> numpy.ndarray:
    """Returns what the C++ half gave as an array, which owns the memory."""
    name, shape, data = parts
    return data.view(numpy_dtype(name)).reshape(shape)
