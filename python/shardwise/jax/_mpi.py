# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`engine="mpi"`: Shardwise's own executor runs the program, with the devices dealt out to the processes of `mpirun`.

Every process runs the same Python program. It partitions and compiles the function for itself, passes the whole of every
argument, of which it takes what its devices need, and gets the whole of every result: a `jax.Array` has no elements that its
process cannot reach. Sums are taken in the order of the devices, so the bits are those of `engine="local"`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from jax.sharding import Mesh

from .. import _processes
from .._arrays import from_core, to_core
from ..errors import InvalidError, UnsupportedError
from ..programs import Program
from ._local import LocalEngine
from ._program import LocalProgram


class MpiEngine(LocalEngine):
    """Without `mpirun`, or with one process, it is `LocalEngine`."""

    def __init__(self, topology: str, memory_limit: int | None, compares_arguments: bool):
        super().__init__(topology, memory_limit)
        self._compares_arguments = compares_arguments

    def call(self, key: Any, partition: Callable[[], LocalProgram], leaves: list) -> Any:
        def checked() -> LocalProgram:
            local = partition()
            _check_mesh(local.user_mesh)
            return local

        return super().call(key, checked, leaves)

    def _run(self, local: LocalProgram, program: Program, arrays: list[numpy.ndarray]) -> list[numpy.ndarray]:
        _, count = _processes.connect()
        if count == 1:
            return super()._run(local, program, arrays)
        if count > program.mesh.size > 1:
            raise UnsupportedError(f"{local.traced.name} is a program of {program.mesh.size} devices, and there are {count} "
                                   "processes; start at most one process for each device")
        parts = [to_core(array, value.dtype, f"argument {border.name}")
                 for array, value, border in zip(arrays, program.inputs, local.arguments)]
        # Processes with other programs would wait for each other, or take bytes for what they are not.
        _processes.check_same(local.traced.name, local.fingerprint)
        if self._compares_arguments:
            _check_arguments(local, [data for _, _, data in parts])
        return [from_core(one) for one in _processes.run_on_devices(program._loaded, parts)]


def _check_mesh(mesh: Any) -> None:
    """Refuses a mesh over several processes of JAX.

    Raises:
        UnsupportedError: It is one.
    """
    if isinstance(mesh, Mesh) and mesh.is_multi_process:
        raise UnsupportedError('engine="mpi" gives every process whole results, on devices of its own; the mesh has devices '
                               "of other processes, as jax.distributed gives them: pass an AbstractMesh or a mesh of "
                               'jax.local_devices(), or engine="xla"')


def _check_arguments(local: LocalProgram, data: list[numpy.ndarray]) -> None:
    """Checks that all processes pass the same arguments: nobody would see by the results that they do not.

    Raises:
        InvalidError: They do not.
    """
    name = local.traced.name
    try:
        _processes.check_same(name, *data)
    except InvalidError:
        for i, (border, one) in enumerate(zip(local.arguments, data)):
            _check_argument(f"{name}: {border.name or f'argument {i}'}", one)
        raise


def _check_argument(name: str, data: numpy.ndarray) -> None:
    try:
        _processes.check_same(name, data)
    except InvalidError:
        raise InvalidError(f"{name} is not the same in all processes; each must pass the whole of every argument, and all "
                           'the same: with engine="mpi" cut nothing by process, and seed what is random') from None
