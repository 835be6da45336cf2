# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The output that README shows is what the tool prints, but for times and rounding errors."""

import pathlib
import re
import shlex

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def without_measurements(text):
    """The words of a text: errors and times, which differ between machines, replaced, elements
    rounded. Where lines are broken depends on the length of paths."""
    text = re.sub(r"\b\d\.\de-\d\d\b|(?<= )0(?= |$)", "ERROR", text, flags=re.MULTILINE)
    text = re.sub(r"\d+\.\d{3} s", "TIME", text)
    # Printed elements: sums in another order differ in their last digits.
    text = re.sub(r"-?\d+\.\d{5,}", lambda number: f"{float(number[0]):.4f}", text)
    return text.split()


README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^    \$ build/bin/(shardwise .*)\n((?:(?:    .*)?\n)+?)(?=\S|\Z)", README,
                    re.MULTILINE)


@pytest.mark.parametrize("command, shown", BLOCKS, ids=[command[:14] for command, _ in BLOCKS])
def test_readme_shows_real_output(shardwise, command, shown):
    words = shlex.split(command)[1:]
    process = shardwise(*(ROOT / word if word.startswith("examples/") else word for word in words))
    printed = process.stdout.replace(f"{ROOT}/", "")
    assert without_measurements(printed) == without_measurements(shown.rstrip())


def test_readme_shows_run_explain_eval_and_plan():
    assert [command.split()[1] for command, _ in BLOCKS] == [
        "run", "explain", "explain", "eval", "plan"]
