"""Stand-ins: operators that emit the results of the compiled loops, at the place and the time of
those that they replace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tocsin.engine.detection.absence_after import DeadlineBuffer
from tocsin.engine.detection.base import COMBINE_COST, Operator, StepContext
from tocsin.engine.detection.sequence import ProbeSide, SequenceOperator
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import Named
from tocsin.plan.semantics.occurrence import Occurrence, combine, occurrence_of
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded
from tocsin.values.time import Instant

AbsenceResult = tuple[DeadlineBuffer, Event, Sequence[Operator]]
"""An absence that holds: its deadline buffer, its first event, and the operators that wait for it.
"""


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
