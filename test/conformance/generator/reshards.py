# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs around single reshards: results of dots that want the summed axes, manual axes in parts,
reshards of propagation barriers, and reshards of one value in several shapes."""

from .shardings import Sharding, Style, Val, mergeable, prod, random_mesh, random_sharding
from .builder import Module, Scope, finish_function, per_value


def new_function(rng, sizes, **style):
    """A function without arguments, on a mesh with axes of these sizes."""
    module = Module(rng, random_mesh(rng, axes=rng.choice([2, 3, 4]), sizes=sizes),
                    Style(rng, uneven=0.0, **style))
    return module, Scope(module)


def argument(scope, shape, sharding):
    """A new argument with this sharding, which may be None."""
    value = scope.new_arg(shape, p_ann=0.0)
    scope.args[-1] = (value, sharding)
    return value


def reshard(scope, value, sharding):
    return scope.op("sdy.reshard $0 %s : %s" % (sharding.bare(), value.type), [value],
                    [(value.shape, value.dtype)], p_ann=0)[0]


def result_of(module, scope, values):
    finish_function(scope, values, p_result=0.0)
    return module.text()


# --------------------------------------------------------------------------------------
# Dots
# --------------------------------------------------------------------------------------

def dot_program(rng):
    """A dot whose operands agree. One factor of the result has other axes: mostly those of the summed
    factors, in some order."""
    module, scope = new_function(rng, (2, 2, 2, 4), sub=0.3)
    mesh = module.mesh
    factors = {"b": rng.choice([0, 0, 0, 1]), "l": rng.choice([1, 1, 2]), "r": rng.choice([0, 1, 1]),
               "k": rng.choice([1, 2, 2, 3])}
    factors = [kind + str(i) for kind, count in factors.items() for i in range(count)]
    size = {f: rng.choice([8, 64] if f[0] == "l" else [1, 6, 8, 16, 32]) for f in factors}
    axes = {f: [] for f in factors}
    for ref in all_parts(rng, mesh):
        chosen = rng.choice([f for f in factors if f[0] == "k"] * 2 + factors)
        if rng.random() < 0.8 and not (axes[chosen] and mergeable(axes[chosen][-1], ref)):
            axes[chosen].append(ref)

    def shuffled(kinds):
        """The factors of an operand: batching ones first, so that they are in order in both."""
        rest = [f for f in factors if f[0] in kinds]
        rng.shuffle(rest)
        return [f for f in factors if f[0] == "b"] + rest

    left, right, summed = shuffled("lk"), shuffled("rk"), [f for f in factors if f[0] == "k"]
    rng.shuffle(summed)
    batching = [f for f in left if f[0] == "b"]
    result = batching + [f for f in left if f[0] == "l"] + [f for f in right if f[0] == "r"]
    wanted = dict(axes)
    order = list(summed)
    if rng.random() < 0.2:
        rng.shuffle(order)
    if rng.random() < 0.2:
        order.pop()
    wanted[rng.choice(result)] = without_neighbours(ref for f in order for ref in axes[f])

    def sharding(names, of):
        return Sharding(mesh, [[list(of[f]), rng.random() < 0.3, None] for f in names], [], [])

    a, b = (argument(scope, [size[f] for f in names], sharding(names, axes))
            for names in (left, right))
    n = len(batching)
    value = scope.op(
        "stablehlo.dot_general $0, $1, %scontracting_dims = %s x %s~A : (%s, %s) -> %s" % (
            "batching_dims = %s x %s, " % (list(range(n)), list(range(n))) if n else "",
            [left.index(f) for f in summed], [right.index(f) for f in summed], a.type, b.type,
            Val("", [size[f] for f in result]).type),
        [a, b], [([size[f] for f in result], "f32")], p_ann=0,
        extra=per_value([sharding(result, wanted)]))
    return result_of(module, scope, value)


def without_neighbours(refs):
    """The list without parts that continue the one before them, which would have to be merged."""
    kept = []
    for ref in refs:
        if not (kept and mergeable(kept[-1], ref)):
            kept.append(ref)
    return kept


def all_parts(rng, mesh):
    """Every axis, whole or in two parts, in random order."""
    parts = []
    for name, size in mesh.axes:
        splits = [d for d in range(2, size) if size % d == 0]
        if splits and rng.random() < 0.4:
            first = rng.choice(splits)
            parts += [(name, 1, first), (name, first, size // first)]
        else:
            parts.append((name, None, None))
    rng.shuffle(parts)
    return parts


# --------------------------------------------------------------------------------------
# Manual axes
# --------------------------------------------------------------------------------------

def loose_parts(rng, name, size):
    """Parts of an axis that do not overlap; some of them cannot coexist."""
    parts = [(name, pre, n) for pre in range(1, size) for n in range(2, size)
             if size % (pre * n) == 0]
    rng.shuffle(parts)
    picked = []
    for part in parts:
        if all(part[1] * part[2] < p[1] or p[1] * p[2] < part[1] for p in picked):
            picked.append(part)
    return picked[:rng.randint(1, 3)]


def manual_clause(rng, module, shape, manual):
    """A sharding of one value of a manual computation, with parts of axes in all its lists."""
    mesh = module.mesh
    if rng.random() < 0.15:
        name = rng.choice(manual)
        if mesh.size[name] > 3:
            parts = sorted(loose_parts(rng, name, mesh.size[name]), key=mesh.order)
            cut = rng.randint(0, len(parts))
            return Sharding(mesh, [[[], True, None] for _ in shape], parts[:cut], parts[cut:])
    while True:
        sharding = random_sharding(rng, mesh, shape, module.style)
        for dim in sharding.dims:
            dim[0].sort(key=lambda ref: ref[0] not in manual)
        if not any(mergeable(*pair) for dim in sharding.dims for pair in zip(dim[0], dim[0][1:])):
            return sharding


def manual_parts_program(rng):
    """A manual computation of an element-wise op."""
    module, scope = new_function(rng, (2, 4, 6, 8, 12, 24), sub=0.8, replicated=0.25,
                                 unreduced=rng.choice([0.0, 0.25]), unused=0.4)
    mesh = module.mesh
    names = [name for name, _ in mesh.axes]
    manual = rng.sample(names, rng.randint(1, len(names)))

    def manual_size(sharding, d):
        return prod(mesh.ref_size(ref) for ref in sharding.dims[d][0] if ref[0] in manual)

    shape = [rng.choice([48, 96, 192]) for _ in range(rng.randint(1, 3))]
    inside = manual_clause(rng, module, shape, manual)
    local = [n // manual_size(inside, d) for d, n in enumerate(shape)]
    outside = manual_clause(rng, module, local, manual)
    result = [n * manual_size(outside, d) for d, n in enumerate(local)]
    operand = argument(scope, shape, None)
    body = scope.child(True, [name for name in names if name not in manual])
    inner = body.bind([(local, "f32")])[0]
    body.lines.append("sdy.return %s : %s" % (body.unary(inner).name, inner.type))
    return result_of(module, scope, scope.op(
        "sdy.manual_computation($0) in_shardings=[%s] out_shardings=[%s] manual_axes={%s} (%s: %s) "
        "{\n%s\n} : (%s) -> %s" % (
            inside.bare(), outside.bare(), ", ".join('"%s"' % name for name in manual), inner.name,
            inner.type, scope.block(body), operand.type, Val("", result).type),
        [operand], [(result, "f32")], p_ann=0))


# --------------------------------------------------------------------------------------
# Barriers
# --------------------------------------------------------------------------------------

def prefix_of(rng, sharding):
    """A sharding with some major axes of each dimension."""
    return Sharding(sharding.mesh, [[dim[0][:rng.randint(0, len(dim[0]))], False, None]
                                    for dim in sharding.dims], [], [])


def barrier_program(rng):
    """Reshards of the results of barriers that gather or slice only: of others, the steps differ."""
    module, scope = new_function(rng, (2, 2, 4, 8), open=0.0, replicated=0.0, unreduced=0.0)
    scope.p_ann = 0.3
    results = []
    for _ in range(rng.randint(1, 3)):
        shape = [rng.choice([32, 64]) for _ in range(rng.randint(1, 3))]
        fine = random_sharding(rng, module.mesh, shape, module.style)
        coarse = prefix_of(rng, fine)
        before, after = rng.choice([(fine, coarse), (coarse, fine), (fine, fine), (None, fine)])
        value = argument(scope, shape, before)
        for _ in range(rng.choice([0, 1, 1, 2])):
            value = scope.barrier(value)
        results.append(reshard(scope, value, after))
        if rng.random() < 0.3:
            results.append(scope.barrier(results[-1]))
            results.append(reshard(scope, results[-1], after))
    return result_of(module, scope, results)


# --------------------------------------------------------------------------------------
# Reshards of one value in several shapes
# --------------------------------------------------------------------------------------

def next_shape(rng, scope, value, sharding, kinds):
    """A transpose or a reshape of `value`, and the sharding that it has there."""
    shape, dims = list(value.shape), sharding.dims
    plain = [d for d in range(1, len(shape)) if not dims[d][0]]
    parts = [prod(sharding.mesh.ref_size(ref) for ref in dim[0]) for dim in dims]
    splits = [d for d, n in enumerate(shape) if n // parts[d] > 1]
    kind = rng.choice(kinds)
    if kind == "merge" and plain:
        d = rng.choice(plain)
        shape[d - 1:d + 1] = [shape[d - 1] * shape[d]]
        dims = dims[:d] + dims[d + 1:]
    elif kind == "split" and splits and len(shape) < 5:
        d = rng.choice(splits)
        shape[d:d + 1] = [parts[d], shape[d] // parts[d]]
        dims = dims[:d + 1] + [[[], False, None]] + dims[d + 1:]
    elif kind == "transpose":
        order = rng.sample(range(len(shape)), len(shape))
        return scope.transpose(value, order), \
            Sharding(sharding.mesh, [dims[d] for d in order], [], [])
    return scope.reshape(value, shape), Sharding(sharding.mesh, dims, [], [])


def repeated_reshards_program(rng):
    """A value is resharded, and again after a few changes of its shape, mostly to the same place. What
    the tools are known to do differently is left out, see docs/design/0004: shape ops with shardings,
    and transposes together with reshards to anything but replicated."""
    module, scope = new_function(rng, (2, 2, 3, 4), open=0.0, replicated=0.0, unreduced=0.0)
    scope.p_ann = 0.0
    mesh, results = module.mesh, []
    shape = rng.sample([2 * 3 * 4, 7 * 12, 5 * 12, 11 * 12], rng.randint(1, 3))
    value = argument(scope, shape, random_sharding(rng, mesh, shape, module.style)
                     if rng.random() < 0.5 else None)
    kinds, sharding = rng.choice([
        (["merge", "split"], random_sharding(rng, mesh, shape, module.style)),
        (["merge", "split", "transpose"], Sharding(mesh, [[[], False, None] for _ in shape], [], []))])
    for step in range(rng.randint(2, 4)):
        is_same = rng.random() < 0.85 or "transpose" in kinds
        target = sharding if is_same else random_sharding(rng, mesh, value.shape, module.style)
        if step == 0 or rng.random() < 0.8:
            results.append(reshard(scope, value, target))
        value, sharding = next_shape(rng, scope, value, sharding, kinds)
    results.append(reshard(scope, value, sharding))
    return result_of(module, scope, results)
