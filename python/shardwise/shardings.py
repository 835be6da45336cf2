# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Meshes, and how tensors are cut over them: values with the notation of the `sdy` dialect."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Set
from typing import Any, Union

from . import _check, _core
from .errors import InputTypeError, InvalidError

__all__ = ["Axis", "DimSharding", "Mesh", "Sharding", "Spec"]

#: An entry per dimension: an axis name, several, or None, as in `jax.sharding.PartitionSpec`.
Spec = Iterable[Union[None, str, "Axis", Iterable[Union[str, "Axis"]]]]


@dataclasses.dataclass(frozen=True)
class Mesh:
    """A grid of devices with named axes; the first axis is the most major.

    Attributes:
        axes: Names and sizes of the axes.
        device_ids: Ids of the devices by row-major position; empty if they are the positions.

    Raises:
        InvalidError: Two axes have one name, a size is less than 1, or the ids are no permutation.

    >>> mesh = Mesh({"data": 4, "model": 2})
    >>> mesh
    Mesh('["data"=4, "model"=2]')
    >>> mesh.size, mesh.axis_names, mesh.shape
    (8, ('data', 'model'), (4, 2))
    >>> Mesh('["x"=2], device_ids=[1, 0]') == Mesh({"x": 2}, device_ids=[1, 0])
    True
    """

    axes: tuple[tuple[str, int], ...]
    device_ids: tuple[int, ...] = ()

    def __init__(self, axes: str | Mapping[str, int] | Iterable[tuple[str, int]],
                 device_ids: Iterable[int] = ()):
        """Makes a mesh.

        Args:
            axes: Text in sdy notation, `["data"=4, "model"=2]`, or `data=4,model=2`; a dict or a list of pairs of names and
                sizes; or another mesh.
            device_ids: The device at each row-major position.
        """
        ids = [_check.integer(one, "a device id") for one in _check.sequence(device_ids,
                                                                             "device_ids")]
        if isinstance(axes, Mesh):
            pairs, own = list(axes.axes), list(axes.device_ids)
        elif isinstance(axes, str):
            pairs, own = _core.parse_mesh(_check.string(axes, "mesh"))
        else:
            items = axes.items() if isinstance(axes, Mapping) else _check.sequence(
                axes, "the axes of a mesh, unless they are text or a dictionary,")
            pairs, own = [_axis_and_size(item) for item in items], []
        checked, checked_ids = _core.check_mesh((pairs, ids or own))
        object.__setattr__(self, "axes", tuple(checked))
        object.__setattr__(self, "device_ids", tuple(checked_ids))

    @property
    def axis_names(self) -> tuple[str, ...]:
        """Names of the axes, major first."""
        return tuple(name for name, _ in self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes, major first."""
        return tuple(size for _, size in self.axes)

    @property
    def size(self) -> int:
        """Number of devices."""
        count = 1
        for size in self.shape:
            count *= size
        return count

    @property
    def devices(self) -> tuple[int, ...]:
        """The device at each row-major position."""
        return self.device_ids or tuple(range(self.size))

    def __str__(self) -> str:
        """The mesh in sdy notation: `["data"=4, "model"=2]`."""
        return _core.print_mesh(self._parts())

    def __repr__(self) -> str:
        return f"Mesh({str(self)!r})"

    def __reduce__(self):
        return Mesh, (self.axes, self.device_ids)

    def _parts(self):
        return list(self.axes), list(self.device_ids)


def _axis_and_size(item: Any) -> tuple[str, int]:
    pair = _check.sequence(item, "an axis of the mesh")
    if len(pair) != 2:
        raise InvalidError(f"an axis of the mesh must be a pair (name, size), got {item!r}")
    name = _check.string(pair[0], "the name of an axis")
    return name, _check.integer(pair[1], f"the size of axis {name!r}")


@dataclasses.dataclass(frozen=True)
class Axis:
    """An axis of a mesh, or a part of one.

    Attributes:
        name: Name of the mesh axis.
        pre_size: Of a sub-axis, the product of the more major parts of the axis; else None.
        size: Of a sub-axis, its size; else None.

    A sub-axis `"x":(2)4` is the middle factor of an axis of 16 devices seen as 2 x 4 x 2.

    >>> Axis("x"), Axis("x", 2, 4)
    (Axis('"x"'), Axis('"x":(2)4'))
    """

    name: str
    pre_size: int | None = None
    size: int | None = None

    def __post_init__(self):
        _check.string(self.name, "the name of an axis")
        if (self.pre_size is None) != (self.size is None):
            raise InvalidError(f"a sub-axis of {self.name!r} has both pre_size and size, got "
                               f"pre_size={self.pre_size!r}, size={self.size!r}")
        for value, what in ((self.pre_size, "pre_size"), (self.size, "size")):
            if value is not None:
                _check.integer(value, f"{what} of a sub-axis")

    def __str__(self) -> str:
        """The axis in sdy notation: `"x"` or `"x":(2)4`."""
        quoted = '"' + self.name.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return quoted if self.size is None else f"{quoted}:({self.pre_size}){self.size}"

    def __repr__(self) -> str:
        return f"Axis({str(self)!r})"

    def _parts(self):
        return self.name, None if self.size is None else (self.pre_size, self.size)


@dataclasses.dataclass(frozen=True)
class DimSharding:
    """How one dimension is cut.

    Attributes:
        axes: Axes that cut it, major first.
        is_closed: Whether propagation must not add axes.
        priority: Which propagation round it takes part in, from 0; None is the same as 0.
    """

    axes: tuple[Axis, ...] = ()
    is_closed: bool = True
    priority: int | None = None


@dataclasses.dataclass(frozen=True, init=False)
class Sharding:
    """How a tensor is cut over a mesh, without the mesh. Axes that are not named replicate it.

    Attributes:
        dims: One entry for each dimension of the tensor.
        replicated: Axes that propagation may not use for this tensor.
        unreduced: Axes along which every device holds a partial value.
        reduction: How partial values combine: `sum`, `max` or `min`.

    Raises:
        InvalidError: The text is no sharding.
        InputTypeError: The spec has something else than names of axes.

    >>> sharding = Sharding('[{"data"}, {"model", ?}p1], unreduced={"x":(1)2}')
    >>> sharding
    Sharding('[{"data"}, {"model", ?}p1], unreduced={"x":(1)2}')
    >>> sharding.dims[1].priority, sharding.unreduced
    (1, (Axis('"x":(1)2'),))
    >>> Sharding(("data", None, ("model", "x")))
    Sharding('[{"data"}, {}, {"model", "x"}]')
    >>> Sharding(("data", None)).local_shape(Mesh({"data": 4, "model": 2}), (10, 6))
    (3, 6)
    """

    dims: tuple[DimSharding, ...]
    replicated: tuple[Axis, ...]
    unreduced: tuple[Axis, ...]
    reduction: str

    def __init__(self, sharding: str | Spec | Sharding, *,
                 unreduced: str | Axis | Iterable[str | Axis] | None = None,
                 reduction: str | None = None):
        """Makes a sharding.

        Args:
            sharding: Text in sdy notation, `[{"x"}, {}]`; a spec with an entry per dimension, as
                `("x", None, ("y", "z"))`, whose dimensions are closed; or another sharding.
            unreduced: Axes along which devices hold partial values, in place of what `sharding` says.
            reduction: How these combine, `sum`, `max` or `min`.
        """
        if isinstance(sharding, Sharding):
            parts = sharding._parts()
        elif isinstance(sharding, str):
            parts = _core.parse_sharding(_check.string(sharding, "sharding"))
        else:
            entries = _check.sequence(sharding, "a sharding, unless it is text,")
            parts = ([([axis._parts() for axis in _axes_of(entry)], True, None)
                      for entry in entries], [], [], "sum")
        dims, replicated, own_unreduced, own_reduction = parts
        if unreduced is not None:
            # Here, other than in a dimension, the order says nothing.
            given = sorted(unreduced, key=str) if isinstance(unreduced, Set) else unreduced
            own_unreduced = [axis._parts() for axis in _axes_of(given)]
        if reduction is not None:
            own_reduction = _check.one_of(reduction, "reduction", ("sum", "max", "min"))
        self._set((dims, replicated, own_unreduced, own_reduction))

    def _set(self, parts) -> None:
        dims, replicated, unreduced, reduction = parts
        made = tuple(DimSharding(_axes(axes), closed, priority) for axes, closed, priority in dims)
        for name, value in (("dims", made), ("replicated", _axes(replicated)),
                            ("unreduced", _axes(unreduced)), ("reduction", reduction)):
            object.__setattr__(self, name, value)

    @classmethod
    def _of(cls, parts) -> Sharding:
        sharding = cls.__new__(cls)
        sharding._set(parts)
        return sharding

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.dims)

    @property
    def spec(self) -> tuple[None | str | tuple[str, ...], ...]:
        """The sharding as a spec, one entry per dimension; sub-axes as text, `x:(2)4`.

        >>> Sharding('[{"x"}, {}, {"y", "z"}]').spec
        ('x', None, ('y', 'z'))
        """
        entries: list[None | str | tuple[str, ...]] = []
        for dim in self.dims:
            names = tuple(axis.name if axis.size is None else
                          f"{axis.name}:({axis.pre_size}){axis.size}" for axis in dim.axes)
            entries.append(None if not names else names[0] if len(names) == 1 else names)
        return tuple(entries)

    def check(self, mesh: Mesh, rank: int | None = None) -> Sharding:
        """Checks that the sharding is one on `mesh`, and returns it.

        Args:
            mesh: The mesh whose axes it names.
            rank: Number of dimensions of the tensor, if that is to be checked.

        Raises:
            InvalidError: It names an axis that the mesh does not have, uses one twice, has parts that
                are no parts or could be one, or has another rank.

        >>> Sharding(("y",)).check(Mesh({"x": 2}))
        Traceback (most recent call last):
        ...
        shardwise.errors.InvalidError: sharding [{"y"}]: unknown axis name: "y" is not in the mesh ["x"=2]
        """
        rank = _check.optional_integer(rank, "rank", 0)
        _core.check_sharding(_mesh(mesh)._parts(), self._parts(), rank)
        return self

    def local_shape(self, mesh: Mesh, shape: Iterable[int]) -> tuple[int, ...]:
        """Returns the shape of a shard, padding included: sizes are divided and rounded up.

        Raises:
            InvalidError: The sharding does not fit mesh or shape.
        """
        return tuple(_core.local_shape(_mesh(mesh)._parts(), self._parts(),
                                       list(_check.shape(shape))))

    def indices(self, mesh: Mesh, shape: Iterable[int]) -> dict[int, tuple[slice, ...]]:
        """Returns which part of a tensor of `shape` each device holds, by device id.

        The last parts are shorter, or empty, where a dimension does not divide.

        Raises:
            InvalidError: The sharding does not fit mesh or shape.

        >>> Sharding(("x",)).indices(Mesh({"x": 3}), (5,))
        {0: (slice(0, 2, None),), 1: (slice(2, 4, None),), 2: (slice(4, 5, None),)}
        """
        mesh = _mesh(mesh)
        boxes = _core.shard_boxes(mesh._parts(), self._parts(), list(_check.shape(shape)))
        return {device: tuple(slice(start, start + size) for start, size in zip(*box))
                for device, box in zip(mesh.devices, boxes)}

    def __str__(self) -> str:
        """The sharding in sdy notation."""
        return _core.print_sharding(self._parts())

    def __repr__(self) -> str:
        return f"Sharding({str(self)!r})"

    def __reduce__(self):
        return Sharding, (str(self),)

    def _parts(self):
        return ([([axis._parts() for axis in dim.axes], dim.is_closed, dim.priority)
                 for dim in self.dims], [axis._parts() for axis in self.replicated],
                [axis._parts() for axis in self.unreduced], self.reduction)


def _axes(parts) -> tuple[Axis, ...]:
    return tuple(Axis(name, *(sub or ())) for name, sub in parts)


def _axes_of(entry: Any) -> tuple[Axis, ...]:
    """The axes that an entry of a spec names."""
    if entry is None:
        return ()
    if isinstance(entry, Axis):
        return (entry,)
    if isinstance(entry, str):
        return (Axis(entry),)
    axes = _check.sequence(entry, "an entry of a sharding, unless it is None or the name of an axis,")
    for axis in axes:
        if not isinstance(axis, (str, Axis)):
            raise InputTypeError(f"the name of an axis must be a string, got {axis!r}")
    return tuple(axis if isinstance(axis, Axis) else Axis(axis) for axis in axes)


def _mesh(mesh: Any) -> Mesh:
    """`mesh`, or what a mesh can be made of."""
    return mesh if isinstance(mesh, Mesh) else Mesh(mesh)
