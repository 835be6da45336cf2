# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Annotations: saying how tensors are sharded, asking how they are, and their pieces."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import torch

from .. import _core
from ._device import is_spmd
from ._graph import Storage, copy_of_leaf, set_value
from ._meta import intern_meta
from ._record import node_of, record
from .assignment import MANUAL, REPLICATED, Assignment, ShardingType
from .mesh import Mesh, check_spec
from .tensor import DeviceTensor, XLAShard, XLAShardedTensor, from_host, make, read_host

__all__ = [
    "Annotation", "MarkShardingFunction", "ShardingSpec", "annotate_custom_sharding", "annotation_of",
    "clear_sharding", "get_sharding_spec", "get_sharding_type", "global_tensor_from_cpu_shards", "mark_sharding",
    "mark_sharding_with_gradients", "unwrap_sharded_tensor", "wrap_as_sharded_tensor", "wrap_if_sharded",
]


@dataclasses.dataclass(frozen=True)
class Annotation:
    """What a user asked for.

    Attributes:
        assignment: Which device holds what.
        layout: Mesh and sharding as text, empty texts if every device holds all.
        constraint: The same, with the mesh also where every device holds all.
    """

    assignment: Assignment
    layout: tuple[str, str]
    constraint: tuple[str, str]


@functools.lru_cache(maxsize=4096)
def _annotation(mesh_text: str, sharding: str, assignment: Assignment) -> Annotation:
    layout = (mesh_text, sharding) if assignment.is_tiled else ("", "")
    return Annotation(assignment, layout, (mesh_text, sharding))


def annotation_of(mesh: Mesh, spec: Any, rank: int) -> Annotation:
    """Returns what a partition spec asks for, of a tensor with `rank` dimensions; raises as `mark_sharding`."""
    axes = check_spec(mesh, spec, rank)
    dims = ", ".join("{" + ", ".join(f'"{mesh.sdy_axes[axis]}"' for axis in one) + "}" for one in axes)
    return _annotation(mesh.sdy_text, f"[{dims}]", mesh.get_op_sharding(spec))


def _checked(t: Any) -> DeviceTensor:
    if not isinstance(t, torch.Tensor):
        raise RuntimeError(f"expected a tensor on the device, got {type(t).__name__}")
    if not isinstance(t, DeviceTensor):
        raise RuntimeError(f"expected a tensor on the device, got one on {t.device}; move it first, "
                           "t = t.to(shardwise.torch.device()), and keep what .to returns")
    if not is_spmd():
        raise RuntimeError("sharding needs the SPMD mode; call shardwise.torch.use_spmd() first")
    return t


def mark_sharding(t: torch.Tensor, mesh: Mesh, partition_spec: tuple) -> XLAShardedTensor:
    """Annotates a tensor in place: from now on it is sharded so. Elements that are on the host go to each device in
    part only; of a tensor that was not computed yet the program is told.

    Args:
        t: A tensor on the device, a parameter, or a sharded tensor.
        mesh: The devices.
        partition_spec: A tuple with an entry per dimension: `None`, a mesh axis by name or index, or a tuple of axes,
            the first major. Axes that are not mentioned hold copies.

    Returns:
        The tensor as `XLAShardedTensor`; `t` may be used as well.

    Raises:
        RuntimeError: `t` is not on the device, the SPMD mode is off, or `t` is there with another sharding.
        TypeError: The mesh is no `Mesh`, or the spec no tuple.
        ValueError: An axis has no such name, or an entry is of another type.
        AssertionError: The spec has another length than `t` has dimensions, or an axis is used twice or does not exist.

    >>> import torch
    >>> t = torch.ones(8, 4).to(device())
    >>> mark_sharding(t, Mesh(range(8), (2, 4), ("x", "y")), ("x", None)).sharding_spec
    '{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}'
    """
    tensor = _checked(t)
    annotation = annotation_of(mesh, partition_spec, tensor.dim())
    _annotate(tensor, annotation)
    return wrap_as_sharded_tensor(tensor, mesh_shape=mesh.mesh_shape, partition_spec=partition_spec)


def _annotate(tensor: DeviceTensor, annotation: Annotation, moves: bool = False) -> None:
    storage = tensor._storage
    if tensor._view is not None:
        # The base keeps its sharding; what is read through this view has another.
        node = _constrained(node_of(tensor), annotation)
        tensor._cache = (storage.version, node)
        tensor._view_annotation = annotation
        return
    if storage.node.spec is not None:
        storage.annotation = annotation
        set_value(storage, _constrained(storage.node, annotation))
        return
    old = storage.annotation
    if old is not None and old.assignment == annotation.assignment:
        return
    if old is not None and old.assignment.is_tiled and not moves:
        raise RuntimeError(
            f"the tensor is sharded as {old.assignment} and has its elements; it cannot be annotated as "
            f"{annotation.assignment}: Existing annotation must be cleared first. Call clear_sharding(t), or "
            "annotate_custom_sharding(t, mesh, spec), which moves it")
    storage.annotation = annotation
    storage.node = copy_of_leaf(storage.node, annotation.layout)


def _constrained(node, annotation: Annotation):
    return record("shardwise.constrain", (node, annotation.constraint), {}, outs=(node.meta,))[0][0]


def clear_sharding(t: torch.Tensor) -> torch.Tensor:
    """Removes the annotation of a tensor in place.

    Args:
        t: A tensor on the device.

    Returns:
        The tensor without the wrapper, if it has one, else `t`.

    Raises:
        RuntimeError: `t` is not on the device.
    """
    tensor = _checked(t)
    storage = tensor._storage
    storage.annotation = storage.home = None
    storage.chosen = False
    tensor._view_annotation = None
    if storage.node.spec is None:
        storage.node = copy_of_leaf(storage.node, ("", ""))
    if not isinstance(t, XLAShardedTensor):
        return t
    return unwrap_sharded_tensor(t)


def annotate_custom_sharding(t: torch.Tensor, mesh: Mesh, partition_spec: tuple) -> XLAShardedTensor:
    """Annotates a tensor that has another sharding already; its elements move when it is used next.

    Args:
        t: A tensor on the device.
        mesh: The devices.
        partition_spec: As of `mark_sharding`.

    Raises:
        RuntimeError: `t` is not on the device.
        ValueError, AssertionError, TypeError: As `mark_sharding`.
    """
    tensor = _checked(t)
    _annotate(tensor, annotation_of(mesh, partition_spec, tensor.dim()), moves=True)
    return wrap_as_sharded_tensor(tensor, mesh_shape=mesh.mesh_shape, partition_spec=partition_spec)


class MarkShardingFunction(torch.autograd.Function):
    """The identity, which annotates its result and the gradient of its argument."""

    @staticmethod
    def forward(ctx, t: torch.Tensor, mesh: Mesh, partition_spec: tuple) -> torch.Tensor:
        ctx.mesh, ctx.partition_spec = mesh, partition_spec
        tensor = _checked(t)
        annotation = annotation_of(mesh, partition_spec, tensor.dim())
        return _annotated_copy(tensor, annotation)

    @staticmethod
    def backward(ctx, gradient: torch.Tensor):
        annotation = annotation_of(ctx.mesh, ctx.partition_spec, gradient.dim())
        return _annotated_copy(gradient, annotation), None, None


def _annotated_copy(tensor: DeviceTensor, annotation: Annotation) -> DeviceTensor:
    node = _constrained(node_of(tensor), annotation)
    meta = intern_meta(tensor._meta.shape, None, 0, tensor._meta.dtype)
    storage = Storage(node, meta)
    storage.annotation = annotation
    return make(type(tensor), meta, storage)


def mark_sharding_with_gradients(t: torch.Tensor, mesh: Mesh, partition_spec: tuple) -> torch.Tensor:
    """Returns a tensor like `t` that is sharded so, as is the gradient that flows back into `t`.

    Args:
        t: A tensor on the device.
        mesh: The devices.
        partition_spec: As of `mark_sharding`.
    """
    return MarkShardingFunction.apply(t, mesh, partition_spec)


class _Wrap(torch.autograd.Function):
    """The wrapper of a result, through which gradients flow."""

    @staticmethod
    def forward(ctx, t: DeviceTensor) -> XLAShardedTensor:
        return XLAShardedTensor(t, requires_grad=False)

    @staticmethod
    def backward(ctx, gradient: torch.Tensor):
        return gradient


def wrap_as_sharded_tensor(t: torch.Tensor, mesh_shape=None, partition_spec=None) -> XLAShardedTensor:
    """Returns `t` as sharded tensor; what is one already is updated and returned.

    Args:
        t: A tensor on the device.
        mesh_shape: Shape of its mesh.
        partition_spec: Its spec.
    """
    if not isinstance(t, XLAShardedTensor):
        if t.requires_grad and not t.is_leaf and torch.is_grad_enabled():
            t = _Wrap.apply(t)
        else:
            t = XLAShardedTensor(t)
    if mesh_shape is not None:
        t.mesh_shape = tuple(mesh_shape)
    if partition_spec is not None:
        t.partition_spec = partition_spec
    t.invalidate_spec_cache()
    return t


def wrap_if_sharded(x: Any) -> Any:
    """Returns a tensor that has an annotation as sharded tensor, anything else as it is."""
    if isinstance(x, DeviceTensor) and not isinstance(x, XLAShardedTensor) and get_sharding_spec(x):
        return wrap_as_sharded_tensor(x)
    return x


def unwrap_sharded_tensor(t: Any) -> Any:
    """Returns a sharded tensor without the wrapper, anything else as it is."""
    return t.global_tensor if isinstance(t, XLAShardedTensor) else t


def assignment_of_tensor(t: torch.Tensor) -> Assignment | None:
    """Returns how a tensor is sharded: as it was annotated, else as a run left it; `None` if that is not known."""
    if not isinstance(t, DeviceTensor):
        return None
    storage = t._storage
    if storage.node.manual is not None:
        return MANUAL
    if t._view is not None:
        annotation = getattr(t, "_view_annotation", None)
        return None if annotation is None else annotation.assignment
    if storage.annotation is not None:
        return storage.annotation.assignment
    node = storage.node
    if not storage.chosen or node.spec is not None or node.layout is None:
        return None
    return _assignment_of_layout(node.layout, len(node.meta.shape))


@functools.lru_cache(maxsize=4096)
def _assignment_of_layout(layout: tuple[str, str], rank: int) -> Assignment:
    if not layout[0]:
        return REPLICATED
    mesh, sharding = _core.parse_mesh(layout[0]), _core.parse_sharding(layout[1])
    sizes = dict(mesh[0])
    tiles = []
    for axes, _, _ in sharding[0]:
        count = 1
        for name, part in axes:
            count *= part[1] if part else sizes[name]
        tiles.append(count)
    holders: dict[tuple[int, ...], list[int]] = {}
    count = 1
    for size in sizes.values():
        count *= size
    ids = mesh[1] or list(range(count))
    # A tensor with an element per tile tells which device has which.
    for device, (starts, _) in zip(ids, _core.shard_boxes(mesh, sharding, tiles)):
        holders.setdefault(tuple(starts), []).append(int(device))
    devices = tuple(one for tile in sorted(holders) for one in holders[tile])
    replicas = len(devices) // max(len(holders), 1)
    kind = ShardingType.PARTIAL if replicas > 1 else ShardingType.TILED
    return Assignment(kind, tuple(tiles), devices, replicas)


def get_sharding_spec(t: torch.Tensor) -> str:
    """Returns the sharding of a tensor as text, `{devices=[2,4]0,1,2,3,4,5,6,7}`; empty if it was not annotated and no
    run has decided it."""
    assignment = assignment_of_tensor(t)
    return "" if assignment is None else str(assignment)


def get_sharding_type(t: torch.Tensor) -> ShardingType | None:
    """Returns the kind of sharding of a tensor; `None` if it was not annotated and no run has decided it."""
    assignment = assignment_of_tensor(t)
    return None if assignment is None else assignment.type


def read_shards(t: XLAShardedTensor) -> list[XLAShard]:
    """Returns the shards of a tensor by device."""
    import sys
    count = sys.modules[__package__].global_runtime_device_count()
    assignment = assignment_of_tensor(t)
    if assignment is not None and assignment.type == ShardingType.MANUAL:
        raise RuntimeError("a tensor of a manual region has no shards; leave the region with disable_manual_sharding first")
    host = read_host(t)
    assignment = assignment_of_tensor(t)
    if assignment is None:
        raise RuntimeError("the tensor has no sharding; annotate it with mark_sharding first")
    if not assignment.is_tiled:
        return [XLAShard(host.clone(), Ellipsis, f"CPU:{i}", i) for i in range(count)]
    shape = assignment.shard_shape(host.shape)
    replicas = assignment.replica_ids(count)
    shards = []
    for device, indices in sorted(assignment.bounds(host.shape).items()):
        data = torch.zeros(shape, dtype=host.dtype)
        part = host[indices]
        data[tuple(slice(0, size) for size in part.shape)] = part
        shards.append(XLAShard(data, list(indices), f"CPU:{device}", replicas[device]))
    return shards


def write_shards(t: XLAShardedTensor, shards: Sequence[XLAShard]) -> None:
    """Replaces the elements of a tensor by those of shards."""
    import sys
    count = sys.modules[__package__].global_runtime_device_count()
    assignment = assignment_of_tensor(t)
    if assignment is None:
        raise RuntimeError("the tensor has no sharding; annotate it with mark_sharding before load_local_shards_")
    if not assignment.is_tiled:
        raise RuntimeError(f"the tensor is {assignment}, it has no shards to load; use copy_ instead")
    if len(shards) != len(assignment.devices):
        raise RuntimeError(f"{len(shards)} shards given, expected one for each of the {len(assignment.devices)} local "
                           "devices")
    by_device = {int(shard.shard_device.rsplit(":", 1)[-1]): shard for shard in shards}
    if sorted(by_device) != sorted(assignment.devices):
        raise RuntimeError(f"shards are of the devices {sorted(by_device)}, expected {sorted(assignment.devices)}"
                           f" of {count}")
    shape = assignment.shard_shape(t.shape)
    for device, shard in by_device.items():
        if tuple(shard.data.shape) != shape:
            raise RuntimeError(f"the shard of device {device} has the shape {tuple(shard.data.shape)}, expected {shape}, "
                               "padding included")
    whole = _assembled([by_device[one].data for one in sorted(by_device)], assignment, tuple(t.shape), t.dtype)
    with torch.no_grad():
        t.copy_(whole)


def _assembled(shards: Sequence[torch.Tensor], assignment: Assignment, shape, dtype) -> torch.Tensor:
    """The whole of shards by device id."""
    whole = torch.zeros(shape, dtype=dtype)
    for device, indices in assignment.bounds(shape).items():
        part = whole[indices]
        part.copy_(shards[device][tuple(slice(0, size) for size in part.shape)])
    return whole


def global_tensor_from_cpu_shards(shards: Sequence[torch.Tensor], op_sharding: Assignment,
                                  global_shape: Sequence[int] | None = None) -> torch.Tensor:
    """Returns a tensor on the device made of a shard for each device.

    Args:
        shards: CPU tensors of one shape, in device order.
        op_sharding: As `OpSharding` or `Mesh.get_op_sharding` gives it.
        global_shape: Shape of the whole; that of all shards together by default. What exceeds it is padding.

    Raises:
        RuntimeError: The number of shards, their rank or their shape does not fit.

    >>> import torch
    >>> pieces = [torch.full((1,), float(i)) for i in range(8)]
    >>> global_tensor_from_cpu_shards(pieces, get_1d_mesh().get_op_sharding((0,)), (5,)).tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0]
    """
    import sys
    count = len(op_sharding.devices) or sys.modules[__package__].global_runtime_device_count()
    if len(shards) != count:
        raise RuntimeError(f"{len(shards)} shards given, expected {count}, one per device")
    own = tuple(shards[0].shape)
    tiles = op_sharding.tiles if op_sharding.is_tiled else (1,) * len(own)
    if len(tiles) != len(own):
        raise RuntimeError(f"shards have {len(own)} dimensions, the sharding {op_sharding} has {len(tiles)}")
    shape = tuple(size * tile for size, tile in zip(own, tiles)) if global_shape is None else tuple(global_shape)
    if len(shape) != len(own):
        raise RuntimeError(f"shards have {len(own)} dimensions, the global shape {shape} has {len(shape)}")
    for i, shard in enumerate(shards):
        if tuple(shard.shape) != op_sharding.shard_shape(shape):
            raise RuntimeError(f"shard {i} has the shape {tuple(shard.shape)}, expected {op_sharding.shard_shape(shape)} "
                               f"of a tensor {shape} sharded {op_sharding}")
    if not op_sharding.is_tiled:
        return from_host(shards[0])
    tensor = from_host(_assembled(shards, op_sharding, shape, shards[0].dtype))
    annotation = _annotation(*_layout_of(op_sharding), op_sharding)
    tensor._storage.annotation = annotation
    tensor._storage.node = copy_of_leaf(tensor._storage.node, annotation.layout)
    return tensor


def _layout_of(assignment: Assignment) -> tuple[str, str]:
    """A mesh with an axis per dimension, whose devices are in the order of the tiles."""
    axes = ", ".join(f'"t{i}"={count}' for i, count in enumerate(assignment.tiles))
    if assignment.replicas > 1:
        axes += f', "copies"={assignment.replicas}'
    order = "" if list(assignment.devices) == sorted(assignment.devices) else (
        f", device_ids={list(assignment.devices)}")
    dims = ", ".join("{" + f'"t{i}"' + "}" if count > 1 else "{}" for i, count in enumerate(assignment.tiles))
    return f"[{axes}]{order}", f"[{dims}]"


class ShardingSpec:
    """A mesh and a spec for tensors that come, as those of a loader.

    Attributes:
        minibatch: Whether a host's tensor is its own part of the batch.
    """

    def __init__(self, mesh: Mesh, partition_spec: tuple, minibatch: bool = False):
        """Makes a sharding for tensors of as many dimensions as the spec has entries.

        Args:
            mesh: The devices.
            partition_spec: As of `mark_sharding`.
            minibatch: Whether a host's tensor is its own part of the batch; with one host that is all of it.
        """
        check_spec(mesh, partition_spec)
        self.mesh, self.partition_spec, self.minibatch = mesh, partition_spec, minibatch

    def can_apply(self, t: torch.Tensor) -> bool:
        """Returns whether `t` has as many dimensions as the spec has entries."""
        return t.dim() == len(self.partition_spec)

    def apply(self, t: torch.Tensor) -> XLAShardedTensor:
        """Annotates `t`, a tensor on the device."""
        return mark_sharding(t, self.mesh, self.partition_spec)


__all__ += ["assignment_of_tensor", "read_shards", "write_shards"]
