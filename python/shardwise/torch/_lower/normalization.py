# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalization: over layers, groups and batches, and their gradients."""

from __future__ import annotations

import math

import torch

from .._emit import Emitter, Value
from .elementwise import _computed
from .registry import lower


def _normalized(e: Emitter, x: Value, dims, eps: float):
    """x with mean 0 and variance 1 over `dims`, the mean and one over the deviation, with dimensions of 1."""
    count = math.prod(x.shape[i] for i in dims)
    mean = e.div(e.sum(x, dims, True), count)
    off = e.sub(x, mean)
    variance = e.div(e.sum(e.mul(off, off), dims, True), count)
    scale = e.unary("rsqrt", e.add(variance, eps))
    return e.mul(off, scale), mean, scale


def _slope(e: Emitter, up: Value, normal: Value, scale: Value, dims) -> Value:
    """The gradient of the input of a normalization, from that of its result."""
    count = math.prod(up.shape[i] for i in dims)
    mean = e.div(e.sum(up, dims, True), count)
    along = e.div(e.sum(e.mul(up, normal), dims, True), count)
    return e.mul(scale, e.sub(e.sub(up, mean), e.mul(normal, along)))


@lower("native_layer_norm.default")
def layer_norm(e: Emitter, x: Value, shape, weight, bias, eps):
    wide = e.convert(x, _computed(x.dtype))
    dims = list(range(x.rank - len(shape), x.rank))
    out, mean, scale = _normalized(e, wide, dims, eps)
    if weight is not None:
        out = e.mul(out, e.convert(weight, wide.dtype))
    if bias is not None:
        out = e.add(out, e.convert(bias, wide.dtype))
    return e.convert(out, x.dtype), *(e.convert(one, meta.dtype) for one, meta in zip((mean, scale), e.outs[1:]))


@lower("native_layer_norm_backward.default")
def layer_norm_backward(e: Emitter, up: Value, x: Value, shape, mean: Value, scale: Value, weight, bias, wanted):
    wide = e.convert(x, _computed(x.dtype))
    up = e.convert(up, wide.dtype)
    first = x.rank - len(shape)
    mean, scale = e.convert(mean, wide.dtype), e.convert(scale, wide.dtype)
    normal = e.mul(e.sub(wide, mean), scale)
    scaled = up if weight is None else e.mul(up, e.convert(weight, wide.dtype))
    outer = list(range(first))
    slope = e.convert(_slope(e, scaled, normal, scale, range(first, x.rank)), x.dtype) if wanted[0] else None
    return (slope,
            e.convert(e.sum(e.mul(up, normal), outer), weight.dtype) if wanted[1] and weight is not None else None,
            e.convert(e.sum(up, outer), bias.dtype) if wanted[2] and bias is not None else None)


@lower("_fused_rms_norm.default")
def rms_norm(e: Emitter, x: Value, shape, weight, eps):
    wide = e.convert(x, _computed(x.dtype))
    dims = list(range(x.rank - len(shape), x.rank))
    count = math.prod(shape)
    eps = torch.finfo(wide.dtype).eps if eps is None else eps
    scale = e.unary("rsqrt", e.add(e.div(e.sum(e.mul(wide, wide), dims, True), count), eps))
    out = e.mul(wide, scale)
    if weight is not None:
        out = e.mul(out, e.convert(weight, wide.dtype))
    return e.convert(out, x.dtype), e.convert(scale, e.outs[1].dtype)


@lower("native_group_norm.default")
def group_norm(e: Emitter, x: Value, weight, bias, n, c, spatial, groups, eps):
    wide = e.reshape(e.convert(x, _computed(x.dtype)), [n, groups, c // groups * spatial])
    out, mean, scale = _normalized(e, wide, [2], eps)
    out = e.reshape(out, x.shape)
    if weight is not None:
        out = e.mul(out, e.spread(e.convert(weight, out.dtype), x.shape, [1]))
    if bias is not None:
        out = e.add(out, e.spread(e.convert(bias, out.dtype), x.shape, [1]))
    return (e.convert(out, x.dtype),
            *(e.reshape(e.convert(one, meta.dtype), meta.shape) for one, meta in zip((mean, scale), e.outs[1:])))


@lower("native_group_norm_backward.default")
def group_norm_backward(e: Emitter, up: Value, x: Value, mean: Value, scale: Value, weight, n, c, spatial, groups,
                        wanted):
    wide = e.reshape(e.convert(x, _computed(x.dtype)), [n, groups, c // groups * spatial])
    mean, scale = (e.reshape(e.convert(one, wide.dtype), [n, groups, 1]) for one in (mean, scale))
    normal = e.mul(e.sub(wide, mean), scale)
    up = e.convert(up, wide.dtype)
    scaled = up if weight is None else e.mul(up, e.spread(e.convert(weight, wide.dtype), x.shape, [1]))
    slope = _slope(e, e.reshape(scaled, wide.shape), normal, scale, [2])
    dims = [0, *range(2, x.rank)]
    return (e.convert(e.reshape(slope, x.shape), x.dtype) if wanted[0] else None,
            e.convert(e.sum(e.mul(up, e.reshape(normal, x.shape)), dims), x.dtype) if wanted[1] else None,
            e.convert(e.sum(up, dims), x.dtype) if wanted[2] else None)


@lower("shardwise.batch_norm")
def batch_norm(e: Emitter, x: Value, weight, bias, mean, variance, training, momentum, eps):
    """Result, mean and one over the deviation that were used, and the new running statistics."""
    wide = e.convert(x, _computed(x.dtype))
    dims = [0, *range(2, x.rank)]
    if training:
        out, average, scale = _normalized(e, wide, dims, eps)
        average, scale = (e.reshape(one, [x.shape[1]]) for one in (average, scale))
    else:
        average = e.convert(mean, wide.dtype)
        scale = e.unary("rsqrt", e.add(e.convert(variance, wide.dtype), eps))
        out = e.mul(e.sub(wide, e.spread(average, x.shape, [1])), e.spread(scale, x.shape, [1]))
    if weight is not None:
        out = e.mul(out, e.spread(e.convert(weight, wide.dtype), x.shape, [1]))
    if bias is not None:
        out = e.add(out, e.spread(e.convert(bias, wide.dtype), x.shape, [1]))
    outs = [e.convert(out, x.dtype), average, scale]
    if training and mean is not None:
        count = math.prod(x.shape[i] for i in dims)
        spread = e.sub(e.div(1, e.mul(scale, scale)), eps)
        spread = e.mul(spread, count / max(count - 1, 1))
        for old, new in ((mean, average), (variance, spread)):
            kept = e.mul(e.convert(old, wide.dtype), 1 - momentum)
            outs.append(e.convert(e.add(kept, e.mul(new, momentum)), old.dtype))
    return tuple(outs)


@lower("native_batch_norm_backward.default")
def batch_norm_backward(e: Emitter, up: Value, x: Value, weight, mean, variance, saved_mean, saved_scale, training,
                        eps, wanted):
    wide = e.convert(x, _computed(x.dtype))
    up = e.convert(up, wide.dtype)
    dims = [0, *range(2, x.rank)]
    average = saved_mean if training else e.convert(mean, wide.dtype)
    scale = saved_scale if training else e.unary("rsqrt", e.add(e.convert(variance, wide.dtype), eps))
    average, scale = e.spread(average, x.shape, [1]), e.spread(scale, x.shape, [1])
    normal = e.mul(e.sub(wide, average), scale)
    scaled = up if weight is None else e.mul(up, e.spread(e.convert(weight, wide.dtype), x.shape, [1]))
    slope = None
    if wanted[0]:
        slope = _slope(e, scaled, normal, scale, dims) if training else e.mul(scaled, scale)
        slope = e.convert(slope, x.dtype)
    return (slope, e.sum(e.mul(up, normal), dims) if wanted[1] else None,
            e.sum(up, dims) if wanted[2] else None)
