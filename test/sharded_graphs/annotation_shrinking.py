# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing program with shardings smaller while it fails in the same way: fewer operations,
fewer and simpler shardings, a smaller mesh, smaller shapes.

Operations go first, by the shrinker of programs without shardings: the result of an operation that
is cut becomes an argument, with the sharding that the result had. Each later step proposes smaller
programs, takes the first that fails, and begins again, until none does.
"""

import dataclasses
import re
from collections.abc import Callable, Iterator

from annotated import Annotated
from random_programs.shardings import Axis, Mesh, Sharding
from random_stablehlo.program import Program, Value
from shrinking import shrink as shrink_operations

Fails = Callable[[Annotated], bool]


def with_program(annotated: Annotated, program: Program) -> Annotated:
    """The shardings of `annotated` on a smaller program."""
    names = {value.name for value in program.arguments + program.values()}
    returned = {value.name for value in program.returned}
    kept = {kind: {name: sharding for name, sharding in getattr(annotated, kind).items()
                   if name in (returned if kind == "results" else names)}
            for kind in Annotated.KINDS}
    for said in (annotated.on_ops, annotated.constraints):
        for name, sharding in said.items():
            cut = f"%c{name[1:].replace('#', '_')}"
            if name not in names and cut in names:
                kept["arguments"][cut] = sharding
    groups = {name: number for name, number in annotated.groups.items() if name in names}
    return dataclasses.replace(annotated, program=program, groups=groups, **kept)


# Shardings


def without_annotations(annotated: Annotated) -> Iterator[Annotated]:
    if annotated.groups:
        yield dataclasses.replace(annotated, groups={})
    if annotated.other:
        yield dataclasses.replace(annotated, other=None, **{
            kind: {name: sharding for name, sharding in getattr(annotated, kind).items()
                   if sharding.mesh == "@mesh"} for kind in Annotated.KINDS})
    for kind in Annotated.KINDS:
        said = getattr(annotated, kind)
        if len(said) > 1:
            yield dataclasses.replace(annotated, **{kind: {}})
        for name in said:
            yield dataclasses.replace(annotated, **{kind: {
                other: sharding for other, sharding in said.items() if other != name}})


def simpler(sharding: Sharding) -> Iterator[Sharding]:
    if sharding.replicated:
        yield dataclasses.replace(sharding, replicated=())
    if sharding.priorities:
        yield dataclasses.replace(sharding, priorities=())
    if any(sharding.opened):
        yield dataclasses.replace(sharding, opened=(False,) * len(sharding.dims))
    for dim, axes in enumerate(sharding.dims):
        for place in range(len(axes)):
            dims = list(sharding.dims)
            dims[dim] = axes[:place] + axes[place + 1:]
            yield dataclasses.replace(sharding, dims=tuple(dims))


def simpler_annotations(annotated: Annotated) -> Iterator[Annotated]:
    for kind in Annotated.KINDS:
        said = getattr(annotated, kind)
        for name, sharding in said.items():
            for other in simpler(sharding):
                yield dataclasses.replace(annotated, **{kind: said | {name: other}})


# Meshes


def mapped(sharding: Sharding, change: Callable[[Axis], Axis | None]) -> Sharding:
    """Changes every axis of `@mesh`, or drops it; of two that become the same one the first stays."""
    if sharding.mesh != "@mesh":
        return sharding
    seen: set[str] = set()

    def all_of(axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
        result = []
        for axis in axes:
            new = change(axis)
            if new and str(new) not in seen:
                seen.add(str(new))
                result.append(new)
        return tuple(result)

    return dataclasses.replace(sharding, dims=tuple(map(all_of, sharding.dims)),
                               replicated=all_of(sharding.replicated),
                               unreduced=all_of(sharding.unreduced))


def on_mesh(annotated: Annotated, axes: tuple[Axis, ...],
            change: Callable[[Axis], Axis | None]) -> Annotated:
    return dataclasses.replace(annotated, mesh=Mesh(axes), **{
        kind: {name: mapped(sharding, change)
               for name, sharding in getattr(annotated, kind).items()}
        for kind in Annotated.KINDS})


def smaller_meshes(annotated: Annotated) -> Iterator[Annotated]:
    axes = annotated.mesh.axes
    if annotated.mesh.device_order:
        yield dataclasses.replace(annotated, mesh=Mesh(axes))
    for gone in axes:
        if len(axes) > 1:
            yield on_mesh(annotated, tuple(axis for axis in axes if axis != gone),
                          lambda axis: None if axis.name == gone.name else axis)
    for old in axes:
        for size in range(2, old.size):
            new = Axis(old.name, size)
            yield on_mesh(annotated, tuple(new if axis == old else axis for axis in axes),
                          lambda axis: new if axis.name == old.name else axis)


# Shapes


def resized(annotated: Annotated, old: int, new: int, everywhere: bool) -> Annotated:
    """Makes dimensions of size `old` ones of size `new`, in types or wherever the number stands. The
    result may be no valid program: then it does not fail in the same way."""
    program = annotated.program
    values: dict[int, Value] = {}

    def sized(text: str) -> str:
        if everywhere:
            return re.sub(rf"(?<![\w$%#.-]){old}(?=[,\]x> ])", str(new), text)
        return re.sub(r"tensor<[^>]*>", lambda match: re.sub(rf"(?<=[<x]){old}(?=x)", str(new),
                                                             match[0]), text)

    def value_of(value: Value) -> Value:
        if id(value) not in values:
            shape = (new if size == old else size for size in value.type.shape)
            values[id(value)] = dataclasses.replace(value, type=value.type.with_shape(shape))
        return values[id(value)]

    arguments = [value_of(value) for value in program.arguments]
    operations = [dataclasses.replace(
        operation, text=sized(operation.text), functions=sized(operation.functions),
        operands=[value_of(value) for value in operation.operands],
        results=[value_of(value) for value in operation.results])
        for operation in program.operations]
    data = {value.name: program.data[value.name][tuple(map(slice, value.type.shape))]
            for value in arguments}
    return dataclasses.replace(annotated, program=dataclasses.replace(
        program, arguments=arguments, operations=operations, data=data,
        returned=[value_of(value) for value in program.returned]))


def smaller_shapes(annotated: Annotated) -> Iterator[Annotated]:
    values = annotated.program.arguments + annotated.program.values()
    for old in sorted({size for value in values for size in value.type.shape}, reverse=True):
        for new in range(1, old):
            for everywhere in (False, True):
                yield resized(annotated, old, new, everywhere)


STEPS = (without_annotations, smaller_meshes, simpler_annotations, smaller_shapes)


def shrink(annotated: Annotated, fails: Fails, arrays: dict) -> Annotated:
    """Returns a smaller program for which `fails` is still true. `arrays` has the value of every
    result, or is empty if nobody evaluates the program: then operations only go with what the
    program returns."""
    program = shrink_operations(annotated.program,
                                lambda program: fails(with_program(annotated, program)), arrays)
    annotated = with_program(annotated, program)
    changed = True
    while changed:
        changed = False
        for step in STEPS:
            smaller = next(filter(fails, step(annotated)), None)
            while smaller:
                annotated, changed = smaller, True
                smaller = next(filter(fails, step(annotated)), None)
    return annotated
