# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers: a hash of seed, number of the draw and index of the element. Each element is computed where it
lies, so that values do not depend on how the tensor is sharded."""

from __future__ import annotations

import math

import torch

from .._emit import Emitter, Value
from .registry import lower

_STEP = 0x9E3779B97F4A7C15


def _bits(e: Emitter, shape, seed: Value, salt: int) -> Value:
    """64 bits for each element: the finalizer of SplitMix64 over its index, twice."""
    wide = torch.uint64
    index = e.constant(salt + 1, wide, shape)
    step = 1
    for dim in reversed(range(len(shape))):
        if shape[dim] > 1:
            index = e.add(index, e.mul(e.iota(shape, dim, wide), 2 * step))
        step *= shape[dim]
    state = e.add(e.mul(index, _STEP), e.broadcast(_mixed(e, e.convert(seed, wide)), shape))
    return _mixed(e, state)


def _mixed(e: Emitter, x: Value) -> Value:
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, None)):
        x = e.binary("xor", x, e.binary("shift_right_logical", x, shift))
        if factor is not None:
            x = e.mul(x, factor)
    return x


def uniform_values(e: Emitter, shape, dtype: torch.dtype, seed: Value, salt: int = 0) -> Value:
    """Numbers from 0, below 1."""
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    digits = 53 if wide == torch.float64 else 24
    top = e.binary("shift_right_logical", _bits(e, shape, seed, salt), 64 - digits)
    return e.mul(e.convert(e.convert(top, torch.int64), wide), 2.0 ** -digits)


@lower("shardwise.uniform")
def uniform(e: Emitter, seed: Value, low, high) -> Value:
    meta = e.outs[0]
    values = uniform_values(e, meta.shape, meta.dtype, seed)
    return e.convert(e.add(e.mul(values, high - low), low), meta.dtype)


@lower("shardwise.normal")
def normal(e: Emitter, seed: Value, mean, deviation) -> Value:
    meta = e.outs[0]
    a, b = (uniform_values(e, meta.shape, meta.dtype, seed, salt) for salt in (0, 1))
    radius = e.unary("sqrt", e.mul(e.unary("log", e.sub(1, a)), -2.0))
    values = e.mul(radius, e.unary("cosine", e.mul(b, 2 * math.pi)))
    return e.convert(e.add(e.mul(values, deviation), mean), meta.dtype)


@lower("shardwise.integers")
def integers(e: Emitter, seed: Value, low, high) -> Value:
    meta = e.outs[0]
    drawn = e.binary("remainder", _bits(e, meta.shape, seed, 0), high - low)
    return e.convert(e.add(e.convert(drawn, torch.int64), low), meta.dtype)


@lower("shardwise.bernoulli")
def bernoulli(e: Emitter, seed: Value, share) -> Value:
    meta = e.outs[0]
    wide = torch.float64 if isinstance(share, Value) and share.dtype == torch.float64 else torch.float32
    values = uniform_values(e, meta.shape, wide, seed)
    share = e.broadcast(e.number(share, wide), meta.shape)
    return e.convert(e.compare("LT", values, share), meta.dtype)


@lower("shardwise.dropout")
def dropout(e: Emitter, x: Value, seed: Value, share):
    kept = e.compare("GE", uniform_values(e, x.shape, torch.float32, seed), share)
    scale = 0.0 if share == 1 else 1 / (1 - share)
    return e.select(kept, e.mul(x, scale), e.constant(0, x.dtype, x.shape)), kept


@lower("native_dropout_backward.default")
def dropout_backward(e: Emitter, up: Value, kept: Value, scale) -> Value:
    return e.select(kept, e.mul(up, scale), e.constant(0, up.dtype, up.shape))
