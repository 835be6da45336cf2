# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops, branches and barriers."""

from typing import Callable, Sequence

from .blocks import I32, Block, Tensor, Value
from .families import family
from .program import Program


def counted_loop(program: Program, trips: int, starts: Sequence[Value],
                 body: Callable[[Block, Sequence[Value]], Sequence[Value]]) -> list[Value]:
    """A while loop that runs `body` this many times; returns what it carries, without the count."""
    types = [I32, *(value.type for value in starts)]
    test = program.region(*types)
    test.terminate("stablehlo.return",
                   [test.compare("LT", test.arguments[0], test.constant(str(trips), I32))])
    block = program.region(*types)
    count = block.elementwise("add", block.arguments[0], block.constant("1", I32))
    block.terminate("stablehlo.return", [count, *body(block, block.arguments[1:])])
    return program.ops("stablehlo.while", [program.constant("0", I32), *starts], types,
                       regions=[test, block])[1:]


@family()
def recurrent_loop(program: Program) -> list[Value]:
    state, weights = program.argument(8, 8), program.argument(8, 8)

    def body(block: Block, carried: Sequence[Value]) -> list[Value]:
        state, total = carried
        state = block.elementwise("tanh", block.dot(state, weights, (1, 0)))
        return [state, block.elementwise("add", total, block.reduce(state, [0]))]

    return counted_loop(program, 3, [state, program.constant("0.0", Tensor((8,)))], body)


@family("add", "subtract")
def accumulating_loop(program: Program, op: str) -> list[Value]:
    """Partial sums that the loop carries and may reduce once, after it."""
    value, other = program.argument(8, 12), program.argument(8, 6)
    matrix, vector = program.argument(6, 12), program.argument(12)
    if program.draw.random() < 0.5:
        matrix = program.constant("0.0", matrix.type)

    def body(block: Block, carried: Sequence[Value]) -> list[Value]:
        product = block.transpose(block.dot(value, other, (0, 0)), [1, 0])
        row = block.reshape(block.reduce(value, [0]), 1, 12)
        return [block.elementwise(op, carried[0], product),
                block.elementwise("add", block.reduce(row, [0]), carried[1])]

    return counted_loop(program, 3, [matrix, vector], body)


@family("case", "if")
def branch(program: Program, op: str) -> list[Value]:
    choice = program.argument(element="i32" if op == "case" else "i1")
    left, right = program.argument(8, 12), program.argument(8, 12)
    first, second = program.region(), program.region()
    first.terminate("stablehlo.return", [first.elementwise("add", left, right)])
    second.terminate("stablehlo.return", [right])
    return [program.op(op, [choice], left.type, regions=[first, second])]


@family()
def optimization_barrier(program: Program) -> list[Value]:
    values = [program.argument(8, 12), program.argument(8, 12)]
    return program.ops("stablehlo.optimization_barrier", values, [value.type for value in values])
