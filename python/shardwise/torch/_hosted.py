# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that are new each time, run by PyTorch op by op.

A program is compiled for its shapes and for the whole numbers in it. A loop that grows a sequence, takes another row each time or
works on as many tokens as values say would compile at each step, for a program that runs once. So graphs are compared
without sizes and numbers: what remains is a *family*. While two programs of a family have not run a second time, other
sizes run here the first time, on gathered values, and are compiled when they come again:

    lengths 8, 9        compiled
    lengths 10, 11, ... here
    lengths 8, 9        compiled before; now both have run again
    length 10 again     compiled

A size that comes again is no sign that it will a third time: where tokens are dealt out to experts, counts repeat by chance. So it is compiled
only if more sizes in a row were known than there are programs that ran once. In a loop over the same lengths all are known the second time.

Graphs of a few ops on values that are whole here run here, too, each time. PyTorch does them in less time than devices take to begin.
A number that is a function of little, as the norm of a parameter that an optimizer reads, is computed here alone, and what else is pending stays so: the
updates of all parameters are one program then, and not one for each.

Values are those of PyTorch, as ATen ops have no side effects here. A graph with an op of ours that PyTorch does not have is
always compiled.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import Any

import torch

from ._graph import Node, ScalarSlot, TensorSlot, wanted_layout
from ._host import from_parts
from ._views import HOST_OPS

__all__ = ["Probation", "few_nodes", "host_step_count", "is_for_host", "is_small", "run_on_host"]

aten = torch.ops.aten

#: Programs of one family that may have run only once.
_MOST_UNPROVEN = 2


class _Family:
    """What is known of graphs that differ in sizes and numbers only.

    Attributes:
        compiled: Sizes, as hashes, whose programs are compiled.
        unproven: Those of them that ran once.
        met: Sizes that ran here.
        known: How many in a row, up to the last, had been met before.
        can_run: Whether PyTorch has all ops.
    """

    __slots__ = ("compiled", "unproven", "met", "known", "can_run")

    def __init__(self, can_run: bool):
        self.compiled: set[int] = set()
        self.unproven: set[int] = set()
        self.met: set[int] = set()
        self.known = 0
        self.can_run = can_run


#: So many nodes, leaves included, are few.
_FEW_NODES = 6

_families: dict[tuple, _Family] = {}
_counts = {"steps": 0}


def host_step_count() -> int:
    """Returns how many steps PyTorch has run op by op, as their shapes or numbers were new once more."""
    return _counts["steps"]


def is_small(nodes: Sequence[Node], pins: Sequence[tuple[str, str] | None]) -> bool:
    """Whether a graph has a few ops, all values are whole here, and results are wanted so."""
    if len(nodes) > _FEW_NODES or any(pin is not None and pin[0] for pin in pins):
        return False
    for node in nodes:
        if node.spec is None:
            whole = node.manual is None and not wanted_layout(node)[0] and not (node.layout and node.layout[0])
        else:
            whole = node.spec.func != _CONSTRAIN and _runs_on_host(node)
        if not whole:
            return False
    return True


#: So many bytes are gathered for a number that is read.
_FEW_BYTES = 1 << 20


def few_nodes(root: Node) -> list[Node] | None:
    """The nodes of a number that is a function of little: the norm of a parameter, a comparison of it. `None` if they are more, or it is
    no single number; then it is computed with all that is pending."""
    if math.prod(root.meta.shape) != 1 or not _runs_on_host(root):
        return None
    nodes, seen = [root], {root}
    for node in nodes:
        for one in node.inputs:
            if one not in seen:
                seen.add(one)
                nodes.append(one)
        big = node.spec is None and math.prod(node.meta.shape) * node.meta.dtype.itemsize > _FEW_BYTES
        constrained = node.spec is not None and node.spec.func == _CONSTRAIN
        if len(nodes) > _FEW_NODES or big or constrained or not _runs_on_host(node):
            return None
    nodes.sort(key=lambda node: node.seq)
    return nodes


class Probation:
    """A program that has run once."""

    __slots__ = ("family", "sizes")

    def __init__(self, family: _Family, sizes: int):
        self.family, self.sizes = family, sizes

    def pass_(self) -> None:
        """Says that it runs again."""
        self.family.unproven.discard(self.sizes)


def is_for_host(nodes: Sequence[Node], index: dict[Node, int]) -> tuple[bool, Probation]:
    """Decides about a graph that has no program yet: whether it runs here, and whom to tell when a program of it runs again."""
    key: list[Any] = []
    sizes: list[Any] = []
    for node in nodes:
        if node.spec is None:
            key.append(node.meta.dtype)
            sizes.append(node.meta.number)
        else:
            key.append(_family_of(node.spec))
            key.extend([index[one] for one in node.inputs])
            sizes.append(node.spec.number)
    family = _families.get(tuple(key))
    if family is None:
        family = _families[tuple(key)] = _Family(all(_runs_on_host(node) for node in nodes))
    of_this = hash(tuple(sizes))
    probation = Probation(family, of_this)
    if not family.can_run or of_this in family.compiled:
        return False, probation
    family.known = family.known + 1 if of_this in family.met else 0
    if family.known > len(family.unproven) or (family.known == 0 and len(family.unproven) < _MOST_UNPROVEN):
        family.compiled.add(of_this)
        family.unproven.add(of_this)
        return False, probation
    family.met.add(of_this)
    _counts["steps"] += 1
    return True, probation


#: By spec: what it is without sizes and numbers.
_family_numbers: dict[tuple, int] = {}
_by_spec: dict[int, int] = {}


def _family_of(spec) -> int:
    number = _by_spec.get(spec.number)
    if number is None:
        key = (str(spec.func), _masked(spec.args), tuple((name, _masked(one)) for name, one in spec.kwargs.items()))
        number = _by_spec[spec.number] = _family_numbers.setdefault(key, len(_family_numbers))
    return number


def _masked(value: Any) -> Any:
    if isinstance(value, TensorSlot):
        return "tensor", value.meta.dtype
    if isinstance(value, ScalarSlot):
        return "number", value.kind
    if isinstance(value, (list, tuple)):
        return tuple(map(_masked, value))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return type(value)
    return str(value)


# Ops of ours that PyTorch has by another name: node, operands, other arguments.


def _full(node: Node, operands, args):
    return torch.full(node.meta.shape, args[0], dtype=node.meta.dtype, device="cpu")


def _arange(node: Node, operands, args):
    return torch.arange(*args, dtype=node.meta.dtype, device="cpu")


def _strided(node: Node, operands, args):
    size, stride, offset = args[1:]
    base = operands[0].contiguous()
    return base.as_strided(size, stride, base.storage_offset() + offset)


def _strided_scatter(node: Node, operands, args):
    result = operands[0].clone(memory_format=torch.contiguous_format)
    result.as_strided(*args[2:]).copy_(operands[1])
    return result


_OWN = {
    "shardwise.full": _full, "arange.start_step": _arange, "as_strided.default": _strided, "as_strided_scatter.default": _strided_scatter,
    "shardwise.project": lambda node, operands, args: operands[0][args[0]],
    "shardwise.constrain": lambda node, operands, args: operands[0],
    "shardwise.group": lambda node, operands, args: operands[0],
}
#: Says that devices are to have parts of a value.
_CONSTRAIN = "shardwise.constrain"
#: Reshapes: values have the strides here that PyTorch's kernels give them, which may be others than were recorded.
_RESHAPES = {aten.view.default, aten._unsafe_view.default, aten._reshape_alias.default}
#: These read what our forward op gives in another way.
_NOT_HERE = {aten.max_pool2d_with_indices_backward.default, aten.native_batch_norm_backward.default}


def _runs_on_host(node: Node) -> bool:
    if node.manual is not None:
        return False
    if node.spec is None:
        return True
    return node.spec.func in _OWN if isinstance(node.spec.func, str) else node.spec.func not in _NOT_HERE


def run_on_host(nodes: Sequence[Node], index: dict[Node, int], roots: Sequence[Node]) -> list[torch.Tensor] | None:
    """Returns the values of the roots, in memory of their own or that of leaves, which is not written to; `None` if
    PyTorch refuses an op: the graph is then to be compiled."""
    last = {index[one]: i for i, node in enumerate(nodes) for one in node.inputs}
    kept = {index[root] for root in roots}
    values: list[Any] = []
    off = torch.autocast("cpu", enabled=False) if torch.is_autocast_enabled("cpu") else contextlib.nullcontext()
    try:
        with torch.no_grad(), off:
            for i, node in enumerate(nodes):
                values.append(_leaf(node) if node.spec is None else _result(node, [values[index[one]] for one in node.inputs]))
                for one in node.inputs:
                    at = index[one]
                    if last[at] == i and at not in kept:
                        values[at] = None
            results = [values[index[root]].contiguous() for root in roots]
    except (NotImplementedError, RuntimeError, TypeError):
        return None
    return results


def _leaf(node: Node) -> torch.Tensor:
    if isinstance(node.data, torch.Tensor):
        return node.data
    if node.host is None:
        node.host = from_parts(node.data.gather(), copy=False)
    return node.host


def _result(node: Node, operands: list[torch.Tensor]) -> Any:
    spec = node.spec
    args = [_argument(one, operands, node.scalars) for one in spec.args]
    if isinstance(spec.func, str):
        result = _OWN[spec.func](node, operands, args)
    elif spec.func in _RESHAPES:
        result = operands[0].reshape(args[1])
    else:
        result = HOST_OPS.get(spec.func, spec.func)(*args, **{name: _argument(one, operands, node.scalars) for name, one in spec.kwargs.items()})
    for value, meta in zip(result if spec.many else (result,), spec.outs):
        if meta is not None and (value.shape != meta.shape or value.dtype != meta.dtype):
            raise RuntimeError(f"{spec.func} gives {list(value.shape)} {value.dtype}, recorded was {meta}")
    return result


def _argument(slot: Any, operands: list[torch.Tensor], scalars: Sequence[float]) -> Any:
    if isinstance(slot, TensorSlot):
        return operands[slot.index]
    if isinstance(slot, ScalarSlot):
        return slot.kind(scalars[slot.index])
    if isinstance(slot, (list, tuple)) and not hasattr(slot, "_fields"):
        return [_argument(one, operands, scalars) for one in slot]
    return slot
