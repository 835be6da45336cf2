# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A random StableHLO program with a mesh and shardings: on arguments, on results, as constraints, and
on the results of ops."""

import dataclasses
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "cli"), str(TESTS / "three_way")]

from random_programs.shardings import Mesh, Sharding  # noqa: E402
from random_stablehlo.program import Operation, Program, Value  # noqa: E402


def attribute_place(text: str) -> int | None:
    """Where attributes may be written in an op, if they may be written before its types."""
    if "stablehlo.optimization_barrier" in text:
        return None
    head, constant, _ = text.partition("stablehlo.constant")
    if constant:
        return len(head) + len(constant)
    depth = 0
    for place in range(len(text) - 1, 1, -1):
        depth += (text[place] in ")]}") - (text[place] in "([{")
        if depth == 0 and text.startswith(" : ", place) and "->" not in text[:place]:
            is_region = text[place - 1] == "}" and "\n" in text
            return None if is_region else place
    return None


@dataclasses.dataclass
class Annotated:
    """A program and its shardings, by names of values.

    Attributes:
        arguments, results: Shardings in the signature of @main.
        constraints: What `sdy.sharding_constraint` says of results of operations. Only later
            operations see the constrained value.
        on_ops: What is written on the op that has a value as its only result.
        groups: Values that are to have one sharding, by the number of their group.
        other: Another mesh of the same devices, `@other`.
    """

    program: Program
    mesh: Mesh
    arguments: dict[str, Sharding]
    results: dict[str, Sharding]
    constraints: dict[str, Sharding]
    on_ops: dict[str, Sharding]
    groups: dict[str, int] = dataclasses.field(default_factory=dict)
    other: Mesh | None = None

    KINDS = ("arguments", "results", "constraints", "on_ops")

    def current(self, value: Value) -> str:
        """Name of the value as later operations see it."""
        constrained = value.name in self.constraints
        return value.name.replace("#", "_") + "_c" if constrained else value.name

    def operation_lines(self, operation: Operation) -> list[str]:
        operands = [dataclasses.replace(operand, name=self.current(operand))
                    for operand in operation.operands]
        line = dataclasses.replace(operation, operands=operands).print()
        name = operation.results[0].name
        if name in self.on_ops:
            place = attribute_place(line)
            said = f"sdy.sharding = #sdy.sharding_per_value<[{self.on_ops[name]}]>}}"
            has_attributes = line[place - 1] == "}"
            line = (line[:place - 1] + ", " if has_attributes else line[:place] + " {") + (
                said + line[place:])
        constraints = [f"  {self.current(value)} = sdy.sharding_constraint {value.name} "
                       f"{self.constraints[value.name]} : {value.type}"
                       for value in operation.results if value.name in self.constraints]
        return [line, *constraints, *self.group_lines(operation.results)]

    def group_lines(self, values: list[Value]) -> list[str]:
        return [f"  sdy.sharding_group {value.name} group_id={self.groups[value.name]} : {value.type}"
                for value in values if value.name in self.groups]

    def text(self) -> str:
        program = self.program

        def typed(value: Value, shardings: dict[str, Sharding]) -> str:
            sharding = shardings.get(value.name)
            return f"{value.type}" + (f" {{sdy.sharding = #sdy.sharding{sharding}}}"
                                      if sharding else "")

        arguments = ", ".join(f"{value.name}: {typed(value, self.arguments)}"
                              for value in program.arguments)
        types = ", ".join(typed(value, self.results) for value in program.returned)
        plain = ", ".join(str(value.type) for value in program.returned)
        names = ", ".join(map(self.current, program.returned))
        lines = [f"sdy.mesh @mesh = {self.mesh}"]
        lines += [f"sdy.mesh @other = {self.other}"] if self.other else []
        lines += [f"func.func public @main({arguments}) -> ({types}) {{",
                  *self.group_lines(program.arguments)]
        for operation in program.operations:
            lines += self.operation_lines(operation)
        lines += [f"  return {names} : {plain}" if program.returned else "  return", "}"]
        lines += [operation.fill(operation.functions)
                  for operation in program.operations if operation.functions]
        return "\n".join(lines) + "\n"

    def count(self) -> int:
        return sum(len(getattr(self, kind)) for kind in self.KINDS)
