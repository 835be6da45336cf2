# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that make, order, convert or choose elements."""

from .blocks import I32, Tensor, Value, comma
from .families import family
from .program import Program


@family()
def iota(program: Program) -> list[Value]:
    value = program.argument(8, 12, element="i32")
    numbers = program.op("iota", [], value.type,
                         f"iota_dimension = {program.draw.choice([0, 1])} : i64")
    return [program.elementwise("add", value, numbers)]


@family()
def constants(program: Program) -> list[Value]:
    """One with different elements, and a splat that is returned as it is."""
    value = program.argument(8, 12)
    rows = comma(str([float(row * 12 + column) for column in range(12)]) for row in range(8))
    return [program.elementwise("add", value, program.constant(f"[{rows}]", value.type)),
            program.constant("3.0", value.type)]


@family()
def sort(program: Program) -> list[Value]:
    values, numbers = program.argument(8, 12), program.argument(8, 12, element="i32")
    region = program.region(Tensor(), Tensor(), I32, I32)
    region.terminate("stablehlo.return", [region.compare("LT", *region.arguments[:2])])
    return program.ops("stablehlo.sort", [values, numbers], [values.type, numbers.type],
                       f"dimension = {program.draw.choice([0, 1])} : i64, is_stable = true",
                       [region])


@family()
def top_k(program: Program) -> list[Value]:
    return program.ops("chlo.top_k", [program.argument(8, 12)],
                       [Tensor((8, 4)), Tensor((8, 4), "i32")], "k = 4 : i64")


@family()
def bitcast(program: Program) -> list[Value]:
    return [program.op("bitcast_convert", [program.argument(8, 12, element="i32")],
                       Tensor((8, 12, 4), "i8"))]


@family()
def clamp_and_select(program: Program) -> list[Value]:
    """With scalar bounds and a scalar predicate."""
    bound, value = program.argument(), program.argument(8, 12)
    clamped = program.op("clamp", [bound, value, bound], value.type)
    return [clamped, program.op("select", [program.argument(element="i1"), value, clamped],
                                value.type)]
