# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Manual regions: each device has values of its own, and collectives are called by name."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy
import torch

from .. import _core
from ._emit import Emitter, Value
from ._graph import Node, Storage
from ._lower.registry import lower
from ._manual_text import ManualMesh
from ._meta import intern_meta
from ._record import node_of, record
from .annotate import Annotation, _annotation, _checked, annotation_of, mark_sharding
from .assignment import Assignment, assignment_of
from .mesh import Mesh, get_global_mesh
from .tensor import DeviceTensor, XLAShardedTensor, make

__all__ = [
    "disable_manual_sharding", "enable_manual_sharding", "mark_manual_sharding", "spmd_all_reduce",
    "spmd_full_to_shard_shape", "spmd_reduce_scatter", "spmd_shard_to_full_shape",
]


def _mesh_of(mesh: Mesh | None) -> Mesh:
    mesh = get_global_mesh() if mesh is None else mesh
    if mesh is None:
        raise RuntimeError("no mesh is given and no global mesh is set; call set_global_mesh(mesh) or pass mesh=")
    return mesh


def _manual_of(annotation: Annotation) -> ManualMesh:
    text = annotation.constraint[0]
    axes = _core.parse_mesh(text)[0]
    size = 1
    for _, count in axes:
        size *= count
    return ManualMesh(text, tuple(name for name, _ in axes), size)


def _new(cls, node: Node, shape: Sequence[int], dtype: torch.dtype, manual: Any) -> DeviceTensor:
    node.manual = manual
    meta = intern_meta(tuple(shape), None, 0, dtype)
    return make(cls, meta, Storage(node, meta))


def enable_manual_sharding(t: torch.Tensor, partition_spec: tuple, *, mesh: Mesh | None = None) -> XLAShardedTensor:
    """Returns what each device has of a tensor: a tensor of the shape of a shard, on which ops are done by each device
    for itself.

    Args:
        t: A tensor on the device.
        partition_spec: How it is sharded.
        mesh: The devices; the global mesh by default.

    Raises:
        RuntimeError: There is no mesh, or `t` is not on the device.
        ValueError: A dimension does not divide.
    """
    mesh = _mesh_of(mesh)
    tensor = _checked(t)
    annotation = annotation_of(mesh, partition_spec, tensor.dim())
    if tensor._storage.node.spec is not None or tensor._storage.annotation is None:
        mark_sharding(tensor, mesh, partition_spec)
    return _enter(tensor, annotation)


def _enter(tensor: DeviceTensor, annotation: Annotation) -> XLAShardedTensor:
    shape = annotation.assignment.shard_shape(tensor.shape)
    tiles = annotation.assignment.tiles or (1,) * tensor.dim()
    for dim, (size, part, count) in enumerate(zip(tensor.shape, shape, tiles)):
        if part * count != size:
            raise ValueError(f"dimension {dim} of size {size} does not divide by {count}: in a manual region every device "
                             "needs a shard of one size; pad the tensor first")
    manual = _manual_of(annotation)
    meta = intern_meta(shape, None, 0, tensor.dtype)
    node = record("shardwise.enter", (node_of(tensor), manual, annotation.constraint, tuple(shape)), {}, outs=(meta,))[0][0]
    return _new(XLAShardedTensor, node, shape, tensor.dtype, manual)


def disable_manual_sharding(t: torch.Tensor, partition_spec: tuple, full_shape: Sequence[int], *,
                            mesh: Mesh | None = None) -> XLAShardedTensor:
    """Returns the whole tensor of what the devices have.

    Args:
        t: A tensor of a manual region.
        partition_spec: How the whole is sharded.
        full_shape: Shape of the whole.
        mesh: The devices; the global mesh by default.

    Raises:
        RuntimeError: `t` is of no manual region, or its shape is not that of a shard.
    """
    mesh = _mesh_of(mesh)
    annotation = annotation_of(mesh, partition_spec, len(full_shape))
    tensor = _leave(t, annotation, tuple(full_shape))
    tensor.mesh_shape, tensor.partition_spec = mesh.mesh_shape, partition_spec
    return tensor


def _leave(t: torch.Tensor, annotation: Annotation, full_shape: tuple[int, ...]) -> XLAShardedTensor:
    node = node_of(t) if isinstance(t, DeviceTensor) else None
    if node is None or node.manual is None:
        raise RuntimeError("expected a tensor of a manual region; enable_manual_sharding makes one")
    wanted = annotation.assignment.shard_shape(full_shape)
    if tuple(t.shape) != wanted:
        raise RuntimeError(f"devices have {tuple(t.shape)} each, a shard of {full_shape} sharded {annotation.assignment} is "
                           f"{wanted}")
    meta = intern_meta(full_shape, None, 0, t.dtype)
    # Recorded without its mark, for the result belongs to all devices.
    manual, node.manual = node.manual, None
    try:
        out = record("shardwise.leave", (node, manual, annotation.constraint, full_shape), {}, outs=(meta,))[0][0]
    finally:
        node.manual = manual
    tensor = _new(XLAShardedTensor, out, full_shape, t.dtype, None)
    tensor._storage.annotation = annotation
    return tensor


def spmd_full_to_shard_shape(t: torch.Tensor) -> XLAShardedTensor:
    """Returns what each device has of a tensor that is annotated.

    Raises:
        RuntimeError: `t` has no annotation.
    """
    tensor = _checked(t)
    annotation = tensor._storage.annotation
    if annotation is None:
        raise RuntimeError("the tensor has no sharding; annotate it with mark_sharding first")
    return _enter(tensor, annotation)


def spmd_shard_to_full_shape(t: torch.Tensor, op_sharding: Any, full_shape: Sequence[int], dtype: torch.dtype | None = None):
    """Returns the whole tensor of what the devices have.

    Args:
        t: A tensor of a manual region.
        op_sharding: How the whole is sharded, as `Mesh.get_op_sharding` gives it.
        full_shape: Shape of the whole.
        dtype: Accepted for code written for torch_xla; that of `t`.

    Raises:
        RuntimeError: `t` is of no manual region.
    """
    node = node_of(_checked(t))
    if node.manual is None:
        raise RuntimeError("expected a tensor of a manual region; enable_manual_sharding makes one")
    annotation = _annotation(node.manual.text, _dimensions(node.manual, op_sharding, len(full_shape)), op_sharding)
    return _leave(t, annotation, tuple(full_shape))


def _dimensions(manual: ManualMesh, assignment: Assignment, rank: int) -> str:
    """The sharding over the axes of the region that says an assignment."""
    axes, ids = _core.parse_mesh(manual.text)
    sizes = [size for _, size in axes]
    grid = numpy.asarray(ids or range(manual.size)).reshape(sizes)
    tiles = assignment.tiles if assignment.is_tiled else (1,) * rank
    for order in itertools.permutations(range(len(sizes))):
        remaining, spec = list(order), []
        for count in tiles:
            taken: list[int] = []
            while remaining and math.prod(sizes[i] for i in taken) < count:
                taken.append(remaining.pop(0))
            spec.append(tuple(taken))
        if len(spec) == rank and assignment_of(grid, spec) == assignment:
            return f"[{', '.join('{' + ', '.join(chr(34) + axes[i][0] + chr(34) for i in one) + '}' for one in spec)}]"
    raise RuntimeError(f"{assignment} cannot be said of the mesh {manual.text} of the region; take one of its mesh")


def mark_manual_sharding(t: torch.Tensor) -> XLAShardedTensor:
    """Says that a computed tensor is of a manual region: each device has it.

    Args:
        t: A tensor that was computed, not one that came from the host.

    Raises:
        RuntimeError: `t` has elements already, or there is no global mesh.
    """
    tensor = _checked(t)
    if tensor._storage.node.manual is not None:
        return XLAShardedTensor(tensor)
    if tensor._storage.node.spec is None:
        raise RuntimeError("only what is computed can be marked as manual, this tensor has its elements; use "
                           "enable_manual_sharding(t, partition_spec)")
    return enable_manual_sharding(tensor, (None,) * tensor.dim())


def _groups(manual: ManualMesh, groups: Sequence[Sequence[int]]) -> str:
    listed = [list(map(int, group)) for group in groups] if groups else [list(range(manual.size))]
    return f"dense<{listed}> : tensor<{len(listed)}x{len(listed[0])}xi64>"


def _checked_reduction(op: str, t: torch.Tensor) -> ManualMesh:
    if op != "sum":
        raise ValueError(f"reductions in manual regions are sums, got {op!r}; expected 'sum'")
    manual = node_of(t).manual
    if manual is None:
        raise RuntimeError("collectives by name are for tensors of a manual region; call enable_manual_sharding first")
    return manual


def spmd_all_reduce(op: str, t: torch.Tensor, scale: float = 1.0, groups: Sequence[Sequence[int]] = ()) -> torch.Tensor:
    """Returns the sum over the devices of each group, on all of them.

    Args:
        op: `"sum"`.
        t: A tensor of a manual region.
        scale: What the sum is multiplied with.
        groups: Device ids by group; all devices by default.

    Raises:
        RuntimeError: `t` is of no manual region.
    """
    manual = _checked_reduction(op, t)
    meta = intern_meta(t.shape, None, 0, t.dtype)
    node = record("shardwise.all_reduce", (node_of(t), float(scale), _groups(manual, groups)), {}, outs=(meta,))[0][0]
    return _new(type(t), node, t.shape, t.dtype, manual)


def spmd_reduce_scatter(op: str, t: torch.Tensor, scale: float, dim: int, count: int,
                        groups: Sequence[Sequence[int]] = ()) -> torch.Tensor:
    """Returns the sum over the devices of each group, of which each device has a part along `dim`.

    Args:
        op: `"sum"`.
        t: A tensor of a manual region.
        scale: What the sum is multiplied with.
        dim: The dimension that is cut; may be negative.
        count: How many devices a group has.
        groups: Device ids by group; all devices by default.

    Raises:
        RuntimeError: `t` is of no manual region.
        ValueError: The dimension does not divide.
    """
    manual = _checked_reduction(op, t)
    dim %= t.dim()
    if t.shape[dim] % count:
        raise ValueError(f"dimension {dim} of size {t.shape[dim]} does not divide by {count}, the size of a group")
    shape = [size // count if i == dim else size for i, size in enumerate(t.shape)]
    meta = intern_meta(shape, None, 0, t.dtype)
    node = record("shardwise.reduce_scatter", (node_of(t), float(scale), dim, _groups(manual, groups)), {},
                  outs=(meta,))[0][0]
    return _new(type(t), node, shape, t.dtype, manual)


_HANDLE = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids"


@lower("shardwise.all_reduce")
def _all_reduce(e: Emitter, x: Value, scale: float, groups: str) -> Value:
    total = e.general(f'"stablehlo.all_reduce"({x.name}) <{{replica_groups = {groups}, {_HANDLE}}}> '
                      f"{e.region('add', x.dtype)} : ({x.type}) -> {{out}}", x.shape, x.dtype)
    return total if scale == 1 else e.mul(total, scale)


@lower("shardwise.reduce_scatter")
def _reduce_scatter(e: Emitter, x: Value, scale: float, dim: int, groups: str) -> Value:
    part = e.general(f'"stablehlo.reduce_scatter"({x.name}) <{{scatter_dimension = {dim} : i64, replica_groups = {groups}, '
                     f"{_HANDLE}}}> {e.region('add', x.dtype)} : ({x.type}) -> {{out}}", e.outs[0].shape, x.dtype)
    return part if scale == 1 else e.mul(part, scale)
