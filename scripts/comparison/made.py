# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that the generators of tests and benchmarks make, through the driver."""

import importlib
import sys

from .command import Command
from .programs import SUMMARY

RANDOM_PROGRAMS = 150
LARGE_OPS = 1500


def imported(folder, name):
    """A module of the tree's tests, which look for their neighbours on the path."""
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))


def commands(tree, seed):
    """Small programs are run, large ones compiled."""
    found = []
    generator = imported(tree / "test/cli", "random_programs")
    for index in range(RANDOM_PROGRAMS):
        text = generator.generate(seed, index).text
        for words in (["partition", "-"], ["explain", "-", "--json", *SUMMARY],
                      ["run", "-", "--json", "--outputs", "written/outputs"]):
            found.append(Command(f"made/random/{index}/{words[0]}", ("shardwise", *words), text))
    generator = imported(tree / "benchmarks/propagation", "programs")
    for kind in generator.KINDS:
        for variant in generator.VARIANTS:
            text, _ = generator.program(kind, variant, LARGE_OPS, seed)
            name = f"made/{kind}-{variant}"
            found += [Command(f"{name}/{words[0]}", ("shardwise", *words), text)
                      for words in (["partition", "-"], ["explain", "-", *SUMMARY],
                                    ["propagate", "-", "--conflicts"])]
            found.append(Command(f"{name}/sdy", ("shardwise-opt", "-sdy-propagation-pipeline"), text))
    return found
