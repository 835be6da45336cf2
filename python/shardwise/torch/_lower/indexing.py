# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that read or write where indices say: embeddings, gather, scatter, indexing by tensors, losses of classes."""

from __future__ import annotations

import math

import torch

from .._emit import Emitter, Value, highest, lowest
from .elementwise import div_mode
from .registry import lower


def _whole(e: Emitter, index: Value, size: int) -> Value:
    """Indices from the end, which are negative, as indices from the start."""
    index = e.convert(index, torch.int64)
    return e.select(e.compare("LT", index, 0), e.add(index, size), index)


def take_rows(e: Emitter, x: Value, index: Value) -> Value:
    """x[index] along the first dimension."""
    rest = x.shape[1:]
    if 0 in index.shape + rest:
        return e.constant(0, x.dtype, index.shape + rest)
    offsets = list(range(index.rank, index.rank + len(rest)))
    sizes = ", ".join(map(str, (1, *rest)))
    return e.general(
        f'"stablehlo.gather"({x.name}, {index.name}) <{{dimension_numbers = #stablehlo.gather<offset_dims = '
        f"{offsets}, collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = {index.rank}>, "
        f"indices_are_sorted = false, slice_sizes = array<i64: {sizes}>}}> : ({x.type}, {index.type}) -> {{out}}",
        index.shape + rest, x.dtype)


def scatter_rows(e: Emitter, x: Value, index: Value, rows: Value, kind: str = "add") -> Value:
    """`x` with rows added to, or written to (`return`), those that the vector `index` says."""
    window = list(range(1, x.rank))
    return _scatter(e, x, index, rows, f"update_window_dims = {window}, inserted_window_dims = [0], "
                    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1", kind)


def _scatter(e: Emitter, x: Value, index: Value, updates: Value, numbers: str, kind: str) -> Value:
    return e.general(
        f'"stablehlo.scatter"({x.name}, {index.name}, {updates.name}) <{{indices_are_sorted = false, '
        f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}>, unique_indices = false}}> "
        f"{e.region(kind, x.dtype)} : ({x.type}, {index.type}, {updates.type}) -> {{out}}", x.shape, x.dtype)


@lower("embedding.default")
def embedding(e: Emitter, weight: Value, index: Value, *_) -> Value:
    return take_rows(e, weight, index)


@lower("embedding_dense_backward.default")
def embedding_backward(e: Emitter, gradient: Value, index: Value, num_weights, padding_idx, by_count) -> Value:
    width = gradient.shape[-1]
    count = math.prod(index.shape)
    rows, flat = e.reshape(gradient, [count, width]), e.reshape(index, [count])
    if padding_idx >= 0:
        kept = e.spread(e.compare("NE", flat, padding_idx), rows.shape, [0])
        rows = e.select(kept, rows, e.constant(0, rows.dtype, rows.shape))
    total = scatter_rows(e, e.constant(0, rows.dtype, [num_weights, width]), flat, rows)
    if not by_count:
        return total
    ones = e.constant(1, rows.dtype, [count])
    often = scatter_rows(e, e.constant(0, rows.dtype, [num_weights]), flat, ones)
    return e.div(total, e.spread(e.binary("maximum", often, 1), total.shape, [0]))


@lower("index_select.default")
def index_select(e: Emitter, x: Value, dim, index: Value) -> Value:
    if x.rank == 0:
        return x
    dim %= x.rank
    order = [dim] + [i for i in range(x.rank) if i != dim]
    index = e.reshape(index, [math.prod(index.shape)])
    out = take_rows(e, e.transpose(x, order), index)
    return e.transpose(out, [order.index(i) for i in range(x.rank)])


def _vectors(e: Emitter, index: Value, shape, dim: int) -> Value:
    """For each element of `index` all of its coordinates, with `index` along `dim`."""
    parts = [index if i == dim else e.iota(index.shape, i) for i in range(len(shape))]
    return e.concatenate([e.reshape(one, [*index.shape, 1]) for one in parts], index.rank)


@lower("gather.default")
def gather(e: Emitter, x: Value, dim, index: Value, **_) -> Value:
    if x.rank == 0:
        return e.broadcast(x, index.shape)
    if 0 in index.shape:
        return e.constant(0, x.dtype, index.shape)
    index = _whole(e, index, x.shape[dim])
    dims = list(range(x.rank))
    vectors = _vectors(e, index, x.shape, dim % x.rank)
    return e.general(
        f'"stablehlo.gather"({x.name}, {vectors.name}) <{{dimension_numbers = #stablehlo.gather<'
        f"collapsed_slice_dims = {dims}, start_index_map = {dims}, index_vector_dim = {x.rank}>, "
        f"indices_are_sorted = false, slice_sizes = array<i64: {', '.join('1' * x.rank)}>}}> : "
        f"({x.type}, {vectors.type}) -> {{out}}", index.shape, x.dtype)


def _scatter_along(e: Emitter, x: Value, dim: int, index: Value, source: Value, kind: str) -> Value:
    if 0 in index.shape:
        return x
    if x.rank == 0:
        x1, s1 = e.reshape(x, [1]), e.reshape(source, [1])
        return e.reshape(_scatter_along(e, x1, 0, e.reshape(index, [1]), s1, kind), [])
    dims = list(range(x.rank))
    source = e.slice(source, [0] * x.rank, index.shape)
    vectors = _vectors(e, _whole(e, index, x.shape[dim]), x.shape, dim % x.rank)
    return _scatter(e, x, vectors, source, f"inserted_window_dims = {dims}, scatter_dims_to_operand_dims = {dims}, "
                    f"index_vector_dim = {x.rank}", kind)


@lower("scatter.src")
def scatter_src(e: Emitter, x: Value, dim, index: Value, source: Value) -> Value:
    return _scatter_along(e, x, dim, index, source, "return")


@lower("scatter.value")
def scatter_value(e: Emitter, x: Value, dim, index: Value, value) -> Value:
    return _scatter_along(e, x, dim, index, e.broadcast(e.number(value, x.dtype), index.shape), "return")


@lower("scatter_add.default")
def scatter_add(e: Emitter, x: Value, dim, index: Value, source: Value) -> Value:
    return _scatter_along(e, x, dim, index, source, "add")


_REDUCTIONS = {"sum": "add", "mean": "add", "prod": "multiply", "amax": "maximum", "amin": "minimum", "add": "add", "multiply": "multiply"}


def _neutral(kind: str, dtype: torch.dtype):
    return {"add": 0, "multiply": 1, "maximum": lowest(dtype), "minimum": highest(dtype)}[kind]


@lower("scatter.reduce", "scatter_reduce.two")
def scatter_reduce(e: Emitter, x: Value, dim, index: Value, source: Value, reduce, *, include_self=True) -> Value:
    """Without `include_self` an element that something is written to does not count itself; the others stay. A mean is divided by how
    many numbers it is of."""
    kind = _REDUCTIONS[reduce]
    if include_self and reduce != "mean":
        return _scatter_along(e, x, dim, index, source, kind)
    ones = e.constant(1, torch.int64, index.shape)
    often = _scatter_along(e, e.constant(0, torch.int64, x.shape), dim, index, ones, "add")
    if not include_self:
        x = e.select(e.compare("GT", often, 0), e.constant(_neutral(kind, x.dtype), x.dtype, x.shape), x)
    out = _scatter_along(e, x, dim, index, source, kind)
    if reduce != "mean":
        return out
    count = e.convert(e.add(often, 1) if include_self else e.binary("maximum", often, 1), x.dtype)
    return e.div(out, count) if x.dtype.is_floating_point else div_mode(e, out, count, "floor")


@lower("index_add.default")
def index_add(e: Emitter, x: Value, dim, index: Value, source: Value, *, alpha=1) -> Value:
    if x.rank == 0:
        return e.reshape(index_add(e, e.reshape(x, [1]), 0, e.reshape(index, [1]), e.reshape(source, [1]), alpha=alpha), [])
    dim %= x.rank
    order = [dim] + [i for i in range(x.rank) if i != dim]
    source = source if alpha == 1 else e.mul(source, e.number(alpha, x.dtype))
    out = scatter_rows(e, e.transpose(x, order), index, e.transpose(source, order))
    return e.transpose(out, [order.index(i) for i in range(x.rank)])


def _positions(e: Emitter, x: Value, indices):
    """The indexed dimensions, index vectors for them, the shape of the indices, and where that goes in the result."""
    dims = [i for i, one in enumerate(indices) if one is not None]
    tensors = [_whole(e, indices[i], x.shape[i]) for i in dims]
    shape = torch.broadcast_shapes(*(one.shape for one in tensors))
    parts = [e.reshape(e.broadcast(one, shape), [*shape, 1]) for one in tensors]
    adjacent = dims == list(range(dims[0], dims[-1] + 1))
    return dims, e.concatenate(parts, len(shape)), shape, dims[0] if adjacent else 0


@lower("index.Tensor")
def index_(e: Emitter, x: Value, indices) -> Value:
    dims, vectors, shape, first = _positions(e, x, indices)
    rest = [i for i in range(x.rank) if i not in dims]
    offsets = [i if i < first else i + len(shape) for i in range(len(rest))]
    sizes = ", ".join(str(1 if i in dims else size) for i, size in enumerate(x.shape))
    kept = [x.shape[i] for i in rest]
    if 0 in (*kept, *shape):
        return e.constant(0, x.dtype, kept[:first] + list(shape) + kept[first:])
    return e.general(
        f'"stablehlo.gather"({x.name}, {vectors.name}) <{{dimension_numbers = #stablehlo.gather<offset_dims = '
        f"{offsets}, collapsed_slice_dims = {dims}, start_index_map = {dims}, index_vector_dim = {len(shape)}>, "
        f"indices_are_sorted = false, slice_sizes = array<i64: {sizes}>}}> : ({x.type}, {vectors.type}) -> {{out}}",
        kept[:first] + list(shape) + kept[first:], x.dtype)


@lower("index_put.default")
def index_put(e: Emitter, x: Value, indices, values: Value, accumulate=False) -> Value:
    masks = [one for one in indices if one is not None and one.dtype == torch.bool]
    if masks:
        # Only reached for one number: other masks are run on the host, as their shapes depend on values.
        mask = masks[0]
        values = e.convert(values, x.dtype)
        if accumulate:
            values = e.add(x, e.broadcast(e.reshape(values, []), x.shape))
        return e.select(e.spread(mask, x.shape, range(mask.rank)), e.broadcast(
            values if accumulate else e.reshape(values, []), x.shape), x)
    dims, vectors, shape, first = _positions(e, x, indices)
    rest = [i for i in range(x.rank) if i not in dims]
    kept = [x.shape[i] for i in rest]
    if 0 in (*kept, *shape):
        return x
    values = e.broadcast(e.convert(values, x.dtype), kept[:first] + list(shape) + kept[first:])
    window = [i if i < first else i + len(shape) for i in range(len(rest))]
    return _scatter(e, x, vectors, values, f"update_window_dims = {window}, inserted_window_dims = {dims}, "
                    f"scatter_dims_to_operand_dims = {dims}, index_vector_dim = {len(shape)}",
                    "add" if accumulate else "return")


def _classes(e: Emitter, shape, target: Value) -> Value:
    """Where the class dimension, the second (or only) one, is that of the target."""
    dim = 0 if len(shape) == 1 else 1
    places = e.iota(shape, dim)
    target = e.convert(target, torch.int64)
    return e.compare("EQ", places, e.spread(target, shape, [i for i in range(len(shape)) if i != dim]))


def _class_weights(e: Emitter, x: Value, target: Value, weight, ignore_index) -> Value:
    """What each target counts: its weight, or 1; nothing if it is ignored."""
    counted = e.compare("NE", e.convert(target, torch.int64), ignore_index)
    if weight is None:
        return e.convert(counted, x.dtype)
    hit = _classes(e, x.shape, target)
    dim = 0 if x.rank == 1 else 1
    per_class = e.sum(e.select(hit, e.spread(weight, x.shape, [dim]), e.constant(0, x.dtype, x.shape)), [dim])
    return e.mul(per_class, e.convert(counted, x.dtype))


@lower("nll_loss_forward.default", "nll_loss2d_forward.default")
def nll_loss(e: Emitter, x: Value, target: Value, weight, reduction, ignore_index):
    dim = 0 if x.rank == 1 else 1
    target = e.reshape(target, [s for i, s in enumerate(x.shape) if i != dim])
    counts = _class_weights(e, x, target, weight, ignore_index)
    hit = _classes(e, x.shape, target)
    own = e.sum(e.select(hit, x, e.constant(0, x.dtype, x.shape)), [dim])
    losses = e.mul(e.unary("negate", own), counts)
    total = e.sum(counts, range(counts.rank))
    if reduction == 0:
        return losses, e.constant(0, x.dtype)
    summed = e.sum(losses, range(losses.rank))
    return (e.div(summed, total) if reduction == 1 else summed), total


@lower("nll_loss_backward.default", "nll_loss2d_backward.default")
def nll_loss_backward(e: Emitter, gradient: Value, x: Value, target: Value, weight, reduction, ignore_index,
                      total: Value) -> Value:
    dim = 0 if x.rank == 1 else 1
    target = e.reshape(target, [s for i, s in enumerate(x.shape) if i != dim])
    counts = _class_weights(e, x, target, weight, ignore_index)
    share = e.div(gradient, total) if reduction == 1 else gradient
    slope = e.unary("negate", e.mul(counts, e.broadcast(share, counts.shape)))
    spread = e.spread_back(slope, x.shape, [dim])
    return e.select(_classes(e, x.shape, target), spread, e.constant(0, x.dtype, x.shape))


@lower("shardwise.embedding_bag")
def embedding_bag(e: Emitter, weight: Value, index: Value, offsets: Value, mean: bool, weights: Value | None = None):
    """Sums or means of rows, a bag for each offset. Also the bag of each index, and how many each bag has."""
    count, width = index.shape[0], weight.shape[1]
    bags = e.outs[0].shape[0]
    # An index belongs to the last bag that begins at or before it.
    begun = e.compare("GE", e.iota([count, bags], 0), e.spread(e.convert(offsets, torch.int64), [count, bags], [1]))
    bag = e.sub(e.sum(e.convert(begun, torch.int64), [1]), 1)
    rows = take_rows(e, weight, index)
    if weights is not None:
        rows = e.mul(rows, e.spread(weights, rows.shape, [0]))
    total = scatter_rows(e, e.constant(0, weight.dtype, [bags, width]), bag, rows)
    sizes = scatter_rows(e, e.constant(0, torch.int64, [bags]), bag, e.constant(1, torch.int64, [count]))
    if mean:
        total = e.div(total, e.spread(e.convert(e.binary("maximum", sizes, 1), weight.dtype), total.shape, [0]))
    return total, bag, sizes


@lower("shardwise.embedding_bag_backward")
def embedding_bag_backward(e: Emitter, up: Value, index: Value, bag: Value, sizes: Value, mean: bool,
                           weights: Value | None = None) -> Value:
    if mean:
        up = e.div(up, e.spread(e.convert(e.binary("maximum", sizes, 1), up.dtype), up.shape, [0]))
    rows = take_rows(e, up, bag)
    if weights is not None:
        rows = e.mul(rows, e.spread(weights, rows.shape, [0]))
    return scatter_rows(e, e.constant(0, up.dtype, e.outs[0].shape), index, rows)
