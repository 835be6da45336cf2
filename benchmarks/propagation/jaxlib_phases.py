# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the propagation pipeline of jaxlib once on a file and prints its figures as JSON.

    jaxlib_phases.py FILE

Needs a Python with jaxlib. "parse" and "print" are seconds, both with verification; "passes" is a
list of [name, seconds] in order, from the pass manager's own report; "peak_mib" is the peak
resident memory of the process.
"""

import json
import os
import pathlib
import re
import sys
import tempfile
import time

CONFORMANCE = pathlib.Path(__file__).resolve().parent.parent.parent / "test" / "conformance"
sys.path.insert(0, str(CONFORMANCE))

import jaxlib_opt  # noqa: E402  (needs the path above)
from jaxlib.mlir import ir  # noqa: E402

PIPELINE = "-sdy-propagation-pipeline"
# An entry of the report: indentation shows nesting, and an entry contains those below it.
ENTRY = re.compile(r"^ {4}([0-9.]+) \( *[0-9.]+%\)( +)(.+)$")


def run_with_report(action):
    """Runs `action` and returns what it wrote to standard error."""
    with tempfile.TemporaryFile("w+") as file:
        saved = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            action()
        finally:
            os.dup2(saved, 2)
            os.close(saved)
        file.seek(0)
        return file.read()


def passes_of(report):
    """[name, seconds] of every pass: the entries that contain no others."""
    entries = [(len(match[2]), match[3], float(match[1]))
               for match in map(ENTRY.match, report.splitlines()) if match]
    leaves = []
    for (indent, name, seconds), following in zip(entries, entries[1:] + [(0, "", 0.0)]):
        if following[0] <= indent and name != "Total":
            leaves.append([name.rsplit("::", 1)[-1], seconds])
    return leaves


def main():
    text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    with jaxlib_opt.new_context() as context:
        manager = jaxlib_opt.pass_manager([PIPELINE], context)
        manager.enable_timing()
        start = time.perf_counter()
        module = ir.Module.parse(text)
        parsed = time.perf_counter()

        def run():
            # The report is written when the manager goes.
            nonlocal manager
            manager.run(module.operation)
            manager = None

        report = run_with_report(run)
        ran = time.perf_counter()
        module.operation.get_asm(enable_debug_info=False)
        printed = time.perf_counter()
    print(json.dumps({"parse": parsed - start, "print": printed - ran, "passes": passes_of(report),
                      "peak_mib": jaxlib_opt.peak_rss()}))


if __name__ == "__main__":
    main()
