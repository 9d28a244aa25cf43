"""What serving events and time comes to in a host, as one value."""

from __future__ import annotations

from dataclasses import dataclass, field

from tocsin.errors import EventProblem
from tocsin.events.dead_letter import DeadLetter
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.plan.nodes.atoms import Atom


@dataclass(slots=True)
class Outcome:
    """Matches, dead letters, the subscriptions that are over and why, and what is odd about events
    that were served.
    """

    matches: list[Match] = field(default_factory=list)
    letters: list[DeadLetter] = field(default_factory=list)
    ended: list[tuple[str, DeadLetter]] = field(default_factory=list)
    warned: list[tuple[Event, EventProblem]] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """What came about next."""
        if other is NOTHING:
            return
        self.matches += other.matches
        self.letters += other.letters
        self.ended += other.ended
        self.warned += other.warned

    def all_letters(self) -> list[DeadLetter]:
        """The dead letters, those of subscriptions that are over last."""
        return [*self.letters, *(letter for _, letter in self.ended)]


NOTHING = Outcome()
"""What most events bring about. It is read only: whoever gathers begins with one of his own."""


@dataclass(slots=True)
class Served:
    """What events give at once: who rings for which, what composites want, which could not be
    served at all; and what was odd or went wrong.

    Nothing here says which batch an event was matched in.
    """

    rings: list[tuple[Event, str]] = field(default_factory=list)
    relevant: list[tuple[Event, tuple[Atom, ...]]] = field(default_factory=list)
    unserved: list[Event] = field(default_factory=list)
    beside: Outcome = field(default_factory=Outcome)

    def add(self, other: Served) -> None:
        """What further events, or further subscriptions, give."""
        self.rings += other.rings
        self.relevant += other.relevant
        self.unserved += other.unserved
        self.beside.add(other.beside)
