# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gathers and scatters."""

from typing import Sequence

from .blocks import Tensor, Value, array
from .families import family
from .program import Program


def indices(program: Program, factor: int, *shape: int) -> Value:
    """Indices from random integers, spread out; some lie beyond the bounds."""
    return program.scaled(program.argument(*shape, element="i32"), str(factor))


def gather_from(program: Program, operand: Value, starts: Value, result: Tensor, numbers: str,
                sizes: Sequence[int]) -> Value:
    return program.op("gather", [operand, starts], result,
                      f"dimension_numbers = #stablehlo.gather<{numbers}>, "
                      f"slice_sizes = {array(sizes)}, indices_are_sorted = false")


@family()
def gather_rows(program: Program) -> list[Value]:
    table = program.argument(24, 12)
    return [gather_from(program, table, indices(program, 9, 8, 2), Tensor((8, 2, 12)),
                        "offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], "
                        "index_vector_dim = 2", [1, 12])]


@family()
def gather_points(program: Program) -> list[Value]:
    """Two indices per point, in the other order than the dimensions they index."""
    table = program.argument(8, 12, 6)
    return [gather_from(program, table, indices(program, 4, 4, 8, 2), Tensor((4, 8, 6)),
                        "offset_dims = [2], collapsed_slice_dims = [0, 1], "
                        "start_index_map = [1, 0], index_vector_dim = 2", [1, 1, 6])]


@family()
def gather_batched(program: Program) -> list[Value]:
    table = program.argument(8, 12, 6)
    return [gather_from(program, table, indices(program, 4, 8, 4, 1), Tensor((8, 4, 6)),
                        "offset_dims = [2], collapsed_slice_dims = [1], "
                        "operand_batching_dims = [0], start_indices_batching_dims = [0], "
                        "start_index_map = [1], index_vector_dim = 2", [1, 1, 6])]


def scatter_into(program: Program, operand: Value, starts: Value, updates: Value, op: str,
                 numbers: str) -> Value:
    return program.op("scatter", [operand, starts, updates], operand.type,
                      f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}>, "
                      "indices_are_sorted = false, unique_indices = false",
                      [program.reducer(op, "f32")])


ROWS = ("update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
        "index_vector_dim = 1")


@family("add", "maximum", "multiply")
def scatter_rows(program: Program, op: str) -> list[Value]:
    table, starts = program.argument(24, 12), indices(program, 9, 8, 1)
    return [scatter_into(program, table, starts, program.argument(8, 12), op, ROWS)]


@family()
def scatter_into_zeros(program: Program) -> list[Value]:
    """The gradient of an embedding."""
    zeros, starts = program.constant("0.0", Tensor((24, 12))), indices(program, 9, 8, 1)
    return [scatter_into(program, zeros, starts, program.argument(8, 12), "add", ROWS)]


@family()
def scatter_columns(program: Program) -> list[Value]:
    table, starts = program.argument(4, 24, 6), indices(program, 9, 8, 1)
    return [scatter_into(program, table, starts, program.argument(4, 8, 6), "add",
                         "update_window_dims = [0, 2], inserted_window_dims = [1], "
                         "scatter_dims_to_operand_dims = [1], index_vector_dim = 1")]
