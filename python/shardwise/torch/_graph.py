# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graph of what was asked for and not run yet.

A `Node` is an op, or a leaf that has elements: on the host, as they were given, or on the devices, from an
earlier run. A `Storage` is what tensors share that alias each other: it has a node, the value of the whole;
an in-place op gives it another one. What an op is without its operands is a `Spec`, interned like `Meta`: the
cache of programs then compares numbers, and each pair of op and operand types is inferred once.

Nodes and storages are types of C++ (`bindings/GraphBindings.cpp`): thousands of them live until a program runs, and Python's
garbage collector would look at each.
"""

from __future__ import annotations

import itertools
from typing import Any

from .. import _core
from ._meta import Meta

__all__ = ["Node", "Spec", "Storage", "become_leaf", "copy_of_leaf", "pending_storages", "pin_of", "set_value", "wanted_layout"]


class Spec:
    """An op with the types of its operands and its other arguments; `None` of a node that is a leaf.

    Attributes:
        func: The ATen op, or the name of one of ours.
        template: Its arguments; `TensorSlot` and `ScalarSlot` stand for operands.
        outs: Types of the results.
        many: Whether it returns several, which projections take apart.
    """

    __slots__ = ("func", "args", "kwargs", "outs", "many", "lower", "number")
    _numbers = itertools.count()

    def __init__(self, func: Any, args: tuple, kwargs: dict[str, Any], outs: tuple[Meta, ...], many: bool,
                 lower: Any):
        self.func, self.args, self.kwargs, self.outs, self.many = func, args, kwargs, outs, many
        self.lower = lower
        self.number = next(Spec._numbers)

    def __repr__(self) -> str:
        return f"<{self.func} {list(self.outs)}>"


class TensorSlot:
    """Stands in a template for the operand of this index."""

    __slots__ = ("index", "meta")

    def __init__(self, index: int, meta: Meta):
        self.index, self.meta = index, meta


class ScalarSlot:
    """Stands in a template for a number that is an input of the program, so that another value of it does not
    compile again."""

    __slots__ = ("index", "kind")

    def __init__(self, index: int, kind: type):
        self.index, self.kind = index, kind


#: An op on nodes, or a leaf: `Node(spec, inputs, scalars, meta, data, layout)`. A run makes leaves of the nodes that are still needed. Its fields:
#:
#: - spec: The op; `None` of a leaf.
#: - inputs: Operands.
#: - scalars: Numbers of the scalar slots.
#: - data: Of a leaf: a CPU tensor, or an array on the devices.
#: - layout: Of a leaf on the devices: mesh and sharding as text.
#: - manual: Of a value that each device has its own of: mesh and axes; `meta` is then that of one device.
#: - owner: Of a leaf: whose it is, a weak reference.
#: - host: Of a leaf on the devices: its value as a CPU tensor, if a step on the host has gathered it.
#: - wanted: Of a leaf: how the next program is to take it, if not as it lies.
#: - meta: Its type.
#: - site: Where the user's program asked for it, if that was recorded.
#: - seq: Its place in the order of nodes.
#: - arrival: Of a leaf that came from the host: its place in the order of nodes then; else -1.
Node = _core.GraphNode

#: What tensors that alias each other share: `Storage(node, meta, is_pending)`. It is pending until its node has run; where that is said to
#: be false, from the first change in place. Its fields:
#:
#: - node: The value of the whole, as the base tensor sees it.
#: - meta: Type of the base tensor.
#: - version: Counts in-place changes, for views to know that theirs is old.
#: - annotation: The sharding that the user asked for, or `None`.
#: - chosen: Whether a run has told its sharding.
#: - home: How the value lay when it was changed in place: where the next one is to lie.
Storage = _core.GraphStorage


def wanted_layout(leaf: Node) -> tuple[str, str]:
    """Returns how a leaf is to lie: as it was annotated, else as it lies, else replicated."""
    return leaf.wanted or leaf.layout or ("", "")


def copy_of_leaf(leaf: Node, wanted: tuple[str, str] | None) -> Node:
    """Returns another leaf with the same elements, which is to lie elsewhere."""
    copy = Node(None, (), (), leaf.meta, leaf.data, leaf.layout)
    copy.manual, copy.owner, copy.host, copy.arrival = leaf.manual, leaf.owner, leaf.host, leaf.arrival
    copy.wanted = leaf.wanted if wanted is None else wanted
    return copy


def become_leaf(node: Node, data: Any, layout: Any) -> None:
    """Has a node forget how it is computed, for here is what it is."""
    node.data, node.layout = data, layout
    node.spec, node.inputs, node.scalars = None, (), ()


def pin_of(storage: Storage) -> tuple[str, str] | None:
    """Returns how the next value is to lie; `None` if propagation may choose."""
    return storage.home if storage.annotation is None else storage.annotation.layout


def set_value(storage: Storage, node: Node) -> None:
    """Gives a storage another value."""
    if storage.node.spec is None:
        storage.home = wanted_layout(storage.node)
    if node.spec is None:
        node = copy_of_leaf(node, pin_of(storage))
    storage.node = node
    storage.version += 1
    if node.spec is not None:
        storage.pend()


def pending_storages() -> list[Storage]:
    """Returns those that are alive and whose value has not been computed, in order of their nodes."""
    alive = _core.pending_storages()
    alive.sort(key=lambda storage: storage.node.seq)
    return alive


def is_pending_since(seq: int) -> bool:
    """Whether what was recorded before a place in the order of nodes has not been computed."""
    return any(storage.node.seq < seq for storage in _core.pending_storages())


def forget_pending() -> None:
    """Says that all that is alive has been computed."""
    _core.forget_pending()
