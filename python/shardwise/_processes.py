# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processes that `mpirun` has started: each runs the same Python program, and has some of the devices."""

from __future__ import annotations

import atexit
import os
import pathlib
import sys
import zlib
from typing import Any

from . import _core

__all__ = ["check_same", "connect", "mpi_processes"]

#: Index of this process and how many there are; empty before the first program.
_connected: list[tuple[int, int]] = []


def connect() -> tuple[int, int]:
    """Connects with the other processes, if there are some and that has not been done. Returns index and count.

    Raises:
        NotImplementedError: Shardwise was built without MPI.
    """
    if not _connected:
        _connected.append(_core.connect_processes(str(_plugin_folder())))
        if _connected[0][1] > 1:
            atexit.register(_core.disconnect_processes)
    return _connected[0]


def mpi_processes() -> tuple[int, int]:
    """Returns the index of this process among those of `mpirun`, and how many there are: 0 and 1 without it. For what
    one of them does for all, such as printing.

    Raises:
        NotImplementedError: This is one of several processes, and Shardwise was built without MPI.

    >>> mpi_processes()
    (0, 1)
    """
    return connect()


def process_of_devices(count: int) -> list[int]:
    """Returns which process each of a program's devices is in: neighbours are together."""
    connect()
    return _core.process_of_devices(count)


def check_same(what: str, *data: Any) -> None:
    """Checks that the other processes are at this call too, with the same data. Nothing is done in one process.

    Args:
        what: What the message calls it.
        data: Bytes, or arrays in row-major order.

    Raises:
        ValueError: One of them is not.
    """
    if connect()[1] > 1:
        key = 0
        for one in data:
            key = zlib.crc32(one, key)
        _core.check_same_call(what, key)


def _plugin_folder() -> pathlib.Path:
    """Where the plug-in for several processes is: beside the package, in a build, or installed."""
    package = pathlib.Path(_core.__file__).parent
    given = os.environ.get("SHARDWISE_PLUGINS")
    if given:
        return pathlib.Path(given)
    for root in (package, package.parents[1], pathlib.Path(sys.prefix)):
        for pattern in ("lib*/shardwise/shardwise-mpi.so", "lib*/*/shardwise/shardwise-mpi.so"):
            for found in root.glob(pattern):
                return found.parent
    return package / "lib" / "shardwise"
