# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When the user says that what was recorded is to run."""

from __future__ import annotations

from ._run import run_pending

__all__ = ["sync", "wait_device_ops"]


def sync(wait: bool = False) -> None:
    """Runs what was recorded: every tensor that is alive has its elements afterwards.

    Args:
        wait: Accepted for code that was written for torch_xla. Runs have ended when this returns.
    """
    run_pending()


def wait_device_ops() -> None:
    """Waits for the devices. Runs end before the function that started them returns, so there is nothing to wait for."""
