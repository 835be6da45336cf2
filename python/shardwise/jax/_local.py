# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`engine="local"`: Shardwise's own executor runs the program, each device as a thread of this process.

XLA compiles nothing then. It is slow where arrays are large, since they come and go through the host, and quick
to start: to try a mesh of more devices than there are, or to tell a mistake of XLA's from one of ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy
from jax.sharding import Mesh, NamedSharding

from ..programs import Program
from ..programs import compile as compile_program
from . import _xla
from ._program import LocalProgram, with_mesh


class LocalEngine:
    """Programs that were compiled for our executor, by what their arguments are."""

    def __init__(self, topology: str, memory_limit: int | None):
        self._choices = {"topology": topology or None, "memory_limit": memory_limit}
        self._programs: dict[Any, tuple[LocalProgram, Program]] = {}

    def call(self, key: Any, partition: Callable[[], LocalProgram], leaves: list) -> Any:
        """Runs the program for arguments of the kind `key` on the leaves of these.

        Returns:
            Arrays of JAX on the devices of the mesh, if it has these, else on one.
        """
        if key not in self._programs:
            local = partition()
            text = with_mesh(local.traced.text, local.user_mesh)
            self._programs[key] = local, compile_program(text, name=local.traced.name, **self._choices)
        local, program = self._programs[key]
        results = self._run(local, program, [_host(leaf, aval) for leaf, aval in zip(leaves, local.traced.in_avals)])
        for leaf, is_donated in zip(leaves, local.traced.donated):
            if is_donated and isinstance(leaf, jax.Array) and not leaf.is_deleted():
                leaf.delete()
        return jax.tree.unflatten(local.traced.out_tree, [
            _placed(one, border, aval, local.mesh)
            for one, border, aval in zip(results, local.results, local.traced.out_avals)])

    def _run(self, local: LocalProgram, program: Program, arrays: list[numpy.ndarray]) -> list[numpy.ndarray]:
        return program.run(arrays)


def _host(leaf: Any, aval: Any) -> numpy.ndarray:
    if _xla.is_key(aval):
        return numpy.asarray(jax.random.key_data(leaf))
    return numpy.asarray(leaf, aval.dtype)


def _placed(result: numpy.ndarray, border: Any, aval: Any, mesh: Any) -> Any:
    if isinstance(mesh, Mesh):
        result = jax.device_put(result, NamedSharding(mesh, border.even_spec(mesh)))
    else:
        result = jax.numpy.asarray(result)
    return _xla.keys_of(result, aval.dtype) if _xla.is_key(aval) else result


def key_of(leaves: list, tree: Any, static: tuple, known: tuple) -> Any:
    """What decides the program: structure, types, shardings and static arguments."""
    types = tuple((one.shape, one.dtype, one.weak_type) for one in map(jax.typeof, leaves))
    return tree, types, known, static
