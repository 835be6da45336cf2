#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tools of two builds on every program, plan, pass and error of the source tree, and reports
every output, exit code and written file that is not byte-identical.

    scripts/compare_builds.py ../before/build/bin build/bin --cache /tmp/before

BEFORE and AFTER are folders with shardwise and shardwise-opt. Measured times and the path of the tools
are left out, nothing else. The last line is `N commands equal, M differ`; the exit code is 1 if some
differ.
"""

import argparse
import concurrent.futures
import difflib
import functools
import hashlib
import itertools
import os
import pathlib
import pickle
import sys
import time
import zlib

sys.dont_write_bytecode = True

from comparison import command, errors, made, passes, plans, programs  # noqa: E402  (after the line above)

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHOWN_LINES, SHOWN_COLUMNS, SHOWN_STDIN = 12, 150, 2000
PATIENCE = 3  # times the timeout, for the side that alone did not end in it


def renaming(text):
    old, separator, new = text.partition("=")
    if not (old and separator and new):
        raise argparse.ArgumentTypeError(f"expected OLD=NEW, got '{text}'")
    return old, new


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path, help="folder with the tools of the one build")
    parser.add_argument("after", type=pathlib.Path, help="the same of the other")
    parser.add_argument("--jobs", type=int, default=2, help="commands at a time (default 2)")
    parser.add_argument("--only", default="", metavar="SUBSTRING",
                        help="only commands with this in their name or text")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER",
                        help="write both outputs of what differs to this folder")
    parser.add_argument("--cache", type=pathlib.Path, metavar="FOLDER",
                        help="keep the outputs of BEFORE here, and take them from here")
    parser.add_argument("--rename", type=renaming, action="append", default=[], metavar="OLD=NEW",
                        help="a flag, pass or option that AFTER has another name for, as in "
                        "sdy-a=sdy-b or --rename=--top=--first")
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT, metavar="FOLDER",
                        help="source tree with the programs and tests (default: this one)")
    parser.add_argument("--also", type=pathlib.Path, action="append", default=[], metavar="FOLDER",
                        help="further programs, *.mlir below this folder")
    parser.add_argument("--sample", type=int, default=60,
                        help="conformance cases that every pass runs on (default 60)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default 1)")
    parser.add_argument("--show", type=int, default=50,
                        help="how many that differ are shown with a diff, others by name (default 50)")
    parser.add_argument("--list", action="store_true", help="show the commands, run nothing")
    options = parser.parse_args()
    for name in ("before", "after", "tree"):
        setattr(options, name, getattr(options, name).resolve())
    for folder, tool in itertools.product((options.before, options.after), command.TOOLS):
        if not os.access(folder / tool, os.X_OK):
            parser.error(f"{folder / tool} is no program")
    return options


def groups(options):
    """(name, commands) of all that is compared."""
    tree = options.tree
    yield "programs", programs.commands(tree)
    yield "plans", plans.commands(tree)
    yield "lit", passes.lit_commands(tree)
    yield "conformance", passes.conformance_commands(tree)
    yield "passes", passes.pass_commands(tree, options.before / "shardwise-opt", options.sample,
                                         options.seed)
    yield "driver", passes.driver_commands(tree, options.sample, options.seed)
    yield "made", made.commands(tree, options.seed)
    yield "errors", errors.commands(tree)
    yield "folders", programs.in_folders([folder.resolve() for folder in options.also])


class Cache:
    """Outcomes of the tools of one build, in files named after what went in."""

    def __init__(self, folder, bin_folder, tree):
        self.folder, self.tree = folder, tree
        self.tools = [command.digest(bin_folder / tool) for tool in command.TOOLS] if folder else []

    def path(self, item):
        inputs = [(name, command.digest(self.tree / name)) for name in item.inputs(self.tree)]
        key = repr((self.tools, item.words, item.stdin, item.is_script, item.timeout, inputs))
        name = hashlib.sha256(key.encode()).hexdigest()
        return self.folder / name[:2] / name

    def read(self, item):
        if self.folder and self.path(item).exists():
            return pickle.loads(zlib.decompress(self.path(item).read_bytes()))
        return None

    def write(self, item, outcome):
        if not self.folder:
            return
        path = self.path(item)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_bytes(zlib.compress(pickle.dumps(outcome), 1))
        part.replace(path)


class Comparison:
    """Runs commands on both sides."""

    def __init__(self, options):
        self.options, self.remarks = options, 0
        self.cache = Cache(options.cache, options.before, options.tree)

    def before(self, item, fresh=False, timeout=None):
        outcome = None if fresh else self.cache.read(item)
        if outcome is None:
            outcome = command.run(item, self.options.before, self.options.tree, timeout)
            self.cache.write(item, outcome)
        return command.normalised(item, outcome)

    def after(self, item, timeout=None):
        renamed = item.renamed(self.options.rename)
        return command.normalised(item, command.run(renamed, self.options.after, self.options.tree,
                                                    timeout))

    def __call__(self, item):
        """The command, what both sides left, and a remark."""
        before, after = self.before(item), self.after(item)
        # On a busy machine one side may be slow; it gets another chance.
        if "timeout" in before and "timeout" not in after:
            before = self.before(item, fresh=True, timeout=PATIENCE * item.timeout)
        elif "timeout" in after and "timeout" not in before:
            after = self.after(item, timeout=PATIENCE * item.timeout)
        return item, before, after, self.remark(item, before, after) if before != after else ""

    def remark(self, item, before, after):
        """Whether a side differs from itself, too."""
        self.remarks += 1
        if self.remarks > self.options.show or "timeout" in {**before, **after}:
            return ""
        if self.before(item, fresh=True) != before:
            return "BEFORE gives another output every time"
        return "AFTER gives another output every time" if self.after(item) != after else ""


def shown(line, other):
    """The line, or the part of it around the first difference to another."""
    if len(line) <= SHOWN_COLUMNS:
        return line
    same = len(os.path.commonprefix([line, other]))
    start = max(0, same - SHOWN_COLUMNS // 3) if same < len(line) else 0
    head, tail = "..." if start else "", "..." if start + SHOWN_COLUMNS < len(line) else ""
    return head + line[start:start + SHOWN_COLUMNS] + tail


def difference(before, after):
    """Lines that show how two outputs differ."""
    try:
        texts = [content.decode().splitlines() for content in (before, after)]
    except UnicodeDecodeError:
        texts = [[], []]
    if texts[0] == texts[1]:  # not text, or other ends of lines
        at = len(os.path.commonprefix([before, after]))
        return [f"{len(before)} and {len(after)} bytes, other from byte {at} on"]
    same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*texts)))
    removed, added = (text[same:same + 300] for text in texts)
    changes = [line for line in difflib.unified_diff(removed, added, n=0, lineterm="")][2:]
    lines, pairs = [f"line {same + 1}:"], {"-": [], "+": []}
    for line in changes:
        if line.startswith("@@"):
            pairs = {"-": [], "+": []}
            continue
        pairs[line[0]].append(line[1:])
        count = len(pairs["-" if line[0] == "+" else "+"])
        at = len(pairs[line[0]]) - 1
        partner = pairs["-"][at] if line[0] == "+" and at < count else ""
        if line[0] == "-" and at < len(added):
            partner = added[at]
        lines.append(line[0] + shown(line[1:], partner))
    more = len(lines) - SHOWN_LINES
    return lines[:SHOWN_LINES] + ([f"... {more} more lines"] if more > 0 else [])


class Report:
    """Prints what differs, and keeps it where wanted."""

    WRITTEN = "/tmp/written"

    def __init__(self, options):
        self.options, self.count = options, 0

    def kept(self, item):
        return self.options.keep.resolve() / item.name.replace("/", "_").replace(" ", "_")

    def stdin(self, item):
        """What has to follow the command line for its input."""
        if not item.stdin:
            return ""
        if self.options.keep:
            return f" < {self.kept(item) / 'stdin'}"
        if len(item.stdin) > SHOWN_STDIN:
            return " < STDIN  # --keep FOLDER writes the input"
        return f" <<'END'\n{item.stdin.rstrip()}\nEND"

    def reproduction(self, item):
        """A command line that shows the AFTER side."""
        item = item.renamed(self.options.rename)
        made = f" && mkdir -p {self.WRITTEN}" if "written" in item.text() else ""
        text = item.text(self.options.after, self.WRITTEN)
        return f"cd {self.options.tree}{made} && {text}{self.stdin(item)}"

    def add(self, item, before, after, remark):
        self.count += 1
        print(f"DIFFERS {item.name}{f' ({remark})' if remark else ''}", flush=True)
        if self.options.keep:
            self.keep(item, before, after)
        if self.count > self.options.show:
            return
        print(f"  $ {self.reproduction(item)}")
        for name in sorted({*before, *after}):
            if before.get(name) != after.get(name):
                only = "" if name in before and name in after else (
                    " (only BEFORE)" if name in before else " (only AFTER)")
                print(f"  {name}{only}:")
                for line in difference(before.get(name, b""), after.get(name, b"")):
                    print(f"    {line}")

    def keep(self, item, before, after):
        folder = self.kept(item)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "stdin").write_text(item.stdin)
        (folder / "command").write_text(self.reproduction(item) + "\n")
        for label, side in (("before", before), ("after", after)):
            (folder / label).mkdir(exist_ok=True)
            for name, content in side.items():
                (folder / label / name.replace("/", "_").replace(" ", "_")).write_bytes(content)


def compare_group(options, pool, compare, report, name, commands):
    """Runs a group; the counts of equal and different commands."""
    chosen = [item for item in commands if options.only in item.name or options.only in item.text()]
    if options.list:
        for item in chosen:
            print(f"{item.name}: {item.text()}")
        return len(chosen), 0
    start, known = time.time(), report.count
    for item, before, after, remark in pool.map(compare, chosen):
        if before != after:
            report.add(item, before, after, remark)
    differing = report.count - known
    if chosen:
        print(f"{name}: {len(chosen) - differing} equal, {differing} differ "
              f"({time.time() - start:.1f} s)", flush=True)
    return len(chosen) - differing, differing


def main() -> int:
    options = parse_options()
    print(f"sample of seed {options.seed}", flush=True)
    compare, report = Comparison(options), Report(options)
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        run = functools.partial(compare_group, options, pool, compare, report)
        counts = [run(name, commands) for name, commands in groups(options)]
    equal, differing = (sum(side) for side in zip(*counts))
    if options.list:
        return 0
    print(f"{equal} commands equal, {differing} differ")
    return 1 if differing or not equal else 0


if __name__ == "__main__":
    sys.exit(main())
