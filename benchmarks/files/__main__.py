# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rate of `shardwise reshard` beside `cp` of the same bytes, and beside loading the tensor whole with NumPy, slicing and
saving it.

    python benchmarks/files --tool build/bin/shardwise [--bytes 2147483648] [--memory 256MiB] [--folder /dev/shm]

All run in turns; shown are medians of the times and of the ratios within a turn. `cpu` is the ratio of processor times, which
work of others on the machine changes least. Files are in the page cache before each call, as `cp` finds them. Returns 1 if
the median of a ratio to cp is below the goal.
"""

import argparse
import json
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

import numpy

GOAL = 0.7
DEVICES = 8
MESH = f'["x"={DEVICES}]'
CUTS = {"rows": '[{"x"}, {}]', "columns": '[{}, {"x"}]'}
CASES = [("whole", "rows"), ("whole", "columns"), ("rows", "whole"), ("columns", "whole"), ("rows", "columns"),
         ("columns", "rows")]
# Loads all of the tensor, and writes the parts.
NUMPY = """
import numpy, os, sys
before, after, source, target = sys.argv[1:]
names = [f"{source}/{i}.npy" for i in range(8)]
whole = numpy.load(source + ".npy") if before == "whole" else numpy.concatenate(
    [numpy.load(name) for name in names], axis=0 if before == "rows" else 1)
if after == "whole":
    numpy.save(target + ".npy", whole)
else:
    os.makedirs(target)
    for i, part in enumerate(numpy.split(whole, 8, axis=0 if after == "rows" else 1)):
        numpy.save(f"{target}/{i}.npy", part)
"""


# A process begins with the peak memory of the one that starts it, so a small one starts the commands.
LAUNCHER = """
import json, os, subprocess, sys, time
begin = time.monotonic()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(json.dumps([status, time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024]))
"""


def measured(command):
    """Seconds, processor seconds and largest memory of a command."""
    launcher = subprocess.run([sys.executable, "-S", "-c", LAUNCHER, *map(str, command)], check=True,
                              stdout=subprocess.PIPE)
    status, *figures = json.loads(launcher.stdout)
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed")
    return figures


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    elif path.exists():
        path.unlink()


def make_inputs(folder, tool, num_bytes):
    """A tensor of f32 with rows of 128 KiB, or of a 32nd of all."""
    columns = min(32768, num_bytes // 4 // 32)
    rows = num_bytes // 4 // columns
    # Never as one array, of which there may be no room for a second one.
    with open(folder / "whole.npy", "wb") as file:
        numpy.lib.format.write_array_header_1_0(
            file, {"descr": "<f4", "fortran_order": False, "shape": (rows, columns)})
        for row in range(rows):
            file.write(numpy.arange(row, row + columns, dtype="f4").tobytes())
    for name, sharding in CUTS.items():
        subprocess.run([tool, "reshard", folder / "whole.npy", folder / name, "--mesh", MESH, "--to", sharding],
                       check=True, stdout=subprocess.DEVNULL)


def place(folder, name):
    return folder / (name + ".npy" if name == "whole" else name)


def measure_case(folder, arguments, case):
    """By way, the measures of each turn."""
    before, after = case
    target = place(folder, "whole").with_name("out.npy") if after == "whole" else folder / "out"
    given = [] if after == "whole" else ["--to", CUTS[after], *(["--mesh", MESH] if before == "whole" else [])]
    ways = {"cp": ["cp", "-r", place(folder, before), target],
            "shardwise": [arguments.tool, "reshard", place(folder, before), target, *given, "--memory", arguments.memory],
            "numpy": [sys.executable, "-c", NUMPY, before, after, folder / before, folder / "out"]}
    measures = {way: [] for way in ways}
    for turn in range(arguments.repetitions + 1):
        for way, command in ways.items():
            measure = measured(command)
            # The first turn brings the files into the page cache.
            if turn > 0:
                measures[way].append(measure)
            for left in (folder / "out", folder / "out.npy"):
                remove(left)
    return measures


def ratio(measures, way, column):
    """The median, over the turns, of the measure of another way over ours."""
    return statistics.median(theirs[column] / ours[column]
                             for theirs, ours in zip(measures[way], measures["shardwise"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default="build/bin/shardwise")
    parser.add_argument("--bytes", type=int, default=2 << 30)
    parser.add_argument("--memory", default="256MiB")
    parser.add_argument("--folder", help="on which disk (default: that of temporary files)")
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    # The files are removed then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    worst = float("inf")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = pathlib.Path(name)
        make_inputs(folder, arguments.tool, arguments.bytes)
        print(f"{arguments.bytes / 2**30:.2f} GiB, {DEVICES} devices, --memory {arguments.memory}")
        print(f"{'from':<9}{'to':<9}{'cp, s':>8}{'numpy, s':>10}{'ours, s':>9}{'cp/ours':>9}{'(cpu)':>7}"
              f"{'numpy/ours':>12}{'(cpu)':>7}{'ours, MiB':>11}")
        for case in CASES:
            measures = measure_case(folder, arguments, case)
            times = {way: statistics.median(one[0] for one in turns) for way, turns in measures.items()}
            to_cp = ratio(measures, "cp", 0)
            worst = min(worst, to_cp)
            memory = max(one[2] for one in measures["shardwise"]) / 2**20
            print(f"{case[0]:<9}{case[1]:<9}{times['cp']:>8.2f}{times['numpy']:>10.2f}{times['shardwise']:>9.2f}"
                  f"{to_cp:>9.2f}{ratio(measures, 'cp', 1):>7.2f}{ratio(measures, 'numpy', 0):>12.2f}"
                  f"{ratio(measures, 'numpy', 1):>7.2f}{memory:>11.0f}", flush=True)
    print(f"worst ratio to cp {worst:.2f}, goal {GOAL}")
    return 0 if worst >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
