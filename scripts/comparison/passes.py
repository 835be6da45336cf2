# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit suite, the conformance cases, every pipeline and every pass."""

import random
import re
import shlex
import subprocess

from . import programs
from .command import Command

PIPELINES = ("sdy-import-pipeline", "sdy-propagation-pipeline", "sdy-export-pipeline",
             "shardwise-propagation-pipeline", "shardwise-partition-pipeline")
# Where lit does not look, as in test/lit.cfg.py.
EXCLUDED = {"Inputs", "cli", "conformance", "fuzz", "programs"}
CHECKER = re.compile(r"\|\s*(?:FileCheck|diff|count|not)\b")
TOOL = re.compile(r"(?:^|\|\s*|not (?:--crash )?)shardwise(?:-opt)?\s")


def run_lines(path):
    """The RUN lines of a lit test, continued ones joined."""
    lines, is_open = [], False
    for found in re.findall(r"RUN:\s*(.*?)\s*$", path.read_text(), re.MULTILINE):
        text = found.removesuffix("\\")
        if is_open:
            lines[-1] += text
        else:
            lines.append(text)
        is_open = found.endswith("\\")
    return lines


def lit_commands(tree):
    """The tools' part of every RUN line, after the lines that prepare its files."""
    found = []
    for path in sorted([*tree.glob("test/**/*.mlir"), *tree.glob("test/**/*.test")]):
        relative = path.relative_to(tree)
        if EXCLUDED & set(relative.parts):
            continue
        before = []
        for number, line in enumerate(run_lines(path)):
            for pattern, text in ((r"%t\b", "written/t"), (r"%s\b", str(relative)),
                                  (r"%S\b", str(relative.parent)), (r"%examples\b", "examples")):
                line = re.sub(pattern, text, line)
            line = CHECKER.split(line)[0].strip()
            if TOOL.search(line):
                script = "\n".join([*before, line.removeprefix("not ")])
                found.append(Command(f"lit/{relative}/{number}", (script,), is_script=True))
            elif not line.startswith("FileCheck"):
                before.append(line)
    return found


def conformance_inputs(tree):
    """Paths of all cases, relative to the tree."""
    return sorted(str(path.relative_to(tree)) for path in tree.glob("test/conformance/*/*.mlir"))


def conformance_commands(tree):
    """Every case with its own flags, and through all pipelines."""
    found = []
    for path in conformance_inputs(tree):
        first = (tree / path).read_text().split("\n", 1)[0]
        flags = shlex.split(first.removeprefix("// RUN-ARGS:"))
        found.append(Command(f"{path}/own", ("shardwise-opt", *flags, path)))
        found += [Command(f"{path}/{name}", ("shardwise-opt", f"-{name}", path)) for name in PIPELINES]
        if "/roundtrip/" in path:
            found.append(Command(f"{path}/bytecode", ("shardwise-opt", "-emit-bytecode", path)))
        if "/invalid/" not in path:
            found.append(Command(f"{path}/both", ("shardwise-opt", f"-{PIPELINES[3]}",
                                                  f"-{PIPELINES[4]}", path)))
    return found


def listed_passes(opt):
    """Passes and pipelines in the help of `opt`."""
    text = subprocess.run([opt, "--help"], capture_output=True, text=True, check=True).stdout
    section = text[text.index("Compiler passes to run"):]
    names = re.findall(r"^ {6}--([\w-]+)(?= |=|$)", section, re.MULTILINE)
    if len(names) < 10:
        raise ValueError(f"{opt} --help lists only these passes: {names}")
    return names


def pass_commands(tree, opt, sample, seed):
    """Every pass on the examples and on `sample` cases as they are; on half as many after propagation,
    as the passes behind it get them."""
    cases = [path for path in conformance_inputs(tree) if "/invalid/" not in path]
    examples = programs.of_tree(tree)
    found = []
    for name in listed_passes(opt):
        rng = random.Random(f"{seed} {name}")
        alone = rng.sample(cases, min(sample, len(cases))) + examples
        later = rng.sample(cases, min(sample // 2, len(cases))) + examples
        found += [Command(f"passes/{name}/{path}", ("shardwise-opt", f"-{name}", path))
                  for path in alone]
        found += [Command(f"passes-later/{name}/{path}",
                          ("shardwise-opt", "-sdy-propagation-pipeline=avoid-export-for-partitioning=true",
                           f"-{name}", path)) for path in later]
    return found


def driver_commands(tree, sample, seed):
    """Cases of every folder through the driver, a part of them run."""
    cases = [path for path in conformance_inputs(tree) if "/invalid/" not in path]
    rng = random.Random(f"{seed} driver")
    chosen = rng.sample(cases, min(4 * sample, len(cases)))
    return (programs.driver_on(chosen[:sample], "driver", runs=True) +
            programs.driver_on(chosen[sample:], "driver", runs=False))
