# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that widen what the examples cover: plain JAX, one module per family, small shapes."""

from models import (
    adam,
    convnet,
    embedding,
    experts,
    generation,
    linear_algebra,
    mathematics,
    mlp,
    random_streams,
    recurrence,
    transformer,
)
from programs.program import Program

PROGRAMS: dict[str, Program] = {
    program.name: program
    for module in (
        mlp,
        transformer,
        convnet,
        recurrence,
        embedding,
        adam,
        experts,
        linear_algebra,
        generation,
        random_streams,
        mathematics,
    )
    for program in module.PROGRAMS
}
