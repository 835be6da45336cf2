# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops on real numbers, integers and truth values, at their edges."""

import numpy as np

from .case import ROUNDED, Case, array, op_case, type_of

INF, NAN = np.inf, np.nan
EDGES = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 0.5, -2.5, 3.75, 10.0, 1e-3]
POSITIVE = [0.0, 1.0, INF, NAN, 0.5, 2.5, 3.75, 10.0, 1e-3, 4.0, 9.0, 100.0]

EXACT_UNARY = ["abs", "negate", "ceil", "floor", "sign", "round_nearest_afz",
               "round_nearest_even"]
ROUNDED_UNARY = ["exponential", "exponential_minus_one", "log_plus_one", "logistic", "cbrt", "sine",
                 "cosine", "tan", "tanh"]
INTEGER_BINARY = ["add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor"]


def unary(op, values, element, tolerance=0.0, suffix=""):
    """One op on one array."""
    operand = array(values, element)
    return op_case(f"{op}_{element}{suffix}", f"stablehlo.{op}", [operand], [type_of(operand)],
                   tolerance)


def binary(op, left, right, element, tolerance=0.0, suffix=""):
    """One op on two arrays."""
    lhs, rhs = array(left, element), array(right, element)
    return op_case(f"{op}_{element}{suffix}", f"stablehlo.{op}", [lhs, rhs], [type_of(lhs)],
                   tolerance)


def quotient(op, lhs, rhs, element):
    """Integer divide or remainder; XLA's constant folding traps on its edges, so by formula:
    x / 0 has all bits set, x % 0 is x, and the quotient of the smallest number by -1 wraps."""
    a, b = array(lhs, element), array(rhs, element)
    limits = np.iinfo(a.dtype)
    values = []
    for x, y in zip(a.tolist(), b.tolist()):
        if y == 0:
            value = (-1 if limits.min < 0 else limits.max) if op == "divide" else x
        else:
            q = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
            value = q if op == "divide" else x - q * y
        values.append((value - limits.min) % (1 << limits.bits) + limits.min)
    suffix = "_by_zero" if not any(b.tolist()) else ""
    return op_case(f"{op}_{element}{suffix}", f"stablehlo.{op}", [a, b], [type_of(a)],
                   expected=[np.array(values, dtype=a.dtype)])


def unary_cases():
    """Ops of one operand."""
    for element in ("f32", "f64", "f16", "bf16"):
        for op in EXACT_UNARY:
            yield unary(op, [0.0, -0.0, 0.5, -0.5, 2.5, -2.5, 1.25, INF, -INF, NAN], element)
        for op in ROUNDED_UNARY:
            # Of tan at infinity XLA and C agree only on NaN.
            values = [v for v in EDGES if op not in ("sine", "cosine", "tan") or np.isfinite(v)]
            values = [v for v in values if op != "log_plus_one" or not v < -1]
            yield unary(op, values, element, ROUNDED[element])
        for op in ("log", "sqrt", "rsqrt"):
            yield unary(op, POSITIVE, element, ROUNDED[element])
        operand = array(EDGES, element)
        yield op_case(f"is_finite_{element}", "stablehlo.is_finite", [operand],
                      [f"tensor<{len(EDGES)}xi1>"])
    yield unary("log", [-1.0, -INF, -0.0], "f32", ROUNDED["f32"], "_outside")
    yield unary("sqrt", [-1.0, -INF, -0.0], "f32", ROUNDED["f32"], "_outside")
    for element in ("i8", "i32", "i64"):
        smallest = np.iinfo(array(0, element).dtype).min
        for op in ("abs", "negate", "sign", "not", "popcnt"):
            yield unary(op, [0, 1, -1, 7, -100, smallest], element)
        # XLA's constant folding takes the zeros of a wider number.
        width = np.iinfo(array(0, element).dtype).bits
        yield op_case(f"count_leading_zeros_{element}", "stablehlo.count_leading_zeros",
                      [array([0, 1, -1, 7, smallest], element)], [f"tensor<5x{element}>"],
                      expected=[array([width, width - 1, 0, width - 3, 0], element)])
    for element in ("ui8", "ui16", "ui64"):
        largest = np.iinfo(array(0, element).dtype).max
        for op in ("negate", "not", "popcnt", "count_leading_zeros"):
            yield unary(op, np.array([0, 1, 7, largest], dtype=np.uint64), element)
    yield unary("not", [True, False], "i1")


def binary_cases():
    """Ops of two operands."""
    left = [0.0, -0.0, 1.0, -2.5, INF, NAN, 7.0, -7.0, 3.5]
    right = [-0.0, 0.0, 3.0, 2.0, INF, 1.0, -2.0, 2.0, 0.5]
    for element in ("f32", "f64", "f16", "bf16"):
        for op in ("add", "subtract", "multiply", "maximum", "minimum"):
            yield binary(op, left, right, element)
        for op in ("divide", "remainder", "atan2"):
            yield binary(op, left, right, element, ROUNDED[element] if op != "remainder" else 0.0)
        yield binary("remainder", [0.5, -0.5, 5.5, 1e30], [-0.3, 0.3, -2.0, 3.0], element,
                     ROUNDED[element], "_signs")
        yield binary("power", [2.0, 0.0, -2.0, -8.0, 1.0, NAN, 0.0, 4.0, INF],
                     [10.0, 0.0, 3.0, 1 / 3, NAN, 0.0, -1.0, 0.5, -1.0], element, ROUNDED[element])
    for element in ("i8", "i32", "i64"):
        limits = np.iinfo(array(0, element).dtype)
        lhs = np.array([limits.max, limits.min, -7, 7, 0, 100], dtype=np.int64)
        rhs = np.array([1, -1, 2, -2, 5, 100], dtype=np.int64)
        for op in INTEGER_BINARY:
            yield binary(op, lhs, rhs, element)
        for op in ("divide", "remainder"):
            yield quotient(op, lhs, rhs, element)
            yield quotient(op, [5, -5, 0], [0, 0, 0], element)
        yield binary("power", [2, -1, 3, 0, -2, 5], [6, 7, 4, 0, 3, 1], element)
        for op in ("shift_left", "shift_right_logical", "shift_right_arithmetic"):
            yield binary(op, [1, -128, 100, -3, 5, 7], [3, 1, 7, 8, 0, 100], element)
    for element in ("ui8", "ui32", "ui64"):
        largest = np.iinfo(array(0, element).dtype).max
        lhs = np.array([largest, 0, 200, 7], dtype=np.uint64)
        rhs = np.array([1, 1, 100, 2], dtype=np.uint64)
        for op in INTEGER_BINARY + ["shift_left", "shift_right_logical", "shift_right_arithmetic"]:
            yield binary(op, lhs, rhs, element)
        for op in ("divide", "remainder"):
            yield quotient(op, lhs, rhs, element)
    left, right = [True, True, False, False], [True, False, True, False]
    for op in ("multiply", "maximum", "minimum", "and", "or", "xor"):
        yield binary(op, left, right, "i1")
    # The specification says "or"; XLA's constant folding computes "xor".
    yield op_case("add_i1", "stablehlo.add", [array(left, "i1"), array(right, "i1")],
                  ["tensor<4xi1>"], expected=[array([True, True, True, False], "i1")])


def signs_of_nan():
    """A NaN keeps its sign in maxima and minima, on either side; zeros have an order. Bits, as all
    NaNs count as equal values."""
    for element, bits in (("f64", "i64"), ("f32", "i32"), ("f16", "i16"), ("bf16", "i16")):
        left = array([NAN, -NAN, 1.0, -1.0, 0.0, -0.0], element)
        right = array([1.0, -INF, NAN, -NAN, -0.0, 0.0], element)
        chosen = {"maximum": [NAN, -NAN, NAN, -NAN, 0.0, 0.0],
                  "minimum": [NAN, -NAN, NAN, -NAN, -0.0, -0.0]}
        for op, values in chosen.items():
            floats, integers = f"tensor<6x{element}>", f"tensor<6x{bits}>"
            yield Case(f"{op}_signs_{element}", [left, right],
                       f"%0 = stablehlo.{op} $0, $1 : {floats}\n"
                       f"%r0 = stablehlo.bitcast_convert %0 : ({floats}) -> {integers}",
                       [integers], expected=[array(values, element).view(array(0, bits).dtype)])


def other_cases():
    """compare, select, clamp, reduce_precision."""
    left, right = [1.0, 2.0, NAN, -0.0, INF], [2.0, 2.0, NAN, 0.0, -INF]
    for direction in ("EQ", "NE", "LT", "LE", "GT", "GE"):
        for element in ("f32", "f64", "bf16"):
            yield op_case(
                f"compare_{direction}_{element}", "stablehlo.compare",
                [array(left, element), array(right, element)], ["tensor<5xi1>"],
                attributes="compare_type = #stablehlo<comparison_type FLOAT>, "
                f"comparison_direction = #stablehlo<comparison_direction {direction}>")
        signed = [array([1, -1, 5, -128], "i8"), array([2, 1, 5, 127], "i8")]
        unsigned = [array([1, 255, 5, 128], "ui8"), array([2, 1, 5, 127], "ui8")]
        truth = [array([True, True, False, False], "i1"), array([True, False, True, False], "i1")]
        for name, kind, operands in (("i8", "SIGNED", signed), ("ui8", "UNSIGNED", unsigned),
                                     ("i1", "UNSIGNED", truth)):
            yield op_case(
                f"compare_{direction}_{name}", "stablehlo.compare", operands, ["tensor<4xi1>"],
                attributes=f"compare_type = #stablehlo<comparison_type {kind}>, "
                f"comparison_direction = #stablehlo<comparison_direction {direction}>")
    branches = [array([1.0, NAN, 3.0], "f32"), array([4.0, 5.0, NAN], "f32")]
    yield op_case("select_by_element", "stablehlo.select",
                  [array([True, False, True], "i1")] + branches, ["tensor<3xf32>"])
    yield op_case("select_by_scalar", "stablehlo.select", [array(False, "i1")] + branches,
                  ["tensor<3xf32>"])
    yield op_case("clamp_scalars", "stablehlo.clamp",
                  [array(-1, "i32"), array([-5, 0, 5], "i32"), array(2, "i32")], ["tensor<3xi32>"])
    yield op_case("clamp_tensors", "stablehlo.clamp",
                  [array([0.0, 1.0, 5.0], "f32"), array([-1.0, NAN, 3.0], "f32"),
                   array([1.0, 2.0, 4.0], "f32")], ["tensor<3xf32>"])
    values = array([65519.0, 1.1, -3.14159, INF, NAN, -0.0, 1e-3], "f32")
    for exponent, mantissa in ((5, 10), (8, 7), (4, 3)):
        yield Case(f"reduce_precision_e{exponent}m{mantissa}", [values],
                   f"%r0 = stablehlo.reduce_precision $0, format = e{exponent}m{mantissa} : "
                   f"{type_of(values)}", [type_of(values)])


def cases():
    """All cases of the family."""
    yield from unary_cases()
    yield from binary_cases()
    yield from signs_of_nan()
    yield from other_cases()
