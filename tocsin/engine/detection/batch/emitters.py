"""Results of the compiled loops, on their way out.

A pair or an absence that is a whole subscription leaves as a row of `FoundOccurrences`, and no step
is taken for it. What other operators consume is emitted by stand-ins, at the place and the time of
the operators that they replace.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter

from tocsin.engine.detection.absence_after import DeadlineBuffer
from tocsin.engine.detection.base import COMBINE_COST, Operator, StepContext
from tocsin.engine.detection.sequence import ProbeSide, SequenceOperator
from tocsin.events.event import Event
from tocsin.events.matches.match import Match, hashed_id, set_derived_fields
from tocsin.plan.bindings import NOTHING_BOUND
from tocsin.plan.nodes.composites import Named
from tocsin.plan.semantics.match_rendering import (
    format_window,
    members_text,
    name_text,
    windows_text,
)
from tocsin.plan.semantics.occurrence import Occurrence, combine, occurrence_of
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded
from tocsin.values.space import Geometry, format_place
from tocsin.values.time import Instant

AbsenceResult = tuple[DeadlineBuffer, Event, Sequence[Operator]]
"""An absence that holds: its deadline buffer, its first event, and the operators that wait for it.
"""


BY_TIME = -1
"""Number in place of that of an event, for what time alone brings."""


class FoundRow:
    """A pair, or an absence where `last` is None, that an operator would emit: the instant at which
    it is detected and, if an event completes it, the number of that event in its batch.

    Its fields are those of the occurrence, and it renders its matches as `MatchRenderer` would, in
    a third of the time. Few matches are read, so that all is worked out then.
    """

    __slots__ = ("end", "first", "last", "node", "number")

    rows = NOTHING_BOUND

    def __init__(
        self, end: Instant, number: int, node: Operator, first: Event, last: Event | None
    ) -> None:
        self.end = end
        self.number = number
        self.node = node
        self.first = first
        self.last = last

    @property
    def members(self) -> tuple[Event, ...]:
        """The events, in canonical order: the last ends after the first."""
        return (self.first,) if self.last is None else (self.first, self.last)

    @property
    def start(self) -> Instant:
        """The earliest start of an event."""
        return min([each.order[1] for each in self.members])

    @property
    def names(self) -> dict[str, Occurrence]:
        """The events that are named."""
        return {name: occurrence_of(event) for name, event in self._named()}

    @property
    def absences(self) -> tuple[tuple[Instant, Instant], ...]:
        """The window in which nothing came."""
        return ((self.first.order[0], self.end),) if self.last is None else ()

    @property
    def place(self) -> Geometry | None:
        """The extent of the events' places together; None if none has a place."""
        members = self.members
        if all(each.place_source is None for each in members):
            return None
        return Occurrence(members, self.start, self.end).place

    def render_fields(self, match: Match) -> None:
        """Set the derived fields of a match but its id and its place."""
        members = match.members
        set_derived_fields(
            match,
            tuple([each.id for each in members]),
            min([each.order[1] for each in members]),
            self.end,
            self._bindings(),
            tuple([each.source for each in members]),
        )

    def id_of(self, subscription: str) -> str:
        """Return the id of the match of a subscription."""
        members = self.members
        told = members_text(members)
        if self.last is None:
            told += windows_text(self.absences)
        for name, event in sorted(self._named()):
            told += name_text(name, [members.index(event)])
        return hashed_id(subscription, told)

    def place_text(self) -> str | None:
        """Return the place of the events together as text; None without a place."""
        place = self.place
        return None if place is None else format_place(place)

    def _named(self) -> Iterator[tuple[str, Event]]:
        """Yield the names of the events that have one."""
        node, last = self.node, self.last
        at = node.first if isinstance(node, SequenceOperator) else 1
        if isinstance(part := node.inputs[at].part, Named):
            yield part.name, self.first
        if last is not None and isinstance(part := node.inputs[1 - at].part, Named):
            yield part.name, last

    def _bindings(self) -> dict[str, str]:
        """Return the ids of the named events, and the window of an absence."""
        bound = {name: event.id for name, event in sorted(self._named()) if name[:1] != "."}
        if self.last is None:
            bound["absence"] = format_window(*self.absences[0])
        return bound


class FoundOccurrences:
    """Occurrences found by a batch that subscriptions alone get, in the order of time; at one
    instant pairs before absences.
    """

    __slots__ = ("_taken", "rows")

    def __init__(self, rows: Iterable[FoundRow] = ()) -> None:
        self.rows = sorted(rows, key=_order)
        self._taken = 0

    def take_until(self, instant: Instant) -> Sequence[FoundRow]:
        """Return the rows up to an instant that were not taken before."""
        begin = self._taken
        self._taken = bisect_right(self.rows, instant, begin, key=_INSTANT)
        return self.rows[begin : self._taken]


def _order(row: FoundRow) -> tuple[Instant, bool]:
    return row.end, row.last is None


_INSTANT = attrgetter("end")


class PairEmitter(Operator):
    """Stand-in for a group: emits the pairs found for its operators with the event that came last,
    the pair of several operators once.
    """

    __slots__ = ("found",)

    is_direct = True

    def __init__(self, group: ProbeSide) -> None:
        super().__init__(group.part, group.inputs)
        self.found: list[tuple[SequenceOperator, Event]] = []

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Emit the pairs that were found for this event."""
        found, self.found = self.found, []
        wholes: dict[tuple[Operator, int], Occurrence] = {}
        for node, event in found:
            if not node.is_removed:
                place = (node.inputs[node.first], id(event))
                if place not in wholes:
                    wholes[place] = _pair(node, event, occurrence)
                try:
                    node.charge_probe(0, COMBINE_COST, step)
                except WorkLimitExceeded as why:
                    step.abort_work(node, occurrence, why)
                else:
                    step.emit(node, wholes[place])


def _pair(node: SequenceOperator, event: Event, last: Occurrence) -> Occurrence:
    first = occurrence_at(node.inputs[node.first], event)
    whole = combine((last, first) if node.first else (first, last))
    assert whole is not None, "conditions bind nothing, and no event comes twice"
    return whole


class AbsenceEmitter(Operator):
    """Stand-in for all deadline buffers: emits the absences that were found, and has others found
    when they are due.
    """

    __slots__ = ("_emit_absences", "set_for")

    def __init__(self, emit_absences: Callable[[Instant], list[AbsenceResult]]) -> None:
        super().__init__(Named("", ()), [])  # type: ignore[arg-type]
        self.level = 1
        self.set_for: Instant | None = None
        self._emit_absences = emit_absences

    def end(self) -> None:
        """Stop emitting, and keep nothing alive while its last timer is pending."""
        self.is_removed = True
        self._emit_absences = _nothing

    def on_timer(self, token: object, step: StepContext) -> None:
        """Emit the absence that the token stands for; without a token, find those that are due."""
        if token is not None:
            self._emit(token, step)  # type: ignore[arg-type]
            return
        self.set_for = None
        for silence in self._emit_absences(step.now):
            self._emit(silence, step)

    def _emit(self, silence: AbsenceResult, step: StepContext) -> None:
        line, event, nodes = silence
        first = occurrence_at(line.inputs[0], event)
        whole = first.with_absence(first.end, first.end + line.lifetime)
        for node in nodes:
            if not node.is_removed:
                step.emit(node, whole)


def _nothing(now: Instant) -> list[AbsenceResult]:  # noqa: ARG001
    return []


def occurrence_at(source: Operator, event: Event) -> Occurrence:
    """Return the occurrence of a source, an atom or the name of one, that an event is."""
    occurrence, part = occurrence_of(event), source.part
    return occurrence.named(part.name) if isinstance(part, Named) else occurrence
