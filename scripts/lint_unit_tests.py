#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a unit test is not built, or its name does not have the form that all have.

- Every `*Test.cpp` is listed in the CMakeLists.txt of its layer.
- `TEST(XTest, whatIsTrue)`: suites end in Test, cases are lowerCamel.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASE = re.compile(r"^TEST(?:_P|_F)?\((\w+), (\w+)\)", re.M)


def is_listed(source):
    """Whether a CMakeLists.txt of the folder or of one above it names the file."""
    for folder in source.parents:
        lists = folder / "CMakeLists.txt"
        if lists.exists():
            name = source.relative_to(folder).as_posix()
            return re.search(rf"(?<![\w/]){re.escape(name)}(?![\w.])", lists.read_text()) is not None
    return False


def offences(source):
    """Lines of text, one for every offence."""
    name = source.relative_to(ROOT)
    text = source.read_text()
    if not is_listed(source):
        yield f"{name} is in no CMakeLists.txt, so it never runs"
    for match in CASE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        suite, case = match.groups()
        if not suite.endswith("Test"):
            yield f"{name}:{line}: the suite {suite} does not end in Test"
        if not case[0].islower():
            yield f"{name}:{line}: the case {case} does not start with a small letter"


def main():
    """Prints the offences."""
    sources = sorted((ROOT / "shardwise").rglob("*Test.cpp"))
    found = [offence for source in sources for offence in offences(source)]
    for offence in found:
        print(f"lint_unit_tests: {offence}")
    print(f"lint_unit_tests: {len(sources)} files, {len(found)} offences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
