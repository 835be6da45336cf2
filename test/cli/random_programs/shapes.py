# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that move elements to another shape or place."""

from .blocks import Value, array
from .families import family
from .program import Program

RESHAPES = [((8, 12), (96,)), ((96,), (8, 12)), ((4, 24), (8, 12)), ((12, 8), (2, 6, 8)),
            ((24, 4), (6, 16)), ((16, 6), (4, 24)), ((8, 1, 6), (8, 6)), ((8, 6), (8, 1, 6)),
            ((2, 3, 4), (24,)), ((24,), (2, 3, 4)), ((12, 10), (8, 15)), ((48, 2), (2, 48))]


@family("first", "second")
def reshape(program: Program, _: str) -> list[Value]:
    source, target = program.draw.choice(RESHAPES)
    return [program.reshape(program.argument(*source), *target)]


@family()
def transpose(program: Program) -> list[Value]:
    order = program.draw.sample(range(3), 3)
    return [program.transpose(program.argument(8, 12, 6), order)]


@family()
def broadcast(program: Program) -> list[Value]:
    shape, dims = program.draw.choice([((12, 1), [1, 2]), ((8, 6), [0, 2]), ((6,), [2]), ((), [])])
    return [program.broadcast(program.argument(*shape), dims, 8, 12, 6)]


@family()
def concatenate(program: Program) -> list[Value]:
    count = program.draw.choice([2, 2, 3])
    return [program.concatenate([program.argument(8, 12) for _ in range(count)],
                                program.draw.choice([0, 1]))]


@family()
def pad(program: Program) -> list[Value]:
    low, high, interior = program.draw.choice([
        ([0, 1], [0, 3], [0, 0]), ([1, 0], [-1, 0], [0, 0]), ([0, 0], [0, 0], [1, 0]),
        ([2, 2], [2, 2], [0, 0])])
    return [program.pad(program.argument(8, 12), low, high, interior)]


@family()
def slice_(program: Program) -> list[Value]:
    starts, limits, strides = program.draw.choice([
        ([0, 2], [8, 8], [1, 1]), ([0, 0], [8, 12], [2, 1]), ([4, 0], [8, 12], [1, 1]),
        ([0, 0], [8, 12], [1, 1]), ([1, 0], [8, 12], [3, 2])])
    return [program.slice(program.argument(8, 12), starts, limits, strides)]


@family()
def dynamic_slice(program: Program) -> list[Value]:
    value, start = program.argument(8, 12), program.argument(element="i32")
    sizes = program.draw.choice([(8, 6), (4, 12), (1, 12)])
    return [program.op("dynamic_slice", [value, start, start], value.type.of(*sizes),
                       f"slice_sizes = {array(sizes)}")]


@family()
def dynamic_update_slice(program: Program) -> list[Value]:
    value = program.argument(8, 12)
    update = program.argument(*program.draw.choice([(8, 6), (4, 12), (1, 12), (8, 12)]))
    start = program.argument(element="i32")
    return [program.op("dynamic_update_slice", [value, update, start, start], value.type)]


@family()
def reverse(program: Program) -> list[Value]:
    value = program.argument(8, 12)
    return [program.op("reverse", [value], value.type,
                       f"dimensions = {array([program.draw.choice([0, 1])])}")]
