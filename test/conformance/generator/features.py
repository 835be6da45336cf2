# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Region ops, calls, groups and other features of whole programs."""

from .shardings import Mesh, Sharding, Style, Val, per_value, prod, random_sharding, ty
from .builder import Scope, finish_function, unused_results
from .ops import (
    is_float, r_binary, r_broadcast, r_clamp, r_concat, r_constant, r_constraint, r_dot,
    r_reduce, r_reshape, r_reverse, r_select, r_slice, r_transpose, r_unary, random_ops, start)

SAME_SHAPE_OPS = [r_unary, r_binary, r_select, r_clamp, r_reverse]


def shape_preserving(s, v):
    """Computes something of the type of `v` from `v`."""
    rng = s.rng
    for _ in range(rng.randint(1, 3)):
        roll = rng.random()
        if is_float(v) and v.rank == 2 and roll < 0.35:
            n = v.shape[1]
            v = s.dot(v, s.get([n, n]), [], [], [1], [rng.choice([0, 1])])
        elif v.rank >= 2 and len(set(v.shape)) == 1 and roll < 0.5:
            perm = list(range(v.rank))
            rng.shuffle(perm)
            v = s.transpose(v, perm)
        elif v.rank >= 1 and roll < 0.58 and s.axes:
            v = s.constraint(v)
        elif roll < 0.8:
            v = s.binary(v, s.get(v.shape, v.dtype, 0.8))
        else:
            v = s.unary(v) if v.dtype != "i1" else s.binary(v, v)
    return v


def some_values(s, low, high, test=lambda v: v.rank >= 1 and v.dtype in ("f32", "i32")):
    found = [v for v in s.values() if test(v)]
    if not found:
        return []
    found = found[-8:]
    return s.rng.sample(found, min(len(found), s.rng.randint(low, high)))


def region_attr(s, shapes, p=0.25):
    if not s.axes or s.rng.random() >= p or not any(shapes):
        return ""
    return per_value([s.sharding_for(x) for x in shapes])


def record(s, text, operands, results):
    """Emits a finished multi-line op; results are (shape, dtype)."""
    name = s.fresh()
    s.used.update(o.name for o in operands)
    if not results:
        s.lines.append(text)
        return []
    if len(results) == 1:
        values = [Val(name, *results[0])]
        s.lines.append("%s = %s" % (name, text))
    else:
        values = [Val("%s#%d" % (name, i), *r) for i, r in enumerate(results)]
        s.lines.append("%s:%d = %s" % (name, len(results), text))
    s.own += values
    return values


def f_while(s):
    rng = s.rng
    carried = some_values(s, 1, 3)
    if not carried:
        return None
    counter = s.get((), "i32", 0.7)
    bound = s.constant((), "i32") if rng.random() < 0.7 else s.get((), "i32")
    types = [(v.shape, v.dtype) for v in carried] + [((), "i32")]
    names = [s.fresh() + "_it" for _ in types]
    cond = s.child()
    left = Val(names[-1], (), "i32")
    flag = cond.compare(left, bound)
    cond.lines.append("stablehlo.return %s : tensor<i1>" % flag.name)
    body = s.child()
    args = [Val(n, *t) for n, t in zip(names, types)]
    body.own += args
    if rng.random() < 0.4:
        random_ops(body, rng.randint(1, 3))
    if rng.random() < 0.25:
        rng.choice([f_while, f_case, f_manual, f_optimization_barrier])(body)
    outs = [shape_preserving(body, a) for a in args[:-1]]
    if len(outs) > 1 and outs[0].type == outs[1].type and rng.random() < 0.3:
        outs[0], outs[1] = outs[1], outs[0]
    if rng.random() < 0.2:
        outs[0] = args[0]
    outs.append(body.binary(args[-1], body.constant((), "i32"), "add"))
    all_types = ", ".join(a.type for a in args)
    body.lines.append("stablehlo.return %s : %s" % (", ".join(o.name for o in outs), all_types))
    attr = region_attr(s, [t[0] for t in types])
    text = "stablehlo.while(%s) : %s%s\ncond {\n%s\n} do {\n%s\n}" % (
        ", ".join("%s = %s" % (n, v.name) for n, v in zip(names, carried + [counter])), all_types,
        " attributes {%s}" % attr if attr else "", s.block(cond), s.block(body))
    return record(s, text, carried + [counter], types)


def f_case(s):
    rng = s.rng
    proto = some_values(s, 1, 2)
    if not proto:
        return None
    types = [(v.shape, v.dtype) for v in proto]
    index, branches = s.get((), "i32", 0.8), []
    for _ in range(rng.choice([1, 2, 2, 3])):
        branch = s.child()
        outs = []
        for v in proto:
            base = s.get(v.shape, v.dtype, 0.9) if rng.random() < 0.6 else v
            outs.append(base if rng.random() < 0.25 else shape_preserving(branch, base))
        branch.lines.append("stablehlo.return %s : %s" % (", ".join(o.name for o in outs),
                                                          ", ".join(o.type for o in outs)))
        branches.append("{\n%s\n}" % s.block(branch))
    attr = region_attr(s, [t[0] for t in types])
    outs = ", ".join(ty(*t) for t in types)
    text = '"stablehlo.case"(%s) (%s)%s : (tensor<i32>) -> %s' % (
        index.name, ", ".join(branches), " {%s}" % attr if attr else "",
        outs if len(types) == 1 else "(%s)" % outs)
    return record(s, text, [index] + proto, types)


def f_if(s):
    rng = s.rng
    proto = some_values(s, 1, 1)
    if not proto:
        return None
    v, branches = proto[0], []
    for _ in range(2):
        branch = s.child()
        out = shape_preserving(branch, v)
        branch.lines.append("stablehlo.return %s : %s" % (out.name, out.type))
        branches.append("{\n%s\n}" % s.block(branch))
    p = s.get((), "i1", 0.9)
    return record(s, '"stablehlo.if"(%s) (%s) : (tensor<i1>) -> %s'
                  % (p.name, ", ".join(branches), v.type), [p, v], [(v.shape, v.dtype)])


def f_optimization_barrier(s):
    values = some_values(s, 1, 3)
    if not values:
        return None
    attr = region_attr(s, [v.shape for v in values])
    return record(s, "stablehlo.optimization_barrier %s%s : %s" % (
        "{%s} " % attr if attr else "", ", ".join(v.name for v in values),
        ", ".join(v.type for v in values)), values, [(v.shape, v.dtype) for v in values])


def manual_sharding(s, shape, manual, p_dim, p_replicated):
    """A sharding whose manual axes come first in each dimension; shape is the global one.
    Returns it with the local shape."""
    rng, mesh = s.rng, s.module.mesh
    local, dims, replicated = list(shape), [[[], rng.random() < 0.6, None] for _ in shape], []
    for axis in manual:
        fit = [d for d in range(len(shape)) if local[d] % mesh.size[axis] == 0 and local[d] > 0]
        if fit and rng.random() < p_dim:
            d = rng.choice(fit)
            dims[d][0].append((axis, None, None))
            local[d] //= mesh.size[axis]
        elif rng.random() < p_replicated:
            replicated.append((axis, None, None))
    free = [a for a in s.axes if a not in manual]
    extra = random_sharding(rng, mesh, local, s.module.style, free, density=0.6)
    for d, (refs, _, priority) in enumerate(extra.dims):
        dims[d][0] += refs
        dims[d][2] = priority if dims[d][0] or dims[d][1] else None
    return Sharding(mesh, dims, replicated + extra.replicated), local


def f_manual(s, depth=0):
    rng, mesh = s.rng, s.module.mesh
    operands = some_values(s, 1, 3, lambda v: v.rank >= 1 and v.dtype == "f32")
    if not operands or not s.axes:
        return None
    manual = rng.sample(s.axes, rng.randint(1, min(2, len(s.axes))))
    if rng.random() < 0.7:
        manual.sort(key=[a for a, _ in mesh.axes].index)
    p_replicated = rng.choice([1.0, 1.0, 0.5])
    ins, locals_ = zip(*[manual_sharding(s, v.shape, manual, 0.75, p_replicated) for v in operands])
    body = s.child(True, [a for a in s.axes if a not in manual])
    args = body.bind([(shape, v.dtype) for shape, v in zip(locals_, operands)])
    random_ops(body, rng.randint(1, 5), only=MANUAL_OPS)
    if depth == 0 and body.axes and rng.random() < 0.35:
        f_manual(body, 1)
    elif rng.random() < 0.2:
        rng.choice([f_while, f_optimization_barrier])(body)
    random_ops(body, rng.randint(0, 2), only=MANUAL_OPS)
    found = [v for v in body.own if v.rank >= 1 and v.dtype == "f32" and prod(v.shape) < 1 << 18]
    if not found:
        return None
    results = [found[-1]] + ([rng.choice(found)] if rng.random() < 0.3 else [])
    outs, types = [], []
    for v in results:
        shape, used = list(v.shape), []
        dims = [[[], rng.random() < 0.6, None] for _ in shape]
        for axis in manual:
            if rng.random() < 0.6:
                d = rng.randrange(len(shape))
                dims[d][0].append((axis, None, None))
                shape[d] *= mesh.size[axis]
                used.append(axis)
        extra = random_sharding(rng, mesh, v.shape, s.module.style, body.axes, density=0.5)
        for d, (refs, _, priority) in enumerate(extra.dims):
            dims[d][0] += refs
            dims[d][2] = priority if dims[d][0] or dims[d][1] else None
        spare = [(a, None, None) for a in manual if a not in used and rng.random() < p_replicated]
        outs.append(Sharding(mesh, dims, spare + extra.replicated))
        types.append((shape, v.dtype))
    body.lines.append("sdy.return %s : %s" % (", ".join(v.name for v in results),
                                              ", ".join(v.type for v in results)))
    text = "sdy.manual_computation(%s) in_shardings=[%s] out_shardings=[%s] manual_axes={%s} (%s) {\n" \
           "%s\n} : (%s) -> %s" % (
               ", ".join(v.name for v in operands), ", ".join(x.bare() for x in ins),
               ", ".join(x.bare() for x in outs), ", ".join('"%s"' % a for a in manual),
               ", ".join("%s: %s" % (a.name, a.type) for a in args), s.block(body),
               ", ".join(v.type for v in operands),
               "(%s)" % ", ".join(ty(*t) for t in types) if len(types) > 1 else ty(*types[0]))
    return record(s, text, operands, types)


def f_named(s):
    rng = s.rng
    operands = some_values(s, 1, 2)
    if not operands:
        return None
    body = s.child(True)
    args = body.bind([(v.shape, v.dtype) for v in operands])
    random_ops(body, rng.randint(1, 4), only=MANUAL_OPS)
    found = [v for v in body.own if v.rank >= 1]
    if not found:
        return None
    results = [found[-1]]
    if rng.random() < 0.3:
        results.append(rng.choice(found))
    body.lines.append("sdy.return %s : %s" % (", ".join(v.name for v in results),
                                              ", ".join(v.type for v in results)))
    clauses = ""
    for kind, values, p in (("in", operands, 0.5), ("out", results, 0.5)):
        if rng.random() < p:
            clauses += " %s_shardings=[%s]" % (kind, ", ".join(
                s.sharding_for(v.shape).bare() for v in values))
    types = [(v.shape, v.dtype) for v in results]
    text = 'sdy.named_computation<"%s">(%s)%s (%s) {\n%s\n} : (%s) -> %s' % (
        rng.choice(["block", "layer", "attention", "f.1"]), ", ".join(v.name for v in operands),
        clauses, ", ".join("%s: %s" % (a.name, a.type) for a in args), s.block(body),
        ", ".join(v.type for v in operands),
        "(%s)" % ", ".join(ty(*t) for t in types) if len(types) > 1 else ty(*types[0]))
    return record(s, text, operands, types)


MANUAL_OPS = [r_unary, r_binary, r_dot, r_transpose, r_reshape, r_broadcast, r_reduce, r_concat,
              r_slice, r_constraint, r_select, r_constant]


def f_constraints(s):
    """Dangling, used and chained constraints on one value."""
    rng = s.rng
    v = s.pick(lambda v: v.rank >= 1)
    if not v:
        return None
    closed = Style(rng, open=rng.choice([0.0, 0.0, 0.5]), unused=0.1, sub=s.module.style.sub,
                   priority=s.module.style.priority, unreduced=s.module.style.unreduced)
    make = lambda: random_sharding(rng, s.module.mesh, v.shape, closed, s.axes)
    kind = rng.choice(["dangling", "used", "used", "chain", "double"])
    out = v
    if kind == "dangling":
        s.constraint(v, make())
        s.own.pop()
    elif kind == "double":
        s.constraint(v, make())
        out = s.constraint(v, make())
    else:
        for _ in range(1 if kind == "used" else rng.randint(2, 3)):
            out = s.constraint(out, make())
    if rng.random() < 0.7:
        s.unary(out) if v.dtype != "i1" else s.binary(out, out)
    if rng.random() < 0.5:
        s.binary(v, out) if v.dtype in ("f32", "i32") else None
    return [out]


def f_reshards(s):
    """Reshards as users write them, of a value and of its reshard; many add unreduced axes."""
    rng = s.rng
    v = s.pick(lambda v: v.rank >= 1)
    if not v:
        return None
    closed = Style(rng, open=rng.choice([0.0, 0.0, 0.2]), unused=0.2, sub=s.module.style.sub,
                   unreduced=rng.choice([0.2, 0.5]))
    out = v
    for _ in range(rng.choice([1, 2, 2])):
        sharding = random_sharding(rng, s.module.mesh, v.shape, closed, s.axes)
        out = s.op("sdy.reshard $0 %s : %s" % (sharding.bare(), v.type), [out],
                   [(v.shape, v.dtype)], p_ann=0)[0]
    if rng.random() < 0.5 and v.dtype != "i1":
        s.unary(out)
    return [out]


def f_groups(s):
    rng = s.rng
    own = [v for v in s.own if v.rank >= 1 and v.dtype != "i1"]
    if not own:
        return None
    v = rng.choice(own[-6:])
    same = [o for o in own if o.shape == v.shape and o is not v] or [s.unary(v)]
    if same:
        members = [v] + rng.sample(same, min(len(same), rng.randint(1, 3)))
        s.group(members, rng.choice([0, 1, 2, 5, 7]) if rng.random() < 0.2
                else 100 + 10 * s.module.next_group)
        s.module.next_group += 1
        return members
    return None


def f_constants(s):
    """Constant expressions and scalar expansions with several uses."""
    rng = s.rng
    v = s.pick(lambda v: is_float(v) and v.rank >= 1)
    if not v:
        return None
    kind = rng.choice(["splat", "scalar", "iota", "expr", "bias"])
    if kind == "splat":
        c = s.constant(v.shape, annotate=True)
    elif kind == "scalar":
        c = s.broadcast(s.constant(()) if rng.random() < 0.5 else s.get(()), [], v.shape)
    elif kind == "iota":
        c = s.iota(v.shape, rng.randrange(v.rank), "f32")
    elif kind == "expr":
        c = s.unary(s.constant(v.shape))
        c = s.binary(c, s.iota(v.shape, 0, "f32"))
    else:
        c = s.broadcast(s.constant((v.shape[-1],)), [v.rank - 1], v.shape)
    for _ in range(rng.randint(2, 3)):
        other = s.get(v.shape, reuse=0.95)
        out = s.binary(other, c)
        if rng.random() < 0.3:
            s.constraint(out)
    if rng.random() < 0.3:
        s.binary(c, c)
    return [c]


def f_call(s):
    """A private function, called once or more."""
    rng, module = s.rng, s.module
    if s.root is not s or not s.axes:
        return None
    operands = some_values(s, 1, 3)
    if not operands:
        return None
    callee = Scope(module)
    callee.dims_pool = s.dims_pool
    callee.p_ann = 0.0 if module.style.priority else s.p_ann
    for v in operands:
        callee.new_arg(v.shape, v.dtype, p_ann=0.25)
    count = len(callee.args)
    callee.can_add_args = lambda: False
    random_ops(callee, rng.randint(1, 5), only=MANUAL_OPS)
    if rng.random() < 0.25:
        rng.choice([f_while, f_optimization_barrier, f_manual])(callee)
    inner = module.__dict__.setdefault("callable", [])
    if inner and rng.random() < 0.5:
        emit_call(callee, *rng.choice(inner))
    found = [v for v in callee.own if v.rank >= 1]
    results = [found[-1]] if rng.random() < 0.7 else [found[-1], rng.choice(found)]
    name = rng.choice(["f", "g", "layer", "block"]) + str(len(module.functions))
    assert len(callee.args) == count
    finish_function(callee, results, name, True, p_result=0.25)
    signature = (name, [(v.shape, v.dtype) for v, _ in callee.args],
                 [(v.shape, v.dtype) for v in results])
    inner.append(signature)
    out = None
    for _ in range(rng.choice([1, 1, 2, 3])):
        out = emit_call(s, *signature)
    return out


def emit_call(s, name, arg_types, result_types):
    operands = [s.get(*t, reuse=0.95) for t in arg_types]
    outs = ", ".join(ty(*t) for t in result_types)
    args = ", ".join("$%d" % i for i in range(len(operands)))
    return s.op("func.call @%s(%s)~A : (%s) -> %s" % (
        name, args, ", ".join(o.type for o in operands),
        outs if len(result_types) == 1 else "(%s)" % outs), operands, result_types)


def f_maximal(s):
    mesh = next((m for m in s.module.meshes if m.name.startswith("maximal")), None)
    if not mesh:
        mesh = Mesh("maximal_mesh_0", [], [0])
        s.module.meshes.append(mesh)
    v = s.pick(is_float)
    if not v:
        return None
    return s.op("stablehlo.custom_call @on_one_device($0) {sdy.sharding = "
                "#sdy.sharding_per_value<[<@%s, []>]>} : (%s) -> %s" % (mesh.name, v.type, v.type),
                [v], [(v.shape, v.dtype)], p_ann=0)


def f_second_mesh(s):
    """A value annotated on another mesh: equal, reordered or coarser."""
    rng, mesh = s.rng, s.module.mesh
    n = prod(size for _, size in mesh.axes)
    kind = rng.choice(["equal", "reordered", "other"])
    if kind == "equal":
        second = Mesh("mesh_again", mesh.axes)
    elif kind == "reordered":
        second = Mesh("mesh_rev", mesh.axes, list(range(n))[::-1])
    else:
        second = Mesh("mesh_flat", [("devices", n)])
    if all(m.name != second.name for m in s.module.meshes):
        s.module.meshes.append(second)
    v = s.pick(lambda v: is_float(v) and v.rank >= 1)
    if not v:
        return None
    sharding = random_sharding(rng, second, v.shape, s.module.style)
    if rng.random() < 0.5:
        out = s.constraint(v, sharding)
    else:
        out = s.op("stablehlo.tanh $0 {%s} : %s" % (per_value([sharding]), v.type), [v],
                   [(v.shape, v.dtype)], p_ann=0)[0]
    return [s.unary(out)]


FEATURES = {
    "constraints": f_constraints, "groups": f_groups, "constants": f_constants, "calls": f_call,
    "while": f_while, "case": f_case, "barrier_op": f_optimization_barrier, "manual": f_manual,
    "named": f_named, "if": f_if, "maximal": f_maximal, "meshes": f_second_mesh,
    "reshards": f_reshards}
FEATURE_CYCLE = ["constraints", "manual", "calls", "while", "constants", "groups", "case", "manual",
                 "constraints", "calls", "named", "barrier_op", "while", "meshes", "manual",
                 "constants", "calls", "maximal", "groups", "if", "reshards"]


def program_with(rng, features, low=2, high=6, **style):
    module, scope = start(rng, **style)
    random_ops(scope, rng.randint(low, high))
    for name in features:
        for _ in range(rng.choice([1, 1, 2])):
            FEATURES[name](scope)
            random_ops(scope, rng.randint(1, 3))
    finish_function(scope, unused_results(scope))
    # Callees were appended before @main; put @main first about half of the time.
    if rng.random() < 0.5:
        module.functions.reverse()
    return module
