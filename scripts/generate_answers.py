#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the known answers that both evaluators are tested with: each program is compiled and run
by XLA's CPU compiler inside jaxlib, and what it returns is the expected value.

Run with the Python of .venv-jax. `--check` compares with the committed files instead of writing.
`--new` keeps the values of programs that are in the committed files, which takes seconds; XLA, and
with it jax, is then needed only if there are new programs that do not say what is expected.
"""

import argparse
import functools
import pathlib
import re
import sys

import numpy as np

from answers import complex_numbers, elementwise, numeric, shapes, special, structured, types
from answers.case import ELEMENT_TYPES, type_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAMILIES = [elementwise, complex_numbers, special, shapes, structured, numeric, types]
VERSION = re.compile(r"jaxlib ([\d.]+)")


@functools.cache
def xla():
    """A function from the text of a module to its results as arrays. Imports jax."""
    import jax

    jax.config.update("jax_enable_x64", True)

    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir

    client = jax.devices("cpu")[0].client
    devices = xla_client.DeviceList((client.devices()[0],))

    def run(text):
        with mlir.make_ir_context():
            executable = client.compile_and_load(ir.Module.parse(text), devices,
                                                 xla_client.CompileOptions())
        return [np.asarray(value) for value in executable.execute([])]

    run.version = jax.lib.__version__
    return run


def run_by_xla(case):
    """The results of `case` as arrays."""
    # XLA gives unsigned random bits, whatever the type of the result.
    return [value if type_of(value) == declared
            else value.view(ELEMENT_TYPES[declared[7:-1].rsplit("x", 1)[-1]])
            for value, declared in zip(xla()(case.module()), case.results)]


def program_of(entry):
    """What an entry of an answer file says before its values."""
    return entry.partition("\nexpect ")[0].rstrip("\n")


def render(family, committed, failures):
    """The answer file of a family. `committed` is a text whose values are kept, if they are of the
    same programs. Appends the cases that XLA refuses to `failures`."""
    entries = re.findall(r"^case .*?\n(?=\n|\Z)", committed, re.M | re.S)
    known = {program_of(entry): entry for entry in entries}
    version = VERSION.search(committed)
    lines = []
    for case in family.cases():
        entry = known.get(program_of(case.text([])))
        try:
            if case.expected is not None:
                lines.append("# Value by formula, see the generator.")
                entry = case.text(case.expected)
            elif entry is None:
                entry = case.text(run_by_xla(case))
        except Exception as error:  # All programs that XLA refuses at once, not one by one.
            failures.append(f"{case.name}: {error}\n{case.module()}")
            continue
        lines.append(entry)
    title = ["# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"]
    title += [f"# {line}" for line in family.__doc__.strip().splitlines()]
    title += [f"# Written by scripts/generate_answers.py; values by XLA CPU of jaxlib "
              f"{version[1] if version else xla().version}, but",
              "# those of cases marked otherwise.", ""]
    return "\n".join(title + lines)


def main():
    """Writes or checks every file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--new", action="store_true")
    arguments = parser.parse_args()
    stale, failures = [], []
    for family in FAMILIES:
        path = ROOT / "test" / "answers" / f"{family.__name__.split('.')[-1]}.txt"
        committed = path.read_text() if path.exists() else ""
        text = render(family, committed if arguments.new else "", failures)
        if not arguments.check:
            path.write_text(text)
        elif committed != text:
            stale.append(path.name)
    for failure in failures:
        print(f"generate_answers: XLA refuses {failure}")
    for name in stale:
        print(f"generate_answers: {name} is not what the generator writes")
    return 1 if stale or failures else 0


if __name__ == "__main__":
    sys.exit(main())
