# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types, meshes and random shardings, as text."""

import math


class Val:
    def __init__(self, name, shape, dtype="f32"):
        self.name, self.shape, self.dtype = name, tuple(shape), dtype
        self.frozen = False  # a result that nothing should be built on

    @property
    def rank(self):
        return len(self.shape)

    @property
    def type(self):
        return ty(self.shape, self.dtype)


def ty(shape, dtype="f32"):
    return "tensor<%s>" % "x".join([str(d) for d in shape] + [dtype])


def ints(values):
    return "[%s]" % ", ".join(str(v) for v in values)


def i64s(values):
    values = list(values)
    return "array<i64: %s>" % ", ".join(str(v) for v in values) if values else "array<i64>"


def prod(values):
    return math.prod(values)


class Mesh:
    def __init__(self, name, axes, device_ids=None):
        self.name, self.axes, self.device_ids = name, list(axes), device_ids
        self.size = dict(axes)

    def body(self):
        text = "<[%s]" % ", ".join('"%s"=%d' % a for a in self.axes)
        if self.device_ids is not None:
            text += ", device_ids=" + ints(self.device_ids)
        return text + ">"

    def op(self):
        return "sdy.mesh @%s = %s" % (self.name, self.body())

    def order(self, ref):
        names = [a for a, _ in self.axes]
        return names.index(ref[0]), ref[1] or 1

    def ref_size(self, ref):
        return ref[2] if ref[1] else self.size[ref[0]]


AXIS_NAME_SETS = [["x", "y", "z", "w"], ["a", "b", "c", "d"], ["data", "model", "expert", "pipe"],
                  ["axis_0", "axis_1", "axis_2", "axis_3"], ["dp", "tp", "sp", "ep"]]


def random_mesh(rng, name="mesh", axes=None, sizes=(2, 2, 2, 3, 4, 4, 6, 8), limit=256):
    names = rng.choice(AXIS_NAME_SETS)
    count = axes or rng.choice([1, 2, 2, 2, 3, 3, 4])
    while True:
        picked = [rng.choice(sizes) for _ in range(count)]
        if prod(picked) <= limit:
            return Mesh(name, list(zip(names, picked)))


def ref_text(ref):
    return '"%s"' % ref[0] if not ref[1] else '"%s":(%d)%d' % ref


def mergeable(a, b):
    return bool(a[0] == b[0] and a[1] and b[1] and a[1] * a[2] == b[1])


class Sharding:
    """dims: list of [refs, open, priority or None]."""

    def __init__(self, mesh, dims, replicated=(), unreduced=(), kind="sum", inline=False):
        self.mesh, self.dims, self.kind, self.inline = mesh, dims, kind, inline
        self.replicated = sorted(replicated, key=mesh.order)
        self.unreduced = sorted(unreduced, key=mesh.order)

    def bare(self):
        dims = []
        for refs, is_open, priority in self.dims:
            inner = [ref_text(r) for r in refs] + (["?"] if is_open else [])
            dims.append("{%s}%s" % (", ".join(inner), "" if priority is None else "p%d" % priority))
        where = "mesh" + self.mesh.body() if self.inline else "@" + self.mesh.name
        text = "<%s, [%s]" % (where, ", ".join(dims))
        if self.replicated:
            text += ", replicated={%s}" % ", ".join(map(ref_text, self.replicated))
        if self.unreduced:
            kind = "" if self.kind == "sum" else self.kind
            text += ", unreduced=%s{%s}" % (kind, ", ".join(map(ref_text, self.unreduced)))
        return text + ">"

    def attr(self):
        return "sdy.sharding = #sdy.sharding" + self.bare()


def per_value(shardings):
    return "sdy.sharding = #sdy.sharding_per_value<[%s]>" % ", ".join(s.bare() for s in shardings)


class Style:
    """Probabilities that shape random shardings of one program."""

    def __init__(self, rng, **fixed):
        self.sub = rng.choice([0.05, 0.25, 0.5])
        self.open = rng.choice([0.4, 0.6, 0.85])
        self.replicated = rng.choice([0.0, 0.08, 0.2])
        self.unreduced = rng.choice([0.0, 0.0, 0.04])
        self.unused = rng.choice([0.2, 0.35])
        self.uneven = rng.choice([0.05, 0.2, 0.4])
        self.priority = 0.0
        self.inline = 0.0
        self.__dict__.update(fixed)


def axis_parts(rng, mesh, axes, p_sub):
    """Full axes or disjoint, coexisting parts of them, in random order."""
    parts = []
    for name in axes:
        size = mesh.size[name]
        splits = [d for d in range(2, size) if size % d == 0]
        if splits and rng.random() < p_sub:
            first = rng.choice(splits)
            pieces = [(name, 1, first), (name, first, size // first)]
            if size == 8 and first == 4 and rng.random() < 0.3:
                pieces = [(name, 1, 2), (name, 2, 2), (name, 4, 2)]
            parts += [p for p in pieces if rng.random() < 0.85]
        else:
            parts.append((name, 0, size))
    rng.shuffle(parts)
    return [p if p[1] else (p[0], None, None) for p in parts]


def random_sharding(rng, mesh, shape, style, axes=None, density=1.0):
    axes = [a for a, _ in mesh.axes] if axes is None else axes
    dims = [[[], rng.random() < style.open, None] for _ in shape]
    left = list(shape)
    replicated, unreduced = [], []
    for ref in axis_parts(rng, mesh, axes, style.sub):
        size, roll = mesh.ref_size(ref), rng.random()
        if roll < style.unused or rng.random() > density:
            continue
        if roll < style.unused + style.replicated:
            if not any(mergeable(r, ref) or mergeable(ref, r) for r in replicated):
                replicated.append(ref)
            continue
        if roll < style.unused + style.replicated + style.unreduced:
            if not any(mergeable(r, ref) or mergeable(ref, r) for r in unreduced):
                unreduced.append(ref)
            continue
        even = [d for d in range(len(shape)) if left[d] % size == 0 and left[d] > 0]
        choices = even
        if rng.random() < style.uneven:
            choices = [d for d in range(len(shape)) if shape[d] > 1]
        choices = [d for d in choices if not (dims[d][0] and mergeable(dims[d][0][-1], ref))]
        if not choices:
            continue
        d = rng.choice(choices)
        dims[d][0].append(ref)
        left[d] = left[d] // size if left[d] % size == 0 else 1
    if style.priority:
        for dim in dims:
            if (dim[0] or dim[1]) and rng.random() < style.priority:
                dim[2] = rng.choice([0, 1, 1, 2, 2, 3, 5])
    return Sharding(mesh, dims, replicated, unreduced,
                    rng.choice(["sum", "sum", "max", "min"]) if unreduced else "sum",
                    rng.random() < style.inline)
