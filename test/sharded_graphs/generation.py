# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a seed and an index to a program of up to 20 steps with random shardings on a random mesh."""

import dataclasses
import math
import random

from annotated import Annotated, attribute_place

import more_families
import rarer_families
from random_programs.shardings import Axis, Mesh, Sharding, Shardings
from random_stablehlo import FAMILIES as EVALUATED
from random_stablehlo.builder import Builder
from random_stablehlo.program import Program

LONGEST = 20
SIZES = (2, 3, 4)
# Shares of values that are annotated. Constraints cost a reshard each.
ARGUMENTS, RESULTS, CONSTRAINTS, ON_OPS = 0.7, 0.4, 0.15, 0.15
# Shares of programs that have them.
PRIORITIES, GROUPS, OTHER_MESH = 0.15, 0.15, 0.15

# A number of a process is another one on each device.
FAMILIES = {function: weight for function, weight in EVALUATED.items()
            if function.__name__ != "process_number"} | more_families.FAMILIES | rarer_families.FAMILIES


def random_mesh(draw: random.Random) -> Mesh:
    """One to three axes of two to four: up to 64 devices, and most dimensions have up to 7 elements."""
    count = draw.choice((1, 2, 2, 2, 3))
    axes = tuple(Axis(name, draw.choice(SIZES)) for name in "xyz"[:count])
    devices = 1
    for axis in axes:
        devices *= axis.size
    if draw.random() > 0.1:
        return Mesh(axes)
    return Mesh(axes, f", device_ids={draw.sample(range(devices), devices)}")


def other_mesh(draw: random.Random, mesh: Mesh) -> Mesh:
    """A mesh of the same devices: what the sizes of the axes are made of, put together in another
    way."""
    factors = [size for axis in mesh.axes for size in ((2, 2) if axis.size == 4 else (axis.size,))]
    draw.shuffle(factors)
    if len(factors) > 1 and draw.random() < 0.5:
        factors = [factors[0] * factors[1], *factors[2:]]
    axes = tuple(Axis(name, size) for name, size in zip("pqrstu", factors))
    devices = math.prod(factors)
    order = f", device_ids={draw.sample(range(devices), devices)}" if draw.random() < 0.2 else ""
    return Mesh(axes, order)


class GraphShardings(Shardings):
    """Shardings with priorities, and on two meshes, where a program has these."""

    def __init__(self, mesh: Mesh, draw: random.Random):
        super().__init__(mesh, draw, uneven=True)
        self.has_priorities = draw.random() < PRIORITIES
        self.other = other_mesh(draw, mesh) if draw.random() < OTHER_MESH else None
        self._on_other = Shardings(self.other, draw, uneven=True) if self.other else None
        self._draw = draw

    def sharding(self, shape, partial: float = 0) -> Sharding:
        on_other = self.other and self._draw.random() < 0.4
        sharding = self._on_other.sharding(shape) if on_other else super().sharding(shape, partial)
        if self.has_priorities:
            numbers = tuple(self._draw.choice((None, 0, 1, 2)) for _ in shape)
            sharding = dataclasses.replace(sharding, priorities=numbers)
        return dataclasses.replace(sharding, mesh="@other") if on_other else sharding


def random_groups(draw: random.Random, program: Program, annotated: set[str]) -> dict[str, int]:
    """Values of one shape, of which at most one has a sharding of its own."""
    by_shape: dict[tuple, list[str]] = {}
    for value in program.arguments + program.values():
        by_shape.setdefault(value.type.shape, []).append(value.name)
    groups = {}
    for number, names in enumerate(by_shape.values()):
        free = [name for name in names if name not in annotated]
        said = [name for name in names if name in annotated][:1]
        if len(free) + len(said) > 1 and draw.random() < 0.7:
            chosen = draw.sample(free, min(len(free), draw.randint(1, 3))) + said
            groups |= {name: number for name in chosen} if len(chosen) > 1 else {}
    return groups


class LargerBuilder(Builder):
    """Dimensions of up to seven elements."""

    def shape(self, low: int = 0, high: int = 4, smallest: int = 0) -> tuple[int, ...]:
        shape = list(super().shape(low, high, smallest))
        if shape and self.chance(0.4):
            place = self.integer(0, len(shape) - 1)
            shape[place] += 3 if shape[place] else 0
        return tuple(shape)


def random_program(seed: int, index: int, shardings: GraphShardings) -> Program:
    """`shardings` are for what stands in regions."""
    builder = LargerBuilder(seed, index)
    builder.shardings = shardings
    functions, weights = zip(*FAMILIES.items())
    chances = [weight / sum(weights) for weight in weights]
    for _ in range(builder.integer(1, LONGEST)):
        functions[builder.random.choice(len(functions), p=chances)](builder)
    return builder.program()


def generate(seed: int, index: int) -> Annotated:
    """Program `index` of a seed, the same each time."""
    draw = random.Random(f"{seed}/{index}")
    mesh = random_mesh(draw)
    shardings = GraphShardings(mesh, draw)
    program = random_program(seed, index, shardings)

    def some(values, share):
        return {value.name: shardings.sharding(value.type.shape)
                for value in values if draw.random() < share}

    on_ops = [operation.results[0] for operation in program.operations
              if len(operation.results) == 1 and attribute_place(operation.print())]
    annotated = Annotated(program, mesh, some(program.arguments, ARGUMENTS),
                          some(program.returned, RESULTS), some(program.values(), CONSTRAINTS),
                          some(on_ops, ON_OPS), other=shardings.other)
    if draw.random() < GROUPS:
        said = {name for kind in Annotated.KINDS for name in getattr(annotated, kind)}
        annotated.groups = random_groups(draw, program, said)
    return annotated
