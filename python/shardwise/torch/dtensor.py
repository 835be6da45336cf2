# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sharded tensors beside DTensor: meshes and placements become meshes and partition specs, and back."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Placement, Replicate, Shard
from torch.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from torch.distributed.tensor.placement_types import _StridedShard

from .. import _core
from ._device import device
from ._layout import Cut
from ._routes import Placed
from .annotate import get_sharding_type, mark_sharding, mark_sharding_with_gradients, wrap_as_sharded_tensor
from .mesh import Mesh
from .tensor import DeviceTensor, XLAShardedTensor

__all__ = ["auto_policy", "convert_to_xla_mesh", "redistribute_sharded", "spec_of", "xla_distribute_module",
           "xla_distribute_tensor"]


def convert_to_xla_mesh(device_mesh: DeviceMesh) -> Mesh:
    """Returns the mesh with the ids, the shape and the names of a mesh of PyTorch.

    Args:
        device_mesh: A mesh over all virtual devices, of any device type.

    Raises:
        AssertionError: It has more or fewer devices than there are.
        TypeError: It is no `DeviceMesh`.
    """
    if isinstance(device_mesh, Mesh):
        return device_mesh
    if not isinstance(device_mesh, DeviceMesh):
        raise TypeError(f"expected a DeviceMesh, got {type(device_mesh).__name__}")
    count = sys.modules[__package__].global_runtime_device_count()
    assert device_mesh.size() == count, (
        f"the mesh has {device_mesh.size()} devices, but there are {count}; set SHARDWISE_NUM_DEVICES="
        f"{device_mesh.size()} before the first use")
    return Mesh(device_mesh.mesh.flatten().numpy(), tuple(device_mesh.shape), device_mesh.mesh_dim_names)


def _partition_spec(mesh: Mesh, placements: Sequence[Placement], rank: int) -> tuple:
    """The spec that placements say: entry `d` has the mesh axes of `Shard(d)`, the first of them major."""
    if len(placements) != len(mesh.mesh_shape):
        raise ValueError(f"{len(placements)} placements given for a mesh of {len(mesh.mesh_shape)} axes; give one for "
                         "each, Replicate() where it does not cut")
    cuts = []
    for axis, one in enumerate(placements):
        if isinstance(one, Replicate):
            cuts.append(Cut())
            continue
        if not isinstance(one, (Shard, _StridedShard)):
            raise ValueError(f"placement {axis} is {one!r}; expected Shard(dim) or Replicate()")
        if not -rank <= one.dim < rank:
            raise IndexError(f"placement {axis} is {one!r}, but the tensor has {rank} dimensions")
        cuts.append(Cut(one.dim % rank, getattr(one, "split_factor", 1)))
    placed = Placed(tuple(range(mesh.size())), tuple(mesh.mesh_shape), tuple(cuts))
    sharding = placed.sharding(rank)
    if sharding is None:
        raise ValueError(f"{tuple(placements)} is no order of the mesh's axes {tuple(mesh.mesh_shape)}: a split_factor must "
                         "be the product of sizes of later axes that cut the same dimension")
    axes = [tuple(placed.axes.index(axis.name) for axis in dim.axes) for dim in sharding.dims]
    return tuple(one[0] if len(one) == 1 else one or None for one in axes)


def xla_distribute_tensor(tensor: torch.Tensor, device_mesh: DeviceMesh | Mesh,
                          placements: Sequence[Placement] | None = None) -> XLAShardedTensor:
    """Shards a tensor as `torch.distributed.tensor.distribute_tensor` does, on the virtual devices.

    Args:
        tensor: On the device, where it is annotated in place, or on the CPU.
        device_mesh: The mesh.
        placements: `Shard(dim)` or `Replicate()` for each of its dimensions; by default all replicate.

    Raises:
        ValueError: The tensor is a DTensor, or a placement is another one, or there are not as many as dimensions.
        IndexError: A dimension does not exist.
        AssertionError: The tensor is sharded already, or the mesh does not have all devices.
    """
    if isinstance(tensor, DTensor):
        raise ValueError("the tensor is a DTensor already; give a plain tensor, as tensor.full_tensor() returns it")
    assert not (isinstance(tensor, XLAShardedTensor) and get_sharding_type(tensor)), (
        f"the tensor is sharded already, as {tensor.sharding_spec}; call clear_sharding(t) first, or t.redistribute")
    mesh = convert_to_xla_mesh(device_mesh)
    wanted = [Replicate()] * len(mesh.mesh_shape) if placements is None else list(placements)
    spec = _partition_spec(mesh, wanted, tensor.dim())
    return mark_sharding(tensor if isinstance(tensor, DeviceTensor) else tensor.to(device()), mesh, spec)


def auto_policy(name: str, module: torch.nn.Module, device_mesh: DeviceMesh) -> None:
    """A `partition_fn` of `xla_distribute_module` that leaves the choice to the compiler. Not yet: raises."""
    raise NotImplementedError("auto_policy: shardings are not chosen by themselves yet; give a partition_fn that calls "
                              "xla_distribute_tensor on parameters")


def xla_distribute_module(module: torch.nn.Module, device_mesh: DeviceMesh, partition_fn: Callable | None = None,
                          input_fn: Callable | None = None, output_fn: Callable | None = None) -> torch.nn.Module:
    """Shards the parameters of a module, its inputs and its outputs.

    Args:
        module: Moved to the device if it is not there.
        device_mesh: The mesh, handed on to the functions.
        partition_fn: Called as `partition_fn(name, submodule, device_mesh)` for each submodule; without it every
            parameter is replicated.
        input_fn: Called as `input_fn(module, inputs, device_mesh)` before each call of the module.
        output_fn: Called as `output_fn(module, outputs, device_mesh)` after it.

    Returns:
        The module.

    Raises:
        ValueError: A function takes another number of arguments.
        NotImplementedError: `partition_fn` is `auto_policy`.
    """
    if partition_fn is auto_policy:
        assert not any(isinstance(one, DeviceTensor) for one in module.parameters()), (
            "auto_policy needs a module on the CPU")
        auto_policy("", module, device_mesh)
    convert_to_xla_mesh(device_mesh)
    before = _hook_function(input_fn, "input_fn")
    after = _hook_function(output_fn, "output_fn")
    if not all(isinstance(one, DeviceTensor) for one in (*module.parameters(), *module.buffers())):
        module.to(device())
    if partition_fn is None:
        for one in (*module.parameters(), *module.buffers()):
            if get_sharding_type(one) is None:
                xla_distribute_tensor(one, device_mesh)
    else:
        for name, submodule in module.named_modules():
            partition_fn(name, submodule, device_mesh)
    if before is not None:
        module.register_forward_pre_hook(lambda own, inputs: before(own, inputs, device_mesh))
    if after is not None:
        module.register_forward_hook(lambda own, inputs, outputs: after(own, outputs, device_mesh))
    return module


def _hook_function(function: Callable | None, what: str) -> Callable | None:
    """The function with three arguments: module, values, mesh."""
    if function is None:
        return None
    count = len(inspect.signature(function).parameters)
    if count == 3:
        return function
    if count != 2:
        raise ValueError(f"{what} takes {count} arguments; expected 3: module, {what.removesuffix('_fn')}s, device_mesh")
    warnings.warn(f"{what} with 2 arguments is deprecated; let it take 3: module, {what.removesuffix('_fn')}s, "
                  "device_mesh", FutureWarning, stacklevel=3)
    return lambda module, values, mesh: function(values, mesh)


def spec_of(t: XLAShardedTensor) -> DTensorSpec:
    """Returns the description that DTensor has of a sharded tensor.

    Args:
        t: A tensor that was annotated with a mesh and a spec.

    Raises:
        ValueError: It was not.
    """
    annotation = getattr(t, "_view_annotation", None) if t._view is not None else t._storage.annotation
    if t.mesh_shape is None or t.partition_spec is None or annotation is None:
        raise ValueError("placements need mesh_shape and partition_spec, which this tensor does not have: results of ops do "
                         "not; annotate it with mark_sharding(t, mesh, partition_spec)")
    axes, ids = _core.parse_mesh(annotation.constraint[0])
    names, sizes = [name for name, _ in axes], [size for _, size in axes]
    placements: list[Placement] = [Replicate()] * len(sizes)
    for dim, (cutting, _, _) in enumerate(_core.parse_sharding(annotation.constraint[1])[0]):
        order = [names.index(name) for name, _ in cutting]
        for position, axis in enumerate(order):
            # Axes that cut before, but come later in the mesh.
            factor = 1
            for other in order[:position]:
                factor *= sizes[other] if other > axis else 1
            placements[axis] = Shard(dim) if factor == 1 else _StridedShard(dim, split_factor=factor)
    mesh = DeviceMesh(device().type, torch.tensor(ids or list(range(torch.Size(sizes).numel()))).view(sizes),
                      mesh_dim_names=tuple(names), _init_backend=False, _rank=0)
    return DTensorSpec(mesh, tuple(placements), tensor_meta=TensorMeta(t.shape, t.stride(), t.dtype))


def redistribute_sharded(t: XLAShardedTensor, mesh: Any, placements: Sequence[Placement],
                         async_op: bool = False) -> XLAShardedTensor:
    """Returns a sharded tensor with other placements. `t` keeps its own; elements move when they are needed, so that
    `async_op` changes nothing.

    Args:
        t: A sharded tensor.
        mesh: A `Mesh` or `DeviceMesh`.
        placements: One for each of its dimensions.
        async_op: Accepted as DTensor does.

    Raises:
        ValueError: There are more or fewer placements than dimensions of the mesh.
        IndexError: A dimension does not exist.
        NotImplementedError: A placement is partial.
    """
    mesh = convert_to_xla_mesh(mesh)
    for axis, one in enumerate(placements):
        if isinstance(one, Placement) and one.is_partial():
            raise NotImplementedError(f"placement {axis} is {one!r}: values are not made partial; give Replicate() or "
                                      "Shard(dim)")
    spec = _partition_spec(mesh, placements, t.dim())
    moved = mark_sharding_with_gradients(t, mesh, spec)
    return wrap_as_sharded_tensor(moved, mesh_shape=mesh.mesh_shape, partition_spec=spec)
