# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table from ATen ops to functions that write StableHLO for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["LOWERINGS", "NUMBERS_ARE_INPUTS", "lower"]

#: By name of the op with its overload, `add.Tensor`.
LOWERINGS: dict[str, Callable[..., Any]] = {}

#: Ops whose Python floats may differ from step to step, as learning rates do: they become inputs of the program.
NUMBERS_ARE_INPUTS: set[str] = set()


def lower(*names: str, numbers: bool = False):
    """Registers the function below as what writes the ops called `names`.

    Args:
        names: Names with overloads, without `aten`.
        numbers: Whether Python floats among the arguments become inputs of the program.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            LOWERINGS[name] = function
        if numbers:
            NUMBERS_ARE_INPUTS.update(names)
        return function

    return register
