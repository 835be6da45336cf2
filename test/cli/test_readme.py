# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The output that README shows is what the tool prints, but for times and rounding errors."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def without_measurements(text):
    """Replaces errors and times, which differ between machines, and squeezes the blanks."""
    text = re.sub(r"\b\d\.\de-\d\d\b|(?<= )0(?= |$)", "ERROR", text, flags=re.MULTILINE)
    text = re.sub(r"\d+\.\d{3} s", "TIME", text)
    return [line.split() for line in text.splitlines()]


def test_readme_shows_real_output(shardwise):
    readme = (ROOT / "README.md").read_text()
    block = re.search(r"^    \$ build/bin/(shardwise .*)\n((?:    .*\n)+)", readme, re.MULTILINE)
    command = block.group(1).split()
    arguments = [ROOT / word if word.startswith("examples/") else word for word in command[1:]]
    process = shardwise(*arguments)
    printed = process.stdout.replace(f"{ROOT}/", "")
    assert without_measurements(printed) == without_measurements(block.group(2))
