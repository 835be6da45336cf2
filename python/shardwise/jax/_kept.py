# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the executor's devices still hold of the arrays that it has returned.

A training loop passes the results of a step to the next one. The array of JAX that stands for such a result is
remembered beside what the devices have of it, for as long as it is there: passed again, it need not be cut again.
"""

from __future__ import annotations

import dataclasses
import itertools
import weakref
from typing import Any

from .. import _core

# Processes that run the same program count alike.
_numbers = itertools.count()


@dataclasses.dataclass(frozen=True)
class Kept:
    """A result on the devices.

    Attributes:
        data: Its shards.
        name: The same in all processes: which result it is, of all that there were.
    """

    data: _core.DeviceArray
    name: bytes


class KeptResults:
    """Results on the devices, by the arrays of JAX that were returned for them."""

    def __init__(self):
        self._by_id: dict[int, tuple[weakref.ref, Kept]] = {}

    def add(self, array: Any, data: _core.DeviceArray) -> None:
        number, by_id = id(array), self._by_id
        kept = Kept(data, f"result {next(_numbers)}".encode())
        by_id[number] = weakref.ref(array, lambda _: by_id.pop(number, None)), kept

    def find(self, array: Any) -> Kept | None:
        """What the devices have of `array`; None if it is nothing, or if the array was deleted, which is for
        JAX to tell."""
        reference, kept = self._by_id.get(id(array), (None, None))
        return kept if reference and reference() is array and not array.is_deleted() else None

    def forget(self, array: Any) -> None:
        if self.find(array):
            del self._by_id[id(array)]
