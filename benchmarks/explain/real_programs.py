# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python real_programs.py FOLDER [NAME ...]: is what `explain` says of a program true of the program that `partition` writes?

FOLDER has training steps as JAX prints them. Of each, three figures of the report are compared with others that are found
another way, from the text of the per-device program:

memory   the peak, with that of the text read again and laid out: its collectives as they stand, without shardings;
received the bytes of all transfers, with those of the collectives in the text, loops counted as often as their conditions say. Rows that are
         exchanged as data decides have no bytes in the text, so what is found is less there;
flops    of matrix products and convolutions, with the loop nests of those in the text.

Prints a line for each program, with the CPU seconds and peak memory of explain; ends with 1 if a figure is off by more than
`--tolerance`. docs/benchmarks/explain.md has a table that it printed.
"""

import argparse
import collections
import json
import math
import pathlib
import re
import resource
import struct
import subprocess
import sys
import tempfile

BYTES = {"i1": 1, "bf16": 2}
COLLECTIVE = re.compile(r'"?(?:stablehlo\.)(all_gather|all_reduce|reduce_scatter|all_to_all|collective_permute|collective_broadcast)"?\(')
TENSOR = re.compile(r"tensor<((?:\d+x)*)([a-z]\w*)>")


def bytes_of_element(name):
    if name in BYTES:
        return BYTES[name]
    return max(1, int(re.search(r"\d+", name).group()) // 8)


def shape_of(text):
    """Sizes and bytes of an element of the first tensor type in `text`."""
    sizes, element = TENSOR.search(text).groups()
    return [int(size) for size in sizes.split("x") if size], bytes_of_element(element)


def bytes_of(text):
    """Of all tensor types in `text`, together."""
    return sum(math.prod(int(size) for size in sizes.split("x") if size) * bytes_of_element(element)
               for sizes, element in TENSOR.findall(text))


def group_size(line, axes):
    """Devices in a group of a collective."""
    named = re.search(r"replica_group_mesh_axes<mesh = @\w+, axes = \[(.*?)\]>", line)
    if named:
        size = 1
        for axis in re.findall(r"axis_ref<name = \"([^\"]+)\"((?:, sub_axis_info = \(\d+\)\d+)?)", named.group(1)):
            size *= int(axis[1].rsplit(")", 1)[1]) if axis[1] else axes[axis[0]]
        return size
    listed = re.search(r"replica_groups = dense<.*?> : tensor<\d+x(\d+)xi64>", line)
    return int(listed.group(1)) if listed else 1


class Text:
    """A per-device program, line by line, with how often each line runs."""

    def __init__(self, text):
        self.lines = text.splitlines()
        self.axes = {name: int(size) for mesh in re.findall(r"sdy\.mesh @\w+ = <\[(.*?)\]>", text)
                     for name, size in re.findall(r'"([^"]+)"=(\d+)', mesh)}
        self.types = {}

    def operations(self):
        """Yields (line, type of the op, times); an op with a body has the type behind the body."""
        loops = []  # Of the open while loops: indentation and trip count, None before it is known.
        constants = {}
        waiting = []  # Ops whose bodies are open.
        for line in self.lines:
            indent = len(line) - len(line.lstrip())
            constant = re.match(r"\s*(%\w+) = stablehlo.constant dense<(-?\d+)> : tensor<[su]?i\d+>", line)
            if constant:
                constants[constant.group(1)] = int(constant.group(2))
            if "stablehlo.while(" in line:
                loops.append([indent, 1, dict(re.findall(r"(%\w+) = (%[\w#]+)", line.split("while(", 1)[1]))])
                continue
            if loops:
                condition = re.match(r"\s*%\w+ = stablehlo.compare\s+(LT|LE), (%\w+), (%\w+)", line)
                if condition and indent == loops[-1][0] + 2 and loops[-1][1] == 1 and condition.group(2) in loops[-1][2]:
                    first = constants.get(loops[-1][2][condition.group(2)], 0)
                    bound = condition.group(3)
                    bound = constants.get(loops[-1][2].get(bound, bound), first + 1)
                    loops[-1][1] = bound - first + (condition.group(1) == "LE")
                if line.strip() == "}" and indent == loops[-1][0]:
                    loops.pop()
                    continue
            times = math.prod(loop[1] for loop in loops)
            if COLLECTIVE.search(line) or "@ragged_all_to_all" in line:
                if line.rstrip().endswith("({"):
                    waiting.append((line, times))
                    continue
                yield line, line.rsplit(" : ", 1)[1], times
            elif waiting and line.lstrip().startswith("}) : "):
                begun, times = waiting.pop()
                yield begun, line.split(" : ", 1)[1], times
            elif "stablehlo.dot_general" in line or "stablehlo.convolution" in line:
                yield line, line.rsplit(" : ", 1)[1], times

    def receivers(self, line):
        """The devices that receive in a permute, what they send themselves left out."""
        text = re.search(r"source_target_pairs = dense<(.*?)> : tensor<(\d+)x2xi64>", line).group(1)
        if text.startswith('"0x'):
            numbers = struct.unpack(f"<{(len(text) - 4) // 16}q", bytes.fromhex(text[3:-1]))
        else:
            numbers = [int(number) for number in re.findall(r"\d+", text)]
        return [target for source, target in zip(numbers[::2], numbers[1::2]) if source != target]

    def received(self, line, type_):
        """What a device receives in a collective: docs/concepts/resharding.md."""
        operands, results = type_.split("->")
        if "ragged_all_to_all" in line:
            return None
        kind = COLLECTIVE.search(line).group(1)
        if kind in ("collective_permute", "collective_broadcast"):
            return bytes_of(operands)
        size = group_size(line, self.axes)
        return {"all_gather": bytes_of(operands) * (size - 1), "all_to_all": bytes_of(operands) * (size - 1) // size,
                "reduce_scatter": bytes_of(results) * (size - 1), "all_reduce": 2 * bytes_of(operands) * (size - 1) // size}[kind]

    def flops(self, line, type_):
        operands, result = type_.split("->")
        sizes, _ = shape_of(result)
        if "dot_general" in line:
            left, _ = shape_of(operands)
            contracted = re.search(r"contracting_dims = \[([\d, ]*)\]", line).group(1)
            return 2 * math.prod(sizes) * math.prod(left[int(dim)] for dim in contracted.split(",") if dim.strip())
        right, _ = shape_of(operands.split(">", 1)[1])
        kernel = re.search(r"x\[([^\]]*)\]->", line).group(1).split(", ")
        return 2 * math.prod(sizes) * math.prod(size for size, dim in zip(right, kernel) if dim != "o")


def without_shardings(text):
    """The per-device program as a program of its own, whose devices all do the same."""
    text = re.sub(r"stablehlo\.partition_id : tensor<ui32>", "stablehlo.constant dense<0> : tensor<ui32>", text)
    text = re.sub(r",? ?sdy\.sharding = #sdy\.sharding<@\w+, \[[^>]*?\]>", "", text)
    # As a kernel of another machine, it needs its operands and results.
    text = text.replace("custom_call @ragged_all_to_all(", "custom_call @kernel(")
    return text.replace("{, ", "{").replace(" {}", "")


def explained(tool, path, *arguments):
    process = subprocess.run([tool, "explain", path, "--json", "--suggest", "0", *arguments], capture_output=True, text=True)
    if process.returncode != 0:
        raise RuntimeError(process.stderr[:500])
    return json.loads(process.stdout)


def measure(tool, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = explained(tool, path)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before.ru_utime
    local = subprocess.run([tool, "partition", path], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        alone = pathlib.Path(folder) / "device.mlir"
        alone.write_text(without_shardings(local))
        try:
            again = explained(tool, alone)["memory"]
            peak = again and again["peak_bytes"]
        except RuntimeError as error:
            print(f"  {error}", file=sys.stderr)
            peak = None
    text = Text(local)
    received, flops, ragged = 0, 0, False
    permuted = collections.Counter()
    for line, type_, times in text.operations():
        if "dot_general" in line or "convolution" in line:
            flops += times * text.flops(line, type_)
            continue
        bytes_ = text.received(line, type_)
        ragged |= bytes_ is None
        if "collective_permute" in line:
            for device in text.receivers(line):
                permuted[device] += times * bytes_
        else:
            received += times * (bytes_ or 0)
    received += max(permuted.values(), default=0)
    return {"devices": report["devices"], "seconds": seconds, "memory": report["memory"] and report["memory"]["peak_bytes"],
            "memory_of_text": peak, "received": sum(transfer["received_bytes"] for transfer in report["transfers"]),
            "received_of_text": received, "flops": report["work"]["flops"], "flops_of_text": flops, "ragged": ragged,
            "notes": sorted({note["code"] for note in report["notes"]})}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--tool", default="build/bin/shardwise")
    parser.add_argument("--tolerance", type=float, default=0.02)
    parser.add_argument("--json", help="write the measurements here")
    options = parser.parse_args()
    rows = {}
    print(f"{'program':26} {'devices':>7} {'CPU s':>6} {'memory GiB':>11} {'of text':>8} {'received GiB':>13} {'of text':>8} {'TFLOP':>9} {'of text':>8}")
    is_off = False
    for path in sorted(options.folder.glob("*.mlir")):
        if options.names and path.stem not in options.names:
            continue
        row = rows[path.stem] = measure(options.tool, path)
        ratios = [row[f"{key}_of_text"] / row[key] if row[key] and row[f"{key}_of_text"] is not None else math.nan
                  for key in ("memory", "received", "flops")]
        is_off |= any(abs(ratio - 1) > options.tolerance for ratio in (ratios[::2] if row["ragged"] else ratios))
        print(f"{path.stem:26} {row['devices']:7} {row['seconds']:6.2f} {(row['memory'] or 0) / 2**30:11.3f} {ratios[0]:8.4f} "
              f"{row['received'] / 2**30:13.4f} {ratios[1]:8.4f} {row['flops'] / 1e12:9.3f} {ratios[2]:8.4f}"
              f"{'  rows exchanged by data' if row['ragged'] else ''}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
    sys.exit(1 if is_off else 0)


if __name__ == "__main__":
    main()
