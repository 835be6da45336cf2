# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling over windows, and its gradients."""

from __future__ import annotations

import copy
import math

import torch

from .._emit import Emitter, Value, lowest
from .registry import lower


def _pairs(values, rank: int, otherwise=None) -> list[int]:
    values = list(values) if values else list(otherwise)
    return values * rank if len(values) == 1 else values


class _Window:
    """A window as StableHLO has it, over the last dimensions of a tensor."""

    def __init__(self, x: Value, kernel, stride, padding, dilation, out_shape):
        count = len(out_shape) - (len(out_shape) - _spatial(x))
        self.kernel = _pairs(kernel, count)
        self.stride = _pairs(stride, count, self.kernel)
        self.low = _pairs(padding, count, [0])
        self.dilation = _pairs(dilation, count, [1])
        outer = x.rank - count
        self.high = [
            max((out_shape[outer + i] - 1) * self.stride[i] + self.dilation[i] * (self.kernel[i] - 1) + 1
                - x.shape[outer + i] - self.low[i], 0) for i in range(count)]
        self.outer = outer

    def attributes(self, dilated: bool = True) -> str:
        ones = [1] * self.outer

        def array(values) -> str:
            return f"array<i64: {', '.join(map(str, ones + list(values)))}>"

        rank = self.outer + len(self.kernel)
        pads = [[0, 0]] * self.outer + [[a, b] for a, b in zip(self.low, self.high)]
        dilations = f", window_dilations = {array(self.dilation)}" if dilated else ""
        return (f"<{{padding = dense<{pads}> : tensor<{rank}x2xi64>{dilations}, "
                f"window_dimensions = {array(self.kernel)}, window_strides = {array(self.stride)}}}>")


def _spatial(x: Value) -> int:
    """How many dimensions are pooled: two, or one of what has three dimensions and is called so."""
    return 2


def _reduce_window(e: Emitter, x: Value, window: _Window, kind: str, start, shape) -> Value:
    init = e.constant(start, x.dtype)
    return e.general(f'"stablehlo.reduce_window"({x.name}, {init.name}) {window.attributes()} '
                     f"{e.region(kind, x.dtype)} : ({x.type}, {init.type}) -> {{out}}", shape, x.dtype)


@lower("max_pool2d_with_indices.default")
def max_pool(e: Emitter, x: Value, kernel, stride=(), padding=(0,), dilation=(1,), ceil_mode=False):
    window = _Window(x, kernel, stride, padding, dilation, e.outs[0].shape)
    # Indices are an op of their own, for who reads them: the gradient finds the places again.
    return _reduce_window(e, x, window, "maximum", lowest(x.dtype), e.outs[0].shape), None


@lower("shardwise.max_pool_indices")
def max_pool_indices(e: Emitter, x: Value, kernel, stride=(), padding=(0,), dilation=(1,), ceil_mode=False) -> Value:
    """The place of each maximum in its plane: all windows at once, one of their places after the other."""
    shape = e.outs[0].shape
    window = _Window(x, kernel, stride, padding, dilation, shape)
    outer, (height, width) = window.outer, x.shape[-2:]
    places = e.add(e.mul(e.iota([height, width], 0), width), e.iota([height, width], 1))
    padded = e.pad(x, [0] * outer + window.low, [0] * outer + window.high, lowest(x.dtype))
    numbered = e.pad(places, window.low, window.high, 0)
    best = found = None
    for row in range(window.kernel[0]):
        for column in range(window.kernel[1]):
            starts = [row * window.dilation[0], column * window.dilation[1]]
            limits = [start + (count - 1) * step + 1 for start, count, step in zip(starts, shape[-2:], window.stride)]
            value = e.slice(padded, [0] * outer + starts, list(x.shape[:outer]) + limits, [1] * outer + window.stride)
            place = e.broadcast(e.slice(numbered, starts, limits, window.stride), shape)
            if best is None:
                best, found = value, place
                continue
            better = e.compare("GT", value, best)
            if x.dtype.is_floating_point:
                better = e.binary("or", better, e.compare("NE", value, value))
            best, found = e.select(better, value, best), e.select(better, place, found)
    return found


@lower("max_pool2d_with_indices_backward.default")
def max_pool_backward(e: Emitter, up: Value, x: Value, kernel, stride, padding, dilation, ceil_mode, *_) -> Value:
    window = _Window(x, kernel, stride, padding, dilation, up.shape)
    init = e.constant(0, x.dtype)
    scalar = init.type
    e._count += 1
    a, b, c = (f"%p{e._count}{letter}" for letter in "abc")
    choose = (f"{{\n^bb0({a}: {scalar}, {b}: {scalar}):\n {c} = stablehlo.compare GE, {a}, {b} : "
              f"({scalar}, {scalar}) -> tensor<i1>\n stablehlo.return {c} : tensor<i1>\n}}")
    add = e.region("add", x.dtype).removeprefix("(").removesuffix(")")
    return e.general(
        f'"stablehlo.select_and_scatter"({x.name}, {up.name}, {init.name}) {window.attributes(dilated=False)} '
        f"({choose}, {add}) : ({x.type}, {up.type}, {scalar}) -> {{out}}", x.shape, x.dtype)


def _window_counts(e: Emitter, x: Value, window: _Window, shape, include_pad: bool, divisor):
    """How many elements each window has: a number where all have as many. With `include_pad` those of the padding that was asked for
    count, on both sides, but not what `ceil_mode` reaches beyond: of 6 elements, padded by 1, a window of 3 at stride 2 sees 3 thrice."""
    full = math.prod(window.kernel)
    if divisor:
        return divisor
    inner, counted = window.outer, copy.copy(window)
    sizes = list(x.shape)
    if include_pad:
        sizes[inner:] = [size + 2 * low for size, low in zip(sizes[inner:], window.low)]
        counted.high = [max(high - low, 0) for low, high in zip(window.low, window.high)]
        counted.low = [0] * len(window.low)
    if not any(counted.low) and not any(counted.high):
        return full
    return _reduce_window(e, e.constant(1, x.dtype, sizes), counted, "add", 0, shape)


@lower("avg_pool2d.default")
def avg_pool(e: Emitter, x: Value, kernel, stride=(), padding=(0,), ceil_mode=False, count_include_pad=True,
             divisor_override=None) -> Value:
    shape = e.outs[0].shape
    window = _Window(x, kernel, stride, padding, (1,), shape)
    total = _reduce_window(e, x, window, "add", 0, shape)
    return e.div(total, _window_counts(e, x, window, shape, count_include_pad, divisor_override))


@lower("avg_pool2d_backward.default")
def avg_pool_backward(e: Emitter, up: Value, x: Value, kernel, stride, padding, ceil_mode, count_include_pad,
                      divisor_override) -> Value:
    window = _Window(x, kernel, stride, padding, (1,), up.shape)
    share = e.div(up, _window_counts(e, x, window, up.shape, count_include_pad, divisor_override))
    outer = window.outer
    low, high, gaps = [0] * outer, [0] * outer, [0] * outer
    for i, (k, s) in enumerate(zip(window.kernel, window.stride)):
        low.append(k - 1 - window.low[i])
        spread = (up.shape[outer + i] - 1) * s + 1
        high.append(x.shape[outer + i] + k - 1 - spread - low[-1])
        gaps.append(s - 1)
    spread = e.pad(share, low, high, 0, gaps)
    back = _Window(spread, window.kernel, (1,), (0,), (1,), x.shape)
    return _reduce_window(e, spread, back, "add", 0, x.shape)


def _cells(size: int, count: int) -> list[tuple[int, int]]:
    """Where the cells of an adaptive pooling start and end."""
    return [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def _averaging(e: Emitter, size: int, count: int, dtype: torch.dtype) -> Value:
    """The matrix that averages cells: size x count."""
    rows = e.iota([size, count], 0)
    starts, ends = zip(*_cells(size, count))
    start, end = (e.spread(e.numbers(one), [size, count], [1]) for one in (starts, ends))
    inside = e.binary("and", e.compare("GE", rows, start), e.compare("LT", rows, end))
    width = e.convert(e.sub(end, start), dtype)
    return e.div(e.convert(inside, dtype), width)


@lower("_adaptive_avg_pool2d.default")
def adaptive_avg_pool(e: Emitter, x: Value, size) -> Value:
    if list(size) == [1, 1]:
        return e.div(e.sum(x, [x.rank - 2, x.rank - 1], True), x.shape[-1] * x.shape[-2])
    across = e.dot(x, _averaging(e, x.shape[-1], size[1], x.dtype), ([x.rank - 1], [0]))
    down = e.dot(across, _averaging(e, x.shape[-2], size[0], x.dtype), ([x.rank - 2], [0]))
    return e.transpose(down, [*range(x.rank - 2), x.rank - 1, x.rank - 2])


@lower("_adaptive_avg_pool2d_backward.default")
def adaptive_avg_pool_backward(e: Emitter, up: Value, x: Value) -> Value:
    if up.shape[-2:] == (1, 1):
        return e.broadcast(e.div(up, x.shape[-1] * x.shape[-2]), x.shape)
    across = e.dot(up, _averaging(e, x.shape[-1], up.shape[-1], x.dtype), ([x.rank - 1], [1]))
    down = e.dot(across, _averaging(e, x.shape[-2], up.shape[-2], x.dtype), ([x.rank - 2], [1]))
    return e.transpose(down, [*range(x.rank - 2), x.rank - 1, x.rank - 2])
