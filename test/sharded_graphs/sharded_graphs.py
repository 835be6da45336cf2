#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random programs with random shardings partitioned, and compares with the unpartitioned run.

Usage: sharded_graphs.py --count N [--seed S] [--first I] [--jobs J] [--tool SHARDWISE] [--topology FILE] [--keep DIR]

A program that fails is shrunk and printed with what generates it again. Exit status 1 if one does.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile

import annotation_shrinking
from annotated import TESTS, Annotated
from generation import generate
from random_stablehlo.tensors import load, save
from running import Failure, Runner

CHUNK = 500  # programs between two lines of progress
MOST_SHOWN = 64


def save_inputs(program, folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for index, value in enumerate(program.arguments):
        save(folder / f"{index}.npy", program.data[value.name], value.type)


def values_of(tool, annotated: Annotated) -> dict:
    """The value of every result in the unpartitioned program; nothing if it cannot be evaluated."""
    program = annotated.program
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        save_inputs(program, folder / "inputs")
        command = [tool, "eval", "-", "--outputs", str(folder)]
        command += ["--inputs", str(folder / "inputs")] if program.arguments else []
        process = subprocess.run(command, input=program.text(program.values()), text=True,
                                 capture_output=True)
        if process.returncode:
            return {}
        return {value.name: load(folder / f"{index}.npy", value.type)
                for index, value in enumerate(program.values())}


def shrunk(runner: Runner, annotated: Annotated, failure: Failure) -> tuple[Annotated, Failure]:
    """A small program with the same failure, and what the tool says of it."""
    def fails(candidate: Annotated) -> bool:
        # A program that nobody evaluates is refused for a fault of its own.
        return (failure.is_like(runner.failure(candidate))
                and (failure.kind == "wrong" or runner.is_valid(candidate)))

    small = annotation_shrinking.shrink(annotated, fails, values_of(runner.tool, annotated))
    return small, runner.failure(small) or failure


def report(annotated: Annotated, failure: Failure, keep: pathlib.Path | None = None,
           runner_options: list[str] | tuple[str, ...] = ()) -> str:
    program = annotated.program
    place = " ".join([f"--seed {program.seed} --first {program.index} --count 1", *runner_options])
    lines = [f"{failure.kind}: test/sharded_graphs/sharded_graphs.py {place}",
             failure.text.rstrip()[:3000], annotated.text().rstrip()]
    for value in program.arguments:
        array = program.data[value.name]
        more = " .." if array.size > MOST_SHOWN else ""
        shown = array.tolist() if not more else array.ravel()[:MOST_SHOWN].tolist()
        lines.append(f"// {value.name} = {shown}{more}")
    if keep:
        folder = keep / f"{program.seed}-{program.index}"
        save_inputs(program, folder / "inputs")
        (folder / "model.mlir").write_text(annotated.text())
        inputs = f" --inputs {folder}/inputs" if program.arguments else ""
        lines.append(" ".join([f"shardwise run {folder}/model.mlir{inputs}", *runner_options]))
    return "\n".join(lines) + "\n"


@dataclasses.dataclass(frozen=True)
class Job:
    """What one worker process does: one program."""

    runner: Runner
    seed: int

    def __call__(self, index: int) -> tuple[int, int, Failure | None]:
        annotated = generate(self.seed, index)
        return index, len(annotated.program.operations), self.runner.failure(annotated)


def run(tool, seed: int, indices, jobs: int = 0, most_failures: int = 20, keep=None,
        output=sys.stdout, topology=None) -> collections.Counter:
    """Runs programs, on a topology if there is one, and prints failures, shrunk. Returns counts: `programs`,
    `operations`, `failures`."""
    counts = collections.Counter()
    runner = Runner(tool, topology)
    with concurrent.futures.ProcessPoolExecutor(jobs or os.cpu_count()) as pool:
        for first in range(0, len(indices), CHUNK):
            for index, operations, failure in pool.map(
                    Job(runner, seed), indices[first:first + CHUNK], chunksize=10):
                counts.update(programs=1, operations=operations)
                if failure and counts["failures"] < most_failures:
                    print(report(*shrunk(runner, generate(seed, index), failure), keep, runner.options),
                          file=output, flush=True)
                counts["failures"] += bool(failure)
            print(f"seed {seed}: {counts['programs']} programs, {counts['failures']} failures",
                  file=output, flush=True)
            if counts["failures"] >= most_failures:
                break
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="index of the first program")
    parser.add_argument("--jobs", type=int, default=0, help="processes (default: one a core)")
    parser.add_argument("--tool", default=TESTS.parent / "build/bin/shardwise")
    parser.add_argument("--topology", help="of `shardwise run`: what is cheapest there is chosen")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR",
                        help="write shrunk programs and their inputs there")
    parser.add_argument("--max-failures", type=int, default=20)
    options = parser.parse_args()
    counts = run(options.tool, options.seed,
                 range(options.first, options.first + options.count), options.jobs,
                 options.max_failures, options.keep, topology=options.topology)
    print(", ".join(f"{name} {count}" for name, count in counts.items()))
    return 1 if counts["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
