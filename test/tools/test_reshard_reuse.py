# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Canonicalization reuses a reshard through reshapes and transposes exactly where both place the
same elements on every device, which numpy finds out from the numbers of the elements."""

import itertools
import os
import pathlib
import random
import re
import subprocess

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPT = pathlib.Path(os.environ.get("SHARDWISE_BUILD_DIR", ROOT / "build")) / "bin/shardwise-opt"
SEED = int(os.environ.get("SHARDWISE_TEST_SEED", 20240607))
COUNT = int(os.environ.get("SHARDWISE_RANDOM_RESHARDS", 300))

MESH = {"x": 2, "y": 4, "z": 3}
PARTS = [("x", 1, 2), ("y", 1, 2), ("y", 2, 2), ("z", 1, 3)]  # name, pre-size, size
SHAPES = [(24,), (2, 12), (12, 2), (4, 6), (6, 4), (2, 3, 4), (2, 2, 6), (8, 3), (4, 3, 2),
          (2, 2, 3, 2)]


def tensor(shape):
    return "tensor<%sxf32>" % "x".join(map(str, shape))


def written(dims):
    """The sharding as text; the two halves of y merge."""
    text = ["{%s}" % ", ".join('"%s":(%d)%d' % part if part[2] < MESH[part[0]] else '"%s"' % part[0]
                               for part in dim) for dim in dims]
    return "<@m, [%s]>" % ", ".join(text).replace('"y":(1)2, "y":(2)2', '"y"')


def placement(elements, dims):
    """Per device, the set of elements that it holds."""
    held = []
    for coordinates in itertools.product(*map(range, MESH.values())):
        at = dict(zip(MESH, coordinates))
        slices = []
        for size, parts in zip(elements.shape, dims):
            block = 0
            for name, pre_size, part in parts:
                block = block * part + at[name] // (MESH[name] // (pre_size * part)) % part
                size //= part
            slices.append(slice(block * size, (block + 1) * size))
        held.append(frozenset(elements[tuple(slices)].flat))
    return held


class Program:
    """A function with two reshards of one tensor in two shapes."""

    def __init__(self, rng, name):
        self.rng = rng
        root = rng.choice(SHAPES)
        elements = numpy.arange(24).reshape(root)
        self.lines = []
        earlier = elements.reshape(rng.choice(SHAPES))
        self.op("%e", "stablehlo.reshape %t", elements, earlier)
        first = self.sharding(earlier.shape)
        self.lines.append("%%r1 = sdy.reshard %%e %s : %s" % (written(first), tensor(earlier.shape)))
        value, later = "%t", elements
        for step in range(rng.randrange(4)):
            before, name_after = later, "%%c%d" % step
            if rng.random() < 0.5:
                order = rng.sample(range(before.ndim), before.ndim)
                later = before.transpose(order)
                self.op(name_after, "stablehlo.transpose %s, dims = %s" % (value, order), before,
                        later)
            else:
                later = before.reshape(rng.choice(SHAPES))
                self.op(name_after, "stablehlo.reshape %s" % value, before, later)
            value = name_after
        wanted = placement(earlier, first)
        second = self.sharding(later.shape)
        for _ in range(100):  # until one happens to be the same
            if placement(later, second) == wanted:
                break
            second = self.sharding(later.shape)
        self.is_same = placement(later, second) == wanted
        self.lines.append("%%r2 = sdy.reshard %s %s : %s"
                          % (value, written(second), tensor(later.shape)))
        types = "%s, %s" % (tensor(earlier.shape), tensor(later.shape))
        self.text = "func.func @%s(%%t: %s) -> (%s) {\n  %s\n  return %%r1, %%r2 : %s\n}\n" % (
            name, tensor(root), types, "\n  ".join(self.lines), types)

    def op(self, name, text, before, after):
        self.lines.append("%s = %s : (%s) -> %s"
                          % (name, text, tensor(before.shape), tensor(after.shape)))

    def sharding(self, shape):
        """Some of the parts, each where it divides what is left of a dimension."""
        dims, left = [[] for _ in shape], list(shape)
        for part in self.rng.sample(PARTS, len(PARTS)):
            dim = self.rng.randrange(len(shape))
            if self.rng.random() < 0.5 and left[dim] % part[2] == 0:
                dims[dim].append(part)
                left[dim] //= part[2]
        return dims


def test_reused_exactly_where_placements_are_the_same():
    rng = random.Random(SEED)
    programs = [Program(rng, "f%d" % number) for number in range(COUNT)]
    module = 'sdy.mesh @m = <["x"=2, "y"=4, "z"=3]>\n' + "".join(p.text for p in programs)
    process = subprocess.run([OPT, "-canonicalize"], input=module, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.returncode == 0, process.stderr
    functions = re.split(r"func\.func @f\d+", process.stdout)[1:]
    assert len(functions) == COUNT
    num_same = num_reused = 0
    for program, function in zip(programs, functions):
        is_reused = function.count("sdy.reshard") == 1
        assert program.is_same or not is_reused, f"seed {SEED}\n{program.text}became\n{function}"
        num_same += program.is_same
        num_reused += is_reused
    # Transposes that change nothing are not seen through on the earlier reshard's side.
    assert num_reused >= 0.97 * num_same > 0.2 * COUNT
