#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the conformance cases against a tool and compares with the recorded results.

    run.py --opt PATH [--filter GLOB] [--dir DIR] [--known FILE] [-j N] [--verbose]

The case format and the normalisation are described in README.md.  `normalise` is also what
the recorder of the expectations and live.py use, so both sides of a comparison pass through
the same code.
"""

import argparse
import concurrent.futures
import difflib
import fnmatch
import os
import re
import shlex
import subprocess
import sys

TIMEOUT_SECONDS = 20

# --------------------------------------------------------------------------------------
# Reading printed IR
# --------------------------------------------------------------------------------------

SSA = re.compile(r"%[\w.$-]+(?:[#:]\d+)?")
OP_START = re.compile(
    r'^(?P<results>%[\w.$-]+(?::\d+)?(?:, %[\w.$-]+(?::\d+)?)* = )?'
    r'(?:"(?P<quoted>[\w]+\.[\w.$]+)"|(?P<plain>[A-Za-z_]\w*(?:\.[\w$]+)*))(?=[\s(<]|$)')
# Ops that print without their dialect prefix inside a func.func or module.
SHORT_NAMES = {"module": "builtin.module", "return": "func.return", "call": "func.call"}


class Op:
    """One printed operation: its own text (regions cut out) and the ops inside it."""

    def __init__(self, name, results, text):
        self.name = name
        self.results = results  # SSA names without '%' and without ':N'
        self.text = text
        self.children = []


def parse_ops(printed):
    """Splits printed IR into a tree of ops.

    Relies on two properties of MLIR's printer: every op starts a new line, and a line
    ends in '{' exactly if it opens a region.  Attributes printed before and after a
    region both end up in the op's own text, so custom and generic forms read alike.
    """
    top = Op("", [], "")
    stack = [top]
    for raw in printed.splitlines():
        line = raw.strip()
        if not line or line.startswith("//") or line.startswith("^"):
            continue
        if line.startswith("}") and len(stack) > 1:
            op = stack.pop()
            rest = line[1:].strip()
            opens = rest.endswith("{")
            op.text += " " + (rest[:-1] if opens else rest).strip()
            if opens:
                stack.append(op)
            continue
        match = OP_START.match(line)
        name = (match.group("quoted") or match.group("plain")) if match else ""
        if name in SHORT_NAMES:
            name = SHORT_NAMES[name]
        opens = line.endswith("{")
        if "." not in name:  # continuation such as 'cond {' or 'reducer(...) {'
            if stack[-1].children:
                op = stack[-1].children[-1]
                op.text += " " + (line[:-1] if opens else line).strip()
                if opens:
                    stack.append(op)
            continue
        results = [r.strip().lstrip("%").split(":")[0]
                   for r in (match.group("results") or "").replace("=", "").split(",") if r.strip()]
        text = line[match.end():]
        op = Op(name, results, (text[:-1] if opens else text).strip())
        stack[-1].children.append(op)
        if opens:
            stack.append(op)
    return top


def scan_value(text, start, stop_at_comma=True):
    """Returns the end of the attribute value at `start`: the next closing bracket or, if
    wanted, ',' at depth zero."""
    depth, i, quoted = 0, start, False
    while i < len(text):
        c = text[i]
        if quoted:
            if c == "\\":
                i += 1
            elif c == '"':
                quoted = False
        elif c == '"':
            quoted = True
        elif text.startswith("->", i):
            i += 1
        elif c in "([{<":
            depth += 1
        elif c in ")]}>":
            if depth == 0:
                return i
            depth -= 1
        elif c == "," and depth == 0 and stop_at_comma:
            return i
        i += 1
    return i


SDY_ATTR = re.compile(r'(?<![\w.$"#@])sdy\.(\w+) = ')
# Notes that passes leave for later passes; not compared.
BOOKKEEPING = ("original_func_name", "func_manual_axes")


def sdy_attrs(text):
    """All 'sdy.NAME = VALUE' of a text, sorted by name, each as one string."""
    found, pos = [], 0
    while True:
        match = SDY_ATTR.search(text, pos)
        if not match:
            return sorted(found, key=lambda a: a.split(" = ")[0])
        end = scan_value(text, match.end())
        if match.group(1) not in BOOKKEEPING:
            found.append("sdy.%s = %s" % (match.group(1), squeeze(text[match.end():end])))
        pos = end


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip()


def split_top(text):
    """Splits at commas of depth zero."""
    parts, pos = [], 0
    while pos < len(text):
        end = scan_value(text, pos)
        parts.append(text[pos:end].strip())
        pos = end + 1
    return [p for p in parts if p]


# --------------------------------------------------------------------------------------
# Items
# --------------------------------------------------------------------------------------

CONSTANT_PRESERVING = set("""abs add and atan2 cbrt ceil clamp compare complex convert cosine
count_leading_zeros divide exponential exponential_minus_one floor imag is_finite log
log_plus_one logistic maximum minimum multiply negate not or popcnt power real
reduce_precision remainder round_nearest_afz round_nearest_even rsqrt select shift_left
shift_right_arithmetic shift_right_logical sign sine sqrt subtract tan tanh xor
broadcast_in_dim reshape slice""".split())


def is_constant_expression(op, constants):
    """Constants, iota, broadcasts of rank-0 values, and pure shape or element-wise ops on
    nothing but those: their place in the program carries no meaning."""
    dialect, _, short = op.name.partition(".")
    if op.name == "sdy.constant":
        return True
    if dialect != "stablehlo":
        return False
    if short in ("constant", "iota"):
        return True
    if short == "broadcast_in_dim" and re.search(
            r"dims = \[\]|broadcast_dimensions = array<i64>", op.text):
        return True
    if short not in CONSTANT_PRESERVING:
        return False
    operands = [s.lstrip("%").split("#")[0].split(":")[0] for s in SSA.findall(op.text)]
    return bool(operands) and all(o in constants for o in operands)


def belongs_to_constant(op, constants):
    """A sharding_group of a constant expression moves with it."""
    operands = SSA.findall(op.text) if op.name == "sdy.sharding_group" else []
    return bool(operands) and operands[0].lstrip("%").split("#")[0] in constants


def result_type(text):
    return squeeze(text.rsplit(" : ", 1)[-1].rsplit("->", 1)[-1])


def op_items(op):
    """Items of one op, not of the ops inside it."""
    text = squeeze(op.text)
    attrs = sdy_attrs(text)
    if op.name == "sdy.mesh":
        return ["sdy.mesh " + re.sub(r"> \{.*\}$", ">", text)]
    if op.name == "sdy.return":
        return ["sdy.return " + a for a in attrs]
    if op.name == "sdy.constant":
        return ["sdy.constant {%s} : %s" % (", ".join(attrs), result_type(text))]
    if op.name.startswith("sdy."):
        return [op.name + " " + squeeze(SSA.sub("%_", text))]
    return [op.name + " " + a for a in attrs]


def func_items(op):
    """Header items of a func.func: arguments, results, then the function's own attributes."""
    name = re.search(r"@([\w.$-]+)", op.text)
    symbol = name.group(1) if name else "?"
    label = symbol if symbol == "main" else re.sub(r"_\d+$", "", symbol)
    start = op.text.index("(", name.end() if name else 0)
    end = scan_value(op.text, start + 1, stop_at_comma=False)
    items = []
    for i, arg in enumerate(split_top(op.text[start + 1:end])):
        items += ["func.func @%s arg %d %s" % (label, i, a) for a in sdy_attrs(arg)]
    rest = op.text[end + 1:].strip()
    if rest.startswith("->"):
        rest = rest[2:].strip()
        if rest.startswith("("):
            end = scan_value(rest, 1, stop_at_comma=False)
            results, rest = split_top(rest[1:end]), rest[end + 1:]
        else:
            end = rest.find(" attributes ")
            results, rest = [rest if end < 0 else rest[:end]], "" if end < 0 else rest[end:]
        for i, res in enumerate(results):
            items += ["func.func @%s result %d %s" % (label, i, a) for a in sdy_attrs(res)]
    items += ["func.func @%s %s" % (label, a) for a in sdy_attrs(rest)]
    return label, items


def body_items(op, constants, placed, floating):
    for child in op.children:
        items = op_items(child)
        if is_constant_expression(child, constants):
            constants.update(child.results)
            shape = "" if child.name == "sdy.constant" else " : " + result_type(child.text)
            floating += ["const " + item + shape for item in items]
        elif belongs_to_constant(child, constants):
            floating += ["const " + item for item in items]
        else:
            constants.difference_update(child.results)
            placed += items
        body_items(child, constants, placed, floating)


def extract_items(printed):
    """The normalised item list of a printed module."""
    top = parse_ops(printed)
    module_items, functions = [], []

    def visit(op):
        for child in op.children:
            if child.name == "builtin.module":
                module_items.extend(op_items(child))
                visit(child)
            elif child.name == "func.func":
                label, header = func_items(child)
                placed, floating = [], []
                body_items(child, set(), placed, floating)
                functions.append((label != "main", label, header + placed + sorted(floating)))
            else:
                placed, floating = op_items(child), []
                body_items(child, set(), placed, floating)
                module_items.extend(placed + sorted(floating))

    visit(top)
    return module_items + [item for f in sorted(functions) for item in f[2]]


# --------------------------------------------------------------------------------------
# Whole text and errors
# --------------------------------------------------------------------------------------

def normalise_text(printed, with_callees=False):
    """The whole module, one op per line: sdy ops, modules and functions in full, other ops by
    name and sdy attributes. SSA names become %0, %1, ... in order of first appearance within
    each function. Of calls it has the callee only if asked to."""
    names, lines = {}, []

    def rename(match):
        base = re.match(r"%[\w.$-]+", match.group(0)).group(0)
        return names.setdefault(base, "%%%d" % len(names)) + match.group(0)[len(base):]

    def visit(op, depth):
        for child in op.children:
            text = squeeze(child.text)
            if child.name == "func.func":
                names.clear()
            elif child.name != "builtin.module" and not child.name.startswith("sdy."):
                attrs = sdy_attrs(text)
                callee = re.search(r"@[\w.$-]+", text) if child.name == "func.call" else None
                text = "{%s}" % ", ".join(attrs) if attrs else ""
                if callee and with_callees:
                    text = callee.group(0) + text
            results = ", ".join("%" + r for r in child.results)
            line = "%s%s %s" % (results + " = " if results else "", child.name, text)
            lines.append("  " * depth + SSA.sub(rename, line).strip())
            visit(child, depth + 1)

    visit(parse_ops(printed), 0)
    return lines


def first_error_line(stderr):
    match = re.search(r":(\d+):\d+: error:", stderr)
    return int(match.group(1)) if match else None


def located_diagnostics(stderr):
    """"error LINE" and "warning LINE" of everything that was reported, each once, sorted."""
    found = re.findall(r":(\d+):\d+: (error|warning):", stderr)
    return sorted({"%s %s" % (severity, line) for line, severity in found})


# --------------------------------------------------------------------------------------
# Cases
# --------------------------------------------------------------------------------------

def read_header(path):
    """Returns (pass flags, comparison mode) from the first lines of a case."""
    args, mode = None, "items"
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("// RUN-ARGS:"):
                args = shlex.split(line.split(":", 1)[1])
            elif line.startswith("// COMPARE:"):
                mode = line.split(":", 1)[1].strip()
            else:
                break
    if args is None:
        raise ValueError("%s: first line must be '// RUN-ARGS: ...'" % path)
    return args, mode


def run_tool(opt, args, path):
    return subprocess.run([opt] + args + [path], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=TIMEOUT_SECONDS, encoding="utf-8", errors="replace")


def normalise(done, mode):
    """The normalised result of a finished run, as a list of lines."""
    if done.returncode < 0 or done.returncode >= 128:
        return ["<crash: exit status %d>" % done.returncode]
    if mode == "diagnostics":
        return located_diagnostics(done.stderr)
    if mode == "error":
        line = first_error_line(done.stderr)
        if done.returncode == 0:
            return ["<accepted>"]
        return ["error %s" % line if line else "<rejected without a located diagnostic>"]
    if done.returncode != 0:
        head = [l for l in done.stderr.splitlines() if "error" in l][:1] or [""]
        return ["<exit status %d> %s" % (done.returncode, head[0].split("error:")[-1].strip())]
    if mode in ("text", "calls"):
        return normalise_text(done.stdout, with_callees=mode == "calls")
    return extract_items(done.stdout)


def observe(opt, path):
    """Runs one case and returns its normalised result; a failure to run the tool or to read
    its output is a result too."""
    try:
        args, mode = read_header(path)
        return normalise(run_tool(opt, args, path), mode)
    except subprocess.TimeoutExpired:
        return ["<timeout>"]
    except OSError as error:
        return ["<cannot run: %s>" % error]
    except (ValueError, IndexError) as error:
        return ["<output not understood: %s>" % error]


def check(opt, path):
    with open(path[:-len(".mlir")] + ".expected", encoding="utf-8") as f:
        expected = f.read().splitlines()
    return expected, observe(opt, path)


def short_diff(expected, actual, limit=24):
    """The first lines of a diff of two results."""
    diff = list(difflib.unified_diff(expected, actual, "expected", "actual", lineterm="", n=1))[2:]
    more = ["... %d more lines" % (len(diff) - limit)] if len(diff) > limit else []
    return diff[:limit] + more


def read_known(path):
    """The cases that are known to differ, each with its reason. A line is `FOLDER/NAME: REASON`;
    empty lines and lines that start with # are skipped."""
    known = {}
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            label, separator, reason = line.partition(": ")
            if not separator or not reason.strip():
                raise ValueError("%s:%d: expected 'FOLDER/NAME: REASON', got '%s'" %
                                 (path, number, line))
            known[label] = reason.strip()
    return known


def find_cases(directory, pattern):
    """(label, path) of the cases whose label fits the glob."""
    cases = []
    for root, dirs, files in os.walk(directory):
        dirs.sort()
        for name in sorted(files):
            if name.endswith(".mlir"):
                path = os.path.join(root, name)
                label = os.path.relpath(path, directory)[:-len(".mlir")]
                if fnmatch.fnmatch(label, pattern):
                    cases.append((label, path))
    return cases


def report(cases, results, known, verbose):
    """Prints what is not as expected and the counts; returns the number of such cases."""
    totals, passed, num_known = {}, 0, 0
    for label, expected, actual in results:
        counts = totals.setdefault(os.path.dirname(label) or ".", [0, 0])
        counts[1] += 1
        agrees = expected == actual
        counts[0] += agrees
        if agrees != (label in known):
            passed += agrees
            num_known += not agrees
            continue
        if agrees:
            print("FAIL %s (agrees, but is listed as: %s)" % (label, known[label]))
            continue
        print("FAIL %s" % label)
        if verbose:
            for line in short_diff(expected, actual):
                print("    " + line)
    missing = sorted(set(known) - {label for label, _ in cases})
    for label in missing:
        print("FAIL %s (listed, but there is no such case)" % label)
    for folder, (good, total) in sorted(totals.items()):
        print("%-24s %d/%d" % (folder, good, total))
    if num_known:
        print("%d known to differ" % num_known)
    failed = len(cases) - passed - num_known + len(missing)
    print("%d passed, %d failed" % (passed, failed))
    return failed


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description="Run the conformance cases.")
    parser.add_argument("--opt", required=True, help="tool under test")
    parser.add_argument("--filter", default="*", help="glob on FOLDER/NAME, e.g. 'rules/*'")
    parser.add_argument("--dir", default=here, help="corpus root (default: this folder)")
    parser.add_argument("--known", help="file with the cases that must differ, and why")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, dest="jobs")
    parser.add_argument("--verbose", action="store_true", help="show a short diff per failure")
    options = parser.parse_args()

    cases = find_cases(options.dir, options.filter)
    known = read_known(options.known) if options.known else {}
    known = {l: reason for l, reason in known.items() if fnmatch.fnmatch(l, options.filter)}
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        results = pool.map(lambda c: (c[0],) + check(options.opt, c[1]), cases)
        failed = report(cases, results, known, options.verbose)
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
