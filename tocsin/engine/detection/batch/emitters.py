"""Nodes that bring what the compiled loops found, at the place and the time of the nodes that they
stand in for.
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
"""A silence that is over: where it was waited for, after which event, and by which nodes."""


class Asked(Node):
    """Stands in for a group: what was found for its members comes with the event that came last,
    the pair of several members once.
    """

    __slots__ = ("found",)

    is_direct = True

    def __init__(self, group: LastGroup) -> None:
        super().__init__(group.part, group.inner)
        self.found: list[tuple[FollowingNode, Event]] = []

    def receive(self, slot: int, occurrence: Occurrence, step: Step) -> None:
        """Brings the pairs that were found for this event."""
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
    """Stands in for all deadlines: brings the silences that were found, and has others found when
    they are due.
    """

    __slots__ = ("_ring", "set_for")

    def __init__(self, ring: Callable[[Instant], list[Silence]]) -> None:
        super().__init__(Named("", ()), [])  # type: ignore[arg-type]
        self.level = 1
        self.set_for: Instant | None = None
        self._ring = ring

    def end(self) -> None:
        """Rings no more, and keeps nothing alive while it waits for its last timer."""
        self.is_gone = True
        self._ring = _nothing

    def on_timer(self, token: object, step: Step) -> None:
        """A silence that was found is over now; or it is to be seen which are."""
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
    """The occurrence of a source, an atom or the name of one, that an event is."""
    occurrence, part = occurrence_of(event), source.part
    return occurrence.named(part.name) if isinstance(part, Named) else occurrence
