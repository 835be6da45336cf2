# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products."""

from __future__ import annotations

from .._emit import Emitter, Value
from .complex_numbers import conj
from .elementwise import scaled
from .registry import lower


@lower("mm.default")
def mm(e: Emitter, a: Value, b: Value) -> Value:
    return e.dot(a, b, ([1], [0]))


@lower("bmm.default")
def bmm(e: Emitter, a: Value, b: Value) -> Value:
    return e.dot(a, b, ([2], [1]), ([0], [0]))


@lower("mv.default")
def mv(e: Emitter, a: Value, b: Value) -> Value:
    return e.dot(a, b, ([1], [0]))


@lower("dot.default")
def dot(e: Emitter, a: Value, b: Value) -> Value:
    return e.dot(a, b, ([0], [0]))


@lower("vdot.default")
def vdot(e: Emitter, a: Value, b: Value) -> Value:
    return dot(e, conj(e, a), b)


def _plus(e: Emitter, bias: Value, product: Value, beta, alpha) -> Value:
    return e.add(e.broadcast(scaled(e, bias, beta), product.shape), scaled(e, product, alpha))


@lower("addmm.default")
def addmm(e: Emitter, bias: Value, a: Value, b: Value, *, beta=1, alpha=1) -> Value:
    return _plus(e, bias, mm(e, a, b), beta, alpha)


@lower("addmv.default")
def addmv(e: Emitter, bias: Value, a: Value, b: Value, *, beta=1, alpha=1) -> Value:
    return _plus(e, bias, mv(e, a, b), beta, alpha)


@lower("baddbmm.default")
def baddbmm(e: Emitter, bias: Value, a: Value, b: Value, *, beta=1, alpha=1) -> Value:
    return _plus(e, bias, bmm(e, a, b), beta, alpha)


@lower("addbmm.default")
def addbmm(e: Emitter, bias: Value, a: Value, b: Value, *, beta=1, alpha=1) -> Value:
    return _plus(e, bias, e.sum(bmm(e, a, b), [0]), beta, alpha)


@lower("shardwise.linear")
def linear(e: Emitter, x: Value, weight: Value) -> Value:
    return e.dot(x, weight, ([x.rank - 1], [1]))


@lower("shardwise.linear_weight_gradient")
def linear_weight_gradient(e: Emitter, gradient: Value, x: Value) -> Value:
    kept = list(range(x.rank - 1))
    return e.dot(gradient, x, (kept, kept))


@lower("shardwise.linear_input_gradient")
def linear_input_gradient(e: Emitter, gradient: Value, weight: Value) -> Value:
    return e.dot(gradient, weight, ([gradient.rank - 1], [0]))
