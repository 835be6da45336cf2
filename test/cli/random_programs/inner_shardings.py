# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shardings written inside of programs: constraints and manual computations."""

from .blocks import Tensor, Value
from .families import family
from .program import Program


@family("first", "second")
def constraint_chain(program: Program, _: str) -> list[Value]:
    """Reshards from one random sharding to the next."""
    value = program.argument(8, 12, 8)
    for _ in range(program.draw.choice([1, 2, 3])):
        value = program.constraint(value)
    return [program.elementwise("negate", value)]


@family("sdy.reshard", "sdy.sharding_constraint", "stablehlo.negate")
def partial_sums(program: Program, op: str) -> list[Value]:
    """Values of which devices hold addends, declared so by reshards, constraints and results."""
    def declared(value: Value) -> Value:
        sharding = program.shardings.attribute(value.shape, partial=0.7)
        if op.startswith("sdy."):
            return program.ops(op, [value], [value.type], f"sharding = {sharding}")[0]
        inner = sharding.removeprefix("#sdy.sharding")
        return program.ops(op, [value], [value.type],
                           attributes=f"sdy.sharding = #sdy.sharding_per_value<[{inner}]>")[0]

    values = [program.argument(8, 12), program.argument(8, 12)]
    for _ in range(program.draw.choice([1, 2, 3, 4])):
        value = declared(program.draw.choice(values))
        name = program.draw.choice(["add", "multiply", "tanh", "transpose", "none"])
        if name == "transpose":
            value = program.transpose(declared(program.transpose(value, [1, 0])), [1, 0])
        elif name == "tanh":
            value = program.elementwise(name, value)
        elif name != "none":
            value = program.elementwise(name, value, declared(program.draw.choice(values)))
        values.append(declared(value))
    product = declared(program.dot(values[-1], program.argument(12, 8), (1, 0)))
    return [values[-1], product, declared(program.reduce(values[-2], [1]))]


@family()
def constrained_dots(program: Program) -> list[Value]:
    product = program.dot(program.argument(8, 12), program.argument(12, 8), (1, 0))
    product, weights = program.constraint(product), program.argument(8, 8)
    total = program.elementwise("add", program.dot(product, weights, (1, 0)),
                                program.dot(product, weights, (0, 0)))
    total = program.constraint(total)
    return [program.transpose(total, [1, 0]), program.reduce(total, [0])]


@family()
def manual_computation(program: Program) -> list[Value]:
    """An elementwise body over an axis of the mesh, which has to divide."""
    value = program.argument(8, 12)
    axis = next((axis for axis in program.mesh.axes if 8 % axis.size == 0), None)
    if not program.per_device or not axis:
        return [program.elementwise("tanh", value)]
    sharding = f'#sdy.sharding_per_value<[<@mesh, [{{"{axis.name}"}}, {{}}]>]>'
    region = program.region(Tensor((8 // axis.size, 12)))
    region.terminate("sdy.return", [region.elementwise("tanh", region.arguments[0])])
    return program.ops("sdy.manual_computation", [value], [value.type],
                       f"in_shardings = {sharding}, out_shardings = {sharding}, "
                       f'manual_axes = #sdy<manual_axes{{"{axis.name}"}}>', regions=[region])
