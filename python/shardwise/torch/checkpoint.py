# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Planners of torch.distributed.checkpoint for sharded tensors: what is written is shards, what is read is what shards
need, whatever sharding the checkpoint was saved with."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import torch
from torch.distributed.checkpoint._nested_dict import flatten_state_dict, set_element
from torch.distributed.checkpoint.default_planner import (
    DefaultLoadPlanner, DefaultSavePlanner, create_default_local_load_plan, create_default_local_save_plan)
from torch.distributed.checkpoint.metadata import ChunkStorageMetadata, Metadata, MetadataIndex, TensorProperties
from torch.distributed.checkpoint.planner import (
    LoadPlan, ReadItem, SavePlan, TensorWriteData, WriteItem, WriteItemType)
from torch.distributed.checkpoint.planner_helpers import create_read_items_for_chunk_list
from torch.utils import _pytree as pytree

from .annotate import get_sharding_type, read_shards, write_shards
from .assignment import ShardingType
from .tensor import DeviceTensor, XLAShard

__all__ = ["CpuShards", "SPMDLoadPlanner", "SPMDSavePlanner", "is_sharded_tensor", "prime_optimizer",
           "sharded_cpu_state_dict"]


@dataclasses.dataclass
class CpuShards:
    """The shards of a sharded tensor on the CPU, as `sharded_cpu_state_dict` gives them.

    Attributes:
        shards: By device.
        global_shape: Shape of the whole tensor.
    """

    shards: list[XLAShard]
    global_shape: torch.Size

    def size(self) -> torch.Size:
        return self.global_shape


def is_sharded_tensor(x: Any) -> bool:
    """Returns whether devices hold different parts of `x`."""
    return isinstance(x, DeviceTensor) and get_sharding_type(x) in (ShardingType.TILED, ShardingType.PARTIAL)


def sharded_cpu_state_dict(state_dict: dict[str, Any]) -> dict[str, Any]:
    """Returns a state dictionary on the CPU: sharded tensors as `CpuShards`, others as CPU tensors. It can be saved while
    training goes on.

    Args:
        state_dict: Nested dictionaries and lists of tensors and values.
    """
    def moved(one: Any) -> Any:
        if is_sharded_tensor(one):
            return CpuShards(read_shards(one), one.shape)
        return one.detach().cpu() if isinstance(one, torch.Tensor) else one

    return pytree.tree_map(moved, state_dict)


def prime_optimizer(optimizer: torch.optim.Optimizer) -> torch.optim.Optimizer:
    """Makes the state of an optimizer by a step with gradients of 0, sharded as their parameters, so that there is
    something to load a checkpoint into. Parameters may change by it, as by weight decay.

    Args:
        optimizer: One that has not made a step yet.
    """
    from ._sync import sync
    from .annotate import _annotate

    for group in optimizer.param_groups:
        for one in group["params"]:
            one.grad = torch.zeros_like(one, requires_grad=False)
            if is_sharded_tensor(one) and one._storage.annotation is not None:
                _annotate(one.grad, one._storage.annotation)
    optimizer.step()
    sync()
    optimizer.zero_grad()
    return optimizer


def _held(value: Any) -> list[XLAShard] | None:
    """The shards of what is sharded; None of anything else."""
    if isinstance(value, CpuShards):
        return value.shards
    return read_shards(value) if is_sharded_tensor(value) else None


def _distinct(shards: list[XLAShard], shape: torch.Size) -> Iterator[tuple[ChunkStorageMetadata, XLAShard]]:
    """Where each shard lies, without copies of the same part and without those that are padding only."""
    seen = set()
    for shard in shards:
        indices = [slice(0, size) for size in shape] if shard.indices is Ellipsis else shard.indices
        offsets = torch.Size(part.start for part in indices)
        sizes = torch.Size(part.stop - part.start for part in indices)
        if offsets not in seen and 0 not in sizes:
            seen.add(offsets)
            yield ChunkStorageMetadata(offsets, sizes), shard


class SPMDSavePlanner(DefaultSavePlanner):
    """Writes an item for each shard of sharded tensors, without its padding; all else as the default planner does.

    Attributes:
        sharded_state_dict: What is sharded, by flat name.
        unsharded_state_dict: What is not; tensors of the device are on the CPU.
    """

    sharded_state_dict: dict[str, Any]
    unsharded_state_dict: dict[str, Any]

    def set_up_planner(self, state_dict, storage_meta=None, is_coordinator: bool = False) -> None:
        super().set_up_planner(state_dict, storage_meta, is_coordinator)
        self.sharded_state_dict, self.unsharded_state_dict = {}, {}
        self._shards: dict[MetadataIndex, torch.Tensor] = {}
        self._items: list[WriteItem] = []
        for name, value in self.state_dict.items():
            shards = _held(value)
            if shards is None:
                self.unsharded_state_dict[name] = value.detach().cpu() if isinstance(value, DeviceTensor) else value
                continue
            self.sharded_state_dict[name] = value
            for chunk, shard in _distinct(shards, value.size()):
                index = MetadataIndex(name, chunk.offsets)
                self._shards[index] = data = shard.unpadded_data.contiguous()
                self._items.append(WriteItem(index, WriteItemType.SHARD, tensor_data=TensorWriteData(
                    chunk, TensorProperties.create_from_tensor(data), value.size())))
        self.state_dict = self.unsharded_state_dict

    def create_local_plan(self) -> SavePlan:
        plan = create_default_local_save_plan(self.unsharded_state_dict, self.is_coordinator)
        data = self.mappings if self.flatten_state_dict else None
        self.plan = dataclasses.replace(plan, items=[*plan.items, *self._items], planner_data=data)
        return self.plan

    def lookup_object(self, index: MetadataIndex) -> Any:
        shard = self._shards.get(MetadataIndex(index.fqn, index.offset))
        return super().lookup_object(index) if shard is None else shard


@dataclasses.dataclass
class _Target:
    """A value on its way in: buffers by offset, and how many elements have still to come."""

    value: Any
    shards: list[XLAShard] | None
    chunks: list[ChunkStorageMetadata]
    buffers: dict[torch.Size, torch.Tensor]
    missing: int

    def push(self) -> None:
        """All is there: to the tensor with it."""
        if self.shards is None:
            with torch.no_grad():
                self.value.copy_(next(iter(self.buffers.values())))
            return
        for shard in self.shards:
            start = torch.Size(part.start for part in shard.indices)
            if start in self.buffers and shard.unpadded_data.numel():
                shard.unpadded_data = self.buffers[start]
        if isinstance(self.value, DeviceTensor):
            write_shards(self.value, self.shards)


class SPMDLoadPlanner(DefaultLoadPlanner):
    """Reads what the shards of sharded tensors need, of a checkpoint with any sharding; a tensor of the device is written
    when all of its elements have come."""

    def set_up_planner(self, state_dict, metadata: Metadata | None = None, is_coordinator: bool = False) -> None:
        # PyTorch puts None in the place of values that it does not know.
        flat, paths = flatten_state_dict(state_dict)
        held = {name: value for name, value in flat.items() if isinstance(value, CpuShards)}
        super().set_up_planner(state_dict, metadata, is_coordinator)
        for name, value in held.items():
            set_element(state_dict, paths[name], value)
        self.state_dict.update(held)
        self.sharded_state_dict, self.unsharded_state_dict = {}, {}
        self._targets: dict[str, _Target] = {}
        for name, value in self.state_dict.items():
            shards = _held(value)
            if shards is None:
                self.unsharded_state_dict[name] = value
            else:
                self.sharded_state_dict[name] = value
            if shards is not None or isinstance(value, DeviceTensor):
                self._targets[name] = _target(value, shards)

    def create_local_plan(self) -> LoadPlan:
        # The default plan looks for names of older checkpoints; it is made of all but what is read here.
        own = self._targets
        whole = self.state_dict
        self.state_dict = {name: value for name, value in whole.items() if name not in own}
        default = create_default_local_load_plan(self.state_dict, self.metadata, not self.allow_partial_load)
        self.state_dict = whole
        items: list[ReadItem] = []
        for name, target in own.items():
            saved = self.metadata.state_dict_metadata.get(name)
            if saved is None:
                if self.allow_partial_load:
                    continue
                raise RuntimeError(f"Missing key in checkpoint state_dict: {name}. It has {len(self.metadata.state_dict_metadata)} "
                                   "entries; allow_partial_load=True leaves out what is missing")
            if saved.size != target.value.size():
                raise ValueError(f"Size mismatch between saved {saved.size} and current: {target.value.size()} for {name}")
            items += create_read_items_for_chunk_list(name, saved, target.chunks)
        return LoadPlan([*default.items, *items])

    def lookup_tensor(self, index: MetadataIndex) -> torch.Tensor:
        target = self._targets.get(index.fqn)
        return super().lookup_tensor(index) if target is None else target.buffers[index.offset]

    def commit_tensor(self, read_item: ReadItem, tensor: torch.Tensor) -> None:
        target = self._targets.get(read_item.dest_index.fqn)
        if target is None:
            return
        target.missing -= tensor.numel()
        assert target.missing >= 0, (
            f"{read_item.dest_index.fqn}: {-target.missing} elements more were loaded than the tensor has; chunks of the "
            "checkpoint overlap")
        if target.missing == 0:
            target.push()


def _target(value: Any, shards: list[XLAShard] | None) -> _Target:
    if shards is None:
        chunks = [ChunkStorageMetadata(torch.Size([0] * value.dim()), value.shape)]
    else:
        chunks = [chunk for chunk, _ in _distinct(shards, value.size())]
    dtype = value.dtype if isinstance(value, torch.Tensor) else shards[0].data.dtype
    buffers = {chunk.offsets: torch.empty(chunk.sizes, dtype=dtype) for chunk in chunks}
    return _Target(value, shards, chunks, buffers, sum(one.numel() for one in buffers.values()))
