# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor types, and arrays of them: random values, .npy files.

NumPy has no bf16: such an array is f32 here and two raw bytes an element in a file.
"""

import dataclasses
import math

import numpy


@dataclasses.dataclass(frozen=True)
class Element:
    """An element type: its NumPy type, its family, and for floats the distance from 1 to the next
    number and the smallest normal number."""

    dtype: str
    family: str
    bits: int
    epsilon: float = 0.0
    smallest: float = 0.0
    largest: float = 0.0


ELEMENTS = {
    "i1": Element("?", "bool", 1),
    **{f"i{bits}": Element(f"<i{bits // 8}", "signed", bits) for bits in (8, 16, 32, 64)},
    **{f"ui{bits}": Element(f"<u{bits // 8}", "unsigned", bits) for bits in (8, 16, 32, 64)},
    "f16": Element("<f2", "float", 16, 2**-10, 2**-14, 65504.0),
    "bf16": Element("<f4", "float", 16, 2**-7, 2**-126, 3.3895314e38),
    "f32": Element("<f4", "float", 32, 2**-23, 2**-126, 3.4028235e38),
    "f64": Element("<f8", "float", 64, 2**-52, 2**-1022, 1.7976931348623157e308),
    "complex<f32>": Element("<c8", "complex", 64, 2**-23),
    "complex<f64>": Element("<c16", "complex", 128, 2**-52),
}

BOOL = ("i1",)
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("ui8", "ui16", "ui32", "ui64")
INTEGERS = SIGNED + UNSIGNED
FLOATS = ("f32", "f64", "f16", "bf16")
NUMBERS = INTEGERS + FLOATS
ALL = BOOL + NUMBERS


@dataclasses.dataclass(frozen=True)
class TensorType:
    """The type `tensor<2x3xf32>` is TensorType((2, 3), "f32")."""

    shape: tuple[int, ...]
    element: str

    def __str__(self):
        return f"tensor<{''.join(f'{size}x' for size in self.shape)}{self.element}>"

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def is_float(self) -> bool:
        return ELEMENTS[self.element].family == "float"

    def with_shape(self, shape) -> "TensorType":
        return TensorType(tuple(int(size) for size in shape), self.element)

    def with_element(self, element: str) -> "TensorType":
        return TensorType(self.shape, element)

    def scalar(self) -> "TensorType":
        return TensorType((), self.element)


def round_to_bf16(array):
    """Rounds f32 values to bf16, ties to even; the result is f32."""
    bits = numpy.ascontiguousarray(array, "<f4").view("<u4").astype("<u8")
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype("<u4").view("<f4")
    return numpy.where(numpy.isnan(array), numpy.float32(numpy.nan), rounded).astype("<f4")


def to_type(array, type: TensorType):
    """Rounds real values to a float type."""
    with numpy.errstate(over="ignore"):
        array = numpy.asarray(array).astype(ELEMENTS[type.element].dtype)
    return round_to_bf16(array).reshape(type.shape) if type.element == "bf16" else array


SPECIAL_FLOATS = (0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.5, -2.5)


def random_array(random: numpy.random.Generator, type: TensorType, low=None, high=None,
                 specials=True):
    """Returns an array of `type`: uniform in [low, high) if these are given. Otherwise floats are
    normal with a few special values, integers small or any."""
    element = ELEMENTS[type.element]
    if element.family == "bool":
        return random.integers(0, 2, type.shape).astype(bool)
    if element.family != "float":
        ends = numpy.iinfo(element.dtype)
        if low is None:
            low, high = (ends.min, ends.max + 1) if random.random() < 0.4 else (-4, 9)
        low, high = max(int(low), int(ends.min)), min(int(high), int(ends.max) + 1)
        return random.integers(low, high, type.shape, dtype=numpy.dtype(element.dtype))
    if low is not None:
        return to_type(random.uniform(low, high, type.shape), type)
    array = 2 * random.standard_normal(type.shape)
    if specials and random.random() < 0.3:
        chosen = random.random(type.shape) < 0.2
        array = numpy.where(chosen, random.choice(SPECIAL_FLOATS, type.shape), array)
    return to_type(array, type)


def save(path, array, type: TensorType) -> None:
    if type.element == "bf16":
        array = (numpy.ascontiguousarray(array).view("<u4") >> 16).astype("<u2").view("V2")
        array = array.reshape(type.shape)
    numpy.save(path, array)


def load(path, type: TensorType):
    """Reads an array; fails if it is not of `type`."""
    array = numpy.load(path)
    if type.element == "bf16":
        assert array.dtype.itemsize == 2 and array.dtype.kind == "V", array.dtype
        bits = numpy.frombuffer(array.tobytes(), "<u2").astype("<u4") << 16
        array = bits.view("<f4").reshape(array.shape)
    assert (array.dtype, array.shape) == (numpy.dtype(ELEMENTS[type.element].dtype), type.shape), (
        f"{path} is {array.dtype}{array.shape}, expected {type}")
    return array
