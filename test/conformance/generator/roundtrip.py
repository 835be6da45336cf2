# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folder roundtrip: the textual forms of the sdy dialect."""

from .shardings import (
    AXIS_NAME_SETS, Mesh, Style, mergeable, per_value, prod, random_mesh, random_sharding,
    ref_text, ty)
from .builder import finish_function, unused_results
from .ops import start
from .rules import dims_of
from .features import FEATURES, f_manual, f_named, program_with


def text_mesh(rng, axes=None):
    return random_mesh(rng, rng.choice(["m", "mesh", "grid", "mesh_0"]), axes=axes or rng.choice([2, 3, 4]),
                       sizes=(2, 2, 4, 6, 8, 12, 16), limit=4096)


RICH = dict(sub=0.5, replicated=0.2, unreduced=0.12, unused=0.1, uneven=0.3, priority=0.4)


def rich(rng, mesh, shape, **over):
    style = Style(rng, **{**RICH, "inline": 0.1, **over})
    return random_sharding(rng, mesh, shape, style)


def loosen(rng, text):
    """Adds blanks and line breaks where the grammar allows them."""
    out, quoted = "", False
    for i, c in enumerate(text):
        if c == '"':
            quoted = not quoted
        out += c
        if not quoted and c in "[{(," and rng.random() < 0.4:
            out += rng.choice([" ", "  ", "\n   "])
        if not quoted and i + 1 < len(text) and text[i + 1] in "]}" and rng.random() < 0.4:
            out += " "
    return out


def in_func(args, body="", attrs="", results=""):
    return "func.func @main(%s)%s%s {\n%s  return%s\n}\n" % (
        args, " -> (%s)" % results if results else "", " attributes {%s}" % attrs if attrs else "",
        "".join("  %s\n" % l for l in body.split("\n") if l), "")


def t_mesh(rng):
    """Meshes of one device count, as the dialect asks for."""
    shapes = [[8], [2, 4], [4, 2], [2, 2, 2], [1, 8], [2, 1, 4], [8, 1, 1], [1, 2, 2, 2]]
    lines = []
    for i in range(rng.randint(3, 6)):
        ids = list(range(8))
        roll = rng.random()
        if roll < 0.4:
            rng.shuffle(ids)
        mesh = Mesh("m%d" % i, list(zip(rng.choice(AXIS_NAME_SETS), rng.choice(shapes))),
                    ids if roll < 0.6 else None)
        lines.append(mesh.op() + rng.choice(["", "", ' {note = "n"}']))
    lines.append("sdy.mesh @empty = <[]>")
    lines.append("sdy.mesh @one = <[], device_ids=[%d]>" % rng.choice([0, 1, 7]))
    lines.append("sdy.mesh @blanks = < [ \"a\" = 2 ,\"b\"=4 ] >")
    lines.append('sdy.mesh @"odd name" = <["axis \\"q\\""=8]>')
    return "\n".join(lines) + "\n"


def t_sharding(rng):
    mesh = text_mesh(rng)
    args = []
    for i in range(rng.randint(3, 6)):
        shape = dims_of(rng, rng.randint(0, 4), (1, 4, 6, 8, 16, 24, 48, 64))
        text = rich(rng, mesh, shape).attr()
        args.append("%%a%d: %s {%s}" % (i, ty(shape), loosen(rng, text) if rng.random() < 0.3 else text))
    return mesh.op() + "\n" + in_func(",\n    ".join(args))


def t_sharding_order(rng):
    """replicated and unreduced in either order, every reduction word, leniencies."""
    mesh = Mesh("m", [("x", 2), ("y", 4), ("z", 8)])
    forms = ['replicated={"x"}, unreduced={"y"}', 'unreduced={"y"}, replicated={"x"}',
             'unreduced=sum{"x", "z":(2)2}', 'unreduced=max{"y"}', 'unreduced=min{"z"}',
             'unreduced{"x"}', 'replicated={"x", "y":(1)2, "z"}',
             'unreduced=max{"z":(1)2}, replicated={"z":(2)4}']
    rng.shuffle(forms)
    args = ["%%a%d: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{%s}, {?}], %s>}"
            % (i, rng.choice(["", "?"]), f) for i, f in enumerate(forms[:5])]
    return mesh.op() + "\n" + in_func(", ".join(args))


def t_priorities(rng):
    mesh = text_mesh(rng, 3)
    args = []
    for i in range(4):
        shape = dims_of(rng, rng.randint(1, 4), (8, 16, 64))
        sharding = rich(rng, mesh, shape, priority=1.0, unreduced=0)
        for dim in sharding.dims:
            if dim[2] is not None and rng.random() < 0.3:
                dim[2] = rng.choice([0, 10, 123, 9223372036854775807])
        args.append("%%a%d: %s {%s}" % (i, ty(shape), sharding.attr().replace("}p", "} p")
                                        if rng.random() < 0.3 else sharding.attr()))
    return mesh.op() + "\n" + in_func(", ".join(args))


def t_per_value(rng):
    mesh = text_mesh(rng)
    lines, args = [], ["%a: tensor<16x8xf32>", "%i: tensor<16x8xi32>"]
    for k in range(3):
        shapes = [(16, 8)] * rng.choice([1, 2])
        attr = per_value([rich(rng, mesh, x) for x in shapes])
        if len(shapes) == 1:
            lines.append("%%r%d = stablehlo.tanh %%a {%s} : tensor<16x8xf32>" % (k, attr))
        else:
            lines.append("%%r%d:2 = stablehlo.custom_call @two(%%a, %%i) {%s} : (tensor<16x8xf32>, "
                         "tensor<16x8xi32>) -> (tensor<16x8xf32>, tensor<16x8xi32>)" % (k, attr))
    lines.append("stablehlo.custom_call @none(%%a) {has_side_effect = true, sdy.sharding = "
                 "#sdy.sharding_per_value<[%s]>} : (tensor<16x8xf32>) -> ()"
                 % rng.choice(["", "<@one, []>", "<@%s, []>" % mesh.name]))
    lines.append("%%t = stablehlo.create_token {sdy.sharding = #sdy.sharding_per_value<[<@%s, []>]>} : "
                 "!stablehlo.token" % mesh.name)
    lines.append("%tu = stablehlo.tuple %a : tuple<tensor<16x8xf32>>")
    return mesh.op() + "\nsdy.mesh @one = <[], device_ids=[0]>\n" + in_func(", ".join(args), "\n".join(lines))


def t_results(rng):
    mesh = text_mesh(rng)
    shapes = [dims_of(rng, rng.randint(1, 3), (8, 16)) for _ in range(2)]
    args = ", ".join("%%a%d: %s" % (i, ty(x)) for i, x in enumerate(shapes))
    outs = ", ".join("%s {%s}" % (ty(x), rich(rng, mesh, x).attr()) for x in shapes)
    body = "func.func @main(%s) -> (%s) {\n  return %%a0, %%a1 : %s\n}\n" % (
        args, outs, ", ".join(ty(x) for x in shapes))
    return mesh.op() + "\n" + body + "func.func private @declared(%s {%s}) -> (%s {%s})\n" % (
        ty(shapes[0]), rich(rng, mesh, shapes[0]).attr(), ty(shapes[1]), rich(rng, mesh, shapes[1]).attr())


def t_alone(rng):
    """Attributes standing alone in a dictionary."""
    mesh = Mesh("m", [("x", 2), ("y", 4), ("z", 8)])
    pool = ['#sdy.mesh<["x"=2, "y"=3]>', "#sdy.mesh<[], device_ids=[%d]>" % rng.randint(0, 9),
            '#sdy<mesh<["x"=2]>>', '#sdy<manual_axes{"x", "y"}>', "#sdy<manual_axes{}>",
            '#sdy<axis_ref_list{"x", "z":(2)2}>', "#sdy<axis_ref_list{}>",
            '#sdy<list_of_axis_ref_lists[{"x"}, {}, {"y", "z":(1)4}]>', "#sdy<list_of_axis_ref_lists[]>",
            '#sdy<all_to_all_param{"x", "y"}: 0->2>', '#sdy<all_to_all_param_list[{"x"}: 0->1, {"y"}: 2->3]>',
            '#sdy<axis_ref"x">', '#sdy<axis_ref"z":(2)4>', '#sdy<sharding<@m, [{"x"}]>>',
            '#sdy.sharding<mesh<["q"=3]>, [{"q", ?}p4]>', "#sdy.sharding_per_value<[]>",
            '#sdy.sharding_per_value<[<@m, [{}]>, <mesh<[]>, [{?}]>]>',
            "#sdy.op_sharding_rule<([i, jk])->([i, j, k]) {i=2, j=3, k=4}>",
            '#sdy<dimension_sharding{"x", ?}p3>', "#sdy<mesh_axis\"x\"=3>", "#sdy<sub_axis_info(2)4>"]
    rng.shuffle(pool)
    attrs = ", ".join("attr%d = %s" % (i, p) for i, p in enumerate(pool[:rng.randint(6, 9)]))
    return mesh.op() + "\n" + in_func("", attrs=attrs)


def t_alias(rng):
    mesh = Mesh("m", [("x", 2), ("y", 4)])
    return '#s = #sdy.sharding<@m, [{"x"}, {"y":(1)2, ?}]>\n#g = #sdy.mesh<["x"=2, "y"=4]>\n' + \
        "sdy.mesh @m = #g\n" + in_func("%a: tensor<8x8xf32> {sdy.sharding = #s}, %b: tensor<8x8xf32> "
                                       "{sdy.sharding = #s}",
                                       "%%c = stablehlo.add %%a, %%b {%s} : tensor<8x8xf32>"
                                       % per_value([rich(rng, mesh, (8, 8), inline=0)]))


def symbol(index):
    return "ijklmnopqrstuvwxyz"[index] if index < 18 else "z_%d" % (index - 17)


def t_rule(rng):
    lines = []
    for k in range(rng.randint(2, 4)):
        count = rng.choice([2, 3, 4, 6, 20, 22])
        sizes = [rng.choice([2, 3, 4, 8]) for _ in range(count)]
        order = list(range(count))

        def mapping(members):
            dims, i = [], 0
            while i < len(members):
                step = rng.choice([1, 1, 2])
                dims.append(members[i:i + step])
                i += step
            return dims

        operand, result = mapping(order), mapping([f for f in order if f % 3 != 2])
        groups, left = "", list(order)
        for name in ("reduction", "need_replication", "permutation"):
            members = [f for f in left if rng.random() < 0.25 and (name != "reduction" or f % 3 == 2)]
            left = [f for f in left if f not in members]
            if members:
                groups += " %s={%s}" % (name, ", ".join(symbol(f) for f in members))
        blocked = [f for f in order if rng.random() < 0.15]
        if blocked:
            groups += " blocked_propagation={%s}" % ", ".join(map(symbol, blocked))
        texts = ["[%s]" % ", ".join("".join(symbol(f) for f in d) for d in dims) for dims in (operand, result)]
        shapes = [[prod(sizes[f] for f in d) for d in dims] for dims in (operand, result)]
        rule = "#sdy.op_sharding_rule<(%s)->(%s) {%s}%s%s>" % (
            texts[0], texts[1], ", ".join("%s=%d" % (symbol(f), n) for f, n in enumerate(sizes)),
            groups, rng.choice(["", ", custom"]))
        lines.append("%%a%d = stablehlo.custom_call @src() : () -> %s" % (k, ty(shapes[0])))
        lines.append("%%b%d = stablehlo.custom_call @f(%%a%d) {sdy.sharding_rule = %s} : (%s) -> %s"
                     % (k, k, rule, ty(shapes[0]), ty(shapes[1])))
    lines.append("%s = stablehlo.constant dense<1.0> : tensor<f32>")
    lines.append("%u = stablehlo.add %s, %s {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([]){}>} "
                 ": tensor<f32>")
    return in_func("", "\n".join(lines))


def t_constraint(rng):
    mesh = text_mesh(rng)
    lines, args = [], []
    for k in range(3):
        shape = dims_of(rng, rng.randint(0, 4), (4, 8, 16))
        args.append("%%a%d: %s" % (k, ty(shape)))
        op = rng.choice(["sharding_constraint", "reshard"])
        sharding = rich(rng, mesh, shape)
        sharding.kind = "sum"
        lines.append("%%c%d = sdy.%s %%a%d %s : %s" % (k, op, k, sharding.bare(), ty(shape)))
    args.append("%tok: !stablehlo.token")
    lines.append("%%ct = sdy.sharding_constraint %%tok <@%s, []> : !stablehlo.token" % mesh.name)
    lines.append("%%cd = sdy.sharding_constraint %%a0 %s {note = 1 : i32} : %s"
                 % (lines[0].split("%a0 ")[1].split(" : tensor")[0], args[0].split(": ")[1]))
    return mesh.op() + "\n" + in_func(", ".join(args), "\n".join(lines))


GENERIC_MARK = "GENERIC\n"  # in front of a text whose generic form is meant


def t_generic_input(rng):
    """A text to be replaced by its generic form, which only a tool can print."""
    fn = rng.choice([t_constraint, t_manual, t_collectives, t_small_ops, t_named, t_edges, t_mesh])
    return GENERIC_MARK + fn(rng)


def t_manual(rng):
    style = dict(priority=0.2, unreduced=0.0)
    module, scope = start(rng, **style)
    scope.new_arg([8, 16], p_ann=1.0)
    for _ in range(rng.randint(1, 2)):
        f_manual(scope)
    if rng.random() < 0.4:
        scope.lines.append("sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {\n"
                           "  sdy.return\n} : () -> ()")
    finish_function(scope, unused_results(scope))
    return module.text()


def t_named(rng):
    module, scope = start(rng, unreduced=0.0)
    scope.new_arg([8, 16])
    for _ in range(2):
        f_named(scope)
    finish_function(scope, unused_results(scope))
    return module.text()


def t_small_ops(rng):
    mesh = text_mesh(rng)
    shape = dims_of(rng, rng.randint(1, 3), (4, 8))
    t = ty(shape)
    attr = per_value([rich(rng, mesh, shape, unreduced=0)])
    flat = prod(shape)
    lines = ["sdy.sharding_group %%a group_id=%d : %s" % (rng.choice([0, 4, -1, 1 << 40]), t),
             "%%k0 = sdy.constant dense<%d> : tensor<%dxi32>" % (rng.randint(0, 9), flat),
             "%%k1 = sdy.constant {%s} dense<1.5> : %s" % (attr, t),
             "%k2 = sdy.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>",
             "%%b0 = sdy.propagation_barrier %%a allowed_direction=%s : %s"
             % (rng.choice(["FORWARD", "BACKWARD", "NONE"]), t),
             "%%b1 = sdy.propagation_barrier %%b0 allowed_direction=NONE {%s} : %s" % (attr, t),
             "%%n = stablehlo.negate %%a : %s" % t,
             "sdy.sharding_group %%n group_id=%d {tag} : %s" % (rng.randint(0, 3), t)]
    return mesh.op() + "\n" + in_func("%%a: %s, %%dyn: tensor<?x4xf32>" % t, "\n".join(
        lines + ["sdy.sharding_group %dyn group_id=9 : tensor<?x4xf32>"]))


def t_edges(rng):
    mesh = text_mesh(rng)
    shape = dims_of(rng, 2, (4, 8))
    t = ty(shape)
    lines = ["%%o:2 = stablehlo.optimization_barrier %%a, %%b : %s, %s" % (t, t),
             "%%e0 = sdy.data_flow_edge %%o#0 sharding=%s : %s" % (rich(rng, mesh, shape).bare(), t),
             "%%e1 = sdy.data_flow_edge %%o#1 : %s" % t,
             "%%f0 = sdy.func_data_flow_edge %%c : %s" % t,
             "%%r = func.call @g(%%e0) : (%s) -> %s" % (t, t),
             "%%f1 = sdy.func_data_flow_edge %%r {%s} : %s" % (per_value([rich(rng, mesh, shape)]), t)]
    return mesh.op() + "\n" + in_func("%%a: %s, %%b: %s, %%c: %s" % (t, t, t), "\n".join(lines)) + \
        "func.func private @g(%%x: %s) -> %s {\n  return %%x : %s\n}\n" % (t, t, t)


def t_debug(rng):
    mesh = Mesh("m", [("x", 2), ("y", 4)])
    edges = rng.choice([
        '[{step-0 = [{"x" = operand-0 -> [result-0]}]}]',
        '[{step-0 = [{"x" = operand-0 -> [operand-1, result-0]}]}, {step-3 = [{"y":(1)2 = result-0 -> '
        "[operand-0]}]}]",
        '[{step-2 = [{"x" = result-0 -> [operand-0]}, {"y" = operand-1 -> [result-0]}]}]'])
    return mesh.op() + "\n" + in_func(
        '%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>, sdy.sharding_origins = '
        '{x = "self", y = "self"}}',
        '%%b = stablehlo.add %%a, %%a {sdy.propagation_edges = #sdy.propagation_edges<%s>, sdy.sharding = '
        '#sdy.sharding_per_value<[<@m, [{"x", ?}, {"y", ?}]>]>, sdy.sharding_origins = [{x = "input: %d", '
        '"y:(1)2" = "self"}]} : tensor<8x8xf32>' % (edges, rng.randint(0, 3)))


def collective_case(rng, kind, k):
    """(argument text, op text) of one valid collective."""
    mesh_axes = [("x", None, None), ("y", None, None), ("z", None, None), ("w", 1, 2), ("w", 2, 4)]
    sizes = {"x": 2, "y": 4, "z": 2, "w": 8}
    rng.shuffle(mesh_axes)
    rank = rng.choice([2, 3])
    shape = [64] * rank
    dims = [[] for _ in range(rank)]
    order = ["x", "y", "z", "w"]
    key = lambda r: (order.index(r[0]), r[1] or 1)
    fits = lambda refs, r: not (refs and (mergeable(refs[-1], r) or mergeable(r, refs[-1])))

    def spread(refs, into):
        for r in refs:
            places = [d for d in range(rank) if fits(into[d], r)]
            if places:
                into[rng.choice(places)].append(r)

    def show(lists):
        return "[%s]" % ", ".join("{%s}" % ", ".join(map(ref_text, l)) for l in lists)

    def sharding(lists, replicated=(), unreduced=(), word=""):
        text = "<@m, %s" % show(lists)
        if replicated:
            text += ", replicated={%s}" % ", ".join(map(ref_text, sorted(replicated, key=key)))
        if unreduced:
            text += ", unreduced=%s{%s}" % (word, ", ".join(map(ref_text, sorted(unreduced, key=key))))
        return text + ">"

    t = ty(shape)
    arg = lambda text: "%%a%d: %s {sdy.sharding = #sdy.sharding%s}" % (k, t, text)
    if kind in ("all_gather", "sharded_to_unreduced", "all_to_all"):
        spread(mesh_axes[:4], dims)
        if kind == "all_to_all":
            source = rng.choice([d for d in range(rank) if dims[d]])
            target = rng.choice([d for d in range(rank) if d != source])
            count = rng.randint(1, len(dims[source]))
            moved = dims[source][-count:]
            if not fits(dims[target], moved[0]):
                return collective_case(rng, kind, k)
            out = [list(l) for l in dims]
            out[source] = out[source][:-count]
            out[target] += moved
            return arg(sharding(dims)), "sdy.all_to_all [{%s}: %d->%d] %%a%d out_sharding=%s : %s" % (
                ", ".join(map(ref_text, moved)), source, target, k, sharding(out), t)
        cut = [rng.randint(0, len(l)) for l in dims]
        taken = [l[len(l) - c:] for l, c in zip(dims, cut)]
        out = [l[:len(l) - c] for l, c in zip(dims, cut)]
        if kind == "all_gather":
            return arg(sharding(dims)), "sdy.all_gather %s %%a%d out_sharding=%s : %s" % (
                show(taken), k, sharding(out), t)
        flat = sorted([r for l in taken for r in l], key=key)
        if any(mergeable(a, b) for a, b in zip(flat, flat[1:])):
            return collective_case(rng, kind, k)
        return arg(sharding(dims)), "sdy.sharded_to_unreduced %s %%a%d out_sharding=%s : %s" % (
            show(taken), k, sharding(out, (), flat), t)
    if kind == "all_slice":
        spread(mesh_axes[:2], dims)
        out, added = [list(l) for l in dims], [[] for _ in dims]
        for r in mesh_axes[2:4]:
            places = [d for d in range(rank) if fits(out[d], r)]
            if places:
                d = rng.choice(places)
                out[d].append(r)
                added[d].append(r)
        return arg(sharding(dims)), "sdy.all_slice %s %%a%d out_sharding=%s : %s" % (
            show(added), k, sharding(out), t)
    if kind == "collective_permute":
        a, b = [("x", None, None)], [("z", None, None)]
        dims[0], dims[1] = a, b
        out = [list(l) for l in dims]
        out[0], out[1] = b, a
        return arg(sharding(dims)), "sdy.collective_permute %%a%d out_sharding=%s : %s" % (k, sharding(out), t)
    word = rng.choice(["", "max", "min"])
    if kind in ("all_reduce", "reduce_scatter"):
        spread([r for r in mesh_axes if r[0] in ("x", "y")][:1], dims)
        red = sorted([r for r in mesh_axes if r[0] in ("z", "w") and r != ("w", 2, 4)], key=key)
        red = red[:rng.randint(1, len(red))]
        keep = []
        label = word + " " if word else rng.choice(["", "", "sum "])
        if kind == "all_reduce":
            return arg(sharding(dims, (), red + keep, word)), \
                "sdy.all_reduce %s{%s} %%a%d out_sharding=%s : %s" % (
                    label, ", ".join(map(ref_text, red)), k, sharding(dims), t)
        added, out = [[] for _ in dims], [list(l) for l in dims]
        for r in red:
            d = rng.randrange(rank)
            added[d].append(r)
            out[d].append(r)
        return arg(sharding(dims, (), red, word)), "sdy.reduce_scatter %s%s %%a%d out_sharding=%s : %s" % (
            label, show(added), k, sharding(out), t)
    spread(mesh_axes[:1], dims)
    spare = sorted([r for r in mesh_axes[1:3] if r[0] != mesh_axes[0][0]], key=key)
    spare = [r for r in spare if r[0] != "w" or r[1] == 1]
    if not spare:
        return collective_case(rng, kind, k)
    return arg(sharding(dims)), "sdy.replicated_to_unreduced {%s} %%a%d out_sharding=%s : %s" % (
        ", ".join(map(ref_text, spare)), k, sharding(dims, (), spare), t)


COLLECTIVES = ["all_gather", "all_slice", "all_to_all", "collective_permute", "all_reduce",
               "reduce_scatter", "sharded_to_unreduced", "replicated_to_unreduced"]


def t_collectives(rng):
    cases = [collective_case(rng, kind, k) for k, kind in enumerate(rng.sample(COLLECTIVES, 4))]
    return 'sdy.mesh @m = <["x"=2, "y"=4, "z"=2, "w"=8]>\n' + in_func(
        ",\n    ".join(c[0] for c in cases), "\n".join("%%r%d = %s" % (i, c[1]) for i, c in enumerate(cases)))


def t_scan(rng):
    """chlo.scan: inputs, initial values and outputs of any number, attributes in any combination."""
    shape = dims_of(rng, rng.randint(1, 3), (1, 4, 6, 8))
    dim = rng.randrange(len(shape))
    part = shape[:dim] + shape[dim + 1:]
    inputs, inits, outputs = rng.randint(0, 2), rng.randint(0, 2), rng.randint(0, 2)
    inits = max(inits, 1) if inputs == 0 else inits
    outputs = max(outputs, 1) if inputs == 0 or inits == 0 else outputs
    taken = [ty(shape)] * inputs + [ty(part)] * inits
    given = [ty(shape)] * outputs + [ty(part)] * inits
    names = ["%%a%d" % i for i in range(inputs + inits)]
    attributes = []
    if rng.random() < 0.5:
        attributes.append("is_associative = " + rng.choice(["true", "false"]))
    if rng.random() < 0.5:
        attributes.append("is_reverse = " + rng.choice(["true", "false"]))
    if rng.random() < 0.3:
        attributes.append("scan_dim_size = %d : i64" % shape[dim])
    steps = ", ".join("%%s%d: %s" % (i, ty(part)) for i in range(len(names)))
    returned = ", ".join("%%s%d" % rng.randrange(len(names)) for _ in given)
    text = "%sr%s = chlo.scan(%s) inits (%s) dimension=%d%s {\n^bb0(%s):\n%s\n} : (%s) -> (%s)" % (
        "%", ":%d" % len(given) if len(given) > 1 else "", ", ".join(names[:inputs]),
        ", ".join(names[inputs:]), dim,
        " attributes {%s}" % ", ".join(attributes) if attributes else "", steps,
        "stablehlo.return %s : %s" % (returned, ", ".join([ty(part)] * len(given))),
        ", ".join(taken), ", ".join(given))
    return in_func(", ".join("%s: %s" % pair for pair in zip(names, taken)), text)


def t_program(rng):
    return program_with(rng, rng.sample(sorted(FEATURES), 2), unreduced=0.05, inline=0.1).text()


ROUNDTRIP = [(t_mesh, 2), (t_sharding, 4), (t_sharding_order, 2), (t_priorities, 2), (t_per_value, 3),
             (t_results, 2), (t_alone, 4), (t_alias, 1), (t_rule, 5), (t_constraint, 3), (t_manual, 4),
             (t_named, 2), (t_small_ops, 3), (t_edges, 2), (t_debug, 2), (t_collectives, 7),
             (t_generic_input, 6), (t_scan, 2), (t_program, 3)]


def gen_roundtrip(rng, index, seed):
    table = [fn for fn, n in ROUNDTRIP for _ in range(n)]
    fn = table[index % len(table)]
    return fn.__name__[2:], "", fn(rng), {"mode": "text"}
