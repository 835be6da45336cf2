# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A straight-line program: arguments with their data, operations, and what it returns."""

import dataclasses
import re

import numpy

from random_stablehlo.error_bounds import Rule
from random_stablehlo.tensors import TensorType


@dataclasses.dataclass(eq=False)
class Value:
    """What an operation or an argument gives.

    Attributes:
        is_exact: No rounding went into it: every evaluator must give the same bits.
        is_last: No operation takes it as an operand.
        is_constant: No argument has a part in it.
        departure: Why XLA gives something else than the specification here, or None.
    """

    name: str
    type: TensorType
    is_exact: bool = True
    is_last: bool = False
    is_constant: bool = False
    departure: str | None = None


@dataclasses.dataclass(eq=False)
class Operation:
    """One operation.

    Attributes:
        name: The op, for reports.
        text: What stands right of `=`; `$0`, `$1` are operands, `$r` a prefix for names inside.
        rule: How far results may be from the reference, from operands and their bounds.
        functions: Private functions that the text calls, with names that begin with `$r`.
    """

    name: str
    text: str
    operands: list[Value]
    results: list[Value]
    rule: Rule
    functions: str = ""

    def fill(self, text: str) -> str:
        prefix = self.results[0].name.split("#")[0].lstrip("%")
        text = text.replace("$r", prefix)
        return re.sub(r"\$(\d+)", lambda match: self.operands[int(match[1])].name, text)

    def print(self) -> str:
        name = self.results[0].name.split("#")[0]
        count = f":{len(self.results)}" if len(self.results) > 1 else ""
        return f"  {name}{count} = {self.fill(self.text)}"


@dataclasses.dataclass
class Program:
    """A program; `seed` and `index` generate it again."""

    seed: int
    index: int
    arguments: list[Value]
    data: dict[str, numpy.ndarray]
    operations: list[Operation]
    returned: list[Value]

    def text(self, returned: list[Value] | None = None) -> str:
        """Returns the module; `returned` replaces what @main returns."""
        returned = self.returned if returned is None else returned
        arguments = ", ".join(f"{value.name}: {value.type}" for value in self.arguments)
        types = ", ".join(str(value.type) for value in returned)
        names = ", ".join(value.name for value in returned)
        lines = [f"func.func public @main({arguments}) -> ({types}) {{"]
        lines += [operation.print() for operation in self.operations]
        lines += [f"  return {names} : {types}" if returned else "  return", "}"]
        lines += [operation.fill(operation.functions)
                  for operation in self.operations if operation.functions]
        return "module {\n" + "\n".join(lines) + "\n}\n"

    def values(self) -> list[Value]:
        """Returns the results of all operations."""
        return [value for operation in self.operations for value in operation.results]
