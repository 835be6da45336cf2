# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of examples/programs and test/programs/models, as functions for `jit`."""

import dataclasses
import sys
from typing import Any

import jax
import numpy
from jax.sharding import NamedSharding, PartitionSpec

from conftest import ROOT
from devices import mesh_of

sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "test/programs")]

import models  # noqa: E402
import programs  # noqa: E402

PROGRAMS = {**programs.PROGRAMS, **models.PROGRAMS}


@dataclasses.dataclass(frozen=True)
class Case:
    """What `jit` takes.

    Attributes:
        function: The program, with its constraints.
        arguments: Arrays of NumPy.
        options: `in_shardings` and `out_shardings`, where the program says some.
    """

    function: Any
    arguments: tuple
    options: dict


def _is_spec(leaf) -> bool:
    return leaf is None or isinstance(leaf, PartitionSpec)


def _even(mesh, spec, shape):
    """The spec without axes that do not divide, which JAX refuses at its borders."""
    def size(axes):
        return int(numpy.prod([mesh.shape[axis] for axis in ((axes,) if isinstance(axes, str) else axes or ())]))

    return PartitionSpec(*(None if shape[dim] % size(axes) else axes for dim, axes in enumerate(spec)))


def case_of(name: str) -> Case:
    program = PROGRAMS[name]
    mesh = mesh_of(**program.mesh)
    arguments = program.arguments(program.generator())

    def constrain(value, *axes):
        return jax.lax.with_sharding_constraint(value, NamedSharding(mesh, PartitionSpec(*axes)))

    def shardings(specs, values):
        shapes = iter(value.shape for value in jax.tree.leaves(values))
        return jax.tree.map(lambda spec: NamedSharding(mesh, _even(mesh, spec, next(shapes))), specs,
                            is_leaf=_is_spec)

    function = program.build(constrain)
    options = {"in_shardings": shardings(program.in_specs, arguments)}
    if program.out_specs is not None:
        results = jax.eval_shape(program.build(lambda value, *axes: value), *arguments)
        options["out_shardings"] = shardings(program.out_specs, results)
    return Case(function, arguments, options)
