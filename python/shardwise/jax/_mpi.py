# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`engine="mpi"`: Shardwise's own executor runs the program, with the devices dealt out to the processes of `mpirun`.

Every process runs the same Python program. It partitions and compiles the function for itself. Without `jax.distributed` it passes the
whole of every argument, of which it takes what its devices need, and gets the whole of every result: a `jax.Array` has no
elements that its process cannot reach. On a mesh over all processes, as `jax.distributed` gives one, arrays have shards in each,
and results stay where they are. Sums are taken in the order of the devices, so the bits are those of `engine="local"`.
"""

from __future__ import annotations

from typing import Any

import jax

from .. import _processes
from ..errors import InvalidError, UnsupportedError
from ._kept import Kept
from ._local import LocalEngine, Shards, Step
from ._program import LocalProgram


class MpiEngine(LocalEngine):
    """Without `mpirun`, or with one process, it is `LocalEngine`."""

    def _check_spread(self, mesh: Any) -> None:
        """Refuses a mesh whose devices are in other processes than those of the executor.

        Raises:
            UnsupportedError: It is one.
        """
        index = _processes.connect()[0]
        ours, theirs = _processes.process_of_devices(mesh.size), [device.process_index for device in mesh.devices.flat]
        if ours == theirs and jax.process_index() == index:
            return
        found = (f"the devices of the mesh are in processes {theirs} of jax.distributed, and engine=\"mpi\" deals them out "
                 f"as {ours}" if ours != theirs else
                 f"process {index} of mpirun is process {jax.process_index()} of jax.distributed")
        raise UnsupportedError(f"{found}; initialize jax.distributed with the process_id and num_processes that "
                               "shardwise.jax.mpi_processes() tells, give each process as many devices, and keep those of a "
                               'process together in the mesh; or pass an AbstractMesh, or engine="xla"')

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
            _check_arguments(local, [_alike(one) for one in given])


def _alike(given: Any) -> Any:
    """What processes have alike of an argument."""
    if isinstance(given, Shards):
        return b"shards"
    return given.name if isinstance(given, Kept) else given[2]


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
