# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of code in a page: fenced, or indented by four."""

import re


def blocks(text):
    """Each block as it is written, without fences and indentation. Lines of lists are no code."""
    found = re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    rest = re.sub(r"^```\w*\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    found += re.findall(r"(?<=\n\n)((?:    .*\n|\n(?=    ))+)", rest)
    return [re.sub(r"^    ", "", one, flags=re.MULTILINE).rstrip() for one in found]


def is_doctest(block):
    return block.startswith(">>> ")


def commands(block):
    """The commands of a block, without remarks."""
    lines = [line.split("  #")[0].strip() for line in block.splitlines()]
    return [command.strip() for line in lines for command in line.split("&&")]
