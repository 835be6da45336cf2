# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random StableHLO programs with random shardings, the same for the same seed and index.

Every program is small and valid, and partitions evenly as written, or unevenly if asked for:
whatever the partitioner does with it, the devices together must compute what the unpartitioned
program computes.

    program = generate(seed=0, index=17)
    program.family, program.text
    generate(seed=0, index=17, uneven=True)
"""

from .families import FAMILIES
from .generation import RandomProgram, generate

__all__ = ["FAMILIES", "RandomProgram", "generate"]
