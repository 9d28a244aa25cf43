"""The reference evaluator, slow on purpose: the oracle that all others are compared with.

Begin with `detection.py` (composites step by step) and `declarative_semantics.py` (all occurrences
by brute force, nothing consumed). `atoms.py`, `graphs.py`, `concepts.py` and `blocks.py` evaluate
the atoms, `conditions.py` joins and restrictions; `windows.py` and `sliding.py` follow their
definitions. It shares plan nodes with the engine and nothing that decides; `tocsin.explain`
explains with it.

Imports: `errors`, `events`, `knowledge`, `plan`, `values`; never `engine`, nor the modules that
.importlinter lists.
Test a change with: `tests/reference`, `tests/scenarios`, `tests/mutants`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from tocsin.events.event import Event, in_canonical_order
from tocsin.events.matches.match import Match
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.semantics.match_rendering import match_of, match_of_atom
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded
from tocsin.reference.atoms import holds, rows_of, truth_of
from tocsin.reference.blocks import make_evaluator
from tocsin.reference.detection import PatternDetection
from tocsin.reference.measures import select_values
from tocsin.reference.occurrence import ReferenceOccurrence
from tocsin.reference.windows import is_over_before
from tocsin.values.time import Instant

__all__ = ["detect_occurrences", "holds", "matches", "truth_of"]


def matches(
    subscription: str, plan: Plan, events: Iterable[Event], until: Instant | None = None
) -> list[Match]:
    """Return every match of a plan over finite input, in output order, up to time `until`.

    A repeated identity counts once. Occurrences with the same members and windows are one match. A
    fixed window that ended before the first event gives no matches. A match whose output is too
    large is left out.
    """
    ordered = in_canonical_order(events)
    if is_over_before(plan.pattern, ordered):
        return []
    found = list(_render_matches(subscription, plan, ordered, until))
    once = {match.id: match for match in reversed(found)}
    return sorted(once.values(), key=lambda match: match.order)


def _render_matches(
    subscription: str, plan: Plan, ordered: Sequence[Event], until: Instant | None
) -> Iterator[Match]:
    for tell in _find_matches(subscription, plan, ordered, until):
        try:
            match = tell()
        except WorkLimitExceeded:
            continue
        if match is not None:
            yield match


def _find_matches(
    subscription: str, plan: Plan, ordered: Sequence[Event], until: Instant | None
) -> Iterator[Callable[[], Match | None]]:
    """Yield a function per match that renders it; it may return None."""
    if isinstance(plan.pattern, Atom):
        for event in ordered:
            if holds(plan.pattern, event):
                rows = rows_of(plan.pattern, event)
                yield partial(match_of_atom, subscription, event, rows, plan.output, make_evaluator)
    else:
        for each in detect_occurrences(plan, ordered, until):
            told = select_values(plan.select, each.names)
            yield partial(match_of, subscription, each, plan.output, make_evaluator, told)


def detect_occurrences(
    plan: Plan, ordered: Sequence[Event], until: Instant | None
) -> list[ReferenceOccurrence]:
    """Return the occurrences of a composite over events in canonical order."""
    detection = PatternDetection(plan.pattern)
    for event in ordered:
        detection.event(event)
    detection.advance_to(until)
    return detection.found
