# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Drawings of how a value lies on the devices: what `jax.debug.visualize_array_sharding` does for an array,
for any value of a program, and without devices."""

from __future__ import annotations

import colorsys
import dataclasses
import html
import math

from ..shardings import Mesh, Sharding

_MAX_CELLS = 64  # Along a side; larger pictures say nothing.


@dataclasses.dataclass(frozen=True)
class ValueSharding:
    """How a value of a program lies on the devices. `print` draws it, notebooks show it in colours.

    Attributes:
        name: As in `Lowered.shardings()`.
        dtype: Its element type, as in StableHLO.
        shape: Its shape.
        local_shape: That of the part of a device, padding included.
        mesh: The devices.
        sharding: How it is cut over `mesh`.
        source: The line of the user that made it, as far as it is known.
        why: What the axes of its dimensions come from, a line each.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    local_shape: tuple[int, ...]
    mesh: Mesh
    sharding: Sharding
    source: str = ""
    why: tuple[str, ...] = dataclasses.field(default=(), repr=False)

    def __str__(self) -> str:
        """The drawing, as text."""
        rows, note = self._cells()
        lines = [self._title(), *(f"  {line}" for line in self.why), *([note] if note else [])]
        width = max((len(cell) for row in rows for cell in row), default=0)
        rule = "+" + "+".join("-" * (width + 2) for _ in (rows[0] if rows else [])) + "+"
        for row in rows:
            lines += [rule, "|" + "|".join(f" {cell:^{width}} " for cell in row) + "|"]
        return "\n".join([*lines, *([rule] if rows else [])])

    def _repr_html_(self) -> str:
        rows, note = self._cells()
        names = {cell: i for i, cell in enumerate(dict.fromkeys(cell for row in rows for cell in row))}

        def colour(cell: str) -> str:
            red, green, blue = colorsys.hsv_to_rgb(names[cell] / max(1, len(names)), 0.25, 0.95)
            return f"rgb({red * 255:.0f},{green * 255:.0f},{blue * 255:.0f})"

        body = "".join("<tr>" + "".join(
            f'<td style="background:{colour(cell)};color:#111;border:1px solid #555;padding:.6em 1em;'
            f'text-align:center">{html.escape(cell)}</td>' for cell in row) + "</tr>" for row in rows)
        text = "<br>".join(map(html.escape, [self._title(), *self.why, *([note] if note else [])]))
        return f'<div><div style="font-family:monospace">{text}</div><table>{body}</table></div>'

    def _title(self) -> str:
        size = "x".join(map(str, self.shape)) or "scalar"
        local = "x".join(map(str, self.local_shape)) or "scalar"
        where = f", {self.source}" if self.source else ""
        return (f"{self.name}: {size} {self.dtype} {self.sharding}, {local} on each of {self.mesh.size} "
                f"devices{where}")

    def _cells(self) -> tuple[list[list[str]], str]:
        """The blocks along two dimensions, each with the devices that hold it, and what is left out."""
        boxes: dict[tuple, list[int]] = {}
        for device, index in self.sharding.indices(self.mesh, self.shape).items():
            boxes.setdefault(tuple((part.start, part.stop) for part in index), []).append(device)
        starts = [sorted({box[dim] for box in boxes}) for dim in range(len(self.shape))]
        cut = [dim for dim, parts in enumerate(starts) if len(parts) > 1]
        # Pictures have two dimensions: those that are cut, else the first.
        shown = sorted([*cut, *(dim for dim in range(len(self.shape)) if dim not in cut)][:2])
        counts = [len(starts[dim]) for dim in shown] or [1]
        if max(counts) > _MAX_CELLS:
            return [], f"(a picture of {' x '.join(map(str, counts))} blocks is not drawn)"
        hidden = math.prod(len(starts[dim]) for dim in cut if dim not in shown)
        note = f"(dimensions {shown[0]} and {shown[1]}; a block stands for {hidden})" if hidden > 1 else ""

        def devices(*place: tuple) -> str:
            found = sorted(device for box, group in boxes.items()
                           if all(box[dim] == part for dim, part in zip(shown, place)) for device in group)
            return _ranges(found)

        if not shown:
            return [[devices()]], note
        if len(shown) == 1:
            return [[devices(part) for part in starts[shown[0]]]], note
        return [[devices(row, column) for column in starts[shown[1]]] for row in starts[shown[0]]], note


def _ranges(numbers: list[int]) -> str:
    """`0,1` and `0-7`."""
    texts: list[str] = []
    start = 0
    for i in range(1, len(numbers) + 1):
        if i < len(numbers) and numbers[i] == numbers[i - 1] + 1:
            continue
        run = numbers[start:i]
        texts.append(f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)))
        start = i
    return ",".join(texts)
