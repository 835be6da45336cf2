# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every program of examples and tests through every command that takes a program."""

from .command import Command

SUMMARY = ("--top", "0")
FINITE = ("--max-iterations", "1000")  # loops of random programs need not end


def variants(path):
    """(label, arguments) of the commands that compile a program."""
    return [("partition", ["partition", path]),
            ("propagate", ["propagate", path]),
            ("conflicts", ["propagate", path, "--conflicts"]),
            ("explain", ["explain", path, *SUMMARY]),
            ("explain-json", ["explain", path, "--json", *SUMMARY]),
            ("explain-all", ["explain", path, "--all", *SUMMARY])]


def running(folder, path, evaluates):
    """(label, arguments) of the commands that run a program, with the inputs of its folder."""
    values = ["--inputs", f"{folder}/inputs"] if folder else ["--seed", "3"]
    expected = ["--expect", f"{folder}/outputs"] if folder else []
    written = ["--outputs", "written/outputs"]
    found = [("run", ["run", path, *values, *expected, "--conflicts"]),
             ("run-json", ["run", path, "--json", *values, *expected, *written]),
             ("run-seed", ["run", path, "--json", "--seed", "7", *FINITE]),
             ("run-no-verify", ["run", path, "--no-verify", *values, *written])]
    if evaluates:
        found += [("eval", ["eval", path, *values, *expected]),
                  ("eval-json", ["eval", path, "--json", *values, *written]),
                  ("eval-both", ["eval", path, *values, *expected, "--evaluator", "both"]),
                  ("eval-reference", ["eval", path, "--json", *values, *written, "--evaluator",
                                      "reference"])]
    return found


def of_tree(tree):
    """Paths of the models, relative to the tree."""
    found = [*tree.glob("examples/*/model.mlir"), *tree.glob("test/programs/**/*.mlir")]
    return sorted(str(path.relative_to(tree)) for path in found)


def commands(tree):
    """The commands of all models."""
    found = []
    for path in of_tree(tree):
        folder = path.rsplit("/", 1)[0]
        has_inputs = (tree / folder / "inputs").is_dir()
        for label, words in variants(path) + running(folder if has_inputs else "", path, True):
            if not (tree / folder / "outputs").is_dir() and "--expect" in words:
                at = words.index("--expect")
                words = words[:at] + words[at + 2:]
            found.append(Command(f"programs/{folder}/{label}", ("shardwise", *words)))
    return found


def driver_on(paths, group, runs):
    """The commands that compile a program, and if `runs` one that runs it, on programs that were made
    for single passes."""
    found = []
    for path in paths:
        chosen = [entry for entry in variants(path) if entry[0] in ("partition", "propagate")]
        chosen.append(("explain", ["explain", path, "--all", "--json", *SUMMARY]))
        if runs:
            chosen.append(("run", ["run", path, "--json", "--seed", "3", *FINITE]))
        found += [Command(f"{group}/{path}/{label}", ("shardwise", *words), timeout=20)
                  for label, words in chosen]
    return found


def in_folders(folders):
    """Programs of further folders through `run`, `explain` and `partition`."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*.mlir")):
            for words in (["run", path, "--json", "--seed", "3", *FINITE],
                          ["explain", path, *SUMMARY], ["partition", path]):
                found.append(Command(f"folders/{path}/{words[0]}", ("shardwise", *map(str, words)),
                                     timeout=20))
    return found
