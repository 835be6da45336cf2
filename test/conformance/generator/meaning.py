# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folder meaning: programs that jaxlib cannot judge, with the diagnostics that they must get.

jaxlib 0.10.2 reads no kind of a reduction, has no pass that verifies unreduced axes, and warns once
in the life of its process. So each program is written together with its verdict, which follows from
what the program says and not from any implementation:

  * declared: `unreduced=KIND{axes}` of an op that combines by another kind along these axes;
  * partials: values on a way through ops, reshards and collectives, on which unreduced axes get
    lost, change their kind or come from nowhere;
  * unknown: custom calls, some with a rule.

A verdict is a sorted list of "error LINE" and "warning LINE", lines of the case counted from 1.
"""

from .shardings import Mesh

AXES = ["x", "y", "z"]
SHAPE = (8, 8)
TYPE = "tensor<8x8xf32>"


def braces(axes):
    return "{%s}" % ", ".join('"%s"' % axis for axis in sorted(axes))


def placement(dims, kind, axes):
    """The text behind `#sdy.sharding`; axes are those along which the value is unreduced."""
    tail = ""
    if axes:
        tail = ", unreduced%s%s" % ("=" if kind == "sum" else "=" + kind, braces(axes))
    return "<@mesh, [%s]%s>" % (", ".join(braces(d) for d in dims), tail)


def on_result(dims, kind, axes):
    return "{sdy.sharding = #sdy.sharding_per_value<[%s]>}" % placement(dims, kind, axes)


class Writer:
    """The lines of a case, of which the first is the RUN-ARGS and the second COMPARE."""

    def __init__(self):
        self.lines = [Mesh("mesh", [(axis, 2) for axis in AXES]).op()]
        self.faults = []
        self.refusal = None  # what the op's own verifier refuses, before any pass runs
        self.count = 0

    def add(self, text, fault=None, by_verifier=False):
        """Adds a line; `fault` is the severity of the diagnostic that it must get, or None."""
        self.lines.append(text)
        if not fault:
            return
        found = "%s %d" % (fault, len(self.lines) + 2)
        if by_verifier:
            self.refusal = self.refusal or found
        self.faults.append(found)

    def verdict(self):
        return [self.refusal] if self.refusal else sorted(self.faults)

    def name(self):
        self.count += 1
        return "%%v%d" % self.count

    def text(self):
        return "\n".join(self.lines) + "\n"


# --------------------------------------------------------------------------------------
# Declared reductions
# --------------------------------------------------------------------------------------

REDUCERS = {"sum": "add", "max": "maximum", "min": "minimum"}


def declared(rng):
    """One op that combines over its second dimension, with a result that is declared unreduced."""
    out = Writer()
    cut, kept, idle = rng.sample(AXES, 3)
    by = rng.choice(["sum", "sum", "max", "min"])
    is_dot = by == "sum" and rng.random() < 0.5
    over = {cut} if rng.random() < 0.8 else set()
    rows = {kept} if rng.random() < 0.4 else set()
    said = rng.choice(["sum", "max", "min", by])
    # Along an axis over which nothing is combined only a sum may be declared: the pass that verifies
    # asks that, the one that inserts reshards does not.
    along = {rng.choice([cut, idle])}
    verifies = rng.random() < 0.5
    wrong = bool(over & along) and said != by
    invented = verifies and said != "sum" and not over & along
    fault = "error" if wrong or invented else None
    operand = placement([rows, over], "sum", ())
    out.add("func.func @main(%%a: %s {sdy.sharding = #sdy.sharding%s}, %%b: %s {sdy.sharding = "
            "#sdy.sharding%s}) {" % (TYPE, operand, TYPE, placement([over, set()], "sum", ())))
    if is_dot:
        out.add("  %%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [0] %s : (%s, %s)"
                " -> %s" % (on_result([rows, set()], said, along), TYPE, TYPE, TYPE), fault)
    else:
        # -inf and inf would do as well: what the reduction starts from does not matter here.
        out.add("  %i = stablehlo.constant dense<0.0> : tensor<f32>")
        out.add("  %%0 = stablehlo.reduce(%%a init: %%i) applies stablehlo.%s across dimensions = [1]"
                " %s : (%s, tensor<f32>) -> tensor<8xf32>" % (
                    REDUCERS[by], on_result([rows], said, along), TYPE), fault)
    out.add("  return")
    out.add("}")
    flag = "-sdy-verify-unreduced-axes" if verifies else "-sdy-insert-explicit-reshards" + rng.choice(
        ["", "=enable-full-version=true"])
    return "declared", flag, out


# --------------------------------------------------------------------------------------
# Ways of partial values
# --------------------------------------------------------------------------------------

class Partial:
    """A value and what is known of it: the kind and the axes along which it is unreduced."""

    def __init__(self, name, kind="sum", axes=(), has_sharding=True):
        self.name, self.kind, self.axes, self.has_sharding = name, kind, set(axes), has_sharding


def some_axes(rng):
    return set(rng.sample(AXES, rng.choice([0, 1, 1, 2])))


def is_lost_or_changed(before, kind, axes):
    """Whether a value that was `before` may not silently be unreduced by `kind` along `axes`."""
    if before.axes - axes:
        return True
    if before.axes and before.kind != kind:
        return True
    return kind != "sum" and bool(axes - before.axes)


def p_op(rng, out, before):
    """An element-wise op of one operand: with a sharding that keeps, loses, adds or changes; or
    without one, and then the result is what the operand is."""
    name = out.name()
    if rng.random() < 0.3:
        out.add("  %s = stablehlo.negate %s : %s" % (name, before.name, TYPE))
        return Partial(name, before.kind, before.axes, has_sharding=False)
    kind, axes = before.kind, set(before.axes)
    if rng.random() < 0.4:
        kind, axes = rng.choice(["sum", before.kind, "max", "min"]), axes ^ some_axes(rng)
    fault = "error" if is_lost_or_changed(before, kind, axes) else None
    out.add("  %s = stablehlo.negate %s %s : %s" % (
        name, before.name, on_result([set(), set()], kind, axes), TYPE), fault)
    return Partial(name, kind, axes)


def p_barrier(rng, out, before):
    """A barrier passes values on: nothing may get lost, and nothing may come from nowhere."""
    name = out.name()
    axes, kind = set(before.axes), before.kind
    if rng.random() < 0.3:
        axes ^= {rng.choice(AXES)}
    fault = "error" if axes != before.axes else None
    out.add('  %s = "stablehlo.optimization_barrier"(%s) %s : (%s) -> %s' % (
        name, before.name, on_result([set(), set()], kind, axes), TYPE, TYPE), fault)
    return Partial(name, kind, axes)


def p_reshard(rng, out, before):
    """A reshard combines what it likes and adds sums, and nothing else. Its verifier says so where
    its operand has a sharding; what comes to an operand without one only the pass knows."""
    name = out.name()
    if rng.random() < 0.7:
        kind, axes = before.kind, {a for a in before.axes if rng.random() < 0.5}
        if rng.random() < 0.4 and kind == "sum":
            axes |= some_axes(rng)
    else:  # Another kind, along what the value is partial along, or along what it is not.
        kind, axes = rng.choice(["max", "min"]), set(before.axes) or {rng.choice(AXES)}
    introduces = kind != "sum" and bool(axes - before.axes)
    changes = bool(axes & before.axes) and kind != before.kind
    out.add("  %s = sdy.reshard %s %s : %s" % (
        name, before.name, placement([set(), set()], kind, axes), TYPE),
        "error" if introduces or changes else None, by_verifier=before.has_sharding)
    return Partial(name, kind, axes)


def p_all_reduce(rng, out, before):
    """An all_reduce combines along axes of its operand and leaves the others. Its verifier takes an
    operand without sharding for whole: nothing can be left."""
    name = out.name()
    over = {a for a in before.axes if rng.random() < 0.7} or {rng.choice(AXES)}
    left = before.axes - over
    if left and rng.random() < 0.25:
        left = set()
    unheard = bool(left) and not before.has_sharding
    fault = unheard or over - before.axes or (before.axes - over) - left
    out.add("  %s = sdy.all_reduce %s%s %s out_sharding=%s : %s" % (
        name, "" if before.kind == "sum" else before.kind + " ", braces(over), before.name,
        placement([set(), set()], before.kind, left), TYPE), "error" if fault else None,
        by_verifier=unheard)
    return Partial(name, before.kind, left)


def p_permute(rng, out, before):
    """A permute moves whole blocks: the unreduced axes stay."""
    if not before.has_sharding:
        return before
    name = out.name()
    axes = set(before.axes)
    if rng.random() < 0.3:
        axes ^= {rng.choice(AXES)}
    out.add("  %s = sdy.collective_permute %s out_sharding=%s : %s" % (
        name, before.name, placement([set(), set()], before.kind, axes), TYPE),
        "error" if axes != before.axes else None)
    return Partial(name, before.kind, axes)


def p_manual(rng, out, before):
    """A manual computation over some axes: what comes in partial along them goes out partial, or
    the body, which exchanges nothing, has lost it. Along the others the body is like the rest."""
    if not before.axes or not before.has_sharding:
        return before
    manual = set(rng.sample(AXES, rng.choice([1, 2])))
    axes = set(before.axes)
    if rng.random() < 0.4:
        axes -= {rng.choice(sorted(axes))}
    lost = before.axes - axes
    name, argument = out.name(), out.name()
    left, inner = placement([set(), set()], before.kind, axes), out.name()
    out.add("  %s = sdy.manual_computation(%s) in_shardings=[%s] out_shardings=[%s] manual_axes=%s "
            "(%s: %s) {" % (name, before.name, placement([set(), set()], before.kind, before.axes),
                            left, braces(manual), argument, TYPE))
    out.add("    %s = stablehlo.negate %s : %s" % (inner, argument, TYPE))
    out.add("    sdy.return %s : %s" % (inner, TYPE), "error" if lost else None)
    out.add("  } : (%s) -> %s" % (TYPE, TYPE))
    return Partial(name, before.kind, axes)


def partials(rng):
    out = Writer()
    kind, axes = rng.choice(["sum", "sum", "max", "min"]), some_axes(rng)
    out.add("func.func @main(%%a: %s {sdy.sharding = #sdy.sharding%s}) {" % (
        TYPE, placement([set(), set()], kind, axes)))
    value = Partial("%a", kind if axes else "sum", axes)
    for _ in range(rng.randint(2, 10)):
        step = rng.choice([p_op, p_op, p_barrier, p_reshard, p_reshard, p_all_reduce, p_permute,
                           p_manual])
        value = step(rng, out, value)
        if not value.axes:
            value.kind = "sum"
    out.add("  return")
    out.add("}")
    return "partials", "-sdy-verify-unreduced-axes", out


# --------------------------------------------------------------------------------------
# Custom calls that nobody knows
# --------------------------------------------------------------------------------------

RULE = "{sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}, custom>}"


def unknown(rng):
    """A warning at the first call of each target, unless a rule is attached; functions in order."""
    out = Writer()
    targets = ["mine", "yours", "my.kernel", "f"]
    warned = set()
    for function in range(rng.randint(1, 3)):
        out.add("func.func @f%d(%%a: %s) -> %s {" % (function, TYPE, TYPE))
        value = "%a"
        for _ in range(rng.randint(1, 5)):
            name, target = out.name(), rng.choice(targets)
            if rng.random() < 0.3:
                out.add("  %s = stablehlo.negate %s : %s" % (name, value, TYPE))
            elif rng.random() < 0.3:
                out.add("  %s = stablehlo.custom_call @%s(%s) %s : (%s) -> %s" % (
                    name, target, value, RULE, TYPE, TYPE))
            else:
                out.add("  %s = stablehlo.custom_call @%s(%s) : (%s) -> %s" % (
                    name, target, value, TYPE, TYPE), None if target in warned else "warning")
                warned.add(target)
            value = name
        out.add("  return %s : %s" % (value, TYPE))
        out.add("}")
    return "unknown", "-sdy-populate-op-sharding-rules", out


def gen_meaning(rng, index, seed):
    label, flag, out = rng.choice([declared, partials, partials, unknown])(rng)
    return label, flag, out.text(), {"mode": "diagnostics", "verdict": out.verdict()}
