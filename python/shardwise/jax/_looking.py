# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What there is to see of a program before it runs: its text at every stage, the sharding of every value, what
it costs, and why anything is moved. Needs no devices, but for what XLA makes of it."""

from __future__ import annotations

import dataclasses
import functools
import os
import re
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.export
from jax.sharding import AbstractMesh

from .. import _check
from ..explanations import Explanation, explain as explain_program
from ..errors import InvalidError, UnsupportedError
from ..programs import compile as compile_program
from ..programs import propagate as propagate_program
from ..shardings import Mesh, Sharding
from ._pictures import ValueSharding
from ._program import LocalProgram, with_mesh

STAGES = ("partitioned", "global", "propagated", "xla")


@dataclasses.dataclass(frozen=True)
class Cost:
    """What a call costs each device.

    Attributes:
        received_bytes: What the slowest device receives.
        by_collective: The same for each kind of collective and the axes that it is over: `all_reduce {"data"}`.
        seconds: Modelled time of the call on the topology, nothing overlapping; None without a topology.
        transfer_seconds: The part of it that is communication; None without a topology.
    """

    received_bytes: int
    by_collective: Mapping[str, int]
    seconds: float | None
    transfer_seconds: float | None


@dataclasses.dataclass(frozen=True)
class Memory:
    """What a call needs on each device, in bytes.

    Attributes:
        peak_bytes: All that is alive at once, as Shardwise lays out the per-device program for its own
            executor: arguments, constants, results and temporaries.
        argument_bytes: Of XLA's executable, as are those that follow; None on a mesh without devices.
        output_bytes: Results, with those that take the place of a donated argument.
        alias_bytes: Results that take the place of a donated argument.
        temp_bytes: Temporaries.
    """

    peak_bytes: int
    argument_bytes: int | None = None
    output_bytes: int | None = None
    alias_bytes: int | None = None
    temp_bytes: int | None = None


class Report:
    """An explanation. `print` shows it, notebooks show it as a page.

    Attributes:
        explanation: The same as `shardwise.explain` gives it.
    """

    def __init__(self, explanation: Explanation):
        self.explanation = explanation

    @property
    def json(self) -> Mapping[str, Any]:
        """All of it; docs/explain.md has the keys."""
        return self.explanation.json

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.explanation, name)

    def __str__(self) -> str:
        return str(self.explanation)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.explanation._repr_html_()


class Lowered:
    """A function of `shardwise.jax.jit` for arguments of given shapes and shardings; its `lower` makes one.

    Attributes:
        name: What messages call it: `jit(step)`.
        mesh: The mesh of JAX that it is partitioned over.
    """

    def __init__(self, program: LocalProgram, for_xla: Callable[[Callable], Any], topology: str,
                 memory_limit: int | None):
        """`for_xla` calls what its argument makes of the `jax.jit` with the function's arguments. `topology` is the one
        that the user named; empty if there is none."""
        self.name = program.traced.name
        self.mesh = program.user_mesh
        self._program = program
        self._for_xla = for_xla
        self._compiled_for = {"topology": program.topology or None, "memory_limit": memory_limit, "name": self.name}
        # The program is what it is, wherever its times are asked for; and none are shown of a machine that nobody named.
        self._explained_for = self._compiled_for | {"topology": topology or None,
                                                    "choose_by": program.topology or "default"}

    def text(self, stage: str = STAGES[0]) -> str:
        """Returns the program.

        Args:
            stage: `global`: as JAX lowered it, with the lines of the user; `propagated`: with the sharding of
                every value; `partitioned`: what each device runs, as given to XLA; `xla`: what XLA made of
                that, with its own order and combination of collectives.

        Raises:
            InvalidError: There is no such stage, or XLA has no devices to compile for.
        """
        stage = _check.one_of(stage, "stage", STAGES)
        if stage == "global":
            return self._global_text
        if stage == "propagated":
            return propagate_program(self._global_text, name=self.name)
        return self._program.text if stage == "partitioned" else self.compile().as_text()

    def as_text(self) -> str:
        """The program as JAX lowered it, so that `shardwise.compile(step.lower(...))` and the like work."""
        return self._global_text

    def compile(self) -> jax.stages.Compiled:
        """Returns XLA's executable, as `jax.jit(f).lower(...).compile()` does.

        Raises:
            InvalidError: The mesh has no devices.
        """
        return self._compiled

    def explain(self, **options: Any) -> Report:
        """Tells which annotation every sharding comes from, what is moved between devices and why.

        Args:
            options: Of `shardwise.explain`.
        """
        return Report(explain_program(self._global_text, **(self._explained_for | options)))

    def cost(self, topology: Any = None) -> Cost:
        """Returns what a call costs.

        Args:
            topology: The machine that the step, as it is partitioned, would run on; that of `jit` by default. Times are
                known only with one.
        """
        options = self._explained_for if topology is None else self._explained_for | {"topology": topology}
        facts = explain_program(self._global_text, suggest=0, **options)
        by_collective: dict[str, int] = {}
        for transfer in facts.transfers:
            by_collective[transfer.steps] = by_collective.get(transfer.steps, 0) + transfer.received_bytes
        summary = facts.json.get("summary", {})
        return Cost(facts.received_bytes, by_collective, summary.get("seconds"), summary.get("transfer_seconds"))

    def memory(self) -> Memory:
        """Returns what a call needs on each device: by our layout, and by XLA's if there are devices."""
        peak = compile_program(self._global_text, **self._compiled_for).peak_bytes
        if isinstance(self.mesh, AbstractMesh):
            return Memory(peak)
        facts = self.compile().memory_analysis()
        return Memory(peak, facts.argument_size_in_bytes, facts.output_size_in_bytes, facts.alias_size_in_bytes,
                      facts.temp_size_in_bytes)

    def shardings(self) -> Mapping[str, ValueSharding]:
        """Returns how every value lies on the devices, by name: `params['w']` and `result[0]` as the user calls
        them; of intermediates their `jax.named_scope`s and the op, `layer0/mlp/dot_general`, with `#1`, `#2`
        behind those that follow in the same scope, and `backward` in front in the gradient."""
        return self._shardings

    def sharding_of(self, name: str) -> ValueSharding:
        """Returns how one value lies on the devices; `print` draws it.

        Args:
            name: As in `shardings()`, or a scope, for the last value in it, or `model.py:12`, for the last value
                of that line.

        Raises:
            InvalidError: There is no such value; the message has names that are like it.
        """
        name = _check.string(name, "name")
        known = self._shardings
        if name in known:
            return known[name]
        inside = [one for one in known if one.startswith(f"{name}/")]
        of_line = [key for key, value in known.items() if value.source == name]
        if inside or of_line:
            return known[(inside or of_line)[-1]]
        last = name.rsplit("/", 1)[-1].split("#")[0]
        alike = [one for one in known if last in one][:8] or list(known)[:8]
        raise InvalidError(f"{self.name} has no value {name!r}; there are {', '.join(alike)}, and others: see "
                           "shardings()")

    def export(self, path: str | os.PathLike[str]) -> None:
        """Writes the partitioned program to a file that `jax.export.deserialize` reads and `.call`s, on as many
        devices, with JAX alone.

        Raises:
            UnsupportedError: JAX's serialisation needs the package flatbuffers.
        """
        try:
            data = self._for_xla(jax.export.export).serialize()
        except ImportError as error:
            raise UnsupportedError(f"JAX writes exported programs with another package: {error}; "
                                   "pip install flatbuffers") from None
        target = os.fspath(path)
        beside = f"{target}.part"
        with open(beside, "wb") as file:
            file.write(data)
        os.replace(beside, target)

    def __repr__(self) -> str:
        return f"<shardwise.jax Lowered {self.name} on {self.mesh!r}>"

    @functools.cached_property
    def _global_text(self) -> str:
        return with_mesh(self._program.traced.text, self.mesh)

    @functools.cached_property
    def _compiled(self) -> jax.stages.Compiled:
        if isinstance(self.mesh, AbstractMesh):
            raise InvalidError(f"{self.name} is on a mesh without devices, for which XLA cannot compile; pass a "
                               "jax.sharding.Mesh")
        return self._for_xla(lambda jitted: jitted.lower).compile()

    @functools.cached_property
    def _shardings(self) -> Mapping[str, ValueSharding]:
        facts = explain_program(self._global_text, all_values=True, suggest=0, **self._explained_for).json
        mesh = Mesh(dict(self.mesh.shape))
        labels = {value["name"]: value["label"] or value["name"] for value in facts["values"]}
        named: dict[str, ValueSharding] = {}
        for value in facts["values"]:
            if re.fullmatch(r"(\d+x)*[^x]+|(\d+x)*complex<.*>", value["type"]) is None:
                continue
            *sizes, dtype = value["type"].split("x")
            name = _name_of(value)
            number = 1
            while (key := name if number == 1 else f"{name}#{number - 1}") in named:
                number += 1
            shape = tuple(map(int, sizes))
            sharding = _closed(value["sharding"], len(shape))
            named[key] = ValueSharding(
                key, dtype, shape, sharding.local_shape(mesh, shape), mesh, sharding,
                re.sub(r"( \(backward\))?( in \S+)?$", "", value["source"]),
                tuple(_origin_of(axis, labels) for axis in value["axes"]))
        return named


def _name_of(value: Mapping[str, Any]) -> str:
    if value["label"]:
        return value["label"]
    if not value["op"] or value["op"] == "return":
        return value["name"].replace("result ", "result[") + ("]" if value["name"].startswith("result ") else "")
    _, _, scope = value["source"].partition(" in ")
    backward = "backward/" if " (backward)" in value["source"] else ""
    return f"{backward}{scope}{'/' if scope else ''}{value['op'].removeprefix('sdy.')}"


def _origin_of(axis: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    origin = axis["origin"]
    what = labels.get(origin["value"], origin["what"]) if origin["what"].startswith("argument") else origin["what"]
    parts = (f'dimension {axis["dimension"]}, {axis["axis"]}: from {what}', origin["sharding"], origin["source"])
    return " ".join(part for part in parts if part)


def _closed(text: str, rank: int) -> Sharding:
    """What a value has in the end: open dimensions that nothing reached are whole."""
    if not text:
        return Sharding((None,) * rank)
    return Sharding(text)
