"""Results of the engine, as values: nothing is left to fetch afterwards, so nothing can be
forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tocsin.errors import EventProblem
from tocsin.events.dead_letter import DeadLetter, internal_error, render_failed
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Forward, Plan, is_bare
from tocsin.plan.xml.construction import Construct
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded
from tocsin.values.time import Instant


@dataclass(frozen=True, slots=True, eq=False)
class AtomicMatches:
    """Atomic matches as two columns: index of the event in its batch, and subscription key. By
    event.
    """

    events: npt.NDArray[np.int32]
    keys: Sequence[str]

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return zip(self.events.tolist(), self.keys, strict=True)


NO_ATOMIC_MATCHES = AtomicMatches(np.empty(0, np.int32), ())


class OutputKinds:
    """Subscriptions by how their matches are rendered; a key is in one set at most but for
    `constructing`, which is a part of `selecting`.
    """

    __slots__ = ("constructing", "forwarding", "selecting")

    def __init__(self) -> None:
        self.forwarding: set[str] = set()
        """Atomic subscriptions whose matches are just their event: nothing is bound or put out."""
        self.selecting: set[str] = set()
        """Subscriptions whose matches select values or put something out."""
        self.constructing: set[str] = set()
        """Subscriptions whose outputs are published as events."""

    def add(self, key: str, plan: Plan) -> None:
        """Add a subscription."""
        if isinstance(plan.output, Construct):
            self.constructing.add(key)
        if plan.select or not isinstance(plan.output, Forward):
            self.selecting.add(key)
        elif is_bare(plan.pattern):
            self.forwarding.add(key)

    def remove(self, key: str) -> None:
        """Remove a subscription."""
        for each in (self.forwarding, self.selecting, self.constructing):
            each.discard(key)


@dataclass(slots=True)
class CompositeInput:
    """An event that composites need, by its index in the batch, with the atoms that it matches."""

    index: int
    atoms: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class BatchResult:
    """Result of a batch: atomic matches, inputs of composites, and problems; events by index.

    `refused` are events without a valid graph or assertions; `undecided` are those that exceeded
    the work limits, by subscription or, for a part of a composite, None; the events in `warned` are
    processed anyway.
    """

    atomic_matches: AtomicMatches
    composite_inputs: Sequence[CompositeInput]
    refused: dict[int, EventProblem]
    undecided: Sequence[tuple[int, str | None]]
    warned: Sequence[tuple[int, EventProblem]]


@dataclass(frozen=True, slots=True)
class RenderFailure:
    """A match that was found but exceeds the work limit when its output is built."""

    subscription: str
    events: tuple[Event, ...]
    why: WorkLimitExceeded

    def letter(self) -> DeadLetter:
        """Return the dead letter of the match."""
        return render_failed(self.events, self.subscription, self.why.code, self.why.reason)


@dataclass(frozen=True, slots=True)
class OperatorFault:
    """An exception, with its events and, if known, its subscription."""

    error: Exception
    events: tuple[Event, ...] = ()
    subscription: str | None = None

    def letter(self) -> DeadLetter:
        """Return the dead letter of the fault, with its position in the code."""
        return internal_error(self.error, self.events, self.subscription)


@dataclass(frozen=True, slots=True)
class DetectionResult:
    """Result of an event or of time for composites: matches, suspended subscriptions, failures.

    The `suspended` were removed because they held too much state or aborted too often; the others
    continue. Only an engine that contains faults reports them.
    """

    matches: Sequence[Match] = ()
    suspended: Sequence[str] = ()
    render_failures: Sequence[RenderFailure] = ()
    faults: Sequence[OperatorFault] = ()


@dataclass(frozen=True, slots=True)
class BatchMatches(DetectionResult):
    """Matches that a batch has found by itself, in the order of time.

    For each match the instant at which it is detected, and the number in its batch of the event
    that completes it, BY_TIME for none. Matches of one subscription and event differ.
    """

    instants: Sequence[Instant] = ()
    numbers: Sequence[int] = ()

    def between(self, begin: int, end: int) -> BatchMatches:
        """Return a slice of the matches; what failed goes with the first."""
        rest = () if begin else (self.render_failures, self.faults)
        return BatchMatches(
            self.matches[begin:end],
            (),
            *(rest or ((), ())),
            instants=self.instants[begin:end],
            numbers=self.numbers[begin:end],
        )


NO_BATCH_MATCHES = BatchMatches()
NOTHING = DetectionResult()
