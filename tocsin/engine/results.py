"""What the engine gives back, as values: nothing has to be asked for afterwards, so nothing can be
forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tocsin.errors import EventProblem
from tocsin.events.dead_letter import DeadLetter, internal_error, untold
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.xml.row_functions import GivenUp


@dataclass(frozen=True, slots=True, eq=False)
class Rings:
    """Subscriptions that ring at once, as two columns: the index of the event in its batch, and the
    key. By event.
    """

    events: npt.NDArray[np.int32]
    keys: Sequence[str]

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return zip(self.events.tolist(), self.keys, strict=True)


NO_RINGS = Rings(np.empty(0, np.int32), ())


@dataclass(slots=True)
class Relevant:
    """An event that composites want to see, by its index in the batch, and the atoms that it is an
    occurrence of.
    """

    index: int
    atoms: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Matched:
    """What a batch gives: who rings at once, what composites are to be told of, and what is odd;
    events go by index.

    `refused` are events that no graph or no concept can be asked about; `undecided` those that
    were too hard to decide, by subscription or, for a part of a composite, None; the events in
    `warned` are served all the same.
    """

    rings: Rings
    relevant: Sequence[Relevant]
    refused: dict[int, EventProblem]
    undecided: Sequence[tuple[int, str | None]]
    warned: Sequence[tuple[int, EventProblem]]


@dataclass(frozen=True, slots=True)
class Untold:
    """A ring whose output is too much to build: the subscription, its events, and why."""

    subscription: str
    events: tuple[Event, ...]
    why: GivenUp

    def letter(self) -> DeadLetter:
        """The dead letter of the ring."""
        return untold(self.events, self.subscription, self.why.code, self.why.reason)


@dataclass(frozen=True, slots=True)
class Fault:
    """What was raised, for which events and, where it is known, by which subscription."""

    error: Exception
    events: tuple[Event, ...] = ()
    subscription: str | None = None

    def letter(self) -> DeadLetter:
        """The dead letter of the fault, with its place in the code."""
        return internal_error(self.error, self.events, self.subscription)


@dataclass(frozen=True, slots=True)
class Detected:
    """What an event or time brings about for composites, which of them are gone for it, and what
    could not be told.

    The `suspended` were removed because too much waited for them; the others are served on. Faults
    are told only by an engine that contains them.
    """

    matches: Sequence[Match] = ()
    suspended: Sequence[str] = ()
    untold: Sequence[Untold] = ()
    faults: Sequence[Fault] = ()


NOTHING = Detected()
