# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what is pending: the graph becomes a program, which is compiled once for each structure, and its results
stay on the devices."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Sequence
from typing import Any

import numpy
import torch

from .. import _core
from .._processes import check_same, connect
from .._sources import choices_of
from ._emit import Emitter, Value, type_text
from ._graph import (Node, ScalarSlot, Storage, TensorSlot, become_leaf, forget_pending, is_pending_since, pending_storages, pin_of,
                     wanted_layout)
from ._host import from_parts, to_parts
from ._hosted import Probation, few_nodes, is_for_host, is_small, run_on_host
from ._manual_text import enter, leave, stacked_layout, write_manual
from ._meta import Meta

__all__ = ["compile_count", "host_value", "last_step", "run_pending"]


@dataclasses.dataclass
class Step:
    """A compiled program and what it was made of."""

    text: str
    program: Any
    arguments: list[Meta]
    collectives: list[tuple] = dataclasses.field(default_factory=list)
    seconds: float = 0.0
    owners: list[Any] = dataclasses.field(default_factory=list)
    #: How results lie, which a program decides once.
    layouts: list[tuple[str, str]] | None = None
    #: Whom to tell when it runs a second time.
    probation: Probation | None = None


_programs: dict[tuple, Step] = {}
_counts = {"compiled": 0, "runs": 0}
#: Numbers that were read and took little.
_read_alone: weakref.WeakSet[Node] = weakref.WeakSet()
#: What was read so since all that was pending was computed: functions, and the places of their leaves in the order of nodes.
_read_since: set[tuple] = set()
#: So many of them are kept.
_MOST_READ = 10_000
_last: list[Step] = []


def compile_count() -> int:
    """Returns how many programs were compiled so far."""
    return _counts["compiled"]


def runs() -> int:
    """Returns how many programs ran so far."""
    return _counts["runs"]


def last_step() -> Step | None:
    """Returns the program that ran last."""
    return _last[0] if _last else None


def run_pending() -> None:
    """Computes every tensor that is alive and was not computed yet."""
    _read_since.clear()
    storages = pending_storages()
    if storages:
        try:
            _run(storages)
        finally:
            # What was refused is not to stand in the way of everything that comes.
            forget_pending()


def compute(storage: Storage) -> None:
    """Computes what a storage holds, and everything else that is pending, unless it is little and comes from what is there."""
    if storage.node.spec is not None and not _compute_alone(storage):
        run_pending()
    if storage.node.spec is not None:
        # It was part of a program that was refused: here is why, again.
        _run([storage])


def _compute_alone(storage: Storage) -> bool:
    """Computes what a storage holds if it is a number that takes little, and no step is behind us, which is to be a program of its own: as a
    loop goes on, all that is pending would be one program that grows. A step is behind us

    1. if the number is one of what came from the host when something was pending already: the next batch;
    2. if it goes back to a number that was read before: a counter;
    3. if the same function of the same values was read since the last run: the loop came by here again.

    Whatever else comes from the host ends none: parameters come before the first step and the state of an optimizer in it, so that the first
    step would end elsewhere than the others, and the second and third one have a program of their own each. Nothing is computed alone in several
    processes, which compare what they run: two that part would not be told."""
    root = storage.node
    if connect()[1] > 1 or pin_of(storage) is not None or (nodes := few_nodes(root)) is None:
        return False
    is_counter = any(node in _read_alone for node in nodes)
    _read_alone.add(root)
    arrival = max(node.arrival for node in nodes)
    if is_counter or (arrival >= 0 and is_pending_since(arrival)):
        return False
    index = {node: i for i, node in enumerate(nodes)}
    function = tuple((node.seq,) if node.spec is None else (None, node.spec.number, *map(index.get, node.inputs)) for node in nodes)
    if function in _read_since or len(_read_since) == _MOST_READ:
        return False
    values = run_on_host(nodes, index, [root])
    if values is None:
        return False
    _read_since.add(function)
    _take([root], values, [None], [storage])
    return True


def _run(storages: list[Storage]) -> None:
    # Before anything is computed, on the host too: one of several processes that cannot reach the others is told at once.
    connect()
    wanted: dict[Node, Any] = {}
    for storage in storages:
        pin = pin_of(storage)
        if storage.node.manual is not None:
            pin = stacked_layout(storage.node.manual, len(storage.node.meta.shape))
        if pin is not None or storage.node not in wanted:
            wanted[storage.node] = pin
    roots = list(dict.fromkeys(storage.node for storage in storages))
    # Ops as they were recorded, each leaf before its first use. When a leaf was made says nothing: a loader sends batches ahead, in a thread
    # of its own, and the same step is to be the same program whenever they came.
    nodes, key, places, leaves, scalars = _core.read_graph(roots)
    pins = [wanted[root] for root in roots]
    if is_small(nodes, pins) and (values := run_on_host(nodes, _places(nodes), roots)) is not None:
        _take(roots, values, [None] * len(roots), storages)
        return
    key.append(None)
    key.extend(zip(places, pins))
    identity = tuple(key)
    step = _programs.get(identity)
    if step is None:
        index = _places(nodes)
        here, probation = is_for_host(nodes, index)
        if here and (values := run_on_host(nodes, index, roots)) is not None:
            _take(roots, values, pins, storages)
            return
        step = _programs[identity] = _compile(nodes, index, roots, pins, len(scalars))
        step.probation = probation
    elif step.probation is not None:
        step.probation.pass_()
        step.probation = None
    _execute(step, leaves, scalars, roots, storages)


def _places(nodes: Sequence[Node]) -> dict[Node, int]:
    return {node: i for i, node in enumerate(nodes)}


def _execute(step: Step, leaves, scalars, roots, storages) -> None:
    program = step.program
    check_same("a step", step.text.encode())
    arguments = []
    for i, leaf in enumerate(leaves):
        data = leaf.data
        if isinstance(data, torch.Tensor):
            data = _core.place(program, i, to_parts(data))
            leaf.data, leaf.layout = data, tuple(data.layout())
        elif leaf.layout != wanted_layout(leaf):
            data = _core.replace(program, i, data)
            leaf.data, leaf.layout = data, tuple(data.layout())
        arguments.append(data)
    if scalars:
        packed = numpy.asarray(scalars, numpy.float64)
        arguments.append(_core.place(program, len(leaves), ("f64", [len(scalars)], packed.view(numpy.uint8))))
    results, collectives, seconds = _core.run_on_devices(program, arguments)
    if step.layouts is None:
        step.layouts = [tuple(result.layout()) for result in results]
    for root, result, layout in zip(roots, results, step.layouts):
        become_leaf(root, result, layout)
    _finish(storages)
    step.collectives, step.seconds = collectives, seconds
    step.owners = [leaf.owner for leaf in leaves]
    _last[:] = [step]


def _take(roots, values, pins, storages) -> None:
    """Gives what was computed on the host; the next program takes it as the pins say."""
    for root, value, pin in zip(roots, values, pins):
        become_leaf(root, value, ("", ""))
        root.wanted = pin
    _finish(storages)


def _finish(storages: list[Storage]) -> None:
    for storage in storages:
        storage.chosen = True
        storage.node.owner = weakref.ref(storage)
    _counts["runs"] += 1


class _Meshes:
    """Names of the meshes of a program."""

    def __init__(self):
        self.names: dict[str, str] = {}

    def attribute(self, layout: tuple[str, str]) -> str:
        name = self.names.get(layout[0])
        if name is None:
            name = self.names[layout[0]] = f"mesh{len(self.names)}" if self.names else "mesh"
        return f"#sdy.sharding<@{name}, {layout[1]}>"

    def dictionary(self, value: Value, layout: tuple[str, str]) -> str:
        """How an argument or a result is annotated. What is replicated has a mesh too, lest propagation cuts it."""
        if not layout[0] and not self.names:
            return ""
        if not layout[0]:
            layout = (next(iter(self.names)), f"[{', '.join(['{}'] * value.rank)}]")
        return f" {{sdy.sharding = {self.attribute(layout)}}}"

    def definitions(self) -> list[str]:
        return [f"  sdy.mesh @{name} = <{text}>" for text, name in self.names.items()]


def _argument(slot: Any, values: list[Value], scalars: list[Value]) -> Any:
    if isinstance(slot, TensorSlot):
        return values[slot.index]
    if isinstance(slot, ScalarSlot):
        return scalars[slot.index]
    if isinstance(slot, (list, tuple)):
        return [_argument(one, values, scalars) for one in slot]
    return slot


def _lowered(emitter: Emitter, spec, operands: list[Value], scalars: list[Value]) -> Any:
    """Writes an op."""
    if spec.lower is None:
        raise NotImplementedError(f"{spec.func} has no lowering")
    emitter.outs = spec.outs
    result = spec.lower(emitter, *[_argument(one, operands, scalars) for one in spec.args],
                        **{name: _argument(one, operands, scalars) for name, one in spec.kwargs.items()})
    _check(spec, result)
    return result


def _compile(nodes, index, roots, pins, num_scalars: int) -> Step:
    emitter, meshes = Emitter(), _Meshes()
    arguments, metas = [], []
    values: list[Any] = []
    next_scalar = 0
    packed = Value("%scalars", (num_scalars,), torch.float64)
    for node in nodes:
        if node.spec is None:
            shape = node.meta.shape if node.manual is None else (node.manual.size, *node.meta.shape)
            value = Value(f"%arg{len(arguments)}", shape, node.meta.dtype)
            layout = wanted_layout(node)
            if layout[0]:
                meshes.attribute(layout)
            arguments.append((value, layout))
            metas.append(node.meta)
            values.append(value)
            continue
        spec = node.spec
        operands = [values[index[one]] for one in node.inputs]
        if spec.func == "shardwise.project":
            values.append(operands[0][spec.args[0]])
            continue
        if spec.func == "shardwise.constrain":
            values.append(_constrained(emitter, operands[0], meshes, spec.args[1]))
            continue
        if spec.func in ("shardwise.enter", "shardwise.leave"):
            write = enter if spec.func == "shardwise.enter" else leave
            mesh, layout, shape = spec.args[1:]
            values.append(write(emitter, operands[0], mesh, tuple(layout), shape, meshes.attribute))
            continue
        scalars = []
        for slot in range(len(node.scalars)):
            position = next_scalar + slot
            part = emitter.slice(packed, [position], [position + 1])
            scalars.append(emitter.reshape(part, ()))
        next_scalar += len(node.scalars)
        if spec.func == "shardwise.manual":
            inner, mesh, own = spec.args
            values.append(write_manual(emitter, inner, mesh, own, meshes.attribute, operands, scalars, _lowered))
            continue
        values.append(_lowered(emitter, spec, operands, scalars))
    if num_scalars:
        arguments.append((packed, ("", "")))
    for pin in pins:
        if pin is not None and pin[0]:
            meshes.attribute(pin)
    outs = [values[index[root]] for root in roots]
    arguments = [f"{value.name}: {value.type}{meshes.dictionary(value, layout)}" for value, layout in arguments]
    types = ", ".join(out.type + ("" if pin is None else meshes.dictionary(out, pin))
                      for out, pin in zip(outs, pins))
    body = "\n".join("    " + line for line in emitter.lines)
    returned = f"    return {', '.join(out.name for out in outs)} : {', '.join(out.type for out in outs)}"
    text = "\n".join(["module @step {", *meshes.definitions(),
                      f"  func.func public @main({', '.join(arguments)}) -> ({types}) {{", body, returned, "  }", "}", ""])
    return _load(text, metas)


def _load(text: str, metas: list[Meta]) -> Step:
    program = _core.LoadedProgram(text.encode(), "<step>")
    program.compile(choices_of(None, None, None))
    program.take_warnings()
    _counts["compiled"] += 1
    return Step(text, program, metas)


def _check(spec, result) -> None:
    """A lowering that gives another type than PyTorch is a defect of ours; better told here than by the parser."""
    results = result if isinstance(result, tuple) else (result,)
    for value, meta in zip(results, spec.outs):
        if value is not None and meta is not None and (value.shape != meta.shape or value.dtype != meta.dtype):
            raise AssertionError(f"{spec.func}: the program has {value.type}, PyTorch {type_text(meta.shape, meta.dtype)}")


def _constrained(emitter: Emitter, value: Value, meshes: _Meshes, layout: tuple[str, str, str]) -> Value:
    """Writes what an annotation of an intermediate asks for; a replicated one names the mesh of its annotation."""
    out = emitter.new(value.shape, value.dtype)
    body = meshes.attribute(layout).removeprefix("#sdy.sharding")
    inner = body.removeprefix("<").removesuffix(">")
    emitter.line(f"{out.name} = sdy.sharding_constraint {value.name} <{inner}> : {out.type}")
    return out


def host_value(node: Node, copy: bool = True) -> torch.Tensor:
    """Returns what a leaf has as a CPU tensor; without a copy it must not be written to."""
    if isinstance(node.data, torch.Tensor):
        return node.data.clone() if copy else node.data
    return from_parts(node.data.gather(), copy)
