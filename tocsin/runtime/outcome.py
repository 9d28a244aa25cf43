"""Result of serving events and time in a host, as one value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tocsin.errors import EventProblem
from tocsin.events.dead_letter import DeadLetter
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.plan.nodes.atoms import Atom


class UnservedSubscription(NamedTuple):
    """A subscription that is not served from now on, and the dead letter with the reason."""

    subscription: str
    letter: DeadLetter


@dataclass(slots=True)
class Outcome:
    """Matches, dead letters, ended subscriptions with reasons, warnings about served events."""

    matches: list[Match] = field(default_factory=list)
    letters: list[DeadLetter] = field(default_factory=list)
    ended: list[UnservedSubscription] = field(default_factory=list)
    warned: list[tuple[Event, EventProblem]] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Append a later outcome."""
        if other is EMPTY_OUTCOME:
            return
        self.matches += other.matches
        self.letters += other.letters
        self.ended += other.ended
        self.warned += other.warned

    def settle(self) -> Outcome:
        """Append the dead letters of the ended subscriptions to the others, and return the outcome.

        For a host that reports all of them; of several shards one reports each.
        """
        self.letters += (letter for _, letter in self.ended)
        return self


EMPTY_OUTCOME = Outcome()
"""The empty outcome, returned for most events. Read-only: to accumulate, create a new `Outcome`."""


@dataclass(slots=True)
class GuardedBatchResult:
    """The result of a batch: atomic matches to render, composite inputs, unserved events,
    diagnostics.

    It does not depend on the batch in which an event was matched.
    """

    atomic_matches: list[tuple[Event, str]] = field(default_factory=list)
    relevant: list[tuple[Event, tuple[Atom, ...]]] = field(default_factory=list)
    unserved: list[Event] = field(default_factory=list)
    diagnostics: Outcome = field(default_factory=Outcome)

    def add(self, other: GuardedBatchResult) -> None:
        """Append the result of further events or further subscriptions."""
        self.atomic_matches += other.atomic_matches
        self.relevant += other.relevant
        self.unserved += other.unserved
        self.diagnostics.add(other.diagnostics)
