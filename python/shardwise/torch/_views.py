# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views: how to read one from its base, and how to write one back into it.

A view is a chain of ops from the base. Reading applies them to the value that the base has now; writing goes the
chain back: each op has one that puts a changed result into its operand, as `select` has `select_scatter`.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from ._graph import Node, Storage, set_value
from ._meta import Meta
from ._record import record

__all__ = ["HOST_OPS", "View", "view_nodes"]

aten = torch.ops.aten

#: What PyTorch is to do with values on the host for a view that would only set a bit of the tensor: its kernels do not see that bit
#: below a dispatch.
HOST_OPS = {aten._conj.default: aten.conj_physical.default, aten._neg_view.default: aten.neg.default}


class View:
    """A chain of view ops from the base of a storage."""

    __slots__ = ("steps",)

    def __init__(self, steps: tuple):
        self.steps = steps

    @staticmethod
    def of(parent: View | None, func: Any, args: tuple, kwargs: dict[str, Any], meta: Meta) -> View:
        """Returns the view that `func` is of `parent`, `None` if that is a base."""
        step = (func, tuple(args), kwargs, meta)
        return View((step,) if parent is None else (*parent.steps, step))

    def node(self, storage: Storage) -> Node:
        """Returns what the view has now."""
        return view_nodes(storage, self.steps)[-1]

    def write(self, storage: Storage, node: Node) -> None:
        """Gives the view another value, and with it the base."""
        values = view_nodes(storage, self.steps[:-1])
        for before, (func, args, kwargs, _) in zip(reversed(values), reversed(self.steps)):
            node = _written(func, before, node, args, kwargs)
        set_value(storage, node)


def view_nodes(storage: Storage, steps) -> list[Node]:
    """Returns the value of the base, and that behind each step."""
    values = [storage.node]
    for func, args, kwargs, _ in steps:
        if func is aten.as_strided.default:
            values.append(_strided(values[-1], storage.meta, args))
        else:
            nodes, _ = record(func, (values[-1], *args), kwargs)
            values.append(nodes[0])
    return values


def _strided(node: Node, base: Meta, args) -> Node:
    """`as_strided` of a base that may lie in another order than its dimensions have."""
    size, stride = args[0], args[1]
    offset = args[2] if len(args) > 2 and args[2] is not None else 0
    if node.meta.dtype != base.dtype:
        raise NotImplementedError("as_strided() of the parts of complex numbers; call contiguous() or clone() before it")
    return record("as_strided.default", (_in_storage_order(node, base), list(size), list(stride), offset), {},
                  outs=(_contiguous(size, node.meta.dtype),))[0][0]


def _contiguous(shape, dtype) -> Meta:
    from ._meta import intern_meta
    return intern_meta(tuple(shape), None, 0, dtype)


def _in_storage_order(node: Node, base: Meta) -> Node:
    order = sorted(range(len(base.shape)), key=lambda i: -base.strides[i])
    if order == list(range(len(order))):
        return node
    return record(aten.permute.default, (node, order), {})[0][0]


_RESHAPES = {"view", "_unsafe_view", "_reshape_alias", "unsqueeze", "squeeze", "reshape", "alias", "detach",
             "view_as", "flatten"}
#: Views of all elements in another form, and what goes back.
_INVERSES = {"_conj": aten._conj.default, "_neg_view": aten._neg_view.default,
             "view_as_real": aten.view_as_complex.default, "view_as_complex": aten.view_as_real.default}
_SCATTERS = {"select": aten.select_scatter.default, "slice": aten.slice_scatter.default,
             "diagonal": aten.diagonal_scatter.default}


def _written(func: Any, before: Node, after: Node, args, kwargs) -> Node:
    """Returns `before` with what `func` shows of it replaced by `after`."""
    name = func._schema.name.removeprefix("aten::")
    if func is aten.view.dtype:
        return record(func, (after, before.meta.dtype), {})[0][0]
    if name in _RESHAPES:
        return record(aten.view.default, (after, list(before.meta.shape)), {}, outs=(
            _contiguous(before.meta.shape, before.meta.dtype),))[0][0]
    if name in _INVERSES:
        return record(_INVERSES[name], (after,), {})[0][0]
    if name in _SCATTERS:
        return record(_SCATTERS[name], (before, after, *args), kwargs)[0][0]
    if name in ("t", "transpose"):
        return record(func, (after, *args), kwargs)[0][0]
    if name == "permute":
        order = [one % len(args[0]) for one in args[0]]
        return record(aten.permute.default, (after, [order.index(i) for i in range(len(order))]), {})[0][0]
    if name == "expand":
        raise RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single "
                           "memory location; clone() the tensor before the in-place operation")
    if name == "as_strided":
        size, stride = args[0], args[1]
        offset = args[2] if len(args) > 2 and args[2] is not None else 0
        shape = before.meta.shape
        if not before.meta.is_dense and math.prod(shape):
            raise NotImplementedError("an in-place change of as_strided() of a tensor that is not contiguous; write to "
                                      "a view made by indexing, or call contiguous() first")
        return record("as_strided_scatter.default", (before, after, list(size), list(stride), offset), {},
                      outs=(before.meta,))[0][0]
    raise NotImplementedError(f"an in-place change of a view by {func}; clone() the view, change that and copy_ it")
