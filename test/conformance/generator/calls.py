# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that are copies of each other, constants that are called, and edges with gaps."""

from .shardings import Val, random_sharding
from .builder import Scope, finish_function
from .ops import r_binary, r_constraint, r_dot, r_reduce, r_transpose, r_unary, random_ops
from .features import (
    FEATURE_CYCLE, FEATURES, emit_call, f_case, f_named, f_optimization_barrier, f_while, record,
    some_values)

COPIED_OPS = [r_unary, r_binary, r_dot, r_transpose, r_reduce, r_constraint]


def callee_scope(s):
    """An empty function beside `s` that takes no more arguments than it is given."""
    callee = Scope(s.module)
    callee.dims_pool = s.dims_pool
    callee.can_add_args = lambda: False
    return callee


def f_copies(s):
    """Copies of one function under a few shardings of their arguments, called in any order."""
    rng, module = s.rng, s.module
    operands = some_values(s, 1, 2)
    if s.root is not s or not operands:
        return None
    callee = callee_scope(s)
    callee.p_ann = 0.0
    for v in operands:
        callee.new_arg(v.shape, v.dtype, p_ann=0.0)
    random_ops(callee, rng.randint(1, 3), only=COPIED_OPS)
    result = [v for v in callee.own if v.rank >= 1][-1]
    choices = [[random_sharding(rng, module.mesh, v.shape, module.style) if rng.random() < 0.8 else None
                for v in operands] for _ in range(rng.randint(1, 3))]
    name = rng.choice(["f", "layer", "block"]) + str(len(module.functions))
    signatures = []
    for i in range(rng.randint(2, 5)):
        callee.args = [(v, sharding) for (v, _), sharding in zip(callee.args, rng.choice(choices))]
        copy = name if i == 0 else "%s_%d" % (name, i - 1)
        finish_function(callee, [result], copy, True, p_result=0.0)
        if i or rng.random() < 0.5:
            module.functions[-1] = module.functions[-1].replace(
                " {\n", ' attributes {sdy.original_func_name = "%s"} {\n' % name, 1)
        signatures.append((copy, [(v.shape, v.dtype) for v in operands], [(result.shape, result.dtype)]))
    first = len(module.functions) - len(signatures)
    module.functions[first:] = rng.sample(module.functions[first:], len(signatures))
    for _ in range(rng.randint(2, 8)):
        emit_call(s, *rng.choice(signatures))
    # Other functions may call the copies, too.
    module.__dict__.setdefault("callable", []).extend(signatures)
    return None


def constant_body(s, shape, rank_of_first, earlier):
    """Computes a constant of this shape; now and then something else."""
    rng = s.rng
    v = s.constant(shape) if rng.random() < 0.5 else s.iota(shape, rank_of_first, "f32")
    if earlier and rng.random() < 0.4:
        v = s.binary(v, emit_call(s, rng.choice(earlier), [], [(shape, "f32")])[0])
    for _ in range(rng.randint(0, 2)):
        v = s.unary(v) if rng.random() < 0.6 else s.binary(v, s.constant(shape))
    if rng.random() < 0.15:
        v = s.constraint(v) if s.axes else s.transpose(v, list(range(len(shape))))
    return v


def f_constant_calls(s):
    """Functions and named computations without operands, most of them constant, used several times."""
    rng, module = s.rng, s.module
    values = some_values(s, 1, 1, lambda v: v.rank >= 1 and v.dtype == "f32")
    if s.root is not s or not values:
        return None
    shape = values[0].shape
    earlier = []
    for _ in range(rng.randint(1, 3)):
        callee = callee_scope(s)
        callee.p_ann = 0.0
        result = constant_body(callee, shape, rng.randrange(len(shape)), earlier)
        name = rng.choice(["ones", "mask", "table"]) + str(len(module.functions))
        finish_function(callee, [result], name, True, p_result=0.15)
        earlier.append(name)
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.3:
            body = s.child(True)
            v = constant_body(body, shape, 0, earlier)
            body.lines.append("sdy.return %s : %s" % (v.name, v.type))
            c = record(s, 'sdy.named_computation<"%s">() () {\n%s\n} : () -> %s' % (
                rng.choice(["constant", "table"]), s.block(body), v.type), [], [(v.shape, v.dtype)])[0]
        else:
            c = emit_call(s, rng.choice(earlier), [], [(shape, "f32")])[0]
        for _ in range(rng.randint(1, 3)):
            s.binary(s.get(shape, reuse=0.95), c)
    return None


def edge(s, value, p_sharding=0.6):
    """Puts an edge behind a value that nothing uses yet."""
    sharding = ""
    if s.axes and s.rng.random() < p_sharding:
        sharding = " sharding=%s" % s.sharding_for(value.shape).bare()
    value.frozen = True
    return s.op("sdy.data_flow_edge $0%s : %s" % (sharding, value.type), [value],
                [(value.shape, value.dtype)], p_ann=0)[0]


def f_loop_with_edges(s):
    """A loop with edges on arguments of its body, which own none."""
    rng = s.rng
    carried = some_values(s, 1, 2)
    if not carried:
        return None
    flag = s.constant((), "i1")
    names = [s.fresh() + "_it" for _ in carried]
    body = s.child()
    args = [Val(name, v.shape, v.dtype) for name, v in zip(names, carried)]
    args = [edge(body, v) if rng.random() < 0.6 else v for v in args]
    outs = [body.unary(v) if rng.random() < 0.6 else v for v in args]
    types = ", ".join(v.type for v in carried)
    body.lines.append("stablehlo.return %s : %s" % (", ".join(v.name for v in outs), types))
    return record(s, "stablehlo.while(%s) : %s\ncond {\n  stablehlo.return %s : tensor<i1>\n} do {\n%s\n}" % (
        ", ".join("%s = %s" % (n, v.name) for n, v in zip(names, carried)), types, flag.name,
        s.block(body)), carried + [flag], [(v.shape, v.dtype) for v in carried])


def f_edges(s):
    """An op through which shardings flow, with edges on some of its results."""
    rng = s.rng
    make = rng.choice([f_while, f_case, f_named, f_optimization_barrier, f_optimization_barrier,
                       f_loop_with_edges, f_loop_with_edges])
    for v in make(s) or []:
        if rng.random() < 0.6:
            edge(s, v)
    return None


def func_edge(s, value):
    value.frozen = True
    return s.op("sdy.func_data_flow_edge $0~A : %s" % value.type, [value],
                [(value.shape, value.dtype)], p_ann=0.6)[0]


def f_func_edges(s):
    """Calls with edges on some results, of a function with edges on some arguments."""
    rng = s.rng
    operands = some_values(s, 1, 3)
    if s.root is not s or not operands:
        return None
    callee = callee_scope(s)
    values = [callee.new_arg(v.shape, v.dtype, p_ann=0.5) for v in operands]
    values = [func_edge(callee, v) if rng.random() < 0.6 else v for v in values]
    name = "f%d" % len(s.module.functions)
    finish_function(callee, values, name, True, p_result=0.25)
    types = [(v.shape, v.dtype) for v in operands]
    for v in emit_call(s, name, types, types):
        if rng.random() < 0.6:
            func_edge(s, v)
    return None


# Whole programs have these, too.
FEATURES.update(copies=f_copies, constant_calls=f_constant_calls)
FEATURE_CYCLE += ["constant_calls", "copies"]
# In whole programs the edges are those of the passes.
EDGE_FEATURES = {"edges_with_gaps": f_edges, "func_edges_with_gaps": f_func_edges}
