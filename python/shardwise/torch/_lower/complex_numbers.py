# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers: their parts, conjugates and magnitudes.

To PyTorch the conjugate and the parts of a tensor are views of its memory; a bit says that elements are to be read as
conjugates. Here views are ops on values (`_views`): `conj` is an op that changes the sign of the second part, and
`view_as_real` puts both parts side by side. Nothing here has that bit.
"""

from __future__ import annotations

import torch

from .._emit import Emitter, Value
from .registry import lower


def parts(e: Emitter, x: Value) -> tuple[Value, Value]:
    """Returns the real and the imaginary part."""
    dtype = x.dtype.to_real()
    return e.op("real", [x], dtype=dtype), e.op("imag", [x], dtype=dtype)


def joined(e: Emitter, real: Value, imaginary: Value) -> Value:
    """Returns the complex numbers of two parts."""
    return e.op("complex", [real, imaginary], dtype=real.dtype.to_complex())


def magnitude(e: Emitter, x: Value) -> Value:
    """Returns |x|, which is real."""
    return e.op("abs", [x], dtype=x.dtype.to_real()) if x.dtype.is_complex else e.unary("abs", x)


def squared_magnitude(e: Emitter, x: Value) -> Value:
    """Returns |x|^2, which is real."""
    if not x.dtype.is_complex:
        return e.mul(x, x)
    real, imaginary = parts(e, x)
    return e.add(e.mul(real, real), e.mul(imaginary, imaginary))


@lower("_conj.default", "_conj_physical.default", "conj_physical.default")
def conj(e: Emitter, x: Value) -> Value:
    if not x.dtype.is_complex:
        return x
    real, imaginary = parts(e, x)
    return joined(e, real, e.unary("negate", imaginary))


@lower("_neg_view.default")
def neg_view(e: Emitter, x: Value) -> Value:
    return e.unary("negate", x)


@lower("view_as_real.default", "view_as_real_copy.default")
def view_as_real(e: Emitter, x: Value) -> Value:
    columns = [e.reshape(one, (*x.shape, 1)) for one in parts(e, x)]
    return e.concatenate(columns, x.rank)


@lower("view_as_complex.default", "view_as_complex_copy.default")
def view_as_complex(e: Emitter, x: Value) -> Value:
    shape = x.shape[:-1]
    real, imaginary = (e.reshape(e.slice_dim(x, x.rank - 1, i, i + 1), shape) for i in range(2))
    return joined(e, real, imaginary)


@lower("complex.default")
def complex_(e: Emitter, real: Value, imaginary: Value) -> Value:
    shape = e.outs[0].shape
    return joined(e, e.broadcast(real, shape), e.broadcast(imaginary, shape))


@lower("polar.default")
def polar(e: Emitter, size: Value, angle: Value) -> Value:
    shape = e.outs[0].shape
    size, angle = e.broadcast(size, shape), e.broadcast(angle, shape)
    return joined(e, e.mul(size, e.unary("cosine", angle)), e.mul(size, e.unary("sine", angle)))
