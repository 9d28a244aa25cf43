"""Stand-ins: operators that emit the results of the compiled loops, at the place and the time of
those that they replace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tocsin.engine.detection.absence_after import Deadlines
from tocsin.engine.detection.base import A_TRIAL, Node, Step
from tocsin.engine.detection.sequence import FollowingNode, LastGroup
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import Named
from tocsin.plan.semantics.occurrence import Occurrence, combined, occurrence_of
from tocsin.plan.xml.row_functions import GivenUp
from tocsin.values.time import Instant

Silence = tuple[Deadlines, Event, Sequence[Node]]
"""An absence that holds: its deadline buffer, its first event, and the operators that wait for it.
"""


class Asked(Node):
    """Stand-in for a group: emits the pairs found for its operators with the event that came last,
    the pair of several operators once.
    """

    __slots__ = ("found",)

    is_direct = True

    def __init__(self, group: LastGroup) -> None:
        super().__init__(group.part, group.inner)
        self.found: list[tuple[FollowingNode, Event]] = []

    def receive(self, slot: int, occurrence: Occurrence, step: Step) -> None:
        """Emit the pairs that were found for this event."""
        found, self.found = self.found, []
        wholes: dict[tuple[Node, int], Occurrence] = {}
        for node, event in found:
            if not node.is_gone:
                place = (node.inner[node.first], id(event))
                if place not in wholes:
                    wholes[place] = _pair(node, event, occurrence)
                try:
                    node.pay(0, A_TRIAL, step)
                except GivenUp as why:
                    step.give_up(node, occurrence, why)
                else:
                    step.bring(node, wholes[place])


def _pair(node: FollowingNode, event: Event, last: Occurrence) -> Occurrence:
    first = occurrence_at(node.inner[node.first], event)
    whole = combined((last, first) if node.first else (first, last))
    assert whole is not None, "conditions bind nothing, and no event comes twice"
    return whole


class Alarm(Node):
    """Stand-in for all deadline buffers: emits the absences that were found, and has others found
    when they are due.
    """

    __slots__ = ("_ring", "set_for")

    def __init__(self, ring: Callable[[Instant], list[Silence]]) -> None:
        super().__init__(Named("", ()), [])  # type: ignore[arg-type]
        self.level = 1
        self.set_for: Instant | None = None
        self._ring = ring

    def end(self) -> None:
        """Stop emitting, and keep nothing alive while its last timer is pending."""
        self.is_gone = True
        self._ring = _nothing

    def on_timer(self, token: object, step: Step) -> None:
        """Emit the absence that the token stands for; without a token, find those that are due."""
        if token is not None:
            self._bring(token, step)  # type: ignore[arg-type]
            return
        self.set_for = None
        for silence in self._ring(step.now):
            self._bring(silence, step)

    def _bring(self, silence: Silence, step: Step) -> None:
        line, event, nodes = silence
        first = occurrence_at(line.inner[0], event)
        whole = first.with_silence(first.end, first.end + line.lifetime)
        for node in nodes:
            if not node.is_gone:
                step.bring(node, whole)


def _nothing(now: Instant) -> list[Silence]:  # noqa: ARG001
    return []


def occurrence_at(source: Node, event: Event) -> Occurrence:
    """Return the occurrence of a source, an atom or the name of one, that an event is."""
    occurrence, part = occurrence_of(event), source.part
    return occurrence.named(part.name) if isinstance(part, Named) else occurrence
