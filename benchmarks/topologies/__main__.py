# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modelled times of programs that are partitioned for a machine, beside those of the same programs partitioned by bytes.

    python benchmarks/topologies --tool build/bin/shardwise
    python benchmarks/topologies --tool build/bin/shardwise --topology my-cluster.json --only '*attention*'

Each program of the table (benchmarks/partition), of examples/ and of test/programs is explained twice for each
topology: as it is chosen by time, and as it is chosen by bytes. `ratio` is the one time over the other: above 1, a
choice by time ended in a worse local optimum. Only rows that differ by more than 1 % are printed.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PRESETS = ("tpu-v5e", "tpu-v5p", "h100-nvlink-ib")


def programs():
    """{name: path} of all programs."""
    folders = [*ROOT.glob("benchmarks/partition/texts/*.mlir"), *ROOT.glob("benchmarks/partition/written/*.mlir")]
    recorded = [*ROOT.glob("examples/*/model.mlir"), *ROOT.glob("test/programs/*/model.mlir")]
    return {**{path.stem: path for path in sorted(folders)}, **{path.parent.name: path for path in sorted(recorded)}}


def summary_of(tool, path, topology, choose_by):
    """What explain says of time and bytes; None if the program is refused."""
    process = subprocess.run([tool, "explain", path, "--json", "--suggest", "0", "--topology", topology,
                              "--choose-by", choose_by], capture_output=True, text=True, timeout=600)
    return json.loads(process.stdout)["summary"] if process.returncode == 0 else None


def compare(tool, path, topology):
    """(by time, by bytes), or None."""
    pair = [summary_of(tool, path, topology, by) for by in ("time", "bytes")]
    return None if None in pair else pair


def ratio(pair):
    by_time, by_bytes = (summary["seconds"] for summary in pair)
    return by_time / by_bytes if by_bytes else 1.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/bin/shardwise", type=pathlib.Path, help="shardwise")
    parser.add_argument("--topology", action="append", metavar="NAME", help="a preset or a file; default: all presets")
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN", help="programs by name")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chosen = {name: path for name, path in programs().items()
              if not options.only or any(fnmatch.fnmatch(name, pattern) for pattern in options.only)}
    for topology in options.topology or PRESETS:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            pairs = list(pool.map(lambda path: compare(options.tool, path, topology), chosen.values()))
        known = {name: pair for name, pair in zip(chosen, pairs) if pair}
        print(f"{topology}: {len(known)} programs, {sum(ratio(pair) < 0.99 for pair in known.values())} faster, "
              f"{sum(ratio(pair) > 1.01 for pair in known.values())} slower than by bytes")
        for name, pair in sorted(known.items(), key=lambda entry: ratio(entry[1])):
            if abs(ratio(pair) - 1) > 0.01:
                print(f"  {ratio(pair):6.3f}  {pair[0]['seconds'] * 1e6:10.2f} us  {pair[1]['seconds'] * 1e6:10.2f} us  "
                      f"{pair[0]['received_bytes']:>10} B  {pair[1]['received_bytes']:>10} B  {name}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
