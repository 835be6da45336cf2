# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, softmax, sums along a dimension, sorting."""

from __future__ import annotations

import math

import torch

from .._emit import Emitter, Value
from .complex_numbers import magnitude, parts, squared_magnitude
from .elementwise import _computed
from .registry import lower


def dims_of(value: Value, dims) -> list[int]:
    """The dimensions that are meant: all if none are given."""
    if dims is None or (isinstance(dims, (list, tuple)) and not dims):
        return list(range(value.rank))
    listed = [dims] if isinstance(dims, int) else list(dims)
    return [one % max(value.rank, 1) for one in listed]


def count_of(value: Value, dims) -> int:
    """How many elements are reduced to one."""
    return math.prod(value.shape[i] for i in dims) if value.rank else 1


@lower("sum.dim_IntList", "sum.default")
def sum_(e: Emitter, x: Value, dims=None, keepdim=False, *, dtype=None) -> Value:
    out = e.outs[0].dtype
    return e.convert(e.sum(e.convert(x, _computed(out)), dims_of(x, dims), keepdim), out)


@lower("mean.dim", "mean.default")
def mean(e: Emitter, x: Value, dims=None, keepdim=False, *, dtype=None) -> Value:
    out, dims = e.outs[0].dtype, dims_of(x, dims)
    total = e.sum(e.convert(x, _computed(out)), dims, keepdim)
    return e.convert(e.div(total, count_of(x, dims)), out)


@lower("prod.default")
def prod(e: Emitter, x: Value, *, dtype=None) -> Value:
    return e.reduce(e.convert(x, e.outs[0].dtype), dims_of(x, None), "multiply", 1)


@lower("prod.dim_int")
def prod_dim(e: Emitter, x: Value, dim, keepdim=False, *, dtype=None) -> Value:
    return e.reduce(e.convert(x, e.outs[0].dtype), dims_of(x, dim), "multiply", 1, keepdim)


@lower("amax.default")
def amax(e: Emitter, x: Value, dims=(), keepdim=False) -> Value:
    return e.max(x, dims_of(x, dims), keepdim)


@lower("amin.default")
def amin(e: Emitter, x: Value, dims=(), keepdim=False) -> Value:
    return e.min(x, dims_of(x, dims), keepdim)


@lower("max.default")
def max_all(e: Emitter, x: Value) -> Value:
    return e.max(x, dims_of(x, None))


@lower("min.default")
def min_all(e: Emitter, x: Value) -> Value:
    return e.min(x, dims_of(x, None))


def _index_of(e: Emitter, x: Value, best: Value, dim: int, keepdim: bool) -> Value:
    """The first index along `dim` where `x` is `best` (of one element there)."""
    places = e.iota(x.shape, dim)
    hit = e.compare("EQ", x, best)
    if x.dtype.is_floating_point:
        hit = e.binary("or", hit, e.compare("NE", x, x))
    return e.min(e.select(hit, places, e.constant(x.shape[dim] - 1, torch.int64, x.shape)), [dim], keepdim)


def _best_along(e: Emitter, x: Value, dim: int, keepdim: bool, largest: bool):
    if x.rank == 0:
        return x, e.constant(0, torch.int64)
    dim %= x.rank
    wide = e.convert(x, torch.uint8) if x.dtype == torch.bool else x
    best = (e.max if largest else e.min)(wide, [dim], True)
    values = e.convert(e.reshape(best, e.outs[0].shape if keepdim else [
        size for i, size in enumerate(x.shape) if i != dim]), x.dtype)
    return values, _index_of(e, wide, best, dim, keepdim)


@lower("max.dim")
def max_dim(e: Emitter, x: Value, dim, keepdim=False):
    return _best_along(e, x, dim, keepdim, True)


@lower("min.dim")
def min_dim(e: Emitter, x: Value, dim, keepdim=False):
    return _best_along(e, x, dim, keepdim, False)


def _arg(e: Emitter, x: Value, dim, keepdim: bool, largest: bool) -> Value:
    flat = dim is None
    if flat:
        x, dim = e.reshape(x, [math.prod(x.shape)]), 0
    if x.rank == 0:
        return e.constant(0, torch.int64)
    dim %= x.rank
    best = (e.max if largest else e.min)(x, [dim], True)
    return e.reshape(_index_of(e, x, best, dim, keepdim), e.outs[0].shape)


@lower("argmax.default")
def argmax(e: Emitter, x: Value, dim=None, keepdim=False) -> Value:
    return _arg(e, x, dim, keepdim, True)


@lower("argmin.default")
def argmin(e: Emitter, x: Value, dim=None, keepdim=False) -> Value:
    return _arg(e, x, dim, keepdim, False)


@lower("any.default", "any.dim", "any.dims")
def any_(e: Emitter, x: Value, dims=None, keepdim=False) -> Value:
    return e.convert(e.reduce(e.convert(x, torch.bool), dims_of(x, dims), "or", False, keepdim), e.outs[0].dtype)


@lower("all.default", "all.dim", "all.dims")
def all_(e: Emitter, x: Value, dims=None, keepdim=False) -> Value:
    return e.convert(e.reduce(e.convert(x, torch.bool), dims_of(x, dims), "and", True, keepdim), e.outs[0].dtype)


def moments(e: Emitter, x: Value, dims, correction, keepdim: bool):
    """Variance and mean over dimensions."""
    count = count_of(x, dims)
    average = e.div(e.sum(x, dims, True), count)
    off = e.sub(x, average)
    divisor = max(count - (1 if correction is None else correction), 0)
    variance = e.div(e.sum(squared_magnitude(e, off), dims, keepdim), float(divisor))
    kept = average if keepdim else e.reshape(average, [s for i, s in enumerate(x.shape) if i not in dims])
    return variance, kept


@lower("var.correction")
def var(e: Emitter, x: Value, dims=None, *, correction=None, keepdim=False) -> Value:
    wide = e.convert(x, _computed(x.dtype))
    return e.convert(moments(e, wide, dims_of(x, dims), correction, keepdim)[0], e.outs[0].dtype)


@lower("std.correction")
def std(e: Emitter, x: Value, dims=None, *, correction=None, keepdim=False) -> Value:
    wide = e.convert(x, _computed(x.dtype))
    return e.convert(e.unary("sqrt", moments(e, wide, dims_of(x, dims), correction, keepdim)[0]), e.outs[0].dtype)


@lower("var_mean.correction")
def var_mean(e: Emitter, x: Value, dims=None, *, correction=None, keepdim=False):
    wide = e.convert(x, _computed(x.dtype))
    both = moments(e, wide, dims_of(x, dims), correction, keepdim)
    return tuple(e.convert(one, out.dtype) for one, out in zip(both, e.outs))


@lower("linalg_vector_norm.default")
def vector_norm(e: Emitter, x: Value, order=2, dims=None, keepdim=False, *, dtype=None) -> Value:
    out, dims = e.outs[0].dtype, dims_of(x, dims)
    size = magnitude(e, e.convert(x, _computed(x.dtype if x.dtype.is_complex else out)))
    if order == math.inf:
        return e.convert(e.max(size, dims, keepdim), out)
    if order == -math.inf:
        return e.convert(e.min(size, dims, keepdim), out)
    if order == 0:
        return e.sum(e.convert(e.compare("NE", size, 0), out), dims, keepdim)
    if order == 2:
        return e.convert(e.unary("sqrt", e.sum(e.mul(size, size), dims, keepdim)), out)
    if order == 1:
        return e.convert(e.sum(size, dims, keepdim), out)
    total = e.sum(e.binary("power", size, float(order)), dims, keepdim)
    return e.convert(e.binary("power", total, 1 / order), out)


@lower("_softmax.default")
def softmax(e: Emitter, x: Value, dim, half_to_float=False) -> Value:
    if x.rank == 0:
        return e.constant(1, x.dtype)
    wide = e.convert(x, _computed(x.dtype))
    powers = e.unary("exponential", e.sub(wide, e.max(wide, [dim], True)))
    return e.convert(e.div(powers, e.sum(powers, [dim], True)), e.outs[0].dtype)


@lower("_safe_softmax.default")
def safe_softmax(e: Emitter, x: Value, dim, dtype=None) -> Value:
    """Zeros where everything is masked, and the softmax elsewhere: what attention takes. PyTorch would say it in six ops."""
    if x.rank == 0:
        return e.convert(e.compare("NE", x, -math.inf), e.outs[0].dtype)
    wide = e.convert(x, _computed(e.outs[0].dtype))
    top = e.max(wide, [dim], True)
    is_masked = e.compare("EQ", top, -math.inf)
    powers = e.unary("exponential", e.sub(wide, e.select(is_masked, 0, top)))
    total = e.select(is_masked, 1, e.sum(powers, [dim], True))
    return e.convert(e.div(powers, total), e.outs[0].dtype)


@lower("_log_softmax.default")
def log_softmax(e: Emitter, x: Value, dim, half_to_float=False) -> Value:
    if x.rank == 0:
        return e.constant(0, x.dtype)
    wide = e.convert(x, _computed(x.dtype))
    off = e.sub(wide, e.max(wide, [dim], True))
    total = e.unary("log", e.sum(e.unary("exponential", off), [dim], True))
    return e.convert(e.sub(off, total), e.outs[0].dtype)


@lower("_softmax_backward_data.default")
def softmax_backward(e: Emitter, gradient: Value, y: Value, dim, dtype) -> Value:
    up, wide = (e.convert(one, _computed(one.dtype)) for one in (gradient, y))
    product = e.mul(up, wide)
    if y.rank == 0:
        return e.constant(0, e.outs[0].dtype)
    return e.convert(e.sub(product, e.mul(wide, e.sum(product, [dim], True))), e.outs[0].dtype)


@lower("_log_softmax_backward_data.default")
def log_softmax_backward(e: Emitter, gradient: Value, y: Value, dim, dtype) -> Value:
    up, wide = (e.convert(one, _computed(one.dtype)) for one in (gradient, y))
    if y.rank == 0:
        return e.constant(0, e.outs[0].dtype)
    shares = e.mul(e.unary("exponential", wide), e.sum(up, [dim], True))
    return e.convert(e.sub(up, shares), e.outs[0].dtype)


@lower("logsumexp.default")
def logsumexp(e: Emitter, x: Value, dims, keepdim=False) -> Value:
    dims, x = dims_of(x, dims), e.convert(x, e.outs[0].dtype)
    # What is taken out only keeps powers in range: of complex numbers it is a real number.
    top = e.max(parts(e, x)[0] if x.dtype.is_complex else x, dims, True)
    top = e.select(e.compare("EQ", e.unary("abs", top), math.inf), 0.0, top) if x.rank else top
    top = e.convert(top, x.dtype)
    total = e.add(e.unary("log", e.sum(e.unary("exponential", e.sub(x, top)), dims, True)), top)
    return e.reshape(total, e.outs[0].shape)


def _running(e: Emitter, x: Value, dim: int, kind: str, start) -> Value:
    """Each element with those before it along `dim`, combined."""
    shape, dim = x.shape, dim % max(x.rank, 1)
    if x.rank == 0 or x.shape[dim] <= 1:
        return x
    size = shape[dim]
    ones = ", ".join(["1"] * x.rank)
    window = ", ".join(str(size if i == dim else 1) for i in range(x.rank))
    padding = ", ".join(f"[{size - 1 if i == dim else 0}, 0]" for i in range(x.rank))
    init = e.constant(start, x.dtype)
    return e.general(
        f'"stablehlo.reduce_window"({x.name}, {init.name}) <{{window_dimensions = array<i64: {window}>, '
        f"window_strides = array<i64: {ones}>, padding = dense<[{padding}]> : tensor<{x.rank}x2xi64>}}> "
        f"{e.region(kind, x.dtype)} : ({x.type}, {init.type}) -> {{out}}", shape, x.dtype)


@lower("cumsum.default")
def cumsum(e: Emitter, x: Value, dim, *, dtype=None) -> Value:
    return _running(e, e.convert(x, e.outs[0].dtype), dim, "add", 0)


@lower("cumprod.default")
def cumprod(e: Emitter, x: Value, dim, *, dtype=None) -> Value:
    return _running(e, e.convert(x, e.outs[0].dtype), dim, "multiply", 1)


@lower("sort.default", "sort.stable")
def sort(e: Emitter, x: Value, *arguments, dim=-1, descending=False, stable=False):
    # sort.default has (dim, descending); sort.stable has them as keywords behind `stable`.
    if arguments:
        dim, descending = (list(arguments) + [descending])[:2]
    if x.rank == 0:
        return x, e.constant(0, torch.int64)
    dim %= x.rank
    places = e.iota(x.shape, dim)
    e._count += 1
    names = [f"%s{e._count}{letter}" for letter in "abcd"]
    scalar = f"tensor<{x.type[:-1].removeprefix('tensor<').split('x')[-1]}>"
    values, order = e.new(x.shape, x.dtype), e.new(x.shape, torch.int64)
    direction = "GT" if descending else "LT"
    total = ", TOTALORDER" if x.dtype.is_floating_point else ""
    e.line(f'{values.name}, {order.name} = "stablehlo.sort"({x.name}, {places.name}) <{{dimension = {dim} : i64, '
           f"is_stable = true}}> ({{\n^bb0({names[0]}: {scalar}, {names[1]}: {scalar}, {names[2]}: tensor<i64>, "
           f"{names[3]}: tensor<i64>):\n %c{e._count} = stablehlo.compare {direction}, {names[0]}, {names[1]}"
           f"{total} : ({scalar}, {scalar}) -> tensor<i1>\n stablehlo.return %c{e._count} : tensor<i1>\n}}) : "
           f"({x.type}, {places.type}) -> ({values.type}, {order.type})")
    return values, order


@lower("topk.default")
def topk(e: Emitter, x: Value, k, dim=-1, largest=True, sorted=True):
    if x.rank == 0:
        return x, e.constant(0, torch.int64)
    dim %= x.rank
    values, order = sort(e, x, dim, largest)
    return e.slice_dim(values, dim, 0, k), e.slice_dim(order, dim, 0, k)


_MEAN, _SUM = 1, 2


@lower("mse_loss.default")
def mse_loss(e: Emitter, x: Value, target: Value, reduction=_MEAN) -> Value:
    off = e.sub(*(e.convert(one, _computed(e.outs[0].dtype)) for one in (x, target)))
    squares = e.mul(off, off)
    if reduction in (_MEAN, _SUM):
        count = math.prod(squares.shape)
        squares = e.sum(squares, range(squares.rank))
        squares = e.div(squares, count) if reduction == _MEAN else squares
    return e.convert(squares, e.outs[0].dtype)


@lower("mse_loss_backward.default")
def mse_loss_backward(e: Emitter, up: Value, x: Value, target: Value, reduction) -> Value:
    up, x, target = (e.convert(one, _computed(e.outs[0].dtype)) for one in (up, x, target))
    off = e.sub(x, target)
    scale = 2.0 / max(math.prod(off.shape), 1) if reduction == _MEAN else 2.0
    return e.convert(e.mul(e.mul(off, scale), up), e.outs[0].dtype)
