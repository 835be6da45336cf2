# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of a few ops, made by random steps.

A step takes values made before and makes one more, or returns None where it finds nothing to work
on. Steps scale down what they sum, so that rounding stays small. `@step` registers one.
"""

import math
from typing import Callable, Optional

from .blocks import NEGATIVE_INFINITY, Value, array
from .families import family
from .program import Program

Step = Callable[[Program, list[Value]], Optional[Value]]
STEPS: list[Step] = []
LARGEST = 2048  # elements of a value that further steps take
RECENT = 5  # steps take the values made last


def step(function: Step) -> Step:
    """Registers a step."""
    STEPS.append(function)
    return function


def any_dim(program: Program, value: Value) -> Optional[int]:
    """A dimension of the value; None if it is a scalar."""
    return program.draw.randrange(len(value.shape)) if value.shape else None


@step
def unary_step(program: Program, values: list[Value]) -> Value:
    op = program.draw.choice(["tanh", "abs", "logistic", "negate"])
    return program.elementwise(op, program.draw.choice(values))


@step
def binary_step(program: Program, values: list[Value]) -> Optional[Value]:
    left, right = program.draw.choice(values), program.draw.choice(values)
    if left.shape != right.shape or left == right:
        return None
    return program.elementwise(program.draw.choice(["add", "multiply", "maximum"]), left, right)


@step
def dot_step(program: Program, values: list[Value]) -> Optional[Value]:
    left, right = program.draw.choice(values), program.draw.choice(values)
    pairs = [(i, j) for i, size in enumerate(left.shape) for j, other in enumerate(right.shape)
             if size == other]
    if not pairs:
        return None
    pair = program.draw.choice(pairs)
    return program.scaled(program.dot(left, right, pair), "0.25")


@step
def transpose_step(program: Program, values: list[Value]) -> Value:
    value = program.draw.choice(values)
    return program.transpose(value, program.draw.sample(range(len(value.shape)), len(value.shape)))


@step
def reduce_step(program: Program, values: list[Value]) -> Optional[Value]:
    value = program.draw.choice(values)
    dim = any_dim(program, value)
    if dim is None:
        return None
    op, start = program.draw.choice([("add", "0.0"), ("maximum", NEGATIVE_INFINITY)])
    result = program.reduce(value, [dim], op, start)
    return program.scaled(result, "0.25") if op == "add" else result


@step
def broadcast_step(program: Program, values: list[Value]) -> Value:
    value, size = program.draw.choice(values), program.draw.choice([4, 6, 8])
    place = program.draw.randint(0, len(value.shape))
    dims = [dim for dim in range(len(value.shape) + 1) if dim != place]
    return program.broadcast(value, dims, *value.shape[:place], size, *value.shape[place:])


@step
def merge_step(program: Program, values: list[Value]) -> Optional[Value]:
    """Reshapes two neighbouring dimensions to one."""
    value = program.draw.choice(values)
    if len(value.shape) < 2:
        return None
    dim = program.draw.randrange(len(value.shape) - 1)
    merged = value.shape[dim] * value.shape[dim + 1]
    return program.reshape(value, *value.shape[:dim], merged, *value.shape[dim + 2:])


@step
def split_step(program: Program, values: list[Value]) -> Optional[Value]:
    """Reshapes one dimension to two."""
    value = program.draw.choice(values)
    dim = any_dim(program, value)
    if dim is None:
        return None
    size = value.shape[dim]
    factor = program.draw.choice([part for part in range(1, size + 1) if size % part == 0])
    return program.reshape(value, *value.shape[:dim], factor, size // factor,
                           *value.shape[dim + 1:])


@step
def slice_step(program: Program, values: list[Value]) -> Optional[Value]:
    value = program.draw.choice(values)
    dim = any_dim(program, value)
    if dim is None or value.shape[dim] < 2:
        return None
    starts, limits, strides = [0] * len(value.shape), list(value.shape), [1] * len(value.shape)
    starts[dim] = program.draw.choice([0, 1, value.shape[dim] // 2])
    strides[dim] = program.draw.choice([1, 1, 2])
    return program.slice(value, starts, limits, strides)


@step
def pad_step(program: Program, values: list[Value]) -> Optional[Value]:
    value = program.draw.choice(values)
    dim = any_dim(program, value)
    if dim is None:
        return None
    low, high, interior = ([0] * len(value.shape) for _ in range(3))
    low[dim], high[dim] = program.draw.choice([(1, 0), (1, 1), (0, 2), (2, 2)])
    return program.pad(value, low, high, interior)


@step
def concatenate_step(program: Program, values: list[Value]) -> Optional[Value]:
    value, other = program.draw.choice(values), program.draw.choice(values)
    if not value.shape or value.shape != other.shape:
        return None
    return program.concatenate([value, other], any_dim(program, value))


@step
def reverse_step(program: Program, values: list[Value]) -> Optional[Value]:
    value = program.draw.choice(values)
    dim = any_dim(program, value)
    if dim is None:
        return None
    return program.op("reverse", [value], value.type, f"dimensions = {array([dim])}")


@step
def constraint_step(program: Program, values: list[Value]) -> Value:
    return program.constraint(program.draw.choice(values))


@family(3, 4, 5, 6, 8, 10)
def graph(program: Program, length: int) -> list[Value]:
    """Random steps over a few arguments; returns what no later step takes."""
    shapes = [(8, 12), (12, 8), (8, 12), (24,), (4, 6, 8)]
    if program.uneven:
        shapes = [(7, 10), (10, 7), (7, 10), (25,), (3, 5, 8), (1, 9)]
    values = [program.argument(*shape)
              for shape in program.draw.sample(shapes, program.draw.choice([2, 3]))]
    arguments = len(values)
    while len(values) < arguments + length:
        value = program.draw.choice(STEPS)(program, values[-RECENT:])
        # What is too large to go on with stays in the program, unused.
        if value and len(value.shape) <= 4 and math.prod(value.shape) <= LARGEST:
            values.append(value)
    return [value for value in values[arguments:] if value.name not in program.used]
