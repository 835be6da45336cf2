# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops along dimensions that devices share: what lies at computed places, and two phases.

Most are of integers, so that every difference shows.
"""

from typing import Sequence

from .blocks import I32, Block, Tensor, Value, array
from .families import family
from .indexing import gather_from, indices
from .program import Program

SHAPE = (8, 24, 12)


def windows(program: Program) -> list[int]:
    """Sizes of a window: of a dimension one element, some, nearly all or all."""
    return [program.draw.choice([1, 1, 2, 3, size // 2, size - 1, size]) for size in SHAPE]


def starts(program: Program) -> list[Value]:
    """Where a window begins: anywhere, before and behind the bounds too, in a type of the draw."""
    element = program.draw.choice(["i32", "i32", "i64", "ui8"])
    return [program.scaled(program.argument(element=element), str(program.draw.choice([1, 3, 7])))
            for _ in SHAPE]


@family("i32", "f32", "i1", "complex<f32>")
def window_read(program: Program, element: str) -> list[Value]:
    value, sizes = program.argument(*SHAPE, element=element), windows(program)
    return [program.op("dynamic_slice", [value, *starts(program)], value.type.of(*sizes),
                       f"slice_sizes = {array(sizes)}")]


@family("i32", "f32", "i1", "complex<f32>")
def window_written(program: Program, element: str) -> list[Value]:
    value, sizes = program.argument(*SHAPE, element=element), windows(program)
    update = program.argument(*sizes, element=element)
    return [program.op("dynamic_update_slice", [value, update, *starts(program)], value.type)]


@family("first", "second")
def gather_windows(program: Program, _: str) -> list[Value]:
    """Windows at several places, of which the dimension of rows is somewhere among the others."""
    table = program.argument(*SHAPE, element="i32")
    rows, columns = (program.draw.choice([1, 2, 5, size - 1, size]) for size in SHAPE[1:])
    places = indices(program, 3, 6, 2)
    if program.draw.random() < 0.5:
        return [gather_from(program, table, places, Tensor((8, rows, 6, columns), "i32"),
                            "offset_dims = [0, 1, 3], start_index_map = [1, 2], "
                            "index_vector_dim = 1", [8, rows, columns])]
    return [gather_from(program, table, program.transpose(places, [1, 0]),
                        Tensor((6, rows, columns), "i32"),
                        "offset_dims = [1, 2], collapsed_slice_dims = [0], "
                        "start_index_map = [0, 1], index_vector_dim = 0", [1, rows, columns])]


@family("add", "maximum", "last")
def scatter_windows(program: Program, op: str) -> list[Value]:
    """Windows at several places; those that do not fit are skipped."""
    table = program.argument(*SHAPE, element="i32")
    rows, columns = (program.draw.choice([1, 2, 5, size - 1, size]) for size in SHAPE[1:])
    count = 1 if op == "last" else 6
    updates = program.argument(8, rows, count, columns, element="i32")
    reducer = program.reducer(op, "i32") if op != "last" else program.region(I32, I32)
    if op == "last":
        reducer.terminate("stablehlo.return", [reducer.arguments[1]])
    return [program.op("scatter", [table, indices(program, 3, count, 2), updates], table.type,
                       "scatter_dimension_numbers = #stablehlo.scatter<"
                       "update_window_dims = [0, 1, 3], scatter_dims_to_operand_dims = [1, 2], "
                       "index_vector_dim = 1>, indices_are_sorted = false, "
                       f"unique_indices = {str(count == 1).lower()}", [reducer])]


@family("multiply", "and", "or", "add")
def reduce_integers(program: Program, op: str) -> list[Value]:
    """Reductions that are no partial sums, or start from something."""
    dims = program.draw.choice([[0], [1], [2], [0, 2], [0, 1, 2]])
    value = program.argument(*SHAPE, element="i32")
    return [program.reduce(value, dims, op, str(program.draw.choice([3, 5, -1])))]


def selecting(program: Program, element: str, first: bool) -> Block:
    """The reducer of an argmax or argmin; of equal values the first or the last."""
    type_ = Tensor((), element)
    region = program.region(type_, I32, type_, I32)
    left, left_number, right, right_number = region.arguments
    direction = program.draw.choice(["GE", "LE"]) if first else program.draw.choice(["GT", "LT"])
    taken = region.compare(direction, left, right)
    region.terminate("stablehlo.return", [
        region.op("select", [taken, left, right], type_),
        region.op("select", [taken, left_number, right_number], I32)])
    return region


# The last one is among the elements: where it wins depends on how often it is folded in.
STARTS = ["-2147483648", "2147483647", "0"]


@family("first", "last")
def find(program: Program, which: str) -> list[Value]:
    """Values with their places, many of them equal, so that ties decide."""
    dims = program.draw.choice([[0], [1], [2], [0, 2], [0, 1]])
    value = program.argument(*SHAPE, element="i32")
    kept = tuple(size for dim, size in enumerate(SHAPE) if dim not in dims)
    numbers = program.op("iota", [], value.type, f"iota_dimension = {dims[0]} : i64")
    inits = [program.constant(program.draw.choice(STARTS), I32), program.constant("-1", I32)]
    return program.ops("stablehlo.reduce", [value, numbers, *inits],
                       [Tensor(kept, "i32"), Tensor(kept, "i32")],
                       f"dimensions = {array(dims)}", [selecting(program, "i32", which == "first")])


@family("sum_and_maximum")
def reduce_two(program: Program, _: str) -> list[Value]:
    """Two values, each with a reduction of its own."""
    first, second = (program.argument(*SHAPE, element="i32") for _ in range(2))
    inits = [program.constant("2", I32), program.constant("-7", I32)]
    region = program.region(I32, I32, I32, I32)
    left, left_other, right, right_other = region.arguments
    region.terminate("stablehlo.return", [region.elementwise("add", left, right),
                                          region.elementwise("maximum", right_other, left_other)])
    dim = program.draw.choice([0, 1, 2])
    kept = tuple(size for d, size in enumerate(SHAPE) if d != dim)
    return program.ops("stablehlo.reduce", [first, second, *inits],
                       [Tensor(kept, "i32"), Tensor(kept, "i32")],
                       f"dimensions = {array([dim])}", [region])


@family("i32", "f32")
def top_k(program: Program, element: str) -> list[Value]:
    """Small integers have many equals."""
    value, count = program.argument(*SHAPE, element=element), program.draw.choice([1, 2, 5, 9, 12])
    shape = (*SHAPE[:-1], count)
    return program.ops("chlo.top_k", [value], [Tensor(shape, element), Tensor(shape, "i32")],
                       f"k = {count} : i64")


CUMULATIVE = {"add": "0", "multiply": "1", "maximum": "-2147483648", "minimum": "3", "or": "0"}


def growing_windows(dim: int, is_reverse: bool, shape: Sequence[int]) -> str:
    """The properties of prefix sums along a dimension, from the front or from the back."""
    sizes = [size if d == dim else 1 for d, size in enumerate(shape)]
    padding = [[0, 0] for _ in shape]
    padding[dim][1 if is_reverse else 0] = shape[dim] - 1
    return (f"window_dimensions = {array(sizes)}, "
            f"padding = dense<{padding}> : tensor<{len(shape)}x2xi64>")


@family(*CUMULATIVE)
def accumulate(program: Program, op: str) -> list[Value]:
    value, dim = program.argument(*SHAPE, element="i32"), program.draw.choice([0, 1, 2])
    start = program.constant(CUMULATIVE[op], I32)
    return [program.op("reduce_window", [value, start], value.type,
                       growing_windows(dim, program.draw.random() < 0.5, SHAPE),
                       [program.reducer(op, "i32")])]


@family()
def accumulate_places(program: Program) -> list[Value]:
    """The largest value so far, and where it was."""
    value, dim = program.argument(*SHAPE, element="i32"), program.draw.choice([0, 1, 2])
    numbers = program.op("iota", [], value.type, f"iota_dimension = {dim} : i64")
    inits = [program.constant(program.draw.choice(STARTS), I32), program.constant("-1", I32)]
    return program.ops("stablehlo.reduce_window", [value, numbers, *inits],
                       [value.type, value.type],
                       growing_windows(dim, program.draw.random() < 0.5, SHAPE),
                       [selecting(program, "i32", True)])


@family("i32")
def sort_pairs(program: Program, element: str) -> list[Value]:
    """Keys with values, of which equal keys keep the order."""
    keys = program.argument(*SHAPE, element=element)
    dim = program.draw.choice([0, 1, 2])
    numbers = program.op("iota", [], keys.type, f"iota_dimension = {dim} : i64")
    region = program.region(I32, I32, I32, I32)
    region.terminate("stablehlo.return", [region.compare("LT", *region.arguments[:2])])
    return program.ops("stablehlo.sort", [keys, numbers], [keys.type, keys.type],
                       f"dimension = {dim} : i64, is_stable = true", [region])
