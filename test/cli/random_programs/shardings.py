# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Meshes, and random shardings on them."""

import dataclasses
import random
from typing import Sequence

from .blocks import comma


@dataclasses.dataclass(frozen=True)
class Axis:
    """A mesh axis, or a sub-axis of it: the parts from `parts_before` to `parts_before * size`."""

    name: str
    size: int
    parts_before: int = 0  # 0: the whole axis

    def __str__(self) -> str:
        part = f":({self.parts_before}){self.size}" if self.parts_before else ""
        return f'"{self.name}"{part}'

    def continues(self, other: "Axis") -> bool:
        """Whether `other` followed by this must be written as one."""
        return (self.name == other.name
                and self.parts_before == other.parts_before * other.size > 0)


@dataclasses.dataclass(frozen=True)
class Mesh:
    """Axes in order, and the order of the devices where it is not the natural one."""

    axes: tuple[Axis, ...]
    device_order: str = ""

    def __str__(self) -> str:
        axes = comma(f'"{axis.name}"={axis.size}' for axis in self.axes)
        return f"<[{axes}]{self.device_order}>"


MESHES = [
    Mesh((Axis("x", 2), Axis("y", 2))),
    Mesh((Axis("x", 4), Axis("y", 2))),
    Mesh((Axis("x", 2), Axis("y", 2), Axis("z", 2))),
    Mesh((Axis("x", 2), Axis("y", 3))),
    Mesh((Axis("x", 2), Axis("y", 2)), ", device_ids=[2, 0, 3, 1]"),
    Mesh((Axis("x", 8),)),
]


# Sizes of the programs are multiples of 2, 3 and 4, and seldom of these.
UNEVEN_MESHES = [
    Mesh((Axis("x", 3), Axis("y", 2))),
    Mesh((Axis("x", 4), Axis("y", 3))),
    Mesh((Axis("x", 5),)),
    Mesh((Axis("x", 2), Axis("y", 2), Axis("z", 3))),
    Mesh((Axis("x", 3), Axis("y", 2)), ", device_ids=[2, 0, 3, 1, 5, 4]"),
    Mesh((Axis("x", 16),)),
    Mesh((Axis("x", 4), Axis("y", 4))),
]


@dataclasses.dataclass(frozen=True)
class Sharding:
    """The axes of each dimension, which dimensions are open, and axes named beside them.

    `priorities` has a number for each dimension, None where there is none, or nothing at all.
    """

    dims: tuple[tuple[Axis, ...], ...]
    opened: tuple[bool, ...]
    replicated: tuple[Axis, ...] = ()
    unreduced: tuple[Axis, ...] = ()
    priorities: tuple[int | None, ...] = ()
    mesh: str = "@mesh"

    def _dim(self, dim: int) -> str:
        axes, is_open = self.dims[dim], self.opened[dim]
        number = self.priorities[dim] if self.priorities and (axes or is_open) else None
        text = "{" + comma([*axes, "?"] if is_open else axes) + "}"
        return text if number is None else f"{text}p{number}"

    def __str__(self) -> str:
        dims = comma(map(self._dim, range(len(self.dims))))
        replicated = f", replicated={{{comma(self.replicated)}}}" if self.replicated else ""
        unreduced = f", unreduced={{{comma(self.unreduced)}}}" if self.unreduced else ""
        return f"<{self.mesh}, [{dims}]{replicated}{unreduced}>"


class Shardings:
    """Draws shardings that are valid on a mesh and divide their shape evenly, unless `uneven`."""

    # Shares of the cases: an axis of four or eight is split in two sub-axes, an axis is used, the
    # sharding of a dimension is open, an axis left over is said to be replicated.
    SPLIT, USED, OPEN, REPLICATED = 0.5, 0.7, 0.1, 0.05

    def __init__(self, mesh: Mesh, draw: random.Random, uneven: bool = False):
        self.mesh = mesh
        self._draw = draw
        self._uneven = uneven

    def _axes(self) -> list[Axis]:
        axes = []
        for axis in self.mesh.axes:
            if axis.size in (4, 8, 16) and self._draw.random() < self.SPLIT:
                axes += [Axis(axis.name, 2, 1), Axis(axis.name, axis.size // 2, 2)]
            else:
                axes.append(axis)
        self._draw.shuffle(axes)
        return axes

    def _dims(self, shape: Sequence[int]) -> tuple[list[list[Axis]], list[Axis]]:
        """Axes of each dimension, and whole axes used by none."""
        dims: list[list[Axis]] = [[] for _ in shape]
        left, unused = list(shape), []
        for axis in self._axes():
            dim = self._draw.randrange(len(shape)) if shape else None
            if (dim is None or self._draw.random() > self.USED
                    or left[dim] % axis.size and not self._uneven
                    or dims[dim] and axis.continues(dims[dim][-1])):
                unused.append(axis)
                continue
            dims[dim].append(axis)
            left[dim] = -(-left[dim] // axis.size)
        return dims, [axis for axis in unused if not axis.parts_before]

    def sharding(self, shape: Sequence[int], partial: float = 0) -> Sharding:
        """A sharding of a tensor with this shape.

        An axis that cuts no dimension is unreduced in `partial` of the cases.
        """
        dims, unused = self._dims(shape)
        unreduced = sorted((axis for axis in unused if self._draw.random() < partial),
                           key=self.mesh.axes.index)
        unused = [axis for axis in unused if axis not in unreduced]
        replicated = sorted((axis for axis in unused if self._draw.random() < self.REPLICATED),
                            key=self.mesh.axes.index)
        opened = tuple(self._draw.random() < self.OPEN for _ in dims)
        return Sharding(tuple(map(tuple, dims)), opened, tuple(replicated), tuple(unreduced))

    def attribute(self, shape: Sequence[int], partial: float = 0) -> str:
        """The same as text, such as `#sdy.sharding<@mesh, [{"x"}, {}]>`."""
        return f"#sdy.sharding{self.sharding(shape, partial)}"
