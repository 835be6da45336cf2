# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on complex numbers."""

import numpy as np

from .case import ROUNDED, Case, array, op_case, short, type_of
from .structured import region

VALUES = [1 + 2j, -1.5 + 0.25j, -2 + 0j, 3j, 0.5 - 0.5j, -0.1 - 4j, 1e-3 + 1e-3j]
OTHERS = [2 - 1j, 0.5 + 0.5j, 1j, -1 + 1j, 0.25 + 0j, -3 + 2j, 1 - 1j]
UNARY = ["negate", "sign", "exponential", "exponential_minus_one", "log", "log_plus_one",
         "logistic", "sqrt", "rsqrt", "sine", "cosine", "tan", "tanh"]
CHLO = ["square", "conj", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "tan"]


def cases():
    """All cases of the family."""
    for element, part in (("complex<f32>", "f32"), ("complex<f64>", "f64")):
        tolerance = ROUNDED[element]
        a, b = array(VALUES, element), array(OTHERS, element)
        n = len(VALUES)
        # XLA has no cube root of complex numbers; the principal one is a power.
        yield op_case(f"cbrt_{short(element)}", "stablehlo.cbrt", [a], [type_of(a)], tolerance,
                      expected=[(array(VALUES, "complex<f64>") ** (1 / 3)).astype(a.dtype)])
        for op in UNARY:
            yield op_case(f"{op}_{short(element)}", f"stablehlo.{op}", [a], [type_of(a)], tolerance)
        for op in ("add", "subtract", "multiply", "divide", "power"):
            yield op_case(f"{op}_{short(element)}", f"stablehlo.{op}", [a, b], [type_of(a)],
                          tolerance)
        # The formulas that XLA expands these to lose digits near 0.
        count = n if part == "f64" else n - 1
        first, second = a[:count], b[:count]
        for op in CHLO:
            yield op_case(f"chlo_{op}_{short(element)}", f"chlo.{op}", [first], [type_of(first)],
                          tolerance)
        yield op_case(f"atan2_{short(element)}", "stablehlo.atan2", [first, second],
                      [type_of(first)], tolerance)
        real = f"tensor<{n}x{part}>"
        for op in ("real", "imag"):
            yield op_case(f"{op}_{short(element)}", f"stablehlo.{op}", [a], [real])
        yield op_case(f"abs_{short(element)}", "stablehlo.abs", [a], [real], tolerance)
        yield op_case(f"complex_{short(element)}", "stablehlo.complex", [a.real, b.real],
                      [type_of(a)])
        yield op_case(f"select_{short(element)}", "stablehlo.select",
                      [array([True, False] * 3 + [True], "i1"), a, b], [type_of(a)])
        yield Case(f"convert_to_{short(element)}", [array([1.5, -2.0], part)],
                   f"%r0 = stablehlo.convert $0 : (tensor<2x{part}>) -> tensor<2x{element}>",
                   [f"tensor<2x{element}>"])
        yield Case(f"iota_{short(element)}", [], f"%r0 = stablehlo.iota dim = 1 : "
                   f"tensor<2x3x{element}>", [f"tensor<2x3x{element}>"])
    a = array([1 + 2j, np.nan + 1j, 1 + 1j, 2 + 0j], "complex<f32>")
    b = array([1 + 2j, np.nan + 1j, 1 - 1j, 2 - 0j], "complex<f32>")
    for direction in ("EQ", "NE"):
        yield op_case(f"compare_{direction}_c64", "stablehlo.compare", [a, b], ["tensor<4xi1>"],
                      attributes="compare_type = #stablehlo<comparison_type FLOAT>, "
                      f"comparison_direction = #stablehlo<comparison_direction {direction}>")
    edges = array([complex(np.inf, 1), complex(np.nan, 1), 3 + 4j, 0j], "complex<f32>")
    yield op_case("abs_c64_edges", "stablehlo.abs", [edges], ["tensor<4xf32>"], 1e-6)
    yield from structured_cases()


def structured_cases():
    """Complex elements in ops that move or combine elements."""
    element = "complex<f32>"
    matrix = array([[1 + 1j, 2j, 3], [-1, 0.5j, 2 - 1j]], element)
    init = array(0, element)
    yield Case("dot_general_c64", [matrix, matrix],
               "%r0 = stablehlo.dot_general $0, $1, contracting_dims = [1] x [1] : "
               f"({type_of(matrix)}, {type_of(matrix)}) -> tensor<2x2x{element}>",
               [f"tensor<2x2x{element}>"], 1e-5)
    yield Case("convolution_c64", [array([[[1 + 1j], [2], [3j]]], element),
                                   array([[[1j]], [[1 - 1j]]], element)],
               "%r0 = stablehlo.convolution($0, $1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
               "window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
               f"(tensor<1x3x1x{element}>, tensor<2x1x1x{element}>) -> tensor<1x2x1x{element}>",
               [f"tensor<1x2x1x{element}>"], 1e-5)
    for op in ("add", "multiply"):
        start = array(0 if op == "add" else 1, element)
        yield Case(f"reduce_{op}_c64", [matrix, start],
                   f"%r0 = stablehlo.reduce($0 init: $1) applies stablehlo.{op} across dimensions = "
                   f"[0] : ({type_of(matrix)}, tensor<{element}>) -> tensor<3x{element}>",
                   [f"tensor<3x{element}>"], 1e-5)
    yield Case("transpose_c64", [matrix], f"%r0 = stablehlo.transpose $0, dims = [1, 0] : "
               f"({type_of(matrix)}) -> tensor<3x2x{element}>", [f"tensor<3x2x{element}>"])
    yield Case("pad_c64", [matrix, init], "%r0 = stablehlo.pad $0, $1, low = [0, 1], high = [0, 0], "
               f"interior = [0, 1] : ({type_of(matrix)}, tensor<{element}>) -> "
               f"tensor<2x6x{element}>", [f"tensor<2x6x{element}>"])
    yield op_case("gather_c64", "stablehlo.gather", [matrix, array([[2], [0]], "i32")],
                  [f"tensor<2x2x{element}>"],
                  attributes="dimension_numbers = #stablehlo.gather<offset_dims = [1], "
                  "collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, "
                  "slice_sizes = array<i64: 2, 1>")
    yield op_case("scatter_c64", "stablehlo.scatter",
                  [array([1, 2j, 3], element), array([[2], [2]], "i32"),
                   array([1j, 1 + 1j], element)], [f"tensor<3x{element}>"],
                  attributes="scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = "
                  "[0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>",
                  regions=region("add", element))
