"""Shared buffers: occurrences of one part, buffered once for many readers.

Operators that wait for the same part, under the same partition key and for equally long, read one
buffer, each with a bit of its own. A mask per occurrence marks the readers to which it is
unavailable: those that came after it, those that consumed it, and, after a restart, those that have
not loaded it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from tocsin.engine.detection.base import Node, Step
from tocsin.engine.detection.comparison import Comparison
from tocsin.engine.detection.partition_keys import Key
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Duration

Kind = TypeVar("Kind", bound="Follower")

# masks of removed occurrences before the first sweep: one pays off only over many
_MARKS_ALLOWED = 64


class Follower(Node):
    """Operator served inline with the output of one source, on behalf of the operators that joined
    it.
    """

    __slots__ = ("_address", "joined", "key")

    is_direct = True

    def __init__(self, source: Node, key: Key, address: Hashable) -> None:
        super().__init__(source.part, [source])
        self.key = key
        self.joined = 0
        self._address = address

    def leave(self) -> None:
        """Release one user; the last one detaches the operator from its source."""
        self.joined -= 1
        if not self.joined:
            self.is_gone = True
            super().leave()
            if self.inner[0].shared.get(self._address) is self:
                del self.inner[0].shared[self._address]


def joined(source: Node, address: Hashable, make: Callable[[], Kind]) -> Kind:
    """Return the shared operator of a source at an address, made if missing, with one user more."""
    known = source.shared.get(address)
    if known is None:
        known = source.shared[address] = make()
        source.followers.append(known)
    known.joined += 1  # type: ignore[attr-defined]
    return known  # type: ignore[return-value]


class Line(Follower):
    """Occurrences that a source emitted within `lifetime`, in the order of arrival; subclasses
    choose the storage.
    """

    __slots__ = ("arrived", "everyone", "lifetime", "lost", "members")

    keeps = True

    def __init__(self, source: Node, key: Key, lifetime: Duration, address: Hashable) -> None:
        super().__init__(source, key, address)
        self.lifetime = lifetime
        self.arrived = 0
        """Counter that grows with each arrival: a reader sees if anything was added since it
        attached.
        """
        self.members: dict[int, Node] = {}
        """Readers by bit, in the order in which they attached."""
        self.everyone = 0
        """Mask of all readers."""
        self.lost: dict[Occurrence, int] = {}
        """Masks of the readers to which a buffered occurrence is unavailable. Occurrences that are
        gone may be listed until `tidy_up`.
        """

    @property
    def is_empty(self) -> bool:
        """True if nothing is buffered."""
        return not self.kept

    def stand(self, member: Node) -> int:
        """Add a reader and return its bit. Entries already buffered stay unavailable to it."""
        bit = ~self.everyone & (self.everyone + 1)
        self.everyone |= bit
        self.members[bit] = member
        lost = self.lost
        for each in self.present():
            lost[each] = lost.get(each, 0) | bit
        return bit

    def step_out(self, bit: int) -> None:
        """Remove a reader; another may get its bit."""
        self.everyone &= ~bit
        del self.members[bit]
        self.leave()

    def waiting(self) -> Iterable[Occurrence]:
        """Return all buffered occurrences, oldest first."""
        return ()

    def present(self) -> Iterable[Occurrence]:
        """Return all buffered occurrences, in any order."""
        return self.waiting()

    def had_by(self, bit: int) -> list[Occurrence]:
        """Return the occurrences that are available to a reader, oldest first."""
        lost = self.lost
        return [each for each in self.waiting() if not lost.get(each, 0) & bit]

    def had(self) -> Iterable[int]:
        """Return the mask of readers to which each buffered occurrence is available."""
        return ()

    def replace(self, occurrences: Iterable[Occurrence], step: Step) -> None:
        """Buffer these occurrences, oldest first, in place of all others."""

    def take_over(self, bit: int, occurrences: Iterable[Occurrence], step: Step) -> None:
        """Add the occurrences that one reader held before a restart, each once and in order. They
        are unavailable to another reader until it has loaded them, too.
        """
        lost, others = self.lost, self.everyone & ~bit
        known = {_sameness(each): each for each in self.waiting()}
        count = len(known)
        for each in occurrences:
            mine = known.setdefault(_sameness(each), each)
            if left := lost.get(mine, others) & ~bit:
                lost[mine] = left
            else:
                lost.pop(mine, None)
        if len(known) > count:
            self.replace(sorted(known.values(), key=lambda each: each.order), step)
            self.arrived += 1

    def tidy_up(self) -> None:
        """Drop the masks of occurrences that are gone, once these are most of those listed."""
        if len(self.lost) > 2 * self.kept + _MARKS_ALLOWED:
            here = set(self.present())
            self.lost = {each: bits for each, bits in self.lost.items() if each in here}

    def held_by(self, bit: int, comparison: Comparison) -> Hashable:
        """Return a key of the occurrences available to a reader, equal for all readers of this
        buffer with just the same.
        """
        firsts = comparison.once(("firsts", self), dict[int, int])
        if bit not in firsts:
            had = comparison.once(("had", self), lambda: self._different(comparison))
            comparison.work += len(had)
            alike = _bits_alike(bit, self.everyone, had)
            firsts |= dict.fromkeys(_parted(alike), alike & -alike)
        return (id(self), firsts[bit])

    def _different(self, comparison: Comparison) -> set[int]:
        comparison.work += self.kept
        return set(self.had())

    def drop_lost(self) -> None:
        """Remove the occurrences that are available to no reader."""

    def overfull(self, limit: int) -> list[Node]:
        """Return the readers to which more than `limit` occurrences are available."""
        if self.lost:
            self.drop_lost()
        here = set(self.present()) if self.lost else set()
        marks = [bits for each, bits in self.lost.items() if each in here]
        return [
            member
            for bit, member in self.members.items()
            if self.kept - sum(1 for bits in marks if bits & bit) > limit
        ]


def _bits_alike(bit: int, everyone: int, had: Iterable[int]) -> int:
    """Return the mask of all readers to which just the same is available."""
    alike = everyone
    for bits in had:
        alike &= bits if bits & bit else ~bits
    return alike


def _parted(bits: int) -> Iterator[int]:
    """Yield the bits one by one."""
    while bits:
        yield bits & -bits
        bits &= bits - 1


def _sameness(occurrence: Occurrence) -> Hashable:
    return (occurrence.identity, occurrence.start, occurrence.end)
