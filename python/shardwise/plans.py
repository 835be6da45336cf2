# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cheapest way from one sharding of a tensor to another: plans, and their execution on arrays."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy

from . import _check, _core
from ._arrays import dtype_name, from_core, to_core
from .errors import InputTypeError, InvalidError
from .shardings import Mesh, Sharding, Spec, _mesh

__all__ = ["Plan", "PlanStep", "STRATEGIES", "TOPOLOGIES", "plan", "reshard"]

#: Names of the machines that come with the package.
TOPOLOGIES: tuple[str, ...] = tuple(_core.topologies())
#: Names of the ways to plan; the first is the default.
STRATEGIES: tuple[str, ...] = tuple(_core.strategies())


@dataclasses.dataclass(frozen=True)
class PlanStep:
    """One collective of a plan. Bytes are of the slowest device.

    Attributes:
        kind: `all_gather`, `all_reduce`, `reduce_scatter`, `all_to_all`, `collective_permute`,
            `all_slice` or `exchange`.
        axes: The axes it works over, in sdy notation without quotes.
        sharding: The sharding after it.
        received_bytes: What the slowest device receives.
        received_bytes_total: What all devices receive.
        local_bytes_before: A device's buffer before the step.
        local_bytes_after: A device's buffer after it.
        seconds: Modelled time.
    """

    kind: str
    axes: tuple[str, ...]
    sharding: Sharding
    received_bytes: int
    received_bytes_total: int
    local_bytes_before: int
    local_bytes_after: int
    seconds: float


@dataclasses.dataclass(frozen=True)
class Plan:
    """Steps from one sharding to another, verified by replay, and what they cost.

    Attributes:
        steps: The collectives in order; none if every device holds what it needs already.
        received_bytes: What the slowest device receives.
        received_bytes_total: What all devices receive.
        lower_bound_bytes: What the slowest device receives at least, by any plan.
        lower_bound_bytes_total: What all devices receive at least, by any plan.
        peak_bytes: Largest buffer before plus after a step, on one device.
        seconds: Modelled time, by bytes alone without a topology.
        is_proved: Whether it is proved that no plan of the strategy costs less.
        strategy: Who made it.
        text: The plan as the command line tool prints it.
        picture: The tensor before and after each step, drawn; empty if it is too large.
        json: All of it, as `shardwise plan --json` prints it.
    """

    steps: tuple[PlanStep, ...]
    received_bytes: int
    received_bytes_total: int
    lower_bound_bytes: int
    lower_bound_bytes_total: int
    peak_bytes: int
    seconds: float
    is_proved: bool
    strategy: str
    text: str = dataclasses.field(repr=False)
    picture: str = dataclasses.field(repr=False)
    json: Mapping[str, Any] = dataclasses.field(repr=False, compare=False, hash=False)

    def __str__(self) -> str:
        """The plan as the command line tool prints it."""
        return self.text


def plan(shape: Iterable[int], dtype: Any, mesh: Mesh, from_: str | Spec | Sharding,
         to: str | Spec | Sharding, topology: str | os.PathLike[str] | None = None, *,
         to_mesh: Mesh | None = None, memory_limit: int | None = None,
         strategy: str = "optimal") -> Plan:
    """Plans how to change the sharding of a tensor.

    Args:
        shape: Sizes of the whole tensor, in elements.
        dtype: Its element type: a NumPy dtype or its name, or a name of StableHLO, as `bf16`.
        mesh: The devices.
        from_: The sharding before.
        to: The sharding after. Axes that are unreduced before and not after are reduced.
        topology: The machine, one of `TOPOLOGIES` or a file (docs/topology.md): the plan is the
            fastest on it. Without one it is that which receives least.
        to_mesh: The mesh of the sharding after, if it is another one.
        memory_limit: Bytes that a step's input and output together may have on a device.
        strategy: One of `STRATEGIES`.

    Returns:
        The plan, verified.

    Raises:
        InvalidError: A sharding does not fit its mesh or the shape, or there is no such topology.
        InfeasibleError: There is no plan within the memory limit.
        UnsupportedError: `to` is unreduced along an axis along which `from_` is not.
        InputTypeError: An argument is of another type.

    >>> mesh = Mesh({"x": 2, "y": 3})
    >>> swap = plan((6, 6), "float32", mesh, ("x", "y"), ("y", "x"))
    >>> [step.kind for step in swap.steps], swap.received_bytes, swap.lower_bound_bytes
    (['exchange'], 24, 24)
    """
    answer, text, picture = _written(shape, dtype_name(dtype), mesh, from_, to, topology, to_mesh,
                                     memory_limit, strategy).plan()
    made = json.loads(answer)
    steps = tuple(
        PlanStep(step["kind"], tuple(step["axes"]), Sharding(step["sharding"]),
                 step["received_bytes_max"], step["received_bytes_total"],
                 step["local_bytes_before"], step["local_bytes_after"], step["seconds"])
        for step in made["steps"])
    cost, bound = made["cost"], made["lower_bound"]
    return Plan(steps, cost["received_bytes_max"], cost["received_bytes_total"],
                bound["received_bytes_max"], bound["received_bytes_total"], cost["peak_bytes"],
                cost["seconds"], made["optimality"] == "proved", made["strategy"], text, picture, made)


def reshard(shards: Sequence[numpy.ndarray], shape: Iterable[int], mesh: Mesh,
            from_: str | Spec | Sharding, to: str | Spec | Sharding,
            topology: str | os.PathLike[str] | None = None, *, to_mesh: Mesh | None = None,
            memory_limit: int | None = None, strategy: str = "optimal") -> list[numpy.ndarray]:
    """Changes the sharding of a tensor whose shards are arrays: makes the plan, and executes it.

    Args:
        shards: What the devices hold, by row-major position in `mesh`: arrays of one dtype, without
            padding, as `from_.indices` says. One array may be there for several devices.
        shape: Sizes of the whole tensor, in elements.
        mesh: As of `plan`.
        from_: As of `plan`. Shards of axes that are unreduced are partial values.
        to: As of `plan`.
        topology: As of `plan`.
        to_mesh: As of `plan`.
        memory_limit: As of `plan`.
        strategy: As of `plan`.

    Returns:
        What the devices hold afterwards, by position in the mesh of `to`: arrays of their own.

    Raises:
        InvalidError: As of `plan`; or a shard is missing, or has another shape or dtype.
        InputTypeError: As of `plan`; or a shard is no array.

    >>> rows = [numpy.arange(4).reshape(1, 4) + 4 * device for device in range(4)]
    >>> columns = reshard(rows, (4, 4), Mesh({"x": 4}), ("x", None), (None, "x"))
    >>> columns[1].ravel().tolist()
    [1, 5, 9, 13]
    """
    if isinstance(shards, numpy.ndarray):
        raise InputTypeError("shards must be a list with an array for each device, got a single array")
    arrays = _check.sequence(shards, "shards")
    for position, array in enumerate(arrays):
        # What `whole[()]` gives of an array without dimensions is a scalar.
        if not isinstance(array, (numpy.ndarray, numpy.generic)):
            raise InputTypeError(f"shard {position} must be a NumPy array, got {type(array).__name__}")
    if not arrays:
        raise InvalidError("no shards given; give one for each device of the mesh")
    name = dtype_name(arrays[0].dtype)
    written = _written(shape, name, mesh, from_, to, topology, to_mesh, memory_limit, strategy)
    moved = written.reshard([to_core(array, name, f"shard {position}", "shard 0")
                             for position, array in enumerate(arrays)], name)
    return [from_core(one) for one in moved]


def _written(shape: Any, dtype: str, mesh: Any, from_: Any, to: Any, topology: Any, to_mesh: Any,
             memory_limit: Any, strategy: Any) -> _core.WrittenReshard:
    """A reshard whose arguments have been looked at."""
    if isinstance(shape, str):
        raise InputTypeError(f"shape must be a list or tuple of sizes, got {shape!r}; the element type "
                             "is an argument of its own")
    return _core.WrittenReshard(
        str(_mesh(mesh)), "x".join([*map(str, _check.shape(shape)), dtype]), str(Sharding(from_)),
        str(Sharding(to)), None if to_mesh is None else str(_mesh(to_mesh)), topology_name(topology),
        _check.optional_integer(memory_limit, "memory_limit", 0),
        _check.one_of(strategy, "strategy", STRATEGIES))


def topology_name(topology: str | os.PathLike[str] | None, argument: str = "topology") -> str:
    """Name or path of a topology; empty for none. `argument` is what the caller's user calls it."""
    if topology is None:
        return ""
    if not isinstance(topology, (str, os.PathLike)):
        raise InputTypeError(f"{argument} must be a name or a path, got {topology!r}; the names are "
                             f"{', '.join(TOPOLOGIES)}")
    name = _check.string(os.fspath(topology), argument)
    if not name:
        raise InvalidError(f"{argument} is empty; the names are {', '.join(TOPOLOGIES)}")
    return name
