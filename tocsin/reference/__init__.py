"""The reference: what a plan means, written to be read, slow on purpose. It is the oracle of every other evaluator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tocsin.events.event import Event
from tocsin.events.match import Match
from tocsin.events.order import in_canonical_order
from tocsin.plan.atoms import Atom
from tocsin.plan.composites import Plan
from tocsin.plan.rendering import match_of, match_of_atom
from tocsin.reference.atoms import holds, rows_of, truth_of
from tocsin.reference.detection import Detection
from tocsin.reference.occurrence import Occurrence
from tocsin.reference.windows import is_over_before
from tocsin.values.time import Instant

__all__ = ["detected", "holds", "matches", "truth_of"]


def matches(subscription: str, plan: Plan, events: Iterable[Event], until: Instant | None = None) -> list[Match]:
    """Every match of a plan over finite input, in output order, when the clock stops at `until`.

    A repeated identity counts once. Occurrences with the same members and windows are one match. A window of absolute
    time that ended before the first event was over when time began: nothing is told of it.
    """
    ordered = in_canonical_order(events)
    if is_over_before(plan.pattern, ordered):
        return []
    if isinstance(plan.pattern, Atom):
        atom = plan.pattern
        ringing = [event for event in ordered if holds(atom, event)]
        found = [match_of_atom(subscription, event, rows_of(atom, event), plan.output) for event in ringing]
    else:
        found = [match_of(subscription, each, plan.output) for each in detected(plan, ordered, until)]
    once = {match.id: match for match in reversed(found) if match is not None}
    return sorted(once.values(), key=lambda match: match.order)


def detected(plan: Plan, ordered: Sequence[Event], until: Instant | None) -> list[Occurrence]:
    """The occurrences of a composite over events in canonical order."""
    detection = Detection(plan.pattern)
    for event in ordered:
        detection.event(event)
    detection.advance_to(until)
    return detection.found
