# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A round of messages, executed on a process group by torch.distributed alone."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

import torch
import torch.distributed as dist

from ._layout import Runs, length
from ._messages import Round

#: With at most so many partners messages are single sends and receives, with more one all-to-all.
_FEW_PARTNERS = 3
#: Larger messages are single ones whoever the partners are: they need no packing, or pay for it.
_LARGE_BYTES = 1 << 17
#: Up to so many elements are put together by their positions, in one op: a copy for each part is an op or four, and with 8 processes on
#: few cores ops take longer than what they move (8 parts of 16,384 elements: 8 us by positions, 36 us by parts; of 65,536: 32 and 50).
_FEW_ELEMENTS = 1 << 15
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
        self.is_cut = any(of != ((0, size),) for of, size in zip(runs, shape))
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

    def is_dense(self, shape: Sequence[int]) -> bool:
        """Whether the elements follow each other in a tensor of the shape, row-major."""
        return self.is_view and self.view(torch.empty(shape, device="meta")).is_contiguous()

    def positions(self, shape: Sequence[int], device: torch.device) -> torch.Tensor:
        """Where the elements are in the row-major elements of a tensor of the shape."""
        return self.read(torch.arange(math.prod(shape), device=device).view(tuple(shape))).reshape(-1)

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


@dataclasses.dataclass(frozen=True)
class _Parcel:
    """A message of this rank's.

    Attributes:
        peer: To whom, or from whom.
        part: What of the local tensor.
        offset: Where it is in the buffer of the round; None if it comes straight to where it belongs.
    """

    peer: int
    part: _Part
    offset: int | None

    def slot(self, buffer: torch.Tensor, result: torch.Tensor | None = None) -> torch.Tensor:
        if self.offset is None:
            return self.part.view(result)
        return buffer.narrow(0, self.offset, self.part.count).view(self.part.shape)


class MessageRound:
    """What one rank does in a round that goes by torch.distributed.

    Every wait is one of torch.distributed, and ends by the timeout of the process group.
    """

    def __init__(self, messages: Round, rank: int, dtype: torch.dtype, device: torch.device,
                 reduce_op: str | None = None):
        """Looks up what to send and to receive.

        Args:
            messages: Who sends what to whom.
            rank: This process.
            dtype: Of the tensor.
            device: Of its local tensors.
            reduce_op: How terms combine; None if blocks have one term each.
        """
        self._dtype = dtype
        self._device = device
        self._combine = _COMBINE[reduce_op] if reduce_op else None
        self._is_local = messages.is_local
        self._rank = rank
        self._peers = _peers_of_all_to_all(messages, dtype.itemsize, device)
        source, target = messages.source, messages.target
        here, there = source.positions.get(rank), target.positions.get(rank)
        self._before = source.shape(here) if here is not None else ()
        self._shape = target.shape(there) if there is not None else None
        self._look_up_sends(messages)
        self._look_up_blocks(messages)
        self._own = [(into, terms[0]) for into, terms in self._blocks
                     if len(terms) == 1 and isinstance(terms[0], _Part) and self._from is None]

    def _look_up_sends(self, messages: Round) -> None:
        parts: dict[tuple[Runs, ...], _Part] = {}
        self._sends: list[_Parcel] = []
        offset = 0
        for one in sorted(messages.sent(self._rank), key=lambda one: one.receiver):
            # What goes to several ranks is one part, made once.
            part = parts.setdefault(one.block.source, _Part(one.block.source, self._before, self._device))
            self._sends.append(_Parcel(one.receiver, part, offset))
            offset += part.count
        self._sent = offset
        #: What goes to every partner, if that is the same.
        self._for_all = next(iter(parts.values())) if self._peers and len(parts) == 1 else None
        #: Where the elements to send are, if they are few.
        self._packed = None
        if self._peers and self._for_all is None and 0 < offset <= _FEW_ELEMENTS:
            self._packed = torch.cat([one.part.positions(self._before, self._device) for one in self._sends])

    def _look_up_blocks(self, messages: Round) -> None:
        """For each block: where it goes, and its terms, each a parcel or a part of the own tensor."""
        self._receives: list[_Parcel] = []
        self._blocks: list[tuple[_Part, list[_Parcel | _Part]]] = []
        after = self._shape or ()
        offset = 0
        found = [(_Part(terms[0].block.target, after, self._device), terms) for terms in messages.received(self._rank)]
        by_positions = self._is_by_positions(found)
        for into, messages_of_block in found:
            # Two terms can be combined in place, whichever of them is there.
            is_free = not self._peers and not by_positions and len(messages_of_block) <= 2 and into.is_dense(after)
            terms: list[_Parcel | _Part] = []
            for one in messages_of_block:
                if one.sender == self._rank:
                    terms.append(_Part(one.block.source, self._before, self._device))
                    continue
                terms.append(_Parcel(one.sender, into, None if is_free else offset))
                offset += 0 if is_free else into.count
                is_free = False
                self._receives.append(terms[-1])
            self._blocks.append((into, terms))
        if self._peers:
            self._in_order_of_senders()
            self._incoming = self._bytes_by_peer(self._receives)
            self._outgoing = self._bytes_by_peer(self._sends)
        self._got = offset
        #: For each element of the result where it is in what was received and, behind that, the local tensor; None if parts are copied.
        self._from = self._sources() if by_positions else None

    def _is_by_positions(self, found: Sequence[tuple[_Part, Sequence]]) -> bool:
        """Whether the result is few elements of several blocks that have to be copied, without sums."""
        if self._is_local or not found or any(len(terms) > 1 for _, terms in found):
            return False
        if math.prod(self._before) > _FEW_ELEMENTS or math.prod(self._shape) > _FEW_ELEMENTS:
            return False
        if self._peers:
            return True
        return any(terms[0].sender != self._rank and not into.is_dense(self._shape) for into, terms in found)

    def _sources(self) -> torch.Tensor:
        sources = torch.empty(self._shape, dtype=torch.int64, device=self._device)
        for into, (term,) in self._blocks:
            if isinstance(term, _Parcel):
                places = torch.arange(term.offset, term.offset + into.count, device=self._device)
            else:
                places = term.positions(self._before, self._device) + self._got
            into.write(sources, places.view(into.shape))
        return sources.view(-1)

    def _in_order_of_senders(self) -> None:
        """Gives parcels the places that an all-to-all gives them."""
        offset, places = 0, {}
        for parcel in sorted(self._receives, key=lambda one: one.peer):
            places[parcel.peer] = dataclasses.replace(parcel, offset=offset)
            offset += parcel.part.count
        self._receives = list(places.values())
        self._blocks = [(into, [places[one.peer] if isinstance(one, _Parcel) else one for one in terms])
                        for into, terms in self._blocks]

    def start(self, local: torch.Tensor, result: torch.Tensor) -> Callable[[], None]:
        """Sends and receives; returns what waits for that and fills the result.

        `local` must not change before that has been called. It may be where it belongs in `result`.
        """
        if self._is_local:
            return lambda: self._finish(local, None, result)
        works, received, sent = (self._all_to_all if self._peers else self._pairs)(local, result)
        # While messages are on their way.
        if self._from is None:
            for into, part in self._own:
                _put(into, part.read(local), result)
        else:
            received.narrow(0, self._got, local.numel()).view(local.shape).copy_(local)

        def finish() -> None:
            for work in works:
                work.wait()
            # Until here the messages need the buffers.
            sent.clear()
            self._finish(local, received, result)

        return finish

    def _all_to_all(self, local: torch.Tensor, result: torch.Tensor):
        received = self._buffer_for_received(local)
        if self._for_all is not None:
            sent = self._for_all.read(local).reshape(-1).repeat(len(self._sends))
        elif self._packed is not None:
            sent = local.reshape(-1).index_select(0, self._packed)
        else:
            sent = self._buffer(self._sent)
            for parcel in self._sends:
                parcel.slot(sent).copy_(parcel.part.read(local))
        work = dist.all_to_all_single(received.narrow(0, 0, self._got).view(torch.uint8), sent.view(torch.uint8),
                                      self._incoming, self._outgoing, async_op=True)
        return [work], received, [sent]

    def _bytes_by_peer(self, parcels: Sequence[_Parcel]) -> list[int]:
        counts = dict.fromkeys(self._peers, 0)
        counts.update((one.peer, one.part.count * self._dtype.itemsize) for one in parcels)
        return list(counts.values())

    def _pairs(self, local: torch.Tensor, result: torch.Tensor):
        received = self._buffer_for_received(local)
        if self._device.type == "cpu":
            # The group's own methods: what torch.distributed wraps around them takes longer than they do. Who receives says so first:
            # a sender that has been told sends at once.
            group = dist.group.WORLD
            works = [group.recv([parcel.slot(received, result)], parcel.peer, _TAG) for parcel in self._receives]
        sent: dict[int, torch.Tensor] = {}
        for parcel in self._sends:
            if id(parcel.part) not in sent:
                sent[id(parcel.part)] = parcel.part.read(local).contiguous()
        if self._device.type != "cpu":
            return self._batch(received, sent, result), received, sent
        works += [group.send([sent[id(parcel.part)]], parcel.peer, _TAG) for parcel in self._sends]
        return works, received, sent

    def _batch(self, received: torch.Tensor | None, sent: dict[int, torch.Tensor], result: torch.Tensor):
        """One launch for all messages, as backends of accelerators want it; gloo loses a third by it."""
        messages = [dist.P2POp(dist.irecv, parcel.slot(received, result), parcel.peer, tag=_TAG)
                    for parcel in self._receives]
        messages += [dist.P2POp(dist.isend, sent[id(parcel.part)], parcel.peer, tag=_TAG) for parcel in self._sends]
        return dist.batch_isend_irecv(messages) if messages else []

    def _buffer(self, count: int) -> torch.Tensor:
        return torch.empty(count, dtype=self._dtype, device=self._device)

    def _buffer_for_received(self, local: torch.Tensor) -> torch.Tensor:
        """Room for what comes; for the local tensor behind it, too, if the result is put together by positions."""
        return self._buffer(self._got + (0 if self._from is None else local.numel()))

    def _finish(self, local: torch.Tensor, received: torch.Tensor | None, result: torch.Tensor) -> None:
        if self._from is not None:
            result.copy_(received.index_select(0, self._from).view(result.shape))
            return
        for part, terms in self._blocks:
            if len(terms) == 1 and isinstance(terms[0], _Part) and not self._is_local:
                continue
            values = [one.slot(received, result) if isinstance(one, _Parcel) else one.read(local)
                      for one in terms]
            if len(values) > 1 and part.is_view:
                self._combined(values, part.view(result))
            elif len(values) > 1:
                part.write(result, self._combined(values, torch.empty_like(values[0])))
            else:
                _put(part, values[0], result)

    def _combined(self, values: Sequence[torch.Tensor], into: torch.Tensor) -> torch.Tensor:
        self._combine(values[0], values[1], out=into)
        for value in values[2:]:
            self._combine(into, value, out=into)
        return into


def _put(part: _Part, values: torch.Tensor, result: torch.Tensor) -> None:
    """Puts elements where they belong, unless they are there."""
    if not (part.is_view and values.data_ptr() == part.view(result).data_ptr()):
        part.write(result, values)


def _peers_of_all_to_all(messages: Round, itemsize: int, device: torch.device) -> tuple[int, ...]:
    """The ranks of an all-to-all, in order; none where single messages do it."""
    everyone = tuple(range(dist.get_world_size()))
    if tuple(sorted({*messages.source.ranks, *messages.target.ranks})) != everyone:
        return ()
    partners = messages.partners
    # One launch on NCCL, whatever the messages are.
    if device.type == "cpu" and (partners <= _FEW_PARTNERS
                                 or messages.largest * itemsize > partners * _LARGE_BYTES):
        return ()
    return everyone
