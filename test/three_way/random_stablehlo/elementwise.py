# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operations: a table of unary and of binary ones, and the mixed ones."""

import dataclasses

from random_stablehlo import error_bounds as bounds
from random_stablehlo.builder import Builder, function_type
from random_stablehlo.error_bounds import Rule
from random_stablehlo.program import Value
from random_stablehlo.tensors import (ALL, BOOL, ELEMENTS, FLOATS, INTEGERS, NUMBERS, SIGNED,
                                      TensorType)


@dataclasses.dataclass(frozen=True)
class Elementwise:
    """An operation on tensors of one type.

    Attributes:
        elements: The element types that it takes.
        rule: Bound of its error.
        exact: Its operands must be exact: it jumps, or magnifies errors without limit.
        rounds: Its results are rounded.
        range: Where most new arguments lie, if not anywhere.
    """

    name: str
    elements: tuple[str, ...]
    rule: Rule = bounds.largest_of
    exact: bool = False
    rounds: bool = False
    range: tuple[float, float] | None = None
    dialect: str = "stablehlo"


def jump(name, elements):
    return Elementwise(name, elements, exact=True)


def transcendental(name, ulps, low, high, floor=0.0, dialect="stablehlo"):
    return Elementwise(name, FLOATS, bounds.rounded(ulps, floor), True, True, (low, high), dialect)


UNARY = (
    Elementwise("abs", SIGNED + FLOATS),
    Elementwise("negate", NUMBERS),
    jump("sign", SIGNED + FLOATS),
    jump("not", BOOL + INTEGERS),
    jump("popcnt", INTEGERS),
    jump("count_leading_zeros", INTEGERS),
    jump("ceil", FLOATS),
    jump("floor", FLOATS),
    jump("round_nearest_afz", FLOATS),
    jump("round_nearest_even", FLOATS),
    transcendental("exponential", 8, -6, 6),
    transcendental("exponential_minus_one", 8, -4, 4),
    transcendental("log", 8, 0.01, 30, floor=0.1),
    transcendental("log_plus_one", 8, -0.9, 20, floor=0.1),
    transcendental("logistic", 8, -8, 8, floor=0.1),
    Elementwise("sqrt", FLOATS, bounds.rounded(1), True, True, (0, 30)),
    transcendental("rsqrt", 4, 0.01, 30),
    transcendental("cbrt", 8, -20, 20),
    transcendental("sine", 8, -10, 10, floor=1.0),
    transcendental("cosine", 8, -10, 10, floor=1.0),
    transcendental("tan", 16, -1.4, 1.4),
    transcendental("tanh", 8, -5, 5),
    transcendental("erf", 8, -4, 4, dialect="chlo"),
    transcendental("erfc", 32, -4, 4, dialect="chlo"),
    transcendental("erf_inv", 64, -0.99, 0.99, dialect="chlo"),
    Elementwise("square", FLOATS, bounds.multiplied, False, True, None, "chlo"),
)

BINARY = (
    Elementwise("add", ALL, bounds.added, rounds=True),
    Elementwise("subtract", NUMBERS, bounds.added, rounds=True),
    Elementwise("multiply", ALL, bounds.multiplied, rounds=True),
    Elementwise("divide", NUMBERS, bounds.rounded(1), True, True),
    jump("remainder", NUMBERS),
    Elementwise("power", INTEGERS, exact=True, range=(-4, 9)),
    Elementwise("power", FLOATS, bounds.rounded(32), True, True, (0.1, 4)),
    Elementwise("maximum", ALL),
    Elementwise("minimum", ALL),
    jump("and", BOOL + INTEGERS),
    jump("or", BOOL + INTEGERS),
    jump("xor", BOOL + INTEGERS),
    jump("shift_left", INTEGERS),
    jump("shift_right_logical", INTEGERS),
    jump("shift_right_arithmetic", INTEGERS),
    Elementwise("atan2", FLOATS, bounds.rounded(8), True, True),
)


def first_operand(builder: Builder, row: Elementwise):
    if row.range and builder.chance(0.7):
        type = TensorType(builder.shape(), builder.choice(row.elements))
        return builder.argument(type, *row.range)
    return builder.any_operand(row.elements, row.exact)


def unary(builder: Builder) -> None:
    row = builder.choice(UNARY)
    x = first_operand(builder, row)
    types = f"{x.type} -> {x.type}" if row.dialect == "chlo" else f"{x.type}"
    coarse = row.name == "log_plus_one" and x.type.element == "f64"
    builder.apply(f"{row.dialect}.{row.name}", f"{row.dialect}.{row.name} $0 : {types}", [x],
                  [x.type], row.rule, row.rounds,
                  departure="log_plus_one of f64: right to 13 digits" if coarse else None)


def binary(builder: Builder) -> None:
    row = builder.choice(BINARY)
    x = first_operand(builder, row)
    y = builder.operand(x.type, row.exact, *(row.range or (None, None)))
    if row.name in ("divide", "remainder") and not x.type.is_float:
        y = builder.argument(x.type)  # XLA ends with a signal when it folds a division by zero.
    rounds = row.rounds and x.type.is_float
    builder.apply(f"stablehlo.{row.name}", f"stablehlo.{row.name} $0, $1 : {x.type}", [x, y],
                  [x.type], row.rule, rounds, departure=departure(builder, row.name, x, y))


def departure(builder: Builder, name: str, x: Value, y: Value) -> str | None:
    """Returns what XLA does otherwise than the specification for a binary op."""
    makers = [builder.maker(value) for value in (x, y)]
    if name in ("maximum", "minimum") and "stablehlo.clamp" in makers:
        return "maximum and minimum of a clamp: taken as if min were not above max"
    if name == "divide" and not x.type.is_float and "stablehlo.power" in makers:
        return "divide: a quotient of integer powers is a power, also where they wrap"
    if name == "atan2" and (x is y or x.is_constant and y.is_constant):
        return "atan2: NaN at (0, 0) if both operands are known to be equal"
    return None


def compare_types(element: str) -> list[str]:
    family = ELEMENTS[element].family
    return {"bool": ["UNSIGNED"], "signed": ["SIGNED"], "unsigned": ["UNSIGNED"],
            "float": ["FLOAT", "TOTALORDER"]}[family] + ["", "NOTYPE"]


def compare(builder: Builder) -> None:
    x = builder.any_operand(ALL, exact=True)
    y = builder.operand(x.type, exact=True)
    direction = builder.choice(("EQ", "NE", "GE", "GT", "LE", "LT"))
    kind = builder.choice(compare_types(x.type.element))
    suffix = f", {kind}" if kind else ""
    result = x.type.with_element("i1")
    builder.apply("stablehlo.compare",
                  f"stablehlo.compare {direction}, $0, $1{suffix} : "
                  + function_type([x, y], [result]), [x, y], [result], bounds.moved)


def select(builder: Builder) -> None:
    x = builder.any_operand(ALL)
    y = builder.operand(x.type)
    shape = () if builder.chance(0.3) else x.type.shape
    p = builder.operand(TensorType(shape, "i1"))
    builder.apply("stablehlo.select", f"stablehlo.select $0, $1, $2 : {p.type}, {x.type}",
                  [p, x, y], [x.type], bounds.moved)


def clamp(builder: Builder) -> None:
    x = builder.any_operand(NUMBERS)
    low = builder.operand(x.type.scalar() if builder.chance(0.5) else x.type)
    high = builder.operand(x.type.scalar() if builder.chance(0.5) else x.type)
    operands = [low, x, high]
    builder.apply("stablehlo.clamp", "stablehlo.clamp $0, $1, $2 : "
                  + function_type(operands, [x.type]), operands, [x.type], bounds.moved)


def convert(builder: Builder) -> None:
    result_element = builder.choice(ALL)
    x = builder.any_operand(ALL, exact=result_element not in FLOATS)
    result = x.type.with_element(result_element)
    builder.apply("stablehlo.convert", "stablehlo.convert $0 : " + function_type([x], [result]),
                  [x], [result], bounds.converted)


def reduce_precision(builder: Builder) -> None:
    x = builder.any_operand(FLOATS, exact=True)
    exponent, mantissa = builder.integer(2, 11), builder.integer(0, 52)
    element = ELEMENTS[x.type.element]
    most_exponent = {"f16": 5, "bf16": 8, "f32": 8, "f64": 11}[x.type.element]
    exponent = min(exponent, most_exponent)
    mantissa = min(mantissa, element.bits - 1 - most_exponent)
    builder.apply("stablehlo.reduce_precision",
                  f"stablehlo.reduce_precision $0, format = e{exponent}m{mantissa} : {x.type}",
                  [x], [x.type], bounds.moved)


def is_finite(builder: Builder) -> None:
    x = builder.any_operand(FLOATS, exact=True)
    result = x.type.with_element("i1")
    builder.apply("stablehlo.is_finite", "stablehlo.is_finite $0 : "
                  + function_type([x], [result]), [x], [result], bounds.moved)


def real_or_imag(builder: Builder) -> None:
    x = builder.any_operand(("f32", "f64"))
    name = builder.choice(("real", "imag"))
    builder.apply(f"stablehlo.{name}", f"stablehlo.{name} $0 : {x.type}", [x], [x.type],
                  bounds.moved)


def bitcast_convert(builder: Builder) -> None:
    """The bits of a NaN are nobody's promise, so floats come without."""
    element = builder.choice(NUMBERS)
    bits = ELEMENTS[element].bits
    other = builder.choice([name for name in NUMBERS if name != element])
    other_bits = ELEMENTS[other].bits
    shape = builder.shape(0, 3)
    if other_bits > bits:
        shape += (other_bits // bits,)
    x = builder.argument(TensorType(shape, element), specials=False)
    if other_bits > bits:
        shape = shape[:-1]
    elif other_bits < bits:
        shape += (bits // other_bits,)
    result = TensorType(shape, other)
    builder.apply("stablehlo.bitcast_convert", "stablehlo.bitcast_convert $0 : "
                  + function_type([x], [result]), [x], [result], bounds.moved,
                  is_last=result.is_float)


FAMILIES = {
    unary: 6,
    binary: 6,
    compare: 2,
    select: 2,
    clamp: 1,
    convert: 3,
    reduce_precision: 1,
    is_finite: 1,
    real_or_imag: 1,
    bitcast_convert: 1,
}
