# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one rank does in a round: through memory that the ranks share if they do, else by messages."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import torch
import torch.distributed as dist

from ._layout import Runs, elements, length
from ._messages import Block, Round
from ._near import memory_round
from ._rounds import MessageRound

#: Types of local tensors whose elements are where they say; those of tracers have none.
_WITH_MEMORY = (torch.Tensor, torch.nn.Parameter)


class Exchange:
    """A round, as one rank knows it. Every wait ends by the timeout of the process group."""

    def __init__(self, messages: Round, dtype: torch.dtype, device: torch.device, meaning: str,
                 reduce_op: str | None = None, divisor: int = 1):
        """Looks up what to send and to receive.

        Args:
            messages: Who sends what to whom.
            dtype: Of the tensor.
            device: Of its local tensors.
            meaning: The same on all ranks of the round, and different for other rounds.
            reduce_op: How terms combine; None if blocks have one term each.
            divisor: By what they are divided afterwards: of averages, the number of terms.
        """
        self._messages = messages
        self._rank = dist.get_rank()
        self._dtype = dtype
        self._device = device
        self._reduce_op = reduce_op
        self._divisor = divisor
        there = messages.target.positions.get(self._rank)
        #: Of the result; of a rank outside of its mesh, without elements.
        self._shape = messages.target.shape(there) if there is not None else (0,)
        self._memory = (memory_round(messages, self._rank, dtype, reduce_op, meaning)
                        if device.type == "cpu" else None)

    @functools.cached_property
    def _by_messages(self) -> MessageRound:
        return MessageRound(self._messages, self._rank, self._dtype, self._device, self._reduce_op)

    def empty(self) -> torch.Tensor:
        """A local tensor of the target, to be filled."""
        return torch.empty(self._shape, dtype=self._dtype, device=self._device)

    @functools.cached_property
    def _own_place(self) -> tuple[tuple[int, int], ...] | None:
        """Where in the result the local tensor goes as a whole and stays dense: start and size by dimension."""
        here = self._messages.source.positions.get(self._rank)
        for terms in self._messages.received(self._rank):
            if len(terms) == 1 and terms[0].sender == self._rank:
                block = terms[0].block
                if block.count == elements(self._messages.source.boxes[here]) and _is_dense(block, self._shape):
                    return tuple((runs[0][0], length(runs)) for runs in block.target)
        return None

    def place_of_own(self, result: torch.Tensor) -> torch.Tensor | None:
        """Where in the result the local tensor goes as a whole; None if it is cut, or goes nowhere."""
        if self._own_place is None:
            return None
        for dim, (start, size) in enumerate(self._own_place):
            result = result.narrow(dim, start, size)
        return result

    def start(self, local: torch.Tensor, result: torch.Tensor) -> Callable[[], None]:
        """Sends and receives; returns what waits for that and fills the result.

        `local` must not change before that has been called. It may be `place_of_own`.
        """
        host = self._host_for(local)
        if host is None:
            finish_round = self._by_messages.start(local, result)
        else:
            memory, dense = self._memory, _dense(local)
            started = memory.start(host, dense)

            def finish_round() -> None:
                memory.finish(host, started, dense, result)

        def finish() -> None:
            finish_round()
            self._divide(result)

        return finish

    def run(self, local: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
        """Sends, receives and waits; returns the result."""
        host = self._host_for(local)
        if host is None:
            self._by_messages.start(local, result)()
        else:
            self._memory.run(host, _dense(local), result)
        self._divide(result)
        return result

    def _host_for(self, local: torch.Tensor):
        return self._memory.host() if self._memory is not None and type(local) in _WITH_MEMORY else None

    def _divide(self, result: torch.Tensor) -> None:
        if self._divisor != 1:
            exact = result.dtype.is_floating_point or result.dtype.is_complex
            result.div_(self._divisor, rounding_mode=None if exact else "trunc")


def _dense(local: torch.Tensor) -> torch.Tensor:
    """The same elements as they are read: row-major, conjugates and negatives done."""
    if local.is_conj() or local.is_neg():
        local = local.resolve_conj().resolve_neg()
    return local.contiguous()


def _is_dense(block: Block, shape: tuple[int, ...]) -> bool:
    """Whether a block follows itself in a row-major tensor of the shape, in the order in which it is at its sender."""
    def whole(runs: Runs, size: int) -> bool:
        return runs == ((0, size),)

    if any(len(runs) != 1 for runs in (*block.target, *block.source)):
        return False
    # Behind the first dimension that is not of one index, all are whole.
    sizes = [length(runs) for runs in block.target]
    first = next((dim for dim, size in enumerate(sizes) if size != 1), len(sizes))
    return math.prod(sizes) > 0 and all(whole(runs, size) for runs, size in
                                        zip(block.target[first + 1:], shape[first + 1:]))
