# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Help, wrong usage, refused programs, and the programs that are texts in the tests."""

from .command import Command
from .programs import FINITE, SUMMARY
from .test_modules import load, programs

# Tests with programs as texts.
MODULES = ["cli/test_eval", "cli/test_explain", "cli/test_more_programs", "tools/test_lsp_server",
           "tools/test_opt_files", "tools/test_sdy_bytecode"]


def help_texts():
    """Help and version of both tools."""
    commands = ["run", "eval", "propagate", "partition", "explain", "plan"]
    found = [Command(f"help/{name}", ("shardwise", name, "--help")) for name in commands]
    return found + [Command("help/shardwise", ("shardwise", "--help")),
                    Command("help/version", ("shardwise", "--version")),
                    Command("help/opt", ("shardwise-opt", "--help")),
                    Command("help/opt-dialects", ("shardwise-opt", "--show-dialects")),
                    Command("help/opt-hidden", ("shardwise-opt", "--help-hidden"))]


def of_text(name, text):
    """The commands that a program given as text goes through."""
    forms = [["run", "-", "--seed", "3", "--conflicts", *FINITE], ["propagate", "-", "--conflicts"],
             ["partition", "-"], ["explain", "-", "--all", *SUMMARY],
             ["explain", "-", "--json", *SUMMARY], ["eval", "-", "--seed", "3"]]
    return [Command(f"{name}/{words[0]}{'-json' if '--json' in words else ''}",
                    ("shardwise", *words), text, timeout=10) for words in forms]


def commands(tree):
    """All of it."""
    found = help_texts()
    module = load(tree / "test/cli/test_errors.py")
    for name, (text, *_) in module.REFUSED.items():
        found += of_text(f"refused/{name}", text)
    for number, words in enumerate(module.cases("arguments")):
        found.append(Command(f"usage/{number}", ("shardwise", *words)))
    for module in MODULES:
        for number, text in enumerate(programs(tree / f"test/{module}.py")):
            found += of_text(f"texts/{module}/{number}", text)
    return found
