# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time and memory of propagation, beside the same pipeline inside jaxlib.

    python benchmarks/propagation --opt build/bin/shardwise-opt --python .venv-jax/bin/python
    python benchmarks/propagation --opt build/bin/shardwise-opt --without-jaxlib
    python benchmarks/propagation --opt build/bin/shardwise-opt --shapes

Both sides measure inside the process, so that its start does not count: parse (with
verification), the passes before propagation, propagation, the passes after it, print. Every run is
a process of its own; the sides take turns, and the best of --repetitions counts for each figure.
Memory is the peak of the process above that of the same process on an empty program: what the
program costs. The peak is that of the whole process, libraries and interpreter included: what the
machine sees. Passes that only jaxlib's pipeline has (saving of modules) are left out of its time.
Processor time is that of the whole process, less that on an empty program; on a busy machine it
says more about how time grows than the clock.

With --shapes the programs have much of one thing (see shapes.py), at a quarter of a size and at
that size: what grows faster than the program shows.
"""

import argparse
import ast
import concurrent.futures
import dataclasses
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile

import grown_programs
import shapes

HERE = pathlib.Path(__file__).resolve().parent
PIPELINE = "-sdy-propagation-pipeline"
PROPAGATION = "UserPriority"  # in the name of the pass that propagates, on both sides
JAXLIB_ONLY = ("SaveModuleOpPass", "Rest")
EMPTY_PROGRAM = "func.func @main() {\n  return\n}\n"
# What has to hold, with jaxlib's figure or that of the smaller program as 1.
TIME_GOAL, MEMORY_GOAL, FLAT_GOAL = 1 / 5, 1 / 2, 1.5


@dataclasses.dataclass
class Figures:
    """Seconds of the phases, and of the process peak memory in MiB and processor seconds."""

    parse: float
    before: float
    propagate: float
    after: float
    print: float
    peak_mib: float
    cpu: float

    @property
    def passes(self):
        return self.before + self.propagate + self.after

    def best_with(self, other):
        return Figures(*map(min, dataclasses.astuple(self), dataclasses.astuple(other)))


def by_phase(passes):
    """Seconds before, in and after propagation of [name, seconds] in order."""
    names = [name for name, _ in passes]
    here = next(i for i, name in enumerate(names) if PROPAGATION in name)
    seconds = [value for _, value in passes]
    return sum(seconds[:here]), seconds[here], sum(seconds[here + 1:])


# The peak of a process starts at what its parent has, which here is more than a small program takes.
# So a bare interpreter, which has 8 MiB, starts it; it writes the figures to the file descriptor.
LAUNCHER = """
import os, sys
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
os.write(int(sys.argv[1]), repr((os.waitstatus_to_exitcode(status), usage.ru_maxrss,
                                 usage.ru_utime + usage.ru_stime)).encode())
"""


def run_process(command):
    """Output and error output of a process, its peak memory in MiB and its processor seconds."""
    command = list(map(str, command))
    with (tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err,
          tempfile.TemporaryFile("w+") as figures):
        subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCHER, str(figures.fileno()), *command],
                       stdout=out, stderr=err, pass_fds=(figures.fileno(),), check=True)
        for file in (out, err, figures):
            file.seek(0)
        exit_status, peak_kib, cpu = ast.literal_eval(figures.read())
        if exit_status:
            sys.exit(f"{' '.join(command)}: exit status {exit_status}\n{err.read()}")
        return out.read(), err.read(), peak_kib / 1024, cpu


def run_shardwise(opt, file):
    _, report, peak_mib, cpu = run_process(
        [opt, PIPELINE, file, "-o", os.devnull, "-mlir-timing", "-mlir-output-format=json",
         "-mlir-disable-threading"])
    entries = [(entry["name"], entry["wall"]["duration"])
               for entry in json.loads(report[report.index("["):]) if "name" in entry]
    seconds = dict(entries)
    passes = [(name, value) for name, value in entries
              if name not in ("Parser", "Output", "Rest", "Total") and "Pipeline" not in name]
    return Figures(seconds["Parser"], *by_phase(passes), seconds["Output"], peak_mib,
                   cpu)


def run_jaxlib(python, file):
    out, _, _, cpu = run_process([python, HERE / "jaxlib_phases.py", file])
    answer = json.loads(out)
    passes = [entry for entry in answer["passes"] if entry[0] not in JAXLIB_ONLY]
    return Figures(answer["parse"], *by_phase(passes), answer["print"], answer["peak_mib"], cpu)


def in_other_process(function, *arguments):
    """The result of a call elsewhere: big programs must not be made where others are measured."""
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as executor:
        return executor.submit(function, *arguments).result()


def measure(sides, path, repetitions):
    """Best figures of every side on one program."""
    best = {}
    for _ in range(repetitions):
        for name, run in sides.items():
            figures = run(path)
            best[name] = best[name].best_with(figures) if name in best else figures
    return best


def entry_of(kind, variant, ops, best, empty):
    """What is reported about one program."""
    entry = {"program": f"{kind}-{variant}", "ops": ops}
    for name, figures in best.items():
        memory = max(0.0, figures.peak_mib - empty[name].peak_mib)
        entry[name] = {
            "parse_s": figures.parse, "before_s": figures.before, "propagate_s": figures.propagate,
            "after_s": figures.after, "print_s": figures.print, "passes_s": figures.passes,
            "peak_mib": figures.peak_mib, "memory_mib": memory, "us_per_op": figures.passes / ops * 1e6,
            "cpu_us_per_op": (figures.cpu - empty[name].cpu) / ops * 1e6,
            "kib_per_op": memory / ops * 1024}
    if "jaxlib" in entry:
        ours, theirs = entry["shardwise"], entry["jaxlib"]
        entry["time_ratio"] = ours["passes_s"] / theirs["passes_s"]
        entry["peak_ratio"] = ours["peak_mib"] / theirs["peak_mib"]
        entry["memory_ratio"] = ours["memory_mib"] / theirs["memory_mib"]
    return entry


class Table:
    """Shows rows of cells: aligned, or in Markdown, or not at all."""

    def __init__(self, style):
        self.style = style

    def header(self, names, widths):
        """Starts a table; a negative width aligns to the left."""
        self.widths = widths
        self.row(names)
        if self.style == "markdown":
            self.row(["---" if width < 0 else "--:" for width in widths])

    def row(self, cells):
        if self.style == "markdown":
            print("| " + " | ".join(cells) + " |", flush=True)
        elif self.style == "plain":
            print(" ".join(f"{cell:<{-width}}" if width < 0 else f"{cell:>{width}}"
                           for cell, width in zip(cells, self.widths)).rstrip(), flush=True)


COLUMNS = ["program", "ops", "tool", "parse s", "before s", "propagate s", "after s", "print s",
           "passes s", "us/op", "CPU us", "peak MiB", "MiB", "KiB/op", "time", "peak", "memory"]
WIDTHS = [-19, 7, -9, 7, 8, 11, 7, 7, 8, 6, 6, 8, 7, 6, 6, 6, 6]
RATIOS = ("time_ratio", "peak_ratio", "memory_ratio")


def rows(entry):
    """Rows of the table: one per side, program and ratios on the first."""
    for name in ("shardwise", "jaxlib"):
        if name not in entry:
            continue
        side, is_first = entry[name], name == "shardwise"
        ratios = [f"{entry[key]:.2f}" if is_first and key in entry else "" for key in RATIOS]
        yield [
            entry["program"] if is_first else "", str(entry["ops"]) if is_first else "", name,
            *(f"{side[key]:.3f}" for key in ("parse_s", "before_s", "propagate_s", "after_s",
                                             "print_s", "passes_s")),
            f"{side['us_per_op']:.1f}", f"{side['cpu_us_per_op']:.1f}",
            f"{side['peak_mib']:.0f}", f"{side['memory_mib']:.0f}", f"{side['kib_per_op']:.2f}",
            *ratios]


def measure_shapes(run, repetitions, empty, path, table):
    """One entry for each shape: figures at a quarter of its size and at its size."""
    table.header(["shape", "size", "quarter CPU s", "whole CPU s", "growth of 4", "quarter MiB",
                  "whole MiB"], [-26, 7, 13, 11, 11, 11, 9])
    entries = []
    for name, (_, size) in shapes.SHAPES.items():
        figures = []
        for n in (max(1, size // 4), size):
            in_other_process(shapes.write, path, name, n)
            figures.append(measure({"shardwise": run}, path, repetitions)["shardwise"])
        quarter, whole = figures
        seconds = [side.cpu - empty.cpu for side in (quarter, whole)]
        memory = [max(0.0, side.peak_mib - empty.peak_mib) for side in (quarter, whole)]
        entries.append({"shape": name, "size": size, "seconds": seconds, "memory_mib": memory,
                        "peak_mib": [quarter.peak_mib, whole.peak_mib]})
        table.row([name, str(size), f"{seconds[0]:.3f}", f"{seconds[1]:.3f}",
                   f"{seconds[1] / max(seconds[0], 1e-3):.1f}", f"{memory[0]:.0f}",
                   f"{memory[1]:.0f}"])
    return entries


def missed_goals(entries):
    """Sentences on what does not hold: see the goals above."""
    base = {entry["program"]: entry for entry in reversed(entries) if entry["ops"] >= 9000}
    for entry in entries:
        where = f"{entry['program']} of {entry['ops']} ops"
        if entry["ops"] < 9000:
            continue
        if entry.get("time_ratio", 0) > TIME_GOAL:
            yield f"{where}: {entry['time_ratio']:.2f} of jaxlib's time"
        if entry.get("peak_ratio", 0) > MEMORY_GOAL:
            yield f"{where}: {entry['peak_ratio']:.2f} of the peak of jaxlib's process"
        if entry.get("memory_ratio", 0) > MEMORY_GOAL:
            yield f"{where}: {entry['memory_ratio']:.2f} of jaxlib's memory for the program"
        for key in ("cpu_us_per_op", "kib_per_op"):
            growth = entry["shardwise"][key] / base[entry["program"]]["shardwise"][key]
            if growth > FLAT_GOAL:
                yield f"{where}: {key} is {growth:.2f} times that of the smaller program"


def measure_programs(sides, options, empty, path, table):
    """One entry for each kind, variant and size."""
    table.header(COLUMNS, WIDTHS)
    entries = []
    for kind in options.kinds.split(","):
        for variant in options.variants.split(","):
            for size in map(int, options.sizes.split(",")):
                ops = in_other_process(grown_programs.write, path, kind, variant, size, options.seed)
                asked = {name: run for name, run in sides.items()
                         if name == "shardwise" or size <= options.jaxlib_limit}
                best = measure(asked, path, options.repetitions)
                entries.append(entry_of(kind, variant, ops, best, empty))
                for row in rows(entries[-1]):
                    table.row(row)
    return entries


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt", required=True, help="shardwise-opt")
    parser.add_argument("--python", help="a Python with jaxlib")
    parser.add_argument("--without-jaxlib", action="store_true", help="measure this project only")
    parser.add_argument("--jaxlib-limit", type=int, default=50000,
                        help="ops above which jaxlib, which takes minutes then, is not asked "
                             "(default: 50000)")
    parser.add_argument("--sizes", default="1000,10000,50000,200000", help="numbers of ops")
    parser.add_argument("--kinds", default=",".join(grown_programs.KINDS))
    parser.add_argument("--variants", default=",".join(grown_programs.VARIANTS))
    parser.add_argument("--shapes", action="store_true", help="programs with much of one thing")
    parser.add_argument("--repetitions", type=int, default=3, help="best of so many (default: 3)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", help="file for the figures; - for standard output, without table")
    parser.add_argument("--markdown", action="store_true", help="tables in Markdown")
    parser.add_argument("--check", action="store_true", help="exit status 1 if a goal is missed")
    options = parser.parse_args()
    options.without_jaxlib |= options.shapes
    if not options.without_jaxlib and not options.python:
        parser.error("--python is needed, or --without-jaxlib")
    return options


def main():
    options = parse_arguments()
    sides = {"shardwise": lambda file: run_shardwise(options.opt, file)}
    if not options.without_jaxlib:
        sides["jaxlib"] = lambda file: run_jaxlib(options.python, file)
    table = Table("none" if options.json == "-" else "markdown" if options.markdown else "plain")
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(EMPTY_PROGRAM)
        file.flush()
        empty = measure(sides, file.name, options.repetitions)
        if options.shapes:
            report = {"shapes": measure_shapes(sides["shardwise"], options.repetitions,
                                               empty["shardwise"], file.name, table)}
            missed = []
        else:
            entries = measure_programs(sides, options, empty, file.name, table)
            missed = list(missed_goals(entries))
            report = {"entries": entries, "missed": missed}
    for sentence in missed:
        print("missed: " + sentence, file=sys.stderr)
    if options.json == "-":
        print(json.dumps(report, indent=2))
    elif options.json:
        pathlib.Path(options.json).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
