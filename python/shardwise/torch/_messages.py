# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who sends what to whom, so that the ranks of one layout get what another layout says.

A *round* is one exchange of messages, at most one from each rank to each other. Where the source has
partial values that the target has not, a message is a term, and the receiver combines the terms in
the order of the mesh: replicas get the same bits.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator

from ._layout import Layout, Runs, elements, length, overlap

#: So many ranks are looked at to compare rounds: all of a small mesh, evenly spread ones of a large one.
_SAMPLE = 64


@dataclasses.dataclass(frozen=True)
class Block:
    """Elements that two ranks have in common, by dimension.

    Attributes:
        source: Positions in the local tensor of the sender.
        target: Positions in that of the receiver.
    """

    source: tuple[Runs, ...]
    target: tuple[Runs, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(map(length, self.target))

    @property
    def count(self) -> int:
        return elements(self.target)


@dataclasses.dataclass(frozen=True)
class Message:
    """A block that a rank gets; `sender` may be the rank itself.

    Attributes:
        sender: A global rank.
        receiver: A global rank.
        block: What is sent.
    """

    sender: int
    receiver: int
    block: Block


@dataclasses.dataclass(frozen=True)
class Holders:
    """Ranks that hold the same values: same box, same terms. Positions in the mesh."""

    box: tuple[Runs, ...]
    terms: tuple[int, ...]
    members: tuple[int, ...]


class Round:
    """The messages of one exchange.

    Attributes:
        source: What the ranks hold before.
        target: What they hold afterwards.
    """

    def __init__(self, source: Layout, target: Layout):
        self.source = source
        self.target = target
        groups: dict[tuple, list[int]] = {}
        for position, box in enumerate(source.boxes):
            if elements(box):
                groups.setdefault((box, source.terms[position]), []).append(position)
        # Equal boxes follow each other, their terms in order.
        self._holders = [Holders(box, terms, tuple(members))
                         for (box, terms), members in sorted(groups.items())]
        self._same_mesh = source.coordinates == target.coordinates and source.ranks == target.ranks
        # Axes along which partial values stay partial: both sides then have the same term.
        self._kept = tuple(axis for axis in range(len(target.coordinates[0]))
                           if any(terms[axis] for terms in target.terms))

    def received(self, rank: int) -> list[tuple[Message, ...]]:
        """What `rank` gets: for each block the terms that make it up, in order."""
        position = self.target.positions.get(rank)
        if position is None or not elements(self.target.boxes[position]):
            return []
        blocks: dict[tuple[Runs, ...], list[Message]] = {}
        for holders in self._holders:
            block = self._block(holders, position)
            if block is not None:
                sender = self.source.ranks[self._sender(holders, position)]
                blocks.setdefault(holders.box, []).append(Message(sender, rank, block))
        return [tuple(terms) for terms in blocks.values()]

    def sent(self, rank: int) -> Iterator[Message]:
        """What `rank` sends to others."""
        own = self.source.positions.get(rank)
        holders = next((one for one in self._holders if own in one.members), None)
        if holders is None:
            return
        for position, receiver in enumerate(self.target.ranks):
            if receiver != rank and self._sender(holders, position) == own:
                block = self._block(holders, position)
                if block is not None:
                    yield Message(rank, receiver, block)

    def received_elements(self, rank: int) -> int:
        """How many elements `rank` gets from others."""
        return sum(one.block.count for terms in self.received(rank) for one in terms if one.sender != rank)

    @functools.cached_property
    def largest(self) -> int:
        """The most elements that a rank gets from others."""
        return max(map(self.received_elements, self._sample))

    @functools.cached_property
    def largest_combined(self) -> int:
        """The most elements that a rank combines into others."""
        return max(sum(one.block.count for terms in self.received(rank) for one in terms[1:])
                   for rank in self._sample)

    @functools.cached_property
    def partners(self) -> int:
        """The most ranks from which one gets messages."""
        return max(len({one.sender for terms in self.received(rank) for one in terms} - {rank})
                   for rank in self._sample)

    @property
    def is_local(self) -> bool:
        """Whether no rank needs anything from others."""
        return all(self._has_all(rank) or self.received_elements(rank) == 0 for rank in self.target.ranks)

    def _has_all(self, rank: int) -> bool:
        """Whether it is seen at once that `rank` needs nothing from others: it holds all that it wants, of which
        there are no other terms."""
        own = self.source.positions.get(rank)
        wanted = self.target.boxes[self.target.positions[rank]]
        if own is None or self._is_reducing:
            return not elements(wanted)
        return all(length(overlap(runs, of)[1]) == length(of) for runs, of in zip(self.source.boxes[own], wanted))

    @functools.cached_property
    def _is_reducing(self) -> bool:
        return any(any(terms[axis] for terms in self.source.terms)
                   for axis in range(len(self.source.terms[0])) if axis not in self._kept)

    @functools.cached_property
    def _sample(self) -> tuple[int, ...]:
        ranks = self.target.ranks
        return ranks[::-(-len(ranks) // _SAMPLE)]

    def _block(self, holders: Holders, position: int) -> Block | None:
        terms = self.target.terms[position]
        if any(holders.terms[axis] != terms[axis] for axis in self._kept):
            return None
        source, target = [], []
        for runs, wanted in zip(holders.box, self.target.boxes[position]):
            in_source, in_target = overlap(runs, wanted)
            if not in_source:
                return None
            source.append(in_source)
            target.append(in_target)
        return Block(tuple(source), tuple(target))

    def _sender(self, holders: Holders, position: int) -> int:
        """Which of the holders sends to a position of the target: itself, or the one that shares most
        coordinates with it, so that replicas take turns."""
        members = holders.members
        if len(members) == 1:
            return members[0]
        own = self.source.positions.get(self.target.ranks[position])
        if own in members:
            return own
        if not self._same_mesh:
            return members[position % len(members)]
        coordinate = self.target.coordinates[position]
        return max(members, key=lambda one: (_shared(coordinate, self.source.coordinates[one]), -one))


def _shared(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return sum(a == b for a, b in zip(one, other))
