#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the collectives that a tool and jaxlib make of random uneven reshards.

    uneven_reshards.py --opt PATH/TO/shardwise-opt [--python PYTHON_WITH_JAXLIB] [--count 2000]
                       [--seed N] [--show 5]

Needs numpy and a Python with jaxlib, as live.py does.  Both tools run
-sdy-reshard-to-collectives.  Each sequence is replayed on devices that hold element numbers in
blocks of ceil(N/k), padded: a step does what the stock collective does to buffers, and what a
device then lacks of its block is handed to it and counted apart.

Received per device, of L elements in groups of g: all_gather (g-1)*L, collective_permute L,
all_to_all (g-1) pieces of L/g, dimensions that are cut rounded up.

Exit status: 0 if the tool's sequences receive at most what jaxlib's do, 1 otherwise.
"""

import argparse
import dataclasses
import math
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

import live

PASS = "-sdy-reshard-to-collectives"
AXIS_SIZES = [2, 3, 4, 8]
COMMON_SIZES = [8, 10, 12, 16, 24, 30, 64, 100]
MAX_ELEMENTS = 4096  # of a tensor: every device of 512 may hold all of it
MARKER = "// -----\n"


def ceil_div(a, b):
    return -(-a // b)


# --------------------------------------------------------------------------------------
# Problems
# --------------------------------------------------------------------------------------

@dataclasses.dataclass
class Reshard:
    """Lists have one list of (axis, size before, size) for each dimension."""

    mesh: dict
    shape: list
    source: list
    target: list

    def text(self):
        axes = ", ".join('"%s"=%d' % item for item in self.mesh.items())
        tensor = "tensor<%sxf32>" % "x".join(map(str, self.shape))
        return ("sdy.mesh @mesh = <[%s]>\n"
                "func.func @f(%%a: %s {sdy.sharding = #sdy.sharding<@mesh, %s>}) -> %s {\n"
                "  %%0 = sdy.reshard %%a <@mesh, %s> : %s\n"
                "  return %%0 : %s\n}\n" % (axes, tensor, written(self.source), tensor,
                                            written(self.target), tensor, tensor))


def written(lists):
    return "[%s]" % ", ".join(
        "{%s}" % ", ".join('"%s"' % axis for axis, _, _ in axes) for axes in lists)


def blocks(axes):
    return math.prod(size for _, _, size in axes)


def draw_sharding(rng, mesh, rank):
    names = list(mesh)
    rng.shuffle(names)
    lists = [[] for _ in range(rank)]
    for name in names:
        if rng.random() < 0.8:
            lists[rng.randrange(rank)].append((name, 1, mesh[name]))
    return lists


def draw(rng):
    """A reshard between full axes with a dimension that source or target do not divide."""
    while True:
        mesh = {name: rng.choice(AXIS_SIZES) for name in "xyz"[:rng.randint(1, 3)]}
        rank = rng.randint(1, 3)
        shape = [rng.choice([rng.randint(1, 12), rng.randint(1, 40), rng.choice(COMMON_SIZES)])
                 for _ in range(rank)]
        source, target = draw_sharding(rng, mesh, rank), draw_sharding(rng, mesh, rank)
        is_even = all(size % blocks(lists[dim]) == 0
                      for lists in (source, target) for dim, size in enumerate(shape))
        if source != target and not is_even and math.prod(shape) <= MAX_ELEMENTS:
            return Reshard(mesh, shape, source, target)


# --------------------------------------------------------------------------------------
# Sequences of collectives
# --------------------------------------------------------------------------------------

@dataclasses.dataclass
class Step:
    kind: str
    axes: list  # all_gather, all_slice: one list per dimension
    moves: list  # all_to_all: (axes, source dimension, target dimension)
    after: list


def parse_axes(text, mesh):
    return [(name, int(before or 1), int(size or mesh[name])) for name, before, size in
            re.findall(r'"(\w+)"(?::\((\d+)\)(\d+))?', text)]


def parse_lists(text, mesh):
    return [parse_axes(axes, mesh) for axes in re.findall(r"\{([^}]*)\}", text)]


def parse_steps(text, mesh):
    """The collectives in the order of the text; each works on the result of the one before."""
    steps = []
    for line in text.splitlines():
        found = re.search(r"= sdy\.(\w+) (.*?) ?%\w+ out_sharding=<@mesh, (\[[^\]]*\])", line)
        if not found:
            if "out_sharding" in line or "sdy.reshard" in line:
                raise ValueError("not understood: " + line)
            continue
        kind, arguments, after = found.groups()
        step = Step(kind, [], [], parse_lists(after, mesh))
        if kind in ("all_gather", "all_slice"):
            step.axes = parse_lists(arguments, mesh)
        elif kind == "all_to_all":
            step.moves = [(parse_axes(axes, mesh), int(source), int(target)) for axes, source, target
                          in re.findall(r"\{([^}]*)\}: (\d+)->(\d+)", arguments)]
        elif kind != "collective_permute":
            raise ValueError("not understood: " + line)
        steps.append(step)
    return steps


def local_shape(shape, lists):
    return [ceil_div(size, blocks(axes)) for size, axes in zip(shape, lists)]


def received_elements(shape, before, step):
    local = local_shape(shape, before)
    if step.kind == "all_gather":
        return (blocks(sum(step.axes, [])) - 1) * math.prod(local)
    if step.kind == "collective_permute":
        return math.prod(local)
    group = 1
    for axes, _, target in step.moves:
        group *= blocks(axes)
        local[target] = ceil_div(local[target], blocks(axes))
    return (group - 1) * math.prod(local)


class Devices:
    """Buffers of all devices: number of the element, -1 in padding."""

    def __init__(self, reshard):
        self.mesh, self.shape = reshard.mesh, reshard.shape
        self.numbers = np.arange(math.prod(self.mesh.values()))
        self.before = reshard.source
        self.buffers = self.blocks_of(reshard.source)

    def axis_coordinates(self, axis):
        name, before, size = axis
        sizes = list(self.mesh.values())
        position = list(self.mesh).index(name)
        coordinate = self.numbers // math.prod(sizes[position + 1:]) % sizes[position]
        return coordinate // (sizes[position] // (before * size)) % size

    def coordinates(self, axes):
        """By device: its number along a list, major first."""
        result = np.zeros_like(self.numbers)
        for axis in axes:
            result = result * axis[2] + self.axis_coordinates(axis)
        return result

    def members(self, axes):
        """By device and number along `axes`: the device that differs from it only there."""
        strides = {}
        sizes = list(self.mesh.values())
        for position, name in enumerate(self.mesh):
            strides[name] = math.prod(sizes[position + 1:])
        offset = np.zeros_like(self.numbers)
        numbers = np.arange(blocks(axes))
        shifts = np.zeros_like(numbers)
        rest = blocks(axes)
        for name, before, size in axes:
            stride = strides[name] * (self.mesh[name] // (before * size))
            offset += self.axis_coordinates((name, before, size)) * stride
            rest //= size
            shifts += numbers // rest % size * stride
        return (self.numbers - offset)[:, None] + shifts[None, :]

    def blocks_of(self, lists):
        """What every device holds under a sharding."""
        result = np.zeros((len(self.numbers),) + (1,) * len(self.shape), dtype=np.int32)
        valid = np.ones_like(result, dtype=bool)
        for dim, (size, axes) in enumerate(zip(self.shape, lists)):
            local = ceil_div(size, blocks(axes))
            index = self.coordinates(axes)[:, None] * local + np.arange(local)
            index = index.reshape([len(self.numbers)] +
                                  [local if d == dim else 1 for d in range(len(self.shape))])
            result = result * size + index
            valid = valid & (index < size)
        return np.where(valid, result, -1)

    def resize(self, buffers, dim, size):
        if buffers.shape[dim + 1] >= size:
            return buffers.take(range(size), axis=dim + 1)
        widths = [(0, 0)] * buffers.ndim
        widths[dim + 1] = (0, size - buffers.shape[dim + 1])
        return np.pad(buffers, widths, constant_values=-1)

    def part(self, buffers, dim, parts, numbers):
        """Of every buffer, cut into `parts` along `dim`: the part with the device's number."""
        size = ceil_div(buffers.shape[dim + 1], parts)
        index = numbers[:, None] * size + np.arange(size)
        index = index.reshape([len(buffers)] + [size if d == dim else 1 for d in range(len(self.shape))])
        return np.take_along_axis(self.resize(buffers, dim, parts * size), index, axis=dim + 1)

    def run(self, step):
        """Runs a step; returns how many elements at most a device is handed after it."""
        local = local_shape(self.shape, step.after)
        buffers = self.buffers
        if step.kind == "collective_permute":
            holders = {}
            for device, block in enumerate(zip(*map(self.coordinates, self.before))):
                holders.setdefault(block, device)
            buffers = buffers[[holders[block] for block in zip(*map(self.coordinates, step.after))]]
        for dim, axes in enumerate(step.axes):
            if axes and step.kind == "all_gather":
                members = self.members(axes)
                parts = [buffers[members[:, i]] for i in range(blocks(axes))]
                buffers = self.resize(np.concatenate(parts, axis=dim + 1), dim, local[dim])
            elif axes:
                buffers = self.part(buffers, dim, blocks(axes), self.coordinates(axes))
        for axes, source, target in step.moves:
            members, own = self.members(axes), self.coordinates(axes)
            parts = [self.part(buffers[members[:, i]], target, blocks(axes), own)
                     for i in range(blocks(axes))]
            buffers = self.resize(np.concatenate(parts, axis=source + 1), source, local[source])
        expected = self.blocks_of(step.after)
        if buffers.shape != expected.shape:
            raise ValueError("%s leads to buffers of %s, its sharding says %s" %
                             (step.kind, buffers.shape[1:], expected.shape[1:]))
        lacking = (expected != buffers) & (expected >= 0)
        self.buffers, self.before = expected, step.after
        return int(lacking.reshape(len(expected), -1).sum(axis=1).max())


@dataclasses.dataclass
class Measure:
    received: int = 0
    handed: int = 0


def measure(reshard, steps):
    result = Measure()
    devices = Devices(reshard)
    for step in steps:
        if step.kind != "all_slice":
            result.received += received_elements(reshard.shape, devices.before, step)
        result.handed += devices.run(step)
    if [blocks(a) for a in devices.before] != [blocks(a) for a in reshard.target] or not (
            devices.buffers == devices.blocks_of(reshard.target)).all():
        raise ValueError("does not end at the target")
    return result


# --------------------------------------------------------------------------------------
# Both tools
# --------------------------------------------------------------------------------------

def run_tool(opt, reshards):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(MARKER.join(reshard.text() for reshard in reshards))
        file.flush()
        done = subprocess.run([opt, PASS, "-split-input-file", file.name], capture_output=True,
                              encoding="utf-8")
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout.split(MARKER)


def run_reference(reference, reshard):
    """The program, or None where the reference has none."""
    try:
        done = reference.run([PASS], reshard.text())
    except live.NoAnswer:
        return None
    return done.stdout if done.returncode == 0 else None


def show(reshard, texts, measures):
    print(reshard.text(), end="")
    for name, text, result in zip(("tool", "jaxlib"), texts, measures):
        print("%s: receives %d elements, is handed %d" % (name, result.received, result.handed))
        print("\n".join(line for line in text.splitlines() if "out_sharding" in line))
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5, help="print the worst so many")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    reshards = [draw(rng) for _ in range(options.count)]
    reference = live.Reference(options.python)
    results = []
    for reshard, ours in zip(reshards, run_tool(options.opt, reshards)):
        theirs = run_reference(reference, reshard)
        mine = measure(reshard, parse_steps(ours, reshard.mesh))
        if theirs is not None:
            other = measure(reshard, parse_steps(theirs, reshard.mesh))
            results.append((reshard, (ours, theirs), (mine, other)))
    reference.close()

    def ratio(result):
        mine, other = result[2]
        return mine.received / other.received if other.received else math.inf * mine.received

    more = [result for result in results if result[2][0].received > result[2][1].received]
    more.sort(key=ratio, reverse=True)
    fewer = sum(mine.received < other.received for _, _, (mine, other) in results)
    with_handed = [(mine.received + mine.handed, other.received + other.handed)
                   for _, _, (mine, other) in results]
    print("%d reshards, %d without an answer of the reference" %
          (len(reshards), len(reshards) - len(results)))
    print("received: %d more than the reference, %d fewer" % (len(more), fewer))
    if more:
        print("worst ratio %.2f" % ratio(more[0]))
    print("with what is handed over: %d more, %d fewer" %
          (sum(a > b for a, b in with_handed), sum(a < b for a, b in with_handed)))
    for result in more[:options.show]:
        show(*result)
    return 1 if more else 0


if __name__ == "__main__":
    sys.exit(main())
