# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The module `torch.shardwise`, which PyTorch asks what it asks of `torch.cuda`: which devices there are, streams of work, and the state of
random numbers, which `torch.utils.checkpoint` puts back before it computes something again."""

from __future__ import annotations

import contextlib

import torch

from ._seeds import initial_seed, manual_seed, random_state, set_random_state

__all__ = ["DEVICE_TYPE", "Backend"]

DEVICE_TYPE = "shardwise"


class _Stream:
    """The one queue of work, in which all is done when it is read: writers of checkpoints ask for it."""

    device_type = DEVICE_TYPE

    def synchronize(self) -> None:
        pass

    def wait_stream(self, other: _Stream) -> None:
        pass


_STREAM = _Stream()


class _ThisDevice(contextlib.nullcontext):
    """The device in a `with` statement; there is one."""

    def __init__(self, device: object = None):
        super().__init__()


class Backend:
    """What PyTorch asks of `torch.shardwise`. Devices are arguments as there, and all mean the one that there is."""

    #: Whether there are states of random numbers to be kept.
    _initialized = True
    device = _ThisDevice

    @staticmethod
    def current_stream(device: object = None) -> _Stream:
        return _STREAM

    @staticmethod
    def stream(stream: _Stream) -> contextlib.AbstractContextManager:
        return contextlib.nullcontext()

    @staticmethod
    def synchronize(device: object = None) -> None:
        """Runs end before the function that started them returns."""

    @staticmethod
    def is_available() -> bool:
        return True

    @staticmethod
    def is_initialized() -> bool:
        return True

    @staticmethod
    def device_count() -> int:
        return 1

    @staticmethod
    def current_device() -> int:
        return 0

    @staticmethod
    def set_device(device: object) -> None:
        pass

    @staticmethod
    def _is_in_bad_fork() -> bool:
        return False

    @staticmethod
    def manual_seed(seed: int) -> None:
        manual_seed(seed)

    @staticmethod
    def manual_seed_all(seed: int) -> None:
        manual_seed(seed)

    @staticmethod
    def initial_seed() -> int:
        return initial_seed()

    @staticmethod
    def get_rng_state(device: object = None) -> torch.Tensor:
        return random_state()

    @staticmethod
    def set_rng_state(state: torch.Tensor, device: object = None) -> None:
        set_random_state(state)

    @staticmethod
    def get_amp_supported_dtype() -> list[torch.dtype]:
        return [torch.bfloat16, torch.float16]
