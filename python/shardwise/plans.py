# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cheapest way from one sharding of a tensor to another."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _check, _core
from ._arrays import dtype_name
from .errors import InputTypeError, InvalidError
from .shardings import Mesh, Sharding, Spec, _mesh

__all__ = ["Plan", "PlanStep", "STRATEGIES", "TOPOLOGIES", "plan"]

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
    if isinstance(shape, str):
        raise InputTypeError(f"shape must be a list or tuple of sizes, got {shape!r}; the element type "
                             "is an argument of its own")
    mesh = _mesh(mesh)
    target_mesh = None if to_mesh is None else _mesh(to_mesh)
    written = "x".join([*map(str, _check.shape(shape)), dtype_name(dtype)])
    limit = _check.optional_integer(memory_limit, "memory_limit", 0)
    answer, text, picture = _core.plan(
        str(mesh), written, str(Sharding(from_)), str(Sharding(to)),
        None if target_mesh is None else str(target_mesh), topology_name(topology), limit,
        _check.one_of(strategy, "strategy", STRATEGIES))
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


def topology_name(topology: str | os.PathLike[str] | None) -> str:
    """Name or path of a topology; empty for none."""
    if topology is None:
        return ""
    if not isinstance(topology, (str, os.PathLike)):
        raise InputTypeError(f"topology must be a name or a path, got {topology!r}; the names are "
                             f"{', '.join(TOPOLOGIES)}")
    name = _check.string(os.fspath(topology), "topology")
    if not name:
        raise InvalidError(f"topology is empty; the names are {', '.join(TOPOLOGIES)}")
    return name
