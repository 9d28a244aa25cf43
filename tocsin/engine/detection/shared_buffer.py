"""Lines: occurrences of one part that wait for many nodes at once. Each is kept once, whoever waits
for it.

Nodes that wait for the same part, parted by the same key and for equally long, share a line from
when it is empty, so that nobody sees what was before it came. What an occurrence has become for one
node, the node notes for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from tocsin.engine.detection.node import Node, Step
from tocsin.engine.detection.partition_keys import Key
from tocsin.plan.occurrence import Occurrence
from tocsin.values.time import Duration, Instant

Kind = TypeVar("Kind", bound="Follower")


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
    """The follower of a source at an address, if it has nothing from before; else a new one."""
    known = source.shared.get(address)
    if known is None or not known.is_empty:
        known = source.shared[address] = make()
        source.followers.append(known)
    known.joined += 1  # type: ignore[attr-defined]
    return known  # type: ignore[return-value]


class Line(Follower):
    """What a source has brought within `lifetime`, in the order of arrival; how it is kept is up to
    the kind.
    """

    __slots__ = ("_restored", "_restored_until", "lifetime")

    def __init__(self, source: Node, key: Key, lifetime: Duration, address: Hashable) -> None:
        super().__init__(source, key, address)
        self.lifetime = lifetime
        self._restored: set[Occurrence] = set()
        self._restored_until: Instant = 0

    def waiting(self) -> Iterable[Occurrence]:
        """All that wait, oldest first."""
        return ()

    def replace(self, occurrences: Iterable[Occurrence], step: Step) -> None:
        """Has these wait, oldest first, and nothing else."""

    def take_over(self, occurrences: Iterable[Occurrence], step: Step) -> set[Occurrence]:
        """Adds what one node held before a restart, each once and in order; gives what stands for
        it here.
        """
        known = {_sameness(each): each for each in self.waiting()}
        mine = [known.setdefault(_sameness(each), each) for each in occurrences]
        ordered = sorted(known.values(), key=lambda each: each.order)
        self.replace(ordered, step)
        self._restored = set(ordered)
        self._restored_until = max((each.end for each in ordered), default=0) + self.lifetime
        return set(mine)

    def is_only_others(self, occurrence: Occurrence, mine: set[Occurrence]) -> bool:
        """Whether it waited for other nodes only when it was written before a restart."""
        return occurrence in self._restored and occurrence not in mine

    def only_others(self, mine: set[Occurrence]) -> set[Occurrence]:
        """What waited for other nodes only when it was written before a restart."""
        return self._restored - mine

    def forget_restored(self, now: Instant) -> None:
        """What waited before a restart is no special case once its time is up."""
        if self._restored and now > self._restored_until:
            self._restored = set()


def _sameness(occurrence: Occurrence) -> Hashable:
    return (occurrence.identity, occurrence.start, occurrence.end)
