# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A command line of the tools, and what it leaves behind: output, exit code, files.

A command runs in a folder of its own, in which `test` and `examples` are links to those of the source
tree; so the paths in its output are the same wherever it runs. What it writes goes to `written/`.
"""

import dataclasses
import functools
import hashlib
import os
import pathlib
import re
import shlex
import signal
import subprocess
import tempfile

LLVM_TOOLS = "/usr/lib/llvm-22/bin"  # split-file of the lit tests
TOOLS = ("shardwise", "shardwise-opt")
LINKED = ("examples", "test")
TIMEOUT_SECONDS = 60


@dataclasses.dataclass(frozen=True)
class Command:
    """`words` are a tool and its arguments, or one text for bash. Paths are relative to the tree."""

    name: str
    words: tuple
    stdin: str = ""
    is_script: bool = False
    timeout: int = TIMEOUT_SECONDS

    def text(self, bin_folder="", written="written"):
        """The command line for a shell."""
        if self.is_script:
            path = f"PATH={bin_folder}:{LLVM_TOOLS}:$PATH; " if bin_folder else ""
            text = f"({path}{self.words[0]})"
        else:
            tool = f"{bin_folder}/{self.words[0]}" if bin_folder else self.words[0]
            text = shlex.join([tool, *self.words[1:]])
        return re.sub(r"(?<![\w./])written\b", written, text)

    def renamed(self, renames):
        """The same with other names of flags, passes or options; words with a slash stay."""
        words = self.words
        for old, new in renames:
            dashes = "" if old.startswith("-") else "-{0,2}"
            # A word of letters, digits and dashes is a name as a whole, or not at all.
            pattern = re.compile(rf"(?<![\w/-])({dashes}){re.escape(old)}(?![\w/-])")
            words = tuple(pattern.sub(lambda found: found[1] + new, word) for word in words)
        return dataclasses.replace(self, words=words)

    def inputs(self, tree):
        """Files and folders of the tree that the command names."""
        words = re.split(r"[\s'\",]+", self.words[0]) if self.is_script else self.words[1:]
        words = {part for word in words for part in word.split(",") if "/" in part}
        return sorted(word for word in words if len(word) < 500 and (tree / word).exists())


def one_by_one(name, tool, *variants, **options):
    """A command for each of several lists of arguments, numbered by what is new in each."""
    return [Command(f"{name}/{label}", (tool, *map(str, words)), **options)
            for label, words in variants]


@functools.lru_cache(maxsize=None)
def digest(path):
    """Of the contents of a file, or of all files of a folder."""
    result = hashlib.sha256()
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        if file.is_file():
            result.update(f"{file.relative_to(path)}\0{file.stat().st_size}\0".encode())
            result.update(file.read_bytes())
    return result.hexdigest()


def run(command, bin_folder, tree, timeout=None):
    """What the command leaves behind: name of the output or file -> bytes, the path of the tools
    replaced by BIN."""
    timeout = timeout or command.timeout
    with tempfile.TemporaryDirectory(prefix="compare_builds.") as folder:
        scratch = pathlib.Path(folder)
        for name in LINKED:
            (scratch / name).symlink_to(tree / name)
        (scratch / "written").mkdir()
        outcome = run_in(scratch, command, bin_folder, timeout)
        if "timeout" not in outcome:
            for file in sorted(scratch.rglob("*")):  # does not enter links
                if file.is_file():
                    outcome[f"file {file.relative_to(scratch)}"] = file.read_bytes()
    path = str(bin_folder).encode()
    return {name: content.replace(path, b"BIN") for name, content in outcome.items()}


def run_in(scratch, command, bin_folder, timeout):
    """The same without the files that were written."""
    words = [bin_folder / command.words[0], *command.words[1:]]
    if command.is_script:
        words = ["bash", "-e", "-o", "pipefail", "-c", command.words[0]]
    environment = {name: value for name, value in os.environ.items() if "SHARDWISE" not in name}
    environment["PATH"] = f"{bin_folder}:{LLVM_TOOLS}:{environment.get('PATH', '')}"
    process = subprocess.Popen(words, cwd=scratch, env=environment, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    try:
        out, err = process.communicate(command.stdin.encode(), timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return {"timeout": b"did not end in time\n"}
    return {"stdout": out, "stderr": err, "exit code": b"%d\n" % process.returncode}


# Measured times; and the device that was first, where several stop for the same reason.
VARYING = [(re.compile(rb'("(?:compile|run|reference)_seconds": ?)[0-9.e+-]+'), rb"\1TIME"),
           (re.compile(rb"((?:compiled|ran|reference evaluator) in )[0-9.]+ s"), rb"\1TIME s"),
           (re.compile(rb"(error: rank )[0-9]+(: the loop at \S+ has not ended)"), rb"\1N\2")]
# The report of -mlir-timing.
TIMING = [(re.compile(rb"(?<![\w.])[0-9]+\.[0-9]+ \( *[0-9.]+%\)"), rb"TIME"),
          (re.compile(rb"(Total Execution Time: )[0-9.]+"), rb"\1TIME")]


def normalised(command, outcome):
    """The outcome without what varies from run to run."""
    rules = VARYING + (TIMING if any("-mlir-timing" in word for word in command.words) else [])
    for pattern, replacement in rules:
        outcome = {name: pattern.sub(replacement, content) if name in ("stdout", "stderr") else content
                   for name, content in outcome.items()}
    return outcome
