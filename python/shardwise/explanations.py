# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why values of a program are sharded as they are, and what that costs."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from . import _check, _core
from ._sources import ProgramSource, choices_of, read
from .errors import InvalidError
from .plans import topology_name

__all__ = ["Explanation", "Transfer", "explain"]


@dataclasses.dataclass(frozen=True)
class Transfer:
    """Something that is moved between devices, and why.

    Attributes:
        steps: The collectives: `all_reduce {"model"}`.
        value: Name of what is moved.
        type: Its shape and element type: `16x8xf32`.
        from_: The sharding before, as text.
        to: The sharding after, as text.
        op: The op that needs it.
        place: `file:line:column` of the op.
        because: The reason.
        origin: The annotation that the reason goes back to; empty if there is none.
        received_bytes: What a device receives, in all calls.
        calls: How often it happens, loop iterations counted.
    """

    steps: str
    value: str
    type: str
    from_: str
    to: str
    op: str
    place: str
    because: str
    origin: str
    received_bytes: int
    calls: int


@dataclasses.dataclass(frozen=True)
class _Asked:
    """What was explained, to explain it again for a page. Plain values: no compiler is kept in memory."""

    program: bytes
    name: str
    choices: tuple[Any, Any, Any, Any]
    suggest: int

    def page(self, source_root: str) -> str:
        loaded = _core.LoadedProgram(self.program, self.name)
        text = loaded.page(choices_of(*self.choices), self.suggest, source_root)
        loaded.take_warnings()  # They are notes of the page.
        return text

    def timeline(self) -> str:
        loaded = _core.LoadedProgram(self.program, self.name)
        text = loaded.timeline(choices_of(*self.choices))
        loaded.take_warnings()  # They are notes of the explanation.
        return text


@dataclasses.dataclass(frozen=True)
class Explanation:
    """Why values are sharded as they are, and what that costs.

    Attributes:
        transfers: What is moved between devices, most bytes first; most time first with a topology.
        text: The explanation as `shardwise explain` prints it.
        json: All of it; docs/explain.md has the keys.
    """

    transfers: tuple[Transfer, ...]
    text: str = dataclasses.field(repr=False)
    json: Mapping[str, Any] = dataclasses.field(repr=False, compare=False, hash=False)
    _asked: _Asked | None = dataclasses.field(default=None, repr=False, compare=False, hash=False)

    @property
    def received_bytes(self) -> int:
        """What a device receives, in all transfers."""
        return sum(transfer.received_bytes for transfer in self.transfers)

    @property
    def conflicts(self) -> list[Mapping[str, Any]]:
        """Where annotations met: who won, by which rule, what to do; worst first."""
        return self.json["conflicts"]

    def html(self, source_root: str | os.PathLike[str] = ".") -> str:
        """Makes the page of `shardwise explain --html`: every value, with pictures; no network is needed.

        The program is explained again, this time with all of its values.

        Args:
            source_root: Folder of the source files that the program names; others are not read.
        """
        return self._question().page(_check.string(os.fspath(source_root), "source_root"))

    def _question(self) -> _Asked:
        if self._asked is None:
            raise InvalidError("this explanation was not made by shardwise.explain, which knows the program")
        return self._asked

    def save_html(self, path: str | os.PathLike[str],
                  source_root: str | os.PathLike[str] = ".") -> None:
        """Writes the page to a file.

        Args:
            path: The file; it is replaced if it is there.
            source_root: As of `html`.

        Raises:
            OSError: The file cannot be written.

        >>> explain("examples/rnn_scan/model.mlir").save_html("report.html")  # doctest: +SKIP
        """
        page = self.html(source_root)
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)

    def save_perfetto(self, path: str | os.PathLike[str]) -> None:
        """Writes when a device would do what, as `shardwise explain --perfetto`: open it in https://ui.perfetto.dev.

        Args:
            path: The file; it is replaced if it is there.

        Raises:
            InvalidError: The explanation was made without `topology`, the machine that times are of.

        >>> explain("examples/rnn_scan/model.mlir",
        ...         topology="tpu-v5e").save_perfetto("step.json")  # doctest: +SKIP
        """
        if "topology" not in self.json:
            raise InvalidError("a timeline shows modelled times, and these are of a machine: explain the program "
                               "with topology=, a preset such as 'tpu-v5e' or a file")
        timeline = self._question().timeline()
        with open(path, "w", encoding="utf-8") as file:
            file.write(timeline)

    def _repr_html_(self) -> str:
        """The page in a frame of its own, as notebooks show it."""
        return ('<iframe title="shardwise explain" sandbox="allow-scripts" style="width: 100%; height: 48rem; '
                f'border: 1px solid #999; border-radius: 8px" srcdoc="{escape(self.html())}"></iframe>')

    def __str__(self) -> str:
        """The explanation as the command line tool prints it."""
        return self.text


def explain(program: ProgramSource, *, values: Iterable[str] = (), all_values: bool = False,
            suggest: int = 3, top: int = 10, width: int = 100,
            topology: str | os.PathLike[str] | None = None, memory_limit: int | None = None,
            max_devices: int | None = None, name: str | None = None,
            choose_by: str | os.PathLike[str] | None = None) -> Explanation:
    """Tells which annotation every sharding comes from, what is moved between devices and why.

    Args:
        program: As of `shardwise.compile`.
        values: Values to explain: `%12`, `%arg0`, the name of an argument, or `file:line`. Those that
            are annotated or returned if there are none.
        all_values: Explain every value.
        suggest: For how many of the worst conflicts changes of annotations are tried.
        top: Rows of each table of the text; 0 for all.
        width: Columns of the text, 40 to 1000.
        topology: As of `shardwise.compile`; times on it are in the explanation.
        memory_limit: As of `shardwise.compile`.
        max_devices: As of `shardwise.compile`.
        name: As of `shardwise.compile`.
        choose_by: The machine that the program is partitioned for, if that is not `topology`.

    Raises:
        ProgramError: The program is refused.
        ProgramNotFoundError: There is no such file.
        InvalidError: There is no such value or topology.

    >>> explanation = explain("examples/rnn_scan/model.mlir")
    >>> explanation.received_bytes, explanation.transfers[0].steps
    (3078, 'all_gather {"model"}')
    """
    if isinstance(values, str):
        values = (values,)
    asked = [_check.string(value, "a value to explain")
             for value in _check.sequence(values, "values")]
    width = _check.integer(width, "width", 40)
    if width > 1000:
        raise InvalidError(f"width must be at most 1000, got {width}")
    chosen_for = topology if choose_by is None else topology_name(choose_by, "choose_by")
    asked_of = (chosen_for, memory_limit, max_devices, topology)
    choices = choices_of(*asked_of)
    suggest = _check.integer(suggest, "suggest", 0)
    program_bytes, program_name = read(program, name)
    loaded = _core.LoadedProgram(program_bytes, program_name)
    text, facts = loaded.explain(choices, asked, bool(all_values), suggest,
                                 _check.integer(top, "top", 0), width)
    loaded.take_warnings()  # They are notes of the explanation.
    found = json.loads(facts)
    transfers = tuple(
        Transfer(one["steps"], one["value"], one["type"], one["from"], one["to"], one["op"],
                 one["place"], one["because"], one["origin"]["what"], one["received_bytes"],
                 one["calls"])
        for one in found["transfers"])
    return Explanation(transfers, text, found, _Asked(program_bytes, program_name, asked_of, suggest))
