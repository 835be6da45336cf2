# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Meshes of devices, and partition specs: which mesh axes cut which dimension."""

from __future__ import annotations

import ast
import functools
import math
import re
import sys
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy

from .assignment import Assignment, assignment_of

__all__ = ["HybridMesh", "Mesh", "check_spec", "get_1d_mesh", "get_global_mesh", "set_global_mesh"]


def _runtime():
    """The module whose counts meshes ask, so that a test may replace them there."""
    return sys.modules[__package__]


class Mesh:
    """A grid of devices with axes that partition specs name.

    Attributes:
        device_ids: Device ids, flat, in row-major order of the grid.
        mesh_shape: Sizes of the axes.
        axis_names: Names of the axes, or `None`: they are then named by index.

    >>> mesh = Mesh(range(8), (2, 4), ("data", "model"))
    >>> mesh.size(), mesh.shape()["model"], mesh.get_logical_mesh()[1].tolist()
    (8, 4, [4, 5, 6, 7])
    """

    def __init__(self, device_ids: Sequence[int] | numpy.ndarray, mesh_shape: Sequence[int],
                 axis_names: Sequence[str] | None = None):
        """Makes a mesh.

        Args:
            device_ids: As many as the mesh has devices, in row-major order; any order is allowed.
            mesh_shape: Sizes of the axes.
            axis_names: A name for each axis.

        Raises:
            AssertionError: Ids, shape and names do not fit together, or there are not so many devices.
        """
        ids = numpy.asarray(list(device_ids) if isinstance(device_ids, range) else device_ids)
        count = _runtime().global_runtime_device_count()
        assert count > 0, "there is no device; set SHARDWISE_NUM_DEVICES to 1 or more"
        # Fewer devices than there are make a mesh too; others stay idle.
        assert len(ids) <= count, (
            f"Number of device IDs ({len(ids)}) must match the global number of devices ({count}), or be "
            f"less; set SHARDWISE_NUM_DEVICES={len(ids)} before the first use")
        if axis_names is not None:
            assert len(axis_names) == len(mesh_shape), (
                f"Number of axis names ({len(axis_names)}) must match mesh dimensions ({len(mesh_shape)})")
            assert len(set(axis_names)) == len(axis_names), (
                f"Axis names must be unique, got {tuple(axis_names)}")
        assert len(ids) == math.prod(mesh_shape), (
            f"Number of device IDs ({len(ids)}) must match mesh size ({math.prod(mesh_shape)}), the product "
            f"of the mesh shape {tuple(mesh_shape)}")
        assert len(numpy.unique(ids)) == len(ids), f"Device IDs must be unique, got {ids.tolist()}"
        assert all(0 <= one < len(ids) for one in ids), (
            f"Device IDs must be less than mesh size ({len(ids)}) and not negative, got {ids.tolist()}")
        self.device_ids = ids
        self.mesh_shape = tuple(int(size) for size in mesh_shape)
        self.axis_names = None if axis_names is None else tuple(axis_names)
        self._assignments: dict[Any, Assignment] = {}

    def size(self) -> int:
        """Returns the number of devices."""
        return math.prod(self.mesh_shape)

    def shape(self) -> OrderedDict[Any, int]:
        """Returns sizes by axis name, or by index if axes have no names."""
        return OrderedDict(zip(self.axis_names or range(len(self.mesh_shape)), self.mesh_shape))

    def get_logical_mesh(self) -> numpy.ndarray:
        """Returns the device ids in the shape of the mesh."""
        return self.device_ids.reshape(self.mesh_shape)

    def get_axis_name_idx(self, name: str) -> int | None:
        """Returns the index of an axis, `None` if no axis is called so."""
        if self.axis_names is None or name not in self.axis_names:
            return None
        return self.axis_names.index(name)

    def get_op_sharding(self, partition_spec: tuple) -> Assignment:
        """Returns which device holds which tile; of an equal spec the same object again.

        Args:
            partition_spec: As of `mark_sharding`.

        Raises:
            TypeError: The spec is no tuple.
            ValueError: An axis has no such name, or an entry is of another type.
            AssertionError: An axis does not exist or is used twice.

        >>> str(Mesh(range(8), (2, 4), ("x", "y")).get_op_sharding(("y", None)))
        '{devices=[4,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}'
        """
        try:
            known = self._assignments.get(partition_spec)
        except TypeError:
            known = None
        if known is None:
            known = self._build_op_sharding(check_spec(self, partition_spec))
            self._assignments[partition_spec] = known
        return known

    def _build_op_sharding(self, axes: tuple[tuple[int, ...], ...]) -> Assignment:
        return assignment_of(self.get_logical_mesh(), axes)

    @functools.cached_property
    def sdy_text(self) -> str:
        """The mesh in sdy notation, its axes named `a0`, `a1` and so on where they have no usable names."""
        axes = ", ".join(f'"{name}"={size}' for name, size in zip(self.sdy_axes, self.mesh_shape))
        ids = [int(one) for one in self.device_ids]
        order = "" if ids == list(range(len(ids))) else f", device_ids={ids}"
        return f"[{axes}]{order}"

    @functools.cached_property
    def sdy_axes(self) -> tuple[str, ...]:
        """Names of the axes in sdy notation."""
        names = self.axis_names
        if names is None or not all(re.fullmatch(r"\w+", str(name)) for name in names):
            return tuple(f"a{i}" for i in range(len(self.mesh_shape)))
        return tuple(str(name) for name in names)

    def __str__(self) -> str:
        return str({"device_ids": [int(one) for one in self.device_ids], "mesh_shape": self.mesh_shape,
                    "axis_names": self.axis_names})

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    @classmethod
    def from_str(cls, text: str) -> Mesh | None:
        """Returns the mesh that `str` of a mesh says, `None` if the text says none.

        >>> Mesh.from_str(str(Mesh(range(8), (8,), ("x",)))).axis_names
        ('x',)
        """
        try:
            parts = ast.literal_eval(text)
            return Mesh(parts["device_ids"], parts["mesh_shape"], parts["axis_names"])
        except (ValueError, SyntaxError, TypeError, KeyError, AssertionError):
            return None


class HybridMesh(Mesh):
    """A mesh over several groups of devices with fast links inside (`ici`) and slow ones between (`dcn`).

    Groups are the devices with the same `slice_index` in `global_runtime_device_attributes()`.
    """

    def __init__(self, *, ici_mesh_shape: Sequence[int], dcn_mesh_shape: Sequence[int] | None = None,
                 axis_names: Sequence[str] | None = None):
        """Makes a mesh whose shape is the elementwise product of both shapes.

        Args:
            ici_mesh_shape: Shape of the mesh inside a group.
            dcn_mesh_shape: How the groups are laid out as blocks; all ones by default.
            axis_names: A name for each axis.

        Raises:
            AssertionError: The shapes have different ranks.
            ValueError: The groups that there are do not fit the shapes.
        """
        outer = tuple(dcn_mesh_shape) if dcn_mesh_shape else (1,) * len(ici_mesh_shape)
        inner = tuple(ici_mesh_shape)
        assert len(inner) == len(outer), (
            f"ici_mesh_shape {inner} and dcn_mesh_shape {outer} must have the same number of axes")
        self.ici_mesh_shape, self.dcn_mesh_shape = inner, outer
        groups = _device_groups(outer)
        for devices in groups:
            if len(devices) != math.prod(inner):
                raise ValueError(f"a group has {len(devices)} devices, but ici_mesh_shape {inner} has "
                                 f"{math.prod(inner)}")
        blocks = numpy.empty(outer + inner, dtype=int)
        for index, devices in zip(numpy.ndindex(*outer), groups):
            blocks[index] = numpy.asarray(devices).reshape(inner)
        # Each axis of the mesh is one of the outer grid, major, and one of the inner grid.
        rank = len(inner)
        order = [axis for i in range(rank) for axis in (i, rank + i)]
        shape = tuple(a * b for a, b in zip(inner, outer))
        super().__init__(blocks.transpose(order).reshape(-1), shape, axis_names)


def _device_groups(outer: tuple[int, ...]) -> list[list[int]]:
    """The devices of each slice, by coordinates where the device has some, else by number."""
    attributes = _runtime().global_runtime_device_attributes()

    def number(position: int) -> int:
        digits = re.search(r"(\d+)$", str(attributes[position].get("name", "")))
        return int(digits[1]) if digits else position

    ids = sorted(range(len(attributes)), key=number)
    slices = sorted({one["slice_index"] for one in attributes if "slice_index" in one})
    if len(slices) > 1 and math.prod(outer) == 1:
        raise ValueError(f"there are {len(slices)} slices of devices; give dcn_mesh_shape with a product of "
                         f"{len(slices)}")
    if math.prod(outer) > 1 and not slices:
        raise ValueError(f"dcn_mesh_shape {outer} asks for several slices, but the devices have no "
                         "slice_index; leave it out")
    if math.prod(outer) == 1:
        members = [[i for i in ids]]
    elif len(slices) != math.prod(outer):
        raise ValueError(f"there are {len(slices)} slices of devices, but dcn_mesh_shape {outer} has "
                         f"{math.prod(outer)}")
    else:
        members = [[i for i in ids if attributes[i]["slice_index"] == one] for one in slices]
    ordered = []
    for group in members:
        if all("coords" in attributes[i] for i in group):
            # Rows of the grid go along the last coordinate, as the devices are wired.
            group = sorted(group, key=lambda i: tuple(reversed(attributes[i]["coords"])))
        ordered.append([number(i) for i in group])
    return ordered


def _check_mesh(mesh: Any) -> None:
    if not isinstance(mesh, Mesh):
        raise TypeError(f"a mesh must be a shardwise.torch.Mesh, got {type(mesh).__name__} {mesh!r}; make one with "
                        "Mesh(device_ids, mesh_shape, axis_names)")


def check_spec(mesh: Mesh, spec: Any, rank: int | None = None) -> tuple[tuple[int, ...], ...]:
    """Checks a partition spec, and returns the mesh axes of each dimension, major first.

    Args:
        mesh: Whose axes the spec names.
        spec: A tuple with an entry per dimension: `None`, an axis, or a tuple of axes.
        rank: Number of dimensions that the spec must have.

    Raises:
        TypeError: The mesh is no `Mesh`, or the spec no tuple.
        ValueError: An axis has no such name, or an entry is of another type.
        AssertionError: An axis does not exist or is used twice, or the length is not `rank`.

    >>> check_spec(Mesh(range(8), (2, 4), ("x", "y")), (("y", "x"), None))
    ((1, 0), ())
    """
    _check_mesh(mesh)
    if not isinstance(spec, tuple):
        raise TypeError(f"a partition spec must be a tuple, got {type(spec).__name__} {spec!r}; write "
                        f"{tuple(spec) if isinstance(spec, list) else (spec,)!r}")
    if rank is not None:
        assert len(spec) == rank, (f"Partition spec length ({len(spec)}) must be equal to the number of "
                                   f"dimensions of the tensor ({rank}): {spec}")
    dims = tuple(tuple(_axis_index(mesh, axis, spec, in_tuple=isinstance(entry, tuple))
                       for axis in (entry if isinstance(entry, tuple) else (entry,)))
                 if entry is not None else () for entry in spec)
    used = [axis for axes in dims for axis in axes]
    assert len(set(used)) == len(used), f"Each mesh axis can be used only once: {spec}"
    return dims


def _axis_index(mesh: Mesh, axis: Any, spec: tuple, in_tuple: bool) -> int:
    rank = len(mesh.mesh_shape)
    assert not isinstance(axis, tuple), f"Tuples in a partition spec must not be nested: {spec}"
    if isinstance(axis, str):
        index = mesh.get_axis_name_idx(axis)
        if index is None:
            raise ValueError(f"the mesh has no axis {axis!r} (partition spec {spec}); its axes are "
                             f"{mesh.axis_names or 'not named, use indices'}")
        return index
    if isinstance(axis, (int, numpy.integer)) and not isinstance(axis, bool):
        assert 0 <= axis < rank, (
            f"Mesh axis {axis} does not exist (partition spec {spec}); expected 0 to {rank - 1}")
        return int(axis)
    where = "inside of a tuple of " if in_tuple else "in "
    raise ValueError(f"{axis!r} {where}the partition spec {spec} is no mesh axis; expected a name, an index"
                     + ("" if in_tuple else ", None or a tuple of names and indices"))


_global_mesh: Mesh | None = None


def set_global_mesh(mesh: Mesh | None) -> None:
    """Sets the mesh that functions take when none is given.

    Args:
        mesh: A mesh, or `None` for none.

    Raises:
        TypeError: It is neither.
    """
    global _global_mesh
    if mesh is not None:
        _check_mesh(mesh)
    _global_mesh = mesh


def get_global_mesh() -> Mesh | None:
    """Returns the mesh that was set, `None` if none was."""
    return _global_mesh


def get_1d_mesh(axis_name: str | None = None) -> Mesh:
    """Returns a mesh of one axis over all devices.

    Args:
        axis_name: Name of the axis.

    >>> get_1d_mesh("data").axis_names
    ('data',)
    """
    count = _runtime().global_runtime_device_count()
    return Mesh(numpy.arange(count), (count,), None if axis_name is None else (axis_name,))
