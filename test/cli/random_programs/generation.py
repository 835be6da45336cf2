# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a seed and an index to a program."""

import dataclasses
import random
from typing import Optional

# Families are numbered in the order in which these modules register them: with another order, an
# index would mean another program.
from . import (contractions, reductions, indexing, shapes, elements, control_flow, inner_shardings,
               graphs, numerics, manual_programs, windows, parts)
from .families import FAMILIES
from .program import Program


@dataclasses.dataclass(frozen=True)
class RandomProgram:
    """A program and where it came from.

    Attributes:
        whole: the same computation as a program without parts that are written per device, where
            `text` has such parts and they are few; else None.
    """

    seed: int
    index: int
    family: str
    text: str
    uneven: bool = False
    whole: Optional[str] = None


def generate(seed: int, index: int, uneven: bool = False) -> RandomProgram:
    """Program `index` of a seed; consecutive indices go through the families in turn.

    Where `uneven`, shardings need not divide, and a mesh may have more devices than there are
    elements.
    """
    name = list(FAMILIES)[index % len(FAMILIES)]

    def write(per_device: bool) -> str:
        kind = "/uneven" if uneven else ""
        program = Program(random.Random(f"{seed}/{index}{kind}"), per_device, uneven)
        return program.module(FAMILIES[name](program))

    whole = write(per_device=False) if name.startswith("manual_computation") else None
    return RandomProgram(seed, index, name, write(per_device=True), uneven, whole)
