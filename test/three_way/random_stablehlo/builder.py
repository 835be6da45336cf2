# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grows a program operation by operation."""

from collections.abc import Callable, Sequence

import numpy

from random_stablehlo.error_bounds import Rule
from random_stablehlo.program import Operation, Program, Value
from random_stablehlo.tensors import TensorType, random_array

MOST_ELEMENTS = 240


class Builder:
    """A program under construction and the random numbers that shape it."""

    def __init__(self, seed: int, index: int):
        self.seed, self.index = seed, index
        self.random = numpy.random.default_rng([seed, index])
        self.arguments: list[Value] = []
        self.data: dict[str, numpy.ndarray] = {}
        self.operations: list[Operation] = []

    # Choices

    def integer(self, low: int, high: int) -> int:
        """Returns a number in [low, high]."""
        return int(self.random.integers(low, high + 1))

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def choice(self, options: Sequence):
        return options[self.integer(0, len(options) - 1)]

    def subset(self, items: Sequence, count: int) -> list:
        """Returns `count` of `items` in their order."""
        chosen = sorted(self.random.permutation(len(items))[:count])
        return [items[i] for i in chosen]

    def shape(self, low: int = 0, high: int = 4, smallest: int = 0) -> tuple[int, ...]:
        """Returns a shape of a rank in [low, high], now and then with a size of 0."""
        sizes = [self.integer(1, 5) for _ in range(self.integer(low, high))]
        if sizes and smallest == 0 and self.chance(0.06):
            sizes[self.integer(0, len(sizes) - 1)] = 0
        while numpy.prod(sizes) > MOST_ELEMENTS:
            sizes[int(numpy.argmax(sizes))] -= 1
        return tuple(sizes)

    # Values

    def argument(self, type: TensorType, low=None, high=None, specials=True) -> Value:
        """Returns a new argument, or now and then a constant."""
        array = random_array(self.random, type, low, high, specials)
        return self.given(type, array)

    def given(self, type: TensorType, array) -> Value:
        """Returns a new argument with the data `array`."""
        value = Value(f"%a{len(self.arguments)}", type)
        self.arguments.append(value)
        self.data[value.name] = numpy.asarray(array)
        return value

    def existing(self, accepts: Callable[[Value], bool]) -> Value | None:
        """Returns a value that fits, later ones first by preference, or None."""
        fitting = [value for value in self.values()
                   if not value.is_last and accepts(value)]
        if not fitting:
            return None
        return fitting[-1 - min(self.random.geometric(0.4) - 1, len(fitting) - 1)]

    def maker(self, value: Value) -> str | None:
        """Returns the name of the op that a value comes from, None for an argument."""
        return next((operation.name for operation in self.operations
                     if value in operation.results), None)

    def values(self) -> list[Value]:
        return self.arguments + [value for operation in self.operations
                                 for value in operation.results]

    def operand(self, type: TensorType, exact=False, low=None, high=None) -> Value:
        """Returns a value of `type`: one that is there, or a new argument."""
        if low is None and self.chance(0.75):
            found = self.existing(lambda value: value.type == type
                                  and (value.is_exact or not exact))
            if found:
                return found
        return self.argument(type, low, high)

    def any_operand(self, elements: Sequence[str], exact=False, low_rank=0, high_rank=4,
                    smallest=0) -> Value:
        """Returns a value of one of the element types, of any shape in the range of ranks and of
        sizes from `smallest`."""
        if self.chance(0.75):
            found = self.existing(
                lambda value: value.type.element in elements and (value.is_exact or not exact)
                and low_rank <= value.type.rank <= high_rank
                and all(size >= smallest for size in value.type.shape))
            if found:
                return found
        shape = self.shape(low_rank, high_rank, smallest)
        return self.argument(TensorType(shape, self.choice(elements)))

    # Operations

    def apply(self, name: str, text: str, operands: list[Value], types: list[TensorType],
              rule: Rule, rounds=False, is_last=False, departure=None,
              functions: str = "") -> list[Value]:
        """Adds an operation. `rounds` says that its results are not exact on exact operands."""
        number = len(self.operations)
        names = [f"%v{number}" if len(types) == 1 else f"%v{number}#{i}"
                 for i in range(len(types))]
        is_exact = not rounds and all(operand.is_exact for operand in operands)
        departures = [departure] + [operand.departure for operand in operands]
        reason = next((reason for reason in departures if reason), None)
        is_constant = all(operand.is_constant for operand in operands)
        results = [Value(name, type, is_exact or not type.is_float, is_last, is_constant, reason)
                   for name, type in zip(names, types)]
        self.operations.append(Operation(name, text, operands, results, rule, functions))
        return results

    def program(self) -> Program:
        """Returns the program; it returns values that nothing uses, and some others."""
        used = {id(operand) for operation in self.operations for operand in operation.operands}
        values = [value for operation in self.operations for value in operation.results]
        returned = [value for value in values if id(value) not in used or self.chance(0.25)]
        return Program(self.seed, self.index, self.arguments, self.data, self.operations, returned)


def dims(numbers) -> str:
    return "[" + ", ".join(str(int(number)) for number in numbers) + "]"


def array_attr(numbers) -> str:
    numbers = list(numbers)
    return "array<i64" + (": " + ", ".join(str(int(n)) for n in numbers) if numbers else "") + ">"


def pairs_attr(pairs) -> str:
    pairs = [tuple(pair) for pair in pairs]
    listed = "[" + ", ".join(f"[{low}, {high}]" for low, high in pairs) + "]" if pairs else ""
    return f"dense<{listed}> : tensor<{len(pairs)}x2xi64>"


def function_type(operands: Sequence[Value], results: Sequence[TensorType]) -> str:
    inner = ", ".join(str(operand.type) for operand in operands)
    outer = ", ".join(map(str, results))
    return f"({inner}) -> {outer if len(results) == 1 else f'({outer})'}"
