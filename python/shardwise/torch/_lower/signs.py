# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that look at the sign of a number, which zeros and NaN have too, and the gradients of shrinking functions."""

from __future__ import annotations

import math

import torch

from .._emit import Emitter, Value
from .registry import lower

#: Integers of the size of a floating type.
_BITS = {torch.float64: torch.int64, torch.float32: torch.int32, torch.float16: torch.int16, torch.bfloat16: torch.int16}


@lower("signbit.default")
def signbit(e: Emitter, x: Value) -> Value:
    if x.dtype == torch.bool:
        return e.constant(False, torch.bool, x.shape)
    if x.dtype.is_floating_point:
        x = e.op("bitcast_convert", [x], dtype=_BITS[x.dtype])
    return e.compare("LT", x, 0)


@lower("copysign.Tensor", "copysign.Scalar")
def copysign(e: Emitter, x: Value, sign) -> Value:
    out = e.outs[0]
    size = e.broadcast(e.unary("abs", e.convert(x, out.dtype)), out.shape)
    if isinstance(sign, Value):
        return e.select(e.broadcast(signbit(e, sign), out.shape), e.unary("negate", size), size)
    return e.unary("negate", size) if math.copysign(1.0, sign) < 0 else size


@lower("softshrink_backward.default", "hardshrink_backward.default")
def shrink_backward(e: Emitter, up: Value, x: Value, width) -> Value:
    within = e.binary("and", e.compare("GE", x, -width), e.compare("LE", x, width))
    return e.select(within, e.constant(0, up.dtype, up.shape), up)
