# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that widen what the examples cover: plain JAX, one module per family, small shapes."""

from models import (
    adam,
    adaptation,
    attention,
    convnet,
    embedding,
    experts,
    generation,
    linear_algebra,
    manual,
    mathematics,
    mlp,
    random_streams,
    recurrence,
    training,
    transformer,
    uneven,
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
        adaptation,
        attention,
        training,
        manual,
        uneven,
    )
    for program in module.PROGRAMS
}
