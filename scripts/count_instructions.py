#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions that the tools of a build execute, with valgrind --tool=callgrind.

    scripts/count_instructions.py build
    scripts/count_instructions.py ../before/build build

Prints one line per workload; with two build folders also the ratio of the second to the first. On a busy
machine this says more than times. Threads that wait for each other count too, so shardwise-opt runs
without threads. Counts of large programs vary by 0.1 %, as the allocator's layout is random.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks/propagation"))

import programs  # noqa: E402  (needs the path above)
from comparison import plans  # noqa: E402

EMPTY_PROGRAM = "func.func @main() {\n  return\n}\n"
COUNTED = re.compile(r"Collected : (\d+)")


def workloads(scratch, scale):
    """name -> tool and arguments. Writes the programs to `scratch`."""
    (scratch / "empty.mlir").write_text(EMPTY_PROGRAM)
    lines = [json.dumps(problem) for problem in plans.benchmark_pairs()]
    (scratch / "problems.jsonl").write_text("\n".join(lines) + "\n")
    optimise = ["-o", "/dev/null", "-mlir-disable-threading"]
    found = {"start shardwise": ["shardwise", "--version"],
             "start shardwise-opt": ["shardwise-opt", scratch / "empty.mlir", *optimise],
             f"plan {len(lines)} problems": ["shardwise", "plan", "--problems",
                                             scratch / "problems.jsonl"]}
    for kind, ops, label, words in [
            ("mlp", 50_000, "propagate", ["shardwise-opt", "-sdy-propagation-pipeline", *optimise]),
            ("transformer", 50_000, "propagate",
             ["shardwise-opt", "-sdy-propagation-pipeline", *optimise]),
            ("transformer", 50_000, "read", ["shardwise-opt", *optimise]),
            ("transformer", 12_000, "partition", ["shardwise", "partition"])]:
        path = scratch / f"{kind}_{ops}.mlir"
        ops = programs.write(path, kind, "own", round(ops * scale), 1)
        found[f"{label} {kind} of {ops} ops"] = [*words, path]
    return found


def count(bin_folder, words):
    """Instructions of one command."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
               bin_folder / words[0], *words[1:]]
    process = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = COUNTED.search(process.stderr)
    if process.returncode or not found:
        sys.exit(f"{' '.join(map(str, command))}: exit status {process.returncode}\n"
                 f"{process.stderr[-2000:]}")
    return int(found[1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs="+", type=pathlib.Path, metavar="BUILD_DIR",
                        help="one or two build folders")
    parser.add_argument("--scale", type=float, default=1.0,
                        help="size of the programs, as a part of 50,000 and 12,000 ops (default 1)")
    parser.add_argument("--only", default="", metavar="SUBSTRING", help="workloads with this in their name")
    parser.add_argument("--jobs", type=int, default=2, help="commands at a time (default 2)")
    options = parser.parse_args()
    if len(options.builds) > 2:
        parser.error("at most two build folders can be compared")
    with (tempfile.TemporaryDirectory() as folder,
          concurrent.futures.ThreadPoolExecutor(options.jobs) as pool):
        chosen = {name: words for name, words in workloads(pathlib.Path(folder), options.scale).items()
                  if options.only in name}
        counts = {name: [pool.submit(count, build.resolve() / "bin", words) for build in options.builds]
                  for name, words in chosen.items()}
        for name, futures in counts.items():
            sides = [future.result() for future in futures]
            ratio = [f"{sides[1] / sides[0]:.4f}"] if len(sides) == 2 else []
            print("  ".join([f"{name:<40}", *(f"{side:>17,}" for side in sides), *ratio]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
