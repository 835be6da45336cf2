# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and their gradients, which are convolutions too."""

from __future__ import annotations

from .._emit import Emitter, Value
from .registry import lower


def _convolve(e: Emitter, x: Value, kernel: Value, shape, *, layouts, stride, low, high, x_dilation,
              kernel_dilation, groups: int, batch_groups: int = 1) -> Value:
    """Writes the op; `layouts` says for input, kernel and result which dimensions are which."""
    rank = len(stride)

    def listed(values) -> str:
        return ", ".join(map(str, values))

    padding = ", ".join(f"[{a}, {b}]" for a, b in zip(low, high))
    numbers = "x".join(f"[{listed(one)}]" for one in layouts[:2]) + f"->[{listed(layouts[2])}]"
    return e.general(
        f'"stablehlo.convolution"({x.name}, {kernel.name}) <{{batch_group_count = {batch_groups} : i64, '
        f"dimension_numbers = #stablehlo.conv<{numbers}>, feature_group_count = {groups} : i64, "
        f"lhs_dilation = array<i64: {listed(x_dilation)}>, padding = dense<[{padding}]> : tensor<{rank}x2xi64>, "
        f"precision_config = [], rhs_dilation = array<i64: {listed(kernel_dilation)}>, "
        f"window_reversal = array<i1: {listed(['false'] * rank)}>, "
        f"window_strides = array<i64: {listed(stride)}>}}> : ({x.type}, {kernel.type}) -> {{out}}", shape, x.dtype)


def _plain(rank: int):
    spatial = list(range(rank))
    return (["b", "f", *spatial], ["o", "i", *spatial], ["b", "f", *spatial])


def _grouped(e: Emitter, weight: Value, groups: int) -> Value:
    """The kernel that reads what another wrote: (in, out / groups, ...) to (out, in / groups, ...), mirrored."""
    spatial = list(weight.shape[2:])
    split = e.reshape(weight, [groups, weight.shape[0] // groups, weight.shape[1], *spatial])
    swapped = e.transpose(split, [0, 2, 1, *range(3, split.rank)])
    joined = e.reshape(swapped, [groups * weight.shape[1], weight.shape[0] // groups, *spatial])
    dims = list(range(2, weight.rank))
    return e.general(f"stablehlo.reverse {joined.name}, dims = {dims} : {{out}}", joined.shape, joined.dtype)


def _input_from_output(e: Emitter, y: Value, weight: Value, shape, stride, padding, dilation, groups) -> Value:
    """What a convolution with `weight` sends back: the gradient of its input, or a transposed convolution."""
    rank = len(stride)
    low, high = [], []
    for i in range(rank):
        reach = dilation[i] * (weight.shape[2 + i] - 1)
        low.append(reach - padding[i])
        spread = (y.shape[2 + i] - 1) * stride[i] + 1
        high.append(shape[2 + i] + reach - spread - low[i])
    return _convolve(e, y, _grouped(e, weight, groups), shape, layouts=_plain(rank), stride=[1] * rank, low=low,
                     high=high, x_dilation=stride, kernel_dilation=dilation, groups=groups)


def _weight_gradient(e: Emitter, x: Value, up: Value, shape, stride, padding, dilation, groups) -> Value:
    """The gradient of the kernel: the input convolved with the gradient of the result, batches summed."""
    rank = len(stride)
    spatial = list(range(rank))
    high = [(shape[2 + i] - 1) * dilation[i] + (up.shape[2 + i] - 1) * stride[i] + 1 - x.shape[2 + i] - padding[i]
            for i in spatial]
    # Features of the input are its batch, and batches its features.
    layouts = (["f", "b", *spatial], ["i", "o", *spatial], ["f", "b", *spatial])
    if groups == 1:
        layouts = (["f", "b", *spatial], ["i", "o", *spatial], ["f", "b", *spatial])
    out_shape = [shape[1], shape[0], *shape[2:]]
    if groups > 1:
        out = _convolve(e, x, up, [shape[0], shape[1], *shape[2:]],
                        layouts=(layouts[0], layouts[1], ["f", "b", *spatial]), stride=dilation, low=padding,
                        high=high, x_dilation=[1] * rank, kernel_dilation=stride, groups=1, batch_groups=groups)
        return out
    del out_shape
    return _convolve(e, x, up, shape, layouts=layouts, stride=dilation, low=padding, high=high,
                     x_dilation=[1] * rank, kernel_dilation=stride, groups=1)


@lower("convolution.default", "_convolution.default")
def convolution(e: Emitter, x: Value, weight: Value, bias, stride, padding, dilation, transposed, output_padding,
                groups, *_) -> Value:
    shape = e.outs[0].shape
    rank = x.rank - 2
    stride, padding, dilation = (list(one) * (rank if len(one) == 1 else 1) for one in (stride, padding, dilation))
    if transposed:
        out = _input_from_output(e, x, weight, shape, stride, padding, dilation, groups)
    else:
        out = _convolve(e, x, weight, shape, layouts=_plain(rank), stride=stride, low=padding, high=padding,
                        x_dilation=[1] * rank, kernel_dilation=dilation, groups=groups)
    return out if bias is None else e.add(out, e.spread(bias, shape, [1]))


@lower("convolution_backward.default")
def convolution_backward(e: Emitter, up: Value, x: Value, weight: Value, bias_sizes, stride, padding, dilation,
                         transposed, output_padding, groups, wanted):
    rank = x.rank - 2
    stride, padding, dilation = (list(one) * (rank if len(one) == 1 else 1) for one in (stride, padding, dilation))
    slope_x = slope_weight = None
    if transposed:
        if wanted[0]:
            slope_x = _convolve(e, up, weight, x.shape, layouts=_plain(rank), stride=stride, low=padding,
                                high=[(x.shape[2 + i] - 1) * stride[i] + dilation[i] * (weight.shape[2 + i] - 1) + 1
                                      - up.shape[2 + i] - padding[i] for i in range(rank)],
                                x_dilation=[1] * rank, kernel_dilation=dilation, groups=groups)
        if wanted[1]:
            slope_weight = _weight_gradient(e, up, x, weight.shape, stride, padding, dilation, groups)
    else:
        if wanted[0]:
            slope_x = _input_from_output(e, up, weight, x.shape, stride, padding, dilation, groups)
        if wanted[1]:
            slope_weight = _weight_gradient(e, x, up, weight.shape, stride, padding, dilation, groups)
    slope_bias = e.sum(up, [0, *range(2, up.rank)]) if wanted[2] else None
    return slope_x, slope_weight, slope_bias
