# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graph of what was asked for and not run yet.

A `Node` is an op, or a leaf that has elements: on the host, as they were given, or on the devices, from an
earlier run. A `Storage` is what tensors share that alias each other: it has a node, the value of the whole;
an in-place op gives it another one. What an op is without its operands is a `Spec`, interned like `Meta`: the
cache of programs then compares numbers, and each pair of op and operand types is inferred once.
"""

from __future__ import annotations

import itertools
import weakref
from typing import Any

from ._meta import Meta

__all__ = ["Node", "Spec", "Storage", "pending_storages"]

_sequence = itertools.count()


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


class Node:
    """An op on nodes, or a leaf. A run makes leaves of the nodes that are still needed.

    Attributes:
        spec: The op; `None` of a leaf.
        inputs: Operands.
        scalars: Numbers of the scalar slots.
        data: Of a leaf: a CPU tensor, or an array on the devices.
        layout: Of a leaf on the devices: mesh and sharding as text.
        manual: Of a value that each device has its own of: mesh and axes; `meta` is then that of one device.
        owner: Of a leaf: whose it is, a weak reference.
        host: Of a leaf on the devices: its value as a CPU tensor, if a step on the host has gathered it.
        wanted: Of a leaf: how the next program is to take it, if not as it lies.
        meta: Its type.
        site: Where the user's program asked for it, if that was recorded.
        seq: Its place in the order of nodes.
        arrival: Of a leaf that came from the host: its place in the order of nodes then; else -1.
    """

    __slots__ = ("spec", "inputs", "scalars", "seq", "data", "layout", "meta", "site", "wanted",
                 "manual", "owner", "host", "arrival", "__weakref__")

    def __init__(self, spec, inputs, scalars, meta, data=None, layout=None):
        self.spec, self.inputs, self.scalars, self.meta = spec, inputs, scalars, meta
        self.data, self.layout, self.site, self.wanted = data, layout, None, None
        self.manual = self.owner = self.host = None
        self.seq = next(_sequence)
        self.arrival = -1

    def wanted_layout(self) -> tuple[str, str]:
        """Returns how a leaf is to lie: as it was annotated, else as it lies, else replicated."""
        return self.wanted or self.layout or ("", "")

    def copy_of_leaf(self, wanted: tuple[str, str] | None) -> Node:
        """Returns another leaf with the same elements, which is to lie elsewhere."""
        leaf = Node(None, (), (), self.meta, self.data, self.layout)
        leaf.manual, leaf.owner, leaf.host, leaf.arrival = self.manual, self.owner, self.host, self.arrival
        leaf.wanted = self.wanted if wanted is None else wanted
        return leaf

    def become_leaf(self, data: Any, layout: Any) -> None:
        """Forgets how it is computed, for here is what it is."""
        self.data, self.layout = data, layout
        self.spec, self.inputs, self.scalars = None, (), ()


#: Storages whose node has not run, by identity.
_pending: dict[int, weakref.ref] = {}


class Storage:
    """What tensors that alias each other share.

    Attributes:
        node: The value of the whole, as the base tensor sees it.
        meta: Type of the base tensor.
        version: Counts in-place changes, for views to know that theirs is old.
        annotation: The sharding that the user asked for, or `None`.
        chosen: Whether a run has told its sharding.
        home: How the value lay when it was changed in place: where the next one is to lie.
    """

    __slots__ = ("node", "meta", "version", "annotation", "chosen", "home", "__weakref__")

    def __init__(self, node: Node, meta: Meta):
        self.node, self.meta, self.version, self.annotation, self.chosen = node, meta, 0, None, False
        self.home = None
        if node.spec is not None:
            _pending[id(self)] = weakref.ref(self)

    def pin(self) -> tuple[str, str] | None:
        """Returns how the next value is to lie; `None` if propagation may choose."""
        return self.home if self.annotation is None else self.annotation.layout

    def set(self, node: Node) -> None:
        """Gives it another value."""
        if self.node.spec is None:
            self.home = self.node.wanted_layout()
        if node.spec is None:
            node = node.copy_of_leaf(self.pin())
        self.node = node
        self.version += 1
        if node.spec is not None:
            _pending[id(self)] = weakref.ref(self)


def pending_storages() -> list[Storage]:
    """Returns those that are alive and whose value has not been computed, in order of their nodes. Forgets
    the others."""
    alive = _alive()
    alive.sort(key=lambda storage: storage.node.seq)
    return alive


def is_pending_since(seq: int) -> bool:
    """Whether what was recorded before a place in the order of nodes has not been computed."""
    return any(storage.node.seq < seq for storage in _alive())


def _alive() -> list[Storage]:
    alive = []
    for key, reference in list(_pending.items()):
        storage = reference()
        if storage is None or storage.node.spec is None:
            del _pending[key]
        else:
            alive.append(storage)
    return alive


def forget_pending() -> None:
    """Says that all that is alive has been computed."""
    _pending.clear()
