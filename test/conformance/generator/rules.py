# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folder rules: every op kind that has a sharding rule, a few ops per program."""

import random

from .shardings import Mesh, Sharding, Style, i64s, ty
from .builder import BINARY, INT_BINARY, INT_UNARY, Module, Scope, UNARY, finish_function
from .ops import random_factors, regroup


def rule_scope(rng):
    module = Module(rng, Mesh("mesh", [("x", 2)]), Style(rng))
    scope = Scope(module)
    scope.p_ann = scope.p_arg = 0.0
    return scope


def dims_of(rng, rank, choices=(1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 32)):
    return [rng.choice(choices) for _ in range(rank)]


def rule_unary(s, names, dtype="f32"):
    for name in names:
        s.unary(s.get(dims_of(s.rng, s.rng.randint(0, 3)), dtype, 0.2), name)


def rule_binary(s, names, dtype="f32"):
    for name in names:
        a = s.get(dims_of(s.rng, s.rng.randint(0, 3)), dtype, 0.2)
        s.binary(a, s.get(a.shape, dtype), name)


def rules_elementwise_misc(s):
    rng = s.rng
    shape = dims_of(rng, rng.randint(1, 3))
    a, b = s.get(shape, reuse=0), s.get(shape, reuse=0)
    c = s.op("stablehlo.complex $0, $1 : %s" % ty(shape, "complex<f32>"), [a, b],
             [(shape, "complex<f32>")])[0]
    for part in ("real", "imag"):
        s.op("stablehlo.%s $0 : (%s) -> %s" % (part, c.type, a.type), [c], [(shape, "f32")])
    s.op("stablehlo.is_finite $0 : (%s) -> %s" % (a.type, ty(shape, "i1")), [a], [(shape, "i1")])
    s.op("stablehlo.reduce_precision $0, format = e5m2 : %s" % a.type, [a], [(shape, "f32")])
    s.convert(a, "bf16")
    s.compare(a, b)


def rules_select_clamp(s):
    rng = s.rng
    shape = dims_of(rng, rng.randint(1, 3))
    a, b = s.get(shape, reuse=0), s.get(shape, reuse=0)
    s.select(s.get(shape, "i1"), a, b)
    s.select(s.get((), "i1"), a, b)
    s.clamp(s.get(()), a, s.get(()))
    s.clamp(b, a, b)


def rules_bitcast(s):
    shape = dims_of(s.rng, s.rng.randint(0, 3))
    a = s.get(shape, "ui32")
    s.op("stablehlo.bitcast_convert $0 : (%s) -> %s" % (a.type, ty(shape)), [a], [(shape, "f32")])
    s.op("stablehlo.bitcast_convert $0 : (%s) -> %s" % (a.type, ty(shape + [2], "ui16")), [a],
         [(shape + [2], "ui16")])
    b = s.get(shape + [4], "ui8")
    s.op("stablehlo.bitcast_convert $0 : (%s) -> %s" % (b.type, a.type), [b], [(shape, "ui32")])


def rules_dot(s):
    rng = s.rng
    m, k, n = dims_of(rng, 3)
    a, b = s.get([m, k]), s.get([k, n])
    text = "stablehlo.dot $0, $1 : (%s, %s) -> %s"
    s.op(text % (a.type, b.type, ty([m, n])), [a, b], [([m, n], "f32")])
    v, w = s.get([k], reuse=0), s.get([m])
    s.op(text % (a.type, v.type, ty([m])), [a, v], [([m], "f32")])
    s.op(text % (w.type, a.type, ty([k])), [w, a], [([k], "f32")])
    s.op(text % (v.type, v.type, ty([])), [v, v], [([], "f32")])


def rules_dot_general(s):
    rng = s.rng
    for _ in range(3):
        nb, nc, nl, nr = rng.randint(0, 2), rng.randint(0, 2), rng.randint(0, 2), rng.randint(0, 2)
        batch, contract = dims_of(rng, nb), dims_of(rng, nc)
        left = [("b", i, n) for i, n in enumerate(batch)] + [("c", i, n) for i, n in enumerate(contract)]
        right = list(left)
        left += [("l", i, n) for i, n in enumerate(dims_of(rng, nl))]
        right += [("r", i, n) for i, n in enumerate(dims_of(rng, nr))]
        rng.shuffle(left)
        rng.shuffle(right)
        where = lambda side, kind, count: [next(p for p, d in enumerate(side) if d[:2] == (kind, i))
                                           for i in range(count)]
        s.dot(s.new_arg([d[2] for d in left]), s.new_arg([d[2] for d in right]),
              where(left, "b", nb), where(right, "b", nb), where(left, "c", nc),
              where(right, "c", nc))


def rules_convolution(s):
    rng = s.rng
    for _ in range(2):
        spatial = rng.choice([1, 2, 2])
        n, groups, bgroups = rng.choice([2, 4, 8]), rng.choice([1, 1, 1, 2, 4]), 1
        if groups == 1 and rng.random() < 0.25:
            bgroups = 2
        feat, out = groups * rng.choice([1, 2, 4, 8]), groups * bgroups * rng.choice([1, 2, 8])
        sizes = [rng.choice([6, 8, 12, 16, 17]) for _ in range(spatial)]
        kernel = [rng.choice([1, 2, 3, 4, 5]) for _ in range(spatial)]
        if rng.random() < 0.1:
            kernel[0] = sizes[0]
        stride = [rng.choice([1, 1, 2, 3]) for _ in range(spatial)]
        dilate = [rng.choice([1, 1, 1, 2]) for _ in range(spatial)]
        pads, windows = [], []
        for h, k, st, di in zip(sizes, kernel, stride, dilate):
            reach = (k - 1) * di + 1
            lo = rng.choice([0, (reach - 1) // 2])
            hi = max(lo, reach - h - lo)
            pads.append((lo, hi))
            windows.append((h + lo + hi - reach) // st + 1)
        names = [str(i) for i in range(spatial)]
        roles = {"lhs": ["b"] + names + ["f"], "rhs": names + ["i", "o"], "out": ["b"] + names + ["f"]}
        if rng.random() < 0.4:
            for role in roles.values():
                rng.shuffle(role)
        lhs = {"b": n * bgroups, "f": feat, **dict(zip(names, sizes))}
        rhs = {"i": feat // groups, "o": out, **dict(zip(names, kernel))}
        res = {"b": n, "f": out, **dict(zip(names, windows))}
        a = s.new_arg([lhs[d] for d in roles["lhs"]])
        w = s.new_arg([rhs[d] for d in roles["rhs"]])
        s.convolution(a, w, roles["lhs"], roles["rhs"], roles["out"],
                      [res[d] for d in roles["out"]], stride, pads, groups, bgroups,
                      dilate if any(d != 1 for d in dilate) else None)


def rules_reduce(s):
    rng = s.rng
    for _ in range(2):
        rank = rng.randint(1, 4)
        a = s.new_arg(dims_of(rng, rank))
        s.reduce(a, sorted(rng.sample(range(rank), rng.randint(0 if rank > 1 else 1, rank))),
                 rng.choice(["add", "maximum"]))


def rules_reduce_variadic(s):
    rng = s.rng
    n, rank = rng.choice([2, 2, 3]), rng.randint(1, 3)
    shape = dims_of(rng, rank)
    dtypes = [rng.choice(["f32", "i32"]) for _ in range(n)]
    values = [s.new_arg(shape, d) for d in dtypes]
    inits = [s.constant((), d) for d in dtypes]
    dims = sorted(rng.sample(range(rank), rng.randint(1, rank)))
    out = [m for d, m in enumerate(shape) if d not in dims]
    s.generic("stablehlo.reduce", values + inits, [(out, d) for d in dtypes],
              "dimensions = %s" % i64s(dims), s.scalar_region("maximum", dtypes))


def rules_reduce_window(s):
    rng = s.rng
    for _ in range(2):
        rank = rng.randint(1, 4)
        shape = [rng.choice([1, 4, 6, 8, 12]) for _ in range(rank)]
        window, strides, padding = [], [], []
        for n in shape:
            w, st, p = rng.choice([(1, 1, (0, 0)), (1, 1, (0, 0)), (2, 2, (0, 0)), (3, 1, (1, 1)),
                                   (1, 2, (0, 0)), (n, 1, (n - 1, 0)), (1, 1, (1, 0))])
            if w > n + sum(p):
                w = 1
            window.append(w)
            strides.append(st)
            padding.append(p)
        s.reduce_window(s.new_arg(shape), window, strides, padding, rng.choice(["add", "maximum"]))


def rules_select_and_scatter(s):
    rng = s.rng
    shape, window, strides, padding, source = [], [], [], [], []
    for _ in range(rng.randint(1, 4)):
        n, w, st, p = rng.choice([(8, 1, 1, (0, 0)), (8, 2, 2, (0, 0)), (12, 3, 3, (0, 0)),
                                  (7, 2, 2, (0, 1)), (5, 1, 1, (0, 0))])
        shape.append(n)
        window.append(w)
        strides.append(st)
        padding.append(p)
        source.append((n + sum(p) - w) // st + 1)
    a, b, init = s.new_arg(shape), s.new_arg(source), s.constant(())
    tag = s.fresh()[1:]
    regions = "  ^bb0(%%p%s: tensor<f32>, %%q%s: tensor<f32>):\n" \
              "    %%c%s = stablehlo.compare GE, %%p%s, %%q%s : (tensor<f32>, tensor<f32>) -> tensor<i1>\n" \
              "    stablehlo.return %%c%s : tensor<i1>\n}, {\n%s" % (
                  (tag,) * 6 + (s.scalar_region("add"),))
    pads = "[%s]" % ", ".join("[%d, %d]" % p for p in padding)
    s.generic("stablehlo.select_and_scatter", [a, b, init], [(shape, "f32")],
              "padding = dense<%s> : tensor<%dx2xi64>, window_dimensions = %s, window_strides = %s"
              % (pads, len(shape), i64s(window), i64s(strides)), regions)


def rules_broadcast(s):
    rng = s.rng
    for _ in range(3):
        a_rank = rng.randint(0, 3)
        rank = a_rank + rng.randint(0, 2)
        a = s.new_arg(dims_of(rng, a_rank, (1, 1, 2, 3, 4, 8)))
        order = rng.sample(range(rank), a_rank)
        if rng.random() < 0.7:
            order.sort()
        shape = dims_of(rng, rank, (1, 2, 4, 5, 8))
        for d, n in zip(order, a.shape):
            if n != 1 or rng.random() < 0.4:
                shape[d] = n
        s.broadcast(a, order, shape)


RESHAPE_TOTALS = [24, 36, 48, 60, 72, 96, 120, 128, 144, 180, 210, 240, 256, 360, 384, 512, 720, 1024]


def rules_reshape(s):
    rng = s.rng
    for _ in range(6):
        n = rng.choice(RESHAPE_TOTALS)
        s.reshape(s.new_arg(random_factors(rng, n, rng.randint(1, 4))),
                  random_factors(rng, n, rng.randint(1, 4)))


def rules_reshape_nested(s):
    rng = s.rng
    for _ in range(5):
        a = s.new_arg(dims_of(rng, rng.randint(1, 3), (1, 4, 6, 8, 10, 12, 16, 30, 64, 96)))
        s.reshape(a, regroup(rng, a.shape))
    s.reshape(s.new_arg([]), [1] * rng.randint(1, 3))
    s.reshape(s.new_arg([1, 1]), [])


def rules_transpose(s):
    for _ in range(3):
        a = s.new_arg(dims_of(s.rng, s.rng.randint(1, 5)))
        perm = list(range(a.rank))
        s.rng.shuffle(perm)
        s.transpose(a, perm)


def rules_concatenate(s):
    rng = s.rng
    for _ in range(2):
        rank = rng.randint(1, 3)
        shape, dim = dims_of(rng, rank, (2, 4, 6, 8)), rng.randrange(rank)
        parts = []
        for _ in range(rng.randint(1, 4)):
            part = list(shape)
            part[dim] = rng.choice([1, 2, 4, 8])
            parts.append(s.new_arg(part))
        s.concat(parts, dim)
    a = s.new_arg([8, 4])
    left, right = s.slice(a, [(0, 3, 1), (0, 4, 1)]), s.slice(a, [(5, 8, 1), (0, 4, 1)])
    choice = rng.choice([[left, a], [right, left], [left, right, a], [a, a]])
    s.concat(choice, 0)
    b = s.new_arg([3, 4])
    s.concat([left, s.slice(s.new_arg([8, 4]), [(1, 4, 1), (0, 4, 1)])], 0)
    s.concat([left, b], 0)


def rules_slice_pad(s):
    rng = s.rng
    for _ in range(2):
        a = s.new_arg(dims_of(rng, rng.randint(1, 3), (2, 4, 5, 8, 12)))
        s.slice(a, [rng.choice([(0, n, 1), (0, n, 1), (0, n, 2), (1, n, 1), (0, n // 2, 1)])
                    for n in a.shape])
        b = s.new_arg(dims_of(rng, rng.randint(1, 3), (2, 4, 5, 8)))
        s.pad(b, [rng.choice([0, 1, 2]) for _ in b.shape], [rng.choice([0, 0, 1, -1]) for _ in b.shape],
              [rng.choice([0, 0, 1]) for _ in b.shape])


def rules_reverse(s):
    for _ in range(3):
        a = s.new_arg(dims_of(s.rng, s.rng.randint(1, 4)))
        s.reverse(a, sorted(s.rng.sample(range(a.rank), s.rng.randint(0, a.rank))))


def rules_dynamic(s):
    rng = s.rng
    for _ in range(2):
        a = s.new_arg(dims_of(rng, rng.randint(1, 3), (1, 4, 6, 8)))
        sizes = [rng.choice([n, n, max(1, n // 2), 1]) for n in a.shape]
        s.dynamic_slice(a, sizes)
        u = s.new_arg(sizes)
        s.dynamic_update_slice(a, u, rng.random() < 0.5)


def rules_gather(s):
    rng = s.rng
    for _ in range(2):
        style = rng.choice(["embedding", "window", "batched", "random"])
        v, d, b, n = [rng.choice([1, 2, 4, 8, 16]) for _ in range(4)]
        if style == "embedding":
            a, i = s.new_arg([v, d]), s.new_arg([b, n, 1], "i32")
            s.gather(a, i, "offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], "
                     "index_vector_dim = 2", [1, d], [b, n, d])
        elif style == "window":
            a, i = s.new_arg([v, d, n]), s.new_arg([b, 2], "i32")
            sizes = [rng.choice([1, v]), rng.choice([d, max(1, d // 2)]), n]
            s.gather(a, i, "offset_dims = [1, 2, 3], start_index_map = [0, 1], index_vector_dim = 1",
                     sizes, [b] + sizes)
        elif style == "batched":
            a, i = s.new_arg([b, v, d]), s.new_arg([b, n, 1], "i32")
            s.gather(a, i, "offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0]"
                     ", start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2",
                     [1, 1, d], [b, n, d])
        else:
            a, i = s.new_arg([v, d, n]), s.new_arg([2, b, n], "i32")
            sizes = [1, rng.choice([1, d]), rng.choice([n, max(1, n // 2)])]
            s.gather(a, i, "offset_dims = [0, 3], collapsed_slice_dims = [0], "
                     "start_index_map = [0, 2], index_vector_dim = 0", sizes,
                     [sizes[1], b, n, sizes[2]])


def rules_scatter(s):
    rng = s.rng
    v, d, b, n = [rng.choice([1, 2, 4, 8, 16]) for _ in range(4)]
    name, swap = rng.choice(["add", "second", "maximum", "multiply", "minimum", "subtract"]), rng.random() < .3
    s.scatter([s.new_arg([v, d])], s.new_arg([b, n, 1], "i32"), [s.new_arg([b, n, d])],
              "update_window_dims = [2], inserted_window_dims = [0], "
              "scatter_dims_to_operand_dims = [0], index_vector_dim = 2", name, swap)
    s.scatter([s.new_arg([b, v, d])], s.new_arg([b, n, 1], "i32"), [s.new_arg([b, n, d])],
              "update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], "
              "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], "
              "index_vector_dim = 2", rng.choice(["add", "second"]))
    part = max(1, d // 2)
    s.scatter([s.new_arg([v, d]), s.new_arg([v, d], "i32")], s.new_arg([n, 2], "i32"),
              [s.new_arg([n, 1, part]), s.new_arg([n, 1, part], "i32")],
              "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], "
              "index_vector_dim = 1", rng.choice(["add", "second"]))


def rules_sort(s):
    rng = s.rng
    shape = dims_of(rng, rng.randint(1, 3))
    s.sort([s.new_arg(shape)], rng.randrange(len(shape)))
    s.sort([s.new_arg(shape), s.new_arg(shape, "i32")], rng.randrange(len(shape)), True)
    s.sort([s.new_arg([1, 16, 1])], 1)


def rules_generators(s):
    shape = dims_of(s.rng, 2)
    s.iota(shape, s.rng.randrange(2))
    s.constant(shape)
    state = s.new_arg([2], "ui64")
    out = dims_of(s.rng, s.rng.randint(1, 3))
    s.generic("stablehlo.rng_bit_generator", [state], [([2], "ui64"), (out, "ui32")],
              "rng_algorithm = #stablehlo<rng_algorithm DEFAULT>")
    a = s.new_arg(shape)
    s.op("stablehlo.optimization_barrier $0, $0 : %s, %s" % (a.type, a.type), [a],
         [(shape, "f32"), (shape, "f32")])


def rules_linalg(s):
    rng = s.rng
    n, m = rng.choice([2, 3, 4, 8]), rng.choice([1, 4, 5])
    batch = dims_of(rng, rng.randint(0, 2))
    a = s.new_arg(batch + [n, n])
    s.op("stablehlo.cholesky $0, lower = %s : %s" % (rng.choice(["true", "false"]), a.type), [a],
         [(a.shape, "f32")])
    for left in (True, False):
        b = s.new_arg(batch + ([n, m] if left else [m, n]))
        s.generic("stablehlo.triangular_solve", [a, b], [(b.shape, "f32")],
                  "left_side = %s, lower = true, transpose_a = #stablehlo<transpose %s>, "
                  "unit_diagonal = false" % ("true" if left else "false", rng.choice(
                      ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])))


def rules_fft(s):
    rng = s.rng
    batch, n = dims_of(rng, rng.randint(0, 2)), rng.choice([4, 8, 16])
    c, r = s.new_arg(batch + [n], "complex<f32>"), s.new_arg(batch + [n])
    half = batch + [n // 2 + 1]
    s.op("stablehlo.fft $0, type = %s, length = [%d] : (%s) -> %s"
         % (rng.choice(["FFT", "IFFT"]), n, c.type, c.type), [c], [(c.shape, c.dtype)])
    f = s.op("stablehlo.fft $0, type = RFFT, length = [%d] : (%s) -> %s"
             % (n, r.type, ty(half, "complex<f32>")), [r], [(half, "complex<f32>")])[0]
    s.op("stablehlo.fft $0, type = IRFFT, length = [%d] : (%s) -> %s" % (n, f.type, r.type), [f],
         [(r.shape, "f32")])
    d = s.new_arg(batch + [4, n], "complex<f32>")
    s.op("stablehlo.fft $0, type = FFT, length = [4, %d] : (%s) -> %s" % (n, d.type, d.type), [d],
         [(d.shape, d.dtype)])


def rules_batch_norm(s):
    shape = dims_of(s.rng, s.rng.randint(2, 4))
    dim = s.rng.randrange(len(shape))
    a = s.new_arg(shape)
    params = [s.new_arg([shape[dim]]) for _ in range(4)]
    s.generic("stablehlo.batch_norm_inference", [a] + params, [(shape, "f32")],
              "epsilon = 1.000000e-03 : f32, feature_index = %d : i64" % dim)


def rules_collectives(s):
    rng = s.rng
    shape = [4 * rng.choice([1, 2, 3]), 4 * rng.choice([1, 2]), rng.choice([3, 5])]
    a = s.new_arg(shape)
    groups = "replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>"
    d, e = rng.sample([0, 1], 2)
    out = list(shape)
    out[d] *= 4
    s.generic("stablehlo.all_gather", [a], [(out, "f32")], "all_gather_dim = %d : i64, %s" % (d, groups))
    out = list(shape)
    out[d] //= 4
    s.generic("stablehlo.reduce_scatter", [a], [(out, "f32")],
              "%s, scatter_dimension = %d : i64" % (groups, d), s.scalar_region("add"))
    s.generic("stablehlo.all_reduce", [a], [(shape, "f32")], groups, s.scalar_region("add"))
    out = list(shape)
    target = e if rng.random() < 0.6 else d
    out[d] //= 4
    out[target] *= 4
    s.generic("stablehlo.all_to_all", [a], [(out, "f32")],
              "concat_dimension = %d : i64, %s, split_count = 4 : i64, split_dimension = %d : i64"
              % (target, groups, d))
    s.generic("stablehlo.collective_permute", [a], [(shape, "f32")],
              "source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>")
    s.generic("stablehlo.collective_broadcast", [a], [(shape, "f32")],
              "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>")


def rules_custom_pointwise(s):
    rng = s.rng
    names = ["annotate_device_placement", "Cholesky", "CompactWyHelper", "InspectSharding",
             "InvertDiagBlocksLowerTriangular", "InvertDiagBlocksUpperTriangular",
             "LayoutConstraint", "mhlo.erf", "MoveToDevice", "MoveToHost", "X64SplitHigh",
             "X64SplitLow", "xla.megascale.provide_metadata"]
    for name in rng.sample(names, 8):
        shape = dims_of(rng, rng.randint(0, 3))
        s.custom_call(name, [s.new_arg(shape)], [(shape, "f32")])


def rules_custom_spmd(s):
    rng = s.rng
    for name in rng.sample(["MultiPad", "RotateRight", "MultiRotate", "MultiSlice", "Wrap"], 3):
        shape = dims_of(rng, rng.randint(1, 2))
        s.custom_call("_SPMDInternalOp_" + name, [s.new_arg(shape)], [(shape, "f32")])
    shape = dims_of(rng, 1)
    s.custom_call("X64Combine", [s.new_arg(shape, "ui32"), s.new_arg(shape, "ui32")], [(shape, "ui64")])
    both = s.custom_call("X64Combine", [s.new_arg([2], "ui32"), s.new_arg([2], "ui32")],
                         [([2], "ui64")])[0]
    s.generic("stablehlo.rng_bit_generator", [both], [([2], "ui64"), ([4, 8], "ui32")],
              "rng_algorithm = #stablehlo<rng_algorithm DEFAULT>")


def rules_custom_linalg(s):
    rng = s.rng
    batch, n, m = dims_of(rng, rng.randint(0, 2)), rng.choice([4, 6, 8]), rng.choice([3, 4])
    a = s.new_arg(batch + [n, n])
    s.custom_call("Eigh", [a], [(a.shape, "f32"), (batch + [n], "f32")])
    b = s.new_arg(batch + [n, m])
    tau = batch + [min(n, m)]
    q = s.custom_call(rng.choice(["Qr", "QrDecompositionBlock"]), [b], [(b.shape, "f32"), (tau, "f32")])
    s.custom_call("ProductOfElementaryHouseholderReflectors", q, [(b.shape, "f32")])


def rules_custom_topk(s):
    rng = s.rng
    batch, n, k = dims_of(rng, rng.randint(0, 2)), rng.choice([8, 16, 32]), rng.choice([1, 2, 4])
    a, i = s.new_arg(batch + [n]), s.new_arg(batch + [n], "i32")
    out = batch + [k]
    s.custom_call("mhlo.topk", [a], [(out, "f32"), (out, "i32")])
    inits = [s.constant(()), s.constant((), "i32")]
    s.custom_call("ApproxTopK", [a, i] + inits, [(out, "f32"), (out, "i32")])
    s.custom_call("PartialReduce", [a, i] + inits, [(out, "f32"), (out, "i32")])


def rules_custom_none(s):
    shape = dims_of(s.rng, 2)
    for name in s.rng.sample(["tpu_custom_call", "xla_python_cpu_callback", "sdy_testonly",
                              "xla_ffi_python_gpu_callback", "nobody_knows_this"], 2):
        s.custom_call(name, [s.new_arg(shape)], [(shape, "f32")])
    rule = "sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=%d, j=%d} " \
           "need_replication={%s}, custom>" % (shape[0], shape[1], s.rng.choice("ij"))
    s.custom_call("has_own_rule", [s.new_arg(shape)], [(shape[::-1], "f32")], extra=rule)
    a = s.new_arg(shape)
    own = "#sdy.op_sharding_rule<([i, j])->([i, j]) {i=%d, j=%d} blocked_propagation={i}%s>" % (
        shape[0], shape[1], s.rng.choice(["", ", custom"]))
    s.op("stablehlo.tanh $0 {sdy.sharding_rule = %s} : %s" % (own, a.type), [a], [(shape, "f32")])


def rules_norule(s):
    shape = dims_of(s.rng, 2)
    a = s.new_arg(shape)
    s.generic("stablehlo.map", [a, a], [(shape, "f32")], "dimensions = array<i64: 0, 1>",
              s.scalar_region("add"))
    s.generic("stablehlo.broadcast", [a], [([3] + shape, "f32")], "broadcast_sizes = array<i64: 3>")
    s.op("stablehlo.partition_id : tensor<ui32>", [], [((), "ui32")])
    s.barrier(a)
    s.constraint(a, Sharding(s.module.mesh, [[[], True, None], [[], True, None]]))
    s.unary(a)


def rules_degenerate(s):
    s.reshape(s.new_arg([0, 4]), [4, 0])
    s.binary(s.new_arg([0, 3]), s.new_arg([0, 3]))
    s.broadcast(s.new_arg([1]), [0], [1])
    s.dot(s.new_arg([1, 1]), s.new_arg([1, 1]), [], [], [1], [0])
    s.reduce(s.new_arg([1, 1, 4]), [0, 1])
    s.transpose(s.new_arg([]), [])
    shape = [1] * s.rng.randint(5, 7) + [2, 3, 2, 3]
    s.unary(s.new_arg(shape))
    s.reshape(s.new_arg([2] * 10), [1024])
    s.dot(s.new_arg([2] * 10), s.new_arg([2] * 10), [0], [0], [9], [9])


def chunks(rng, names, size):
    names = list(names)
    rng.shuffle(names)
    return [names[i:i + size] for i in range(0, len(names), size)]


def rule_kinds(rng):
    kinds = [("unary", lambda s, n=n: rule_unary(s, n)) for n in chunks(rng, UNARY, 7)]
    kinds += [("binary", lambda s, n=n: rule_binary(s, n)) for n in chunks(rng, BINARY, 5)]
    kinds += [("int_unary", lambda s: rule_unary(s, INT_UNARY, "i32")),
              ("int_binary", lambda s: rule_binary(s, INT_BINARY, "i32"))]
    table = [(rules_elementwise_misc, 1), (rules_select_clamp, 1), (rules_bitcast, 2), (rules_dot, 1),
             (rules_dot_general, 7), (rules_convolution, 10), (rules_reduce, 3),
             (rules_reduce_variadic, 3), (rules_reduce_window, 4), (rules_select_and_scatter, 3),
             (rules_broadcast, 3), (rules_reshape, 11), (rules_reshape_nested, 5),
             (rules_transpose, 2), (rules_concatenate, 5), (rules_slice_pad, 4), (rules_reverse, 2),
             (rules_dynamic, 5), (rules_gather, 6), (rules_scatter, 5), (rules_sort, 3),
             (rules_generators, 2), (rules_linalg, 4), (rules_fft, 3), (rules_batch_norm, 2),
             (rules_collectives, 3), (rules_custom_pointwise, 2), (rules_custom_spmd, 2),
             (rules_custom_linalg, 2), (rules_custom_topk, 3), (rules_custom_none, 2),
             (rules_norule, 1), (rules_degenerate, 1)]
    for fn, weight in table:
        kinds += [(fn.__name__[len("rules_"):], fn)] * weight
    return kinds


def gen_rules(rng, index, seed):
    kinds = rule_kinds(random.Random("%s/rule-kinds" % seed))
    name, fn = kinds[index % len(kinds)]
    s = rule_scope(rng)
    fn(s)
    finish_function(s, [s.own[-1]], p_result=0)
    option = ""
    if rng.random() < (0.4 if name in ("convolution", "concatenate", "slice_pad", "reduce_window",
                                       "select_and_scatter") else 0.05):
        option = "=conservative-propagation=true"
    return name, "-sdy-populate-op-sharding-rules" + option, s.module.text(), {}
