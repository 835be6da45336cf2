# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every diagnostic of docs/dialects/sdy-diagnostics.md is provoked by a test that names it."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| ([PD]\d+[a-z]?) \| ([^|]*) \|", re.MULTILINE)
ROWS = dict(ROW.findall((ROOT / "docs/dialects/sdy-diagnostics.md").read_text()))
CASES = [case for folder in ("dialect/sdy", "export")
         for path in sorted((ROOT / "test" / folder).glob("*.mlir"))
         for case in path.read_text().split("// -----")]
NAMED = re.compile(r"^// ([PD]\d+[a-z]?)\b", re.MULTILINE)
UNIT_TESTS = (ROOT / "shardwise/dialect/sdy/VerifierTest.cpp").read_text()


def reported():
    """Numbers of all cases that expect an error."""
    return {number for case in CASES if "expected-error" in case for number in NAMED.findall(case)}


def test_page_has_the_whole_table():
    for prefix, numbers in {"P": [*range(1, 7), *range(10, 21)],
                            "D": [n for n in range(1, 98) if n not in (73, 79, 89, 94)]}.items():
        for number in numbers:
            assert f"{prefix}{number:02d}" in ROWS
    assert {f"D94{letter}" for letter in "abcde"} < ROWS.keys() and "D34a" in ROWS


@pytest.mark.parametrize("number", ROWS)
def test_some_test_provokes(number):
    if "L" in ROWS[number]:
        assert re.search(rf"^// {number}: .*\n(//.*\n)*TEST_F", UNIT_TESTS, re.MULTILINE)
    else:
        assert number in reported()


def test_tests_name_only_what_the_page_has():
    assert reported() <= ROWS.keys()
