# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The example programs: plain JAX, one module per model family."""

from programs import convnet, mlp, rnn, transformer
from programs.program import Program

PROGRAMS: dict[str, Program] = {
    program.name: program
    for module in (mlp, transformer, convnet, rnn)
    for program in module.PROGRAMS
}
