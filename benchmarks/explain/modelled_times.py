# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modelled times of training steps on this machine, as `shardwise measure` describes it, beside measured ones.

    python benchmarks/steps --export FOLDER
    python benchmarks/explain/modelled_times.py FOLDER [--tool build/bin/shardwise] [--only NAME ...] [--rounds 5] [--json FILE]

Each round measures the machine, explains the step on it, and runs the step, one behind the other, so that all three see the
same machine. The ratio is modelled over measured: `scheduled_seconds` over the median of `--repeat` runs, or of as many as take
two seconds; told are its median and the least and most of the rounds.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def output_of(*command):
    # Names of kernels in the environment may be those of another processor: what is run without them uses its own.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def one_round(tool, folder, devices, repeat):
    """Modelled and measured seconds of the step in `folder`, and the summary of its model."""
    with tempfile.TemporaryDirectory() as place:
        machine = pathlib.Path(place) / "machine.json"
        output_of(tool, "measure", "--devices", devices, "--repeat", 3, "-o", machine)
        report = json.loads(output_of(tool, "explain", folder / "model.mlir", "--topology", machine, "--choose-by", "bytes",
                                      "--suggest-seconds", 0, "--json"))
    # A core that wakes up takes a while to be as quick as it can be.
    seconds = report["summary"]["scheduled_seconds"]
    run = json.loads(output_of(tool, "run", folder / "model.mlir", "--inputs", folder / "inputs", "--verify", "none",
                               "--repeat", max(repeat, math.ceil(2 / seconds)), "--json"))
    return seconds, run["run_seconds"], report["summary"]


def devices_of(folder):
    """The product of the sizes in the name, as in mlp_data=4_model=2."""
    devices = 1
    for part in folder.name.split("_"):
        if "=" in part:
            devices *= int(part.split("=")[1])
    return devices


def compare(tool, folder, rounds, repeat):
    modelled, measured, ratios, summary = [], [], [], {}
    for _ in range(rounds):
        seconds, run_seconds, summary = one_round(tool, folder, devices_of(folder), repeat)
        modelled.append(seconds)
        measured.append(run_seconds)
        ratios.append(seconds / run_seconds)
    return {"name": folder.name, "modelled": statistics.median(modelled), "measured": statistics.median(measured),
            "ratio": statistics.median(ratios), "least": min(ratios), "most": max(ratios), "summary": summary}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tool", default=str(ROOT / "build/bin/shardwise"))
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="steps whose folder begins so")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    folders = [folder for folder in sorted(options.folder.iterdir()) if (folder / "model.mlir").exists()
               and (not options.only or any(folder.name.startswith(name) for name in options.only))]
    if not folders:
        sys.exit(f"{options.folder}: no steps there; write them with `python benchmarks/steps --export {options.folder}`")
    print(f"load at the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{'step':28} {'modelled':>9} {'measured':>9} {'ratio':>6}   of rounds")
    results = []
    for folder in folders:
        one = compare(options.tool, folder, options.rounds, options.repeat)
        results.append(one)
        print(f"{one['name']:28} {one['modelled']:7.3f} s {one['measured']:7.3f} s {one['ratio']:6.2f}   "
              f"{one['least']:.2f}-{one['most']:.2f}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))
    print(f"load at the end: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
