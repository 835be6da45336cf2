# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shrinks a program while a property holds, by dropping and simplifying its text.

`minimize(args, text, interesting)` tries smaller variants and keeps each one for which
`interesting(args, text)` is true.  Variants are made by text only and may be invalid; it is
up to `interesting` to reject those (here: the reference must accept them).
"""

import itertools
import re
import time

import run

NAME = r"%[\w.$-]+"
AXIS = r'"[^"]*"(?::\(\d+\)\d+)?'
CONTINUATION = re.compile(r"(cond|do|reducer|attributes)\b")


# --------------------------------------------------------------------------------------
# Reading a text by lines
# --------------------------------------------------------------------------------------

class Statement:
    """One op of a text: its lines first..last, with everything inside it."""

    def __init__(self, lines, first, last, match):
        self.first, self.last = first, last
        self.name = match.group("quoted") or match.group("plain")
        self.results = []  # (name without '%', number of values)
        for result in re.findall(NAME + r"(?::\d+)?", match.group("results") or ""):
            name, _, count = result[1:].partition(":")
            self.results.append((name, int(count or 1)))
        self.text = "\n".join(lines[first:last + 1])

    def result_types(self):
        """The type of every result, as far as the text shows it."""
        tail = self.text.split("\n")[0 if self.name == "stablehlo.while" else -1]
        tail = tail.split(" attributes {")[0].rsplit(" : ", 1)[-1]
        if "->" in tail:
            tail = tail.split("->", 1)[1].strip()
            if tail.startswith("("):
                tail = tail[1:-1]
        count = sum(n for _, n in self.results)
        return run.split_top(tail)[-count:]


def bracket_depth(line):
    """Opening minus closing brackets outside of strings."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', "", line).replace("->", "")
    return sum(c in "([{<" for c in line) - sum(c in ")]}>" for c in line)


def last_line(lines, first):
    """The line on which the op that starts on line `first` ends."""
    depth = 0
    for i in range(first, len(lines)):
        depth += bracket_depth(lines[i])
        following = lines[i + 1].strip() if i + 1 < len(lines) else ""
        if depth <= 0 and not CONTINUATION.match(following):
            return i
    return len(lines) - 1


def statements(text):
    """All ops of a text in print order, those inside others included."""
    lines, found = text.split("\n"), []
    for i, line in enumerate(lines):
        match = run.OP_START.match(line.strip())
        name = match and (match.group("quoted") or match.group("plain"))
        if match and ("." in name or name in run.SHORT_NAMES):
            found.append(Statement(lines, i, last_line(lines, i), match))
    return found


def functions(text):
    return [s for s in statements(text) if s.name == "func.func"]


def without(text, statement, replacement=()):
    """The text with other lines in place of a statement."""
    lines = text.split("\n")
    lines[statement.first:statement.last + 1] = replacement
    return "\n".join(lines)


def uses(name, text):
    return len(re.findall("%" + re.escape(name) + r"(?![\w.$-])", text))


def rename(text, old, new):
    """Replaces a value, given as it is written where it is used."""
    return re.sub(re.escape(old) + r"(?![\w.$-])", lambda _: new, text)


class Header:
    """The first line of a function, taken apart."""

    def __init__(self, line):
        start = line.index("(") + 1
        end = run.scan_value(line, start, stop_at_comma=False)
        self.before, self.arguments = line[:start], run.split_top(line[start:end])
        rest = line[end:]
        self.between, self.results, self.after = rest, None, ""
        if rest.startswith(") -> ("):
            end = run.scan_value(rest, 6, stop_at_comma=False)
            self.between, self.results, self.after = rest[:6], run.split_top(rest[6:end]), rest[end:]

    def text(self):
        results = "" if self.results is None else ", ".join(self.results)
        return self.before + ", ".join(self.arguments) + self.between + results + self.after


def split_return(line):
    """(blanks, values, types) of 'return %a, %b : A, B', or None."""
    match = re.match(r"(\s*)(?:func\.)?return (.*) : (.*)$", line)
    return match and (match.group(1), match.group(2).split(", "), run.split_top(match.group(3)))


# --------------------------------------------------------------------------------------
# Steps: each yields variants (args, text), in an order that puts the promising ones first
# --------------------------------------------------------------------------------------

def join_lines(args, text):
    """Breaks after a comma, which would hide the structure from the other steps."""
    joined = re.sub(r",\n\s*", ", ", text)
    if joined != text:
        yield args, joined


def drop_passes(args, text):
    for i in range(len(args)):
        yield args[:i] + args[i + 1:], text
    for i, flag in enumerate(args):
        name, _, options = flag.partition("=")
        words = options.strip('"').split()
        for j in range(len(words)):
            rest = " ".join(words[:j] + words[j + 1:])
            yield args[:i] + [name + "=" + rest if rest else name] + args[i + 1:], text


def with_results(text, function, keep):
    """The text in which the function returns only the results with these indices."""
    lines = text.split("\n")
    header, parts = Header(lines[function.first]), split_return(lines[function.last - 1])
    if not header.results or not parts or len(parts[1]) != len(header.results):
        return None
    blanks, values, types = parts
    header.results = [header.results[i] for i in keep]
    values, types = [values[i] for i in keep], [types[i] for i in keep]
    lines[function.first] = header.text() if keep else header.text().replace(" -> ()", "", 1)
    lines[function.last - 1] = blanks + ("return %s : %s" % (", ".join(values), ", ".join(types))
                                         if keep else "return")
    return "\n".join(lines)


def result_count(text, function):
    return len(Header(text.split("\n")[function.first]).results or [])


def keep_one_result(args, text):
    for function in functions(text):
        count = result_count(text, function)
        for i in range(count if count > 1 else 0):
            yield args, with_results(text, function, [i])


def drop_results(args, text):
    for function in functions(text):
        count = result_count(text, function)
        for i in range(count):
            yield args, with_results(text, function, [j for j in range(count) if j != i])


def is_dead(statement, text):
    return bool(statement.results) and all(
        uses(name, text) == uses(name, statement.text) for name, _ in statement.results)


def drop_all_dead(args, text):
    """All ops without users at once."""
    start = text
    while True:
        dead = [s for s in statements(text) if is_dead(s, text)]
        if not dead:
            break
        text = without(text, dead[-1])
    if text != start:
        yield args, text


def drop_statements(args, text):
    """Functions, meshes and ops that nothing refers to, the last ones first."""
    for statement in reversed(statements(text)):
        used = statement.results and not is_dead(statement, text)
        if not used and not statement.name.endswith("return") and statement.name != "module":
            yield args, without(text, statement)


def annotation(statement):
    """The sharding of an op with one result, in the form for a function argument."""
    found = [a for a in run.sdy_attrs(run.squeeze(statement.text)) if a.startswith("sdy.sharding = ")]
    match = found and re.match(r"sdy\.sharding = #sdy\.sharding_per_value<\[(<.*>)\]>$", found[-1])
    return " {sdy.sharding = #sdy.sharding%s}" % match.group(1) if match else ""


def ops_to_arguments(args, text):
    """Ops replaced by new arguments of their function, the last ones first."""
    enclosing = functions(text)
    for statement in reversed(statements(text)):
        function = [f for f in enclosing if f.first < statement.first <= f.last]
        types = statement.result_types()
        if not statement.results or not function or len(types) < sum(n for _, n in statement.results):
            continue
        attributes = ["", annotation(statement)] if len(types) == 1 else [""]
        for attribute in dict.fromkeys(attributes):
            yield args, to_arguments(text, function[0], statement, types, attribute)


def to_arguments(text, function, statement, types, attribute):
    """One op replaced by new arguments; the function's later text refers to them."""
    lines = text.split("\n")
    header = Header(lines[function.first])
    body = "\n".join(lines[function.first + 1:statement.first] +
                     lines[statement.last + 1:function.last + 1])
    position = 0
    for name, count in statement.results:
        for i in range(count):
            old = "%%%s#%d" % (name, i) if count > 1 else "%" + name
            new = "%%%s_%d" % (name, i) if count > 1 else "%" + name
            body = rename(body, old, new)
            header.arguments.append("%s: %s%s" % (new, types[position], attribute))
            position += 1
    return "\n".join(lines[:function.first] + [header.text(), body] + lines[function.last + 1:])


def bypass_ops(args, text):
    """Uses of an op replaced by one of its operands."""
    for statement in reversed(statements(text)):
        if len(statement.results) != 1 or statement.results[0][1] != 1:
            continue
        result = "%" + statement.results[0][0]
        operands = re.findall(NAME + r"(?:#\d+)?", statement.text.split(" = ", 1)[-1])
        for operand in list(dict.fromkeys(operands))[:3]:
            yield args, rename(without(text, statement), result, operand)


def unwrap_regions(args, text):
    """Region ops replaced by what is inside them: results become the values that the last
    region returns, and the values of a loop its initial ones."""
    for statement in statements(text):
        inner = [line for line in statement.text.split("\n")[1:]
                 if not re.match(r"\s*([}^]|(cond|do|reducer)\b)", line)]
        returns = [i for i, line in enumerate(inner) if re.match(r"\s*(stablehlo|sdy)\.return ", line)]
        if statement.name in ("func.func", "module") or not returns:
            continue
        values = re.findall(NAME + r"(?:#\d+)?", inner[returns[-1]])
        body = [line for i, line in enumerate(inner) if i not in returns]
        smaller = without(text, statement, body)
        for name, count in statement.results:
            for i, value in enumerate(values[:count]):
                smaller = rename(smaller, "%%%s#%d" % (name, i) if count > 1 else "%" + name, value)
        carried = re.findall(r"[(,]\s*(%[\w.$-]+) = (%[\w.$#-]+)", statement.text.split("\n")[0])
        for argument, initial in carried:
            smaller = rename(smaller, argument, initial)
        yield args, smaller


def drop_arguments(args, text):
    lines = text.split("\n")
    for function in functions(text):
        header = Header(lines[function.first])
        for i in reversed(range(len(header.arguments))):
            name = re.match("%([\\w.$-]+)", header.arguments[i])
            if name and uses(name.group(1), function.text) == 1:
                smaller = Header(lines[function.first])
                del smaller.arguments[i]
                yield args, "\n".join(lines[:function.first] + [smaller.text()] +
                                      lines[function.first + 1:])


def cut_entry(text, start, end):
    """The text without the list entry [start, end): a comma goes with it, and an attribute
    dictionary that becomes empty."""
    before, after = text[:start], text[end:]
    if before.endswith(", "):
        before = before[:-2]
    elif after.startswith(", "):
        after = after[2:]
    elif before.endswith(" {") and after.startswith("}"):
        before, after = before[:-2], after[1:]
    return before + after


def drop_attributes(args, text):
    position = 0
    while True:
        match = run.SDY_ATTR.search(text, position)
        if not match:
            return
        end = run.scan_value(text, match.end())
        yield args, cut_entry(text, match.start(), end)
        position = match.end()


def simplify_shardings(args, text):
    """Drops axes, lists of axes, priorities and '?', and completes sub-axes."""
    for match in re.finditer(r", (?:replicated|unreduced)=\w*\{[^}]*\}", text):
        yield args, text[:match.start()] + text[match.end():]
    for match in re.finditer(AXIS + r"|\?", text):
        yield args, cut_entry(text, *match.span())
    for match in re.finditer(r"(?<=\})p\d+|(?<=\"):\(\d+\)\d+", text):
        yield args, text[:match.start()] + text[match.end():]


def simplify_meshes(args, text):
    for match in re.finditer(r'"[^"]*"=\d+', text):
        yield args, cut_entry(text, *match.span())
    for match in re.finditer(r'(?<="=)\d+', text):
        for size in (2, 4):
            if size < int(match.group(0)):
                yield args, text[:match.start()] + str(size) + text[match.end():]
    for match in re.finditer(r", device_ids=\[[\d, ]*\]", text):
        yield args, text[:match.start()] + text[match.end():]


def shrink_dimensions(args, text):
    """Replaces a dimension size in all types."""
    sizes = {int(n) for n in re.findall(r"(?<=[<x])\d+(?=x)", text)}
    for old in sorted(sizes, reverse=True):
        for new in (2, 4, 8):
            if new < old:
                yield args, re.sub(r"(?<=[<x])%d(?=x)" % old, str(new), text)


STEPS = [join_lines, keep_one_result, drop_all_dead, drop_passes, drop_results, drop_all_dead,
         drop_statements, unwrap_regions, ops_to_arguments, bypass_ops, drop_all_dead,
         drop_arguments, drop_attributes, simplify_shardings, simplify_meshes, shrink_dimensions]


# --------------------------------------------------------------------------------------
# Search
# --------------------------------------------------------------------------------------

def exhaust(step, state, accept):
    """Applies variants of one step as long as one is accepted.  After a success it goes on at
    the same place, where the next variant has moved to."""
    position = 0
    while True:
        try:
            for variant in itertools.islice(step(*state), position, None):
                if variant[1] is not None and variant != state and accept(variant):
                    state = variant
                    break
                position += 1
            else:
                return state
        except (ValueError, IndexError):  # a text that this step cannot take apart
            return state


def minimize(args, text, interesting, seconds=60):
    """The smallest (args, text) found within the time for which `interesting` holds.  `args`
    is a list of flags; the given program must be interesting itself."""
    deadline, tried = time.monotonic() + seconds, set()

    def accept(variant):
        key = (tuple(variant[0]), variant[1])
        if key in tried or time.monotonic() > deadline:
            return False
        tried.add(key)
        return interesting(*variant)

    state = (list(args), text)
    while True:
        before = state
        for step in STEPS:
            state = exhaust(step, state, accept)
        if state == before or time.monotonic() > deadline:
            return state
