# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random StableHLO programs over all ops that the evaluators must have.

`generate(seed, index)` gives the same program and data each time. Every family of ops is a module
with a table FAMILIES: a function that adds such an op to a program, and its weight.
"""

from random_stablehlo import (contractions, control_flow, elementwise, indexing, reductions,
                              shapes)
from random_stablehlo.builder import Builder
from random_stablehlo.program import Program

FAMILIES = {function: weight
            for module in (elementwise, shapes, contractions, indexing, reductions, control_flow)
            for function, weight in module.FAMILIES.items()}


def generate(seed: int, index: int) -> Program:
    """Returns program number `index` of `seed`: 1 to 12 operations and what they need."""
    builder = Builder(seed, index)
    functions, weights = zip(*FAMILIES.items())
    chances = [weight / sum(weights) for weight in weights]
    for _ in range(builder.integer(1, 12)):
        functions[builder.random.choice(len(functions), p=chances)](builder)
    return builder.program()
