# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The guard of the device, which PyTorch has for every device, and exceptions in backward passes, which must pass it.

PyTorch asks the guard for the type of the device around every op of a backward pass, also while an exception goes through its
C++. What answers is of C++, since no Python may run then; it keeps the exception, and the engine below raises it again where
PyTorch has none left to raise.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd.variable import Variable

from .. import _core

__all__ = ["keep_errors_of_backward", "make_guard"]

_ANSWER = _core.GuardAnswer(torch._C._autograd.DeviceType.PrivateUse1)


class _Guard(torch._C._acc.DeviceGuard):
    """Says of which type the device is."""

    type_ = _ANSWER


def make_guard() -> torch._C._acc.DeviceGuard:
    """Returns the guard, for PyTorch to register."""
    return _Guard()


class _Engine(type(Variable._execution_engine)):
    """PyTorch's engine for backward passes."""

    def run_backward(self, *args: Any, **kwargs: Any) -> Any:
        _ANSWER.forget_error()
        try:
            return super().run_backward(*args, **kwargs)
        except SystemError as lost:
            error = _ANSWER.take_error() or lost
        raise error


def keep_errors_of_backward() -> None:
    """Has backward passes raise what was raised in them."""
    Variable._execution_engine = _Engine()
