# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`engine="mpi"`: Shardwise's own executor runs the program, with the devices dealt out to the processes of `mpirun`.

Every process runs the same Python program. It partitions and compiles the function for itself, passes the whole of every
argument, of which it takes what its devices need, and gets the whole of every result: a `jax.Array` has no elements that its
process cannot reach. Sums are taken in the order of the devices, so the bits are those of `engine="local"`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax.sharding import Mesh

from .. import _processes
from ..errors import InvalidError, UnsupportedError
from ._kept import Kept
from ._local import LocalEngine, Step
from ._program import LocalProgram


class MpiEngine(LocalEngine):
    """Without `mpirun`, or with one process, it is `LocalEngine`."""

    def call(self, key: Any, partition: Callable[[], LocalProgram], leaves: list) -> Any:
        def checked() -> LocalProgram:
            local = partition()
            _check_mesh(local.user_mesh)
            return local

        return super().call(key, checked, leaves)

    def _check(self, step: Step, given: list) -> None:
        _, count = _processes.connect()
        self.alone = count == 1
        if self.alone:
            return
        local = step.local
        if count > step.program.mesh.size > 1:
            raise UnsupportedError(f"{local.traced.name} is a program of {step.program.mesh.size} devices, and there are "
                                   f"{count} processes; start at most one process for each device")
        # Processes with other programs would wait for each other, or take bytes for what they are not.
        _processes.check_same(local.traced.name, local.fingerprint)
        if self._verify.when != "never":
            _check_arguments(local, [one.name if isinstance(one, Kept) else one[2] for one in given])


def _check_mesh(mesh: Any) -> None:
    """Refuses a mesh over several processes of JAX.

    Raises:
        UnsupportedError: It is one.
    """
    if isinstance(mesh, Mesh) and mesh.is_multi_process:
        raise UnsupportedError('engine="mpi" gives every process whole results, on devices of its own; the mesh has devices '
                               "of other processes, as jax.distributed gives them: pass an AbstractMesh or a mesh of "
                               'jax.local_devices(), or engine="xla"')


def _check_arguments(local: LocalProgram, data: list[Any]) -> None:
    """Checks that all processes pass the same arguments, by their bytes or by which results they are: nobody would see
    by the results that they do not.

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


def _check_argument(name: str, data: Any) -> None:
    try:
        _processes.check_same(name, data)
    except InvalidError:
        raise InvalidError(f"{name} is not the same in all processes; each must pass the whole of every argument, and all "
                           'the same: with engine="mpi" cut nothing by process, and seed what is random') from None
