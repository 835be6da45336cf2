# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches of a loader, sent to the virtual devices in the background and sharded on the way."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ._device import addressable_runtime_device_count
from ._sync import sync
from .annotate import ShardingSpec, mark_sharding
from .mesh import get_1d_mesh
from .tensor import DeviceTensor

__all__ = ["MpDeviceLoader", "send_cpu_data_to_device"]

InputSharding = ShardingSpec | Mapping[str, ShardingSpec | None] | None


def send_cpu_data_to_device(data: Any, device: torch.device | str, input_sharding: InputSharding = None) -> Any:
    """Returns a nested structure with its CPU tensors on the device.

    Args:
        data: Tensors in lists, tuples, dictionaries and the like; what is no CPU tensor stays as it is.
        device: As `shardwise.torch.device()` returns it.
        input_sharding: A `ShardingSpec` for all tensors with as many dimensions as it has, others are replicated; for a
            dictionary one by key, `None` for what is to be replicated. Without it everything is replicated.

    Raises:
        ValueError: There is a sharding by key, but `data` is no dictionary.
        KeyError: A key of `data` has no sharding.
        RuntimeError: A tensor of a `minibatch` does not divide by the number of devices.
    """
    if not isinstance(input_sharding, Mapping):
        return _sent(data, device, input_sharding)
    if not isinstance(data, Mapping):
        raise ValueError(f"input_sharding is a dictionary, but the batch is a {type(data).__name__}; give one ShardingSpec for "
                         "all tensors")
    missing = [key for key in data if key not in input_sharding]
    if missing:
        raise KeyError(f"input_sharding has no entry for {missing}, it has {list(input_sharding)}; None replicates a key")
    sent = {key: _sent(value, device, input_sharding[key]) for key, value in data.items()}
    return sent if type(data) is dict else type(data)(sent)


def _sent(data: Any, device: torch.device | str, sharding: ShardingSpec | None) -> Any:
    if sharding is not None and not isinstance(sharding, ShardingSpec):
        raise TypeError(f"input_sharding must be a ShardingSpec, a dictionary of them, or None; got {sharding!r}")

    def send(one: Any) -> Any:
        if not isinstance(one, torch.Tensor) or isinstance(one, DeviceTensor) or one.device.type != "cpu":
            return one
        if sharding is None or not sharding.can_apply(one):
            return mark_sharding(one.to(device), get_1d_mesh(), (None,) * one.dim())
        count = addressable_runtime_device_count()
        if sharding.minibatch and one.shape[0] % count:
            raise RuntimeError(f"a minibatch of {one.shape[0]} rows does not divide by the {count} devices of this host; "
                               "drop the last batch, or pass minibatch=False")
        return sharding.apply(one.to(device))

    return pytree.tree_map(send, data)


class MpDeviceLoader:
    """Iterates over the batches of a loader, on the device. A thread reads and sends them ahead; each step of the loop
    ends what was recorded in the one before, as `sync` does.

    >>> import torch
    >>> from shardwise.torch import ShardingSpec, device, get_1d_mesh
    >>> batches = [torch.ones(8, 4), torch.zeros(8, 4)]
    >>> loader = MpDeviceLoader(batches, device(), ShardingSpec(get_1d_mesh("data"), ("data", None)))
    >>> [batch.sum().item() for batch in loader]
    [32.0, 0.0]
    """

    def __init__(self, loader: Iterable, device: torch.device | str, input_sharding: InputSharding
                 | Callable[[], Any] = None, *, loader_prefetch_size: int = 8, device_prefetch_size: int = 8,
                 batches_per_execution: int = 1, **ignored: Any):
        """Makes a loader.

        Args:
            loader: What gives batches; a `torch.utils.data.DataLoader`, or any iterable.
            device: As `shardwise.torch.device()` returns it.
            input_sharding: As of `send_cpu_data_to_device`, or a function that returns it.
            loader_prefetch_size: So many batches are read ahead at most, together with
            device_prefetch_size: those that are sent ahead; the larger counts.
            batches_per_execution: After so many batches what was recorded runs.
            ignored: Options of torch_xla about its threads.
        """
        self._loader, self._device, self._sharding = loader, device, input_sharding
        self._ahead = max(1, loader_prefetch_size, device_prefetch_size)
        self._per_execution = max(1, batches_per_execution)

    def __len__(self) -> int:
        return len(self._loader)

    def __iter__(self) -> Iterator[Any]:
        sharding = self._sharding() if callable(self._sharding) else self._sharding
        ready: queue.Queue = queue.Queue(self._ahead)
        stopped = threading.Event()
        thread = threading.Thread(target=self._send, args=(sharding, ready, stopped), daemon=True,
                                  name="shardwise-loader")
        thread.start()
        try:
            for number, (batch, error) in enumerate(iter(ready.get, None)):
                if error is not None:
                    raise error
                if number and number % self._per_execution == 0:
                    sync()
                yield batch
            sync()
        finally:
            # Also of a loop that is left early.
            stopped.set()
            while thread.is_alive():
                try:
                    ready.get(timeout=0.01)
                except queue.Empty:
                    pass

    def _send(self, sharding: InputSharding, ready: queue.Queue, stopped: threading.Event) -> None:
        """What the thread does: puts pairs of a batch and an error, and None at the end."""
        try:
            for batch in self._loader:
                ready.put((send_cpu_data_to_device(batch, self._device, sharding), None))
                if stopped.is_set():
                    break
        except BaseException as error:  # The consumer raises it.
            ready.put((None, error))
        ready.put(None)
