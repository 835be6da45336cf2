# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Big programs: transformer, MLP training step, convolutional net, and a random mix."""

import random

from .shardings import Style, random_mesh
from .builder import Module, Scope, finish_function, unused_results
from .ops import new_dim, random_ops
from .features import (
    f_call, f_case, f_constants, f_constraints, f_groups, f_manual, f_optimization_barrier,
    f_while)


def large_transformer(rng, s, layers):
    batch, seq, heads, width = rng.choice([8, 16]), rng.choice([32, 64]), rng.choice([4, 8]), rng.choice([32, 64])
    dim, hidden, vocab = heads * width, heads * width * 4, rng.choice([512, 1000, 1024])
    tokens = s.new_arg([batch, seq], "i32", p_ann=0.9)
    table = s.new_arg([vocab, dim], p_ann=0.8)
    x = s.gather(table, tokens, "offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], "
                 "index_vector_dim = 2", [1, dim], [batch, seq, dim])
    eps = s.constant(())

    def norm(v):
        scale = s.new_arg([dim], p_ann=0.2)
        sq = s.reduce(s.binary(v, v, "multiply"), [2])
        sq = s.unary(s.binary(sq, s.broadcast(eps, [], sq.shape), "add"), "rsqrt")
        v = s.binary(v, s.broadcast(sq, [0, 1], v.shape), "multiply")
        return s.binary(v, s.broadcast(scale, [2], v.shape), "multiply")

    def project(v, shape, p=0.5):
        w = s.new_arg(shape, p_ann=p)
        return s.dot(v, w, [], [], [v.rank - 1], [0])

    split_style = rng.choice(["reshape", "direct"])
    for _ in range(layers):
        h = norm(x)
        parts = []
        for _ in range(3):
            if split_style == "direct":
                w = s.new_arg([dim, heads, width], p_ann=0.4)
                p = s.dot(h, w, [], [], [2], [0])
            else:
                p = s.reshape(project(h, [dim, dim]), [batch, seq, heads, width])
            parts.append(s.transpose(p, [0, 2, 1, 3]))
        scores = s.dot(parts[0], parts[1], [0, 1], [0, 1], [3], [3])
        scores = s.binary(scores, s.broadcast(eps, [], scores.shape), "multiply")
        mask = s.compare(s.iota(scores.shape, 2, "i32"), s.iota(scores.shape, 3, "i32"))
        scores = s.select(mask, scores, s.broadcast(s.constant(()), [], scores.shape))
        top = s.broadcast(s.reduce(scores, [3], "maximum"), [0, 1, 2], scores.shape)
        e = s.unary(s.binary(scores, top, "subtract"), "exponential")
        total = s.broadcast(s.reduce(e, [3]), [0, 1, 2], scores.shape)
        attended = s.dot(s.binary(e, total, "divide"), parts[2], [0, 1], [0, 1], [3], [2])
        merged = s.reshape(s.transpose(attended, [0, 2, 1, 3]), [batch, seq, dim])
        if rng.random() < 0.3:
            merged = s.constraint(merged)
        x = s.binary(x, project(merged, [dim, dim]), "add")
        h = norm(x)
        gate = s.unary(project(h, [dim, hidden]), "logistic")
        up = project(h, [dim, hidden])
        x = s.binary(x, project(s.binary(gate, up, "multiply"), [hidden, dim]), "add")
        if rng.random() < 0.3:
            x = s.constraint(x)
    return [s.dot(norm(x), s.new_arg([dim, vocab], p_ann=0.6), [], [], [2], [0])]


def large_mlp_step(rng, s, layers):
    """Forward, backward and update of a plain MLP."""
    batch = rng.choice([32, 64, 128])
    sizes = [rng.choice([48, 64, 128, 256]) for _ in range(layers + 1)]
    x, target = s.new_arg([batch, sizes[0]], p_ann=1.0), s.new_arg([batch, sizes[-1]], p_ann=0.3)
    rate = s.get(())
    acts, params = [x], []
    for a, b in zip(sizes, sizes[1:]):
        w, bias = s.new_arg([a, b], p_ann=0.5), s.new_arg([b], p_ann=0.2)
        z = s.binary(s.dot(acts[-1], w, [], [], [1], [0]), s.broadcast(bias, [1], [batch, b]), "add")
        acts.append(s.unary(z, "tanh"))
        params.append((w, bias))
    grad = s.binary(acts[-1], target, "subtract")
    loss = s.reduce(s.binary(grad, grad, "multiply"), [0, 1])
    out = []
    for i in reversed(range(layers)):
        w, bias = params[i]
        act = acts[i + 1]
        slope = s.binary(s.broadcast(s.constant(()), [], act.shape), s.binary(act, act, "multiply"),
                         "subtract")
        grad = s.binary(grad, slope, "multiply")
        dw = s.dot(acts[i], grad, [], [], [0], [0])
        db = s.reduce(grad, [0])
        if i:
            grad = s.dot(grad, w, [], [], [1], [1])
        for p, d in ((w, dw), (bias, db)):
            step = s.binary(d, s.broadcast(rate, [], d.shape), "multiply")
            out.append(s.binary(p, step, "subtract"))
    return out + [loss]


def large_conv(rng, s, layers):
    batch, size, feat = rng.choice([16, 32]), rng.choice([32, 64]), rng.choice([4, 8])
    x = s.new_arg([batch, size, size, feat], p_ann=1.0)
    for i in range(layers):
        out = rng.choice([feat, 2 * feat]) if feat < 256 else feat
        w = s.new_arg([3, 3, feat, out], p_ann=0.4)
        shape = [batch, size, size, out]
        y = s.convolution(x, w, ["b", "0", "1", "f"], ["0", "1", "i", "o"], ["b", "0", "1", "f"], shape,
                          [1, 1], [(1, 1), (1, 1)])
        mean = s.reduce(y, [0, 1, 2])
        y = s.binary(y, s.broadcast(mean, [3], shape), "subtract")
        scale, shift = s.new_arg([out], p_ann=0.2), s.new_arg([out], p_ann=0.2)
        y = s.binary(y, s.broadcast(scale, [3], shape), "multiply")
        y = s.binary(y, s.broadcast(shift, [3], shape), "add")
        y = s.binary(y, s.broadcast(s.constant(()), [], shape), "maximum")
        x = s.binary(x, y, "add") if out == feat else y
        feat = out
        if rng.random() < 0.25 and size > 4:
            x = s.reduce_window(x, [1, 2, 2, 1], [1, 2, 2, 1], [(0, 0)] * 4, "maximum")
            size //= 2
        if rng.random() < 0.2:
            x = s.constraint(x)
    pooled = s.reduce(x, [1, 2])
    return [s.dot(pooled, s.new_arg([feat, rng.choice([10, 100, 128])], p_ann=0.8), [], [], [1], [0])]


def large_mixed(rng, s, layers):
    s.dims_pool = rng.choice([[8, 16, 32], [8, 12, 24], [16, 16, 64]])
    for _ in range(3):
        s.new_arg([new_dim(s) for _ in range(rng.choice([2, 3]))], p_ann=0.9)
    features = [f_while, f_case, f_manual, f_call, f_constraints, f_constants, f_groups,
                f_optimization_barrier]
    while len(s.lines) < layers * 10:
        random_ops(s, rng.randint(4, 10))
        if rng.random() < 0.5:
            rng.choice(features)(s)
    return unused_results(s, 8)


LARGE = {"transformer": (large_transformer, (2, 8)), "mlp": (large_mlp_step, (6, 18)),
         "conv": (large_conv, (6, 24)), "mixed": (large_mixed, (10, 25))}


def large_module(rng, name, layers=None):
    """A module with this many layers, by default a random number that suits the kind; `mixed`
    has about ten ops per layer."""
    fn, limits = LARGE[name]
    mesh = random_mesh(rng, axes=rng.choice([2, 2, 3]), sizes=(2, 2, 4, 4, 8))
    module = Module(rng, mesh, Style(rng, sub=rng.choice([0.0, 0.2]), replicated=0.05, unreduced=0.0,
                                     uneven=0.1, priority=rng.choice([0.0, 0.4])))
    s = Scope(module)
    s.p_ann = rng.choice([0.0, 0.02])
    out = fn(rng, s, layers or rng.randint(*limits))
    finish_function(s, out, p_result=0.2)
    return module


def large_program(name, layers, seed):
    """The text of a program of a given size, for timing."""
    return large_module(random.Random("%s/large/%s/%d" % (seed, name, layers)), name, layers).text()


def gen_large(rng, index, seed):
    name = list(LARGE)[index % len(LARGE)]
    module = large_module(rng, name)
    args = rng.choice(["-sdy-propagation-pipeline"] * 3 + ["-sdy-op-priority-propagate"] +
                      ["-sdy-aggressive-propagate", "-sdy-basic-propagate"]) \
        if name != "mixed" else "-sdy-propagation-pipeline"
    if module.style.priority and args.startswith("-sdy-op"):
        args = "-sdy-user-priority-propagate"
    return name, args, module.text(), {"min_lines": 100}
