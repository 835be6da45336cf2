# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms of ops that programs seldom have: reductions, windows and scatters of several operands, loops over
slices as JAX writes scans, constraints and nested loops inside of loops and branches, manual computations,
and element types that arguments do not have.

A family with shardings asks `builder.shardings` for them, which knows the mesh of the program.
"""

import dataclasses
import math

from more_families import add
from random_programs.shardings import Axis, Sharding
from random_stablehlo.builder import Builder, array_attr, pairs_attr
from random_stablehlo.error_bounds import moved
from random_stablehlo.indexing import choose, index_operand, scatter_numbers
from random_stablehlo.program import Value
from random_stablehlo.tensors import NUMBERS, TensorType

WHOLE = ("i8", "i32", "ui8", "ui32", "i64")


def integers(builder: Builder, shape, low=-4, high=5) -> Value:
    element = builder.choice(WHOLE)
    return builder.argument(TensorType(tuple(shape), element), max(low, 0) if element[0] == "u" else low,
                            high)


def folding_region(types: list[TensorType], ops: list[str]) -> str:
    """A region that folds each pair of operands by an op of its own."""
    count = len(types)
    names = [f"%$r_a{i}" for i in range(count)] + [f"%$r_b{i}" for i in range(count)]
    arguments = ", ".join(f"{name}: {type}" for name, type in zip(names, types * 2))
    lines = [f"    %$r_c{i} = stablehlo.{op} {names[i]}, {names[count + i]} : {type}\n"
             for i, (op, type) in enumerate(zip(ops, types))]
    returned = ", ".join(f"%$r_c{i}" for i in range(count))
    return (f"({{\n  ^bb0({arguments}):\n{''.join(lines)}"
            f"    stablehlo.return {returned} : {', '.join(map(str, types))}\n  }})")


# An op and the number that it starts from.
FOLDS = {"add": 0, "maximum": 0, "minimum": 0, "or": 0, "xor": 0, "multiply": 1}


def folded(builder: Builder, shape):
    """Two or three operands of one shape, what each starts from, and the region."""
    count = builder.integer(2, 3)
    operands = [integers(builder, shape) for _ in range(count)]
    ops = [builder.choice(list(FOLDS)) for _ in range(count)]
    scalars = [operand.type.scalar() for operand in operands]
    starts = []
    for op, scalar in zip(ops, scalars):
        starts += builder.apply("stablehlo.constant", f"stablehlo.constant dense<{FOLDS[op]}> : {scalar}",
                                [], [scalar], moved)
    return operands, starts, folding_region(scalars, ops)


def listed(count: int) -> str:
    return ", ".join(f"${i}" for i in range(count))


def reduce_several(builder: Builder) -> None:
    shape = builder.shape(1)
    operands, starts, region = folded(builder, shape)
    chosen = builder.subset(range(len(shape)), builder.integer(1, len(shape)))
    kept = [size for dim, size in enumerate(shape) if dim not in chosen]
    add(builder, "stablehlo.reduce", f'"stablehlo.reduce"({listed(2 * len(operands))}) '
        f"<{{dimensions = {array_attr(chosen)}}}> {region}", operands + starts,
        [operand.type.with_shape(kept) for operand in operands])


def reduce_window_several(builder: Builder) -> None:
    shape = builder.shape(1, 3, smallest=1)
    operands, starts, region = folded(builder, shape)
    window = [builder.integer(1, min(3, size)) for size in shape]
    strides = [builder.choice((1, 1, 2)) for _ in shape]
    padding = [(builder.integer(0, 1), builder.integer(0, 1)) for _ in shape]
    result = [(size + sum(pair) - width) // stride + 1
              for size, pair, width, stride in zip(shape, padding, window, strides)]
    add(builder, "stablehlo.reduce_window", f'"stablehlo.reduce_window"({listed(2 * len(operands))}) '
        f"<{{window_dimensions = {array_attr(window)}, window_strides = {array_attr(strides)}, "
        f"padding = {pairs_attr(padding)}}}> {region}", operands + starts,
        [operand.type.with_shape(result) for operand in operands])


def scatter_several(builder: Builder) -> None:
    chosen = choose(builder)
    count = builder.integer(2, 3)
    operands = [integers(builder, chosen.shape) for _ in range(count)]
    updates = [builder.argument(operand.type.with_shape(chosen.result), 0, 5) for operand in operands]
    indices = index_operand(builder, chosen, inside=builder.chance(0.2))
    region = folding_region([operand.type.scalar() for operand in operands],
                            [builder.choice(("add", "maximum", "minimum")) for _ in operands])
    add(builder, "stablehlo.scatter", f'"stablehlo.scatter"({listed(2 * count + 1)}) '
        f"<{{scatter_dimension_numbers = {scatter_numbers(chosen)}}}> {region}",
        [*operands, indices, *updates], [operand.type for operand in operands])


def constrained(builder: Builder, name: str, type: TensorType, chance=0.5) -> tuple[str, str]:
    """A line that says where a value inside of a region is, and the value behind it."""
    if not builder.chance(chance):
        return "", name
    sharding = builder.shardings.sharding(type.shape)
    return f"    {name}_at = sdy.sharding_constraint {name} {sharding} : {type}\n", f"{name}_at"


def loop_over_slices(builder: Builder) -> None:
    """A scan: a slice of %x in every round is added to what is carried, and becomes a slice of what the
    loop gives."""
    type = TensorType(builder.shape(1, 4, smallest=1), builder.choice(("i32", "f32", "i8")))
    dim = builder.integer(0, type.rank - 1)
    slice_ = type.with_shape(size if d != dim else 1 for d, size in enumerate(type.shape))
    carry = type.with_shape(size for d, size in enumerate(type.shape) if d != dim)
    x, start = builder.argument(type, -4, 5), builder.argument(carry, -4, 5)
    rounds = builder.choice((type.shape[dim], builder.integer(0, 5)))
    starts = ", ".join("%$r_i" if d == dim else "%$r_z" for d in range(type.rank))
    scalars = ", ".join(["tensor<i32>"] * type.rank)
    said, now = constrained(builder, "%$r_n", carry)
    said_slice, piece = constrained(builder, "%$r_s", slice_, 0.3)
    is_reverse = builder.chance(0.3)
    counter = (f"    %$r_l = stablehlo.constant dense<{rounds - 1}> : tensor<i32>\n"
               "    %$r_i = stablehlo.subtract %$r_l, %$r_k : tensor<i32>\n" if is_reverse else
               "    %$r_i = stablehlo.minimum %$r_k, %$r_k : tensor<i32>\n")
    types = f"tensor<i32>, {carry}, {type}, {type}"
    text = f"""stablehlo.while(%$r_k = %$r_0, %$r_c = $1, %$r_y = $0, %$r_x = $0) : {types}
    cond {{
    %$r_m = stablehlo.constant dense<{rounds}> : tensor<i32>
    %$r_t = stablehlo.compare LT, %$r_k, %$r_m : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %$r_t : tensor<i1>
  }} do {{
    %$r_z = stablehlo.constant dense<0> : tensor<i32>
    %$r_1 = stablehlo.constant dense<1> : tensor<i32>
{counter}    %$r_s = stablehlo.dynamic_slice %$r_x, {starts}, sizes = {list(slice_.shape)} : \
({type}, {scalars}) -> {slice_}
{said_slice}    %$r_v = stablehlo.reshape {piece} : ({slice_}) -> {carry}
    %$r_n = stablehlo.add %$r_c, %$r_v : {carry}
{said}    %$r_w = stablehlo.reshape {now} : ({carry}) -> {slice_}
    %$r_u = stablehlo.dynamic_update_slice %$r_y, %$r_w, {starts} : \
({type}, {slice_}, {scalars}) -> {type}
    %$r_j = stablehlo.add %$r_k, %$r_1 : tensor<i32>
    stablehlo.return %$r_j, {now}, %$r_u, %$r_x : {types}
  }}"""
    zero = builder.apply("stablehlo.constant", "stablehlo.constant dense<0> : tensor<i32>", [],
                         [TensorType((), "i32")], moved)[0]
    builder.apply("stablehlo.while", text.replace("%$r_0", "$2"), [x, start, zero],
                  [zero.type, carry, type, type], moved, rounds=True)


def nested_loops(builder: Builder) -> None:
    """A loop in a loop, and a branch in that; what they carry is turned, added up and constrained."""
    type = TensorType(builder.shape(1, 3, smallest=1), builder.choice(("i32", "f32")))
    x = builder.argument(type, -4, 5)
    count = TensorType((), "i32")
    outer, inner = builder.argument(count, 0, 3), builder.argument(count, 0, 3)
    said, now = constrained(builder, "%$r_q", type)
    said_in, now_in = constrained(builder, "%$r_e", type)
    dim = builder.integer(0, type.rank - 1)
    text = f"""stablehlo.while(%$r_i = $1, %$r_a = $0) : {count}, {type}
    cond {{
    %$r_l = stablehlo.constant dense<3> : {count}
    %$r_t = stablehlo.compare LT, %$r_i, %$r_l : ({count}, {count}) -> tensor<i1>
    stablehlo.return %$r_t : tensor<i1>
  }} do {{
    %$r_1 = stablehlo.constant dense<1> : {count}
    %$r_p:2 = stablehlo.while(%$r_j = $2, %$r_b = %$r_a) : {count}, {type}
    cond {{
      %$r_m = stablehlo.constant dense<2> : {count}
      %$r_f = stablehlo.compare LT, %$r_j, %$r_m : ({count}, {count}) -> tensor<i1>
      stablehlo.return %$r_f : tensor<i1>
    }} do {{
      %$r_d = stablehlo.reverse %$r_b, dims = [{dim}] : {type}
      %$r_e = stablehlo.subtract %$r_d, $0 : {type}
{said_in}      %$r_k = stablehlo.add %$r_j, %$r_1 : {count}
      %$r_g = "stablehlo.case"(%$r_j) ({{
        stablehlo.return {now_in} : {type}
      }}, {{
        %$r_h = stablehlo.maximum {now_in}, %$r_b : {type}
        stablehlo.return %$r_h : {type}
      }}) : ({count}) -> {type}
      stablehlo.return %$r_k, %$r_g : {count}, {type}
    }}
    %$r_q = stablehlo.minimum %$r_p#1, %$r_a : {type}
{said}    %$r_n = stablehlo.add %$r_i, %$r_1 : {count}
    stablehlo.return %$r_n, {now} : {count}, {type}
  }}"""
    builder.apply("stablehlo.while", text, [x, outer, inner], [count, type], moved, rounds=True)


def block(builder: Builder, operands: list[Value], lines: list[str], end: str,
          result: TensorType) -> None:
    """Lines on %$r_a, %$r_b .., the operands, of which %$r_`end` is the result."""
    arguments = ", ".join(f"%$r_{chr(97 + i)}: {operand.type}" for i, operand in enumerate(operands))
    body = "\n".join("    " + line for line in lines)
    text = (f'sdy.named_computation<"$r_f">({listed(len(operands))}) ({arguments}) {{\n{body}\n'
            f"    sdy.return %$r_{end} : {result}\n  }}")
    add(builder, "sdy.named_computation", text, operands, [result])


SMALL = ("i4", "ui4", "i2", "ui2", "f8E4M3FN", "f8E5M2", "f8E4M3B11FNUZ", "f8E3M4")


def small_numbers(builder: Builder) -> None:
    """Elements of a few bits are moved, cut, put together, added up and compared."""
    shape = builder.shape(1, 3, smallest=1)
    element = builder.choice(SMALL)
    wide = TensorType(shape, "i32" if "i" == element.lstrip("u")[0] else "f32")
    x = builder.argument(wide, 0, 2)
    small = f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"
    dim = builder.integer(0, len(shape) - 1)
    twice = TensorType(tuple(size * (2 if d == dim else 1) for d, size in enumerate(shape)), wide.element)
    both = f"tensor<{''.join(f'{size}x' for size in twice.shape)}{element}>"
    lines = [f"%$r_s = stablehlo.convert %$r_a : ({wide}) -> {small}",
             f"%$r_r = stablehlo.reverse %$r_s, dims = [{dim}] : {small}",
             f"%$r_m = stablehlo.maximum %$r_s, %$r_r : {small}",
             f"%$r_c = stablehlo.concatenate %$r_m, %$r_s, dim = {dim} : ({small}, {small}) -> {both}",
             f"%$r_e = stablehlo.convert %$r_c : ({both}) -> {twice}"]
    block(builder, [x], lines, "e", twice)


def complex_numbers(builder: Builder) -> None:
    """Complex products, sums along a dimension and what moves them."""
    rows, inner, columns = builder.shape(3, 3, smallest=1)
    parts = [[builder.argument(TensorType(shape, "f32"), -2, 2) for _ in "ri"]
             for shape in ((rows, inner), (inner, columns))]
    left, right = (f"tensor<{a}x{b}xcomplex<f32>>" for a, b in ((rows, inner), (inner, columns)))
    both = f"tensor<{rows}x{columns}xcomplex<f32>>"
    turned = TensorType((columns, rows), "f32")
    lines = [f"%$r_l = stablehlo.complex %$r_a, %$r_b : {left}",
             f"%$r_m = stablehlo.complex %$r_c, %$r_d : {right}",
             f"%$r_p = stablehlo.dot_general %$r_l, %$r_m, contracting_dims = [1] x [0] : "
             f"({left}, {right}) -> {both}",
             f"%$r_q = stablehlo.subtract %$r_p, %$r_p : {both}",
             f"%$r_s = stablehlo.add %$r_p, %$r_q : {both}",
             f"%$r_t = stablehlo.transpose %$r_s, dims = [1, 0] : ({both}) -> "
             f"tensor<{columns}x{rows}xcomplex<f32>>",
             f"%$r_e = stablehlo.{builder.choice(('real', 'imag'))} %$r_t : "
             f"(tensor<{columns}x{rows}xcomplex<f32>>) -> {turned}"]
    block(builder, [*parts[0], *parts[1]], lines, "e", turned)


def whole_axes(builder: Builder, shape) -> list[list[Axis]]:
    """Axes of each dimension that cut it into equal parts."""
    axes_of, left = [[] for _ in shape], list(shape)
    for axis in builder.shardings.mesh.axes:
        fitting = [dim for dim, size in enumerate(left) if size % axis.size == 0]
        if fitting and builder.chance(0.8):
            dim = builder.choice(fitting)
            axes_of[dim].append(axis)
            left[dim] //= axis.size
    return axes_of


def manual(builder: Builder) -> None:
    """A computation that sees the parts of two values along some axes; the others are free, outside and
    within it."""
    x = builder.any_operand(NUMBERS, low_rank=1, smallest=1)
    y = builder.operand(x.type)
    axes_of = whole_axes(builder, x.type.shape)
    axes = list(builder.shardings.mesh.axes)
    free = [axis for axis in axes if builder.chance(0.3)]
    manual_axes = [[axis for axis in cut if axis not in free] for cut in axes_of]
    # Free axes come behind manual ones.
    cut = Sharding(tuple((*first, *(axis for axis in all_axes if axis in free))
                         for first, all_axes in zip(manual_axes, axes_of)),
                   (False,) * x.type.rank)
    local = x.type.with_shape(size // math.prod(axis.size for axis in first)
                              for size, first in zip(x.type.shape, manual_axes))
    order = builder.random.permutation(x.type.rank)
    within = dataclasses.replace(cut, dims=tuple(
        tuple(axis for axis in axes_of[dim] if axis in free) for dim in order))
    names = ", ".join(f'"{axis.name}"' for axis in axes if axis not in free)
    dim = builder.integer(0, x.type.rank - 1)
    said = f"    %$r_d = sdy.sharding_constraint %$r_c {within} : {local}\n" if free else ""
    text = (f"sdy.manual_computation($0, $1) in_shardings=[{cut}, {cut}] out_shardings=[{cut}] "
            f"manual_axes={{{names}}} (%$r_a: {local}, %$r_e: {local}) {{\n"
            f"    %$r_b = stablehlo.reverse %$r_a, dims = [{dim}] : {local}\n"
            f"    %$r_c = stablehlo.maximum %$r_b, %$r_e : {local}\n{said}"
            f"    sdy.return %$r_{'d' if free else 'c'} : {local}\n"
            f"  }} : ({x.type}, {x.type}) -> {x.type}")
    builder.apply("sdy.manual_computation", text, [x, y], [x.type], moved, rounds=True)


FAMILIES = {reduce_several: 1, reduce_window_several: 1, scatter_several: 1, loop_over_slices: 2,
            nested_loops: 1, small_numbers: 1, complex_numbers: 1, manual: 1}
