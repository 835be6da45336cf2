# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that make and move elements."""

from random_stablehlo import error_bounds as bounds
from random_stablehlo.builder import Builder, dims, function_type
from random_stablehlo.tensors import ALL, INTEGERS, NUMBERS, TensorType


def moves(builder: Builder, name: str, middle: str, operands, result: TensorType,
          departure=None) -> None:
    """Adds an op of the form `name $0, $1 middle : (types) -> type`."""
    names = ", ".join(f"${i}" for i in range(len(operands)))
    builder.apply(f"stablehlo.{name}",
                  f"stablehlo.{name} {names}{middle} : {function_type(operands, [result])}",
                  list(operands), [result], bounds.moved, departure=departure)


def constant(builder: Builder) -> None:
    type = TensorType(builder.shape(0, 2), builder.choice(ALL))
    splat = builder.chance(0.3)

    def entry():
        if type.element == "i1":
            return builder.choice(("true", "false"))
        number = builder.integer(0 if type.element[0] == "u" else -9, 9)
        return f"{number / 2:e}" if type.is_float else str(number)

    def listed(shape):
        if not shape:
            return entry()
        return "[" + ", ".join(listed(shape[1:]) for _ in range(shape[0])) + "]"

    text = entry() if splat else listed(type.shape) if type.size else ""
    builder.apply("stablehlo.constant", f"stablehlo.constant dense<{text}> : {type}", [], [type],
                  bounds.moved)


def iota(builder: Builder) -> None:
    type = TensorType(builder.shape(1), builder.choice(NUMBERS))
    dim = builder.integer(0, type.rank - 1)
    builder.apply("stablehlo.iota", f"stablehlo.iota dim = {dim} : {type}", [], [type],
                  bounds.moved)


def broadcast_in_dim(builder: Builder) -> None:
    x = builder.any_operand(ALL, high_rank=3)
    rank = builder.integer(x.type.rank, 4)
    places = [int(place) for place in builder.random.permutation(rank)[:x.type.rank]]
    if builder.chance(0.7):
        places.sort()
    shape = [builder.integer(1, 3) for _ in range(rank)]
    for place, size in zip(places, x.type.shape):
        if size != 1:
            shape[place] = size
    moves(builder, "broadcast_in_dim", f", dims = {dims(places)}", [x], x.type.with_shape(shape))


def reshape(builder: Builder) -> None:
    x = builder.any_operand(ALL)
    rest, shape = x.type.size, []
    while rest > 1 and len(shape) < 3:
        divisors = [d for d in range(1, rest + 1) if rest % d == 0]
        shape.append(builder.choice(divisors))
        rest //= shape[-1]
    if rest != 1:
        shape.append(rest)
    if x.type.size == 0:
        shape = [0] + [builder.integer(0, 3) for _ in range(builder.integer(0, 2))]
    moves(builder, "reshape", "", [x], x.type.with_shape(shape))


def transpose(builder: Builder) -> None:
    x = builder.any_operand(ALL)
    order = [int(dim) for dim in builder.random.permutation(x.type.rank)]
    moves(builder, "transpose", f", dims = {dims(order)}", [x],
          x.type.with_shape(x.type.shape[dim] for dim in order))


def reverse(builder: Builder) -> None:
    x = builder.any_operand(ALL)
    chosen = builder.subset(range(x.type.rank), builder.integer(0, x.type.rank))
    builder.apply("stablehlo.reverse", f"stablehlo.reverse $0, dims = {dims(chosen)} : {x.type}",
                  [x], [x.type], bounds.moved)


def slice_(builder: Builder) -> None:
    x = builder.any_operand(ALL)
    parts, shape, departure = [], [], None
    for size in x.type.shape:
        start = builder.integer(0, size)
        if 0 < size == start:
            departure = "slice: one that starts at the end may end the process"
        limit = builder.integer(start, size)
        stride = builder.choice((1, 1, 2, 3))
        parts.append(f"{start}:{limit}" + (f":{stride}" if stride != 1 else ""))
        shape.append((limit - start + stride - 1) // stride)
    moves(builder, "slice", f" [{', '.join(parts)}]", [x], x.type.with_shape(shape), departure)


def start_operands(builder: Builder, rank: int):
    """Returns scalar starts of one type; many lie outside. Those of an unsigned type stay below the
    signed maximum, where everybody reads the same number."""
    element = builder.choice(INTEGERS)
    low, high = (0, 8) if element[0] == "u" else (-4, 8)
    return [builder.argument(TensorType((), element), low, high) for _ in range(rank)]


def dynamic_slice(builder: Builder) -> None:
    x = builder.any_operand(ALL, low_rank=1)
    shape = [builder.integer(0 if builder.chance(0.1) else min(size, 1), size)
             for size in x.type.shape]
    starts = start_operands(builder, x.type.rank)
    nested = builder.maker(x) in ("stablehlo.gather", "stablehlo.dynamic_slice")
    moves(builder, "dynamic_slice", f", sizes = {dims(shape)}", [x, *starts],
          x.type.with_shape(shape),
          "dynamic_slice of a slice: starts are added, then clamped" if nested else None)


def dynamic_update_slice(builder: Builder) -> None:
    x = builder.any_operand(ALL)
    shape = [builder.integer(min(size, 1), size) for size in x.type.shape]
    update = builder.operand(x.type.with_shape(shape))
    moves(builder, "dynamic_update_slice", "",
          [x, update, *start_operands(builder, x.type.rank)], x.type)


def concatenate(builder: Builder) -> None:
    x = builder.any_operand(ALL, low_rank=1)
    dim = builder.integer(0, x.type.rank - 1)
    parts = [x]
    for _ in range(builder.integer(0, 3)):
        shape = list(x.type.shape)
        shape[dim] = builder.integer(0, 3)
        parts.append(builder.operand(x.type.with_shape(shape)))
    shape = list(x.type.shape)
    shape[dim] = sum(part.type.shape[dim] for part in parts)
    moves(builder, "concatenate", f", dim = {dim}", parts, x.type.with_shape(shape))


def pad(builder: Builder) -> None:
    x = builder.any_operand(ALL)
    value = builder.operand(x.type.scalar())
    low, high, interior, shape = [], [], [], []
    for size in x.type.shape:
        between = builder.choice((0, 0, 1, 2))
        spread = size + max(size - 1, 0) * between
        before = builder.integer(-min(2, spread), 2)
        after = builder.integer(-min(2, spread + min(before, 0)), 2)
        low.append(before)
        high.append(after)
        interior.append(between)
        shape.append(spread + before + after)
    moves(builder, "pad",
          f", low = {dims(low)}, high = {dims(high)}, interior = {dims(interior)}", [x, value],
          x.type.with_shape(shape))


def get_dimension_size(builder: Builder) -> None:
    x = builder.any_operand(ALL, low_rank=1)
    dim = builder.integer(0, x.type.rank - 1)
    moves(builder, "get_dimension_size", f", dim = {dim}", [x], TensorType((), "i32"))


FAMILIES = {constant: 2, iota: 1, broadcast_in_dim: 3, reshape: 2, transpose: 2, reverse: 1,
            slice_: 2, dynamic_slice: 2, dynamic_update_slice: 2, concatenate: 2, pad: 2,
            get_dimension_size: 1}
