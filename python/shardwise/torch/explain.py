# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the last step did: how tensors are sharded, what was moved between devices, and the annotation that each move
goes back to."""

from __future__ import annotations

import dataclasses
import html
import re
from typing import Any

import torch

from ..explanations import Explanation, Transfer
from ..explanations import explain as explain_program
from ..programs import Collective
from ._run import Step, last_step, run_pending
from .annotate import assignment_of_tensor
from .tensor import DeviceTensor

__all__ = ["StepExplanation", "TensorSharding", "explain", "last_program"]


@dataclasses.dataclass(frozen=True)
class TensorSharding:
    """How a tensor lies.

    Attributes:
        name: Its name in the module; empty of a tensor alone.
        shape: Shape of the whole.
        shard_shape: Shape of a shard, padding included.
        sharding: As text, empty if it is not known.
        annotated: Whether the user said so; else a run chose it.
    """

    name: str
    shape: tuple[int, ...]
    shard_shape: tuple[int, ...]
    sharding: str
    annotated: bool


@dataclasses.dataclass(frozen=True)
class StepExplanation:
    """The outcome of `explain`. Its text, and in notebooks its table, has all of it.

    Attributes:
        tensors: How the tensors that were asked for lie.
        collectives: What the last step communicated, measured.
        transfers: What moved and why, most bytes first.
        program: The explanation of the whole program; `None` if nothing has run.
    """

    tensors: tuple[TensorSharding, ...]
    collectives: tuple[Collective, ...]
    transfers: tuple[Transfer, ...]
    program: Explanation | None = dataclasses.field(repr=False)

    @property
    def received_bytes(self) -> int:
        """What the busiest device received in the last step."""
        return sum(one.received_bytes for one in self.collectives)

    def __str__(self) -> str:
        return "\n\n".join(_table(title, header, rows) for title, header, rows in self._tables() if rows)

    def _repr_html_(self) -> str:
        parts = []
        for title, header, rows in self._tables():
            cells = "".join("<tr>" + "".join(f"<td>{html.escape(str(one))}</td>" for one in row) + "</tr>" for row in rows)
            heads = "".join(f"<th>{html.escape(one)}</th>" for one in header)
            parts.append(f"<h4>{html.escape(title)}</h4><table><tr>{heads}</tr>{cells}</table>")
        return "".join(parts)

    def _tables(self):
        yield ("tensors", ("tensor", "shape", "shard", "sharding", "from"), [
            (one.name or "tensor", _shape(one.shape), _shape(one.shard_shape), one.sharding or "not known yet",
             "annotation" if one.annotated else "the run" if one.sharding else "") for one in self.tensors])
        yield ("collectives of the last step", ("kind", "axes", "count", "bytes received"), [
            (one.kind, one.axes, one.count, one.received_bytes) for one in self.collectives])
        yield ("what moved, and why", ("bytes", "collective", "value", "at", "because", "from"), [
            (one.received_bytes, one.steps, one.type, one.op, one.because, one.origin) for one in self.transfers])


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "scalar"


def _table(title: str, header, rows) -> str:
    columns = [[str(one) for one in column] for column in zip(header, *rows)]
    widths = [max(map(len, column)) for column in columns]
    lines = ["  " + "  ".join(one.ljust(width) for one, width in zip(row, widths)).rstrip() for row in zip(*columns)]
    return "\n".join([title, *lines])


def explain(what: torch.Tensor | torch.nn.Module | None = None, *, top: int = 10) -> StepExplanation:
    """Tells how a tensor or the parameters of a module are sharded, and what the last step moved between devices and
    why. What is pending runs first.

    Args:
        what: A tensor on the device, or a module; nothing for the last step alone.
        top: How many moves are listed; 0 for all.

    Raises:
        TypeError: `what` is neither.

    >>> import torch
    >>> x = mark_sharding(torch.ones(8, 8).to(device()), get_1d_mesh("data"), (None, "data"))
    >>> total = (x @ x.t()).sum()
    >>> explain(total).collectives[0].kind
    'all_reduce'
    """
    named = _tensors_of(what)
    run_pending()
    step = last_step()
    tensors = tuple(_sharding_of(name, tensor) for name, tensor in named)
    if step is None:
        return StepExplanation(tensors, (), (), None)
    program = explain_program(_named_program(step, named), suggest=0, name="<step>")
    moved = program.transfers if top == 0 else program.transfers[:top]
    return StepExplanation(tensors, tuple(Collective(*one) for one in step.collectives), tuple(moved), program)


def last_program() -> str:
    """Returns the program that ran last as StableHLO with shardings, for `shardwise.explain` and the command line
    tool; empty if nothing has run."""
    step = last_step()
    return "" if step is None else step.text


def _tensors_of(what: Any) -> list[tuple[str, DeviceTensor]]:
    if what is None:
        return []
    if isinstance(what, torch.nn.Module):
        members = [*what.named_parameters(), *what.named_buffers()]
        return [(name, one) for name, one in members if isinstance(one, DeviceTensor)]
    if isinstance(what, DeviceTensor):
        return [("", what)]
    if isinstance(what, torch.Tensor):
        raise TypeError(f"the tensor is on {what.device}; only tensors on the device are sharded, move it with "
                        ".to(shardwise.torch.device())")
    raise TypeError(f"expected a tensor or a module, got {type(what).__name__}")


def _sharding_of(name: str, tensor: DeviceTensor) -> TensorSharding:
    assignment = assignment_of_tensor(tensor)
    shape = tuple(tensor.shape)
    return TensorSharding(name, shape, shape if assignment is None else assignment.shard_shape(shape),
                          "" if assignment is None else str(assignment), tensor._storage.annotation is not None)


def _named_program(step: Step, named: list[tuple[str, DeviceTensor]]) -> str:
    """The program with the names of parameters at its arguments, so that reasons speak of these."""
    text = step.text
    by_storage = {id(tensor._storage): name for name, tensor in named if name}
    for index, owner in enumerate(step.owners):
        storage = owner() if owner is not None else None
        name = by_storage.get(id(storage)) if storage is not None else None
        if name is not None:
            pattern = rf"(%arg{index}: [^%)]*?)((?:, %)|(?:\) ->))"
            text = re.sub(pattern, lambda match: f'{match[1]} loc("{name}"){match[2]}', text, count=1)
    return text
