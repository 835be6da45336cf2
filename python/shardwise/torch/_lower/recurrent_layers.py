# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers in one direction, as loops over time.

Only what depends on the step before is in a loop. What the inputs give to all gates at all times is one product before it; the
gradients of weights, biases and inputs are products and sums over all times behind it. So of an LSTM with T steps

    forward    inputs = x @ w_ih.T + b_ih              [T, B, 4H], once
               each step: inputs[t] + h @ w_hh.T + b_hh -> gates, new c, new h; those are kept, each in one tensor
    backward   each step, the last one first: slopes[t] of the gates; slopes[t] @ w_hh goes to the step before
               w_ih.grad = slopes.T @ x, w_hh.grad = slopes.T @ (h before), over all T * B, once

The dimension of time is where the program has it, 0 or 1, and nothing is transposed.

Each kind of layer is a class with the same functions: what a step does, which slopes its gates have, and which of them go to what
the state gave, where these are others than those that go to what the inputs gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._emit import Emitter, Value
from .loops import loop, put_at, take_at
from .registry import lower

__all__ = ["KINDS", "Direction"]


class Direction(NamedTuple):
    """A layer in one direction.

    Attributes:
        kind: "lstm", "gru", "rnn_tanh" or "rnn_relu".
        time: The dimension of time in inputs and outputs, 0 or 1.
        reverse: Whether it begins with the last time.
    """

    kind: str
    time: int
    reverse: bool


def _split(e: Emitter, x: Value, count: int) -> list[Value]:
    dim = x.rank - 1
    width = x.shape[dim] // count
    return [e.slice_dim(x, dim, i * width, (i + 1) * width) for i in range(count)]


def _slope(e: Emitter, sigmoid: Value) -> Value:
    return e.mul(sigmoid, e.sub(1, sigmoid))


def _bend(e: Emitter, tangent: Value) -> Value:
    return e.sub(1, e.mul(tangent, tangent))


class _LSTM:
    """Keeps the four gates and the memory of each step."""

    gates, kept, has_memory, before = 4, 5, True, "memory"

    @staticmethod
    def step(e: Emitter, inputs: Value, states: Value, h: Value, c: Value | None):
        i, f, g, o = _split(e, e.add(inputs, states), 4)
        i, f, o = (e.unary("logistic", one) for one in (i, f, o))
        g = e.unary("tanh", g)
        memory = e.add(e.mul(f, c), e.mul(i, g))
        return e.mul(o, e.unary("tanh", memory)), memory, (i, f, g, o, memory)

    @staticmethod
    def back(e: Emitter, up: Value, up_memory: Value, kept: Sequence[Value], before: Value):
        """Slopes of the gates, what goes to the memory before, and what to the state before beside the product."""
        i, f, g, o, memory = kept
        bent = e.unary("tanh", memory)
        up_memory = e.add(up_memory, e.mul(e.mul(up, o), _bend(e, bent)))
        slopes = [e.mul(e.mul(up_memory, g), _slope(e, i)), e.mul(e.mul(up_memory, before), _slope(e, f)),
                  e.mul(e.mul(up_memory, i), _bend(e, g)), e.mul(e.mul(up, bent), _slope(e, o))]
        return slopes, e.mul(up_memory, f), None

    @staticmethod
    def of_states(e: Emitter, slopes: Value, kept: Sequence[Value]) -> Value:
        return slopes


class _GRU:
    """Keeps both gates, the new state that was proposed, and what the old one gave to it."""

    gates, kept, has_memory, before = 3, 4, False, "state"

    @staticmethod
    def step(e: Emitter, inputs: Value, states: Value, h: Value, c: Value | None):
        (xr, xz, xn), (hr, hz, hn) = _split(e, inputs, 3), _split(e, states, 3)
        r, z = e.unary("logistic", e.add(xr, hr)), e.unary("logistic", e.add(xz, hz))
        n = e.unary("tanh", e.add(xn, e.mul(r, hn)))
        return e.add(n, e.mul(z, e.sub(h, n))), None, (r, z, n, hn)

    @staticmethod
    def back(e: Emitter, up: Value, up_memory: None, kept: Sequence[Value], before: Value):
        r, z, n, hn = kept
        of_n = e.mul(e.mul(up, e.sub(1, z)), _bend(e, n))
        of_z = e.mul(e.mul(up, e.sub(before, n)), _slope(e, z))
        of_r = e.mul(e.mul(of_n, hn), _slope(e, r))
        return [of_r, of_z, of_n], None, e.mul(up, z)

    @staticmethod
    def of_states(e: Emitter, slopes: Value, kept: Sequence[Value]) -> Value:
        of_r, of_z, of_n = _split(e, slopes, 3)
        return e.concatenate([of_r, of_z, e.mul(of_n, kept[0])], slopes.rank - 1)


class _RNN:
    """Keeps nothing more: the slope is a function of the new state, which is an output."""

    gates, kept, has_memory, before = 1, 0, False, None

    @classmethod
    def step(cls, e: Emitter, inputs: Value, states: Value, h: Value, c: Value | None):
        return cls.bent(e, e.add(inputs, states)), None, ()

    @classmethod
    def back(cls, e: Emitter, up: Value, up_memory: None, kept: Sequence[Value], before: None):
        return [cls.slope(e, up, kept[0])], None, None

    @staticmethod
    def of_states(e: Emitter, slopes: Value, kept: Sequence[Value]) -> Value:
        return slopes


class _TanhRNN(_RNN):
    @staticmethod
    def bent(e: Emitter, x: Value) -> Value:
        return e.unary("tanh", x)

    @staticmethod
    def slope(e: Emitter, up: Value, state: Value) -> Value:
        return e.mul(up, _bend(e, state))


class _ReluRNN(_RNN):
    @staticmethod
    def bent(e: Emitter, x: Value) -> Value:
        return e.binary("maximum", x, 0)

    @staticmethod
    def slope(e: Emitter, up: Value, state: Value) -> Value:
        return e.select(e.compare("GT", state, 0), up, 0)


KINDS = {"lstm": _LSTM, "gru": _GRU, "rnn_tanh": _TanhRNN, "rnn_relu": _ReluRNN}


@lower("shardwise.recurrent")
def recurrent(e: Emitter, kind: str, time: int, reverse: bool, x: Value, weights: Sequence[Value | None], h: Value,
              c: Value | None):
    """The states of all times, the last state and memory, and what the gradient needs if `outs` has it.

    Args:
        weights: Of the inputs and of the state, biases of both or `None`, and the projection of the state or `None`.
    """
    layer, sequence_shape = KINDS[kind], e.outs[0].shape
    of_x, of_h, x_bias, h_bias, projection = weights
    inputs = e.dot(x, of_x, ([2], [1]))
    if x_bias is not None:
        inputs = e.add(inputs, x_bias)
    keeps = len(e.outs) > 3
    stacks = [e.constant(0, x.dtype, sequence_shape)]
    if keeps:
        stacks += [e.constant(0, x.dtype, one.shape) for one in e.outs[3:]]
    states = [h, c] if layer.has_memory else [h]

    def step(inner: Emitter, at: Value, carried: list[Value]) -> list[Value]:
        h, c = carried[0], carried[1] if layer.has_memory else None
        of_state = inner.dot(h, of_h, ([1], [1]))
        if h_bias is not None:
            of_state = inner.add(of_state, h_bias)
        h, c, kept = layer.step(inner, take_at(inner, inputs, time, at), of_state, h, c)
        if projection is not None:
            h = inner.dot(h, projection, ([1], [1]))
        written = [put_at(inner, stack, time, at, one) for stack, one in zip(carried[len(states):], (h, *kept))]
        return [h, *([c] if layer.has_memory else []), *written]

    h, *rest = loop(e, x.shape[time], reverse, states + stacks, step)
    c = rest.pop(0) if layer.has_memory else None
    return (rest[0], h, c, *rest[1:])


def _before(e: Emitter, direction: Direction, values: Value, first: Value) -> Value:
    """What each step had before it: the values of the times before, and at first what the layer began with."""
    _, time, reverse = direction
    count = values.shape[time]
    first = e.reshape(first, [1 if i == time else size for i, size in enumerate(values.shape)])
    if reverse:
        return e.concatenate([e.slice_dim(values, time, 1, count), first], time)
    return e.concatenate([first, e.slice_dim(values, time, 0, count - 1)], time)


@lower("shardwise.recurrent_backward")
def recurrent_backward(e: Emitter, kind: str, time: int, reverse: bool, x: Value, weights: Sequence[Value | None], h: Value,
                       c: Value | None, sequence: Value, kept: Sequence[Value], ups: Sequence[Value | None]):
    """Gradients of first state and memory, of the inputs and of the weights; those that `outs` has.

    Args:
        weights: As in the forward pass.
        sequence: The states of all times.
        kept: What the forward pass kept.
        ups: Gradients of the states of all times, of the last state and the last memory; `None` is zero.
    """
    layer, direction = KINDS[kind], Direction(kind, time, reverse)
    of_x, of_h, _, _, projection = weights
    kept = kept or [sequence]
    state_before = _before(e, direction, sequence, h)
    before = {"state": state_before, "memory": layer.has_memory and _before(e, direction, kept[-1], c), None: None}[layer.before]
    up_sequence, up_h, up_c = ups
    states = [e.constant(0, h.dtype, h.shape) if up_h is None else up_h]
    if layer.has_memory:
        states.append(e.constant(0, c.dtype, c.shape) if up_c is None else up_c)
    stacks = [e.constant(0, x.dtype, [*x.shape[:2], of_h.shape[0]])]
    if projection is not None:
        stacks.append(e.constant(0, x.dtype, sequence.shape))

    def step(inner: Emitter, at: Value, carried: list[Value]) -> list[Value]:
        up, up_memory = carried[0], carried[1] if layer.has_memory else None
        stacks = carried[len(states):]
        if up_sequence is not None:
            up = inner.add(up, take_at(inner, up_sequence, time, at))
        written = []
        if projection is not None:
            written.append(put_at(inner, stacks[1], time, at, up))
            up = inner.dot(up, projection, ([1], [0]))
        own = [take_at(inner, one, time, at) for one in kept]
        slopes, memory, direct = layer.back(inner, up, up_memory, own, before and take_at(inner, before, time, at))
        joined = inner.concatenate(slopes, 1)
        written.insert(0, put_at(inner, stacks[0], time, at, joined))
        state = inner.dot(layer.of_states(inner, joined, own), of_h, ([1], [0]))
        state = state if direct is None else inner.add(state, direct)
        return [state, *([memory] if layer.has_memory else []), *written]

    of_state, *rest = loop(e, x.shape[time], not reverse, states + stacks, step)
    of_memory = rest.pop(0) if layer.has_memory else None
    slopes = rest[0]
    of_states = layer.of_states(e, slopes, kept)
    over_all = ([0, 1], [0, 1])
    # Only what is asked for is written.
    gradients = [
        lambda: of_state, lambda: of_memory, lambda: e.dot(slopes, of_x, ([2], [0])), lambda: e.dot(slopes, x, over_all),
        lambda: e.dot(of_states, state_before, over_all), lambda: e.sum(slopes, [0, 1]), lambda: e.sum(of_states, [0, 1]),
        lambda: e.dot(rest[1], e.mul(kept[3], e.unary("tanh", kept[4])), over_all)]
    return tuple(None if meta is None else gradient() for meta, gradient in zip(e.outs, gradients))
