# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that can be partitioned, and that the programs beside XLA have not: linear algebra, FFTs, batch
normalization, scans, ragged dots, random bits, functions of CHLO, and ops of sdy.

Bounds of errors are not asked for here: `shardwise run` finds what a program moves by itself.
"""

import numpy

from random_stablehlo.builder import Builder, array_attr, function_type
from random_stablehlo.error_bounds import moved
from random_stablehlo.program import Value
from random_stablehlo.tensors import FLOATS, INTEGERS, NUMBERS, TensorType, to_type

WIDE = ("f32", "f64")

# Op of CHLO and the range of its operands.
FUNCTIONS = (("acos", -0.99, 0.99), ("acosh", 1.1, 9), ("asin", -0.99, 0.99), ("asinh", -5, 5),
             ("atan", -5, 5), ("atanh", -0.9, 0.9), ("bessel_i1e", -4, 4), ("conj", -4, 4),
             ("cosh", -3, 3), ("digamma", 0.2, 9), ("lgamma", 0.2, 9), ("sinh", -3, 3),
             ("tan", -1.2, 1.2))


def add(builder: Builder, name: str, text: str, operands: list[Value],
        results: list[TensorType]) -> list[Value]:
    """Adds an operation whose results are rounded unless they are integers."""
    types = function_type(operands, results)
    return builder.apply(name, f"{text} : {types}", operands, results, moved, rounds=True)


def function(builder: Builder) -> None:
    name, low, high = builder.choice(FUNCTIONS)
    x = builder.argument(TensorType(builder.shape(), builder.choice(FLOATS)), low, high)
    builder.apply(f"chlo.{name}", f"chlo.{name} $0 : {x.type} -> {x.type}", [x], [x.type], moved,
                  rounds=True)


def special_function(builder: Builder) -> None:
    name, first, second = builder.choice((("polygamma", (1, 4), (0.5, 9)), ("zeta", (2, 5), (1, 9)),
                                          ("next_after", (-4, 4), (-4, 4))))
    type = TensorType(builder.shape(), builder.choice(WIDE))
    x, y = builder.argument(type, *first), builder.argument(type, *second)
    if name == "polygamma":
        builder.data[x.name] = numpy.floor(builder.data[x.name])
    builder.apply(f"chlo.{name}", f"chlo.{name} $0, $1 : {type}, {type} -> {type}", [x, y], [type],
                  moved, rounds=True)


def kind_of_number(builder: Builder) -> None:
    name = builder.choice(("is_inf", "is_neg_inf", "is_pos_inf"))
    x = builder.any_operand(FLOATS, exact=True)
    result = x.type.with_element("i1")
    builder.apply(f"chlo.{name}", f"chlo.{name} $0 : {x.type} -> {result}", [x], [result], moved)


def high_product(builder: Builder) -> None:
    x = builder.any_operand(INTEGERS)
    y = builder.operand(x.type)
    builder.apply("chlo.mulhi", f"chlo.mulhi $0, $1 : {x.type}, {x.type} -> {x.type}", [x, y],
                  [x.type], moved)


def map_(builder: Builder) -> None:
    x = builder.any_operand(NUMBERS)
    y = builder.operand(x.type)
    scalar = x.type.scalar()
    text = (f'"stablehlo.map"($0, $1) <{{dimensions = {array_attr(range(x.type.rank))}}}> ({{\n'
            f"  ^bb0(%$r_a: {scalar}, %$r_b: {scalar}):\n"
            f"    %$r_m = stablehlo.maximum %$r_a, %$r_b : {scalar}\n"
            f"    %$r_s = stablehlo.subtract %$r_m, %$r_b : {scalar}\n"
            f"    stablehlo.return %$r_s : {scalar}\n  }})")
    add(builder, "stablehlo.map", text, [x, y], [x.type])


def legacy(builder: Builder) -> None:
    """`stablehlo.broadcast`, which puts dimensions in front, and `stablehlo.dot`."""
    if builder.chance(0.5):
        x, sizes = builder.any_operand(NUMBERS, high_rank=2), builder.shape(1, 2)
        add(builder, "stablehlo.broadcast",
            f'"stablehlo.broadcast"($0) <{{broadcast_sizes = {array_attr(sizes)}}}>', [x],
            [x.type.with_shape((*sizes, *x.type.shape))])
        return
    rows, inner, columns = builder.shape(3, 3)
    left, right = (builder.argument(TensorType(shape, "f32"), -2, 2)
                   for shape in ((rows, inner), (inner, columns)))
    add(builder, "stablehlo.dot", '"stablehlo.dot"($0, $1)', [left, right],
        [TensorType((rows, columns), "f32")])


def fft(builder: Builder) -> None:
    """There, and in most cases back again; of complex values there and not back, the size or the
    real part: an imaginary part may be zero but for rounding."""
    element = builder.choice(WIDE)
    real = TensorType(builder.shape(1, 3, smallest=1), element)
    count = builder.integer(1, min(real.rank, 2))
    length = real.shape[-count:]
    half = real.with_shape((*real.shape[:-1], real.shape[-1] // 2 + 1))
    is_real = builder.chance(0.5)
    x = builder.argument(real, -2, 2)
    middle = (half if is_real else real).with_element(f"complex<{element}>")

    def transform(kind: str, value: Value, result: TensorType) -> Value:
        text = f"stablehlo.fft $0, type = {kind}, length = {list(length)}"
        return add(builder, "stablehlo.fft", text, [value], [result])[0]

    if is_real:
        value = transform("RFFT", x, middle)
    else:
        y = builder.argument(real, -2, 2)
        value = builder.apply("stablehlo.complex", f"stablehlo.complex $0, $1 : {middle}", [x, y],
                              [middle], moved, rounds=True)[0]
        value = transform("FFT", value, middle)
    end = builder.choice(("back", "abs", "real"))
    if end == "back" and is_real:
        transform("IRFFT", value, real)
        return
    if end == "back":
        value = transform("IFFT", value, middle)
    op = "abs" if end == "back" else end
    result = middle.with_element(element)
    add(builder, f"stablehlo.{op}", f"stablehlo.{op} $0", [value], [result])


def factored(builder: Builder, batch, size: int, element: str):
    """Lower triangular matrices that are far from singular."""
    lower = numpy.tril(builder.random.uniform(-1, 1, (*batch, size, size)), -1)
    return lower + 2 * numpy.eye(size)


def cholesky(builder: Builder) -> None:
    batch, size, element = builder.shape(0, 2), builder.integer(1, 5), builder.choice(WIDE)
    lower = factored(builder, batch, size, element)
    type = TensorType((*batch, size, size), element)
    x = builder.given(type, to_type(lower @ numpy.swapaxes(lower, -1, -2), type))
    flag = builder.choice(("true", "false"))
    add(builder, "stablehlo.cholesky", f'"stablehlo.cholesky"($0) <{{lower = {flag}}}>', [x],
        [type])


def triangular_solve(builder: Builder) -> None:
    batch, size, element = builder.shape(0, 2), builder.integer(1, 5), builder.choice(WIDE)
    is_left, is_lower = builder.chance(0.5), builder.chance(0.5)
    matrix = TensorType((*batch, size, size), element)
    data = factored(builder, batch, size, element)
    a = builder.given(matrix, to_type(data if is_lower else numpy.swapaxes(data, -1, -2), matrix))
    other = builder.integer(1, 6)
    b = builder.argument(matrix.with_shape((*batch, *((size, other) if is_left else (other, size)))),
                         -2, 2)
    transposed = builder.choice(("NO_TRANSPOSE", "TRANSPOSE"))
    text = (f'"stablehlo.triangular_solve"($0, $1) <{{left_side = {str(is_left).lower()}, '
            f"lower = {str(is_lower).lower()}, unit_diagonal = false, "
            f"transpose_a = #stablehlo<transpose {transposed}>}}>")
    add(builder, "stablehlo.triangular_solve", text, [a, b], [b.type])


def batch_norm(builder: Builder) -> None:
    type = TensorType(builder.shape(2, 4, smallest=1), builder.choice(WIDE))
    feature = builder.integer(0, type.rank - 1)
    vector = type.with_shape((type.shape[feature],))
    x, scale, offset = (builder.argument(each, -2, 2) for each in (type, vector, vector))
    options = f"<{{epsilon = 1.0e-2 : f32, feature_index = {feature} : i64}}>"
    kind = builder.choice(("training", "inference", "grad"))
    name = f"stablehlo.batch_norm_{kind}"
    if kind == "training":
        add(builder, name, f'"{name}"($0, $1, $2) {options}', [x, scale, offset],
            [type, vector, vector])
        return
    mean, variance = builder.argument(vector, -1, 1), builder.argument(vector, 0.5, 2)
    if kind == "inference":
        add(builder, name, f'"{name}"($0, $1, $2, $3, $4) {options}',
            [x, scale, offset, mean, variance], [type])
        return
    gradient = builder.argument(type, -2, 2)
    add(builder, name, f'"{name}"($0, $1, $2, $3, $4) {options}',
        [x, scale, mean, variance, gradient], [type, vector, vector])


def scan(builder: Builder) -> None:
    """Running sums, products of signs, or largest values."""
    type = TensorType(builder.shape(1, 3, smallest=1), builder.choice(("i32", "i64", "f32")))
    dim = builder.integer(0, type.rank - 1)
    carry = type.with_shape(type.shape[:dim] + type.shape[dim + 1:])
    x, init = builder.argument(type, -4, 5), builder.argument(carry, -4, 5)
    op = builder.choice(("add", "maximum", "minimum"))
    flags = [f"is_reverse = {builder.choice(('true', 'false'))}"] if builder.chance(0.5) else []
    flags += ["is_associative = true"] if builder.chance(0.5) else []
    attributes = f" attributes {{{', '.join(flags)}}}" if flags else ""
    text = f"""chlo.scan($0) inits ($1) dimension={dim}{attributes} {{
  ^bb0(%$r_x: {carry}, %$r_c: {carry}):
    %$r_s = stablehlo.{op} %$r_x, %$r_c : {carry}
    stablehlo.return %$r_s, %$r_s : {carry}, {carry}
  }}"""
    add(builder, "chlo.scan", text, [x, init], [type, carry])


def ragged_dot(builder: Builder) -> None:
    rows, inner, columns, groups = (builder.integer(1, 7) for _ in range(4))
    left, right = (builder.argument(TensorType(shape, "f32"), -2, 2)
                   for shape in ((rows, inner), (groups, inner, columns)))
    sizes = builder.argument(TensorType((groups,), "i32"), -1, 4)
    text = ('"chlo.ragged_dot"($0, $1, $2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<'
            "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
            "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}>")
    add(builder, "chlo.ragged_dot", text, [left, right, sizes],
        [TensorType((rows, columns), "f32")])


def random_bits(builder: Builder) -> None:
    state = builder.argument(TensorType((2,), "ui64"))
    bits = TensorType(builder.shape(), builder.choice(("ui8", "ui32", "ui64")))
    algorithm = builder.choice(("THREE_FRY", "PHILOX", "DEFAULT"))
    add(builder, "stablehlo.rng_bit_generator",
        f"stablehlo.rng_bit_generator $0, algorithm = {algorithm}", [state], [state.type, bits])


def barrier(builder: Builder) -> None:
    x = builder.any_operand(NUMBERS)
    direction = builder.choice(("NONE", "FORWARD", "BACKWARD"))
    builder.apply("sdy.propagation_barrier",
                  f"sdy.propagation_barrier $0 allowed_direction={direction} : {x.type}", [x],
                  [x.type], moved)


def named_computation(builder: Builder) -> None:
    x = builder.any_operand(NUMBERS)
    text = (f'sdy.named_computation<"$r_f">($0) (%$r_a: {x.type}) {{\n'
            f"    %$r_n = stablehlo.add %$r_a, %$r_a : {x.type}\n"
            f"    sdy.return %$r_n : {x.type}\n  }}")
    add(builder, "sdy.named_computation", text, [x], [x.type])


FAMILIES = {function: 4, special_function: 1, kind_of_number: 1, high_product: 1, map_: 1, legacy: 2,
            fft: 3, cholesky: 1, triangular_solve: 1, batch_norm: 2, scan: 3, ragged_dot: 2,
            random_bits: 1, barrier: 1, named_computation: 1}
