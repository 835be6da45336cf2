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
    """An elementwise body over the first axis of the mesh."""
    value, axis = program.argument(8, 12), program.mesh.axes[0]
    if not program.per_device:
        return [program.elementwise("tanh", value)]
    sharding = f'#sdy.sharding_per_value<[<@mesh, [{{"{axis.name}"}}, {{}}]>]>'
    region = program.region(Tensor((8 // axis.size, 12)))
    region.terminate("sdy.return", [region.elementwise("tanh", region.arguments[0])])
    return program.ops("sdy.manual_computation", [value], [value.type],
                       f"in_shardings = {sharding}, out_shardings = {sharding}, "
                       f'manual_axes = #sdy<manual_axes{{"{axis.name}"}}>', regions=[region])
