# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random StableHLO programs through the reference evaluator, the compiled path and XLA.

Usage: three_way.py --count N [--seed S] [--first I] [--xla PYTHON] [--tool SHARDWISE]

A difference is shrunk and printed with what generates it again. Exit status 1 if there is one.
"""

import argparse
import collections
import pathlib
import re
import sys
import tempfile

from comparison import Evaluators, Failure
from random_stablehlo import generate
from random_stablehlo.program import Program
from random_stablehlo.tensors import load
from shrinking import shrink

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def reference_arrays(evaluators: Evaluators, program: Program) -> dict:
    """Returns the values of the last comparison under the reference evaluator."""
    folder = evaluators.folder / "reference"
    if not folder.exists():
        return {}
    return {value.name: load(folder / f"{index}.npy", value.type)
            for index, value in enumerate(program.values())}


def shrunk(evaluators: Evaluators, program: Program, failure: Failure) -> tuple[Program, Failure]:
    """Returns a small program with the same kind of failure, and that failure."""
    last = failure

    def fails(candidate: Program) -> bool:
        nonlocal last
        for other in evaluators.compare(candidate):
            if (other.evaluator, other.kind) == (failure.evaluator, failure.kind):
                last = other
                return True
        return False

    arrays = reference_arrays(evaluators, program)
    small = shrink(program, fails, arrays)
    return small, last


def report(program: Program, failure: Failure) -> str:
    lines = [f"{failure.evaluator} {failure.kind}: generate({program.seed}, {program.index})",
             failure.text.rstrip(), program.text().rstrip()]
    for value in program.arguments:
        array = program.data[value.name]
        shown = array.tolist() if array.size <= 64 else f"{array.ravel()[:64].tolist()} .."
        lines.append(f"  {value.name} = {shown}")
    return "\n".join(lines) + "\n"


def is_unsteady(evaluators: Evaluators, program: Program) -> bool:
    """Returns whether XLA agrees after all in one of a few more runs."""
    return any(not [failure for failure in evaluators.compare(program)
                    if failure.evaluator == "xla"] for _ in range(3))


def run(evaluators: Evaluators, seed: int, indices, most_failures: int = 20,
        output=sys.stdout) -> collections.Counter:
    """Compares programs and prints failures. Returns counts: `programs`, `operations`,
    `failures`, and reasons of XLA for refusing."""
    counts = collections.Counter()
    for index in indices:
        program = generate(seed, index)
        counts["programs"] += 1
        if counts["programs"] % 500 == 0:
            print(f"{counts['programs']} programs", file=output, flush=True)
        counts["operations"] += len(program.operations)
        counts["values"] += len(program.returned)
        counts["values left out for xla"] += sum(bool(value.departure)
                                                 for value in program.returned)
        for failure in evaluators.compare(program)[:1]:
            if failure.evaluator == "xla" and failure.kind == "refused":
                reason = re.sub(r"%\w+|\d+", "N", failure.text.splitlines()[0])[:160]
                if not counts[f"xla refuses: {reason}"]:
                    print(f"xla refuses generate({seed}, {index}): {failure.text[:1000]}",
                          file=output, flush=True)
                counts[f"xla refuses: {reason}"] += 1
                continue
            if failure.evaluator == "xla" and is_unsteady(evaluators, program):
                counts["xla differs from itself"] += 1
                print(f"xla differs from itself: generate({seed}, {index})", file=output,
                      flush=True)
                continue
            counts["failures"] += 1
            evaluators.compare(program)
            print(report(*shrunk(evaluators, program, failure)), file=output, flush=True)
        if counts["failures"] >= most_failures:
            break
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="index of the first program")
    parser.add_argument("--tool", default=ROOT / "build/bin/shardwise")
    parser.add_argument("--xla", metavar="PYTHON", help="a Python with jaxlib (default: no XLA)")
    parser.add_argument("--max-failures", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        evaluators = Evaluators(options.tool, pathlib.Path(folder) / "program", options.xla)
        counts = run(evaluators, options.seed,
                     range(options.first, options.first + options.count), options.max_failures)
        evaluators.close()
    print(", ".join(f"{name} {count}" for name, count in counts.items()))
    return 1 if counts["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
