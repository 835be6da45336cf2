# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of `shardwise partition --form sdy` and length of its text on 8, 512 and 65,536 devices.

    python benchmarks/forms --tool build/bin/shardwise

With `--exchanges`: time and text of `--form stablehlo` on programs whose reshards are exchanges, which
list what each device does.

Processor time is less that of an empty program. The programs run in turns: shown are the least time
and the median of the ratios to the program for 8 devices of the same turn, which a machine with other
work changes least. The text is what is printed. Returns 1 if a ratio is above the goal on 65,536
devices.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import exchange_programs
import layered_programs

GOAL = 1.1
DEVICES = (8, 512, 65536)


def measured(command):
    """Processor time of a command, and how much it prints."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"{' '.join(command)} failed")
        return usage.ru_utime + usage.ru_stime, output.seek(0, os.SEEK_END)


def print_exchanges(tool, path, repetitions):
    """Prints a table of programs of 12 exchanges, in a text that lists devices."""
    print(f"{'sizes':<12}{'devices':>10}{'time, s':>12}{'text, MB':>12}")
    for name, size in (("even", exchange_programs.EVEN), ("uneven", exchange_programs.UNEVEN)):
        for count in exchange_programs.AXES:
            path.write_text(exchange_programs.program(count, size, layers=12))
            command = [tool, "partition", str(path), "--form", "stablehlo"]
            taken, printed = min(measured(command) for _ in range(repetitions))
            print(f"{name:<12}{count:>10,}{taken:>12.2f}{printed / 1e6:>12.2f}", flush=True)


def main():
    """Prints a table, and returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default="build/bin/shardwise")
    parser.add_argument("--form", default="sdy")
    parser.add_argument("--blocks", type=int, default=40, help="each of about 50 ops")
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--exchanges", action="store_true", help="programs of exchanges, form stablehlo")
    arguments = parser.parse_args()
    is_met = True
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "program.mlir")
        if arguments.exchanges:
            print_exchanges(arguments.tool, path, arguments.repetitions)
            return 0
        path.write_text("func.func @main() {\n  return\n}\n")
        command = [arguments.tool, "partition", str(path), "--form", arguments.form]
        start = min(measured(command)[0] for _ in range(arguments.repetitions))
        print(f"{'mesh':<12}{'devices':>10}{'time, ms':>12}{'ratio':>8}{'text, kB':>12}{'ratio':>8}")
        for name, make in (("three axes", layered_programs.three_axes), ("one axis", layered_programs.one_axis)):
            times, sizes = {count: [] for count in DEVICES}, {}
            for _ in range(arguments.repetitions):
                for count in DEVICES:
                    path.write_text(make(count, arguments.blocks))
                    taken, sizes[count] = measured(command)
                    times[count].append(taken - start)
            for count in DEVICES:
                turns = zip(times[count], times[DEVICES[0]])
                ratios = (statistics.median(taken / first for taken, first in turns),
                          sizes[count] / sizes[DEVICES[0]])
                print(f"{name:<12}{count:>10,}{1000 * min(times[count]):>12.1f}{ratios[0]:>8.3f}"
                      f"{sizes[count] / 1000:>12.1f}{ratios[1]:>8.3f}")
                is_met &= count < DEVICES[-1] or max(ratios) <= GOAL
    print(f"goal {GOAL}: {'met' if is_met else 'MISSED'}")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
