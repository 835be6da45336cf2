# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The collectives of an optimised HLO text, with the bytes that a device receives."""

import math
import re

BITS = {"pred": 8, "bf16": 16, "token": 0}
COLLECTIVE = re.compile(r"^\s+(?:ROOT )?%?[\w.\-]+ = (.+?) (all-gather|all-reduce|reduce-scatter|all-to-all|"
                        r"collective-permute|collective-broadcast|ragged-all-to-all)(?:-start)?\(")


def bytes_of(types: str) -> int:
    """Bytes of an HLO type, or of all in a tuple: `(f32[2,3]{1,0}, s32[])`."""
    total = 0
    for name, sizes in re.findall(r"(\w+)\[([\d,]*)\]", types):
        bits = BITS.get(name) or int(re.sub(r"\D*(\d+).*", r"\1", name))
        total += math.prod(int(size) for size in sizes.split(",") if size) * bits // 8
    return total


def group_size(line: str, num_devices: int) -> int:
    """Devices in one group: lists, `[groups,size]<=[..]`, or axes of a mesh."""
    if listed := re.search(r"replica_groups=\{\{([\d,]*)\}", line):
        return len(listed[1].split(","))
    if iota := re.search(r"replica_groups=\[(\d+),(\d+)\]", line):
        return int(iota[2])
    if mesh := re.search(r"replica_groups=mesh\[([^\]]*)\] ?\{([^}]*)\}", line):
        sizes = dict(re.findall(r"'(\w+)'=(\d+)", mesh[1]))
        axes = re.findall(r"'(\w+)'(?::\(\d+\)(\d+))?", mesh[2])
        return math.prod(int(part or sizes[axis]) for axis, part in axes)
    return num_devices


def received(kind: str, result: int, devices: int) -> int:
    """Bytes that a device receives in a collective with `result` bytes."""
    if kind == "all-reduce":
        return 2 * result * (devices - 1) // devices
    if kind == "reduce-scatter":
        return result * (devices - 1)
    if kind in ("collective-permute", "collective-broadcast"):
        return result
    return result * (devices - 1) // devices


def computations(text: str):
    """Lines of each computation, and the name of the entry."""
    lines, current, entry = {}, None, None
    for line in text.splitlines():
        if head := re.match(r"^(ENTRY )?%?([\w.\-]+) .*\{\s*$", line):
            current = head[2]
            lines[current] = []
            entry = current if head[1] else entry
        elif current and line.startswith(" "):
            lines[current].append(line)
    return lines, entry


def calls_in(line: str, unknown_rounds: int | None = None):
    """(computation, times) that a line runs. Of a loop of which XLA does not know the rounds, and nobody else
    says them, body and condition count once."""
    if loop := re.search(r" while\(.*body=%?([\w.\-]+)", line):
        trips = re.search(r'known_trip_count":\{"n":"(\d+)"', line)
        rounds = int(trips[1]) if trips else unknown_rounds
        yield loop[1], 1 if rounds is None else rounds
        if condition := re.search(r"condition=%?([\w.\-]+)", line):
            yield condition[1], 1 if rounds is None else rounds + 1
    elif re.search(r" (fusion|call|conditional)\(", line):
        for name in re.findall(r"(?:calls|to_apply|true_computation|false_computation)=%?([\w.\-]+)", line):
            yield name, 1
        if branches := re.search(r"branch_computations=\{([^}]*)\}", line):
            for name in branches[1].split(","):
                yield name.strip().lstrip("%"), 1


def collectives_of(text: str, num_devices: int, unknown_rounds: int | None = None):
    """Rows of kind, devices in a group, count and bytes; loops of unknown length run `unknown_rounds` times."""
    lines, entry = computations(text)
    found = {}

    def walk(name, times):
        for line in lines.get(name, []):
            for callee, more in calls_in(line, unknown_rounds):
                walk(callee, times * more)
            match = COLLECTIVE.match(line)
            if not match:
                continue
            kind, devices = match[2], group_size(line, num_devices)
            row = found.setdefault((kind, devices), {"kind": kind.replace("-", "_"), "devices": devices,
                                                     "count": 0, "bytes": 0})
            row["count"] += times
            row["bytes"] += times * received(kind, bytes_of(match[1]), devices)

    walk(entry, 1)
    return list(found.values())
