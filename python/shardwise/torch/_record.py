# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a call of an op to a node of the graph."""

from __future__ import annotations

from typing import Any

import torch

from ._checks import check_call
from ._graph import Node, ScalarSlot, Spec, TensorSlot
from ._infer import infer
from ._lower import LOWERINGS, NUMBERS_ARE_INPUTS
from ._meta import Meta, intern_meta

__all__ = ["Varying", "has_lowering", "host_node", "name_of", "node_of", "record"]

_specs: dict[tuple, Spec] = {}
_projections: dict[tuple, Spec] = {}
#: Arguments that say nothing of the result beyond its device, which is ours.
_IGNORED = frozenset(("device", "layout", "pin_memory", "non_blocking", "memory_format", "requires_grad"))


class Varying:
    """A whole number that is an input of the program."""

    __slots__ = ("value",)

    def __init__(self, value: int):
        self.value = value


def name_of(func: Any) -> str:
    """Returns the key of an op in the table of lowerings."""
    if isinstance(func, str):
        return func
    return str(func).removeprefix("aten.")


def has_lowering(func: Any) -> bool:
    """Whether StableHLO can say it."""
    return name_of(func) in LOWERINGS


def host_node(tensor: torch.Tensor) -> Node:
    """Returns a leaf for a tensor of the host, whose elements are not to change any more."""
    leaf = Node(None, (), (), intern_meta(tensor.shape, None, 0, tensor.dtype), tensor)
    leaf.arrival = leaf.seq
    return leaf


def node_of(tensor: Any) -> Node:
    """Returns the node whose value a device tensor has now."""
    view = tensor._view
    storage = tensor._storage
    if view is None:
        return storage.node
    cached = tensor._cache
    if cached is None or cached[0] != storage.version:
        cached = tensor._cache = (storage.version, view.node(storage))
    return cached[1]


def _part(value: Any, inputs: list[Node], scalars: list[float | int], numbers: bool) -> Any:
    """Reads an argument of a call: returns what names the op, and adds operands to the lists."""
    kind = type(value)
    if kind is list or kind is tuple:
        # Sizes, strides and dimensions are most of what lists have.
        return tuple(value) if _SIZES.issuperset(map(type, value)) else tuple(
            [_part(one, inputs, scalars, numbers) for one in value])
    if isinstance(value, torch.Tensor):
        storage = getattr(value, "_storage", None)
        if storage is not None:
            inputs.append(node_of(value))
            return value._meta
        node = host_node(value.detach().clone())
        inputs.append(node)
        return node.meta
    if kind is Node:
        inputs.append(value)
        return value.meta
    if kind is float:
        if numbers:
            scalars.append(value)
            return _FLOAT
        return (value, "f")
    if kind is bool:
        return (value, "b")
    if hasattr(kind, "_fields"):
        return value
    if isinstance(value, (list, tuple)):
        return tuple([_part(one, inputs, scalars, numbers) for one in value])
    if kind is Varying:
        scalars.append(value.value)
        return _INT
    return value


_FLOAT, _INT = object(), object()
#: Types of arguments that are in the key as they are.
_PLAIN = frozenset((int, type(None), str, torch.dtype))
_SIZES = frozenset((int,))


class _Slots:
    """Puts slots for operands into the arguments of a call."""

    def __init__(self, numbers: bool):
        self.tensors = self.scalars = 0
        self.numbers = numbers

    def part(self, value: Any) -> Any:
        if isinstance(value, (torch.Tensor, Node)):
            self.tensors += 1
            storage = getattr(value, "_storage", None)
            meta = value._meta if storage is not None else (
                value.meta if isinstance(value, Node) else intern_meta(value.shape, None, 0, value.dtype))
            return TensorSlot(self.tensors - 1, meta)
        if isinstance(value, Varying) or (self.numbers and type(value) is float):
            self.scalars += 1
            return ScalarSlot(self.scalars - 1, float if type(value) is float else int)
        if isinstance(value, (list, tuple)):
            return value if hasattr(value, "_fields") else [self.part(one) for one in value]
        return value


def _make_spec(func: Any, args, kwargs, outs, numbers: bool) -> Spec:
    slots = _Slots(numbers)
    template = tuple(slots.part(one) for one in args)
    named = {name: slots.part(one) for name, one in kwargs.items()}
    many = False
    if not isinstance(func, str):
        check_call(name_of(func), template, named)
    if outs is None:
        outs, many = infer(func, name_of(func), template, named)
    else:
        many = len(outs) > 1
    if numbers:
        # A number that is an input must not decide what is computed.
        named = {name: one for name, one in named.items() if name not in _IGNORED}
    return Spec(func, template, {name: one for name, one in named.items() if name not in _IGNORED}, tuple(outs),
                many, LOWERINGS.get(name_of(func)))


#: Number and whether its floats are inputs, by identity: hashing an op of PyTorch is a call of Python.
_ops: dict[int, tuple[int, bool, Any]] = {}
_names: dict[str, tuple[int, bool, Any]] = {}


def _op_of(func: Any) -> tuple[int, bool, Any]:
    if isinstance(func, str):
        found = _names.get(func)
        if found is None:
            found = _names[func] = (-1 - len(_names), func in NUMBERS_ARE_INPUTS, func)
        return found
    found = _ops[id(func)] = (len(_ops), name_of(func) in NUMBERS_ARE_INPUTS, func)
    return found


def record(func: Any, args, kwargs, outs: tuple[Meta, ...] | None = None) -> tuple[list[Node], tuple[Meta, ...]]:
    """Records a call. Returns a node and a type for each result.

    Args:
        func: The op, or the name of one of ours.
        args: Its arguments: tensors, nodes, numbers.
        kwargs: Its named arguments.
        outs: Types of the results, of ops of ours.
    """
    number, numbers, _ = _ops.get(id(func)) or _op_of(func)
    inputs: list[Node] = []
    scalars: list[float | int] = []
    parts = [number]
    for one in args:
        kind = type(one)
        if kind in _PLAIN:
            parts.append(one)
            continue
        meta = getattr(one, "_meta", None)
        if meta is not None:
            inputs.append(one._storage.node if one._view is None else node_of(one))
            parts.append(meta)
        else:
            parts.append(_part(one, inputs, scalars, numbers))
    for name, one in kwargs.items():
        if isinstance(one, (torch.device, torch.layout)):
            continue
        parts.append(name)
        parts.append(_part(one, inputs, scalars, numbers))
    if outs is not None:
        parts.append(outs)
    identity = tuple(parts)
    spec = _specs.get(identity)
    if spec is None:
        spec = _specs[identity] = _make_spec(func, args, kwargs, outs, numbers)
    for one in inputs:
        if one.manual is not None:
            return _record_manual(spec, inputs, scalars, one.manual)
    node = Node(spec, inputs, scalars or (), spec.outs[0])
    if not spec.many:
        return [node], spec.outs
    return [None if meta is None else Node(_projection(i, meta), (node,), (), meta)
            for i, meta in enumerate(spec.outs)], spec.outs


def _record_manual(spec: Spec, inputs: list[Node], scalars: list[float | int], manual: Any):
    """Records an op that each device does on its own values."""
    own = tuple(one.manual is not None for one in inputs)
    identity = ("shardwise.manual", spec.number, manual, own)
    wrapped = _specs.get(identity)
    if wrapped is None:
        wrapped = _specs[identity] = Spec("shardwise.manual", (spec, manual, own), {}, spec.outs, spec.many, None)
    node = Node(wrapped, inputs, scalars or (), spec.outs[0])
    nodes = [node] if not spec.many else [
        None if meta is None else Node(_projection(i, meta), (node,), (), meta) for i, meta in enumerate(spec.outs)]
    for one in nodes:
        if one is not None:
            one.manual = manual
    return nodes, spec.outs


def _projection(index: int, meta: Meta) -> Spec:
    spec = _projections.get((index, meta))
    if spec is None:
        spec = _projections[index, meta] = Spec("shardwise.project", (index,), {}, (meta,), False, None)
    return spec
