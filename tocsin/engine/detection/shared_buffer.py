"""Lines: occurrences of one part that wait for many nodes at once. Each is kept once, whoever waits
for it.

Nodes that wait for the same part, parted by the same key and for equally long, stand in one line,
each with a bit of its own. What is not, or no more, to be had for some of them is noted with their
bits: what waited before one came, what it has used up, and what waited for others only when it was
written before a restart.
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


_MARKS_ALLOWED = 64


class Follower(Node):
    """Served at once with what one source brings, on behalf of the nodes that joined it."""

    __slots__ = ("_address", "joined", "key")

    is_direct = True

    def __init__(self, source: Node, key: Key, address: Hashable) -> None:
        super().__init__(source.part, [source])
        self.key = key
        self.joined = 0
        self._address = address

    def leave(self) -> None:
        """One of the nodes is gone; the last one takes the follower with it."""
        self.joined -= 1
        if not self.joined:
            self.is_gone = True
            super().leave()
            if self.inner[0].shared.get(self._address) is self:
                del self.inner[0].shared[self._address]


def joined(source: Node, address: Hashable, make: Callable[[], Kind]) -> Kind:
    """The follower of a source at an address, made where there is none."""
    known = source.shared.get(address)
    if known is None:
        known = source.shared[address] = make()
        source.followers.append(known)
    known.joined += 1  # type: ignore[attr-defined]
    return known  # type: ignore[return-value]


class Line(Follower):
    """What a source has brought within `lifetime`, in the order of arrival; how it is kept is up to
    the kind.
    """

    __slots__ = ("arrived", "everyone", "lifetime", "lost", "members")

    keeps = True

    def __init__(self, source: Node, key: Key, lifetime: Duration, address: Hashable) -> None:
        super().__init__(source, key, address)
        self.lifetime = lifetime
        self.arrived = 0
        """Grows whenever something comes that may be had by all."""
        self.members: dict[int, Node] = {}
        """The nodes that stand in the line, by bit, in the order of their coming."""
        self.everyone = 0
        """The bits of all of them."""
        self.lost: dict[Occurrence, int] = {}
        """The bits of those who do not, or no more, have one that waits; others may be listed until
        they are tidied up.
        """

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not self.kept

    def stand(self, member: Node) -> int:
        """The bit of one node more, which has nothing of what waits."""
        bit = ~self.everyone & (self.everyone + 1)
        self.everyone |= bit
        self.members[bit] = member
        lost = self.lost
        for each in self.present():
            lost[each] = lost.get(each, 0) | bit
        return bit

    def step_out(self, bit: int) -> None:
        """A node is gone, and another may have its bit."""
        self.everyone &= ~bit
        del self.members[bit]
        self.leave()

    def waiting(self) -> Iterable[Occurrence]:
        """All that wait, oldest first."""
        return ()

    def present(self) -> Iterable[Occurrence]:
        """All that wait, in any order."""
        return self.waiting()

    def had_by(self, bit: int) -> list[Occurrence]:
        """What waits and is still to be had for a node, oldest first."""
        lost = self.lost
        return [each for each in self.waiting() if not lost.get(each, 0) & bit]

    def had(self) -> Iterable[int]:
        """Of all that wait the bits of those who still have it."""
        return ()

    def replace(self, occurrences: Iterable[Occurrence], step: Step) -> None:
        """Has these wait, oldest first, and nothing else."""

    def take_over(self, bit: int, occurrences: Iterable[Occurrence], step: Step) -> None:
        """Adds what one node held before a restart, each once and in order, for that node alone
        until another has held it, too.
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
        """Forgets who lost what waits no more, once that is most of what is listed."""
        if len(self.lost) > 2 * self.kept + _MARKS_ALLOWED:
            here = set(self.present())
            self.lost = {each: bits for each, bits in self.lost.items() if each in here}

    def held_by(self, bit: int, comparison: Comparison) -> Hashable:
        """Stands for what waits for a node: the first of all who have just that of this line."""
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
        """Takes out what nobody has any more."""

    def overfull(self, limit: int) -> list[Node]:
        """The nodes for which more than `limit` wait."""
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
    """The bits of all who have just what one has."""
    alike = everyone
    for bits in had:
        alike &= bits if bits & bit else ~bits
    return alike


def _parted(bits: int) -> Iterator[int]:
    """The bits one by one."""
    while bits:
        yield bits & -bits
        bits &= bits - 1


def _sameness(occurrence: Occurrence) -> Hashable:
    return (occurrence.identity, occurrence.start, occurrence.end)
