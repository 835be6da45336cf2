# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The function that one random program consists of."""

import random
from typing import Sequence

from .blocks import Block, Tensor, Value, comma
from .shardings import MESHES, UNEVEN_MESHES, Shardings


class Program(Block):
    """The body of the function of one program; `draw` makes its choices.

    Attributes:
        draw: the source of every random choice.
        shardings: draws shardings on the mesh of the program.
        per_device: false to write the global counterpart of a manual computation instead.
        uneven: whether shardings need not divide.
    """

    ARGUMENT_SHARDED, RESULT_SHARDED = 0.8, 0.6

    def __init__(self, draw: random.Random, per_device: bool = True, uneven: bool = False):
        super().__init__()
        self.draw = draw
        self.mesh = draw.choice(UNEVEN_MESHES if uneven else MESHES)
        self.shardings = Shardings(self.mesh, draw, uneven)
        self.per_device = per_device
        self.uneven = uneven

    def argument(self, *shape: int, element: str = "f32") -> Value:
        """Adds an argument of the function."""
        value = Value(f"%arg{len(self.arguments)}", Tensor(shape, element))
        self.arguments.append(value)
        return value

    def constraint(self, value: Value) -> Value:
        """Appends a sharding constraint."""
        return self.ops("sdy.sharding_constraint", [value], [value.type],
                        f"sharding = {self.shardings.attribute(value.shape)}")[0]

    def _sharded(self, type_: Tensor, share: float) -> str:
        if self.draw.random() >= share:
            return str(type_)
        return f"{type_} {{sdy.sharding = {self.shardings.attribute(type_.shape)}}}"

    def module(self, results: Sequence[Value]) -> str:
        """Text of the module whose function returns these values."""
        self.terminate("func.return", results)
        arguments = comma(f"{value}: {self._sharded(value.type, self.ARGUMENT_SHARDED)}"
                          for value in self.arguments)
        types = comma(self._sharded(value.type, self.RESULT_SHARDED) for value in results)
        return (f"sdy.mesh @mesh = {self.mesh}\n"
                f"func.func public @main({arguments}) -> ({types}) {{\n{self}\n}}\n")
