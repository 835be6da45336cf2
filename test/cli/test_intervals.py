# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops along a cut dimension fetch what they read of it, and compute what they compute uncut.

Programs are of integers, so that the outputs are equal and not only near. Where a number of bytes
is given, it is what a device has to receive: elements that it reads and does not have. The environment
variable SHARDWISE_RANDOM_WINDOWS says of how many seeds random windows are drawn.
"""

import json
import os
import random

import pytest

ONE = '<["x"=8]>'
MESHES = {2: '<["x"=2]>', 3: '<["x"=3]>', 4: '<["x"=4]>', 8: ONE}
TWO = '<["x"=2, "y"=4]>'


def tensor(*shape):
    return f"tensor<{''.join(f'{size}x' for size in shape)}i32>"


def sharding(axes):
    """A sharding attribute; `axes` has the text of the axes of each dimension."""
    dims = ", ".join("{" + axis + "}" for axis in axes)
    return f"{{sdy.sharding = #sdy.sharding<@mesh, [{dims}]>}}"


def module(mesh, arguments, result, axes, body):
    """A program; `arguments` are shapes with axes, `axes` those of the result."""
    inputs = ", ".join(f"%{name}: {tensor(*shape)} {sharding(cut)}"
                       for name, (shape, cut) in zip("abcd", arguments))
    return (f"sdy.mesh @mesh = {mesh}\nfunc.func public @main({inputs}) -> "
            f"({tensor(*result)} {sharding(axes)}) {{\n{body}\n  return %r : {tensor(*result)}\n}}\n")


def pairs(values):
    return "dense<" + str([list(value) for value in values]) + f"> : tensor<{len(values)}x2xi64>"


def numbers(values):
    return f"array<i64: {', '.join(map(str, values))}>"


def window_result(size, taps, stride, low, high, base, dilation):
    return (((size - 1) * base + 1 + low + high) - ((taps - 1) * dilation + 1)) // stride + 1


def convolution(mesh, size, taps, stride=1, pad=(0, 0), base=1, dilation=1, axes='"x"', groups=1,
                reverse=False, features=4, cut_kernel=False):
    """A convolution along one dimension that is cut by `axes`; with `cut_kernel`, the kernel is."""
    result = window_result(size, taps, stride, *pad, base, dilation)
    kernel = (taps, features // groups, features)
    attributes = (
        "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, "
        f"window_strides = {numbers([stride])}, padding = {pairs([pad])}, "
        f"lhs_dilation = {numbers([base])}, rhs_dilation = {numbers([dilation])}, "
        f"window_reversal = array<i1: {str(reverse).lower()}>, "
        f"feature_group_count = {groups} : i64, batch_group_count = 1 : i64")
    types = f"({tensor(2, size, features)}, {tensor(*kernel)}) -> {tensor(2, result, features)}"
    return module(
        mesh, [((2, size, features), ("", axes, "")), (kernel, (axes if cut_kernel else "", "", ""))],
        (2, result, features), ("", "" if cut_kernel else axes, ""),
        f'  %r = "stablehlo.convolution"(%a, %b) <{{{attributes}}}> : {types}')


def reducer(op):
    return (f"({{\n  ^bb0(%p: tensor<i32>, %q: tensor<i32>):\n    %s = stablehlo.{op} %p, %q : tensor<i32>\n"
            "    stablehlo.return %s : tensor<i32>\n  })")


def pool(mesh, shape, windows, strides, pads, op="maximum", start="-2147483648", axes=('"x"', ""),
         base=(1, 1), dilation=(1, 1)):
    result = tuple(window_result(size, taps, stride, *pad, b, d) for size, taps, stride, pad, b, d
                   in zip(shape, windows, strides, pads, base, dilation))
    attributes = (f"window_dimensions = {numbers(windows)}, window_strides = {numbers(strides)}, "
                  f"base_dilations = {numbers(base)}, window_dilations = {numbers(dilation)}, "
                  f"padding = {pairs(pads)}")
    return module(
        mesh, [(shape, axes)], result, axes,
        f"  %i = stablehlo.constant dense<{start}> : tensor<i32>\n"
        f'  %r = "stablehlo.reduce_window"(%a, %i) <{{{attributes}}}> {reducer(op)} : '
        f"({tensor(*shape)}, tensor<i32>) -> {tensor(*result)}")


def gradient_of_pool(choice, element="i32"):
    """The regions of a select_and_scatter that sums up."""
    scalar, kind = f"tensor<{element}>", "SIGNED" if element == "i32" else "FLOAT"
    arguments = f"^bb0(%p: {scalar}, %q: {scalar}):\n"
    return (f"({{\n  {arguments}"
            f"    %s = stablehlo.compare {choice}, %p, %q, {kind} : ({scalar}, {scalar}) -> tensor<i1>\n"
            f"    stablehlo.return %s : tensor<i1>\n  }}, {{\n  {arguments}"
            f"    %s = stablehlo.add %p, %q : {scalar}\n    stablehlo.return %s : {scalar}\n  }})")


def pool_gradient(mesh, shape, windows, strides, pads, axes=('"x"', ""), choice="GE"):
    """The gradient of a max pool, whose source is cut as the image is."""
    count = tuple(window_result(size, taps, stride, *pad, 1, 1) for size, taps, stride, pad
                  in zip(shape, windows, strides, pads))
    attributes = (f"window_dimensions = {numbers(windows)}, window_strides = {numbers(strides)}, "
                  f"padding = {pairs(pads)}")
    return module(
        mesh, [(shape, axes), (count, axes)], shape, axes,
        "  %i = stablehlo.constant dense<0> : tensor<i32>\n"
        f'  %r = "stablehlo.select_and_scatter"(%a, %b, %i) <{{{attributes}}}> {gradient_of_pool(choice)} : '
        f"({tensor(*shape)}, {tensor(*count)}, tensor<i32>) -> {tensor(*shape)}")


def pad(mesh, size, low, high, interior=0, value="stablehlo.constant dense<7> : tensor<i32>", axes='"x"'):
    result = (size - 1) * (interior + 1) + 1 + low + high
    return module(
        mesh, [((size, 4), (axes, "")), ((), ())], (result, 4), (axes, ""),
        f"  %i = {value}\n"
        f"  %r = stablehlo.pad %a, %i, low = [{low}, 0], high = [{high}, 0], interior = [{interior}, 0]"
        f" : ({tensor(size, 4)}, tensor<i32>) -> {tensor(result, 4)}")


def slice_(mesh, size, start, limit, stride=1, axes='"x"'):
    result = -((start - limit) // stride)
    return module(
        mesh, [((size, 4), (axes, ""))], (result, 4), (axes, ""),
        f"  %r = stablehlo.slice %a [{start}:{limit}:{stride}, 0:4] : ({tensor(size, 4)}) -> "
        f"{tensor(result, 4)}")


def reverse(mesh, shape, dims, axes):
    return module(mesh, [(shape, axes)], shape, axes,
                  f"  %r = stablehlo.reverse %a, dims = {dims} : {tensor(*shape)}")


def concatenate(mesh, sizes, axes='"x"'):
    total = sum(sizes)
    names = ", ".join(f"%{name}" for name, _ in zip("abcd", sizes))
    types = ", ".join(tensor(size, 4) for size in sizes)
    return module(
        mesh, [((size, 4), (axes, "")) for size in sizes], (total, 4), (axes, ""),
        f"  %r = stablehlo.concatenate {names}, dim = 0 : ({types}) -> {tensor(total, 4)}")


def roll(mesh, size, shift, axes='"x"'):
    """As JAX writes it: the end, then the beginning."""
    at = size - shift
    return module(
        mesh, [((size, 4), (axes, ""))], (size, 4), (axes, ""),
        f"  %0 = stablehlo.slice %a [{at}:{size}, 0:4] : ({tensor(size, 4)}) -> {tensor(shift, 4)}\n"
        f"  %1 = stablehlo.slice %a [0:{at}, 0:4] : ({tensor(size, 4)}) -> {tensor(at, 4)}\n"
        f"  %r = stablehlo.concatenate %0, %1, dim = 0 : ({tensor(shift, 4)}, {tensor(at, 4)}) -> "
        f"{tensor(size, 4)}")


def stencil(mesh, size, axes='"x"'):
    """Sums of both neighbours, by slices of a padded value."""
    padded, whole = tensor(size + 2, 4), tensor(size, 4)
    return module(
        mesh, [((size, 4), (axes, ""))], (size, 4), (axes, ""),
        f"  %i = stablehlo.constant dense<3> : tensor<i32>\n"
        f"  %p = stablehlo.pad %a, %i, low = [1, 0], high = [1, 0], interior = [0, 0]"
        f" : ({whole}, tensor<i32>) -> {padded}\n"
        f"  %0 = stablehlo.slice %p [2:{size + 2}, 0:4] : ({padded}) -> {whole}\n"
        f"  %1 = stablehlo.slice %p [0:{size}, 0:4] : ({padded}) -> {whole}\n"
        f"  %2 = stablehlo.add %0, %1 : {whole}\n"
        f"  %r = stablehlo.subtract %2, %a : {whole}")


# One row of (2, size, 4) is 32 B, of (size, 4) 16 B.
# What is behind the op asks for the type of its result.
GATHERED_GRADIENT = """
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(%arg0: tensor<16x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<12x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<16x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %v3 = stablehlo.constant dense<0> : tensor<i32>
    %v7 = "stablehlo.select_and_scatter"(%arg0, %arg1, %v3) <{window_dimensions = array<i64: 5, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%v0: tensor<i32>, %v1: tensor<i32>):
      %v2 = stablehlo.compare GE, %v0, %v1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v2 : tensor<i1>
    }, {
    ^bb0(%v4: tensor<i32>, %v5: tensor<i32>):
      %v6 = stablehlo.add %v4, %v5 : tensor<i32>
      stablehlo.return %v6 : tensor<i32>
    }) : (tensor<16x6xi32>, tensor<12x6xi32>, tensor<i32>) -> tensor<16x6xi32>
    return %v7 : tensor<16x6xi32>
}
"""

PROGRAMS = {
    # Convolutions: taps, strides, padding.
    "conv_same_3": (convolution(ONE, 64, 3, pad=(1, 1)), 64),
    "conv_same_3_on_2": (convolution(MESHES[2], 64, 3, pad=(1, 1)), 32),
    "conv_same_3_on_3": (convolution(MESHES[3], 24, 3, pad=(1, 1)), 64),
    "conv_same_3_on_4": (convolution(MESHES[4], 64, 3, pad=(1, 1)), 64),
    "conv_same_5": (convolution(ONE, 64, 5, pad=(2, 2)), 128),
    "conv_same_7_several_hops": (convolution(ONE, 16, 7, pad=(3, 3)), 192),
    "conv_taps_beyond_all": (convolution(MESHES[4], 8, 15, pad=(7, 7)), None),
    "conv_stride_2": (convolution(ONE, 64, 3, stride=2, pad=(0, 1)), 32),
    "conv_stride_2_low": (convolution(ONE, 64, 3, stride=2, pad=(1, 0)), 32),
    "conv_stride_2_taps_2": (convolution(ONE, 64, 2, stride=2), 0),
    "conv_stride_3": (convolution(MESHES[4], 48, 5, stride=3, pad=(1, 1)), 64),
    "conv_stride_4_taps_1": (convolution(ONE, 64, 1, stride=4, pad=(0, 0)), 0),
    "conv_causal": (convolution(ONE, 64, 4, pad=(3, 0)), 96),
    "conv_causal_depthwise": (convolution(ONE, 64, 4, pad=(3, 0), groups=4), 96),
    "conv_dilated": (convolution(ONE, 64, 3, pad=(4, 4), dilation=4), 256),
    "conv_dilated_far": (convolution(ONE, 64, 3, pad=(16, 16), dilation=16), None),
    "conv_valid_that_divides": (convolution(MESHES[2], 64, 5), None),
    "conv_valid_64_to_56": (convolution(ONE, 64, 9), None),
    "conv_grows": (convolution(ONE, 64, 3, pad=(5, 5)), None),
    "conv_negative_padding": (convolution(ONE, 64, 3, pad=(-3, -3)), None),
    "conv_negative_low": (convolution(ONE, 64, 3, pad=(-7, 9)), None),
    "conv_transposed_2": (convolution(ONE, 32, 3, pad=(1, 2), base=2), None),
    "conv_transposed_2_other_phase": (convolution(ONE, 32, 3, pad=(2, 1), base=2), None),
    "conv_transposed_3_stride_2": (convolution(MESHES[4], 16, 4, stride=2, pad=(2, 3), base=3), None),
    "conv_transposed_phases_differ": (convolution(MESHES[4], 12, 3, pad=(1, 1), base=5), None),
    "conv_reversed": (convolution(ONE, 64, 3, pad=(0, 2), reverse=True), 64),
    "conv_one_row_each": (convolution(ONE, 8, 3, pad=(1, 1)), 64),
    "conv_sub_axis": (convolution(ONE, 64, 3, pad=(1, 1), axes='"x":(1)4'), 64),
    "conv_minor_sub_axis": (convolution(ONE, 64, 3, pad=(1, 1), axes='"x":(2)4'), 64),
    "conv_two_axes": (convolution(TWO, 64, 3, pad=(1, 1), axes='"x", "y"'), 64),
    "conv_two_axes_turned": (convolution(TWO, 64, 3, pad=(1, 1), axes='"y", "x"'), 64),
    "conv_one_of_two_axes": (convolution(TWO, 64, 3, pad=(1, 1), axes='"y"'), 64),
    "conv_device_order": (convolution('<["x"=8], device_ids=[3, 1, 0, 2, 7, 6, 5, 4]>', 64, 3,
                                      pad=(1, 1)), 64),
    # The kernel is cut: gradients by the filter.
    "filter_gradient": (convolution(ONE, 64, 64, pad=(1, 1), cut_kernel=True), None),
    "filter_gradient_stride_2": (convolution(ONE, 64, 32, pad=(0, 1), dilation=2, cut_kernel=True),
                                 None),
    "filter_gradient_base": (convolution(MESHES[4], 16, 32, pad=(1, 2), base=2, cut_kernel=True),
                             None),
    "filter_gradient_reversed": (convolution(MESHES[4], 32, 32, pad=(1, 1), reverse=True,
                                             cut_kernel=True), None),
    # Windows.
    "pool_3_2": (pool(ONE, (64, 8), (3, 1), (2, 1), ((0, 1), (0, 0))), 32),
    "pool_2_2": (pool(ONE, (64, 8), (2, 2), (2, 2), ((0, 0), (0, 0))), 0),
    "pool_sum_3_1": (pool(ONE, (64, 8), (3, 3), (1, 1), ((1, 1), (1, 1)), "add", "0"), 64),
    "pool_sum_from_5": (pool(ONE, (64, 8), (3, 3), (1, 1), ((1, 1), (1, 1)), "add", "5"), 64),
    "pool_minimum": (pool(MESHES[4], (32, 8), (5, 1), (1, 1), ((2, 2), (0, 0)), "minimum",
                          "2147483647"), 128),
    "pool_dilated": (pool(MESHES[4], (32, 8), (3, 1), (1, 1), ((2, 2), (0, 0)), dilation=(2, 1)),
                     128),
    "pool_base_dilated": (pool(MESHES[4], (32, 8), (3, 1), (1, 1), ((2, 1), (0, 0)), "add", "0",
                               base=(2, 1)), 32),
    "pool_both_dims": (pool(TWO, (64, 64), (3, 3), (1, 1), ((1, 1), (1, 1)),
                            axes=('"x"', '"y"')), None),
    "pool_both_dims_strided": (pool(TWO, (64, 64), (3, 3), (2, 2), ((0, 1), (1, 0)),
                                    axes=('"x"', '"y"')), None),
    "pool_running_sum": (pool(MESHES[4], (32, 8), (32, 1), (1, 1), ((31, 0), (0, 0)), "add", "0"),
                         None),
    "pool_negative_padding": (pool(MESHES[4], (32, 8), (3, 1), (1, 1), ((-1, -1), (0, 0))), None),
    # Moves.
    "pad_ends": (pad(ONE, 64, 4, 4), 48),
    "pad_front": (pad(MESHES[4], 64, 16, 0), None),
    "pad_shift": (pad(ONE, 64, 1, -1), 16),
    "pad_shift_back": (pad(ONE, 64, -3, 3), 48),
    "pad_shift_far": (pad(ONE, 64, 20, -20), 128),
    "pad_interior": (pad(ONE, 64, 0, 1, interior=1), 0),
    "pad_interior_shift": (pad(ONE, 64, 1, 0, interior=1), 0),
    "pad_interior_cut_off": (pad(MESHES[4], 64, 0, -63, interior=1), None),
    "pad_nothing_left": (pad(MESHES[4], 8, -8, 8), 0),
    "slice_middle": (slice_(ONE, 64, 8, 56), 96),
    "slice_front": (slice_(ONE, 64, 0, 32), None),
    "slice_one_block": (slice_(ONE, 64, 8, 16), None),
    "slice_back": (slice_(MESHES[4], 64, 32, 64), None),
    "slice_stride_2": (slice_(ONE, 64, 0, 64, 2), 0),
    "slice_stride_2_from_1": (slice_(ONE, 64, 1, 64, 2), 0),
    "slice_stride_3": (slice_(MESHES[4], 48, 2, 48, 3), 0),
    "slice_stride_of_a_part": (slice_(MESHES[4], 64, 5, 29, 3), None),
    "reverse": (reverse(ONE, (64, 4), [0], ('"x"', "")), 128),
    "reverse_on_3": (reverse(MESHES[3], (24, 4), [0], ('"x"', "")), 128),
    "reverse_both": (reverse(TWO, (16, 16), [0, 1], ('"x"', '"y"')), None),
    "reverse_the_other": (reverse(TWO, (16, 16), [1], ('"x"', "")), 0),
    "concatenate_two": (concatenate(ONE, [64, 64]), 256),
    "concatenate_three": (concatenate(MESHES[4], [16, 8, 8]), None),
    "concatenate_one": (concatenate(MESHES[4], [16]), 0),
    "concatenate_of_unlike_parts": (concatenate(MESHES[2], [16, 2, 4]), None),
    "roll_1": (roll(ONE, 64, 1), 16),
    "roll_5_on_4": (roll(MESHES[4], 64, 5), 80),
    "roll_half": (roll(ONE, 64, 32), 128),
    "roll_back": (roll(ONE, 64, 61), 48),
    "roll_on_3": (roll(MESHES[3], 24, 9), None),
    "stencil": (stencil(ONE, 64), 32),
    "pooling_gradient_that_is_gathered": (GATHERED_GRADIENT, None),
    "stencil_on_two_axes": (stencil(TWO, 64, '"x", "y"'), 32),
    # Parts that are not equal: the last ones end in padding, which counts as what is outside.
    "conv_uneven": (convolution(MESHES[4], 30, 3, pad=(1, 1)), 64),
    "conv_uneven_valid": (convolution(MESHES[4], 30, 3), 96),
    "conv_uneven_stride_2": (convolution(MESHES[4], 30, 3, stride=2, pad=(0, 1)), 32),
    "conv_uneven_dilated": (convolution(MESHES[4], 29, 3, pad=(2, 2), dilation=2), 128),
    "conv_uneven_base": (convolution(MESHES[4], 15, 3, pad=(1, 2), base=2), None),
    "conv_fewer_rows_than_devices": (convolution(ONE, 5, 3, pad=(1, 1)), 64),
    "filter_gradient_uneven": (convolution(MESHES[4], 30, 30, pad=(1, 1), cut_kernel=True), None),
    "filter_gradient_uneven_stride_2": (convolution(MESHES[4], 30, 15, pad=(0, 1), dilation=2,
                                                    cut_kernel=True), None),
    "pool_uneven": (pool(MESHES[4], (33, 8), (3, 1), (1, 1), ((1, 1), (0, 0))), 64),
    "pool_uneven_stride_2": (pool(MESHES[4], (33, 8), (2, 1), (2, 1), ((0, 0), (0, 0))), None),
    "pool_uneven_sum_from_5": (pool(MESHES[4], (30, 8), (3, 3), (1, 1), ((1, 1), (1, 1)), "add", "5"), 64),
    "pool_uneven_both_dims": (pool(TWO, (30, 31), (3, 3), (1, 1), ((1, 1), (1, 1)),
                                   axes=('"x"', '"y"')), None),
    # 28 results are blocks of 7, which begin at an element and between two in turn.
    "conv_transposed_that_drifts": (convolution(MESHES[4], 14, 3, pad=(1, 2), base=2), 64),
    "conv_transposed_that_drifts_by_3": (convolution(MESHES[4], 10, 4, pad=(2, 3), base=3, reverse=True), 32),
    "conv_transposed_dilated_that_drifts": (convolution(MESHES[4], 14, 3, pad=(3, 2), base=2, dilation=2), 96),
    "conv_transposed_that_drifts_uneven": (convolution(MESHES[4], 13, 2, pad=(1, 1), base=2), 64),
    "pool_base_that_drifts": (pool(TWO, (7, 11), (2, 3), (1, 1), ((1, 0), (1, 1)), "add", "0", base=(2, 2),
                                   axes=('"x"', '"y"')), 28),
    "pad_interior_that_drifts": (pad(MESHES[4], 14, 0, 1, interior=1), 16),
    "pad_interior_that_drifts_by_3": (pad(MESHES[4], 9, 1, 2, interior=2, value="stablehlo.add %b, %b : tensor<i32>"),
                                      32),
    "conv_transposed_and_strided_that_drifts": (convolution(MESHES[4], 14, 4, pad=(1, 1), base=3, stride=2), None),
    "conv_transposed_and_strided_back": (convolution(MESHES[4], 14, 5, pad=(1, 2), base=4, stride=6, reverse=True),
                                         None),
    "pool_base_and_stride_that_drift": (pool(TWO, (7, 11), (2, 3), (2, 3), ((1, 0), (1, 1)), "add", "5", base=(3, 4),
                                             axes=('"x"', '"y"'), dilation=(1, 2)), None),
    "filter_gradient_base_that_drifts": (convolution(MESHES[4], 14, 28, pad=(1, 2), base=2, cut_kernel=True), None),
    "filter_gradient_base_that_drifts_back": (convolution(MESHES[4], 14, 27, pad=(1, 2), base=2, cut_kernel=True,
                                                          reverse=True), None),
    "filter_gradient_base_and_stride": (convolution(MESHES[4], 14, 36, pad=(4, 5), base=3, stride=2,
                                                    cut_kernel=True), None),
    # Gradients of max pooling: rows of the image, then of the source.
    "pool_gradient_padded": (pool_gradient(MESHES[4], (32, 4), (3, 1), (2, 1), ((0, 1), (0, 0))), None),
    "pool_gradient_padded_both": (pool_gradient(MESHES[4], (32, 4), (3, 3), (2, 2), ((1, 1), (1, 1))), None),
    "pool_gradient_uneven": (pool_gradient(MESHES[4], (30, 4), (3, 1), (1, 1), ((0, 0), (0, 0))), None),
    "pool_gradient_that_drifts": (pool_gradient(MESHES[4], (28, 4), (2, 1), (2, 1), ((0, 0), (0, 0))), 64),
    "pool_gradient_uneven_stride_2": (pool_gradient(MESHES[4], (27, 4), (3, 1), (2, 1), ((1, 1), (0, 0))), None),
    "pool_gradient_stride_3": (pool_gradient(MESHES[4], (29, 4), (4, 1), (3, 1), ((2, 3), (0, 0)), choice="LT"), None),
    "pool_gradient_with_gaps": (pool_gradient(MESHES[4], (30, 4), (2, 1), (3, 1), ((1, 0), (0, 0))), None),
    "pool_gradient_uneven_both_dims": (pool_gradient(TWO, (15, 13), (3, 2), (2, 2), ((1, 1), (0, 1)),
                                                     axes=('"x"', '"y"'), choice="GT"), None),
    "pool_gradient_fewer_rows_than_devices": (pool_gradient(ONE, (5, 4), (3, 1), (2, 1), ((1, 1), (0, 0))), None),
    "pad_uneven": (pad(MESHES[4], 30, 1, 2), 32),
    "pad_uneven_by_an_argument": (pad(MESHES[4], 30, 1, 2, value="stablehlo.add %b, %b : tensor<i32>"), 32),
    "pad_uneven_shift": (pad(MESHES[4], 30, 1, -1), 16),
    "pad_uneven_interior": (pad(MESHES[4], 15, 1, 1, interior=1), None),
    "slice_uneven": (slice_(MESHES[4], 30, 2, 29), 16),
    "slice_uneven_stride_2": (slice_(MESHES[4], 31, 1, 30, 2), 0),
    "reverse_uneven": (reverse(MESHES[4], (30, 4), [0], ('"x"', "")), 128),
    "reverse_fewer_rows_than_devices": (reverse(ONE, (5, 4), [0], ('"x"', "")), 16),
    "concatenate_uneven": (concatenate(MESHES[4], [30, 31]), 256 + 128),
    "roll_uneven": (roll(MESHES[4], 29, 1), None),
    "stencil_uneven": (stencil(MESHES[4], 30), 32),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(shardwise, name):
    program, received = PROGRAMS[name]
    process = shardwise("run", "-", "--json", stdin=program)
    assert process.returncode == 0, process.stderr + program
    report = json.loads(process.stdout)
    assert report["verified"] is True, program
    assert all(output["max_abs_error"] == 0 for output in report["outputs"]), program
    total = sum(entry["bytes_received_per_device"] for entry in report["collectives"])
    if received is not None:
        assert total == received, report["collectives"]


@pytest.mark.parametrize("name", [name for name, (_, received) in PROGRAMS.items() if received])
def test_explain_lists_what_is_fetched(shardwise, name):
    program, received = PROGRAMS[name]
    process = shardwise("explain", "-", "--json", stdin=program)
    assert process.returncode == 0, process.stderr
    transfers = json.loads(process.stdout)["transfers"]
    assert sum(transfer["received_bytes"] for transfer in transfers) == received
    assert {transfer["reason"] for transfer in transfers} == {"neighbours"}


NAN, INFINITY = "0x7FC00000", "0xFF800000"


@pytest.mark.parametrize("choice", ["GE", "GT", "LE", "LT"])
@pytest.mark.parametrize("values", [
    [INFINITY] * 10,
    [NAN] * 10,
    [NAN, "1.0", NAN, NAN, INFINITY, "2.0", "2.0", "1.0", "3.0", NAN],
    ["1.0", NAN, "1.0", INFINITY, INFINITY, "-1.0", NAN, "0.0", NAN, INFINITY],
])
def test_padding_is_not_chosen_before_elements_that_lose_against_all(shardwise, choice, values):
    """Windows of padding and of NaNs or infinities only: no value that could stand for padding loses
    against these."""
    image, source, scalar = "tensor<10xf32>", "tensor<5xf32>", "tensor<f32>"
    cut = "#sdy.sharding<@mesh, [{\"x\"}]>"
    text = (
        f'sdy.mesh @mesh = <["x"=4]>\nfunc.func public @main(%b: {source} {{sdy.sharding = {cut}}}) -> '
        f"({image} {{sdy.sharding = {cut}}}) {{\n"
        f"  %a = stablehlo.constant dense<[{', '.join(values)}]> : {image}\n"
        f"  %i = stablehlo.constant dense<0.0> : {scalar}\n"
        '  %r = "stablehlo.select_and_scatter"(%a, %b, %i) <{window_dimensions = array<i64: 4>, '
        f"window_strides = array<i64: 2>, padding = {pairs([(1, 1)])}}}> {gradient_of_pool(choice, 'f32')} "
        f'{{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"x"}}]>]>}} : ({image}, {source}, {scalar}) -> '
        f"{image}\n  return %r : {image}\n}}\n")
    process = shardwise("run", "-", "--json", stdin=text)
    assert process.returncode == 0, process.stderr
    report = json.loads(process.stdout)
    assert report["verified"] is True
    # The source moves: what is constant does not.
    assert {row["kind"] for row in report["collectives"]} == {"collective_permute"}


@pytest.mark.parametrize("size, taps, stride, low, high", [
    (3, 2, 1, 0, 1), (5, 3, 2, 0, 2), (10, 3, 2, 1, 1), (7, 3, 1, 1, 1), (9, 4, 3, 2, 2), (5, 2, 2, 1, 1)])
@pytest.mark.parametrize("mesh", ['["x"=2]', '["x"=4]'])
def test_padding_of_a_source_gives_nothing_to_the_last_element(shardwise, mesh, size, taps, stride, low, high):
    """Where the source does not divide, its last shard ends in what was computed of padding, which is not zero
    here. There are no windows there."""
    count = window_result(size, taps, stride, low, high, 1, 1)
    image, source, cut = f"tensor<{size}xi32>", f"tensor<{count}xi32>", '#sdy.sharding<@mesh, [{"x"}]>'
    text = (
        f"sdy.mesh @mesh = <{mesh}>\nfunc.func public @main(%a: {image} {{sdy.sharding = {cut}}}, "
        f"%b: {source} {{sdy.sharding = {cut}}}) -> ({image} {{sdy.sharding = {cut}}}) {{\n"
        f"  %n = stablehlo.constant dense<7> : {source}\n  %given = stablehlo.add %b, %n : {source}\n"
        "  %i = stablehlo.constant dense<0> : tensor<i32>\n"
        f'  %r = "stablehlo.select_and_scatter"(%a, %given, %i) <{{window_dimensions = array<i64: {taps}>, '
        f"window_strides = array<i64: {stride}>, padding = {pairs([(low, high)])}}}> {gradient_of_pool('GE')} : "
        f"({image}, {source}, tensor<i32>) -> {image}\n  return %r : {image}\n}}\n")
    process = shardwise("run", "-", "--json", stdin=text)
    assert process.returncode == 0, process.stderr
    report = json.loads(process.stdout)
    assert report["verified"] is True
    assert "all_gather" not in {row["kind"] for row in report["collectives"]}


def random_windows(draw):
    """A program with windows of any size, stride, dilation and padding along a dimension that is cut: of the
    kinds above, with a kernel that is cut among them."""
    while True:
        kind = draw.choice(["convolution", "kernel", "pool", "gradient"])
        mesh = f'<["x"={draw.choice([2, 3, 4, 5, 8])}]>'
        base, stride, dilation = draw.randint(1, 9), draw.randint(1, 9), draw.randint(1, 4)
        size, taps = draw.randint(2, 40), draw.randint(4, 40) if kind == "kernel" else draw.randint(1, 6)
        if kind == "gradient":
            base = dilation = 1
        ends = (draw.randint(-6, 12), draw.randint(-6, 12))
        count = window_result(size, taps, stride, *ends, base, dilation)
        # The larger of windows and kernel is what may be cut.
        if count < 1 or (kind == "kernel" and count > taps):
            continue
        if kind == "pool":
            return pool(mesh, (size, 3), (taps, 1), (stride, 1), (ends, (0, 0)), "add", draw.choice(["0", "5"]),
                        base=(base, 1), dilation=(dilation, 1))
        if kind == "gradient":
            return pool_gradient(mesh, (size, 3), (taps, 1), (stride, 1), (ends, (0, 0)),
                                 choice=draw.choice(["GE", "NE", "LT", "EQ"]))
        return convolution(mesh, size, taps, stride, ends, base, dilation, reverse=draw.random() < 0.4,
                           cut_kernel=kind == "kernel")


@pytest.mark.parametrize("seed", range(int(os.environ.get("SHARDWISE_RANDOM_WINDOWS", "60"))))
def test_random_windows(shardwise, seed):
    program = random_windows(random.Random(seed))
    process = shardwise("run", "-", "--json", stdin=program)
    assert process.returncode == 0, process.stderr + program
    report = json.loads(process.stdout)
    assert report["verified"] is True, program
    assert all(output["max_abs_error"] == 0 for output in report["outputs"]), program
    assert report["forced_gathers"] == [], program


def test_operands_of_a_concatenation_are_priced_together(shardwise):
    """A device gets its block of the result from one operand, not from both: that is less than to move
    the axis to another dimension of each and back."""
    body = (f"  %r = stablehlo.concatenate %a, %b, dim = 2 : ({tensor(8, 16, 64)}, {tensor(8, 16, 64)}) -> "
            f"{tensor(8, 16, 128)}")
    cut = ['"x"', "", '"y"']
    text = module(TWO, [((8, 16, 64), cut), ((8, 16, 64), cut)], (8, 16, 128), cut, body)
    process = shardwise("run", "-", "--json", stdin=text)
    assert process.returncode == 0, process.stderr
    rows = json.loads(process.stdout)["collectives"]
    assert [row["kind"] for row in rows] == ["collective_permute"]
    assert rows[0]["bytes_received_per_device"] == 4 * 16 * 32 * 4
