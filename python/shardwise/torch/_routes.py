# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which rounds of messages bring a tensor from one placement to another.

Values that only move take one round: a rank gets exactly what it lacks, from a rank that has it. Sums
take one round, in which every rank gets the terms of all that it needs, or two: the ranks first share
the work out, then results are exchanged. Where it is shared out best is what the planner of
`shardwise.plan` says; DTensor's own layouts decide the sizes.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence

from .. import plans
from ..errors import ShardwiseError
from ..shardings import Axis, Mesh, Sharding
from ._layout import Cut, Layout, chunk, divided, layout
from ._messages import Round

#: What a round costs beside its bytes, in bytes: about what gloo and NCCL move in the time that one takes.
_ROUND_BYTES = 1 << 20


@dataclasses.dataclass(frozen=True)
class Placed:
    """A mesh and what its dimensions do to a tensor.

    Attributes:
        ranks: The global rank at each row-major position.
        sizes: Sizes of the dimensions.
        cuts: One for each of them.
        order: Dimensions in the order in which they cut, if that is not from the first to the last.
    """

    ranks: tuple[int, ...]
    sizes: tuple[int, ...]
    cuts: tuple[Cut, ...]
    order: tuple[int, ...] | None = None

    def layout(self, shape: Sequence[int]) -> Layout:
        return layout(self.ranks, self.sizes, shape, self.cuts, self.order)

    @property
    def partial(self) -> tuple[int, ...]:
        """Mesh dimensions with partial values."""
        return tuple(dim for dim, cut in enumerate(self.cuts) if cut.reduce_op)

    @functools.cached_property
    def axes(self) -> tuple[str, ...]:
        """Names of the mesh's dimensions for the planner."""
        return tuple(f"d{dim}" for dim in range(len(self.sizes)))

    def sharding(self, rank: int) -> Sharding | None:
        """The sharding of a tensor with `rank` dimensions; None if axes of the mesh cannot say it."""
        order: list[list[int]] = [[] for _ in range(rank)]
        # A split factor is what the dimensions behind cut before.
        for dim in reversed(self.order or range(len(self.cuts))):
            cut = self.cuts[dim]
            if cut.dim is None:
                continue
            dims = order[cut.dim]
            products = [math.prod(self.sizes[one] for one in dims[:count]) for count in range(len(dims) + 1)]
            if cut.split_factor not in products:
                return None
            dims.insert(products.index(cut.split_factor), dim)
        ops = {self.cuts[dim].reduce_op for dim in self.partial}
        # To the planner only the bytes matter: any other way to combine is a sum.
        reduction = ops.pop() if ops in ({"max"}, {"min"}) else "sum"
        return Sharding([tuple(self.axes[one] for one in dims) for dims in order],
                        unreduced=[self.axes[dim] for dim in self.partial] or None,
                        reduction=reduction if self.partial else None)


@dataclasses.dataclass(frozen=True)
class Route:
    """The rounds from one placement to another.

    Attributes:
        rounds: One, or two.
        reduces: Whether the first one combines terms.
    """

    rounds: tuple[Round, ...]
    reduces: bool

    @property
    def largest(self) -> int:
        """Elements that the slowest rank receives."""
        return sum(one.largest for one in self.rounds)

    def cost(self, itemsize: int) -> int:
        """Bytes that the slowest rank receives, half of those that it combines, and what rounds stand for."""
        return sum(_ROUND_BYTES + one.largest * itemsize + one.largest_combined * itemsize // 2
                   for one in self.rounds if not one.is_local)


def reduced_dims(source: Placed, target: Placed) -> tuple[int, ...]:
    """Mesh dimensions of the source whose partial values are combined."""
    if source.ranks != target.ranks or source.sizes != target.sizes:
        return source.partial
    return tuple(dim for dim in source.partial if dim not in target.partial)


def route(source: Placed, target: Placed, shape: Sequence[int], itemsize: int) -> Route:
    """The cheapest route: fewest bytes of the slowest rank, and few rounds where bytes are few."""
    before, after = source.layout(shape), target.layout(shape)
    dims = reduced_dims(source, target)
    direct = Route((Round(before, after),), bool(dims))
    if not dims:
        return direct
    best, found = direct.cost(itemsize), direct
    # Two rounds cannot cost less.
    if best <= 2 * _ROUND_BYTES:
        return direct
    between = [divided(before, source.sizes, dims)]
    planned = _planned_between(source, target, shape, itemsize, before, dims)
    if planned is not None:
        between.append(planned)
    for middle in between:
        two = Route((Round(before, middle), Round(middle, after)), True)
        cost = two.cost(itemsize)
        if cost < best:
            best, found = cost, two
    return found


def planned(source: Placed, target: Placed, shape: Sequence[int], itemsize: int) -> plans.Plan | None:
    """The planner's plan for the same reshard; None if a placement is no sharding of the mesh."""
    from_, to = source.sharding(len(shape)), target.sharding(len(shape))
    if from_ is None or to is None:
        return None
    return plans.plan(shape, f"ui{8 * itemsize}" if itemsize <= 8 else "c128", _mesh(source, target), from_, to,
                      to_mesh=_mesh(target, source))


def _mesh(placed: Placed, other: Placed) -> Mesh:
    """The mesh for the planner, which numbers devices from 0."""
    numbers = {rank: number for number, rank in enumerate(sorted({*placed.ranks, *other.ranks}))}
    devices = [numbers[rank] for rank in placed.ranks]
    sizes = dict(zip(placed.axes, placed.sizes))
    return Mesh(sizes) if devices == list(range(len(devices))) else Mesh(sizes, device_ids=devices)


def _planned_between(source: Placed, target: Placed, shape: Sequence[int], itemsize: int, before: Layout,
                     dims: Sequence[int]) -> Layout | None:
    """What ranks hold behind the last step of the plan that combines values."""
    try:
        plan = planned(source, target, shape, itemsize)
    except ShardwiseError:
        return None
    reducing = [step for step in plan.steps if step.kind in ("reduce_scatter", "all_reduce")] if plan else []
    if not reducing:
        return None
    found = _layout_of(reducing[-1].sharding, source, shape, before, dims)
    if reducing[-1].kind == "reduce_scatter":
        return found
    # An all_reduce shares the work out, and gathers: the second round gathers.
    shared = [source.axes.index(name) for name in reducing[-1].axes if name in source.axes]
    return divided(found, source.sizes, shared)


def _layout_of(sharding: Sharding, source: Placed, shape: Sequence[int], before: Layout,
               dims: Sequence[int]) -> Layout:
    """The layout of a sharding of a plan, which may have sub-axes."""
    boxes = []
    for coordinate in before.coordinates:
        box = []
        for size, dim in zip(shape, sharding.dims):
            runs = ((0, size),) if size else ()
            for axis in dim.axes:
                runs = chunk(runs, *_part_of_axis(axis, source, coordinate))
            box.append(runs)
        boxes.append(tuple(box))
    terms = tuple(tuple(0 if axis in dims else at for axis, at in enumerate(term)) for term in before.terms)
    return Layout(before.ranks, before.coordinates, tuple(boxes), terms)


def _part_of_axis(axis: Axis, source: Placed, coordinate: Sequence[int]) -> tuple[int, int]:
    """Size of an axis or sub-axis, and the coordinate along it."""
    dim = source.axes.index(axis.name)
    size, at = source.sizes[dim], coordinate[dim]
    if axis.size is None:
        return size, at
    return axis.size, at // (size // (axis.pre_size * axis.size)) % axis.size
