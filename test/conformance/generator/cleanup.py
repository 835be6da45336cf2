# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folder cleanup: passes that take shardings, collectives or reshards away."""

from .shardings import Mesh, ty
from .ops import random_dag
from .steps import with_regions

AXES = ["x", "y", "z"]


def lists(dims):
    return "[%s]" % ", ".join("{%s}" % ", ".join('"%s"' % a for a in axes) for axes in dims)


def on_mesh(dims, unreduced=()):
    tail = ', unreduced={%s}' % ", ".join('"%s"' % a for a in unreduced) if unreduced else ""
    return "<@mesh, %s%s>" % (lists(dims), tail)


def per_result(dims, unreduced=()):
    return "{sdy.sharding = #sdy.sharding_per_value<[%s]>}" % on_mesh(dims, unreduced)


def function(args, lines, returned):
    """A function that returns values given as (name, type)."""
    mesh = Mesh("mesh", [(axis, 2) for axis in AXES])
    types = ", ".join(t for _, t in returned)
    return "%s\nfunc.func @main(%s) -> (%s) {\n%s\n  return %s : %s\n}\n" % (
        mesh.op(), ", ".join(args), types, "\n".join("  " + line for line in lines),
        ", ".join(name for name, _ in returned), types)


def c_annotations(rng):
    """Programs without ops that have a sharding of their own."""
    if rng.random() < 0.85:
        return "-sdy-drop-sharding-and-mesh", random_dag(rng, 3, 20, inline=0.1)
    # Of named and manual computations, and constraints, many are refused, as there.
    return "-sdy-drop-sharding-and-mesh", with_regions(rng, inline=0.1)


def c_products(rng):
    """Products between gathers and scatters, some used twice, and some with something between."""
    args, lines, returned = [], [], []
    for k in range(rng.randint(1, 4)):
        rng.shuffle(free := list(AXES))
        types = [ty((8, 16)), ty((16, 8)), ty((8, 8))]
        operands = []
        for side in range(2):
            dims = [[], []]
            if rng.random() < 0.6:
                dims[rng.randrange(2)].append(free[side])
            name = "%%%s%d" % ("ab"[side], k)
            args.append("%s: %s {sdy.sharding = #sdy.sharding%s}" % (name, types[side], on_mesh(dims)))
            if any(dims) and rng.random() < 0.7:
                lines.append("%%g%s%d = sdy.all_gather %s %s out_sharding=%s : %s" % (
                    "ab"[side], k, lists(dims), name, on_mesh([[], []]), types[side]))
                name = "%%g%s%d" % ("ab"[side], k)
                if rng.random() < 0.25:
                    returned.append((name, types[side]))
                if rng.random() < 0.15:
                    lines.append("%%n%s%d = stablehlo.negate %s %s : %s" % (
                        "ab"[side], k, name, per_result([[], []]), types[side]))
                    name = "%%n%s%d" % ("ab"[side], k)
            operands.append(name)
        unreduced = [free[2]] if rng.random() < 0.2 else []
        product = rng.choice(["stablehlo.dot_general %s, %s, contracting_dims = [1] x [0]",
                              "stablehlo.dot %s, %s"]) % tuple(operands)
        lines.append("%%p%d = %s %s : (%s, %s) -> %s" % (
            k, product, per_result([[], []], unreduced), types[0], types[1], types[2]))
        if rng.random() < 0.25:
            returned.append(("%%p%d" % k, types[2]))
        result = "%%p%d" % k
        if rng.random() < 0.7:
            dims = [[free[2]], []] if rng.random() < 0.5 else [[], [free[2]]]
            lines.append("%%s%d = sdy.reduce_scatter %s %s out_sharding=%s : %s" % (
                k, lists(dims), result, on_mesh(dims), types[2]))
            result = "%%s%d" % k
        returned.append((result, types[2]))
    return "-sdy-remove-all-gather-reduce-scatter-for-cmv1", function(args, lines, returned)


def c_redundant(rng):
    """Reshards to the placement that their operand has, with open dimensions and reserved axes."""
    dims = [[], []]
    for axis in AXES:
        if rng.random() < 0.5:
            dims[rng.randrange(2)].append(axis)
    shape = ty((16, 16))

    def same():
        parts = ["{%s}" % ", ".join(['"%s"' % a for a in axes] + ["?"] * (rng.random() < 0.3))
                 for axes in dims]
        rest = [axis for axis in AXES if all(axis not in axes for axes in dims)]
        tail = ', replicated={"%s"}' % rest[0] if rest and rng.random() < 0.3 else ""
        return "<@mesh, [%s]%s>" % (", ".join(parts), tail)

    lines, value = [], "%a"
    for k in range(rng.randint(1, 6)):
        if rng.random() < 0.6:
            lines.append("%%r%d = sdy.reshard %s %s : %s" % (k, value, same(), shape))
        else:
            lines.append("%%r%d = stablehlo.negate %s %s : %s" % (k, value, per_result(dims), shape))
        value = "%%r%d" % k
    args = ["%%a: %s {sdy.sharding = #sdy.sharding%s}" % (shape, on_mesh(dims))]
    keep = rng.choice(["=keep-redundant-reshards=true", "=keep-redundant-reshards=false", ""])
    return "-sdy-reshard-to-collectives" + keep, function(args, lines, [(value, shape)])


CLEANUP = [(c_annotations, 3), (c_products, 3), (c_redundant, 2)]


def gen_cleanup(rng, index, seed):
    table = [fn for fn, n in CLEANUP for _ in range(n)]
    fn = table[index % len(table)]
    flags, text = fn(rng)
    return fn.__name__[2:], flags, text, {}
