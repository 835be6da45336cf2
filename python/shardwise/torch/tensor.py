# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors on the device. `DeviceTensor` is what `.to(device())` gives: it records what is done to it.
`XLAShardedTensor` is one with the annotation at hand, and shards to look at."""

from __future__ import annotations

import collections
import weakref
from typing import Any

import torch

from ._device import device
from ._graph import Storage
from ._meta import Meta
from ._record import host_node
from ._run import compute, host_value

__all__ = ["DeviceTensor", "XLAShard", "XLAShardedTensor", "from_host", "make"]


class DeviceTensor(torch.Tensor):
    """A tensor on the virtual devices; its ops are recorded and run when a value is read, or by `sync`."""

    _meta: Meta
    _storage: Storage
    _view: Any
    _cache: Any

    __torch_function__ = torch._C._disabled_torch_function_impl

    # `_dispatch`, which needs this class, replaces it: another call in between would be seen in the time of each op.
    @staticmethod
    def __torch_dispatch__(func, types, args=(), kwargs=None):
        raise NotImplementedError("shardwise.torch is not loaded")

    # PyTorch moves modules by swapping parameters of classes that have these two, so that parameters that are
    # shared stay shared and optimizers keep theirs.
    def __tensor_flatten__(self):
        return ["_host"], None

    @staticmethod
    def __tensor_unflatten__(inner, context, size, stride):
        return from_host(inner["_host"])

    @property
    def _host(self) -> torch.Tensor:
        return self.detach().cpu()

    @property
    def data(self) -> torch.Tensor:
        """The tensor without its history; setting it replaces the elements."""
        return self.detach()

    @data.setter
    def data(self, value: torch.Tensor) -> None:
        source = value.detach() if isinstance(value, DeviceTensor) else from_host(value.detach())
        if source._meta is not self._meta:
            self._become(_like(source, self))
            return
        self._storage, self._view, self._cache = source._storage, source._view, source._cache

    def _become(self, other: DeviceTensor) -> None:
        """Takes the place of `other`, of another shape or type, and keeps what the user put on this one; a gradient stays while it
        fits, as in PyTorch."""
        gradient, attributes = self.grad, dict(self.__dict__)
        torch.utils.swap_tensors(self, other)
        self.__dict__.update({name: value for name, value in attributes.items() if name not in self.__dict__})
        if gradient is not None and gradient.shape == self.shape and gradient.dtype == self.dtype:
            self.grad = gradient

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:
            raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
                               "at the moment; call detach() first")
        with torch.no_grad():
            copy = _like(self.clone(), self)
        if self.grad is not None:
            copy.grad = self.grad.__deepcopy__(memo)
        memo[id(self)] = copy
        return copy

    def __reduce_ex__(self, protocol):
        """As other devices without memory of their own are saved: `torch.load` takes it with `weights_only`, its default, and
        obeys `map_location`. What comes back has no annotation."""
        if getattr(self, "_is_param", False):
            return torch._utils._rebuild_parameter, (self.detach(), self.requires_grad, collections.OrderedDict())
        return torch._utils._rebuild_device_tensor_from_cpu_tensor, (
            self.detach().cpu(), self.dtype, str(self.device), self.requires_grad)

    def __repr__(self, *, tensor_contents=None) -> str:
        if not self._storage_is_readable():
            return f"{type(self).__name__}(shape={tuple(self.shape)}, dtype={self.dtype}, manual)"
        text = repr(self.detach().cpu()).removeprefix("tensor(").removesuffix(")")
        extra = f", device='{self.device}'"
        if self.grad_fn is not None:
            extra += f", grad_fn=<{type(self.grad_fn).__name__}>"
        elif self.requires_grad:
            extra += ", requires_grad=True"
        name = "tensor" if type(self) is DeviceTensor else type(self).__name__
        return f"{name}({text}{extra})"

    def _storage_is_readable(self) -> bool:
        return self._storage.node.manual is None

    def __format__(self, spec: str) -> str:
        """A number in the format that is asked for, as `f"{loss:.3f}"`; other tensors as `repr` has them."""
        return format(self.item(), spec) if self.dim() == 0 else object.__format__(self, spec)

    def numpy(self, *, force: bool = False):
        """With `force`, the values as an array of NumPy; without, as of any tensor on a device, an error."""
        return self.detach().cpu().numpy() if force else self.__array__()

    def tolist(self):
        """Returns the values as numbers and nested lists."""
        return self.detach().cpu().tolist()

    def __array__(self, dtype=None, copy=None):
        raise TypeError(f"a tensor on {self.device} cannot become an array of NumPy; use t.cpu() first")


def make(cls, meta: Meta, storage: Storage, view: Any = None, requires_grad: bool = False) -> Any:
    """Returns a tensor of a class above; of `ManualTensor` if its value is one per device."""
    if storage.node.manual is not None:
        cls = ManualTensor
    tensor = _make_wrapper(cls, meta.shape, device=_DEVICE, requires_grad=requires_grad, **meta.layout)
    tensor._meta, tensor._storage, tensor._view, tensor._cache = meta, storage, view, None
    return tensor


_DEVICE = device()
_make_wrapper = torch.Tensor._make_wrapper_subclass


def from_host(tensor: torch.Tensor) -> DeviceTensor:
    """Returns a device tensor with the elements of a CPU tensor. They stay on the host until a program needs them, and
    each device then gets its shard only.

    Args:
        tensor: A CPU tensor; it may be changed afterwards.
    """
    node = host_node(tensor.detach().clone(memory_format=torch.contiguous_format))
    storage = Storage(node, node.meta)
    node.owner = weakref.ref(storage)
    return make(DeviceTensor, node.meta, storage)


def _like(source: DeviceTensor, model: torch.Tensor) -> DeviceTensor:
    """A leaf with the elements of `source` that is a parameter, and wants a gradient, if `model` does."""
    tensor = make(type(model), source._meta, source._storage, source._view, model.requires_grad)
    if getattr(model, "_is_param", False):
        tensor._is_param = True
    if isinstance(model, XLAShardedTensor):
        tensor.mesh_shape, tensor.partition_spec = model.mesh_shape, model.partition_spec
    return tensor


class XLAShard:
    """What one device holds of a tensor: a snapshot.

    Attributes:
        indices: The part of the whole tensor, without padding; `Ellipsis` if it is all.
        shard_device: The device, as text.
        replica_id: Position among the devices that hold the same.
    """

    def __init__(self, data: torch.Tensor, indices: Any, shard_device: str, replica_id: int):
        self._data, self.indices = data, indices
        self.shard_device, self.replica_id = shard_device, replica_id

    @property
    def data(self) -> torch.Tensor:
        """The elements, padding included."""
        return self._data

    @data.setter
    def data(self, value: torch.Tensor) -> None:
        self._data = value

    @property
    def unpadded_data(self) -> torch.Tensor:
        """The elements without padding; a view of `data`."""
        return self._data[self._extent()]

    @unpadded_data.setter
    def unpadded_data(self, value: torch.Tensor) -> None:
        self._data[self._extent()] = value

    def _extent(self) -> Any:
        if self.indices is Ellipsis:
            return ...
        return tuple(slice(0, part.stop - part.start) for part in self.indices)

    def __repr__(self) -> str:
        return (f"XLAShard(indices={self.indices}, shard_device={self.shard_device!r}, "
                f"replica_id={self.replica_id}, data={self._data})")


class XLAShardedTensor(DeviceTensor):
    """A device tensor with its annotation.

    Attributes:
        mesh_shape: Shape of the mesh that it was annotated with, else `None`.
        partition_spec: The spec that it was annotated with, else `None`.
    """

    mesh_shape: tuple[int, ...] | None = None
    partition_spec: tuple | None = None
    _cached_spec: Any = None

    @staticmethod
    def __new__(cls, elem: torch.Tensor, mesh_shape=None, partition_spec=None, *args, requires_grad=None, **kwargs):
        if not isinstance(elem, DeviceTensor):
            raise RuntimeError(f"XLAShardedTensor wraps a tensor on the device, got one on {elem.device}; move it with "
                               ".to(shardwise.torch.device()) first")
        wanted = elem.requires_grad if requires_grad is None else requires_grad
        tensor = make(cls, elem._meta, elem._storage, elem._view, wanted)
        tensor.mesh_shape = None if mesh_shape is None else tuple(mesh_shape)
        tensor.partition_spec = partition_spec
        return tensor

    def __init__(self, *args, **kwargs):
        pass

    @property
    def global_tensor(self) -> DeviceTensor:
        """The tensor without the wrapper; it shares the elements, not the history."""
        return make(DeviceTensor, self._meta, self._storage, self._view)

    @property
    def sharding_spec(self) -> str:
        """The sharding as text; empty if there is none yet."""
        from .annotate import get_sharding_spec
        return get_sharding_spec(self)

    @property
    def sharding_type(self):
        """The kind of sharding, a `ShardingType`; `None` if there is none yet."""
        from .annotate import get_sharding_type
        return get_sharding_type(self)

    @property
    def local_shards(self) -> list[XLAShard]:
        """The shards by device; computes the tensor if it has not been.

        Raises:
            RuntimeError: The tensor has no sharding, or is that of one device in a manual region.
        """
        from .annotate import read_shards
        return read_shards(self)

    def load_local_shards_(self, shards: list[XLAShard]) -> None:
        """Replaces the elements by those of shards, one for each device, padding included.

        Args:
            shards: As `local_shards` gives them.

        Raises:
            RuntimeError: The tensor has no sharding or is replicated, a device has no shard, or a shard another
                shape.
        """
        from .annotate import write_shards
        write_shards(self, shards)
        self.invalidate_spec_cache()

    def invalidate_spec_cache(self) -> None:
        """Forgets the description that DTensor asks for."""
        self._cached_spec = None

    @property
    def _spec(self):
        if self._cached_spec is None:
            from .dtensor import spec_of
            self._cached_spec = spec_of(self)
        return self._cached_spec

    @property
    def placements(self):
        """A placement of DTensor for each mesh axis.

        Raises:
            ValueError: The tensor was not annotated with a mesh and a spec.
        """
        return self._spec.placements

    def redistribute(self, mesh, placements, async_op: bool = False):
        """Returns the tensor with other placements.

        Args:
            mesh: A mesh.
            placements: One for each mesh axis.
            async_op: Whether the result is another tensor; else this one is annotated again.

        Raises:
            ValueError: There are more or fewer placements than mesh axes.
            IndexError: A dimension does not exist.
            NotImplementedError: A placement is partial.
        """
        from .dtensor import redistribute_sharded
        return redistribute_sharded(self, mesh, placements, async_op)


class ManualTensor(XLAShardedTensor):
    """What each device has in a manual region.

    A tensor from outside that a gradient goes to enters the region, as a copy on each device, when it meets one of these: its
    gradient is the sum over the devices. PyTorch tells that before it records for autograd only by `__torch_function__`.
    """

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            name = getattr(func, "__name__", "")
            if torch.is_grad_enabled() and name not in ("__get__", "__set__"):
                from .manual import entered
                args, kwargs = entered(args, kwargs or {}, name.endswith("_") and not name.endswith("__"))
            return func(*args, **kwargs or {})


def read_host(tensor: DeviceTensor) -> torch.Tensor:
    """Returns the value of a device tensor as a CPU tensor; computes what is pending if it must."""
    storage = tensor._storage
    if storage.node.manual is not None:
        raise RuntimeError("a tensor of a manual region has one value per device; leave the region with "
                           "disable_manual_sharding first")
    compute(storage)
    if tensor._view is None:
        return host_value(storage.node)
    return tensor._view.read(storage.meta, host_value(storage.node, copy=False))


__all__ += ["read_host"]
