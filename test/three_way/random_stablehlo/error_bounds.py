# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a result may be from the reference evaluator's: a rule for each kind of operation.

A bound is an array that broadcasts to the result. It is 0 where every evaluator must give the same
bits: integers, moved elements, one correctly rounded operation on such operands.
"""

from collections.abc import Callable
import dataclasses

import numpy

from random_stablehlo.tensors import ELEMENTS, TensorType


@dataclasses.dataclass
class Measured:
    """A value under the reference evaluator with the bound of its error."""

    type: TensorType
    array: numpy.ndarray
    bound: numpy.ndarray
    is_exact: bool

    @property
    def magnitude(self) -> float:
        """Returns the largest finite magnitude."""
        if not self.array.size or not self.type.is_float:
            return 0.0
        array = numpy.abs(self.array.astype(numpy.float64))
        return float(numpy.max(array, where=numpy.isfinite(array), initial=0.0))

    @property
    def worst(self) -> float:
        return float(numpy.max(self.bound, initial=0.0))


Rule = Callable[[list[Measured], Measured], numpy.ndarray]


def finite_magnitudes(measured: Measured) -> numpy.ndarray:
    array = numpy.abs(measured.array.astype(numpy.float64))
    return numpy.where(numpy.isfinite(array), array, 0.0)


def epsilon(measured: Measured) -> float:
    return ELEMENTS[measured.type.element].epsilon


def moved(operands: list[Measured], result: Measured):
    """Elements are moved or chosen by an exact value."""
    if not result.type.is_float:
        return numpy.float64(0)
    return numpy.float64(max((operand.worst for operand in operands), default=0.0))


def largest_of(operands: list[Measured], result: Measured):
    """Elementwise, with slope at most 1 in every operand, and no rounding."""
    if not result.type.is_float:
        return numpy.float64(0)
    return sum(numpy.asarray(operand.bound) for operand in operands)


def contracted(operands: list[Measured], result: Measured) -> numpy.ndarray:
    """An addition may be fused with the product before it, which then is not rounded."""
    if all(operand.is_exact for operand in operands):
        return numpy.float64(0)
    scale = max([operand.magnitude for operand in operands] + [result.magnitude])
    return numpy.float64(epsilon(result) * scale)


def added(operands: list[Measured], result: Measured):
    return largest_of(operands, result) + contracted(operands, result)


def multiplied(operands: list[Measured], result: Measured):
    if not result.type.is_float:
        return numpy.float64(0)
    left, right = operands[0], operands[-1]
    error = left.bound * (finite_magnitudes(right) + right.bound)
    return error + right.bound * finite_magnitudes(left) + contracted(operands, result)


def rounded(ulps: float, floor: float = 0.0) -> Rule:
    """Elementwise on exact operands, right to `ulps` units in the last place; results below
    `floor` have the absolute error of those at it."""

    def rule(operands: list[Measured], result: Measured):
        if not result.type.is_float:
            return numpy.float64(0)
        return ulps * epsilon(result) * numpy.maximum(finite_magnitudes(result), floor)

    return rule


def converted(operands: list[Measured], result: Measured):
    """Rounded once; a bound of the operand may be pushed over a rounding boundary."""
    if not result.type.is_float:
        return numpy.float64(0)
    carried = numpy.asarray(operands[0].bound)
    return carried + numpy.where(carried > 0, epsilon(result) * finite_magnitudes(result), 0.0)


def summed(terms: int, factors: int = 1) -> Rule:
    """A sum of at most `terms` elements, or of products of `factors` of them, in any order and
    rounded after each step."""

    def rule(operands: list[Measured], result: Measured):
        if not result.type.is_float or terms == 0:
            return numpy.float64(0)
        scales = [operand.magnitude for operand in operands if operand.type.is_float]
        term = float(numpy.prod(scales[:factors])) if factors > 1 else max(scales, default=0.0)
        carried = max((operand.worst for operand in operands), default=0.0)
        if factors > 1:
            carried *= 2 * max(scales, default=0.0)
        return numpy.float64(terms * (carried + (terms + 1) * epsilon(result) * term))

    return rule


def product_of(terms: int) -> Rule:
    """A product of at most `terms` exact elements in any order."""
    return rounded(float(terms + 1))
