# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What holds of propagation on any program: it only adds axes, leaves closed dimensions alone, is
finished after one run, does not depend on threads or on the form of the file, and never fails.

The programs are those of the conformance generator. SHARDWISE_PROPERTY_PROGRAMS says how many of each
kind, SHARDWISE_TEST_SEED of which seed; a failure names kind, seed and index, and shows the program.
"""

import itertools
import os
import pathlib
import re
import shlex
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))

import generator  # noqa: E402  (needs the path above)
from golden_programs import attributes  # noqa: E402

COUNT = int(os.environ.get("SHARDWISE_PROPERTY_PROGRAMS", "8"))
SEED = int(os.environ.get("SHARDWISE_TEST_SEED", "1"))
STEPS = ("basic", "aggressive", "op_priority", "user_priority")

IN_FULL = ("-mlir-print-op-generic", "-mlir-print-local-scope", "-mlir-print-debuginfo")
SHARDING = re.compile(r"<@\w+, \[([^\]]*)\][^>]*>")
DIM = re.compile(r"\{([^}]*)\}")
AXIS = re.compile(r'"(\w+)"(?::\((\d+)\)(\d+))?')


class Case:
    """One program, its passes, and the tool."""

    def __init__(self, tool, folder, index, attempt=0):
        self.tool, self.name = tool, f"{folder}/{index} of seed {SEED}, attempt {attempt}"
        program = generator.program(folder, index, SEED, attempt)
        self.text = program.text
        self.flags = [flag for flag in shlex.split(program.args) if "debug" not in flag]

    def only_propagates(self):
        """The passes around propagation change shardings as well; members of a group take the sharding
        of another member as it is."""
        propagate = [flag for flag in self.flags if "propagat" in flag]
        return (bool(propagate) and "pipeline" not in propagate[0]
                and "sharding_group" not in self.text)

    def is_program(self):
        """Whether it verifies, and asks for nothing that only propagation shows to be impossible:
        partial maxima of a value that has no sharding before."""
        if self.tool("-", stdin=self.text).returncode != 0:
            return False
        refused = re.compile(r"cannot introduce (max|min) unreduced axes")
        return not refused.search(self.tool(*self.flags, "-", stdin=self.text).stderr)

    def run(self, *flags, text=None):
        """The printed module after these passes; the program must be accepted."""
        process = self.tool(*flags, "-", stdin=self.text if text is None else text)
        assert process.returncode == 0, self.describe("is refused: " + process.stderr)
        return process.stdout

    def describe(self, problem):
        return f"{self.name} {problem}\npasses: {' '.join(self.flags)}\n{self.text}"


@pytest.fixture
def case(request, shardwise_opt):
    print("seed", SEED)
    folder, index, is_meant = request.param
    attempts = (Case(shardwise_opt, folder, index, attempt) for attempt in range(100))
    return next(case for case in attempts if is_meant(case) and case.is_program())


def over_programs(folders, is_meant=lambda case: True):
    """Runs a test on COUNT programs of each folder that its property is about."""
    programs = [(folder, index, is_meant) for folder in folders for index in range(COUNT)]
    return pytest.mark.parametrize("case", programs, indirect=True,
                                   ids=[f"{folder}-{index}" for folder, index, _ in programs])


def shardings_by_place(module):
    """Place in the source -> shardings there, of the results of an op or of one argument or result of
    a function. Places that occur more than once are left out."""
    found, opened = {}, []
    for line in module.splitlines():
        line = line.strip()
        name = re.match(r'(?:%\S+ = )?"([\w.]+)"\(', line)
        if name and line.endswith("({"):
            opened.append((name[1], line))
            continue
        if line.startswith("})"):
            name, start = opened.pop()
        elif name:
            name, start = name[1], ""
        else:
            continue
        location = line.rsplit(" loc(", 1)[-1]
        places = [((name, location), start + line)]
        if name == "func.func":
            places = [((key, number, location), entry) for key in ("arg_attrs", "res_attrs")
                      for number, entry in enumerate(attributes(start, key, 0))]
        for place, text in places:
            found.setdefault(place, []).append(SHARDING.findall(text))
    return {place: shardings[0] for place, shardings in found.items() if len(shardings) == 1}


def dims(sharding):
    """Axes as (name, pre-size, size), (name, 0, 0) in full; and whether the dimension is closed."""
    return [([(name, int(pre or 0), int(size or 0)) for name, pre, size in AXIS.findall(dim)],
             "?" not in dim) for dim in DIM.findall(sharding)]


def is_prefix(axes, of):
    """Whether `of` is `axes` with its last axis grown and others behind it."""
    if not axes:
        return True
    if len(axes) > len(of) or axes[:-1] != of[:len(axes) - 1]:
        return False
    (name, pre, size), (grown_name, grown_pre, grown_size) = axes[-1], of[len(axes) - 1]
    if axes[-1] == of[len(axes) - 1]:
        return True
    is_grown = pre == 1 if grown_pre == 0 else pre == grown_pre and size <= grown_size
    return name == grown_name and pre > 0 and is_grown


@over_programs(STEPS, Case.only_propagates)
def test_shardings_only_grow_and_closed_dimensions_stay(case):
    propagate = [flag for flag in case.flags if "propagat" in flag]
    before_flags = case.flags[:case.flags.index(propagate[0])]
    before = shardings_by_place(case.run(*before_flags, *IN_FULL))
    after = shardings_by_place(case.run(*before_flags, propagate[0], *IN_FULL))
    checked = 0
    for place, shardings in before.items():
        if not shardings or place not in after or len(after[place]) != len(shardings):
            continue
        for old, new in zip(shardings, after[place]):
            for (axes, is_closed), (new_axes, is_still_closed) in zip(dims(old), dims(new)):
                checked += 1
                change = f"turns [{old}] into [{new}] at {place}"
                assert is_prefix(axes, new_axes), case.describe(change)
                assert is_still_closed == is_closed, case.describe(change)
                assert not is_closed or axes == new_axes, case.describe(change)
    assert checked or not any(before.values()), case.describe("was not compared")


@over_programs(STEPS + ("pipeline",))
def test_second_run_changes_nothing(case):
    imported = case.run("-sdy-import-pipeline", "-sdy-apply-sharding-constraints",
                        "-sdy-sharding-group-import")
    once = case.run("-sdy-user-priority-propagate", text=imported)
    again = case.run("-sdy-user-priority-propagate", text=once)
    assert again == once, case.describe("still changes in a second run:\n" + again)


@over_programs(STEPS + ("pipeline",))
def test_results_depend_on_the_program_alone(case, tmp_path):
    first = case.run(*case.flags)
    assert case.run(*case.flags) == first, case.describe("has another result the second time")
    assert case.run(*case.flags, "-mlir-disable-threading") == first, case.describe(
        "has another result on one thread")
    assert case.run(*case.flags, text=case.run()) == first, case.describe(
        "has another result once printed and read")
    bytecode = tmp_path / "program.mlirbc"
    case.run("-emit-bytecode", "-o", bytecode)
    process = case.tool(*case.flags, bytecode)
    assert (process.returncode, process.stdout) == (0, first), case.describe(
        "has another result as bytecode: " + process.stderr)
