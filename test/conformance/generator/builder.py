# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the text of one program: functions, regions and ops with random shardings."""

from .shardings import Val, i64s, ints, per_value, random_sharding, ty

UNARY = ["abs", "cbrt", "ceil", "cosine", "exponential", "exponential_minus_one", "floor", "log",
         "log_plus_one", "logistic", "negate", "round_nearest_afz", "round_nearest_even", "rsqrt",
         "sign", "sine", "sqrt", "tan", "tanh"]
BINARY = ["add", "atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder",
          "subtract"]
INT_UNARY = ["not", "popcnt", "count_leading_zeros", "abs", "negate", "sign"]
INT_BINARY = ["and", "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical",
              "add", "multiply", "maximum"]
POINTWISE_CALLS = ["Cholesky", "LayoutConstraint", "MoveToDevice", "MoveToHost", "mhlo.erf",
                   "annotate_device_placement", "InspectSharding"]


class Module:
    def __init__(self, rng, mesh, style):
        self.rng, self.mesh, self.style = rng, mesh, style
        self.meshes = [mesh]
        self.functions = []
        self.next_group = 0

    def text(self):
        return "\n".join([m.op() for m in self.meshes] + self.functions) + "\n"


class Scope:
    """A function body or a region under construction."""

    def __init__(self, module, parent=None, isolated=False, axes=None):
        self.module, self.parent, self.isolated = module, parent, isolated
        self.rng = module.rng
        self.root = parent.root if parent else self
        self.axes = axes if axes is not None else (
            parent.axes if parent else [a for a, _ in module.mesh.axes])
        self.lines, self.own, self.used = [], [], set()
        self.p_ann = parent.p_ann if parent else 0.15
        if not parent:
            self.counter, self.args, self.dims_pool, self.p_arg = 0, [], [4, 8, 16], 0.65

    # -- names and values --------------------------------------------------------------

    def fresh(self):
        self.root.counter += 1
        return "%%v%d" % self.root.counter

    def values(self):
        up = self.parent.values() if self.parent and not self.isolated else []
        return up + [v for v in self.own if not v.frozen]

    def can_add_args(self):
        return not self.isolated and (self.parent is None or self.parent.can_add_args())

    def new_arg(self, shape, dtype="f32", p_ann=None):
        root = self.root
        value = Val("%%arg%d" % len(root.args), shape, dtype)
        density = root.p_arg if p_ann is None else p_ann
        sharding = None
        if self.module.mesh.axes and self.rng.random() < density and (shape or self.rng.random() < .1):
            sharding = random_sharding(self.rng, self.module.mesh, shape, self.module.style)
        root.args.append((value, sharding))
        root.own.append(value)
        return value

    def get(self, shape, dtype="f32", reuse=0.6):
        """A value of this type: an existing one, a new argument, or a constant."""
        shape = tuple(shape)
        found = [v for v in self.values() if v.shape == shape and v.dtype == dtype]
        if found and self.rng.random() < reuse:
            return self.rng.choice(found)
        if self.can_add_args() and len(self.root.args) < 10:
            return self.new_arg(shape, dtype)
        return self.rng.choice(found) if found and self.rng.random() < 0.5 else self.constant(
            shape, dtype)

    def constant(self, shape, dtype="f32", annotate=False):
        literal = {"f": "1.000000e+00", "b": "1.000000e+00", "i": "1", "u": "1"}[dtype[0]]
        if dtype == "i1":
            literal = "true"
        return self.op("stablehlo.constant~A dense<%s> : %s" % (literal, ty(shape, dtype)), [],
                       [(shape, dtype)], p_ann=None if annotate else 0)[0]

    def pick(self, test=lambda v: True):
        found = [v for v in self.values() if test(v)]
        if not found:
            return None
        fresh = [v for v in found if v.name not in self.used]
        if fresh and self.rng.random() < 0.6:
            return self.rng.choice(fresh)
        return self.rng.choice(found[-8:] if self.rng.random() < 0.6 else found)

    # -- emission ----------------------------------------------------------------------

    def sharding_for(self, shape):
        return random_sharding(self.rng, self.module.mesh, shape, self.module.style, self.axes)

    def op(self, text, operands, results, p_ann=None, extra=""):
        """Emits one op. '~A' in `text` is where the attribute dictionary goes; '~B' the same
        inside an existing dictionary. Operands are '$0', '$1', ..."""
        attrs = [extra] if extra else []
        p = self.p_ann if p_ann is None else p_ann
        if results and self.module.mesh.axes and self.rng.random() < p and any(
                s for s, _ in results):
            attrs.append(per_value([self.sharding_for(s) for s, _ in results]))
        text = text.replace("~A", " {%s}" % ", ".join(attrs) if attrs else "")
        text = text.replace("~B", "".join(", " + a for a in attrs))
        for i in reversed(range(len(operands))):
            text = text.replace("$%d" % i, operands[i].name)
        self.used.update(o.name for o in operands)
        if not results:
            self.lines.append(text)
            return []
        name = self.fresh()
        if len(results) == 1:
            values = [Val(name, *results[0])]
            self.lines.append("%s = %s" % (name, text))
        else:
            values = [Val("%s#%d" % (name, i), *r) for i, r in enumerate(results)]
            self.lines.append("%s:%d = %s" % (name, len(results), text))
        self.own += values
        return values

    def child(self, isolated=False, axes=None):
        scope = Scope(self.module, self, isolated, axes)
        if self.module.style.priority:
            scope.p_ann = 0.0  # see unused_results
        return scope

    def block(self, scope, indent="  "):
        return "\n".join(indent + line for text in scope.lines for line in text.split("\n"))

    def bind(self, shapes):
        """Region arguments, made available in this scope."""
        values = [Val("%s_b" % self.fresh(), s, d) for s, d in shapes]
        self.own += values
        return values

    # -- common ops --------------------------------------------------------------------

    def unary(self, a, name=None):
        name = name or self.rng.choice(UNARY if a.dtype[0] in "fb" else INT_UNARY)
        return self.op("stablehlo.%s $0~A : %s" % (name, a.type), [a], [(a.shape, a.dtype)])[0]

    def binary(self, a, b, name=None):
        if not name:
            name = self.rng.choice(BINARY if a.dtype[0] in "fb" else INT_BINARY if a.dtype != "i1"
                                   else ["and", "or", "xor"])
        return self.op("stablehlo.%s $0, $1~A : %s" % (name, a.type), [a, b],
                       [(a.shape, a.dtype)])[0]

    def transpose(self, a, perm):
        shape = [a.shape[p] for p in perm]
        return self.op("stablehlo.transpose $0, dims = %s~A : (%s) -> %s"
                       % (ints(perm), a.type, ty(shape, a.dtype)), [a], [(shape, a.dtype)])[0]

    def reshape(self, a, shape):
        return self.op("stablehlo.reshape $0~A : (%s) -> %s" % (a.type, ty(shape, a.dtype)), [a],
                       [(shape, a.dtype)])[0]

    def broadcast(self, a, dims, shape):
        return self.op("stablehlo.broadcast_in_dim $0, dims = %s~A : (%s) -> %s"
                       % (ints(dims), a.type, ty(shape, a.dtype)), [a], [(shape, a.dtype)])[0]

    def dot(self, a, b, lb, rb, lc, rc, dtype=None):
        shape = [a.shape[d] for d in lb]
        shape += [a.shape[d] for d in range(a.rank) if d not in lb + lc]
        shape += [b.shape[d] for d in range(b.rank) if d not in rb + rc]
        batching = "batching_dims = %s x %s, " % (ints(lb), ints(rb)) if lb else ""
        dtype = dtype or a.dtype
        return self.op("stablehlo.dot_general $0, $1, %scontracting_dims = %s x %s~A : (%s, %s) -> %s"
                       % (batching, ints(lc), ints(rc), a.type, b.type, ty(shape, dtype)), [a, b],
                       [(shape, dtype)])[0]

    def reduce(self, a, dims, name="add"):
        shape = [n for d, n in enumerate(a.shape) if d not in dims]
        init = self.constant((), a.dtype)
        return self.op("stablehlo.reduce($0 init: $1) applies stablehlo.%s across dimensions = %s~A"
                       " : (%s, %s) -> %s" % (name, ints(dims), a.type, init.type,
                                              ty(shape, a.dtype)),
                       [a, init], [(shape, a.dtype)])[0]

    def concat(self, parts, dim):
        shape = list(parts[0].shape)
        shape[dim] = sum(p.shape[dim] for p in parts)
        args = ", ".join("$%d" % i for i in range(len(parts)))
        return self.op("stablehlo.concatenate %s, dim = %d~A : (%s) -> %s"
                       % (args, dim, ", ".join(p.type for p in parts), ty(shape, parts[0].dtype)),
                       parts, [(shape, parts[0].dtype)])[0]

    def slice(self, a, bounds):
        shape = [-(-(hi - lo) // st) for lo, hi, st in bounds]
        text = ", ".join("%d:%d%s" % (lo, hi, ":%d" % st if st != 1 else "") for lo, hi, st in bounds)
        return self.op("stablehlo.slice $0 [%s]~A : (%s) -> %s" % (text, a.type, ty(shape, a.dtype)),
                       [a], [(shape, a.dtype)])[0]

    def pad(self, a, low, high, interior):
        shape = [l + h + n + max(0, n - 1) * i for n, l, h, i in zip(a.shape, low, high, interior)]
        value = self.constant((), a.dtype)
        return self.op("stablehlo.pad $0, $1, low = %s, high = %s, interior = %s~A : (%s, %s) -> %s"
                       % (ints(low), ints(high), ints(interior), a.type, value.type,
                          ty(shape, a.dtype)), [a, value], [(shape, a.dtype)])[0]

    def indices(self, count, constant=None):
        rng = self.rng
        if constant is None:
            constant = rng.random() < 0.3
        if constant:
            return [self.constant((), "i32") for _ in range(count)]
        return [self.get((), "i32", reuse=0.8) for _ in range(count)]

    def dynamic_slice(self, a, sizes):
        idx = self.indices(a.rank)
        args = ", ".join("$%d" % i for i in range(1 + a.rank))
        return self.op("stablehlo.dynamic_slice %s, sizes = %s~A : (%s) -> %s"
                       % (args, ints(sizes), ", ".join([a.type] + ["tensor<i32>"] * a.rank),
                          ty(sizes, a.dtype)), [a] + idx, [(sizes, a.dtype)])[0]

    def dynamic_update_slice(self, a, u, constant=None):
        idx = self.indices(a.rank, constant)
        args = ", ".join("$%d" % i for i in range(2 + a.rank))
        return self.op("stablehlo.dynamic_update_slice %s~A : (%s) -> %s"
                       % (args, ", ".join([a.type, u.type] + ["tensor<i32>"] * a.rank), a.type),
                       [a, u] + idx, [(a.shape, a.dtype)])[0]

    def reverse(self, a, dims):
        return self.op("stablehlo.reverse $0, dims = %s~A : %s" % (ints(dims), a.type), [a],
                       [(a.shape, a.dtype)])[0]

    def compare(self, a, b):
        kind = "FLOAT" if a.dtype[0] in "fb" else "SIGNED"
        direction = self.rng.choice(["EQ", "NE", "LT", "LE", "GT", "GE"])
        out = ty(a.shape, "i1")
        return self.op("stablehlo.compare %s, $0, $1, %s~A : (%s, %s) -> %s"
                       % (direction, kind, a.type, a.type, out), [a, b], [(a.shape, "i1")])[0]

    def select(self, p, a, b):
        return self.op("stablehlo.select $0, $1, $2~A : %s, %s" % (p.type, a.type), [p, a, b],
                       [(a.shape, a.dtype)])[0]

    def clamp(self, lo, a, hi):
        return self.op("stablehlo.clamp $0, $1, $2~A : (%s, %s, %s) -> %s"
                       % (lo.type, a.type, hi.type, a.type), [lo, a, hi], [(a.shape, a.dtype)])[0]

    def convert(self, a, dtype):
        return self.op("stablehlo.convert $0~A : (%s) -> %s" % (a.type, ty(a.shape, dtype)), [a],
                       [(a.shape, dtype)])[0]

    def iota(self, shape, dim, dtype="i32"):
        return self.op("stablehlo.iota dim = %d~A : %s" % (dim, ty(shape, dtype)), [],
                       [(shape, dtype)])[0]

    def custom_call(self, target, operands, results, extra=""):
        args = ", ".join("$%d" % i for i in range(len(operands)))
        outs = ", ".join(ty(*r) for r in results)
        if len(results) != 1:
            outs = "(%s)" % outs
        return self.op("stablehlo.custom_call @%s(%s)~A : (%s) -> %s"
                       % (target, args, ", ".join(o.type for o in operands), outs), operands,
                       results, extra=extra)

    def generic(self, name, operands, results, props="", region="", extra="", p_ann=None):
        args = ", ".join("$%d" % i for i in range(len(operands)))
        outs = ", ".join(ty(*r) for r in results)
        if len(results) != 1:
            outs = "(%s)" % outs
        return self.op('"%s"(%s)%s%s~A : (%s) -> %s'
                       % (name, args, " <{%s}>" % props if props else "",
                          " ({\n%s\n})" % region if region else "",
                          ", ".join(o.type for o in operands), outs), operands, results,
                       extra=extra, p_ann=p_ann)

    def scalar_region(self, name, dtypes=("f32",), swap=False):
        """A region computing `name` on each (old, new) pair."""
        n, tag = len(dtypes), self.fresh()[1:]
        args = ["%%l%d_%s: tensor<%s>" % (i, tag, d) for i, d in enumerate(dtypes)]
        args += ["%%r%d_%s: tensor<%s>" % (i, tag, d) for i, d in enumerate(dtypes)]
        lines = ["^bb0(%s):" % ", ".join(args)]
        outs = []
        for i, d in enumerate(dtypes):
            pair = ("%%r%d_%s" if swap else "%%l%d_%s", "%%l%d_%s" if swap else "%%r%d_%s")
            pair = [p % (i, tag) for p in pair]
            if name == "second":
                outs.append("%%r%d_%s" % (i, tag))
                continue
            lines.append("  %%s%d_%s = stablehlo.%s %s, %s : tensor<%s>"
                         % (i, tag, name, pair[0], pair[1], d))
            outs.append("%%s%d_%s" % (i, tag))
        lines.append("  stablehlo.return %s : %s"
                     % (", ".join(outs), ", ".join("tensor<%s>" % d for d in dtypes)))
        return "\n".join("  " + line for line in lines)

    def sort(self, values, dim, stable=False):
        tag = self.fresh()[1:]
        args = []
        for i, v in enumerate(values):
            args += ["%%p%d_%s: tensor<%s>" % (i, tag, v.dtype), "%%q%d_%s: tensor<%s>"
                     % (i, tag, v.dtype)]
        t = "tensor<%s>" % values[0].dtype
        region = "  ^bb0(%s):\n    %%c_%s = stablehlo.compare LT, %%p0_%s, %%q0_%s : (%s, %s) -> " \
                 "tensor<i1>\n    stablehlo.return %%c_%s : tensor<i1>" \
                 % (", ".join(args), tag, tag, tag, t, t, tag)
        return self.generic("stablehlo.sort", values, [(v.shape, v.dtype) for v in values],
                            "dimension = %d : i64, is_stable = %s"
                            % (dim, "true" if stable else "false"), region)

    def reduce_window(self, a, window, strides, padding, name="add"):
        shape = [(n + lo + hi - w) // s + 1 for n, w, s, (lo, hi) in
                 zip(a.shape, window, strides, padding)]
        init = self.constant((), a.dtype)
        pads = "[%s]" % ", ".join("[%d, %d]" % p for p in padding)
        return self.generic(
            "stablehlo.reduce_window", [a, init], [(shape, a.dtype)],
            "padding = dense<%s> : tensor<%dx2xi64>, window_dimensions = %s, window_strides = %s"
            % (pads, a.rank, i64s(window), i64s(strides)),
            self.scalar_region(name, (a.dtype,)))[0]

    def convolution(self, a, w, lhs, rhs, out, out_shape, stride, pad, groups=1, batch_groups=1,
                    dilate=None):
        spatial = len(stride)
        text = "stablehlo.convolution($0, $1) dim_numbers = [%s]x[%s]->[%s], window = {" \
               % (", ".join(lhs), ", ".join(rhs), ", ".join(out))
        text += "stride = %s, pad = [%s]" % (ints(stride),
                                             ", ".join("[%d, %d]" % p for p in pad))
        if dilate:
            text += ", rhs_dilate = " + ints(dilate)
        assert spatial
        text += "} {batch_group_count = %d : i64, feature_group_count = %d : i64~B} : (%s, %s) -> %s" \
                % (batch_groups, groups, a.type, w.type, ty(out_shape, a.dtype))
        return self.op(text, [a, w], [(out_shape, a.dtype)])[0]

    def gather(self, a, i, numbers, sizes, shape):
        return self.generic("stablehlo.gather", [a, i], [(shape, a.dtype)],
                            "dimension_numbers = #stablehlo.gather<%s>, indices_are_sorted = false, "
                            "slice_sizes = %s" % (numbers, i64s(sizes)))[0]

    def scatter(self, inputs, i, updates, numbers, name="add", swap=False):
        return self.generic("stablehlo.scatter", inputs + [i] + updates,
                            [(v.shape, v.dtype) for v in inputs],
                            "indices_are_sorted = false, scatter_dimension_numbers = "
                            "#stablehlo.scatter<%s>, unique_indices = false" % numbers,
                            self.scalar_region(name, tuple(v.dtype for v in inputs), swap))

    # -- sdy ops -----------------------------------------------------------------------

    def constraint(self, a, sharding=None):
        sharding = sharding or self.sharding_for(a.shape)
        sharding.kind = "sum"  # the only kind a constraint may introduce
        return self.op("sdy.sharding_constraint $0 %s : %s" % (sharding.bare(), a.type), [a],
                       [(a.shape, a.dtype)], p_ann=0)[0]

    def barrier(self, a):
        direction = self.rng.choice(["FORWARD", "BACKWARD", "NONE"])
        return self.op("sdy.propagation_barrier $0 allowed_direction=%s~A : %s"
                       % (direction, a.type), [a], [(a.shape, a.dtype)])[0]

    def group(self, values, group_id):
        for v in values:
            self.op("sdy.sharding_group $0 group_id=%d : %s" % (group_id, v.type), [v], [])


def finish_function(scope, results, name="main", private=False, p_result=0.45, result_style=None):
    module, rng = scope.module, scope.rng
    args = ", ".join("%s: %s%s" % (v.name, v.type, " {%s}" % s.attr() if s else "")
                     for v, s in scope.args)
    outs = []
    for v in results:
        attr = ""
        if v.shape and module.mesh.axes and rng.random() < p_result:
            attr = " {%s}" % random_sharding(rng, module.mesh, v.shape,
                                             result_style or module.style).attr()
        outs.append(v.type + attr)
    text = "func.func %s@%s(%s)%s {\n%s%s  return%s\n}" % (
        "private " if private else "", name, args,
        " -> (%s)" % ", ".join(outs) if outs else "", scope.block(scope),
        "\n" if scope.lines else "",
        " %s : %s" % (", ".join(v.name for v in results), ", ".join(v.type for v in results))
        if results else "")
    module.functions.append(text)


def unused_results(scope, limit=4):
    """What a function returns: values without users. With priorities all of them, because the
    reference is not reliable on dead ops that carry a priority."""
    rng = scope.rng
    if scope.module.style.priority:
        limit = 1000
    arg_names = {v.name for v, _ in scope.args}
    loose = [v for v in scope.own if v.name not in scope.used and v.name not in arg_names]
    if len(loose) > limit:
        keep = rng.sample(loose, limit - 1)
        loose = [v for v in loose if v in keep or v is loose[-1]]
    if not loose:
        loose = [scope.own[-1]] if scope.own else []
    if scope.own and rng.random() < 0.15:
        loose.append(rng.choice(scope.own))
    return loose
