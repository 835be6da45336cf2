# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, windows and sorts."""

import math

import numpy

from random_stablehlo import error_bounds as bounds
from random_stablehlo.builder import Builder, array_attr, dims, function_type, pairs_attr
from random_stablehlo.contractions import dilated, smooth_argument, window_result
from random_stablehlo.regions import MAXIMUM, MINIMUM, identity_operand, reducer_for
from random_stablehlo.tensors import ALL, ELEMENTS, FLOATS, INTEGERS, NUMBERS, TensorType


def reduced_operand(builder: Builder, reducer, element: str, shape):
    """Returns an argument whose fold has small errors: what is added or multiplied is finite."""
    type = TensorType(shape, element)
    return smooth_argument(builder, type) if reducer.rounds(element) else builder.argument(type)


def reduce(builder: Builder) -> None:
    element = builder.choice(ALL)
    reducer = reducer_for(builder, element)
    x = reduced_operand(builder, reducer, element, builder.shape())
    init = identity_operand(builder, reducer, element)
    chosen = builder.subset(range(x.type.rank), builder.integer(0, x.type.rank))
    result = x.type.with_shape(size for dim, size in enumerate(x.type.shape)
                               if dim not in chosen)
    terms = math.prod(x.type.shape[dim] for dim in chosen)
    types = function_type([x, init], [result])
    if builder.chance(0.5):
        text = (f"stablehlo.reduce($0 init: $1) applies stablehlo.{reducer.name} across "
                f"dimensions = {dims(chosen)} : {types}")
    else:
        text = (f'"stablehlo.reduce"($0, $1) <{{dimensions = {array_attr(chosen)}}}> '
                f"{reducer.region(builder, x.type.scalar())} : {types}")
    builder.apply("stablehlo.reduce", text, [x, init], [result], reducer.rule(terms),
                  rounds=reducer.rounds(element))


def argument_reduce(builder: Builder) -> None:
    """The largest or smallest value with its number; ties go to the smaller number."""
    x = builder.argument(TensorType(builder.shape(1), builder.choice(NUMBERS)), specials=False)
    dim = builder.integer(0, x.type.rank - 1)
    index = x.type.with_element(builder.choice(("i32", "i64", "ui32")))
    direction, reducer = builder.choice((("GE", MAXIMUM), ("LE", MINIMUM)))
    init = identity_operand(builder, reducer, x.type.element)
    numbers = builder.apply("stablehlo.iota", f"stablehlo.iota dim = {dim} : {index}", [],
                            [index], bounds.moved)[0]
    zero = builder.apply("stablehlo.constant", f"stablehlo.constant dense<0> : {index.scalar()}",
                         [], [index.scalar()], bounds.moved)[0]
    results = [type.with_shape(size for d, size in enumerate(type.shape) if d != dim)
               for type in (x.type, index)]
    v, n = x.type.scalar(), index.scalar()
    text = f"""stablehlo.reduce($0 init: $2), ($1 init: $3) across dimensions = [{dim}] : \
{function_type([x, numbers, init, zero], results)}
    reducer(%$r_a: {v}, %$r_b: {v}) (%$r_i: {n}, %$r_j: {n}) {{
    %$r_g = stablehlo.compare {direction}, %$r_a, %$r_b : ({v}, {v}) -> tensor<i1>
    %$r_v = stablehlo.select %$r_g, %$r_a, %$r_b : tensor<i1>, {v}
    %$r_e = stablehlo.compare EQ, %$r_a, %$r_b : ({v}, {v}) -> tensor<i1>
    %$r_m = stablehlo.minimum %$r_i, %$r_j : {n}
    %$r_s = stablehlo.select %$r_g, %$r_i, %$r_j : tensor<i1>, {n}
    %$r_n = stablehlo.select %$r_e, %$r_m, %$r_s : tensor<i1>, {n}
    stablehlo.return %$r_v, %$r_n : {v}, {n}
  }}"""
    builder.apply("stablehlo.reduce", text, [x, numbers, init, zero], results, bounds.moved)


def reduce_window(builder: Builder) -> None:
    element = builder.choice(ALL)
    reducer = reducer_for(builder, element)
    x = reduced_operand(builder, reducer, element, builder.shape())
    init = identity_operand(builder, reducer, element)
    rank = x.type.rank
    window = [builder.integer(1, 3) for _ in range(rank)]
    strides, base, spread = ([builder.choice((1, 1, 2)) for _ in range(rank)] for _ in range(3))
    padding = [(builder.integer(-1, 2), builder.integer(-1, 2)) for _ in range(rank)]
    padding = [pair if dilated(size, b) + sum(pair) >= 0 else (0, 0)
               for pair, size, b in zip(padding, x.type.shape, base)]
    if rank == 1 and builder.chance(0.3) and x.type.shape[0]:
        # A prefix sum, as JAX writes it.
        window, strides, base, spread = [x.type.shape[0]], [1], [1], [1]
        padding = [(x.type.shape[0] - 1, 0)]
    shape = [window_result(dilated(size, b), pair, dilated(w, d), s)
             for size, w, s, b, d, pair in zip(x.type.shape, window, strides, base, spread,
                                               padding)]
    result = x.type.with_shape(shape)
    optional = {"window_strides": (strides, 1), "base_dilations": (base, 1),
                "window_dilations": (spread, 1)}
    attributes = [f"window_dimensions = {array_attr(window)}"]
    for name, (values, default) in optional.items():
        if any(value != default for value in values) or builder.chance(0.3):
            attributes.append(f"{name} = {array_attr(values)}")
    if any(pair != (0, 0) for pair in padding) or builder.chance(0.3) and rank:
        attributes.append(f"padding = {pairs_attr(padding)}")
    text = (f'"stablehlo.reduce_window"($0, $1) <{{{", ".join(attributes)}}}> '
            f"{reducer.region(builder, x.type.scalar())} : {function_type([x, init], [result])}")
    builder.apply("stablehlo.reduce_window", text, [x, init], [result],
                  reducer.rule(math.prod(window)), rounds=reducer.rounds(element),
                  departure=NEGATIVE_PADDING if any(min(pair) < 0 for pair in padding) else None)


NEGATIVE_PADDING = "reduce_window: negative padding ends the process"


def has_ties(array) -> bool:
    return numpy.unique(array).size < array.size


def select_and_scatter(builder: Builder) -> None:
    element = builder.choice(NUMBERS)
    type = TensorType(builder.shape(1, 3, smallest=1), element)
    if builder.chance(0.6) and type.size < 100:  # No two elements are equal.
        numbers = builder.random.permutation(type.size).reshape(type.shape)
        x = builder.given(type, numbers.astype(ELEMENTS[element].dtype))
    else:
        x = builder.argument(type, specials=False)
    window = [builder.integer(1, 3) for _ in range(x.type.rank)]
    strides = [builder.integer(1, 3) for _ in range(x.type.rank)]
    # Every window has a place inside: the padding is smaller than the window.
    padding = [(builder.integer(0, w - 1), builder.integer(0, w - 1)) for w in window]
    shape = [window_result(size, pair, w, s)
             for size, pair, w, s in zip(x.type.shape, padding, window, strides)]
    if 0 in shape:
        return
    source = smooth_argument(builder, x.type.with_shape(shape))
    scalar = x.type.scalar()
    zero = builder.apply("stablehlo.constant",
                         f"stablehlo.constant dense<{'0.0' if scalar.is_float else '0'}> : "
                         f"{scalar}", [], [scalar], bounds.moved)[0]
    direction = builder.choice(("GE", "LE", "GT", "LT"))
    text = f"""\"stablehlo.select_and_scatter"($0, $1, $2) <{{\
window_dimensions = {array_attr(window)}, window_strides = {array_attr(strides)}, \
padding = {pairs_attr(padding)}}}> ({{
  ^bb0(%$r_a: {scalar}, %$r_b: {scalar}):
    %$r_c = stablehlo.compare {direction}, %$r_a, %$r_b : ({scalar}, {scalar}) -> tensor<i1>
    stablehlo.return %$r_c : tensor<i1>
  }}, {{
  ^bb0(%$r_d: {scalar}, %$r_e: {scalar}):
    %$r_f = stablehlo.add %$r_d, %$r_e : {scalar}
    stablehlo.return %$r_f : {scalar}
  }}) : {function_type([x, source, zero], [x.type])}"""
    builder.apply("stablehlo.select_and_scatter", text, [x, source, zero], [x.type],
                  bounds.summed(math.prod(window)), rounds=True,
                  departure=TIES if has_ties(builder.data[x.name]) else None)


TIES = "select_and_scatter: not always the same of equal elements is selected"


def sort(builder: Builder) -> None:
    """By one or two keys; more operands are permuted alike. Always stable: where neither of two
    elements precedes, the order of the input is the one that everybody can keep."""
    count = builder.integer(1, 3)
    key = builder.argument(TensorType(builder.shape(1), builder.choice(ALL)),
                           specials=builder.chance(0.5))
    operands = [key] + [builder.operand(key.type.with_element(builder.choice(ALL)), exact=True)
                        for _ in range(count - 1)]
    dim = builder.integer(-key.type.rank, key.type.rank - 1)
    names = [(f"%$r_a{i}", f"%$r_b{i}", operand.type.scalar())
             for i, operand in enumerate(operands)]
    arguments = ", ".join(f"{a}: {type}, {b}: {type}" for a, b, type in names)
    direction = builder.choice(("LT", "GT"))
    suffix = ", TOTALORDER" if key.type.is_float else ""
    a, b, type = names[0]
    lines = [f"%$r_c = stablehlo.compare {direction}, {a}, {b}{suffix} : "
             f"({type}, {type}) -> tensor<i1>"]
    returned = "%$r_c"
    if count > 1 and builder.chance(0.4):
        a1, b1, type1 = names[1]
        suffix1 = ", TOTALORDER" if type1.is_float else ""
        lines += [
            f"%$r_e = stablehlo.compare EQ, {a}, {b}{suffix} : ({type}, {type}) -> tensor<i1>",
            f"%$r_d = stablehlo.compare LT, {a1}, {b1}{suffix1} : ({type1}, {type1}) "
            "-> tensor<i1>",
            "%$r_f = stablehlo.select %$r_e, %$r_d, %$r_c : tensor<i1>, tensor<i1>"]
        returned = "%$r_f"
    body = "\n    ".join(lines)
    types = [operand.type for operand in operands]
    listed = ", ".join(f"${i}" for i in range(count))
    text = (f'"stablehlo.sort"({listed}) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n'
            f"  ^bb0({arguments}):\n    {body}\n    stablehlo.return {returned} : tensor<i1>\n"
            f"  }}) : {function_type(operands, types)}")
    is_last = dim % key.type.rank == key.type.rank - 1
    builder.apply("stablehlo.sort", text, operands, types, bounds.moved,
                  departure=None if is_last else "sort: unsteady along other dimensions")


def top_k(builder: Builder) -> None:
    x = builder.argument(TensorType(builder.shape(1, 3, smallest=1),
                                    builder.choice(INTEGERS + FLOATS)), specials=False)
    k = builder.integer(0 if builder.chance(0.1) else 1, x.type.shape[-1])
    shape = (*x.type.shape[:-1], k)
    values, numbers = x.type.with_shape(shape), TensorType(shape, "i32")
    builder.apply("chlo.top_k", f"chlo.top_k($0, k = {k}) : {x.type} -> ({values}, {numbers})",
                  [x], [values, numbers], bounds.moved)


FAMILIES = {reduce: 4, argument_reduce: 1, reduce_window: 4, select_and_scatter: 2, sort: 3,
            top_k: 1}
