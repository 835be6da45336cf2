# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of `interpolate`. Each value of the result is a weighted sum of values along each dimension, with weights that depend on sizes
alone, so the gradient is a product with the matrix of weights for each dimension.

Example, linear from 2 to 4 values, a row for each result: [[1, 0], [0.75, 0.25], [0.25, 0.75], [0, 1]]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import torch

from .._emit import Emitter, Value
from .registry import lower


def _step(size: int, count: int, scale: float | None) -> numpy.float32:
    """How far results lie apart, in single precision as PyTorch's kernels compute it."""
    return numpy.float32(1.0 / scale) if scale else numpy.float32(size) / numpy.float32(count)


def _nearest(e: Emitter, size: int, count: int, scale: float | None, offset: float, dtype: torch.dtype) -> Value:
    """The matrix count x size whose rows have a 1 where the result is taken from."""
    step = _step(size, count, scale)
    places = [min(int(numpy.floor((numpy.float32(i) + numpy.float32(offset)) * step)), size - 1) for i in range(count)]
    taken = e.compare("EQ", e.spread(e.numbers(places), [count, size], [0]), e.iota([count, size], 1))
    return e.convert(taken, dtype)


def _linear(e: Emitter, size: int, count: int, scale: float | None, align: bool, dtype: torch.dtype) -> Value:
    """The matrix count x size of the weights of both neighbours: 1 less the distance, where that is less than 1."""
    if align:
        step = numpy.float32(size - 1) / numpy.float32(count - 1) if count > 1 else numpy.float32(0)
        places = [i * step for i in range(count)]
    else:
        step, half = _step(size, count, scale), numpy.float32(0.5)
        places = [max((i + half) * step - half, numpy.float32(0)) for i in range(count)]
    at = e.numbers([float(min(place, size - 1)) for place in places], dtype)
    distance = e.unary("abs", e.sub(e.spread(at, [count, size], [0]), e.iota([count, size], 1, dtype)))
    return e.binary("maximum", e.sub(e.constant(1, dtype, [count, size]), distance), 0)


def _gradient(e: Emitter, up: Value, matrices: Sequence[Value]) -> Value:
    """Each dimension is summed away in its turn, and its successor comes last: in the end they are in order again."""
    out = e.convert(up, matrices[0].dtype)
    for matrix in matrices:
        out = e.dot(out, matrix, ([2], [0]))
    return e.convert(out, up.dtype)


def _sums(dtype: torch.dtype) -> torch.dtype:
    return dtype if dtype == torch.float64 else torch.float32


def _register(name: str, rank: int, matrix_of, num_options: int = 0) -> None:
    """A gradient of `rank` dimensions; `matrix_of` gets sizes, a scale, the type, and the options, which are between sizes and scales."""

    @lower(f"{name}.default")
    def backward(e: Emitter, up: Value, output_size, input_size, *others) -> Value:
        # Scales are last, and may be left out.
        options, scales = others[:num_options], [*others[num_options:], *[None] * rank]
        matrices = [matrix_of(e, size, count, scale, _sums(up.dtype), *options)
                    for size, count, scale in zip(input_size[2:], output_size, scales)]
        return _gradient(e, up, matrices)


for _rank, _linear_name in ((1, "linear1d"), (2, "bilinear2d"), (3, "trilinear3d")):
    _register(f"upsample_nearest{_rank}d_backward", _rank,
              lambda e, size, count, scale, dtype: _nearest(e, size, count, scale, 0.0, dtype))
    _register(f"_upsample_nearest_exact{_rank}d_backward", _rank,
              lambda e, size, count, scale, dtype: _nearest(e, size, count, scale, 0.5, dtype))
    _register(f"upsample_{_linear_name}_backward", _rank,
              lambda e, size, count, scale, dtype, align: _linear(e, size, count, scale, align, dtype), 1)
