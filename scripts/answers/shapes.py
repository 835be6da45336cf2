# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that make, move or rearrange elements, with empty and rank-0 shapes."""

import numpy as np

from .case import Case, array, op_case, type_of


def simple(name, text, operands, result):
    """`%r0 = stablehlo.TEXT : (types) -> result`."""
    types = ", ".join(type_of(value) for value in operands)
    return Case(name, operands, f"%r0 = stablehlo.{text} : ({types}) -> {result}", [result])


def cases():
    """All cases of the family."""
    grid = array(np.arange(24).reshape(2, 3, 4), "i32")
    empty = array(np.zeros((0, 3)), "f32")
    scalar = array(7.5, "f32")
    for element in ("i8", "ui64", "f32", "bf16"):
        for dim in (0, 1):
            result = f"tensor<2x3x{element}>"
            yield Case(f"iota_{dim}_{element}", [], f"%r0 = stablehlo.iota dim = {dim} : {result}",
                       [result])
    yield Case("iota_empty", [], "%r0 = stablehlo.iota dim = 0 : tensor<0x2xi32>",
               ["tensor<0x2xi32>"])
    yield Case("constant_edges", [array([np.nan, -0.0, np.inf, 1e-45], "f32"),
                                  array([-128, 127], "i8"), array([True, False], "i1"), empty],
               "%r0 = stablehlo.reverse $0, dims = [0] : tensor<4xf32>\n"
               "%r1 = stablehlo.reverse $1, dims = [0] : tensor<2xi8>\n"
               "%r2 = stablehlo.reverse $2, dims = [0] : tensor<2xi1>\n"
               "%r3 = stablehlo.reverse $3, dims = [1] : tensor<0x3xf32>",
               ["tensor<4xf32>", "tensor<2xi8>", "tensor<2xi1>", "tensor<0x3xf32>"])
    yield simple("broadcast_in_dim_scalar", "broadcast_in_dim $0, dims = []", [scalar],
                 "tensor<2x2xf32>")
    yield simple("broadcast_in_dim_expands_one", "broadcast_in_dim $0, dims = [0, 2]",
                 [array([[1], [2]], "i32")], "tensor<2x3x4xi32>")
    yield simple("broadcast_in_dim_to_empty", "broadcast_in_dim $0, dims = [1]",
                 [array([1, 2, 3], "i32")], "tensor<0x3xi32>")
    yield simple("broadcast_legacy", "broadcast $0, sizes = [2, 1]", [array([1, 2], "i32")],
                 "tensor<2x1x2xi32>")
    yield simple("reshape_grid", "reshape $0", [grid], "tensor<4x6xi32>")
    yield simple("reshape_to_scalar", "reshape $0", [array([[5]], "i32")], "tensor<i32>")
    yield simple("reshape_empty", "reshape $0", [empty], "tensor<2x0x5xf32>")
    yield simple("transpose_grid", "transpose $0, dims = [2, 0, 1]", [grid], "tensor<4x2x3xi32>")
    yield simple("transpose_scalar", "transpose $0, dims = []", [scalar], "tensor<f32>")
    yield simple("reverse_two_dims", "reverse $0, dims = [0, 2]", [grid], "tensor<2x3x4xi32>")
    yield simple("slice_strided", "slice $0 [0:2, 1:3, 0:4:3]", [grid], "tensor<2x2x2xi32>")
    yield simple("slice_empty", "slice $0 [1:1, 0:3, 0:4]", [grid], "tensor<0x3x4xi32>")
    yield simple("slice_scalar", "slice $0 []", [scalar], "tensor<f32>")
    for name, starts in (("inside", [0, 1, 2]), ("below", [-7, 0, -1]), ("above", [9, 9, 2**31 - 1])):
        operands = [grid] + [array(start, "i32") for start in starts]
        yield simple(f"dynamic_slice_{name}", "dynamic_slice $0, $1, $2, $3, sizes = [1, 2, 2]",
                     operands, "tensor<1x2x2xi32>")
        update = array([[[100, 101], [102, 103]]], "i32")
        yield simple(f"dynamic_update_slice_{name}", "dynamic_update_slice $0, $1, $2, $3, $4",
                     [grid, update] + operands[1:], "tensor<2x3x4xi32>")
    yield op_case("dynamic_slice_scalar", "stablehlo.dynamic_slice", [scalar], ["tensor<f32>"],
                  attributes="slice_sizes = array<i64>")
    yield simple("dynamic_update_slice_empty", "dynamic_update_slice $0, $1, $2",
                 [array([1, 2], "i32"), array([], "i32"), array(1, "i32")], "tensor<2xi32>")
    yield simple("concatenate_with_empty", "concatenate $0, $1, $2, dim = 0",
                 [array([1, 2], "i32"), array([], "i32"), array([3], "i32")], "tensor<3xi32>")
    column = array([[1], [2]], "i32")
    yield simple("concatenate_columns", "concatenate $0, $1, dim = 1", [column, column],
                 "tensor<2x2xi32>")
    matrix = array([[1, 2], [3, 4]], "i32")
    yield simple("pad_edges_and_holes", "pad $0, $1, low = [1, -1], high = [0, 2], "
                 "interior = [1, 2]", [matrix, array(9, "i32")], "tensor<4x5xi32>")
    yield simple("pad_of_empty", "pad $0, $1, low = [2, 0], high = [0, 0], interior = [3, 0]",
                 [empty, scalar], "tensor<2x3xf32>")
    yield simple("get_dimension_size", "get_dimension_size $0, dim = 2", [grid], "tensor<i32>")
    yield from bitcast_cases()
    yield from gather_cases()


def bitcast_cases():
    """bitcast_convert between widths."""
    yield simple("bitcast_f64_to_ui32", "bitcast_convert $0", [array([1.0, -2.5], "f64")],
                 "tensor<2x2xui32>")
    yield simple("bitcast_bytes_to_f32", "bitcast_convert $0",
                 [array([[0, 0, 128, 63], [0, 0, 0, 192]], "ui8")], "tensor<2xf32>")
    yield simple("bitcast_same_width", "bitcast_convert $0", [array([1.0, -0.0, np.nan], "f32")],
                 "tensor<3xi32>")
    yield simple("bitcast_bf16_to_f16", "bitcast_convert $0", [array([1.0, -2.0], "bf16")],
                 "tensor<2xf16>")
    yield simple("bitcast_complex", "bitcast_convert $0", [array([1 + 2j], "complex<f32>")],
                 "tensor<1xcomplex<f32>>")


def gather_cases():
    """gather with collapsed, batching and out-of-range indices."""
    grid = array(np.arange(12).reshape(3, 4), "i32")
    yield op_case("gather_rows_out_of_range", "stablehlo.gather",
                  [grid, array([[5], [-3], [1]], "i64")], ["tensor<3x4xi32>"],
                  attributes="dimension_numbers = #stablehlo.gather<offset_dims = [1], "
                  "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
                  "slice_sizes = array<i64: 1, 4>")
    yield op_case("gather_points", "stablehlo.gather",
                  [grid, array([[0, 3], [2, 1]], "ui8")], ["tensor<2xi32>"],
                  attributes="dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], "
                  "start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>")
    yield op_case("gather_implicit_vector", "stablehlo.gather", [grid, array([3, 0], "i32")],
                  ["tensor<3x2xi32>"],
                  attributes="dimension_numbers = #stablehlo.gather<offset_dims = [0], "
                  "collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, "
                  "slice_sizes = array<i64: 3, 1>")
    yield op_case("gather_nothing", "stablehlo.gather",
                  [grid, array(np.zeros((0, 1)), "i32")], ["tensor<0x4xi32>"],
                  attributes="dimension_numbers = #stablehlo.gather<offset_dims = [1], "
                  "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
                  "slice_sizes = array<i64: 1, 4>")
