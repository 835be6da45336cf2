# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The per-device program of a traced function, and how JAX calls it."""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec

from .. import _core
from .._arrays import numpy_dtype
from .._sources import load, warn
from ..errors import UnsupportedError
from . import _xla
from ._trace import Traced
from ._uneven import blocks

FORM = "xla-shard-map"


@dataclasses.dataclass(frozen=True)
class Border:
    """How an argument or a result lies on the devices.

    Attributes:
        name: Its path in the user's program.
        dtype: Its element type.
        shape: Shape of the whole; of arrays of keys that of their data.
        local_shape: Shape of the part of a device, padding included.
        spec: Which axes cut each dimension.
    """

    name: str
    dtype: numpy.dtype
    shape: tuple[int, ...]
    local_shape: tuple[int, ...]
    spec: PartitionSpec

    def padded_shape(self, mesh: Any) -> tuple[int, ...]:
        """The shape that parts of one size make together."""
        return tuple(size * blocks for size, blocks in zip(self.local_shape, self.blocks(mesh)))

    def blocks(self, mesh: Any) -> list[int]:
        """In how many parts each dimension is cut."""
        return [blocks(mesh, axes) for axes in self.spec]

    def is_even(self, mesh: Any) -> bool:
        return self.padded_shape(mesh) == self.shape

    def even_spec(self, mesh: Any) -> PartitionSpec:
        """The spec without what does not divide."""
        return PartitionSpec(*(axes if size == padded else None for axes, size, padded in
                               zip(self.spec, self.shape, self.padded_shape(mesh))))


@dataclasses.dataclass(frozen=True)
class LocalProgram:
    """A per-device program.

    Attributes:
        text: The program, in the form xla-shard-map.
        located_text: The same with the user's names and lines, for XLA's profiles and dumps.
        mesh: The mesh of the specs: the user's, or one with finer axes.
        arguments: How its arguments lie.
        results: How its results lie.
        traced: What it was made of.
        user_mesh: The mesh that the user gave.
        topology: The machine that it is for; empty for none.
    """

    text: str = dataclasses.field(repr=False)
    located_text: str = dataclasses.field(repr=False)
    mesh: Any
    arguments: tuple[Border, ...]
    results: tuple[Border, ...]
    traced: Traced = dataclasses.field(repr=False)
    user_mesh: Any = dataclasses.field(repr=False)
    topology: str

    @functools.cached_property
    def fingerprint(self) -> bytes:
        """What processes that run it together must have alike."""
        return f"{self.text}{self.arguments}{self.results}".encode()

    def bind(self, operands: Sequence[Any]) -> list[Any]:
        """Calls it on whole arrays or tracers, and returns whole results. Keys pass as their data."""
        data = [jax.random.key_data(one) if _xla.is_key(aval) else one
                for one, aval in zip(operands, self.traced.in_avals)]
        padded = [_padded(one, border.padded_shape(self.mesh)) for one, border in zip(data, self.arguments)]
        types = tuple((border.local_shape, border.dtype, not _xla.is_key(aval) and aval.weak_type)
                      for border, aval in zip(self.results, self.traced.out_avals))
        in_specs, out_specs = (tuple(border.spec for border in borders)
                               for borders in (self.arguments, self.results))
        results = _xla.call_on_each_device(self.located_text, types, self.mesh, in_specs, out_specs, padded)
        return [_xla.keys_of(one, aval.dtype) if _xla.is_key(aval) else one
                for one, aval in zip(results, self.traced.out_avals)]


def partition(traced: Traced, mesh: Any, topology: str, memory_limit: int | None) -> LocalProgram:
    """Partitions a program over `mesh`.

    Raises:
        ProgramError: It is refused; the place is a line of the user.
        InfeasibleError: A device needs more than `memory_limit`.
    """
    loaded = load(with_mesh(traced.text, mesh), traced.name)
    text, located_text, border = loaded.partition_with_border(_core.Choices(topology, memory_limit), FORM)
    warn(loaded)
    facts = json.loads(border)
    arguments, results = (tuple(_border_of(one) for one in facts[key]) for key in ("arguments", "results"))
    return LocalProgram(text, located_text, _mesh_of(mesh, facts["mesh"]["axes"]), arguments, results, traced, mesh,
                        topology)


def with_mesh(text: str, mesh: Any) -> str:
    """`text`, which names `mesh` if it names none: JAX writes it where a sharding needs it. For keys of random
    generators it then writes a mesh without axes, which becomes `mesh`: what is whole on one is whole on the other."""
    axes = ", ".join(f'"{name}"={size}' for name, size in mesh.shape.items())
    if re.search(r"sdy\.mesh @\w+ = <\[[^\]]", text):
        return text
    if "sdy.mesh @" in text:
        return re.sub(r"(sdy\.mesh @\w+ = )<\[\]>( \{stablehlo\.mesh = [^}]*\}\})?", rf"\1<[{axes}]>", text)
    return re.sub(r"^(module\b.*\{)$", rf"\1\n  sdy.mesh @mesh = <[{axes}]>", text, count=1, flags=re.MULTILINE)


def _border_of(entry: Mapping[str, Any]) -> Border:
    name = entry.get("name", "")
    if "unreduced" in entry:
        raise UnsupportedError(f"{name or 'a value'} is a sum that is not taken yet on entry or return, which "
                               "jax.Array cannot be; take the sum inside, with a sharding that is not unreduced")
    spec = PartitionSpec(*(tuple(axes) if len(axes) > 1 else axes[0] if axes else None
                           for axes in entry["spec"]))
    return Border(name, numpy_dtype(entry["dtype"]), tuple(entry["global_shape"]),
                  tuple(entry["local_shape"]), spec)


def _mesh_of(mesh: Any, axes: Mapping[str, int]) -> Any:
    """The user's mesh, or, where arguments or results are cut by parts of its axes, one of these."""
    if dict(mesh.shape) == axes:
        return mesh
    if isinstance(mesh, AbstractMesh):
        return AbstractMesh(tuple(axes.values()), tuple(axes))
    return Mesh(mesh.devices.reshape(tuple(axes.values())), tuple(axes))


def _padded(value: Any, shape: tuple[int, ...]) -> Any:
    if value.shape == shape:
        return value
    return jax.numpy.pad(value, [(0, want - size) for want, size in zip(shape, value.shape)])
