# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms. An op of StableHLO transforms up to three last dimensions, those of PyTorch any: they are brought to the end, three at a
time. A transform of reals is one along the last of its dimensions, `n / 2 + 1` numbers, and one of complex numbers along the others."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from .._emit import Emitter, Value
from .complex_numbers import joined
from .elementwise import scaled
from .registry import lower

#: So many dimensions an op transforms.
_MOST = 3
_UNSCALED, _BY_ROOT, _BY_SIZE = 0, 1, 2


def _transform(e: Emitter, kind: str, x: Value, dims: Sequence[int], lengths: Sequence[int]) -> Value:
    """The op along `dims`, at most three of them, the last of which is the one whose size changes."""
    order = [i for i in range(x.rank) if i not in dims] + list(dims)
    x = e.transpose(x, order)
    shape, dtype = list(x.shape), x.dtype
    if kind == "RFFT":
        shape[-1], dtype = lengths[-1] // 2 + 1, dtype.to_complex()
    if kind == "IRFFT":
        shape[-1], dtype = lengths[-1], dtype.to_real()
    out = e.general(f"stablehlo.fft {x.name}, type = {kind}, length = {list(lengths)} : ({x.type}) -> {{out}}", shape, dtype)
    return e.transpose(out, [order.index(i) for i in range(x.rank)])


def _of_complex(e: Emitter, x: Value, dims: Sequence[int], forward: bool) -> Value:
    """Along any dimensions; backwards divided by their sizes, as the op is."""
    for at in range(0, len(dims), _MOST):
        part = dims[at:at + _MOST]
        x = _transform(e, "FFT" if forward else "IFFT", x, part, [x.shape[i] for i in part])
    return x


def _scale(normalization: int, sizes: Sequence[int]) -> float:
    count = math.prod(sizes)
    return {_UNSCALED: 1.0, _BY_ROOT: 1 / math.sqrt(count), _BY_SIZE: 1 / count}[normalization]


@lower("_fft_c2c.default")
def of_complex(e: Emitter, x: Value, dims, normalization, forward) -> Value:
    if 0 in x.shape:
        return x
    dims = [one % x.rank for one in dims]
    sizes = [x.shape[i] for i in dims]
    factor = _scale(normalization, sizes) * (1 if forward else math.prod(sizes))
    return scaled(e, _of_complex(e, x, dims, forward), factor)


@lower("_fft_r2c.default")
def of_reals(e: Emitter, x: Value, dims, normalization, onesided) -> Value:
    if 0 in e.outs[0].shape:
        return e.constant(0, e.outs[0].dtype, e.outs[0].shape)
    dims = [one % x.rank for one in dims]
    factor = _scale(normalization, [x.shape[i] for i in dims])
    if not onesided:
        whole = joined(e, x, e.constant(0, x.dtype, x.shape))
        return scaled(e, _of_complex(e, whole, dims, True), factor)
    half = _transform(e, "RFFT", x, dims[-1:], [x.shape[dims[-1]]])
    return scaled(e, _of_complex(e, half, dims[:-1], True), factor)


@lower("_fft_c2r.default")
def to_reals(e: Emitter, x: Value, dims, normalization, last_size) -> Value:
    if 0 in e.outs[0].shape:
        return e.constant(0, e.outs[0].dtype, e.outs[0].shape)
    dims = [one % x.rank for one in dims]
    sizes = [e.outs[0].shape[i] for i in dims]
    x = _of_complex(e, x, dims[:-1], False)
    # An input that is longer than half of the result has what is not read.
    x = e.slice_dim(x, dims[-1], 0, last_size // 2 + 1)
    return scaled(e, _transform(e, "IRFFT", x, dims[-1:], [last_size]), _scale(normalization, sizes) * math.prod(sizes))


__all__ = ["of_complex", "of_reals", "to_reals"]
