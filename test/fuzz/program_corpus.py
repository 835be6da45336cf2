#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes first inputs for FuzzPipeline: the programs of the recorded cases and of the lit tests, and
random ones.

    program_corpus.py FOLDER
"""

import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "cli"))
import random_programs  # noqa: E402

LONGEST = 8000
RANDOM_PROGRAMS = 300


def written_programs():
    for pattern in ("conformance/*/*.mlir", "import/*.mlir", "propagate/*.mlir", "export/*.mlir",
                    "partition/*.mlir", "dialect/stablehlo/*.mlir", "programs/*/*.mlir"):
        for path in sorted(TESTS.glob(pattern)):
            for program in re.split(r"^// -----.*\n", path.read_text(), flags=re.M):
                yield re.sub(r"^\s*//.*\n", "", program, flags=re.M)


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    programs = list(written_programs())
    programs += [random_programs.generate(1, index).text for index in range(RANDOM_PROGRAMS)]
    for number, program in enumerate(programs):
        if program.strip() and len(program) <= LONGEST:
            (folder / f"seed-{number}").write_text(program)
    return 0


if __name__ == "__main__":
    sys.exit(main())
