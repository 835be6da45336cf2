# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time to read and verify a large program, beside jaxlib on the same text.

    python benchmarks/parsing --opt build/bin/shardwise-opt --python .venv-jax/bin/python

Both sides measure inside a process of their own, so that its start does not count; they take turns,
and the best of --repetitions counts. The goal is a ratio of at most 1.3.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

BENCHMARKS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(BENCHMARKS / "propagation"))

import grown_programs  # noqa: E402  (needs the path above)

CONFORMANCE = BENCHMARKS.parent / "test" / "conformance"
GOAL = 1.3

# Runs under the Python with jaxlib: the folder of jaxlib_opt, then the program.
JAXLIB_PARSE = """
import pathlib, sys, time
sys.path.insert(0, sys.argv[1])
import jaxlib_opt
from jaxlib.mlir import ir
text = pathlib.Path(sys.argv[2]).read_text()
with jaxlib_opt.new_context():
    start = time.perf_counter()
    module = ir.Module.parse(text)
    print(time.perf_counter() - start)
"""


def seconds_of_shardwise(opt, file):
    """Time of "Parser", which verifies too, in the report of the tool."""
    process = subprocess.run([opt, file, "-o", "/dev/null", "-mlir-timing",
                              "-mlir-timing-display=list", "-mlir-disable-threading"],
                             capture_output=True, text=True)
    found = re.search(r"^ *([0-9.]+) \( *[0-9.]+%\) +Parser$", process.stderr, re.MULTILINE)
    if process.returncode or not found:
        sys.exit(f"{opt}: exit status {process.returncode}\n{process.stderr[-2000:]}")
    return float(found[1])


def seconds_of_jaxlib(python, file):
    process = subprocess.run([python, "-c", JAXLIB_PARSE, CONFORMANCE, file], capture_output=True,
                             text=True)
    if process.returncode:
        sys.exit(f"{python}: exit status {process.returncode}\n{process.stderr[-2000:]}")
    return float(process.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opt", required=True, help="the shardwise-opt program")
    parser.add_argument("--python", required=True, help="a Python with jaxlib")
    parser.add_argument("--ops", type=int, default=50_000)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="a JSON object for each program")
    options = parser.parse_args()
    missed = False
    for kind in grown_programs.KINDS:
        text, ops = grown_programs.program(kind, "own", options.ops, seed=1)
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            pairs = [(seconds_of_shardwise(options.opt, file.name),
                      seconds_of_jaxlib(options.python, file.name))
                     for _ in range(options.repetitions)]
        ours, theirs = (min(side) for side in zip(*pairs))
        missed |= ours > GOAL * theirs
        entry = {"program": kind, "ops": ops, "bytes": len(text), "shardwise_s": ours,
                 "jaxlib_s": theirs, "ratio": ours / theirs}
        print(json.dumps(entry) if options.json else
              f"{kind} of {ops} ops, {len(text) / 2**20:.1f} MiB: shardwise {ours:.3f} s, "
              f"jaxlib {theirs:.3f} s, ratio {ours / theirs:.2f}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
