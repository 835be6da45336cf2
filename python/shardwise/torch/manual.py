# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Manual regions: each device has values of its own, and collectives are called by name. Gradients flow through; what they
are at the borders is told in `_manual_ops`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy
import torch

from .. import _core
from ._manual_ops import AllReduce, Enter, Leave, ReduceScatter
from ._manual_text import ManualMesh
from ._record import node_of
from .annotate import Annotation, _annotation, _checked, annotation_of, mark_sharding
from .assignment import REPLICATED, Assignment, assignment_of
from .mesh import Mesh, get_global_mesh
from .tensor import DeviceTensor, ManualTensor, XLAShardedTensor

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
    return Enter.apply(tensor, annotation, _manual_of(annotation))


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
    return Leave.apply(t, annotation, full_shape)


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
        return tensor
    if tensor._storage.node.spec is None:
        raise RuntimeError("only what is computed can be marked as manual, this tensor has its elements; use "
                           "enable_manual_sharding(t, partition_spec)")
    return enable_manual_sharding(tensor, (None,) * tensor.dim())


def entered(args: Sequence[Any], kwargs: dict[str, Any], in_place: bool) -> tuple[Sequence[Any], dict[str, Any]]:
    """Returns arguments of a call of which one is of a region. Those from outside that want a gradient enter it, as a copy on
    each device; that which the call changes stays outside."""
    manual = next((node_of(one).manual for one in _tensors((args, kwargs)) if isinstance(one, ManualTensor)), None)
    if manual is None or not any(_wants_gradient(one) for one in _tensors((args, kwargs))):
        return args, kwargs
    changed = args[:1] if in_place else ()

    def part(value: Any) -> Any:
        if _wants_gradient(value):
            dims = ", ".join(["{}"] * value.dim())
            return Enter.apply(value, _annotation(manual.text, f"[{dims}]", REPLICATED), manual)
        return type(value)(map(part, value)) if type(value) in (list, tuple) else value

    return (*changed, *map(part, args[len(changed):])), {name: part(one) for name, one in kwargs.items()}


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif type(value) in (list, tuple):
        for one in value:
            yield from _tensors(one)
    elif type(value) is dict:
        yield from _tensors(list(value.values()))


def _wants_gradient(value: Any) -> bool:
    return isinstance(value, DeviceTensor) and not isinstance(value, ManualTensor) and value.requires_grad


def _groups(manual: ManualMesh, groups: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    if not groups:
        return (tuple(range(manual.size)),)
    given = tuple(tuple(map(int, group)) for group in groups)
    if len(set(map(len, given))) != 1 or sorted(itertools.chain(*given)) != list(range(manual.size)):
        raise ValueError(f"groups are {[list(group) for group in given]}; expected each of the devices 0 to {manual.size - 1} once, "
                         "in groups of one size")
    return given


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
        groups: Device ids by group, each device once; all devices by default.

    Raises:
        RuntimeError: `t` is of no manual region.
        ValueError: `op` is another one, or groups do not have each device once, in groups of one size.
    """
    manual = _checked_reduction(op, t)
    return AllReduce.apply(t, float(scale), _groups(manual, groups))


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
        IndexError: `t` has no such dimension.
        ValueError: The dimension does not divide, or groups do not have each device once, in groups of `count`.
    """
    groups = _groups(_checked_reduction(op, t), groups)
    if count != len(groups[0]):
        raise ValueError(f"count is {count}, but groups have {len(groups[0])} devices")
    if not -t.dim() <= dim < t.dim():
        raise IndexError(f"dimension {dim} is out of range; the tensor has {t.dim()} dimensions")
    dim %= t.dim()
    if t.shape[dim] % count:
        raise ValueError(f"dimension {dim} of size {t.shape[dim]} does not divide by {count}, the size of a group")
    return ReduceScatter.apply(t, float(scale), dim, groups)
