# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ATen ops mean in StableHLO. A function gets the emitter and the arguments of the op, tensors as values of
the program, and returns the value, or several. Ops that are not here are decomposed by PyTorch's own
decompositions, or run by PyTorch on the host (`_fallback`)."""

from . import (
    complex_numbers,
    convolution,
    elementwise,
    fourier,
    indexing,
    matrices,
    normalization,
    optimizers,
    pooling,
    random,
    recurrent,
    recurrent_layers,
    reductions,
    resampling,
    shapes,
    signs,
)
from .registry import LOWERINGS, NUMBERS_ARE_INPUTS

__all__ = ["LOWERINGS", "NUMBERS_ARE_INPUTS", "complex_numbers", "convolution", "elementwise", "fourier", "indexing", "matrices",
           "normalization", "optimizers", "pooling", "random", "recurrent", "recurrent_layers", "reductions", "resampling",
           "shapes", "signs"]
