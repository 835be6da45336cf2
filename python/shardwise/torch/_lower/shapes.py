# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that move elements: reshapes, slices, padding, and how a part is written back into the whole."""

from __future__ import annotations

import math

import torch

from .._emit import Emitter, Value
from .complex_numbers import view_as_complex, view_as_real
from .registry import lower


@lower("view.default", "_unsafe_view.default", "reshape.default", "_reshape_alias.default", "unsqueeze.default",
       "squeeze.default", "squeeze.dim", "squeeze.dims", "view_copy.default", "squeeze_copy.dim",
       "unsqueeze_copy.default")
def view(e: Emitter, x: Value, *_) -> Value:
    return e.reshape(x, e.outs[0].shape)


@lower("view.dtype", "view_copy.dtype")
def view_dtype(e: Emitter, x: Value, dtype) -> Value:
    """The same bits as elements of another type, more or fewer of them along the last dimension."""
    if x.dtype == dtype:
        return x
    if x.dtype.is_complex:
        real = view_as_real(e, x)
        return view_dtype(e, e.reshape(real, (*x.shape[:-1], 2 * x.shape[-1])), dtype)
    if dtype.is_complex:
        return view_as_complex(e, e.reshape(_bits_as(e, x, dtype.to_real()), (*e.outs[0].shape, 2)))
    return _bits_as(e, x, dtype)


def _bits_as(e: Emitter, x: Value, dtype: torch.dtype) -> Value:
    """Bits of real elements as real elements of another type."""
    # To PyTorch a truth value is a byte, 0 or 1.
    if x.dtype == torch.bool:
        return _bits_as(e, e.convert(x, torch.uint8), dtype)
    if dtype == torch.bool:
        return e.convert(_bits_as(e, x, torch.uint8), dtype)
    if x.dtype == dtype:
        return x
    if x.dtype.itemsize == dtype.itemsize:
        return e.op("bitcast_convert", [x], dtype=dtype)
    if x.dtype.itemsize > dtype.itemsize:
        ratio = x.dtype.itemsize // dtype.itemsize
        parts = e.op("bitcast_convert", [x], (*x.shape, ratio), dtype)
        return e.reshape(parts, (*x.shape[:-1], x.shape[-1] * ratio))
    ratio = dtype.itemsize // x.dtype.itemsize
    shape = (*x.shape[:-1], x.shape[-1] // ratio)
    return e.op("bitcast_convert", [e.reshape(x, (*shape, ratio))], shape, dtype)


@lower("permute.default", "permute_copy.default")
def permute(e: Emitter, x: Value, order) -> Value:
    return e.transpose(x, order)


@lower("transpose.int", "transpose_copy.int")
def transpose(e: Emitter, x: Value, a, b) -> Value:
    order = list(range(x.rank))
    if order:
        order[a], order[b] = order[b], order[a]
    return e.transpose(x, order)


@lower("t.default", "t_copy.default")
def t(e: Emitter, x: Value) -> Value:
    return e.transpose(x, list(reversed(range(x.rank))))


@lower("expand.default", "expand_copy.default")
def expand(e: Emitter, x: Value, *_, **__) -> Value:
    return e.broadcast(x, e.outs[0].shape)


@lower("alias.default", "detach.default", "alias_copy.default", "detach_copy.default")
def alias(e: Emitter, x: Value) -> Value:
    return x


def slice_range(size: int, start, end) -> tuple[int, int]:
    """Start and end as PyTorch reads them: from the end if negative, clamped."""
    start = 0 if start is None else start
    end = size if end is None else end
    start = min(max(start + size if start < 0 else start, 0), size)
    end = min(max(end + size if end < 0 else end, start), size)
    return start, end


@lower("slice.Tensor", "slice_copy.Tensor")
def slice_(e: Emitter, x: Value, dim=0, start=None, end=None, step=1) -> Value:
    start, end = slice_range(x.shape[dim], start, end)
    return e.slice_dim(x, dim % x.rank, start, end, step)


@lower("select.int", "select_copy.int")
def select(e: Emitter, x: Value, dim, index) -> Value:
    dim %= x.rank
    index %= x.shape[dim]
    return e.reshape(e.slice_dim(x, dim, index, index + 1), e.outs[0].shape)


@lower("slice_backward.default")
def slice_backward(e: Emitter, up: Value, sizes, dim, start, end, step) -> Value:
    """The gradient where the slice was, zeros elsewhere."""
    dim %= up.rank
    start, end = slice_range(sizes[dim], start, end)
    if not up.shape[dim]:
        return e.constant(0, up.dtype, sizes)
    around = [[0] * up.rank for _ in range(3)]
    low, high, gaps = around
    low[dim], gaps[dim] = start, step - 1
    high[dim] = sizes[dim] - start - ((up.shape[dim] - 1) * step + 1)
    return e.pad(up, low, high, 0, gaps)


@lower("select_backward.default")
def select_backward(e: Emitter, up: Value, sizes, dim, index) -> Value:
    dim, index = dim % len(sizes), index % sizes[dim]
    part = e.reshape(up, [1 if i == dim else size for i, size in enumerate(sizes)])
    return slice_backward(e, part, sizes, dim, index, index + 1, 1)


def _write_part(e: Emitter, x: Value, part: Value, dim: int, start: int, end: int, step: int) -> Value:
    """`x` with `part` at start:end:step along `dim`."""
    if step == 1:
        if end - start == x.shape[dim]:
            return part
        pieces = [e.slice_dim(x, dim, 0, start)] if start else []
        pieces.append(part)
        if end < x.shape[dim]:
            pieces.append(e.slice_dim(x, dim, end, x.shape[dim]))
        return e.concatenate(pieces, dim)
    low, interior = [0] * x.rank, [0] * x.rank
    high = [0] * x.rank
    low[dim], interior[dim] = start, step - 1
    high[dim] = x.shape[dim] - start - ((part.shape[dim] - 1) * step + 1)
    places = e.pad(e.constant(True, torch.bool, part.shape), low, high, False, interior)
    return e.select(places, e.pad(part, low, high, 0, interior), x)


@lower("slice_scatter.default")
def slice_scatter(e: Emitter, x: Value, part: Value, dim=0, start=None, end=None, step=1) -> Value:
    dim %= x.rank
    start, end = slice_range(x.shape[dim], start, end)
    if start == end:
        return x
    return _write_part(e, x, part, dim, start, end, step)


@lower("select_scatter.default")
def select_scatter(e: Emitter, x: Value, part: Value, dim, index) -> Value:
    dim %= x.rank
    index %= x.shape[dim]
    shape = [1 if i == dim else size for i, size in enumerate(x.shape)]
    return _write_part(e, x, e.reshape(part, shape), dim, index, index + 1, 1)


@lower("cat.default")
def cat(e: Emitter, parts, dim=0) -> Value:
    meta = e.outs[0]
    # An empty vector may stand for nothing of any rank.
    parts = [one for one in parts if one.shape != (0,) or len(meta.shape) == 1]
    return e.concatenate([e.convert(one, meta.dtype) for one in parts], dim % max(len(meta.shape), 1))


@lower("stack.default")
def stack(e: Emitter, parts, dim=0) -> Value:
    meta = e.outs[0]
    dim %= len(meta.shape)
    shape = [1 if i == dim else size for i, size in enumerate(meta.shape)]
    return e.concatenate([e.reshape(e.convert(one, meta.dtype), shape) for one in parts], dim)


@lower("split.Tensor", "split_with_sizes.default", "unbind.int", "split_copy.Tensor")
def split(e: Emitter, x: Value, sizes=None, dim=0):
    raise AssertionError("views of several parts are recorded as slices")


@lower("flip.default")
def flip(e: Emitter, x: Value, dims) -> Value:
    dims = [one % x.rank for one in dims]
    return e.general(f"stablehlo.reverse {x.name}, dims = {dims} : {{out}}", x.shape, x.dtype)


@lower("roll.default")
def roll(e: Emitter, x: Value, shifts, dims=()) -> Value:
    shape = x.shape
    if not dims:
        x, dims = e.reshape(x, [math.prod(shape)]), [0]
    for shift, dim in zip([shifts] if isinstance(shifts, int) else shifts, [dims] if isinstance(dims, int) else dims):
        dim %= x.rank
        size = x.shape[dim]
        cut = -shift % size if size else 0
        if cut:
            x = e.concatenate([e.slice_dim(x, dim, cut, size), e.slice_dim(x, dim, 0, cut)], dim)
    return e.reshape(x, shape)


@lower("repeat.default")
def repeat(e: Emitter, x: Value, counts) -> Value:
    shape = [1] * (len(counts) - x.rank) + list(x.shape)
    x = e.reshape(x, shape)
    pairs = [size for count, own in zip(counts, shape) for size in (count, own)]
    spread = e.spread(x, pairs, range(1, 2 * len(shape), 2))
    return e.reshape(spread, e.outs[0].shape)


@lower("constant_pad_nd.default")
def constant_pad(e: Emitter, x: Value, pads, value=0) -> Value:
    low, high = [0] * x.rank, [0] * x.rank
    for i in range(len(pads) // 2):
        low[x.rank - 1 - i], high[x.rank - 1 - i] = pads[2 * i], pads[2 * i + 1]
    return e.pad(x, low, high, e.number(value, x.dtype))


def _triangle(e: Emitter, x: Value, diagonal: int, upper: bool) -> Value:
    shape = x.shape[-2:]
    rows, columns = e.iota(shape, 0), e.iota(shape, 1)
    kept = e.compare("GE" if upper else "LE", e.sub(columns, rows), diagonal)
    return e.select(e.broadcast(kept, x.shape), x, e.constant(0, x.dtype, x.shape))


@lower("triu.default")
def triu(e: Emitter, x: Value, diagonal=0) -> Value:
    return _triangle(e, x, diagonal, True)


@lower("tril.default")
def tril(e: Emitter, x: Value, diagonal=0) -> Value:
    return _triangle(e, x, diagonal, False)


@lower("arange.start_step")
def arange(e: Emitter, start, end, step=1, **_) -> Value:
    meta = e.outs[0]
    if not meta.dtype.is_floating_point:
        return e.add(e.mul(e.iota(meta.shape, 0, meta.dtype), int(step)), int(start))
    places = e.iota(meta.shape, 0, torch.float64)
    return e.convert(e.add(e.mul(places, float(step)), float(start)), meta.dtype)


@lower("as_strided.default", "as_strided_copy.default")
def as_strided(e: Emitter, x: Value, size, stride, storage_offset=None) -> Value:
    places = flat_places(e, size, stride, storage_offset or 0)
    flat = e.reshape(x, [math.prod(x.shape)])
    from .indexing import take_rows
    return take_rows(e, flat, places)


@lower("unfold.default", "unfold_copy.default")
def unfold(e: Emitter, x: Value, dim, size, step) -> Value:
    """Windows along `dim`, their elements in a dimension at the end."""
    if x.rank == 0:
        return e.reshape(x, [size])
    from .indexing import take_rows
    dim %= x.rank
    order = [dim] + [i for i in range(x.rank) if i != dim]
    count = e.outs[0].shape[dim]
    places = e.add(e.mul(e.iota([count, size], 0), step), e.iota([count, size], 1))
    windows = take_rows(e, e.transpose(x, order), places)
    # They are (count, size, rest).
    back = list(range(2, x.rank + 1))
    back.insert(dim, 0)
    return e.transpose(windows, [*back, 1])


def flat_places(e: Emitter, size, stride, offset: int) -> Value:
    """Where in the storage the elements of a strided tensor are."""
    places = e.constant(offset, torch.int64, size)
    for dim, step in enumerate(stride):
        if size[dim] > 1:
            places = e.add(places, e.mul(e.iota(size, dim), step))
    return places


@lower("as_strided_scatter.default")
def as_strided_scatter(e: Emitter, x: Value, part: Value, size, stride, storage_offset=None) -> Value:
    from .indexing import scatter_rows
    count = math.prod(size)
    places = e.reshape(flat_places(e, size, stride, storage_offset or 0), [count])
    flat = e.reshape(x, [math.prod(x.shape)])
    return e.reshape(scatter_rows(e, flat, places, e.reshape(part, [count]), "return"), x.shape)


@lower("diagonal.default", "diagonal_copy.default")
def diagonal(e: Emitter, x: Value, offset=0, dim1=0, dim2=1) -> Value:
    dim1, dim2 = dim1 % x.rank, dim2 % x.rank
    rest = [i for i in range(x.rank) if i not in (dim1, dim2)]
    x = e.transpose(x, rest + [dim1, dim2])
    length = e.outs[0].shape[-1]
    # One that begins outside has no elements.
    if length == 0:
        return e.constant(0, x.dtype, e.outs[0].shape)
    low = [0] * x.rank
    high = list(x.shape)
    low[-2], low[-1] = max(-offset, 0), max(offset, 0)
    high[-2], high[-1] = low[-2] + length, low[-1] + length
    x = e.slice(x, low, high)
    shape = x.shape[-2:]
    same = e.broadcast(e.compare("EQ", e.iota(shape, 0), e.iota(shape, 1)), x.shape)
    return e.sum(e.select(same, x, e.constant(0, x.dtype, x.shape)), [x.rank - 1])


@lower("diagonal_scatter.default")
def diagonal_scatter(e: Emitter, x: Value, part: Value, offset=0, dim1=0, dim2=1) -> Value:
    dim1, dim2 = dim1 % x.rank, dim2 % x.rank
    if 0 in part.shape:
        return x
    rest = [i for i in range(x.rank) if i not in (dim1, dim2)]
    order = rest + [dim1, dim2]
    moved = e.transpose(x, order)
    rows, columns = moved.shape[-2:]
    low, high = max(-offset, 0), max(offset, 0)
    # The diagonal as a column for each row that it meets, repeated over the columns.
    padding = [0] * (part.rank - 1)
    padded = e.pad(part, [*padding, low], [*padding, rows - low - part.shape[-1]])
    spread = e.spread(padded, moved.shape, range(moved.rank - 1))
    grid = (rows, columns)
    on = e.compare("EQ", e.sub(e.iota(grid, 1), e.iota(grid, 0)), high - low)
    out = e.select(e.broadcast(on, moved.shape), spread, moved)
    return e.transpose(out, [order.index(i) for i in range(x.rank)])


@lower("diagonal_backward.default")
def diagonal_backward(e: Emitter, up: Value, sizes, offset, dim1, dim2) -> Value:
    return diagonal_scatter(e, e.constant(0, up.dtype, sizes), up, offset, dim1, dim2)
