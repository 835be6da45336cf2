# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps, ours beside JAX's, on the same CPU devices: one, 8 by data, 4 x 2 by data and model.

    python benchmarks/steps [--tool build/bin/shardwise] [--only NAME ...] [--rounds 3] [--repeat 4] [--json FILE]

A step is exported as StableHLO with its shardings. Each round runs it `--repeat` times by `shardwise run`, then as often by
jax.jit with the same shardings, on as many devices of the host, in a process of its own. The time of a step is the median
over all rounds, the ratio the median of the rounds' own. Beside it stand seconds of all processors, which other work on the
machine changes less. Results of both are compared. What users may have set for OpenBLAS is not handed on: the kernels are
those that fit this processor.
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def clean_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}


def run_ours(tool, folder, repeat, outputs=None):
    """Seconds of `repeat` steps, and those of all processors for them."""
    command = [tool, "run", str(folder / "model.mlir"), "--inputs", str(folder / "inputs"), "--verify", "none",
               "--repeat", str(repeat), "--json"] + (["--outputs", str(outputs)] if outputs else [])
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment())
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    report = json.loads(done.stdout)
    return report["repeat_seconds"], report["repeat_processor_seconds"]


class JaxProcess:
    """A child that has the step compiled and its arguments in place, and runs it on request."""

    def __init__(self, name, folder):
        self.child = subprocess.Popen([sys.executable, str(HERE / "jax_step.py"), name, str(folder)],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                      env=clean_environment())
        self.answer()

    def answer(self):
        line = self.child.stdout.readline()
        if not line:
            sys.exit(f"JAX ended with status {self.child.wait()}")
        return json.loads(line)

    def run(self, repeat):
        self.child.stdin.write(f"{repeat}\n")
        self.child.stdin.flush()
        return self.answer()

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def worst_difference(folder):
    """The largest difference of a result, relative to the largest element of it."""
    import numpy
    worst = 0.0
    for path in sorted((folder / "expected").iterdir()):
        expected, actual = numpy.load(path), numpy.load(folder / "outputs" / path.name)
        worst = max(worst, float(numpy.abs(actual - expected).max() / max(numpy.abs(expected).max(), 1e-30)))
    return worst


def measure(tool, name, rounds, repeat):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        jax_process = JaxProcess(name, folder)
        run_ours(tool, folder, 1, folder / "outputs")
        difference = worst_difference(folder)
        ours, theirs, ratios, processors = [], [], [], {"ours": [], "jax": []}
        for _ in range(rounds):
            seconds, of_processors = run_ours(tool, folder, repeat)
            answer = jax_process.run(repeat)
            ours.append(seconds)
            theirs.append(answer["seconds"])
            ratios.append(statistics.median(seconds) / statistics.median(answer["seconds"]))
            processors["ours"].append(statistics.mean(of_processors))
            processors["jax"].append(answer["processors"] / repeat)
        jax_process.close()
    return {"name": name, "ours": statistics.median(sum(ours, [])), "jax": statistics.median(sum(theirs, [])),
            "ratio": statistics.median(ratios), "least": min(ratios), "most": max(ratios),
            "ours_processors": statistics.median(processors["ours"]),
            "jax_processors": statistics.median(processors["jax"]), "difference": difference}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=str(ROOT / "build/bin/shardwise"))
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="steps whose name begins so")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=4)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--export", type=pathlib.Path, help="write the steps with their arguments to this folder, run nothing")
    options = parser.parse_args()
    if options.repeat < 1:
        parser.error("--repeat: expected at least 1")
    names = json.loads(subprocess.run([sys.executable, str(HERE / "jax_step.py"), "--names"], capture_output=True,
                                      text=True, check=True).stdout)
    chosen = [name for name in names if not options.only or any(name.startswith(one) for one in options.only)]
    if options.export:
        for name in chosen:
            JaxProcess(name, options.export / name.replace(" ", "_")).close()
        return
    print(f"{'step':32} {'ours':>9} {'JAX':>9} {'ratio':>6}   {'of rounds':11} {'processors':>17} {'ratio':>6}   differs by")
    results = []
    for name in chosen:
        one = measure(options.tool, name, options.rounds, options.repeat)
        results.append(one)
        print(f"{name:32} {one['ours']:7.3f} s {one['jax']:7.3f} s {one['ratio']:6.2f}   "
              f"{one['least']:.2f}-{one['most']:.2f}   {one['ours_processors']:7.3f} s {one['jax_processors']:6.3f} s "
              f"{one['ours_processors'] / one['jax_processors']:6.2f}   {one['difference']:.1e}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))
    if results:
        print(f"geometric mean {math.exp(statistics.fmean(math.log(one['ratio']) for one in results)):.2f}")


if __name__ == "__main__":
    main()
