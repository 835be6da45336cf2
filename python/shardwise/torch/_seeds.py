# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeds of random numbers on the device: a draw is a hash of the seed that the user set and of the number of the draw."""

from __future__ import annotations

import torch

__all__ = ["manual_seed", "next_seed", "random_state", "set_random_state"]

_state = {"seed": 0, "draws": 0}
_MASK = 2 ** 64 - 1


def manual_seed(seed: int) -> None:
    """Sets the seed of random numbers on the device; `torch.manual_seed` does it too.

    Args:
        seed: Any whole number.
    """
    _state["seed"], _state["draws"] = int(seed), 0


def next_seed() -> int:
    """Returns the seed of the next draw. Below 2^52, so that it is exact in f64."""
    _state["draws"] += 1
    mixed = (_state["seed"] * 0x9E3779B97F4A7C15 + _state["draws"] * 0xD1B54A32D192ED03) & _MASK
    mixed ^= mixed >> 29
    return (mixed * 0xBF58476D1CE4E5B9 & _MASK) >> 12


def initial_seed() -> int:
    """Returns the seed that was set last."""
    return _state["seed"]


def random_state() -> torch.Tensor:
    """Returns which numbers come next, as PyTorch keeps it: 16 bytes on the CPU."""
    words = ((_state["seed"] & _MASK).to_bytes(8, "little"), _state["draws"].to_bytes(8, "little"))
    return torch.frombuffer(bytearray(b"".join(words)), dtype=torch.uint8)


def set_random_state(state: torch.Tensor) -> None:
    """Has the numbers come next that came when `random_state` gave this.

    Args:
        state: 16 bytes on the CPU.

    Raises:
        RuntimeError: It is something else.
    """
    if state.dtype != torch.uint8 or state.numel() != 16 or state.device.type != "cpu":
        raise RuntimeError(f"a state of random numbers is 16 bytes on the CPU, as get_rng_state() gives it; got "
                           f"{list(state.shape)} {state.dtype} on {state.device}")
    data = bytes(state.tolist())
    _state["seed"], _state["draws"] = (int.from_bytes(data[at:at + 8], "little") for at in (0, 8))
