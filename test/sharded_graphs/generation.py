# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a seed and an index to a program of up to 20 steps with random shardings on a random mesh."""

import random

from annotated import Annotated, attribute_place

import more_families
from random_programs.shardings import Axis, Mesh, Shardings
from random_stablehlo import FAMILIES as EVALUATED
from random_stablehlo.builder import Builder
from random_stablehlo.program import Program

LONGEST = 20
SIZES = (2, 3, 4)
# Shares of values that are annotated. Constraints cost a reshard each.
ARGUMENTS, RESULTS, CONSTRAINTS, ON_OPS = 0.7, 0.4, 0.15, 0.15

# A number of a process is another one on each device.
FAMILIES = {function: weight for function, weight in EVALUATED.items()
            if function.__name__ != "process_number"} | more_families.FAMILIES


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


class LargerBuilder(Builder):
    """Dimensions of up to seven elements."""

    def shape(self, low: int = 0, high: int = 4, smallest: int = 0) -> tuple[int, ...]:
        shape = list(super().shape(low, high, smallest))
        if shape and self.chance(0.4):
            place = self.integer(0, len(shape) - 1)
            shape[place] += 3 if shape[place] else 0
        return tuple(shape)


def random_program(seed: int, index: int) -> Program:
    builder = LargerBuilder(seed, index)
    functions, weights = zip(*FAMILIES.items())
    chances = [weight / sum(weights) for weight in weights]
    for _ in range(builder.integer(1, LONGEST)):
        functions[builder.random.choice(len(functions), p=chances)](builder)
    return builder.program()


def generate(seed: int, index: int) -> Annotated:
    """Program `index` of a seed, the same each time."""
    program = random_program(seed, index)
    draw = random.Random(f"{seed}/{index}")
    mesh = random_mesh(draw)
    shardings = Shardings(mesh, draw, uneven=True)

    def some(values, share):
        return {value.name: shardings.sharding(value.type.shape)
                for value in values if draw.random() < share}

    on_ops = [operation.results[0] for operation in program.operations
              if len(operation.results) == 1 and attribute_place(operation.print())]
    return Annotated(program, mesh, some(program.arguments, ARGUMENTS),
                     some(program.returned, RESULTS), some(program.values(), CONSTRAINTS),
                     some(on_ops, ON_OPS))
