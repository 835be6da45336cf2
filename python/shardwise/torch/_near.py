# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rounds among processes of one host, through memory that they share.

A rank copies what others need of its local tensor to where they can read it, once, and tells them; they
read from there into their results. Messages of gloo take two copies and two trips through the kernel
each, and wake threads at both ends.

Who shares memory is found out through the store of the process group, at the first round of a set of
ranks: each says on which host it is and where its memory is. If all ranks of a round are on one host, all
of them know it, and none of its messages goes by torch.distributed.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import os
import pathlib
import resource
import threading
import weakref
from collections.abc import Iterator, Sequence

import torch
import torch.distributed as dist

from .. import _core
from ..errors import InfeasibleError, TimeoutExpired
from ._layout import Runs
from ._messages import Block, Round
from ._meta import DTYPE_NAMES

#: Set to 0 on all ranks, it has all messages go by torch.distributed.
_SWITCH = "SHARDWISE_SHARED_MEMORY"
#: Of torch.distributed, whose ranks are processes with CPU tensors.
_BACKENDS = frozenset(("gloo", "mpi", "ucc"))
#: Larger local tensors are not copied once more.
_MOST_BYTES = 1 << 30
#: How the C++ half calls what torch.distributed's partial values do.
_REDUCTIONS = {"sum": "sum", "avg": "sum", "min": "min", "max": "max", "product": "product", "band": "and", "bor": "or"}


def memory_round(messages: Round, rank: int, dtype: torch.dtype, reduce_op: str | None,
                 meaning: str) -> MemoryRound | None:
    """What `rank` does in a round if it goes through memory.

    Args:
        messages: Who sends what to whom.
        rank: This process.
        dtype: Of the tensor.
        reduce_op: How terms combine; None if blocks have one term each.
        meaning: The same on all ranks of the round, and different for other rounds.

    Returns:
        None if such rounds do not go through memory on any rank.
    """
    source = messages.source
    largest = max((math.prod(source.shape(position)) for position in range(len(source.ranks))), default=0)
    if largest * dtype.itemsize > _MOST_BYTES:
        return None
    if reduce_op is not None and (reduce_op not in _REDUCTIONS or dtype not in DTYPE_NAMES
                                  or (dtype.is_complex and reduce_op in ("min", "max"))):
        return None
    return MemoryRound(messages, rank, dtype, reduce_op, meaning)


class MemoryRound:
    """What one rank does in a round that goes through memory."""

    def __init__(self, messages: Round, rank: int, dtype: torch.dtype, reduce_op: str | None, meaning: str):
        """As `memory_round`."""
        source, target = messages.source, messages.target
        here, there = source.positions.get(rank), target.positions.get(rank)
        before = source.shape(here) if here is not None else ()
        after = target.shape(there) if there is not None else ()
        readers, begin, end = [], math.inf, 0
        for one in messages.sent(rank):
            readers.append(one.receiver)
            first, behind = _range(one.block, before)
            begin, end = min(begin, first), max(end, behind)
        parts, senders = [], set()
        for terms in messages.received(rank):
            parts.append([(one.sender, _boxes(one.block, source.shape(source.positions[one.sender]), after,
                                              dtype.itemsize)) for one in terms])
            senders.update(one.sender for one in terms)
        #: Ranks that this one reads from, or that read from it.
        self._partners = tuple(sorted({*readers, *senders} - {rank}))
        #: Whose hosts decide. Nobody's if the round is local: then nobody needs to come to it.
        self._ranks = () if messages.is_local else tuple(sorted({*source.ranks, *target.ranks}))
        digest = hashlib.blake2b(meaning.encode(), digest_size=8).digest()
        self._round = _core.HostRound(
            dtype.itemsize, DTYPE_NAMES.get(dtype, ""), _REDUCTIONS[reduce_op] if reduce_op else None,
            int.from_bytes(digest, "little"), readers,
            (begin * dtype.itemsize, end * dtype.itemsize) if readers else (0, 0), parts)
        self._neighbours: _Neighbours | None = None
        self._host: _core.HostGroup | None = None

    def host(self) -> _core.HostGroup | None:
        """Through which the round goes; None if its ranks do not share memory.

        The first call on a process group waits for the other ranks.
        """
        neighbours = _present_neighbours()
        if self._neighbours is not neighbours:
            self._host = neighbours.shared_by(self._ranks, self._partners)
            self._neighbours = neighbours
        return self._host

    def run(self, host: _core.HostGroup, local: torch.Tensor, result: torch.Tensor) -> None:
        """Does the round.

        Args:
            host: What `host` has returned.
            local: This rank's tensor before; dense.
            result: The one afterwards, to be filled; dense. It may have `local` in its place.
        """
        host.run(self._round, local.data_ptr(), result.data_ptr())

    def start(self, host: _core.HostGroup, local: torch.Tensor) -> _core.StartedExchange:
        """Lets the others read; `finish` does the rest, with what is returned."""
        return host.start(self._round, local.data_ptr())

    def finish(self, host: _core.HostGroup, started: _core.StartedExchange, local: torch.Tensor,
               result: torch.Tensor) -> None:
        """Waits for the others, and fills `result`."""
        host.finish(self._round, started, local.data_ptr(), result.data_ptr())


class _Neighbours:
    """The ranks of a process group, and which of them share memory with this one."""

    def __init__(self, group: dist.ProcessGroup):
        # Nothing here may keep the group or its store, which hold sockets and threads.
        self.group = weakref.ref(group)
        backend = group._get_backend(torch.device("cpu"))
        #: Others have no processes, as those of PyTorch's own tests.
        self._has_processes = backend.name() in _BACKENDS
        if not self._has_processes:
            return
        self._rank = group.rank()
        timeout = getattr(backend.options, "_timeout", dist.default_pg_timeout)
        self._host = _core.HostGroup(self._rank, group.size(), timeout.total_seconds())
        self._known: dict[int, tuple[str, tuple[int, int]]] = {}
        self._connected = {self._rank}
        address = self._host.address() if os.environ.get(_SWITCH, "") != "0" else None
        host = _host_id() if address else ""
        _store().set(_key(self._rank), json.dumps([host, address or (0, 0)]))

    def shared_by(self, ranks: Sequence[int], partners: Sequence[int]) -> _core.HostGroup | None:
        """The way to `partners` through memory, if all of `ranks` share it; all of these ask.

        Those without partners ask as well: by messages, a round may be a collective of all.
        """
        if not self._has_processes:
            return None
        hosts = {self._introduction(rank)[0] for rank in ranks}
        if len(hosts) > 1 or "" in hosts:
            return None
        new = [rank for rank in partners if rank not in self._connected]
        for rank in new:
            try:
                self._host.connect(rank, self._introduction(rank)[1])
            except InfeasibleError as error:
                raise InfeasibleError(f"{error}; set {_SWITCH}=0 on all ranks to send messages by "
                                      "torch.distributed instead") from None
            _store().set(_key(self._rank, rank), "1")
        # Whoever goes on may end, and then its memory could no longer be mapped.
        for rank in new:
            try:
                _store().wait([_key(rank, self._rank)])
            except RuntimeError as error:
                raise _late(rank) from error
        self._connected.update(new)
        return self._host

    def _introduction(self, rank: int) -> tuple[str, tuple[int, int]]:
        if rank not in self._known:
            try:
                said = _store().get(_key(rank))
            except RuntimeError as error:
                raise _late(rank) from error
            host, address = json.loads(said)
            self._known[rank] = host, tuple(address)
        return self._known[rank]


_present: _Neighbours | None = None
_lock = threading.Lock()


def _present_neighbours() -> _Neighbours:
    """Those of the present group: one that has been destroyed is forgotten with the next."""
    global _present
    group = dist.group.WORLD
    if _present is None or _present.group() is not group:
        with _lock:
            if _present is None or _present.group() is not group:
                _present = _Neighbours(group)
    return _present


def _late(rank: int) -> TimeoutExpired:
    return TimeoutExpired(f"timed out: rank {rank} has not come to this redistribute; all ranks of both meshes must "
                          "call it")


def _store() -> dist.Store:
    return dist.distributed_c10d._get_default_store()


def _key(*ranks: int) -> str:
    return "/".join(map(str, ("shardwise", "memory", *ranks)))


def _host_id() -> str:
    """The same in processes that can map each other's memory; empty if this one cannot or does not know."""
    # Each area is 16 GiB of addresses.
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        return ""
    try:
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')} {os.getuid()}"
    except OSError:
        return ""


def _strides(shape: Sequence[int]) -> list[int]:
    """Of a dense tensor, in elements."""
    return [math.prod(shape[dim + 1:]) for dim in range(len(shape))]


def _range(block: Block, shape: Sequence[int]) -> tuple[int, int]:
    """The first element of a block in the sender's tensor of `shape`, and the one behind its last."""
    strides = _strides(shape)
    first = sum(min(start for start, _ in runs) * stride for runs, stride in zip(block.source, strides))
    last = sum((max(stop for _, stop in runs) - 1) * stride for runs, stride in zip(block.source, strides))
    return first, last + 1


def _boxes(block: Block, before: Sequence[int], after: Sequence[int], itemsize: int) -> list[tuple]:
    """A block as boxes for the C++ half: offsets, sizes and strides, in bytes."""
    boxes = []
    strides = list(zip(_strides(before), _strides(after)))
    for segments in itertools.product(*map(_segments, block.source, block.target)):
        source = target = 0
        size, source_strides, target_strides = [], [], []
        for (at, to, length, count, step, step_to), (stride, stride_to) in zip(segments, strides):
            source += at * stride
            target += to * stride_to
            size += [count, length]
            source_strides += [step * stride * itemsize, stride * itemsize]
            target_strides += [step_to * stride_to * itemsize, stride_to * itemsize]
        boxes.append((source * itemsize, target * itemsize, size, source_strides, target_strides))
    return boxes


def _segments(source: Runs, target: Runs) -> list[tuple[int, int, int, int, int, int]]:
    """Two lists of runs of the same elements as few segments.

    A segment is `count` pieces of `length` elements, the first one at `at` and `to`, and each `step` and
    `step_to` behind the one before: a dimension that is cut in strides has few of them, whatever its size.
    """
    segments: list[tuple[int, int, int, int, int, int]] = []
    for at, to, length in _pieces(source, target):
        if segments:
            first, first_to, same, count, step, step_to = segments[-1]
            last = first + (count - 1) * step, first_to + (count - 1) * step_to
            if length == same and (count == 1 or (at - last[0], to - last[1]) == (step, step_to)):
                segments[-1] = first, first_to, length, count + 1, at - last[0], to - last[1]
                continue
        segments.append((at, to, length, 1, 0, 0))
    return segments


def _pieces(source: Runs, target: Runs) -> Iterator[tuple[int, int, int]]:
    """Where pieces begin that are contiguous on both sides, and how long they are."""
    froms, tos = iter(source), iter(target)
    at = stop = to = stop_to = 0
    while True:
        if at == stop:
            found = next(froms, None)
            if found is None:
                return
            at, stop = found
        if to == stop_to:
            to, stop_to = next(tos)
        length = min(stop - at, stop_to - to)
        yield at, to, length
        at, to = at + length, to + length
