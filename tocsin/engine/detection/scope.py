"""Scopes at work: consumed occurrences of named parts. Every entry bound to one of them is dead."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from tocsin.plan.nodes.composites import Part
from tocsin.plan.semantics.occurrence import Identity, Occurrence
from tocsin.plan.semantics.scopes import Scope
from tocsin.values.time import Duration, Instant

_Used = tuple[str, Identity, Instant, Instant]


class Scopes:
    """Names of one pattern that have a scope, and their consumed occurrences."""

    __slots__ = ("_lifetime", "_scopes", "_times", "_used")

    def __init__(self, scopes: Mapping[str, Scope], lifetime: Duration) -> None:
        self._scopes = scopes
        self._lifetime = lifetime
        self._used: set[_Used] = set()
        self._times: deque[tuple[Instant, _Used]] = deque()

    @property
    def names(self) -> frozenset[str]:
        """All names that have a scope."""
        return frozenset(self._scopes)

    @property
    def is_empty(self) -> bool:
        """True if nothing is consumed."""
        return not self._used

    def names_in(self, part: Part) -> tuple[str, ...]:
        """Return the names whose scope the operator belongs to."""
        return tuple(name for name, scope in self._scopes.items() if part in scope.operators)

    def is_required(self, name: str, part: Part) -> bool:
        """True if an occurrence of the name that fails at the operator can be dropped in the whole
        scope.
        """
        return name in self._scopes and part in self._scopes[name].required

    def names_settled_at(self, part: Part) -> tuple[str, ...]:
        """Return the names whose scope has this operator as its root."""
        return tuple(name for name, scope in self._scopes.items() if scope.root == part)

    def is_used(self, occurrence: Occurrence, names: Iterable[str]) -> bool:
        """True if the occurrence is bound, by one of the names, to a consumed one."""
        if not self._used:
            return False
        bound, used = occurrence.names, self._used
        for name in names:  # noqa: SIM110 (a loop is twice as fast)
            if name in bound and _key(name, bound[name]) in used:
                return True
        return False

    def use_up(self, names: Iterable[str], whole: Occurrence) -> None:
        """Consume the occurrences that the names stand for in the whole."""
        for name in names:
            if name in whole.names:
                self.lose(name, whole.names[name], whole.end)

    def lose(self, name: str, occurrence: Occurrence, now: Instant) -> None:
        """Mark the occurrence bound to a name as consumed, or lost, from `now` on."""
        key = _key(name, occurrence)
        self._used.add(key)
        self._times.append((now, key))

    def forget_before(self, now: Instant) -> None:
        """Drop consumed occurrences that no entry can be bound to any longer."""
        while self._times and self._times[0][0] + self._lifetime < now:
            self._used.discard(self._times.popleft()[1])

    def next_expiry(self) -> Instant | None:
        """Return when the first consumed occurrence can be dropped; None without any."""
        return self._times[0][0] + self._lifetime if self._times else None

    def snapshot(self) -> list[object]:
        """Return the consumed occurrences as plain data."""
        return [
            [when, name, [list(each) for each in identity], start, end]
            for when, (name, identity, start, end) in self._times
        ]

    def restore(self, state: list[list[object]]) -> None:
        """Load the state of a snapshot."""
        for when, name, identity, start, end in state:
            members = tuple(tuple(each) for each in identity)  # type: ignore[attr-defined]
            key = (name, members, start, end)
            self._used.add(key)  # type: ignore[arg-type]
            self._times.append((when, key))  # type: ignore[arg-type]


def _key(name: str, occurrence: Occurrence) -> _Used:
    return (name, occurrence.identity, occurrence.start, occurrence.end)
