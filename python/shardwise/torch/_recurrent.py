# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`nn.LSTM`, `nn.GRU` and `nn.RNN`. PyTorch has them in ops for each time; here a layer in one direction is one op, a loop over
time (`_lower/recurrent_layers`), and so is its gradient.

Left to PyTorch, step by step, are packed sequences, mixed precision, manual regions, what has wrong shapes and is refused there, and
the gradient of a gradient: that one is of the same layer by steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ._backend import DEVICE_TYPE
from ._dispatch import fresh, special
from ._lower.recurrent_layers import KINDS, Direction
from ._meta import intern_meta
from ._record import record
from .tensor import DeviceTensor, ManualTensor, XLAShardedTensor

__all__ = ["register"]

aten = torch.ops.aten
_OPS = {"lstm": aten.lstm.input, "gru": aten.gru.input, "rnn_tanh": aten.rnn_tanh.input, "rnn_relu": aten.rnn_relu.input}


def _recorded(name: str, direction: Direction, tensors: Sequence[Any], shapes) -> list[Any]:
    """Records an op of ours; results have the given shapes, `None` where there is none."""
    flat = [one for part in tensors for one in (part if isinstance(part, (list, tuple)) else (part,)) if one is not None]
    dtype = flat[0].dtype
    outs = tuple(None if shape is None else intern_meta(shape, None, 0, dtype) for shape in shapes)
    nodes, metas = record(name, (*direction, *tensors), {}, outs=outs)
    cls = XLAShardedTensor if any(isinstance(one, XLAShardedTensor) for one in flat) else DeviceTensor
    return [None if node is None else fresh(cls, node, meta) for node, meta in zip(nodes, metas)]


def _forward(direction: Direction, x, weights, h, c, keeps: bool) -> list[Any]:
    """States of all times, last state, last memory, and what the gradient needs."""
    sequence = (*x.shape[:2], h.shape[1])
    layer = KINDS[direction.kind]
    shapes = [sequence, h.shape, None if c is None else c.shape]
    if keeps:
        shapes += [(*x.shape[:2], weights[1].shape[0] // layer.gates)] * layer.kept
    return _recorded("shardwise.recurrent", direction, (x, list(weights), h, c), shapes)


class _Layer(torch.autograd.Function):
    """A layer in one direction: of inputs, first state and memory, and weights, the states of all times, the last state and memory."""

    @staticmethod
    def forward(ctx, direction: Direction, x, h, c, *weights):
        sequence, last, memory, *kept = _forward(direction, x, weights, h, c, keeps=True)
        ctx.direction = direction
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x, h, c, *weights, sequence, *kept)
        return sequence, last, memory

    @staticmethod
    def backward(ctx, *ups):
        x, h, c, *rest = ctx.saved_tensors
        weights, (sequence, *kept) = rest[:5], rest[5:]
        needed = ctx.needs_input_grad[1:]
        if torch.is_grad_enabled():
            return None, *_backward_by_steps(ctx.direction, (x, h, c, *weights), needed, ups)
        of = [h, c, x, *weights]
        # That of the first state is always written: a call has at least one result.
        wanted = [True, needed[2], needed[0], *needed[3:]]
        shapes = [one.shape if need and one is not None else None for one, need in zip(of, wanted)]
        of_h, of_c, of_x, *of_weights = _recorded(
            "shardwise.recurrent_backward", ctx.direction, (x, weights, h, c, sequence, kept, list(ups)), shapes)
        return None, of_x, of_h if needed[1] else None, of_c, *of_weights


def _by_steps(direction: Direction, x, h, c, *weights):
    """The same layer in PyTorch's ops."""
    kind, time, reverse = direction
    x = x.flip(time) if reverse else x
    state = h.unsqueeze(0) if c is None else [h.unsqueeze(0), c.unsqueeze(0)]
    parameters = [one for one in weights if one is not None]
    sequence, *last = _OPS[kind].decompose(x, state, parameters, weights[2] is not None, 1, 0.0, False, False, time == 1)
    return (sequence.flip(time) if reverse else sequence, *(one.squeeze(0) for one in last), *([None] if c is None else []))


def _backward_by_steps(direction: Direction, tensors, needed, ups) -> list[Any]:
    """Gradients that have gradients themselves."""
    outs = _by_steps(direction, *tensors)
    pairs = [(out, up) for out, up in zip(outs, ups) if up is not None]
    of = [one for one, need in zip(tensors, needed) if need]
    found = iter(torch.autograd.grad([out for out, _ in pairs], of, [up for _, up in pairs], create_graph=True, allow_unused=True))
    return [next(found) if need else None for need in needed]


def _layer(direction: Direction, x, h, c, weights):
    tensors = [one for one in (x, h, c, *weights) if one is not None]
    if torch.is_grad_enabled() and any(one.requires_grad for one in tensors):
        return _Layer.apply(direction, x, h, c, *weights)
    return _forward(direction, x, weights, h, c, keeps=False)


def _weights_of(parameters: Sequence[Any], has_biases: bool, projects: bool) -> list[tuple]:
    """Of each layer and direction: weights of inputs and state, biases of both, and the projection; `None` where there is none."""
    size = 2 + 2 * has_biases + projects
    found = []
    for i in range(0, len(parameters), size):
        own = list(parameters[i:i + size])
        projection = own.pop() if projects and len(own) == size else None
        found.append((*own, *[None] * (4 - len(own)), projection))
    return found


def _is_regular(kind: str, x, states: Sequence[Any], layers: Sequence[tuple], directions: int, batch_first: bool) -> bool:
    """Whether all is on the device, of one type, and of the shapes of such a layer."""
    tensors = [x, *states, *(one for own in layers for one in own if one is not None)]
    if not all(isinstance(one, DeviceTensor) and not isinstance(one, ManualTensor) and one.dtype == x.dtype for one in tensors):
        return False
    if not x.dtype.is_floating_point or any(one.dim() != 3 or 0 in one.shape for one in (x, *states)):
        return False
    outside = (len(layers), x.shape[0 if batch_first else 1])
    state, width = states[0].shape[2], states[-1].shape[2]
    rows = KINDS[kind].gates * width
    for number, own in enumerate(layers):
        inputs = x.shape[2] if number < directions else directions * state
        shapes = ((rows, inputs), (rows, state), (rows,), (rows,), (state, width))
        if any(one is not None and tuple(one.shape) != shape for one, shape in zip(own, shapes)):
            return False
    return all(tuple(one.shape[:2]) == outside for one in states)


def _run(kind: str, x, states: Sequence[Any], parameters: Sequence[Any], has_biases: bool, num_layers: int, dropout: float,
         train: bool, bidirectional: bool, batch_first: bool) -> tuple | None:
    """All layers; `None` if PyTorch is to do it."""
    directions = 1 + bidirectional
    projects = len(states) > 1 and states[0].shape[-1] != states[1].shape[-1]
    layers = _weights_of(parameters, has_biases, projects)
    if torch.is_autocast_enabled(DEVICE_TYPE) or len(layers) != num_layers * directions:
        return None
    if not _is_regular(kind, x, states, layers, directions, batch_first):
        return None
    firsts = [one.unbind(0) for one in states]
    lasts: list[list[Any]] = [[] for _ in states]
    for number in range(num_layers):
        parts = []
        for way in range(directions):
            at = number * directions + way
            h, c = firsts[0][at], firsts[1][at] if len(firsts) > 1 else None
            sequence, *last = _layer(Direction(kind, int(batch_first), bool(way)), x, h, c, layers[at])
            parts.append(sequence)
            for into, one in zip(lasts, last):
                into.append(one)
        x = parts[0] if len(parts) == 1 else torch.cat(parts, 2)
        if dropout and train and number + 1 < num_layers:
            x = torch.dropout(x, dropout, True)
    return (x, *(torch.stack(one) for one in lasts))


def _lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    rest = (params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
    result = _run("lstm", input, hx, *rest) if len(hx) == 2 else None
    return aten.lstm.input.decompose(input, hx, *rest) if result is None else result


def _of_one_state(kind: str):
    def layer(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
        rest = (params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
        result = _run(kind, input, [hx], *rest)
        return _OPS[kind].decompose(input, hx, *rest) if result is None else result

    return layer


@special("_pack_padded_sequence.default")
def _pack(cls, func, args, kwargs):
    """The steps of sequences behind each other, time by time: PyTorch packs the numbers of the rows of what is padded. How many sequences
    are left at each time is a tensor of the host, which layers read."""
    x, lengths, batch_first = args
    times = x.shape[1 if batch_first else 0]
    if lengths.numel() and int(lengths.max()) > times:
        raise RuntimeError(f"a length is {int(lengths.max())}, but the padded sequences have {times} times")
    numbers = torch.arange(x.shape[0] * x.shape[1]).reshape(*x.shape[:2], 1)
    rows, batch_sizes = func(numbers, lengths, batch_first)
    return x.reshape(-1, *x.shape[2:]).index_select(0, rows.flatten().to(x.device)), batch_sizes


def register(library: torch.library.Library) -> None:
    """Tells PyTorch. These ops come as they are only in inference mode; else PyTorch would take them apart before."""
    for kind, op in _OPS.items():
        function = _lstm if kind == "lstm" else _of_one_state(kind)
        library.impl(op, function, "AutogradPrivateUse1")
        special(op.name().removeprefix("aten::"))(
            lambda cls, func, args, kwargs, function=function: function(*args, **kwargs))
