# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How values that each device has its own of are written: as one tensor with a leading dimension over all devices,
and each op on them as a manual computation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ._emit import Emitter, Value

__all__ = ["ManualMesh", "enter", "leave", "stacked_layout", "write_manual"]


class ManualMesh(NamedTuple):
    """The devices of a manual region.

    Attributes:
        text: The mesh in sdy notation.
        axes: Names of its axes.
        size: How many devices it has.
    """

    text: str
    axes: tuple[str, ...]
    size: int


def stacked_layout(mesh: ManualMesh, rank: int) -> tuple[str, str]:
    """How the values of all devices lie, behind each other."""
    first = ", ".join(f'"{axis}"' for axis in mesh.axes)
    return mesh.text, f"[{', '.join(['{' + first + '}'] + ['{}'] * rank)}]"


def _computation(e: Emitter, mesh: ManualMesh, name: Callable[[tuple[str, str]], str], operands: Sequence[Value],
                 layouts: Sequence[tuple[str, str]], locals_: Sequence[Sequence[int]], results, body) -> list[Value]:
    """Writes a manual computation. `results` has layout, local and global shape, and type of each; `body` gets an emitter
    and the values of one device, and returns as many."""
    inner = e.nested()
    arguments = [inner.new(shape, operand.dtype) for shape, operand in zip(locals_, operands)]
    returned = body(inner, arguments)
    outs = [e.new(shape, dtype) for _, shape, dtype in results]

    def shardings(all_layouts) -> str:
        return ", ".join(name(layout).removeprefix("#sdy.sharding") for layout in all_layouts)

    axes = ", ".join(f'"{axis}"' for axis in mesh.axes)
    e.take_numbers(inner)
    named = ", ".join(f"{one.name}: {one.type}" for one in arguments)
    e.line(f"{', '.join(out.name for out in outs)} = sdy.manual_computation({', '.join(one.name for one in operands)}) "
           f"in_shardings=[{shardings(layouts)}] out_shardings=[{shardings(one[0] for one in results)}] "
           f"manual_axes={{{axes}}} ({named}) {{")
    e.lines += inner.lines
    e.line(f"sdy.return {', '.join(one.name for one in returned)} : {', '.join(one.type for one in returned)}")
    e.line(f"}} : ({', '.join(one.type for one in operands)}) -> ({', '.join(out.type for out in outs)})")
    return outs


def write_manual(e: Emitter, spec: Any, mesh: ManualMesh, own: Sequence[bool], name, operands: list[Value],
                 scalars: list[Value], fill: Callable[..., Any]) -> Any:
    """Writes an op that each device does. `fill` puts values into the arguments of the op."""
    layouts = [stacked_layout(mesh, value.rank - 1) if mine else (mesh.text, f"[{', '.join(['{}'] * value.rank)}]")
               for value, mine in zip(operands, own)]
    layouts += [(mesh.text, "[]")] * len(scalars)
    locals_ = [(1, *value.shape[1:]) if mine else value.shape for value, mine in zip(operands, own)]
    locals_ += [()] * len(scalars)

    def body(inner: Emitter, arguments: list[Value]) -> list[Value]:
        values = [inner.reshape(value, value.shape[1:]) if mine else value for value, mine in zip(arguments, own)]
        inner.outs = spec.outs
        result = fill(inner, spec, values, arguments[len(operands):])
        results = result if isinstance(result, tuple) else (result,)
        return [inner.reshape(one, (1, *one.shape)) for one in results if one is not None]

    outs = [meta for meta in spec.outs if meta is not None]
    results = [(stacked_layout(mesh, len(meta.shape)), (mesh.size, *meta.shape), meta.dtype) for meta in outs]
    written = _computation(e, mesh, name, operands + scalars, layouts, locals_, results, body)
    if not spec.many:
        return written[0]
    remaining = iter(written)
    return tuple(None if meta is None else next(remaining) for meta in spec.outs)


def enter(e: Emitter, value: Value, mesh: ManualMesh, layout: tuple[str, str], local: Sequence[int], name) -> Value:
    """Writes the change from the whole tensor to what each device has of it."""
    results = [(stacked_layout(mesh, value.rank), (mesh.size, *local), value.dtype)]
    return _computation(e, mesh, name, [value], [layout], [local], results,
                        lambda inner, values: [inner.reshape(values[0], (1, *local))])[0]


def leave(e: Emitter, value: Value, mesh: ManualMesh, layout: tuple[str, str], whole: Sequence[int], name) -> Value:
    """Writes the change from what each device has to the whole tensor."""
    local = value.shape[1:]
    return _computation(e, mesh, name, [value], [stacked_layout(mesh, len(local))], [(1, *local)],
                        [(layout, whole, value.dtype)], lambda inner, values: [inner.reshape(values[0], local)])[0]
