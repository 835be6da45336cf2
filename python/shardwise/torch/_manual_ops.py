# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops at the borders of manual regions and the collectives in them, with their gradients.

In a region a tensor is a family of values, one per device. Everything here is linear in families, and its gradient is the
transpose, so that gradients are those of the whole program whatever is done in the region:

    enter [{"x"}, {}] on <["x"=2, "y"=2]>   device (x, y) gets the rows of x: a copy for each y
      its transpose                         gradients of the copies are added over "y", then rows are put together
    leave [{"x"}, {}]                       the copies over "y" are equal, which is the program's duty; one is taken
      its transpose                         each copy gets 1/2 of the gradient: as if their mean were taken, which is the
                                            same value and treats the copies alike
    all_reduce over a group                 itself: what a device gives counts in the results of all its group
    reduce_scatter, all_gather              each other

So a sum over all devices that leaves the region as replicated has the gradient 1 for each of the values summed: its cotangent of
1 becomes 1/n on each device, and their sum over the n devices is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ._emit import Emitter, Value
from ._graph import Node, Storage
from ._lower.registry import lower
from ._manual_text import ManualMesh
from ._meta import intern_meta
from ._record import node_of, record
from .annotate import Annotation
from .tensor import DeviceTensor, ManualTensor, XLAShardedTensor, make

__all__ = ["AllReduce", "Enter", "Leave", "ReduceScatter"]

Groups = tuple[tuple[int, ...], ...]


def _recorded(name: str, t: torch.Tensor, arguments: Sequence[Any], shape: Sequence[int], manual: ManualMesh) -> ManualTensor:
    """The result of an op on a tensor of a region, in the region."""
    meta = intern_meta(tuple(shape), None, 0, t.dtype)
    return _of_region(record(name, (node_of(t), *arguments), {}, outs=(meta,))[0][0], manual)


def _of_region(node: Node, manual: ManualMesh) -> ManualTensor:
    node.manual = manual
    return make(ManualTensor, node.meta, Storage(node, node.meta))


def _in_region(gradient: torch.Tensor, manual: ManualMesh) -> torch.Tensor:
    """A gradient as one of the region: PyTorch makes some, as zeros, without looking at operands; these are the same
    on all devices."""
    if node_of(gradient).manual is not None:
        return gradient
    replicated = (manual.text, f"[{', '.join(['{}'] * gradient.dim())}]")
    return _entered(gradient, manual, replicated, gradient.shape)


def _entered(t: torch.Tensor, manual: ManualMesh, layout: tuple[str, str], shape: Sequence[int]) -> ManualTensor:
    meta = intern_meta(tuple(shape), None, 0, t.dtype)
    return _of_region(record("shardwise.enter", (node_of(t), manual, layout, tuple(shape)), {}, outs=(meta,))[0][0], manual)


def _copies(annotation: Annotation, manual: ManualMesh) -> Groups:
    """The devices that hold the same part, by part."""
    assignment = annotation.assignment
    if not assignment.is_tiled:
        return (tuple(range(manual.size)),)
    ids, count = assignment.devices, assignment.replicas
    return tuple(ids[i:i + count] for i in range(0, len(ids), count))


class Enter(torch.autograd.Function):
    """From the whole to what each device has of it."""

    @staticmethod
    def forward(ctx, t: torch.Tensor, annotation: Annotation, manual: ManualMesh) -> ManualTensor:
        ctx.annotation, ctx.manual, ctx.shape = annotation, manual, tuple(t.shape)
        return _entered(t, manual, annotation.constraint, annotation.assignment.shard_shape(t.shape))

    @staticmethod
    def backward(ctx, gradient: torch.Tensor):
        gradient = _in_region(gradient, ctx.manual)
        copies = _copies(ctx.annotation, ctx.manual)
        if len(copies[0]) > 1:
            gradient = AllReduce.apply(gradient, 1.0, copies)
        return Leave.apply(gradient, ctx.annotation, ctx.shape), None, None


class Leave(torch.autograd.Function):
    """From what each device has to the whole. It is also the gradient of `Enter`, behind the sum over the copies."""

    @staticmethod
    def forward(ctx, t: torch.Tensor, annotation: Annotation, shape: tuple[int, ...]) -> XLAShardedTensor:
        node = node_of(t)
        ctx.annotation, ctx.manual = annotation, node.manual
        meta = intern_meta(shape, None, 0, t.dtype)
        # Recorded without its mark, for the result belongs to all devices.
        manual, node.manual = node.manual, None
        try:
            out = record("shardwise.leave", (node, manual, annotation.constraint, shape), {}, outs=(meta,))[0][0]
        finally:
            node.manual = manual
        tensor = make(XLAShardedTensor, meta, Storage(out, meta))
        tensor._storage.annotation = annotation
        return tensor

    @staticmethod
    def backward(ctx, gradient: torch.Tensor):
        count = len(_copies(ctx.annotation, ctx.manual)[0])
        return Enter.apply(gradient if count == 1 else gradient / count, ctx.annotation, ctx.manual), None, None


class AllReduce(torch.autograd.Function):
    """Sums over groups of devices, on all of the group."""

    @staticmethod
    def forward(ctx, t: torch.Tensor, scale: float, groups: Groups) -> ManualTensor:
        ctx.arguments, ctx.manual = (scale, groups), node_of(t).manual
        return _recorded("shardwise.all_reduce", t, (scale, _text_of(groups)), t.shape, ctx.manual)

    @staticmethod
    def backward(ctx, gradient: torch.Tensor):
        return AllReduce.apply(_in_region(gradient, ctx.manual), *ctx.arguments), None, None


class ReduceScatter(torch.autograd.Function):
    """Sums over groups of devices, of which each of the group has a part along a dimension."""

    @staticmethod
    def forward(ctx, t: torch.Tensor, scale: float, dim: int, groups: Groups) -> ManualTensor:
        ctx.arguments, ctx.manual = (scale, dim, groups), node_of(t).manual
        shape = list(t.shape)
        shape[dim] //= len(groups[0])
        return _recorded("shardwise.reduce_scatter", t, (scale, dim, _text_of(groups)), shape, ctx.manual)

    @staticmethod
    def backward(ctx, gradient: torch.Tensor):
        return AllGather.apply(_in_region(gradient, ctx.manual), *ctx.arguments), None, None, None


class AllGather(torch.autograd.Function):
    """What the devices of a group have, behind each other along a dimension, times a number."""

    @staticmethod
    def forward(ctx, t: torch.Tensor, scale: float, dim: int, groups: Groups) -> ManualTensor:
        ctx.arguments, ctx.manual = (scale, dim, groups), node_of(t).manual
        shape = list(t.shape)
        shape[dim] *= len(groups[0])
        return _recorded("shardwise.all_gather", t, (scale, dim, _text_of(groups)), shape, ctx.manual)

    @staticmethod
    def backward(ctx, gradient: torch.Tensor):
        return ReduceScatter.apply(_in_region(gradient, ctx.manual), *ctx.arguments), None, None, None


def _text_of(groups: Groups) -> str:
    return f"dense<{[list(group) for group in groups]}> : tensor<{len(groups)}x{len(groups[0])}xi64>"


_HANDLE = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids"


def _scaled(e: Emitter, value: Value, scale: float) -> Value:
    return value if scale == 1 else e.mul(value, scale)


@lower("shardwise.all_reduce")
def _all_reduce(e: Emitter, x: Value, scale: float, groups: str) -> Value:
    return _scaled(e, e.general(f'"stablehlo.all_reduce"({x.name}) <{{replica_groups = {groups}, {_HANDLE}}}> '
                                f"{e.region('add', x.dtype)} : ({x.type}) -> {{out}}", x.shape, x.dtype), scale)


@lower("shardwise.reduce_scatter")
def _reduce_scatter(e: Emitter, x: Value, scale: float, dim: int, groups: str) -> Value:
    return _scaled(e, e.general(f'"stablehlo.reduce_scatter"({x.name}) <{{scatter_dimension = {dim} : i64, '
                                f"replica_groups = {groups}, {_HANDLE}}}> {e.region('add', x.dtype)} : ({x.type}) -> {{out}}",
                                e.outs[0].shape, x.dtype), scale)


@lower("shardwise.all_gather")
def _all_gather(e: Emitter, x: Value, scale: float, dim: int, groups: str) -> Value:
    return _scaled(e, e.general(f'"stablehlo.all_gather"({x.name}) <{{all_gather_dim = {dim} : i64, '
                                f"replica_groups = {groups}, {_HANDLE}}}> : ({x.type}) -> {{out}}",
                                e.outs[0].shape, x.dtype), scale)
