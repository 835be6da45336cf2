#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the known answers that both evaluators are tested with: each program is compiled and run
by XLA's CPU compiler inside jaxlib, and what it returns is the expected value.

Run with the Python of .venv-jax. `--check` compares with the committed files instead of writing.
"""

import argparse
import pathlib
import sys

import jax
import numpy as np

from answers import complex_numbers, elementwise, numeric, shapes, special, structured, types
from answers.case import ELEMENT_TYPES, type_of

jax.config.update("jax_enable_x64", True)

from jax._src.interpreters import mlir  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jax._src.lib.mlir import ir  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAMILIES = [elementwise, complex_numbers, special, shapes, structured, numeric, types]


def run_by_xla(case):
    """The results of `case` as arrays."""
    client = jax.devices("cpu")[0].client
    with mlir.make_ir_context():
        module = ir.Module.parse(case.module())
        executable = client.compile_and_load(
            module, xla_client.DeviceList((client.devices()[0],)), xla_client.CompileOptions())
    # XLA gives unsigned random bits, whatever the type of the result.
    return [np.asarray(value) if type_of(np.asarray(value)) == declared
            else np.asarray(value).view(ELEMENT_TYPES[declared[7:-1].rsplit("x", 1)[-1]])
            for value, declared in zip(executable.execute([]), case.results)]


def render(family, failures):
    """The answer file of a family. Appends the cases that XLA refuses to `failures`."""
    name = family.__name__.split(".")[-1]
    lines = ["# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"]
    lines += [f"# {line}" for line in family.__doc__.strip().splitlines()]
    lines += [f"# Written by scripts/generate_answers.py; values by XLA CPU of jaxlib "
              f"{jax.lib.__version__}, but", "# those of cases marked otherwise.", ""]
    for case in family.cases():
        try:
            expected = case.expected if case.expected is not None else run_by_xla(case)
        except Exception as error:  # All programs that XLA refuses at once, not one by one.
            failures.append(f"{case.name}: {error}\n{case.module()}")
            continue
        if case.expected is not None:
            lines.append("# Value by formula, see the generator.")
        lines.append(case.text(expected))
    return name, "\n".join(lines)


def main():
    """Writes or checks every file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    stale, failures = [], []
    for family in FAMILIES:
        name, text = render(family, failures)
        path = ROOT / "test" / "answers" / f"{name}.txt"
        if not arguments.check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(path.name)
    for failure in failures:
        print(f"generate_answers: XLA refuses {failure}")
    for name in stale:
        print(f"generate_answers: {name} is not what the generator writes")
    return 1 if stale or failures else 0


if __name__ == "__main__":
    sys.exit(main())
