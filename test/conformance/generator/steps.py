# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders basic, aggressive, op_priority and user_priority: one propagation pass each."""

from .shardings import prod
from .builder import finish_function, unused_results
from .ops import (
    new_dim, r_binary, r_broadcast, r_concat, r_dot, r_reduce, r_reshape, r_select, r_transpose,
    r_unary, random_dag, random_ops, start)
from .features import f_case, f_manual, f_named, f_optimization_barrier, f_while


def options(rng, pool, p):
    picked = [o() if callable(o) else o for o in pool if rng.random() < p]
    return "" if not picked else "=" + (picked[0] if len(picked) == 1 else '"%s"' % " ".join(picked))


def strategy(rng):
    return "propagation-strategy=" + rng.choice(["basic", "basic-then-aggressive", "aggressive"])


def with_regions(rng, **style):
    """A DAG with a few region ops, to be run after -sdy-add-data-flow-edges."""
    module, scope = start(rng, **style)
    random_ops(scope, rng.randint(2, 6))
    for _ in range(rng.randint(1, 2)):
        rng.choice([f_while, f_case, f_optimization_barrier, f_manual, f_named])(scope)
        random_ops(scope, rng.randint(1, 4))
    finish_function(scope, unused_results(scope))
    return module.text()


CONFLICT_OPS = [(r_binary, 6), (r_dot, 5), (r_transpose, 4), (r_reshape, 3), (r_unary, 2),
                (r_broadcast, 2), (r_reduce, 1), (r_select, 1), (r_concat, 1)]
RESHAPE_OPS = [(r_reshape, 12), (r_transpose, 3), (r_unary, 2), (r_binary, 2), (r_dot, 1)]


def gen_step(rng, flag, option_pool, low=3, high=25, **style):
    roll = rng.random()
    if roll < 0.12:
        return "-sdy-add-data-flow-edges " + flag + options(rng, option_pool, 0.2), \
            with_regions(rng, **style)
    if roll < 0.42:
        # Square shapes and few kinds of ops: many axes meet on the same value.
        module, scope = start(rng, **{"unused": 0.1, **style})
        n = rng.choice([4, 8, 16, 24])
        scope.dims_pool = rng.choice([[n], [n, n, 2 * n], [n, n, n, 6]])
        for _ in range(2):
            scope.new_arg([n, n], p_ann=0.9)
        random_ops(scope, rng.randint(low, high), CONFLICT_OPS)
        finish_function(scope, unused_results(scope), p_result=0.6)
        text = module.text()
    elif roll < 0.62:
        # Reshape chains: split factors, sub-axes, overflow.
        module, scope = start(rng, sizes=(2, 3, 3, 4, 6), **{"sub": 0.2, "uneven": 0.8, "unused": 0.05,
                                                              "replicated": 0.0, **style})
        scope.dims_pool = rng.choice([[6, 4, 8], [24, 2], [12, 8], [20, 6], [64, 3], [16, 10], [36]])
        for _ in range(rng.randint(1, 2)):
            scope.new_arg([prod(new_dim(scope) for _ in range(rng.choice([1, 2])))
                           for _ in range(rng.randint(1, 2))], p_ann=1.0)
        random_ops(scope, rng.randint(3, 10), RESHAPE_OPS)
        finish_function(scope, unused_results(scope), p_result=0.2)
        text = module.text()
    else:
        text = random_dag(rng, low, high, **style)
    return flag + options(rng, option_pool, 0.2), text


COMMON_OPTIONS = ["conservative-propagation=true", "keep-sharding-rules=true"]


def gen_basic(rng, index, seed):
    args, text = gen_step(rng, "-sdy-basic-propagate", COMMON_OPTIONS)
    return "dag", args, text, {}


def gen_aggressive(rng, index, seed):
    args, text = gen_step(rng, "-sdy-aggressive-propagate",
                          COMMON_OPTIONS + [lambda: strategy(rng)])
    return "dag", args, text, {}


def debug_options(rng):
    return ["debug-sharding-origins=true", "debug-propagation-edge-sharding=true"] \
        if rng.random() < 0.3 else []


def gen_op_priority(rng, index, seed):
    pool = COMMON_OPTIONS + [lambda: strategy(rng), "run-op-priority-propagation=false"]
    args, text = gen_step(rng, "-sdy-op-priority-propagate", pool + debug_options(rng))
    return "dag", args, text, {}


def gen_user_priority(rng, index, seed):
    pool = COMMON_OPTIONS + [lambda: strategy(rng), "run-op-priority-propagation=false"]
    args, text = gen_step(rng, "-sdy-user-priority-propagate", pool + debug_options(rng),
                          priority=rng.choice([0.4, 0.7, 0.9]))
    return "dag", args, text, {}
