# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which device holds which tile of a tensor: the canonical form of a sharding, its two text forms, and
the bounds of shards. Pure functions of tile counts and device ids."""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
import re
from collections.abc import Sequence

import numpy

__all__ = ["Assignment", "OpSharding", "ShardingType", "parse_assignment"]


class ShardingType(enum.IntEnum):
    """How a tensor is spread over the devices."""

    REPLICATED = 0
    MAXIMAL = 1
    TUPLE = 2
    TILED = 3
    MANUAL = 4
    PARTIAL = 5
    UNKNOWN = 6


@dataclasses.dataclass(frozen=True)
class Assignment:
    """A sharding as tile counts and the devices that hold the tiles.

    Attributes:
        type: REPLICATED, TILED, PARTIAL (tiles, each held by several devices), or MANUAL.
        tiles: Tile counts per dimension of the tensor; empty unless tiled.
        devices: Devices in row-major order of tiles; those that hold the same tile are adjacent.
        replicas: How many devices hold each tile.

    >>> str(Assignment(ShardingType.PARTIAL, (2, 1), (0, 1, 2, 3), 2))
    '{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}'
    """

    type: ShardingType
    tiles: tuple[int, ...] = ()
    devices: tuple[int, ...] = ()
    replicas: int = 1

    def __str__(self) -> str:
        if self.type in (ShardingType.REPLICATED, ShardingType.MANUAL):
            return "{" + self.type.name.lower() + "}"
        counts = list(self.tiles) + ([self.replicas] if self.replicas > 1 else [])
        text = f"devices=[{','.join(map(str, counts))}]{','.join(map(str, self.devices))}"
        return "{" + text + (" last_tile_dim_replicate}" if self.replicas > 1 else "}")

    @property
    def is_tiled(self) -> bool:
        """Whether devices hold different parts."""
        return self.type in (ShardingType.TILED, ShardingType.PARTIAL)

    def shard_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Returns the shape of every shard, padding included.

        Args:
            shape: Of the whole tensor.

        >>> parse_assignment("{devices=[2,4]0,1,2,3,4,5,6,7}").shard_shape((8, 7))
        (4, 2)
        """
        if not self.is_tiled:
            return tuple(shape)
        return tuple(-(-size // tiles) for size, tiles in zip(shape, self.tiles))

    def bounds(self, shape: Sequence[int]) -> dict[int, tuple[slice, ...]]:
        """Returns what each device holds of a tensor of `shape`, without padding.

        >>> parse_assignment("{devices=[4]0,1,2,3}").bounds((5,))[3]
        (slice(5, 5, 1),)
        """
        sizes = self.shard_shape(shape)
        parts = {}
        for position, device in enumerate(self.devices):
            tile = numpy.unravel_index(position // self.replicas, self.tiles) if self.tiles else ()
            starts = [min(int(i) * size, whole) for i, size, whole in zip(tile, sizes, shape)]
            parts[device] = tuple(slice(start, min(start + size, whole), 1)
                                  for start, size, whole in zip(starts, sizes, shape))
        return parts

    def replica_ids(self, num_devices: int) -> list[int]:
        """Returns by device the position among those that hold the same."""
        if not self.is_tiled:
            return list(range(num_devices))
        ids = [0] * num_devices
        for position, device in enumerate(self.devices):
            ids[device] = position % self.replicas
        return ids


REPLICATED = Assignment(ShardingType.REPLICATED)
MANUAL = Assignment(ShardingType.MANUAL)


def OpSharding(tiles, groups, replication_groups, type) -> Assignment:
    """Returns the assignment that nested lists of devices say.

    Args:
        tiles: Nested list or array of device ids by tile.
        groups: Devices of each group; only read for replicated tensors, may be empty.
        replication_groups: For `PARTIAL`, the devices of each tile, in row-major order of tiles.
        type: A `ShardingType` or its number.

    Raises:
        ValueError: The type is one that no tensor has.

    >>> str(OpSharding([[0, 1], [2, 3]], [], [], ShardingType.TILED))
    '{devices=[2,2]0,1,2,3}'
    """
    kind = ShardingType(int(type))
    if kind == ShardingType.REPLICATED:
        return REPLICATED
    if kind == ShardingType.MANUAL:
        return MANUAL
    grid = numpy.asarray(tiles)
    if kind == ShardingType.TILED:
        return Assignment(kind, grid.shape, tuple(int(one) for one in grid.flat))
    if kind == ShardingType.PARTIAL:
        devices = tuple(int(one) for group in replication_groups for one in group)
        return Assignment(kind, grid.shape, devices, len(replication_groups[0]))
    raise ValueError(f"tensors have no sharding of type {kind.name}; expected REPLICATED, TILED, PARTIAL "
                     "or MANUAL")


def assignment_of(logical_mesh: numpy.ndarray, spec: Sequence[Sequence[int]]) -> Assignment:
    """Returns the canonical assignment of a partition spec.

    Args:
        logical_mesh: Device ids in the shape of the mesh.
        spec: Mesh axes of each tensor dimension, major first.
    """
    used = [axis for axes in spec for axis in axes]
    sizes = logical_mesh.shape
    if logical_mesh.size == 1 or all(sizes[axis] == 1 for axis in used):
        return REPLICATED
    unused = [axis for axis in range(len(sizes)) if axis not in used]
    devices = tuple(int(one) for one in logical_mesh.transpose(used + unused).flat)
    tiles = tuple(math.prod(sizes[axis] for axis in axes) for axes in spec)
    replicas = math.prod(sizes[axis] for axis in unused)
    kind = ShardingType.PARTIAL if replicas > 1 else ShardingType.TILED
    return Assignment(kind, tiles, devices, replicas)


_LISTED = re.compile(r"devices=\[([\d,]+)\]([\d,]+)")
_IOTA = re.compile(r"devices=\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(one) for one in text.split(","))


@functools.lru_cache(maxsize=1024)
def parse_assignment(text: str) -> Assignment:
    """Reads the text form of a sharding: with listed devices, or `<=[mesh shape]T(permutation)`.

    Raises:
        ValueError: The text is none of these.

    >>> parse_assignment("{devices=[4,2]<=[2,4]T(1,0)}").devices
    (0, 4, 1, 5, 2, 6, 3, 7)
    """
    body = text.strip()
    if body in ("{replicated}", "{manual}"):
        return REPLICATED if body == "{replicated}" else MANUAL
    partial = body.endswith("last_tile_dim_replicate}")
    body = body.removeprefix("{").removesuffix("}").removesuffix("last_tile_dim_replicate").strip()
    if listed := _LISTED.fullmatch(body):
        counts, devices = _numbers(listed[1]), _numbers(listed[2])
    elif iota := _IOTA.fullmatch(body):
        counts, shape = _numbers(iota[1]), _numbers(iota[2])
        grid = numpy.arange(math.prod(shape)).reshape(shape)
        if iota[3]:
            grid = grid.transpose(_numbers(iota[3]))
        devices = tuple(int(one) for one in grid.flat)
    else:
        raise ValueError(f"{text!r} is no sharding; expected {{replicated}}, {{manual}} or "
                         "{devices=[2,4]0,1,2,3,4,5,6,7}")
    if math.prod(counts) != len(devices):
        raise ValueError(f"{text!r} has {math.prod(counts)} tiles and {len(devices)} devices; expected as "
                         "many of both")
    if partial:
        return Assignment(ShardingType.PARTIAL, counts[:-1], devices, counts[-1])
    return Assignment(ShardingType.TILED, counts, devices)
