# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing program smaller while it keeps failing."""

import dataclasses
from collections.abc import Callable

import numpy

from random_stablehlo.program import Operation, Program, Value


def without_unused(program: Program) -> Program:
    """Drops the operations and arguments that no returned value needs."""
    needed = {id(value) for value in program.returned}
    operations = []
    for operation in reversed(program.operations):
        if any(id(result) in needed for result in operation.results):
            operations.insert(0, operation)
            needed |= {id(operand) for operand in operation.operands}
    arguments = [value for value in program.arguments if id(value) in needed]
    return dataclasses.replace(program, operations=operations, arguments=arguments,
                               data={value.name: program.data[value.name] for value in arguments})


def returning(program: Program, values: list[Value]) -> Program:
    return without_unused(dataclasses.replace(program, returned=values))


def with_arguments_for(program: Program, cut: Operation,
                       arrays: dict[str, numpy.ndarray]) -> Program:
    """Makes the results of an operation arguments that have its values."""
    names = {result.name: f"%c{result.name[1:].replace('#', '_')}" for result in cut.results}
    new = {id(result): Value(names[result.name], result.type) for result in cut.results}
    operations = [dataclasses.replace(operation,
                                      operands=[new.get(id(operand), operand)
                                                for operand in operation.operands])
                  for operation in program.operations if operation is not cut]
    data = program.data | {names[result.name]: arrays[result.name] for result in cut.results}
    return without_unused(dataclasses.replace(
        program, operations=operations, arguments=program.arguments + list(new.values()),
        data=data))


def shrink(program: Program, fails: Callable[[Program], bool],
           arrays: dict[str, numpy.ndarray]) -> Program:
    """Returns a smaller program for which `fails` is still true. `arrays` has the value of every
    result under the reference evaluator, or is empty if it does not evaluate the program."""
    for value in program.values():
        candidate = returning(program, [value])
        if fails(candidate):
            program = candidate
            break
    else:
        for value in program.returned:
            candidate = returning(program, [other for other in program.returned
                                            if other is not value])
            if fails(candidate):
                program = candidate
    changed = True
    while changed and arrays:
        changed = False
        for operation in program.operations:
            if any(result in program.returned for result in operation.results):
                continue
            candidate = with_arguments_for(program, operation, arrays)
            if fails(candidate):
                program, changed = candidate, True
                break
    return program
