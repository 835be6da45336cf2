# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random ops on the values at hand, and random programs made of them."""

from .shardings import Style, prod, random_mesh
from .builder import Module, POINTWISE_CALLS, Scope, finish_function, unused_results


def is_float(v):
    return v.dtype == "f32"


def divisors(n):
    return [d for d in range(2, n + 1) if n % d == 0]


def random_factors(rng, n, rank, ones=0.15):
    """A shape of n elements with about `rank` dimensions."""
    dims = []
    for _ in range(rank - 1):
        if rng.random() < ones:
            dims.append(1)
            continue
        options = divisors(n)
        pick = rng.choice(options) if options else 1
        dims.append(pick)
        n //= pick
    dims.append(n)
    if rng.random() < 0.6:
        rng.shuffle(dims)
    return dims


def regroup(rng, shape):
    """A reshape that splits and merges neighbouring dimensions of `shape`."""
    dims = []
    for n in shape:
        splits = [d for d in divisors(n) if d < n]
        if splits and rng.random() < 0.5:
            d = rng.choice(splits)
            dims += [d, n // d]
        else:
            dims.append(n)
    i = 0
    while i + 1 < len(dims):
        if rng.random() < 0.35:
            dims[i:i + 2] = [dims[i] * dims[i + 1]]
        else:
            i += 1
    if rng.random() < 0.12:
        dims.insert(rng.randrange(len(dims) + 1), 1)
    return dims[:6] if prod(dims[:6]) == prod(shape) else list(shape)


def new_dim(scope):
    return scope.rng.choice(scope.root.dims_pool)


def r_unary(s):
    v = s.pick(lambda v: v.dtype != "i1")
    return s.unary(v) if v else None


def r_binary(s):
    v = s.pick(lambda v: v.dtype in ("f32", "i32"))
    return s.binary(v, s.get(v.shape, v.dtype, 0.75)) if v else None


def r_dot(s):
    rng = s.rng
    a = s.pick(lambda v: is_float(v) and 1 <= v.rank <= 4)
    if not a:
        return None
    dims = list(range(a.rank))
    lc = rng.sample(dims, 2 if a.rank > 2 and rng.random() < 0.15 else 1)
    rest = [d for d in dims if d not in lc]
    lb = [d for d in rest if rng.random() < (0.35 if a.rank > 2 else 0.1)][:2]
    # Either an existing value that fits, or a new weight.
    for b in rng.sample(s.values(), min(len(s.values()), 6)):
        if not is_float(b) or b.rank < 1 or b.rank > 4:
            continue
        free = list(range(b.rank))
        matched = []
        for d in lb + lc:
            hit = [f for f in free if b.shape[f] == a.shape[d]]
            if not hit:
                break
            matched.append(rng.choice(hit))
            free.remove(matched[-1])
        if len(matched) == len(lb + lc) and a.rank - len(matched) + len(free) <= 5:
            return s.dot(a, b, lb, matched[:len(lb)], lc, matched[len(lb):])
    out = [new_dim(s) for _ in range(rng.choice([0, 1, 1, 1, 2]))]
    tagged = [("b", d) for d in lb] + [("c", d) for d in lc] + [("o", n) for n in out]
    rng.shuffle(tagged)
    shape = [n if k == "o" else a.shape[n] for k, n in tagged]
    b = s.get(shape, a.dtype, 0.5)
    place = {(k, n): i for i, (k, n) in enumerate(tagged)}
    return s.dot(a, b, lb, [place["b", d] for d in lb], lc, [place["c", d] for d in lc])


def r_transpose(s):
    v = s.pick(lambda v: v.rank >= 2)
    if not v:
        return None
    perm = list(range(v.rank))
    s.rng.shuffle(perm)
    return s.transpose(v, perm)


def r_reshape(s):
    v = s.pick(lambda v: v.rank >= 1)
    if not v:
        return None
    if s.rng.random() < 0.2:
        shape = random_factors(s.rng, prod(v.shape), s.rng.randint(1, 4))
    else:
        shape = regroup(s.rng, v.shape)
    return s.reshape(v, shape)


def r_broadcast(s):
    rng = s.rng
    v = s.pick(lambda v: v.rank <= 3)
    if not v:
        return None
    targets = [t for t in s.values() if t.rank > v.rank and t.dtype == v.dtype]
    if targets and rng.random() < 0.7:
        t = rng.choice(targets)
        dims, pos = [], 0
        for n in v.shape:
            hit = [d for d in range(pos, t.rank) if t.shape[d] == n or n == 1]
            if not hit:
                break
            dims.append(hit[0] if rng.random() < 0.5 else rng.choice(hit[:1]))
            pos = hit[0] + 1
        if len(dims) == v.rank:
            return s.broadcast(v, dims, t.shape)
    rank = min(5, v.rank + rng.randint(1, 2))
    dims = sorted(rng.sample(range(rank), v.rank))
    shape = [new_dim(s) for _ in range(rank)]
    for d, n in zip(dims, v.shape):
        shape[d] = n if n != 1 or rng.random() < 0.4 else shape[d]
    return s.broadcast(v, dims, shape)


def r_reduce(s):
    v = s.pick(lambda v: is_float(v) and v.rank >= 1)
    if not v:
        return None
    dims = sorted(s.rng.sample(range(v.rank), s.rng.randint(1, max(1, v.rank - 1))))
    return s.reduce(v, dims, s.rng.choice(["add", "maximum", "minimum", "multiply"]))


def r_concat(s):
    v = s.pick(lambda v: v.rank >= 1)
    if not v:
        return None
    n = s.rng.choice([2, 2, 3])
    if prod(v.shape) * n > 1 << 20:
        return None
    return s.concat([v] + [s.get(v.shape, v.dtype, 0.8) for _ in range(n - 1)],
                    s.rng.randrange(v.rank))


def r_slice(s):
    rng = s.rng
    v = s.pick(lambda v: v.rank >= 1 and max(v.shape) > 1)
    if not v:
        return None
    bounds = [(0, n, 1) for n in v.shape]
    for d in rng.sample(range(v.rank), rng.randint(1, min(2, v.rank))):
        n = v.shape[d]
        if n < 2:
            continue
        bounds[d] = rng.choice([(0, n // 2, 1), (n // 2, n, 1), (0, n, 2), (1, n, 1), (0, n - 1, 1)])
    return s.slice(v, bounds)


def r_pad(s):
    rng = s.rng
    v = s.pick(lambda v: is_float(v) and v.rank >= 1)
    if not v:
        return None
    low, high, interior = [0] * v.rank, [0] * v.rank, [0] * v.rank
    d = rng.randrange(v.rank)
    low[d], high[d] = rng.choice([(1, 1), (0, v.shape[d]), (2, 0), (0, 1), (1, -1)])
    if rng.random() < 0.2:
        interior[d] = 1
    return s.pad(v, low, high, interior)


def r_reverse(s):
    v = s.pick(lambda v: v.rank >= 1)
    return s.reverse(v, sorted(s.rng.sample(range(v.rank), s.rng.randint(1, v.rank)))) if v else None


def r_dynamic_slice(s):
    v = s.pick(lambda v: v.rank >= 1)
    if not v:
        return None
    sizes = list(v.shape)
    d = s.rng.randrange(v.rank)
    sizes[d] = s.rng.choice([1, max(1, sizes[d] // 2)])
    return s.dynamic_slice(v, sizes)


def r_dynamic_update_slice(s):
    v = s.pick(lambda v: is_float(v) and v.rank >= 1)
    if not v:
        return None
    sizes = list(v.shape)
    d = s.rng.randrange(v.rank)
    sizes[d] = s.rng.choice([1, max(1, sizes[d] // 2)])
    return s.dynamic_update_slice(v, s.get(sizes, v.dtype))


def r_gather(s):
    rng = s.rng
    v = s.pick(lambda v: is_float(v) and v.rank == 2)
    if not v:
        return None
    rows, cols = v.shape
    if rng.random() < 0.6:
        batch = [new_dim(s) for _ in range(rng.choice([1, 2]))]
        i = s.get(batch + [1], "i32") if rng.random() < 0.6 else s.get(batch, "i32")
        n = len(batch)
        return s.gather(v, i, "offset_dims = [%d], collapsed_slice_dims = [0], start_index_map = [0], "
                        "index_vector_dim = %d" % (n, n), [1, cols], batch + [cols])
    count, s0 = new_dim(s), rng.choice([1, max(1, rows // 2), rows])
    i = s.get([count, 2], "i32")
    return s.gather(v, i, "offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1",
                    [s0, cols], [count, s0, cols])


def r_scatter(s):
    v = s.pick(lambda v: is_float(v) and v.rank == 2)
    if not v:
        return None
    n = new_dim(s)
    i, u = s.get([n, 1], "i32"), s.get([n, v.shape[1]])
    return s.scatter([v], i, [u], "update_window_dims = [1], inserted_window_dims = [0], "
                     "scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
                     s.rng.choice(["add", "second", "maximum"]))


def r_select(s):
    v = s.pick(is_float)
    if not v:
        return None
    other = s.get(v.shape, v.dtype, 0.85)
    p = s.compare(v, other) if s.rng.random() < 0.7 else s.get((), "i1", 0.9)
    return s.select(p, v, other)


def r_clamp(s):
    v = s.pick(is_float)
    if not v:
        return None
    if s.rng.random() < 0.5:
        return s.clamp(s.constant(()), v, s.constant(()))
    return s.clamp(s.get(v.shape, reuse=0.8), v, s.get(v.shape, reuse=0.8))


def r_convert(s):
    v = s.pick(lambda v: v.dtype in ("f32", "i32", "i1"))
    return s.convert(v, s.rng.choice([t for t in ("f32", "f32", "i32") if t != v.dtype])) if v else None


def r_sort(s):
    v = s.pick(lambda v: is_float(v) and v.rank >= 1)
    if not v:
        return None
    extra = [s.get(v.shape, v.dtype, 0.9)] if s.rng.random() < 0.3 else []
    return s.sort([v] + extra, s.rng.randrange(v.rank))


def r_reduce_window(s):
    rng = s.rng
    v = s.pick(lambda v: is_float(v) and v.rank >= 1 and max(v.shape) >= 4)
    if not v:
        return None
    d = rng.choice([d for d in range(v.rank) if v.shape[d] >= 4])
    window, strides, padding = [1] * v.rank, [1] * v.rank, [(0, 0)] * v.rank
    window[d], strides[d], padding[d] = rng.choice(
        [(2, 2, (0, 0)), (3, 1, (1, 1)), (v.shape[d], 1, (v.shape[d] - 1, 0))])
    return s.reduce_window(v, window, strides, padding, rng.choice(["add", "maximum"]))


def r_convolution(s):
    rng = s.rng
    v = s.pick(lambda v: is_float(v) and v.rank in (3, 4) and min(v.shape[1:-1]) >= 2)
    if not v:
        return None
    spatial = v.rank - 2
    names = [str(i) for i in range(spatial)]
    k, st = rng.choice([(1, 1), (3, 1), (2, 2)])
    out = new_dim(s)
    pad = (1, 1) if k == 3 else (0, 0)
    sizes = [(n + 2 * pad[0] - k) // st + 1 for n in v.shape[1:-1]]
    w = s.get([k] * spatial + [v.shape[-1], out])
    return s.convolution(v, w, ["b"] + names + ["f"], names + ["i", "o"], ["b"] + names + ["f"],
                         [v.shape[0]] + sizes + [out], [st] * spatial, [pad] * spatial)


def r_iota(s):
    shape = s.pick(lambda v: v.rank >= 1)
    return s.iota(shape.shape, s.rng.randrange(shape.rank)) if shape else None


def r_constant(s):
    v = s.pick(is_float)
    if not v:
        return None
    if s.rng.random() < 0.5:
        return s.broadcast(s.constant(()), [], v.shape) if v.rank else None
    return s.constant(v.shape, annotate=True)


def r_custom(s):
    v = s.pick(is_float)
    if not v:
        return None
    roll = s.rng.random()
    if roll < 0.5:
        return s.custom_call(s.rng.choice(POINTWISE_CALLS), [v], [(v.shape, v.dtype)])[0]
    if roll < 0.7 and v.rank >= 1 and v.shape[-1] > 2:
        shape = v.shape[:-1] + (2,)
        return s.custom_call("mhlo.topk", [v], [(shape, "f32"), (shape, "i32")])[0]
    if v.rank == 2:
        rule = "sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) " \
               "{i=%d, j=%d}%s, custom>" % (v.shape + (s.rng.choice(
                   ["", " need_replication={j}", " blocked_propagation={i}",
                    " permutation={i}"]),))
        return s.custom_call("my_kernel", [v, s.get(v.shape)], [(v.shape, "f32")], extra=rule)[0]
    return s.custom_call("unknown_kernel", [v], [(v.shape, "f32")])[0]


def r_cholesky(s):
    v = s.pick(lambda v: is_float(v) and v.rank >= 2 and v.shape[-1] == v.shape[-2])
    return s.op("stablehlo.cholesky $0, lower = true~A : %s" % v.type, [v],
                [(v.shape, v.dtype)])[0] if v else None


def r_constraint(s):
    v = s.pick(lambda v: v.rank >= 1)
    return s.constraint(v) if v else None


def r_barrier(s):
    v = s.pick(lambda v: v.rank >= 1)
    return s.barrier(v) if v else None


def r_group(s):
    v = s.pick(lambda v: v.rank >= 1)
    if not v:
        return None
    same = [o for o in s.own if o.shape == v.shape and o is not v]
    if not same or v not in s.own:
        return None
    taken = s.module.__dict__.setdefault("grouped", set())
    members = [o for o in [v] + s.rng.sample(same, min(len(same), s.rng.randint(1, 2)))
               if o.name not in taken]
    if len(members) < 2:
        return None
    taken.update(o.name for o in members)
    s.group(members, s.module.next_group)
    s.module.next_group += 1
    return members[0]


RANDOM_OPS = [
    (r_unary, 10), (r_binary, 20), (r_dot, 16), (r_transpose, 7), (r_reshape, 11), (r_broadcast, 7),
    (r_reduce, 6), (r_concat, 4), (r_slice, 4), (r_pad, 3), (r_reverse, 2), (r_dynamic_slice, 3),
    (r_dynamic_update_slice, 3), (r_gather, 3), (r_scatter, 2), (r_select, 3), (r_clamp, 2),
    (r_convert, 2), (r_sort, 2), (r_reduce_window, 2), (r_convolution, 3), (r_iota, 1),
    (r_constant, 2), (r_custom, 2), (r_cholesky, 1), (r_constraint, 3), (r_barrier, 2), (r_group, 1)]

DIM_SETS = [[4, 8, 16], [8, 8, 16, 32], [8, 12, 24], [6, 12, 18], [2, 4, 8, 16], [16, 32, 64],
            [8, 10, 20], [4, 6, 9], [5, 8, 16], [1, 8, 16], [3, 7, 8], [24, 36, 8], [8, 8, 8]]


def random_ops(scope, count, weights=None, only=None):
    table = [(f, w) for f, w in (weights or RANDOM_OPS) if not only or f in only]
    functions, probs = zip(*table)
    made = tries = 0
    while made < count and tries < count * 8:
        tries += 1
        before = len(scope.lines)
        result = scope.rng.choices(functions, probs)[0](scope)
        values = result if isinstance(result, list) else [result]
        if result is None:
            continue
        if any(v.rank > 5 or prod(v.shape) > 1 << 22 for v in values):
            for v in values:
                v.frozen = True
        made += 1 if len(scope.lines) > before else 0


AXIS_SIZES = [(2, 2, 4, 4, 8), (2, 2, 2, 3, 4, 4, 6, 8), (2, 3, 4, 6)]


def start(rng, sizes=None, **style):
    mesh = random_mesh(rng, sizes=sizes or rng.choice(AXIS_SIZES))
    module = Module(rng, mesh, Style(rng, **style))
    scope = Scope(module)
    scope.dims_pool = rng.choice(DIM_SETS)
    scope.p_ann = rng.choice([0.0, 0.08, 0.2])
    for _ in range(rng.randint(1, 3)):
        scope.new_arg([new_dim(scope) for _ in range(rng.choice([1, 2, 2, 2, 3, 3, 4]))])
    return module, scope


def random_dag(rng, low, high, **style):
    module, scope = start(rng, **style)
    random_ops(scope, rng.randint(low, high))
    finish_function(scope, unused_results(scope))
    return module.text()
