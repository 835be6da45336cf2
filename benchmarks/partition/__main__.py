# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives, bytes and memory of partitioned programs, beside XLA's and an expert's.

    python benchmarks/partition --tool build/bin/shardwise --python .venv-jax/bin/python
    python benchmarks/partition --tool build/bin/shardwise --without-xla --only '*cache*'

Each program of the table (rows/), of examples/ and of test/programs is partitioned, run and verified by
`shardwise run`. `bytes` is what the busiest device receives, for XLA and the expert by the same table of
costs; `peak` is the peak memory of a device, `of whole` its part of the unpartitioned program's. XLA is
that of jaxlib on the CPU with Shardy, which never makes a reduce_scatter. `all` is a ratio to nothing.
"""

import argparse
import fnmatch
import json
import pathlib
import sys

import measure
import report
from rows import ROWS


def chosen_programs(patterns):
    """Those whose name, or idea, matches one of the patterns."""
    programs = [*measure.table(ROWS), *measure.recorded(measure.ROOT / "examples", "examples"),
                *measure.recorded(measure.ROOT / "test/programs", "test programs")]
    if not patterns:
        return programs
    return [program for program in programs
            if any(fnmatch.fnmatch(text, pattern) for pattern in patterns for text in (program.name, program.idea))]


def entry_of(program, ours, theirs):
    received = ours.get("received")
    return {
        "program": program.name, "idea": program.idea, "why": program.why, "shardwise": ours, "xla": theirs,
        "expert": program.expert, "ratio_expert": report.ratio(received, program.expert),
        "ratio_xla": report.ratio(received, (theirs or {}).get("received")),
    }


def measured(programs, options):
    """One entry a program; on a terminal the name of the one at work."""
    answers = measure.run_xla(options.python, programs) if options.python else iter(lambda: None, 0)
    for number, (program, theirs) in enumerate(zip(programs, answers), start=1):
        if sys.stderr.isatty():
            print(f"\r\033[K[{number}/{len(programs)}] {program.name}", end="", file=sys.stderr, flush=True)
        entry = entry_of(program, measure.run_shardwise(options.tool, program), theirs)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        yield entry


def print_table(entries):
    """Prints rows as they come, and returns them."""
    print(report.line_of(report.COLUMNS))
    seen, idea = [], None
    for entry in entries:
        if entry["idea"] != idea:
            idea = entry["idea"]
            print(f"-- {idea.replace('_', ' ')}")
        print(report.line_of(report.row_of(entry)), flush=True)
        seen.append(entry)
    print()
    for line in report.summary_lines(seen):
        print(line)
    return seen


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/bin/shardwise", type=pathlib.Path, help="shardwise")
    parser.add_argument("--python", type=pathlib.Path, help="a Python with jax")
    parser.add_argument("--without-xla", action="store_true", help="leave out XLA's columns")
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN",
                        help="programs or ideas whose name matches, as '*cache*' or loops; may be repeated")
    parser.add_argument("--json", metavar="FILE", help="write the figures to a file; - for standard output, "
                        "without the table")
    options = parser.parse_args()
    if not options.tool.is_file():
        parser.error(f"there is no {options.tool}: build it with `make build`")
    if options.without_xla:
        options.python = None
    elif options.python and not measure.has_jax(options.python):
        print(f"no jax in {options.python}, so no columns of XLA: `make test-export` sets up .venv-jax",
              file=sys.stderr)
        options.python = None
    return options


def main():
    options = parse_arguments()
    programs = chosen_programs(options.only)
    if not programs:
        print(f"no program or idea matches {', '.join(options.only)}", file=sys.stderr)
        return 2
    entries = measured(programs, options)
    entries = list(entries) if options.json == "-" else print_table(entries)
    figures = json.dumps({"programs": entries, "summary": report.summary_of(entries)}, indent=2)
    if options.json == "-":
        print(figures)
    elif options.json:
        pathlib.Path(options.json).write_text(figures + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
