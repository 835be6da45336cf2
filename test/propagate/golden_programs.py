# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as JAX prints them, with other annotations than they were exported with, and the
shardings that propagation gives to their tensors."""

import dataclasses
import re

SHARDING = r"#sdy\.sharding<@\w+, (\[[^\]]*\])[^>]*>"
TENSOR = r"tensor<(?:[^<>]|<[^<>]*>)*>"
CONSTRAINT = re.compile(r"\s*(%\w+) = sdy\.sharding_constraint (%[\w#]+) ")
DEFINED = re.compile(r"\s*(%\w+)(?::\d+)? = ")
VALUE = re.compile(r"%\w+")


def without_annotations(text):
    """The program with no sharding at all; constraints are replaced by their inputs."""
    lines, inputs = [], {}
    for line in text.splitlines():
        if "func.func" in line:
            inputs = {}
            line = re.sub(r"sdy\.sharding = " + SHARDING + r"(, )?", "", line)
            line = re.sub(r" \{\}(?=[,)])", "", line.replace(", }", "}"))
        line = VALUE.sub(lambda name: inputs.get(name[0], name[0]), line)
        if constraint := CONSTRAINT.match(line):
            inputs[constraint[1]] = constraint[2]
            continue
        # Regions beside each other use the same names.
        if defined := DEFINED.match(line):
            inputs.pop(defined[1], None)
        lines.append(line)
    return "\n".join(lines) + "\n"


def annotated(text, mesh, arguments, results=None):
    """The program on `mesh` (`"data"=4, "model"=2`), with shardings only on the arguments and results
    of @main whose numbers are given."""
    text = without_annotations(text)
    text = re.sub(r"sdy\.mesh @mesh = <.*", f"sdy.mesh @mesh = <[{mesh}]>", text)
    for number, sharding in arguments.items():
        attribute = f"{{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}"
        text, count = re.subn(rf"(@main\(.*?%arg{number}: {TENSOR})", rf"\1 {attribute}", text,
                              count=1)
        assert count, f"@main has no argument {number}"
    for number, sharding in (results or {}).items():
        # Every result has a dictionary with the name that JAX gives it.
        text, count = re.subn(r"(@main\(.*?-> \(.*?" + r"result_info = .*?" * number +
                              r"\{)(jax\.result_info)",
                              rf"\1sdy.sharding = #sdy.sharding<@mesh, {sharding}>, \2", text, count=1)
        assert count, f"@main has no result {number}"
    return text


@dataclasses.dataclass
class Op:
    """An op result by result: types, and the text of its shardings, none where it has none."""

    name: str
    types: list
    shardings: list


class Shardings:
    """Where a module in generic form says how its tensors are sharded."""

    def __init__(self, text):
        self.arguments, self.results, self.result_names, self.ops = [], [], [], []
        opened = []
        for line in text.splitlines():
            line = line.strip()
            if match := re.match(r'(?:%\S+ = )?"([\w.]+)"\(', line):
                if line.endswith("({"):
                    opened.append(match[1])
                    self.read_function(line)
                else:
                    self.add(match[1], line)
            elif line.startswith("})"):
                self.add(opened.pop(), line)

    def read_function(self, line):
        if 'sym_name = "main"' not in line:
            return
        types = re.search(r"function_type = \((.*?)\) -> \(?(.*?)\)?[,>] ?(?:res_attrs|sym_name)", line)
        ranks = [[rank_of(type) for type in re.findall(TENSOR, group)]
                 for group in types.groups()]
        arguments, results = (attributes(line, key, len(group))
                              for key, group in zip(("arg_attrs", "res_attrs"), ranks))
        self.arguments = [sharding_in(*entry) for entry in zip(arguments, ranks[0])]
        self.results = [sharding_in(*entry) for entry in zip(results, ranks[1])]
        self.result_names = [name[1] if (name := re.search(r'result_info = "(.*?)"', entry)) else ""
                             for entry in results]

    def add(self, name, line):
        types = re.findall(TENSOR, line.rsplit("->", 1)[-1])
        per_value = re.search(r"sdy\.sharding = #sdy\.sharding_per_value<\[(.*?>)\]>", line)
        shardings = re.findall(r"<@\w+, (\[.*?\])(?:, \w+=\{[^}]*\})*>", per_value[1] if per_value else "")
        self.ops.append(Op(name, types, shardings or [open_sharding(rank_of(type)) for type in types]))

    def at(self, place):
        """Sharding of an argument ("arg 1"), of a result by the name JAX gives it ("result[1]"), or of
        result 0 of an op by name, type and number among these ("dot_general 8x16xf32 1")."""
        if place.startswith("result["):
            return self.results[self.result_names.index(place)]
        words = place.split()
        if words[0] == "arg":
            return self.arguments[int(words[1])]
        name = words[0] if "." in words[0] else "stablehlo." + words[0]
        found = [op for op in self.ops if op.name == name and op.types[:1] == [f"tensor<{words[1]}>"]]
        number = int(words[2]) if len(words) > 2 else 0
        assert number < len(found), f"the program has {len(found)} ops {words[0]} of type {words[1]}"
        return found[number].shardings[0]


def rank_of(type):
    return len(re.findall(r"\d+(?=x)", re.match(r"tensor<((?:\d+x)*)", type)[1]))


def open_sharding(rank):
    return "[" + ", ".join(["{}"] * rank) + "]"


def attributes(line, key, count):
    """Dictionaries of an `arg_attrs` or `res_attrs` array, as text."""
    start = line.find(key + " = [")
    if start < 0:
        return [""] * count
    entries, depth = [""], 0
    for character in line[start + len(key) + 4:]:
        depth += (character in "{[<(") - (character in "}]>)")
        if depth < 0:
            break
        if character == "," and depth == 0:
            entries.append("")
        else:
            entries[-1] += character
    return entries


def sharding_in(text, rank):
    match = re.search(SHARDING, text)
    return match[1] if match else open_sharding(rank)
