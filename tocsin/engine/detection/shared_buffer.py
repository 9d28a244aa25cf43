"""Shared buffers: occurrences of one part, buffered once for many readers.

Operators that wait for the same part, under the same partition key and for equally long, read one
buffer, each with a bit of its own. A mask per occurrence marks the readers to which it is
unavailable: those that came after it, those that consumed it, and, after a restart, those that have
not loaded it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from tocsin.engine.detection.base import Operator, StateComparison, StepContext
from tocsin.engine.detection.partition_keys import Key
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Duration

SharedT = TypeVar("SharedT", bound="SharedOperator")

# masks of removed occurrences before the first sweep: one pays off only over many
_MAX_TOMBSTONES = 64


class SharedOperator(Operator):
    """Operator served inline with the output of one source, on behalf of the operators that joined
    it.
    """

    __slots__ = ("_address", "key", "user_count")

    is_direct = True

    def __init__(self, source: Operator, key: Key, address: Hashable) -> None:
        super().__init__(source.part, [source])
        self.key = key
        self.user_count = 0
        self._address = address

    def detach(self) -> None:
        """Release one user; the last one detaches the operator from its source."""
        self.user_count -= 1
        if not self.user_count:
            self.is_removed = True
            super().detach()
            if self.inputs[0].shared_children.get(self._address) is self:
                del self.inputs[0].shared_children[self._address]


def get_or_create_shared(
    source: Operator, address: Hashable, make: Callable[[], SharedT]
) -> SharedT:
    """Return the shared operator of a source at an address, made if missing, with one user more."""
    known = source.shared_children.get(address)
    if known is None:
        known = source.shared_children[address] = make()
        source.inline_consumers.append(known)
    known.user_count += 1  # type: ignore[attr-defined]
    return known  # type: ignore[return-value]


class SharedBuffer(SharedOperator):
    """Occurrences that a source emitted within `lifetime`, in the order of arrival; subclasses
    choose the storage.
    """

    __slots__ = ("arrival_count", "lifetime", "reader_mask", "readers", "unavailable")

    has_buffer = True

    def __init__(self, source: Operator, key: Key, lifetime: Duration, address: Hashable) -> None:
        super().__init__(source, key, address)
        self.lifetime = lifetime
        self.arrival_count = 0
        """Counter that grows with each arrival: a reader sees if anything was added since it
        attached.
        """
        self.readers: dict[int, Operator] = {}
        """Readers by bit, in the order in which they attached."""
        self.reader_mask = 0
        """Mask of all readers."""
        self.unavailable: dict[Occurrence, int] = {}
        """Masks of the readers to which a buffered occurrence is unavailable. Occurrences that are
        gone may be listed until `tidy_up`.
        """

    @property
    def is_empty(self) -> bool:
        """True if nothing is buffered."""
        return not self.buffered_count

    def add_reader(self, reader: Operator) -> int:
        """Add a reader and return its bit. Entries already buffered stay unavailable to it."""
        bit = ~self.reader_mask & (self.reader_mask + 1)
        self.reader_mask |= bit
        self.readers[bit] = reader
        lost = self.unavailable
        for each in self.present():
            lost[each] = lost.get(each, 0) | bit
        return bit

    def remove_reader(self, bit: int) -> None:
        """Remove a reader; another may get its bit."""
        self.reader_mask &= ~bit
        del self.readers[bit]
        self.detach()

    def waiting(self) -> Iterable[Occurrence]:
        """Return all buffered occurrences, oldest first."""
        return ()

    def present(self) -> Iterable[Occurrence]:
        """Return all buffered occurrences, in any order."""
        return self.waiting()

    def available_to(self, bit: int) -> list[Occurrence]:
        """Return the occurrences that are available to a reader, oldest first."""
        lost = self.unavailable
        return [each for each in self.waiting() if not lost.get(each, 0) & bit]

    def availability_masks(self) -> Iterable[int]:
        """Return the mask of readers to which each buffered occurrence is available."""
        return ()

    def replace(self, occurrences: Iterable[Occurrence], step: StepContext) -> None:
        """Buffer these occurrences, oldest first, in place of all others."""

    def take_over(self, bit: int, occurrences: Iterable[Occurrence], step: StepContext) -> None:
        """Add the occurrences that one reader held before a restart, each once and in order. They
        are unavailable to another reader until it has loaded them, too.
        """
        lost, others = self.unavailable, self.reader_mask & ~bit
        known = {_identity_key(each): each for each in self.waiting()}
        count = len(known)
        for each in occurrences:
            mine = known.setdefault(_identity_key(each), each)
            if left := lost.get(mine, others) & ~bit:
                lost[mine] = left
            else:
                lost.pop(mine, None)
        if len(known) > count:
            self.replace(sorted(known.values(), key=lambda each: each.order), step)
            self.arrival_count += 1

    def tidy_up(self) -> None:
        """Drop the masks of occurrences that are gone, once these are most of those listed."""
        if len(self.unavailable) > 2 * self.buffered_count + _MAX_TOMBSTONES:
            here = set(self.present())
            self.unavailable = {
                each: bits for each, bits in self.unavailable.items() if each in here
            }

    def state_key_for(self, bit: int, comparison: StateComparison) -> Hashable:
        """Return a key of the occurrences available to a reader, equal for all readers of this
        buffer with just the same.
        """
        firsts = comparison.once(("firsts", self), dict[int, int])
        if bit not in firsts:
            had = comparison.once(("had", self), lambda: self._differing_occurrences(comparison))
            comparison.work += len(had)
            alike = _readers_with_equal_state(bit, self.reader_mask, had)
            firsts |= dict.fromkeys(_split_bits(alike), alike & -alike)
        return (id(self), firsts[bit])

    def _differing_occurrences(self, comparison: StateComparison) -> set[int]:
        comparison.work += self.buffered_count
        return set(self.availability_masks())

    def drop_unavailable(self) -> None:
        """Remove the occurrences that are available to no reader."""

    def overfull(self, limit: int) -> list[Operator]:
        """Return the readers to which more than `limit` occurrences are available."""
        if self.unavailable:
            self.drop_unavailable()
        here = set(self.present()) if self.unavailable else set()
        marks = [bits for each, bits in self.unavailable.items() if each in here]
        return [
            member
            for bit, member in self.readers.items()
            if self.buffered_count - sum(1 for bits in marks if bits & bit) > limit
        ]


def _readers_with_equal_state(bit: int, reader_mask: int, masks: Iterable[int]) -> int:
    """Return the mask of all readers to which just the same is available."""
    alike = reader_mask
    for bits in masks:
        alike &= bits if bits & bit else ~bits
    return alike


def _split_bits(bits: int) -> Iterator[int]:
    """Yield the bits one by one."""
    while bits:
        yield bits & -bits
        bits &= bits - 1


def _identity_key(occurrence: Occurrence) -> Hashable:
    return (occurrence.identity, occurrence.start, occurrence.end)
