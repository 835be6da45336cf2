# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The register of families: functions that each write one kind of program."""

from typing import Callable

from .blocks import Value
from .program import Program

Family = Callable[[Program], list[Value]]
FAMILIES: dict[str, Family] = {}


def family(*variants) -> Callable:
    """Registers a function that writes programs and returns their results.

    With variants, each becomes a family of its own, given to the function as second argument.
    """
    def register(function: Callable) -> Callable:
        name = function.__name__.rstrip("_")
        if not variants:
            FAMILIES[name] = function
        for variant in variants:
            FAMILIES[f"{name}/{variant}"] = lambda program, v=variant: function(program, v)
        return function
    return register
