# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dots and convolutions."""

from .blocks import Tensor, Value
from .families import family
from .program import Program


@family()
def dot(program: Program) -> list[Value]:
    rows, inner, columns = (program.draw.choice(sizes)
                            for sizes in ((8, 12, 24), (8, 24), (4, 6, 12)))
    left, right = program.argument(rows, inner), program.argument(inner, columns)
    return [program.dot(left, right, (1, 0))]


@family()
def batched_dot(program: Program) -> list[Value]:
    batch, rows, inner, columns = (program.draw.choice(sizes)
                                   for sizes in ((2, 4, 6), (8, 12), (8, 24), (4, 6, 12)))
    left, right = program.argument(batch, rows, inner), program.argument(batch, inner, columns)
    return [program.dot(left, right, (2, 1), batch=[0])]


@family("add", "subtract")
def sum_of_dots(program: Program, op: str) -> list[Value]:
    """Partial sums that may be added up before they are reduced."""
    left, right = program.argument(8, 12), program.argument(12, 8)
    flipped = program.transpose(program.dot(right, left, (0, 1)), [1, 0])
    first = program.elementwise(op, program.dot(left, right, (1, 0)),
                                program.scaled(flipped, "-0.5"))
    return [program.elementwise("add", first,
                                program.dot(left, program.scaled(right, "0.5"), (1, 0)))]


# Convolutions.


def convolve(program: Program, image: Value, kernel: Value, result: Tensor, layout: str,
             padding: int, feature_groups: int = 1, batch_groups: int = 1) -> Value:
    return program.op("convolution", [image, kernel], result,
                      f"dimension_numbers = #stablehlo.conv<{layout}>, "
                      f"padding = dense<{padding}> : tensor<2x2xi64>, "
                      f"feature_group_count = {feature_groups} : i64, "
                      f"batch_group_count = {batch_groups} : i64")


FORWARD = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
KERNEL_GRADIENT = "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]"


@family(1, 2, 4)
def convolution(program: Program, groups: int) -> list[Value]:
    features = program.draw.choice([8, 16])
    image = program.argument(8, 6, 6, 8)
    kernel = program.argument(3, 3, 8 // groups, features)
    return [convolve(program, image, kernel, Tensor((8, 6, 6, features)), FORWARD, 1, groups)]


@family()
def convolution_kernel_gradient(program: Program) -> list[Value]:
    image, gradient = program.argument(8, 6, 6, 4), program.argument(8, 6, 6, 12)
    return [convolve(program, image, gradient, Tensor((3, 3, 4, 12)), KERNEL_GRADIENT, 1)]


@family(2, 4)
def convolution_batch_groups(program: Program, groups: int) -> list[Value]:
    image, kernel = program.argument(8, 6, 6, 4), program.argument(3, 3, 4, 8)
    return [convolve(program, image, kernel, Tensor((8 // groups, 4, 4, 8)), FORWARD, 0,
                     batch_groups=groups)]
