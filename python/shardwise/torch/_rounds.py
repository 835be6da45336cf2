# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A round of messages, executed on a process group by torch.distributed alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import torch
import torch.distributed as dist

from ._layout import Runs, length
from ._messages import Message, Round

#: With at most so many partners messages are single sends and receives, with more one all-to-all.
_FEW_PARTNERS = 3
#: The tag of our messages, so that they do not meet those of programs.
_TAG = 0x5D

_COMBINE: dict[str, Callable] = {
    "sum": torch.add, "avg": torch.add, "min": torch.minimum, "max": torch.maximum,
    "product": torch.mul, "band": torch.bitwise_and, "bor": torch.bitwise_or, "bxor": torch.bitwise_xor,
}

REDUCE_OPS = tuple(_COMBINE)


class _Part:
    """A part of a tensor: a range in each dimension, and positions where a range does not do."""

    def __init__(self, runs: Sequence[Runs], shape: Sequence[int], device: torch.device):
        self.shape = tuple(map(length, runs))
        self.count = math.prod(self.shape)
        self._ranges = [(dim, of[0][0], of[0][1] - of[0][0]) for dim, of in enumerate(runs)
                        if len(of) == 1 and of[0] != (0, shape[dim])]
        self._positions = [(dim, torch.cat([torch.arange(*one) for one in of]).to(device))
                           for dim, of in enumerate(runs) if len(of) > 1]
        self._index = None
        if len(self._positions) > 1:
            by_dim = dict(self._positions)
            self._index = tuple(
                by_dim.get(dim, torch.arange(size, device=device)).view([-1 if at == dim else 1
                                                                         for at in range(len(runs))])
                for dim, size in enumerate(self.shape))

    @property
    def is_view(self) -> bool:
        return not self._positions

    def view(self, tensor: torch.Tensor) -> torch.Tensor:
        """The elements where they are; without `is_view`, the ranges around them."""
        for dim, start, size in self._ranges:
            tensor = tensor.narrow(dim, start, size)
        return tensor

    def read(self, tensor: torch.Tensor) -> torch.Tensor:
        """The elements, in a copy if there is no view of them."""
        tensor = self.view(tensor)
        for dim, positions in self._positions:
            tensor = tensor.index_select(dim, positions)
        return tensor

    def write(self, tensor: torch.Tensor, values: torch.Tensor) -> None:
        tensor = self.view(tensor)
        if self._index is not None:
            tensor.index_put_(self._index, values)
        elif self._positions:
            tensor.index_copy_(*self._positions[0], values)
        else:
            tensor.copy_(values)


class _Parcel:
    """A message of this rank's: a part of a tensor, and where it is in the buffer of the round."""

    def __init__(self, peer: int, part: _Part, offset: int):
        self.peer = peer
        self.part = part
        self.offset = offset

    def slot(self, buffer: torch.Tensor) -> torch.Tensor:
        return buffer.narrow(0, self.offset, self.part.count).view(self.part.shape)


class Exchange:
    """What one rank does in a round.

    Every wait is one of torch.distributed, and ends by the timeout of the process group.
    """

    def __init__(self, messages: Round, rank: int, dtype: torch.dtype, device: torch.device,
                 reduce_op: str | None = None, divisor: int = 1):
        """Looks up what to send and to receive.

        Args:
            messages: Who sends what to whom.
            rank: This process.
            dtype: Of the tensor.
            device: Of its local tensors.
            reduce_op: How terms combine; None if blocks have one term each.
            divisor: By what they are divided afterwards: of averages, the number of terms.
        """
        self.messages = messages
        self._dtype = dtype
        self._device = device
        self._combine = _COMBINE[reduce_op] if reduce_op else None
        self._divisor = divisor
        source, target = messages.source, messages.target
        here = source.positions.get(rank)
        before = source.shape(here) if here is not None else ()
        there = target.positions.get(rank)
        self._shape = target.shape(there) if there is not None else None
        self._sends, self._sent = self._parcels(
            (one.receiver, _Part(one.block.source, before, device)) for one in _by_receiver(messages, rank))
        received = messages.received(rank)
        others = sorted((one for terms in received for one in terms if one.sender != rank),
                        key=lambda one: one.sender)
        after = self._shape or ()
        self._receives, self._got = self._parcels(
            (one.sender, _Part(one.block.target, after, device)) for one in others)
        by_message = {id(one): parcel for one, parcel in zip(others, self._receives)}
        # For each block: where it goes, and its terms, each a parcel or a part of the own tensor.
        self._blocks = [(_Part(terms[0].block.target, after, device),
                         [by_message.get(id(one)) or _Part(one.block.source, before, device)
                          for one in terms]) for terms in received]
        self._group, self._peers = _group_of(sorted({*source.ranks, *target.ranks}), device, messages.partners)

    @staticmethod
    def _parcels(parts: Iterable[tuple[int, _Part]]) -> tuple[list[_Parcel], int]:
        parcels, offset = [], 0
        for peer, part in parts:
            parcels.append(_Parcel(peer, part, offset))
            offset += part.count
        return parcels, offset

    def empty(self) -> torch.Tensor:
        """A local tensor of the target, to be filled; of a rank outside of its mesh, without elements."""
        return torch.empty(self._shape if self._shape is not None else 0, dtype=self._dtype,
                           device=self._device)

    def start(self, local: torch.Tensor) -> Callable[[torch.Tensor], None]:
        """Sends and receives; returns what waits for that and fills a local tensor of the target.

        `local` must not change before that has been called.
        """
        if self.messages.is_local:
            return lambda result: self._finish(local, None, result)
        works, received, sent = (self._all_to_all(local) if self._group is not None
                                 else self._pairs(local))

        def finish(result: torch.Tensor) -> None:
            for work in works:
                work.wait()
            # Until here the messages need the buffers.
            sent.clear()
            self._finish(local, received, result)

        return finish

    def _all_to_all(self, local: torch.Tensor):
        sent, received = self._buffer(self._sent), self._buffer(self._got)
        counts = [dict.fromkeys(self._peers, 0) for _ in range(2)]
        for parcel in self._sends:
            parcel.slot(sent).copy_(parcel.part.read(local))
            counts[0][parcel.peer] = parcel.part.count * sent.element_size()
        for parcel in self._receives:
            counts[1][parcel.peer] = parcel.part.count * received.element_size()
        work = dist.all_to_all_single(received.view(torch.uint8), sent.view(torch.uint8),
                                      list(counts[1].values()), list(counts[0].values()),
                                      group=self._group, async_op=True)
        return [work], received, [sent]

    def _pairs(self, local: torch.Tensor):
        received = self._buffer(self._got)
        sent = [parcel.part.read(local).contiguous() for parcel in self._sends]
        messages = [(dist.irecv, parcel.slot(received), parcel.peer) for parcel in self._receives]
        messages += [(dist.isend, values, parcel.peer) for values, parcel in zip(sent, self._sends)]
        # Only backends of accelerators gain by a batch; gloo loses a third.
        if self._device.type == "cpu":
            works = [call(values.view(-1), peer, tag=_TAG) for call, values, peer in messages]
        elif messages:
            works = dist.batch_isend_irecv([dist.P2POp(call, values.view(-1), peer, tag=_TAG)
                                            for call, values, peer in messages])
        else:
            works = []
        return works, received, sent

    def _buffer(self, count: int) -> torch.Tensor:
        return torch.empty(count, dtype=self._dtype, device=self._device)

    def run(self, local: torch.Tensor) -> torch.Tensor:
        """Sends, receives and waits; returns the local tensor of the target."""
        finish = self.start(local)
        result = self.empty()
        finish(result)
        return result

    def _finish(self, local: torch.Tensor, received: torch.Tensor | None, result: torch.Tensor) -> None:
        for part, terms in self._blocks:
            values = [one.slot(received) if isinstance(one, _Parcel) else one.read(local) for one in terms]
            if len(values) == 1:
                part.write(result, values[0])
            elif part.is_view:
                self._combined(values, part.view(result))
            else:
                part.write(result, self._combined(values, torch.empty_like(values[0])))
        if self._divisor != 1:
            exact = result.dtype.is_floating_point or result.dtype.is_complex
            result.div_(self._divisor, rounding_mode=None if exact else "trunc")

    def _combined(self, values: Sequence[torch.Tensor], into: torch.Tensor) -> torch.Tensor:
        self._combine(values[0], values[1], out=into)
        for value in values[2:]:
            self._combine(into, value, out=into)
        return into


def _by_receiver(messages: Round, rank: int) -> list[Message]:
    return sorted(messages.sent(rank), key=lambda one: one.receiver)


def _group_of(ranks: Sequence[int], device: torch.device, partners: int):
    """The group for an all-to-all of these ranks, and its ranks in order; None for single messages."""
    if list(ranks) != list(range(dist.get_world_size())):
        return None, ()
    # One launch on NCCL, whatever the number of partners.
    if partners <= _FEW_PARTNERS and device.type == "cpu":
        return None, ()
    return dist.group.WORLD, tuple(ranks)
