# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops, branches, calls, and what passes values through."""

from random_stablehlo import error_bounds as bounds
from random_stablehlo.builder import Builder, function_type
from random_stablehlo.regions import exact_block
from random_stablehlo.tensors import ALL, NUMBERS, TensorType


def captured(builder: Builder, count: int):
    """Returns exact values that a region uses from outside."""
    return [builder.any_operand(ALL, exact=True, high_rank=2) for _ in range(count)]


def ending_with(builder: Builder, values, type: TensorType) -> str:
    """Returns a value of `type`, a late one by preference."""
    fitting = [name for name, other in values if other == type]
    return fitting[-1 - min(builder.integer(0, 1), len(fitting) - 1)]


def while_(builder: Builder) -> None:
    """Counts to a bound from outside; the other carried values run through random operations."""
    counter = TensorType((), builder.choice(("i32", "i64", "ui32", "i8")))
    start = builder.argument(counter, 0, 3)
    limit = builder.argument(counter, 0, 5)
    carried = captured(builder, builder.integer(1, 3))
    outer = captured(builder, builder.integer(0, 1))
    operands = [start, *carried, limit, *outer]
    types = [value.type for value in (start, *carried)]
    names = [f"%$r_i{k}" for k in range(len(types))]
    listed = ", ".join(map(str, types))
    inside = list(zip(names[1:], types[1:])) + [
        (f"${len(types) + 1 + k}", value.type) for k, value in enumerate(outer)]
    lines, values = exact_block(builder, inside, "$r_b", builder.integer(0, 4))
    ends = [ending_with(builder, values, type) for type in types[1:]]
    carries = ", ".join(f"{name} = ${k}" for k, name in enumerate(names))
    limit_name = f"${len(types)}"
    text = f"""stablehlo.while({carries}) : {listed}
    cond {{
    %$r_c = stablehlo.compare LT, {names[0]}, {limit_name} : ({counter}, {counter}) -> tensor<i1>
    stablehlo.return %$r_c : tensor<i1>
  }} do {{
    %$r_1 = stablehlo.constant dense<1> : {counter}
    %$r_n = stablehlo.add {names[0]}, %$r_1 : {counter}
    {'''
    '''.join(lines)}
    stablehlo.return {', '.join(['%$r_n', *ends])} : {listed}
  }}"""
    builder.apply("stablehlo.while", text, operands, types, bounds.moved)


def branch(builder: Builder, values, types, prefix: str) -> str:
    """Returns a region without arguments."""
    lines, values = exact_block(builder, values, prefix, builder.integer(0, 3))
    ends = [ending_with(builder, values, type) for type in types]
    returned = f"{', '.join(ends)} : {', '.join(map(str, types))}"
    return "{\n    " + "\n    ".join([*lines, f"stablehlo.return {returned}"]) + "\n  }"


def case_or_if(builder: Builder) -> None:
    outer = captured(builder, builder.integer(1, 3))
    results = [builder.choice(outer).type for _ in range(builder.integer(1, 2))]
    is_if = builder.chance(0.4)
    if is_if:
        selector = builder.operand(TensorType((), "i1"), exact=True)
    else:
        selector = builder.argument(TensorType((), "i32"), -2, 5)
    values = [(f"${k + 1}", value.type) for k, value in enumerate(outer)]
    count = 2 if is_if else builder.integer(1, 3)
    regions = ", ".join(branch(builder, values, results, f"$r_{k}_") for k in range(count))
    name = "if" if is_if else "case"
    builder.apply(f"stablehlo.{name}", f'"stablehlo.{name}"($0) ({regions}) : '
                  + function_type([selector], results), [selector, *outer], results, bounds.moved)


def call(builder: Builder) -> None:
    """A private function, called as such or as the decomposition of a composite."""
    operands = captured(builder, builder.integer(1, 3))
    names = [(f"%x{k}", operand.type) for k, operand in enumerate(operands)]
    lines, values = exact_block(builder, names, "y", builder.integer(0, 4))
    results = [builder.choice(operands).type for _ in range(builder.integer(1, 2))]
    ends = [ending_with(builder, values, type) for type in results]
    types = function_type(operands, results)
    body = "\n    ".join([*lines, f"return {', '.join(ends)} : {', '.join(map(str, results))}"])
    arguments = ", ".join(f"{name}: {type}" for name, type in names)
    function = (f"func.func private @$r_f({arguments}) -> ({', '.join(map(str, results))}) {{\n"
                f"    {body}\n  }}")
    listed = ", ".join(f"${k}" for k in range(len(operands)))
    if builder.chance(0.5):
        name, text = "func.call", f"func.call @$r_f({listed}) : {types}"
    else:
        name = "stablehlo.composite"
        text = f'stablehlo.composite "test.some" {listed} {{decomposition = @$r_f}} : {types}'
    builder.apply(name, text, operands, results, bounds.moved, functions=function)


def optimization_barrier(builder: Builder) -> None:
    values = [builder.any_operand(ALL) for _ in range(builder.integer(1, 3))]
    listed = ", ".join(f"${k}" for k in range(len(values)))
    types = [value.type for value in values]
    builder.apply("stablehlo.optimization_barrier",
                  f"stablehlo.optimization_barrier {listed} : {', '.join(map(str, types))}",
                  values, types, bounds.moved)


def process_number(builder: Builder) -> None:
    name = builder.choice(("partition_id", "replica_id"))
    type = TensorType((), "ui32")
    builder.apply(f"stablehlo.{name}", f"stablehlo.{name} : {type}", [], [type], bounds.moved)


def sharding_call(builder: Builder) -> None:
    x = builder.any_operand(NUMBERS)
    builder.apply("stablehlo.custom_call",
                  'stablehlo.custom_call @Sharding($0) {mhlo.sharding = "{replicated}"} : '
                  + function_type([x], [x.type]), [x], [x.type], bounds.moved)


FAMILIES = {while_: 3, case_or_if: 3, call: 2, optimization_barrier: 1, process_number: 1,
            sharding_call: 1}
