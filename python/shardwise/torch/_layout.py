# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which elements of a tensor each rank holds: DTensor's placements as sets of indices.

A rank holds, in every dimension, some *runs* of global indices, in the order of its local tensor: one
run for `Shard`, several for `_StridedShard`. Its shard is the product of them. Nothing here needs
PyTorch, so that layouts of shardings that only a plan has are made by the same functions.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Sequence

#: Half-open ranges of global indices, in local order.
Runs = tuple[tuple[int, int], ...]


@dataclasses.dataclass(frozen=True)
class Cut:
    """What one mesh dimension does to a tensor.

    Attributes:
        dim: The tensor dimension that it cuts; None if it replicates, or has partial values.
        split_factor: Of a `_StridedShard`, into how many pieces the dimension is cut first; else 1.
        reduce_op: How partial values combine; None if it has none.
    """

    dim: int | None = None
    split_factor: int = 1
    reduce_op: str | None = None


def _part(runs: Runs, start: int, stop: int) -> Runs:
    """The elements `start` to `stop`, counted along the runs."""
    parts = []
    for first, last in runs:
        size = last - first
        low, high = max(start, 0), min(stop, size)
        if low < high:
            parts.append((first + low, first + high))
        start, stop = start - size, stop - size
        if stop <= 0:
            break
    return tuple(parts)


def length(runs: Runs) -> int:
    return sum(stop - start for start, stop in runs)


def chunk(runs: Runs, parts: int, index: int) -> Runs:
    """What `torch.chunk` gives: parts of ceil(n / parts) elements, the last ones smaller or empty."""
    size = -(-length(runs) // parts)
    return _part(runs, size * index, size * (index + 1))


def _strided_chunk(runs: Runs, split_factor: int, parts: int, index: int) -> Runs:
    """What `_StridedShard` gives: a part of each of `split_factor` pieces, one behind the other."""
    if split_factor == 1:
        return chunk(runs, parts, index)
    pieces = (chunk(chunk(runs, split_factor, piece), parts, index) for piece in range(split_factor))
    return _joined(itertools.chain.from_iterable(pieces))


def _joined(runs) -> Runs:
    """The same elements in the same order, in as few runs as possible."""
    joined: list[tuple[int, int]] = []
    for start, stop in runs:
        if joined and joined[-1][1] == start:
            joined[-1] = joined[-1][0], stop
        else:
            joined.append((start, stop))
    return tuple(joined)


@functools.lru_cache(maxsize=65536)
def overlap(source: Runs, target: Runs) -> tuple[Runs, Runs]:
    """Where the indices that two ranks share are in the local tensor of each, in the target's order."""
    in_source, in_target = [], []
    at_target = 0
    for first, last in target:
        found = []
        at_source = 0
        for start, stop in source:
            low, high = max(first, start), min(last, stop)
            if low < high:
                found.append((low, high, at_source + low - start))
            at_source += stop - start
        for low, high, position in sorted(found):
            in_source.append((position, position + high - low))
            in_target.append((at_target + low - first, at_target + high - first))
        at_target += last - first
    return _joined(in_source), _joined(in_target)


@dataclasses.dataclass(frozen=True)
class Layout:
    """What all ranks of a mesh hold.

    Attributes:
        ranks: The global rank at each row-major position of the mesh.
        coordinates: Its coordinates.
        boxes: Its runs, by dimension of the tensor.
        terms: Which of the partial values it holds, by mesh dimension; 0 where there are none.
    """

    ranks: tuple[int, ...]
    coordinates: tuple[tuple[int, ...], ...]
    boxes: tuple[tuple[Runs, ...], ...]
    terms: tuple[tuple[int, ...], ...]

    def shape(self, position: int) -> tuple[int, ...]:
        return tuple(length(runs) for runs in self.boxes[position])

    @functools.cached_property
    def positions(self) -> dict[int, int]:
        """The position of each global rank."""
        return {rank: position for position, rank in enumerate(self.ranks)}


def layout(ranks: Sequence[int], sizes: Sequence[int], shape: Sequence[int], cuts: Sequence[Cut],
           order: Sequence[int] | None = None) -> Layout:
    """What each rank holds of a tensor.

    Args:
        ranks: The global rank at each row-major position of the mesh.
        sizes: Sizes of the dimensions of the mesh.
        shape: Sizes of the tensor.
        cuts: One for each dimension of the mesh.
        order: Dimensions of the mesh in the order in which they cut; by default from the first to the
            last.
    """
    coordinates = tuple(itertools.product(*map(range, sizes)))
    whole = tuple(((0, size),) if size else () for size in shape)
    boxes = []
    for coordinate in coordinates:
        box = list(whole)
        for dim in order if order is not None else range(len(cuts)):
            cut = cuts[dim]
            if cut.dim is not None:
                box[cut.dim] = _strided_chunk(box[cut.dim], cut.split_factor, sizes[dim], coordinate[dim])
        boxes.append(tuple(box))
    terms = tuple(tuple(at if cut.reduce_op else 0 for at, cut in zip(coordinate, cuts))
                  for coordinate in coordinates)
    return Layout(tuple(ranks), coordinates, tuple(boxes), terms)


def divided(before: Layout, sizes: Sequence[int], dims: Sequence[int]) -> Layout:
    """The layout in which ranks that hold partial values of the same elements share these out.

    Each mesh dimension of `dims` cuts the tensor dimension of the local box that it cuts most evenly.
    """
    boxes = [list(box) for box in before.boxes]
    for dim in dims:
        # One choice for all ranks that share a box: those differ in the coordinates of `dims` only,
        # and have had the same cuts so far but for sizes; the first rank of them decides.
        choice: dict[tuple, int | None] = {}
        for position, coordinate in enumerate(before.coordinates):
            key = tuple(at for axis, at in enumerate(coordinate) if axis not in dims)
            if key not in choice:
                choice[key] = _best_dim(tuple(map(length, boxes[position])), sizes[dim])
            best = choice[key]
            if best is None:
                # Too small to be shared out: the first rank does it.
                if coordinate[dim]:
                    boxes[position] = [()] * len(boxes[position]) or boxes[position]
            else:
                boxes[position][best] = chunk(boxes[position][best], sizes[dim], coordinate[dim])
    terms = tuple(tuple(0 if axis in dims else at for axis, at in enumerate(term)) for term in before.terms)
    return Layout(before.ranks, before.coordinates, tuple(map(tuple, boxes)), terms)


def _best_dim(shape: tuple[int, ...], parts: int) -> int | None:
    """The dimension whose largest part is the smallest share of it; the first of several."""
    shares = [(-(-size // parts) / size, dim) for dim, size in enumerate(shape) if size > 1]
    return min(shares)[1] if shares else None


def elements(box: Sequence[Runs]) -> int:
    return math.prod(map(length, box))
