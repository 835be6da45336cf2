# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device that PyTorch sees: one, called `shardwise`, which stands for all virtual devices. And the counts of
those, as users of torch_xla ask for them."""

from __future__ import annotations

import os
import warnings

import torch
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

from ._backend import DEVICE_TYPE, Backend
from ._guard import keep_errors_of_backward, make_guard

__all__ = ["device", "global_runtime_device_count", "is_spmd", "use_spmd"]

_DEFAULT_DEVICES = 8
_state = {"spmd": False}


def register() -> None:
    """Makes the device known to PyTorch; once per process."""
    _setup_privateuseone_for_python_backend(DEVICE_TYPE, Backend(), device_guard=make_guard())
    keep_errors_of_backward()
    # Backward passes run in the thread that calls them: they only record, and another thread would wait for the
    # interpreter's lock at each op.
    torch.autograd.set_multithreading_enabled(False)


def device(index: int | None = None) -> torch.device:
    """Returns the device that stands for all virtual devices: for `.to`, `device=` and `with`.

    Args:
        index: 0 or nothing; there is one.

    Raises:
        ValueError: The index is another one.

    >>> import torch
    >>> torch.ones(2, device=device()).sum().item()
    2.0
    """
    if index not in (None, 0):
        raise ValueError(f"there is no device {index}: one device, 0, stands for all virtual devices; shard tensors "
                         "with mark_sharding to place parts of them")
    return torch.device(DEVICE_TYPE, 0)


def global_runtime_device_count() -> int:
    """Returns the number of virtual devices: `SHARDWISE_NUM_DEVICES`, else `CPU_NUM_DEVICES`, else 8."""
    for name in ("SHARDWISE_NUM_DEVICES", "CPU_NUM_DEVICES"):
        text = os.environ.get(name)
        if text:
            if not text.strip().isdecimal() or int(text) < 1:
                raise ValueError(f"{name} is {text!r}; expected a number of devices, 1 or more")
            return int(text)
    return _DEFAULT_DEVICES


def addressable_runtime_device_count() -> int:
    """Returns the number of virtual devices of this process: all."""
    return global_runtime_device_count()


def global_runtime_device_attributes() -> list[dict[str, object]]:
    """Returns a dictionary per virtual device, with its `name`."""
    return [{"name": f"CPU:{i}"} for i in range(global_runtime_device_count())]


def _one() -> int:
    return 1


def _zero() -> int:
    return 0


def global_device_count() -> int:
    """Returns 1: one device stands for all."""
    return _one()


def local_device_count() -> int:
    """Returns 1: one device stands for all."""
    return _one()


def addressable_device_count() -> int:
    """Returns 1: one device stands for all."""
    return _one()


def world_size() -> int:
    """Returns 1: one device stands for all."""
    return _one()


def process_count() -> int:
    """Returns 1: one process runs all virtual devices."""
    return _one()


def local_process_count() -> int:
    """Returns 1: one process runs all virtual devices."""
    return _one()


def global_ordinal() -> int:
    """Returns 0, the ordinal of the one device."""
    return _zero()


def local_ordinal() -> int:
    """Returns 0, the ordinal of the one device."""
    return _zero()


def process_index() -> int:
    """Returns 0, the index of the one process."""
    return _zero()


def use_spmd(auto: bool = False) -> None:
    """Turns the SPMD mode on: from now on tensors may be sharded.

    Args:
        auto: Whether shardings are also chosen where none are given. Not yet: raises.

    Raises:
        NotImplementedError: `auto` is true.
    """
    if auto:
        raise NotImplementedError("use_spmd(auto=True): shardings are not chosen by themselves yet; annotate inputs and "
                                  "parameters with mark_sharding")
    if os.environ.get("XLA_USE_SPMD") not in (None, "", "0") and not _state["spmd"]:
        warnings.warn("XLA_USE_SPMD was set by hand, which is deprecated; call use_spmd()", DeprecationWarning,
                      stacklevel=2)
    _state["spmd"] = True
    os.environ["XLA_USE_SPMD"] = "1"


def is_spmd() -> bool:
    """Returns whether the SPMD mode is on: it reads the variable `XLA_USE_SPMD`."""
    return os.environ.get("XLA_USE_SPMD", "0") not in ("", "0")


def is_auto_spmd() -> bool:
    """Returns whether shardings are chosen where none are given."""
    return False
