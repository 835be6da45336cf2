# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program partitioned, and says what went wrong."""

import dataclasses
import json
import pathlib
import re
import subprocess
import tempfile

from annotated import Annotated
from random_stablehlo.tensors import save

PATIENCE_SECONDS = 120


@dataclasses.dataclass(frozen=True)
class Failure:
    """What went wrong with a program.

    Attributes:
        kind: `wrong`, `refused`, `crashed` or `hangs`.
        cause: The first error without numbers and names. A smaller program fails in the same way
            if kind and cause are the same.
        text: What the tool printed.
    """

    kind: str
    cause: str
    text: str

    def is_like(self, other: "Failure | None") -> bool:
        return other is not None and (self.kind, self.cause) == (other.kind, other.cause)


def cause_of(errors: str) -> str:
    first = next((line for line in errors.splitlines() if "error:" in line), "")
    return re.sub(r"'?tensor<[^>]*>'?|%\w+|\"[xyz]\"|-?\d+", "N", first.partition("error:")[2])


class Runner:
    """Asks `shardwise run`, which compares with the unpartitioned program."""

    def __init__(self, tool, topology=None):
        self.tool = str(tool)
        self.options = ["--topology", str(topology)] if topology else []

    def call(self, command: str, annotated: Annotated, *options: str):
        """Runs a command of the tool on the program and its data."""
        program = annotated.program
        with tempfile.TemporaryDirectory() as name:
            for index, value in enumerate(program.arguments):
                save(pathlib.Path(name) / f"{index}.npy", program.data[value.name], value.type)
            inputs = ["--inputs", name] if program.arguments else []
            return subprocess.run([self.tool, command, "-", *inputs, *options], text=True,
                                  input=annotated.text(), capture_output=True,
                                  timeout=PATIENCE_SECONDS)

    def is_valid(self, annotated: Annotated) -> bool:
        """Whether the unpartitioned program is evaluated."""
        return self.call("eval", annotated, "--json").returncode == 0

    def failure(self, annotated: Annotated) -> Failure | None:
        try:
            process = self.call("run", annotated, "--json", *self.options)
        except subprocess.TimeoutExpired:
            return Failure("hangs", "", f"no end after {PATIENCE_SECONDS} s")
        printed = process.stderr + process.stdout
        if process.returncode < 0 or process.returncode > 3:
            return Failure("crashed", str(process.returncode), printed)
        try:
            report = json.loads(process.stdout)
        except json.JSONDecodeError:
            return Failure("refused", cause_of(process.stderr), printed)
        if process.returncode == 0 and report["verified"] is True:
            return None
        return Failure("wrong" if report.get("verified") is False else "refused",
                       cause_of(process.stderr), printed)
