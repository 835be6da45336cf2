#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a tool with a living reference, the sdy passes of jaxlib, on fresh random programs.

    live.py --opt PATH/TO/shardwise-opt [--python PYTHON_WITH_JAXLIB] [--folders rules,basic,...]
            [--count 1000] [--seed N] [-j N] [--minimize] [--keep DIR]
    live.py --opt PATH/TO/shardwise-opt --seed N --program basic/17 --minimize --verbose
    live.py --opt PATH/TO/shardwise-opt --time FILE.mlir [--passes "-sdy-propagation-pipeline"]

Exit status: 0 if all programs agree, 1 if some differ, 2 if nothing could be compared.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import itertools
import json
import os
import random
import re
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import generator
import minimize
import run

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = [name for name in generator.GENERATORS if name != "large"]
# What debug-sharding-origins prints for an axis that comes from an op, if it does not crash.
NAMELESS_ORIGIN = '= ": '
# What the tool then calls that op; the reference may also print the name of something else.
ANNOTATED_OP = 'sdy.sharding_origin_name = "op_'
ATTEMPTS = 80  # until a program without features that the reference lacks is found


# --------------------------------------------------------------------------------------
# The reference
# --------------------------------------------------------------------------------------

class NoAnswer(Exception):
    """The reference has no result to compare with; the text says why."""


class Reference:
    """A jaxlib process that runs one program after the other and is restarted when it dies."""

    def __init__(self, python, timeout=run.TIMEOUT_SECONDS):
        self.python, self.timeout = python, timeout
        self.process = None
        self.version = self.start()

    def start(self):
        """Starts the process and returns the version of jaxlib."""
        self.process = subprocess.Popen(
            [self.python, os.path.join(HERE, "jaxlib_opt.py"), "--serve"], encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True)
        hello = self.process.stdout.readline()
        if not hello:
            raise OSError("%s cannot run the reference; it needs the package jaxlib "
                          "(pip install jaxlib), see --python" % self.python)
        return json.loads(hello)["jaxlib"]

    def kill(self):
        """Ends the process, and what it may have started where --python is a wrapper."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def close(self):
        if self.process:
            self.kill()
            self.process.communicate()
            self.process = None

    def ask(self, **request):
        """The reply to one request, see jaxlib_opt.py; raises NoAnswer."""
        if not self.process:
            self.start()
        expired = threading.Event()
        timer = threading.Timer(self.timeout or threading.TIMEOUT_MAX,
                                lambda: (expired.set(), self.kill()))
        timer.start()
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            reply = self.process.stdout.readline()
        except BrokenPipeError:
            reply = ""
        finally:
            timer.cancel()
        if reply.endswith("\n"):
            return json.loads(reply)
        self.close()
        raise NoAnswer("takes over %d s" % self.timeout if expired.is_set() else "crashes")

    def run(self, flags, text, path="program.mlir"):
        """The finished run of one program."""
        reply = self.ask(flags=flags, text=text, path=path)
        if reply["returncode"] == 2:
            raise NoAnswer("has no such pass")
        return subprocess.CompletedProcess(flags, **reply)


# --------------------------------------------------------------------------------------
# Programs
# --------------------------------------------------------------------------------------

def beyond_reference(program):
    """Whether the program depends on what jaxlib 0.10.2 does not have: reshards from and to
    maximal shardings, and the kind of a reduction in the generic form."""
    if "<[], device_ids=[" in program.text:
        return "-sdy-propagation-pipeline" in program.args or "explicit-reshards" in program.args
    return program.generic and re.search(r"sdy\.(all_reduce|reduce_scatter) ", program.text)


def only_sums(text):
    """The text with every reduction a sum: jaxlib 0.10.2 reads no other kind, nor the word."""
    text = re.sub(r"unreduced(?:=\w+)?\{", "unreduced={", text)
    return re.sub(r"(sdy\.(?:all_reduce|reduce_scatter)) (?:sum|max|min) ", r"\1 ", text)


def without_manual_priorities(text):
    """The text without the priorities of closed dimensions that have only manual axes. In the body
    nothing is left of such a dimension, and jaxlib 0.10.2 rejects the edge that it makes of it."""
    def line_without(line):
        manual = re.search(r"manual_axes=\{([^}]*)\}", line)
        if not manual:
            return line
        names = set(re.findall(r'"([^"]+)"', manual.group(1)))

        def dimension(match):
            is_manual = set(re.findall(r'"([^"]+)"', match.group(1))) <= names
            return match.group(1) if is_manual else match.group(0)

        return re.sub(r"(\{[^{}?]*\})p\d+", dimension, line)

    return "\n".join(line_without(line) for line in text.split("\n"))


def stumbles_over_kind(program, result):
    """Whether the line of the reference's error is one that jaxlib 0.10.2 cannot read because of
    the kind of a reduction: it stops there, before the mistake the program was made for."""
    match = re.fullmatch(r"error (\d+)", result[0]) if result else None
    lines = program.case().splitlines()
    if not match or int(match.group(1)) > len(lines):
        return False
    line = lines[int(match.group(1)) - 1]
    return only_sums(line) != line


def axes_into_manual(text):
    """Of each manual computation, the axes of each dimension list of each in_sharding: sets of `(computation,
    operand, axis)`, an axis as it is written."""
    found = set()
    for number, one in enumerate(re.findall(r"sdy\.manual_computation ?\([^)]*\) in_shardings=\[(.*?)\] out_shardings=",
                                            text)):
        for operand, dims in enumerate(re.findall(r"<@\w+, \[(.*?)\](?:, [a-z]+=\{[^}]*\})*>", one)):
            found |= {(number, operand, axis) for axis in re.findall(r'"\w+"(?::\(\d+\)\d+)?', dims)}
    return found


def loses_annotated_axis(program, expected, actual):
    """Whether the reference takes an annotated axis from a value that enters a manual computation. Where a step brings a
    manual axis behind a free one, as `"expert", "data"` with manual `"data"`, it stores what is before no axis at all; the
    tool stores only what a value gains (shardwise/transforms/propagate/Worklist.cpp)."""
    kept = axes_into_manual(program.text) & axes_into_manual("\n".join(actual))
    lost = kept - axes_into_manual("\n".join(expected))
    ones = set(re.findall(r'("\w+")=1\b', program.text))
    return any(axis.split(":")[0] not in ones for _, _, axis in lost)


def fresh_program(folder, index, seed, as_generated):
    """The program with this index, by default in a form that jaxlib 0.10.2 can judge."""
    program = generator.program(folder, index, seed)
    if as_generated or program.mode == "error" or program.verdict is not None:
        return program
    for attempt in itertools.count(1):
        if not beyond_reference(program) or attempt == ATTEMPTS:
            text = without_manual_priorities(only_sums(program.text))
            return dataclasses.replace(program, text=text)
        program = generator.program(folder, index, seed, attempt)


def without_debug_options(program):
    """The program without the options that make passes record what they do: with them, the reference
    often crashes or records nonsense."""
    def plain(flag):
        name, _, options = flag.partition("=")
        kept = [o for o in options.split() if not re.match(r"(sink-)?debug-", o)]
        return "%s=%s" % (name, " ".join(kept)) if kept else name

    if "debug-" not in program.args:
        return program
    return dataclasses.replace(program, args=join_flags(map(plain, shlex.split(program.args))))


def join_flags(flags):
    """Flags as in RUN-ARGS: options with blanks in double quotes."""
    return " ".join(re.sub(r"=(.* .*)", r'="\1"', flag) for flag in flags)


# --------------------------------------------------------------------------------------
# Comparison
# --------------------------------------------------------------------------------------

@dataclasses.dataclass
class Outcome:
    """Both results for one program."""

    expected: list
    actual: list
    error: str = ""  # what the reference reports, in mode error

    @property
    def differs(self):
        return self.expected != self.actual

    @property
    def kind(self):
        """What a smaller program must have in common to show the same difference."""
        first = self.actual[0] if self.actual and self.actual[0].startswith("<") else ""
        return re.sub(r"'[^']*'|\"[^\"]*\"|\d+", "_", first), self.error


class Comparer:
    """Runs programs through the reference and the tool; one per thread."""

    def __init__(self, opt, reference, directory, as_generated):
        self.opt, self.reference, self.as_generated = opt, reference, as_generated
        self.path = os.path.join(directory, "%d.mlir" % id(self))

    def generic_form(self, program):
        done = self.reference.run(["-mlir-print-op-generic"], program.text)
        if done.returncode:
            raise NoAnswer("rejects the program")
        return dataclasses.replace(program, text=done.stdout, generic=False)

    def expected(self, program):
        """The normalised result that the program must have, and the reference's message in mode
        error. It is the reference's, or the verdict that the program came with."""
        if program.verdict is not None:
            return program.verdict, ""
        done = self.reference.run(shlex.split(program.args), program.case())
        try:
            result = run.normalise(done, program.mode)
        except (ValueError, IndexError):
            raise NoAnswer("prints what is not understood") from None
        if result and result[0].startswith("<"):
            raise NoAnswer("%s the program" % ("rejects" if done.returncode else "accepts"))
        if any("sdy.sharding_origins" in line and NAMELESS_ORIGIN in line for line in result):
            raise NoAnswer("prints an origin without a name")
        message = done.stderr.partition("error:")[2].partition("\n")[0]
        return result, message if program.mode == "error" else ""

    def compare(self, program):
        """The outcome for one program; raises NoAnswer."""
        expected, error = self.expected(program)
        with open(self.path, "w", encoding="utf-8") as f:
            f.write(program.case())
        outcome = Outcome(expected, run.observe(self.opt, self.path), error)
        if outcome.differs and any(ANNOTATED_OP in line for line in outcome.actual):
            raise NoAnswer("has no name for an annotated op")
        if (outcome.differs and program.mode == "error" and not self.as_generated
                and stumbles_over_kind(program, expected)):
            raise NoAnswer("does not read the kind of a reduction")
        if outcome.differs and loses_annotated_axis(program, expected, outcome.actual):
            raise NoAnswer("loses an axis that was annotated")
        return outcome

    def confirm(self, program, outcome):
        """Asks again in new processes: some crashes of the reference come and go, most of them
        with a debug option."""
        for _ in range(5 if "debug-" in program.args else 1):
            self.reference.close()
            if self.expected(program)[0] != outcome.expected:
                raise NoAnswer("gives different results")

    def minimized(self, program, outcome):
        """A smaller program with a difference of the same kind, and its outcome."""
        def variant(args, text):
            return dataclasses.replace(program, args=join_flags(args), text=text)

        def interesting(args, text):
            try:
                found = self.compare(variant(args, text))
            except NoAnswer:
                return False
            return found.differs and found.kind == outcome.kind

        small = variant(*minimize.minimize(shlex.split(program.args), program.text, interesting))
        return small, self.compare(small)


class Campaign:
    """The programs of one call, their counts and what is printed about them."""

    def __init__(self, options):
        self.options = options
        self.counts = {}  # folder -> Counter of passed, failed, skipped
        self.reasons = collections.Counter()
        self.undebugged = 0  # programs that the reference answers only without their debug options
        self.lock = threading.Lock()
        self.stopped = False
        self.programs = iter(self.numbers())

    def numbers(self):
        """(folder, index) of all programs, the folders in turn."""
        if self.options.program:
            folder, _, index = self.options.program.partition("/")
            return [(folder, int(index))]
        folders = self.options.folders
        return ((folders[i % len(folders)], i // len(folders)) for i in range(self.options.count))

    def total(self, what):
        return sum(counts[what] for counts in self.counts.values())

    def count(self, folder, what):
        self.counts.setdefault(folder, collections.Counter())[what] += 1
        limit = self.options.max_failures
        self.stopped |= what == "failed" and bool(limit) and self.total("failed") >= limit

    def say(self, text):
        """Prints a line, in place of the progress line on a terminal."""
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        print(text, flush=True)

    def progress(self):
        if sys.stderr.isatty():
            done = sum(sum(counts.values()) for counts in self.counts.values())
            print("\r\033[K%d programs, %d differ" % (done, self.total("failed")), end="",
                  file=sys.stderr, flush=True)

    def work(self, comparer):
        """Takes programs until none is left."""
        while True:
            with self.lock:
                number = None if self.stopped else next(self.programs, None)
            if number is None:
                return
            self.one(comparer, *number)

    def one(self, comparer, folder, index):
        program = fresh_program(folder, index, self.options.seed, self.options.as_generated)
        try:
            try:
                program, outcome, small = self.outcome(comparer, program)
            except NoAnswer:
                plain = without_debug_options(program)
                if plain == program:
                    raise
                program, outcome, small = self.outcome(comparer, plain)
                with self.lock:
                    self.undebugged += 1
        except NoAnswer as reason:
            self.skipped(folder, index, str(reason))
            return
        with self.lock:
            self.count(folder, "failed" if outcome.differs else "passed")
            if outcome.differs:
                self.failed("%s/%d" % (folder, index), program, outcome, small)
            self.progress()

    def outcome(self, comparer, program):
        """The program as it was compared, its outcome, and a smaller one with its outcome if they
        differ and that is asked for."""
        if program.generic:
            program = comparer.generic_form(program)
        outcome, small = comparer.compare(program), None
        if outcome.differs:
            comparer.confirm(program, outcome)
            # A verdict names lines: it is that of the whole program only.
            if self.options.minimize and program.verdict is None:
                small = comparer.minimized(program, outcome)
        return program, outcome, small

    def skipped(self, folder, index, reason):
        with self.lock:
            self.count(folder, "skipped")
            self.reasons[reason] += 1
            if self.options.verbose:
                self.say("SKIP %s/%d: the reference %s" % (folder, index, reason))
            self.progress()

    def failed(self, label, program, outcome, small):
        self.say("FAIL %s %s" % (label, program.label))
        if self.options.verbose:
            shown = small[1] if small else outcome
            for line in run.short_diff(shown.expected, shown.actual):
                self.say("    " + line)
        if self.options.keep:
            name = "%s/%d_%s_%s" % (os.path.dirname(label), self.options.seed,
                                    os.path.basename(label), re.sub(r"\W+", "_", program.label))
            keep(self.options.keep, name, program, outcome)
            if small:
                keep(self.options.keep, name + "_min", *small)
        elif small:
            self.say(small[0].case())

    def summary(self):
        for folder, counts in sorted(self.counts.items()):
            skipped = ", %d skipped" % counts["skipped"] if counts["skipped"] else ""
            self.say("%-24s %d/%d%s" % (folder, counts["passed"],
                                        counts["passed"] + counts["failed"], skipped))
        if self.undebugged:
            self.say("compared without their debug options: %d" % self.undebugged)
        for reason, number in self.reasons.most_common():
            self.say("skipped: the reference %s: %d" % (reason, number))
        self.say("%d passed, %d failed, %d skipped" % tuple(
            self.total(what) for what in ("passed", "failed", "skipped")))


def keep(directory, name, program, outcome):
    """Writes a case in the format of the corpus."""
    base = os.path.join(directory, name)
    os.makedirs(os.path.dirname(base), exist_ok=True)
    expected = "".join(line + "\n" for line in outcome.expected)
    for suffix, text in ((".mlir", program.case()), (".expected", expected)):
        with open(base + suffix, "w", encoding="utf-8") as f:
            f.write(text)


def compare_programs(options):
    """Runs a campaign and returns the exit status."""
    campaign = Campaign(options)
    references = [Reference(options.python) for _ in range(max(1, options.jobs))]
    print("seed %d, jaxlib %s" % (options.seed, references[0].version), flush=True)
    with tempfile.TemporaryDirectory(prefix="live") as directory:
        with concurrent.futures.ThreadPoolExecutor(len(references)) as pool:
            futures = [pool.submit(campaign.work,
                                   Comparer(options.opt, reference, directory,
                                            options.as_generated))
                       for reference in references]
            try:
                for future in futures:
                    future.result()
            except KeyboardInterrupt:
                pass  # count what is done
            finally:
                campaign.stopped = True
    for reference in references:
        reference.close()
    campaign.summary()
    if campaign.total("failed"):
        return 1
    return 0 if campaign.total("passed") else 2


# --------------------------------------------------------------------------------------
# Timing
# --------------------------------------------------------------------------------------

def measure(command):
    """(seconds, peak memory in MiB) of one run of a command."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise OSError("exit status %d: %s" % (process.returncode, shlex.join(command)))
    return seconds, usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def time_side_by_side(options):
    """Prints the times of the reference and the tool on one file, and their ratio."""
    with open(options.time, encoding="utf-8") as f:
        text = f.read()
    flags = shlex.split(options.passes)
    reference = Reference(options.python, timeout=None)
    theirs, ours = {"parse": [], "passes": []}, {"parse": [], "passes": []}
    for _ in range(options.repetitions):  # in turn, so that both meet the same machine
        reply = reference.ask(flags=flags, text=text, path=options.time, repetitions=1)
        if "error" in reply:
            raise OSError(reply["error"])
        base = theirs.setdefault("base", reply["rss_before"])
        theirs["rss"] = reply["rss"]
        parse, _ = measure([options.opt, options.time])
        whole, peak = measure([options.opt] + flags + [options.time])
        ours["rss"] = max(peak, ours.get("rss", 0))
        for side, seconds in ((theirs, (reply["parse"][0], reply["passes"][0])),
                              (ours, (parse, whole - parse))):
            side["parse"].append(seconds[0])
            side["passes"].append(seconds[1])
    reference.close()
    print("%-24s %12s %12s %14s" % ("median of %d" % options.repetitions, "parse+print s",
                                    "passes s", "peak RSS MiB"))
    rows = [(statistics.median(side["parse"]), statistics.median(side["passes"]), side["rss"])
            for side in (theirs, ours)]
    for name, row in zip(("jaxlib " + reference.version, os.path.basename(options.opt)), rows):
        print("%-24s %12.3f %12.3f %14.0f" % ((name,) + row))
    print("%-24s %12.2f %12.2f %14.2f" % (("jaxlib / tool",) + tuple(
        a / b if b > 0 else float("inf") for a, b in zip(*rows))))
    print("jaxlib's memory includes %.0f MiB taken before the file was read" % base)
    return 0


# --------------------------------------------------------------------------------------
# Command line
# --------------------------------------------------------------------------------------

def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add = parser.add_argument
    add("--opt", required=True, help="tool under test")
    add("--python", default=sys.executable, help="Python that has jaxlib (default: this one)")
    add("--folders", default=",".join(FOLDERS), help="kinds of programs (default: all but large)")
    add("--count", type=int, default=1000,
        help="programs in all, the folders in turn (default: 1000)")
    add("--seed", type=int, help="default: a random one, which is printed")
    add("--program", metavar="FOLDER/INDEX", help="only this program of the seed")
    add("-j", type=int, default=os.cpu_count() or 1, dest="jobs", help="programs at a time")
    add("--max-failures", type=int, metavar="N", help="stop after N differences")
    add("--minimize", action="store_true", help="shrink the programs that differ")
    add("--keep", metavar="DIR",
        help="write the programs that differ, as a corpus for run.py --dir")
    add("--as-generated", action="store_true",
        help="also features that jaxlib 0.10.2 lacks, for a newer jaxlib")
    add("--verbose", action="store_true",
        help="show a short diff per difference, and what is skipped")
    add("--time", metavar="FILE", help="time both on this file instead")
    add("--passes", default="-sdy-propagation-pipeline", help="what to time (default: %(default)s)")
    add("--repetitions", type=int, default=5, help="of the timing (default: 5)")
    arguments = sys.argv[1:]
    if "--passes" in arguments[:-1]:  # its value looks like a flag
        at = arguments.index("--passes")
        arguments[at:at + 2] = ["--passes=" + arguments[at + 1]]
    options = parser.parse_args(arguments)
    if not os.access(options.opt, os.X_OK):
        parser.error("--opt: cannot run %s" % options.opt)
    options.folders = [f for f in options.folders.split(",") if f]
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 31)
    named = options.folders + ([options.program.partition("/")[0]] if options.program else [])
    for folder in named:
        if folder not in generator.GENERATORS:
            parser.error("no folder %s; there are %s" % (folder, ", ".join(generator.GENERATORS)))
    if options.program and not options.program.partition("/")[2].isdigit():
        parser.error("--program is FOLDER/INDEX, such as basic/17")
    return options


def main():
    options = parse_arguments()
    try:
        return time_side_by_side(options) if options.time else compare_programs(options)
    except (OSError, NoAnswer) as error:
        print("error: %s" % error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
