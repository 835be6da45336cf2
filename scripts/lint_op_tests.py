#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if an op of the stablehlo or chlo dialect lacks a test that every op has.

- Every op is in a round-trip test.
- Every op that programs may use has a known answer; every other one is in the test of refusals.
- Every constraint that a verifier labels, `// cholesky (C2): square matrices`, has a test with the
  same label and an expected error, and no test has a label that no verifier has.

With `--list` prints one line per op: its name, whether programs may use it, and its tests.
"""

import argparse
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIALECTS = ROOT / "shardwise" / "dialect"
TESTS = ROOT / "test" / "dialect"
ANSWERS = ROOT / "test" / "answers"
SUPPORT = ROOT / "test" / "support" / "evaluation"
LABEL = re.compile(r"([a-z_-]+) \(C(\d+)\)")


def text_of(paths):
    """All files in one text."""
    return "\n".join(path.read_text() for path in sorted(paths))


def defined_ops():
    """The names of all ops, `dialect.mnemonic`."""
    ops = []
    for dialect in ("stablehlo", "chlo"):
        definitions = text_of((DIALECTS / dialect).rglob("*.td"))
        prefix = dialect.capitalize()
        pattern = rf"def {prefix}_\w+Op\s*:\s*{prefix}_\w+<\s*\"([a-z0-9_-]+)\""
        ops += [f"{dialect}.{name}" for name in re.findall(pattern, definitions)]
    return sorted(set(ops))


def refused_ops():
    """The ops that programs may not use."""
    table = (DIALECTS / "stablehlo" / "SupportedPrograms.cpp").read_text()
    return set(re.findall(r"\{\"((?:stablehlo|chlo)\.[a-z_-]*[a-z])\", ", table))


def counted(text):
    """How often each op occurs in a text."""
    return collections.Counter(re.findall(r"\b((?:stablehlo|chlo)\.[a-z0-9_-]+)", text))


def labels_in_verifiers():
    """(name, number) of every constraint in the sources."""
    sources = [path for dialect in ("stablehlo", "chlo")
               for path in (DIALECTS / dialect).rglob("*.cpp") if not path.stem.endswith("Test")]
    lines = re.findall(r"^ *// ([a-z_-]+ \(C\d+\)): ", text_of(sources), re.M)
    return {match for line in lines for match in LABEL.findall(line)}


def labels_in_tests():
    """(name, number) of every constraint that a case with an expected error carries."""
    labels = set()
    for path in TESTS.glob("*/invalid*.mlir"):
        for case in path.read_text().split("// -----"):
            title = re.search(r"^// ([^:\n]*\(C\d+\)[^:\n]*): ", case, re.M)
            if title and "expected-error" in case:
                labels.update(LABEL.findall(title[1]))
    return labels


def main():
    """Prints what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()

    ops, refused = defined_ops(), refused_ops()
    round_trips = counted(text_of(path for path in TESTS.glob("*/*.mlir")
                                  if not path.stem.startswith("invalid")))
    # The constants of the answers are written by their reader.
    answers = counted(text_of([*ANSWERS.glob("*.txt"), SUPPORT / "KnownAnswers.cpp"]))
    refusals = counted(text_of([*DIALECTS.glob("stablehlo/SupportedProgramsTest.cpp"),
                                *(ROOT / "test" / "cli").glob("test_errors.py")]))
    # The terminator of regions ends every region of the answers.
    offences = []
    for op in ops:
        if arguments.list:
            print(f"{op:40} {'refused' if op in refused else 'supported':10} "
                  f"round trips {round_trips[op]:3}  answers {answers[op]:4}")
        if not round_trips[op]:
            offences.append(f"{op} has no round-trip test")
        if op in refused and not refusals[op]:
            offences.append(f"{op} is refused, but no test says so")
        if op not in refused and not answers[op]:
            offences.append(f"{op} has no known answer")
    offences += [f"refused op {op} is not defined" for op in sorted(refused - set(ops))]
    verified, tested = labels_in_verifiers(), labels_in_tests()
    offences += [f"constraint {name} (C{number}) has no test with an expected error"
                 for name, number in sorted(verified - tested)]
    offences += [f"a test is about {name} (C{number}), which no verifier has"
                 for name, number in sorted(tested - verified)]
    for offence in offences:
        print(f"lint_op_tests: {offence}")
    print(f"lint_op_tests: {len(ops)} ops, {len(refused)} of them refused, {len(verified)} "
          f"constraints, {len(offences)} offences")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
