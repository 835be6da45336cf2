# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with much of one thing: the shapes on which a compiler turns quadratic or overflows its
stack. Each function takes a size and returns the text of a program."""

import pathlib

MESH = 'sdy.mesh @mesh = <["x"=2, "y"=2]>\n'
T = "tensor<8x8xf32>"
ROWS = 'sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>'


def function(arguments, body, results, name="main", private=False):
    """One function of 8x8 tensors; the first argument has sharded rows in @main."""
    signature = ", ".join(f"{argument}: {T}" for argument in arguments)
    if name == "main":
        signature = signature.replace(T, f"{T} {{{ROWS}}}", 1)
    types = ", ".join([T] * len(results))
    visibility = "private " if private else ""
    lines = [f"func.func {visibility}@{name}({signature}) -> ({types}) {{", *body,
             f"  return {', '.join(results)} : {types}", "}"]
    return "\n".join(lines) + "\n"


def binary(result, left, right):
    return f"  {result} = stablehlo.add {left}, {right} : {T}"


def constraint(result, value, axis):
    """A closed constraint to rows over `axis`."""
    return f'  {result} = sdy.sharding_constraint {value} <@mesh, [{{"{axis}"}}, {{}}]> : {T}'


def many_arguments(size):
    """Arguments that are summed up, and as many results."""
    arguments = [f"%arg{i}" for i in range(size)]
    sums = ["%arg0"] + [f"%s{i}" for i in range(1, size)]
    body = [binary(sums[i], sums[i - 1], arguments[i]) for i in range(1, size)]
    return MESH + function(arguments, body, sums)


def many_constraints(size):
    """A closed constraint on each of many arguments."""
    arguments = [f"%arg{i}" for i in range(size)]
    body = [constraint(f"%c{i}", f"%arg{i}", "y") for i in range(size)]
    return MESH + function(arguments, body, [f"%c{i}" for i in range(size)])


def chain_of_constraints(size):
    """Constraints on constraints, each with another sharding than the one before."""
    body = [constraint(f"%c{i + 1}", f"%c{i}", "xy"[i % 2]) for i in range(size)]
    return MESH + function(["%c0"], body, [f"%c{size}"])


def constraints_on_one_value(size):
    """Closed constraints with two shardings on one value."""
    body = [constraint(f"%c{i}", "%v", "xy"[2 * i // size]) for i in range(size)]
    return MESH + function(["%a"], [binary("%v", "%a", "%a")] + body,
                           [f"%c{i}" for i in range(size)])


def many_uses(size):
    """One value with many users."""
    body = [f"  %u{i} = stablehlo.tanh %a : {T}" for i in range(size)]
    return MESH + function(["%a"], body, [f"%u{i}" for i in range(size)])


def many_operands(size):
    """A concatenation of many arguments."""
    arguments = [f"%arg{i}" for i in range(size)]
    signature = ", ".join(f"{argument}: {T}" for argument in arguments).replace(
        T, f"{T} {{{ROWS}}}", 1)
    whole = f"tensor<8x{8 * size}xf32>"
    return MESH + (f"func.func @main({signature}) -> {whole} {{\n  %c = stablehlo.concatenate "
                   f"{', '.join(arguments)}, dim = 1 : ({', '.join([T] * size)}) -> {whole}\n"
                   f"  return %c : {whole}\n}}\n")


def many_results(size):
    """An op of unknown meaning with many results, and a rule that joins them."""
    types, names = ", ".join([T] * size), ", ".join(f"%r#{i}" for i in range(size))
    rule = f"#sdy.op_sharding_rule<([i, j])->({', '.join(['[i, j]'] * size)}) {{i=8, j=8}}, custom>"
    return MESH + (f"func.func @main(%a: {T} {{{ROWS}}}) -> ({types}) {{\n  %r:{size} = "
                   f"stablehlo.custom_call @many(%a) {{sdy.sharding_rule = {rule}}} : ({T}) -> "
                   f"({types})\n  return {names} : {types}\n}}\n")


def many_calls(size):
    """Functions that are called once each, and one that is called as often."""
    functions = [function(["%a"], [binary("%r", "%a", "%a")], ["%r"], f"f{i}", private=True)
                 for i in range(size)]
    functions.append(function(["%a"], [f"  %r = stablehlo.tanh %a : {T}"], ["%r"], "g",
                              private=True))
    body = []
    for i in range(size):
        body.append(f"  %h{i} = call @f{i}(%v{i}) : ({T}) -> {T}")
        body.append(f"  %v{i + 1} = call @g(%h{i}) : ({T}) -> {T}")
    return MESH + function(["%v0"], body, [f"%v{size}"]) + "".join(functions)


def chain_of_calls(size):
    """Functions that call each other in a row."""
    functions = [function(["%a"], [f"  %r = call @f{i + 1}(%a) : ({T}) -> {T}"], ["%r"], f"f{i}",
                          private=True) for i in range(size)]
    functions.append(function(["%a"], [binary("%r", "%a", "%a")], ["%r"], f"f{size}", private=True))
    body = [f"  %v = call @f0(%a) : ({T}) -> {T}"]
    return MESH + function(["%a"], body, ["%v"]) + "".join(functions)


def nested_loops(size):
    """Loops and branches in each other, half of each."""
    opening, closing = [], []
    for i in range(size):
        if i % 2:
            opening.append(f'%v{i} = "stablehlo.case"(%n) ({{')
            closing.append(f"stablehlo.return %v{i + 1} : {T}\n}}) : (tensor<i32>) -> {T}")
        else:
            opening.append(f"%v{i} = stablehlo.while(%i{i} = %a) : {T}\ncond {{\n  %p{i} = "
                           "stablehlo.constant dense<false> : tensor<i1>\n  stablehlo.return "
                           f"%p{i} : tensor<i1>\n}} do {{")
            closing.append(f"stablehlo.return %v{i + 1} : {T}\n}}")
    inner = binary(f"%v{size}", "%a", "%a")
    body = opening + [inner] + closing[::-1]
    return MESH + (f"func.func @main(%a: {T} {{{ROWS}}}, %n: tensor<i32>) -> {T} {{\n" +
                   "\n".join(body) + f"\nreturn %v0 : {T}\n}}\n")


def many_loop_values(size):
    """A loop that carries many values, each of which takes the place of its neighbour."""
    names = [f"%i{i}" for i in range(size)]
    types = ", ".join([T] * size)
    carried = ", ".join(f"{name} = %arg{i}" for i, name in enumerate(names))
    body = [f"  %w:{size} = stablehlo.while({carried}) : {types}", "  cond {",
            "    %p = stablehlo.constant dense<false> : tensor<i1>",
            "    stablehlo.return %p : tensor<i1>", "  } do {",
            f"    stablehlo.return {', '.join(names[1:] + names[:1])} : {types}", "  }"]
    return MESH + function([f"%arg{i}" for i in range(size)], body,
                           [f"%w#{i}" for i in range(size)])


def many_meshes(size):
    """Meshes of their own for the layers of a program."""
    meshes = [f'sdy.mesh @mesh{i} = <["a{i}"=2, "b{i}"=2]>\n' for i in range(size)]
    attribute = "{{sdy.sharding = #sdy.sharding_per_value<[<@mesh{0}, [{{\"a{0}\", ?}}, {{?}}]>]>}}"
    body = [f"  %v{i + 1} = stablehlo.tanh %v{i} {attribute.format(i % size)} : {T}"
            for i in range(20 * size)]
    return MESH + "".join(meshes) + function(["%v0"], body, [f"%v{20 * size}"])


def many_axes(size):
    """A mesh of many axes, half of them on each dimension of a tensor, through many ops."""
    size = min(size, 62)  # more would overflow the number of devices
    names = [f"a{i}" for i in range(size)]
    half = size // 2
    rows, columns = (", ".join(f'"{name}"' for name in part)
                     for part in (names[:half], names[half:]))
    mesh = ", ".join(f'"{name}"=2' for name in names)
    t = f"tensor<{2**half}x{2**(size - half)}xf32>"
    body = "".join(f"  %v{i + 1} = stablehlo.tanh %v{i} : {t}\n  %t{i + 1} = stablehlo.transpose "
                   f"%v{i + 1}, dims = [0, 1] : ({t}) -> {t}\n" for i in range(1000))
    return (f"sdy.mesh @mesh = <[{mesh}]>\nfunc.func @main(%v0: {t} {{sdy.sharding = "
            f"#sdy.sharding<@mesh, [{{{rows}}}, {{{columns}}}]>}}) -> ({t}, {t}) {{\n{body}"
            f"  return %v1000, %t1000 : {t}, {t}\n}}\n")


def manual_operands(size):
    """A manual computation of many values."""
    arguments = [f"%arg{i}" for i in range(size)]
    local = "tensor<4x8xf32>"
    sharding = '<@mesh, [{"x"}, {?}]>'
    types = ", ".join([T] * size)
    shardings = "[" + ", ".join([sharding] * size) + "]"
    inner = ", ".join(f"%i{i}: {local}" for i in range(size))
    body = [f"  %m:{size} = sdy.manual_computation({', '.join(arguments)}) "
            f"in_shardings={shardings} out_shardings={shardings} manual_axes={{\"x\"}} ({inner}) {{",
            f"    sdy.return {', '.join(f'%i{i}' for i in range(size))} : "
            f"{', '.join([local] * size)}", f"  }} : ({types}) -> ({types})"]
    return MESH + function(arguments, body, [f"%m#{i}" for i in range(size)])


def one_group(size):
    """A sharding group of many values."""
    body = []
    for i in range(size):
        body.append(f"  %v{i + 1} = stablehlo.tanh %v{i} : {T}")
        body.append(f"  sdy.sharding_group %v{i + 1} group_id=0 : {T}")
    return MESH + function(["%v0"], body, [f"%v{size}"])


def late_annotation(size):
    """A chain of ops of which only the last result is annotated."""
    body = [f"  %v{i + 1} = stablehlo.tanh %v{i} : {T}" for i in range(size)]
    text = function(["%v0"], body, [f"%v{size}"]).replace(f" {{{ROWS}}}", "", 1)
    return MESH + text.replace(f"-> ({T})", f"-> ({T} {{{ROWS}}})", 1)


# Each with a size at which anything worse than linear shows.
SHAPES = {
    "many_arguments": (many_arguments, 20000),
    "many_constraints": (many_constraints, 20000),
    "chain_of_constraints": (chain_of_constraints, 20000),
    "constraints_on_one_value": (constraints_on_one_value, 20000),
    "many_uses": (many_uses, 50000),
    "many_operands": (many_operands, 5000),
    "many_results": (many_results, 5000),
    "many_calls": (many_calls, 10000),
    "chain_of_calls": (chain_of_calls, 400),
    "nested_loops": (nested_loops, 200),
    "many_loop_values": (many_loop_values, 5000),
    "many_meshes": (many_meshes, 500),
    "many_axes": (many_axes, 62),
    "manual_operands": (manual_operands, 5000),
    "one_group": (one_group, 10000),
    "late_annotation": (late_annotation, 50000),
}


def write(path, name, size):
    """Writes the shape of this name, of this size."""
    pathlib.Path(path).write_text(SHAPES[name][0](size), encoding="utf-8")
