# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cells of recurrent layers, which PyTorch calls once per time step."""

from __future__ import annotations

from .._emit import Emitter, Value
from .registry import lower


def _gates(e: Emitter, x: Value, h: Value, x_bias, h_bias) -> tuple[Value, Value]:
    if x_bias is not None:
        x, h = e.add(x, x_bias), e.add(h, h_bias)
    return x, h


def _split(e: Emitter, x: Value, count: int) -> list[Value]:
    width = x.shape[1] // count
    return [e.slice_dim(x, 1, i * width, (i + 1) * width) for i in range(count)]


@lower("shardwise.lstm_cell")
def lstm_cell(e: Emitter, x: Value, h: Value, c: Value, x_bias, h_bias):
    """New state, new memory, and the gates for the gradient."""
    i, f, g, o = _split(e, e.add(*_gates(e, x, h, x_bias, h_bias)), 4)
    i, f, o = (e.unary("logistic", one) for one in (i, f, o))
    g = e.unary("tanh", g)
    memory = e.add(e.mul(f, c), e.mul(i, g))
    return e.mul(o, e.unary("tanh", memory)), memory, e.concatenate([i, f, g, o], 1)


@lower("shardwise.lstm_cell_backward")
def lstm_cell_backward(e: Emitter, up_h, up_c, c: Value, memory: Value, gates: Value):
    """Gradients of the gates, of the memory, and of the biases."""
    i, f, g, o = _split(e, gates, 4)
    bent = e.unary("tanh", memory)
    zero = e.constant(0, c.dtype, c.shape)
    up_h = zero if up_h is None else up_h
    up = e.add(e.mul(e.mul(up_h, o), e.sub(1, e.mul(bent, bent))), zero if up_c is None else up_c)
    slopes = [e.mul(e.mul(up, g), e.mul(i, e.sub(1, i))), e.mul(e.mul(up, c), e.mul(f, e.sub(1, f))),
              e.mul(e.mul(up, i), e.sub(1, e.mul(g, g))), e.mul(e.mul(up_h, bent), e.mul(o, e.sub(1, o)))]
    joined = e.concatenate(slopes, 1)
    return joined, e.mul(up, f), e.sum(joined, [0])


@lower("shardwise.gru_cell")
def gru_cell(e: Emitter, x: Value, h: Value, state: Value, x_bias, h_bias):
    """New state, and what the gradient needs."""
    x, h = _gates(e, x, h, x_bias, h_bias)
    (xr, xz, xn), (hr, hz, hn) = _split(e, x, 3), _split(e, h, 3)
    r, z = e.unary("logistic", e.add(xr, hr)), e.unary("logistic", e.add(xz, hz))
    n = e.unary("tanh", e.add(xn, e.mul(r, hn)))
    return e.add(n, e.mul(z, e.sub(state, n))), e.concatenate([r, z, n, state, hn], 1)


@lower("shardwise.gru_cell_backward")
def gru_cell_backward(e: Emitter, up: Value, saved: Value):
    """Gradients of both gates, of the state and of both biases."""
    r, z, n, state, hn = _split(e, saved, 5)
    slope_z = e.mul(e.mul(up, e.sub(state, n)), e.mul(z, e.sub(1, z)))
    slope_n = e.mul(e.mul(up, e.sub(1, z)), e.sub(1, e.mul(n, n)))
    slope_r = e.mul(e.mul(slope_n, hn), e.mul(r, e.sub(1, r)))
    of_x = e.concatenate([slope_r, slope_z, slope_n], 1)
    of_h = e.concatenate([slope_r, slope_z, e.mul(slope_n, r)], 1)
    return of_x, of_h, e.mul(up, z), e.sum(of_x, [0]), e.sum(of_h, [0])
