#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a pass lacks a lit test of its own, or a test is named after a pass that it does not run.

The pass `sdy-close-shardings` of the stage `export` is tested by test/export/close-shardings.mlir, or
by several files `close-shardings-TOPIC.mlir`. One RUN line must run the pass alone on the file, so
that the test shows what this pass does.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAGES = ("import", "propagate", "export", "reshard", "partition")
FLAG = re.compile(r"(?<![\w-])-?-((?:sdy|shardwise)-[a-z0-9-]+)")


def passes(stage):
    """The flags of the passes that the stage defines."""
    definitions = (ROOT / "shardwise/transforms" / stage / "Passes.td").read_text()
    return re.findall(r"Pass(?:OnAnyOp)?<\"([a-z0-9-]+)\"", definitions)


def flags_of_runs(test):
    """For every RUN line the flags of the passes and pipelines that it runs."""
    runs = re.findall(r"RUN: (.*)", test.read_text())
    return [set(FLAG.findall(run)) for run in runs]


def offences():
    """Lines of text, one for every offence."""
    for stage in STAGES:
        folder = ROOT / "test" / stage
        names = {flag.split("-", 1)[1]: flag for flag in passes(stage)}
        tests = sorted(path for suffix in ("mlir", "test") for path in folder.glob(f"*.{suffix}"))
        tested = set()
        for test in tests:
            owners = [name for name in names if test.stem == name or test.stem.startswith(name + "-")]
            if not owners:
                continue
            flag = names[max(owners, key=len)]
            if {flag} in flags_of_runs(test):
                tested.add(flag)
            else:
                yield f"{test.relative_to(ROOT)} has no RUN line with {flag} alone"
        for name, flag in names.items():
            if flag not in tested:
                yield f"{flag} has no test: make test/{stage}/{name}.mlir"


def main():
    """Prints the offences."""
    found = list(offences())
    for offence in found:
        print(f"lint_pass_tests: {offence}")
    print(f"lint_pass_tests: {sum(len(passes(stage)) for stage in STAGES)} passes, "
          f"{len(found)} offences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
