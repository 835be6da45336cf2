# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs for the conformance cases: inputs and the passes to run on them.

`program(folder, index, seed)` is reproducible: the same folder, index, seed and attempt give
the same program.  Nothing here runs a tool; whether a program is accepted, and with which
result, is the business of the caller.
"""

import dataclasses
import random

from .cleanup import gen_cleanup
from .invalid import gen_invalid
from .large import gen_large, large_program
from .meaning import gen_meaning
from .pipeline import gen_import, gen_pipeline
from .roundtrip import GENERIC_MARK, gen_roundtrip
from .rules import gen_rules
from .steps import gen_aggressive, gen_basic, gen_op_priority, gen_user_priority

GENERATORS = {
    "rules": gen_rules, "basic": gen_basic, "aggressive": gen_aggressive,
    "op_priority": gen_op_priority, "user_priority": gen_user_priority,
    "pipeline": gen_pipeline, "import": gen_import, "roundtrip": gen_roundtrip,
    "cleanup": gen_cleanup, "invalid": gen_invalid, "meaning": gen_meaning, "large": gen_large}


@dataclasses.dataclass
class Program:
    """An input, what to run on it and what to compare."""

    label: str
    args: str            # the flags of RUN-ARGS
    text: str
    mode: str = "items"  # the comparison, see README.md
    generic: bool = False  # the input proper is the generic form of `text`
    min_lines: int = 0   # a shorter program is not worth a case
    verdict: list = None  # the result, where the generator knows it and no reference does
    rng: random.Random = None  # in the state in which the generator left it

    def case(self):
        """The text of a case file."""
        header = ("// RUN-ARGS: %s" % self.args).rstrip() + "\n"
        if self.mode != "items":
            header += "// COMPARE: %s\n" % self.mode
        return header + self.text + ("" if self.text.endswith("\n") else "\n")


def program(folder, index, seed, attempt=0):
    """The program with this index; a caller who cannot use it takes the next attempt."""
    rng = random.Random("%s/%s/%d/%d" % (seed, folder, index, attempt))
    label, args, text, facts = GENERATORS[folder](rng, index, seed)
    if text.startswith(GENERIC_MARK):
        return Program("generic", args, text[len(GENERIC_MARK):], generic=True, rng=rng, **facts)
    return Program(label, args, text, rng=rng, **facts)
