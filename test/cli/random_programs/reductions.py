# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, of dimensions and of windows."""

from .blocks import I32, NEGATIVE_INFINITY, Tensor, Value
from .families import family
from .program import Program

# name: (op, start value, element type)
REDUCTIONS = {
    "add": ("add", "0.0", "f32"),
    "add_from_one": ("add", "1.0", "f32"),
    "maximum": ("maximum", NEGATIVE_INFINITY, "f32"),
    "minimum_from_half": ("minimum", "0.5", "f32"),
    "multiply": ("multiply", "1.0", "f32"),
    "and": ("and", "-1", "i32"),
    "or": ("or", "0", "i32"),
}


@family(*REDUCTIONS)
def reduce(program: Program, kind: str) -> list[Value]:
    op, start, element = REDUCTIONS[kind]
    dims = program.draw.choice([[0], [1], [2], [0, 2], [0, 1, 2]])
    return [program.reduce(program.argument(8, 12, 4, element=element), dims, op, start)]


@family()
def argmax(program: Program) -> list[Value]:
    """A reduction of two values at once."""
    values, numbers = program.argument(8, 12), program.argument(8, 12, element="i32")
    starts = [program.constant(NEGATIVE_INFINITY, Tensor()), program.constant("0", I32)]
    region = program.region(Tensor(), I32, Tensor(), I32)
    left, left_number, right, right_number = region.arguments
    greater = region.compare("GT", left, right)
    region.terminate("stablehlo.return", [
        region.op("select", [greater, left, right], Tensor()),
        region.op("select", [greater, left_number, right_number], I32)])
    return program.ops("stablehlo.reduce", [values, numbers, *starts],
                       [Tensor((8,)), Tensor((8,), "i32")], "dimensions = array<i64: 1>", [region])


WINDOWS = ("padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, "
           "window_strides = array<i64: 1, 2, 2, 1>")


@family()
def reduce_window(program: Program) -> list[Value]:
    start = program.constant(NEGATIVE_INFINITY, Tensor())
    return [program.op("reduce_window", [program.argument(8, 12, 12, 4), start],
                       Tensor((8, 6, 6, 4)), WINDOWS, [program.reducer("maximum", "f32")])]


@family()
def select_and_scatter(program: Program) -> list[Value]:
    image, source = program.argument(8, 12, 12, 4), program.argument(8, 6, 6, 4)
    select = program.region(Tensor(), Tensor())
    select.terminate("stablehlo.return", [select.compare("GE", *select.arguments)])
    return [program.op("select_and_scatter", [image, source, program.constant("0.0", Tensor())],
                       image.type, WINDOWS, [select, program.reducer("add", "f32")])]
