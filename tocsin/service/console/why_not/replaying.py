"""Replay of the stored events around an event: the parts of a pattern that match with it, and the
partial matches with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tocsin.engine.columns.batch import Batch
from tocsin.engine.detection.base import Pending
from tocsin.engine.engine import Engine
from tocsin.errors import Problem
from tocsin.events.event import Event, in_canonical_order
from tocsin.events.matches.match import Match
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Part, Plan, parts_of
from tocsin.runtime.guarded import GuardedEngine, Outcome
from tocsin.runtime.sequencer import FiniteSequencer

MAX_PARTS = 50
"""Parts of a pattern that are evaluated one by one, at most."""


@dataclass(slots=True)
class Replayed:
    """The result: parts that match with the event, the number of matches of each part, partial
    matches with the event after it arrived, and those left at the end.
    """

    parts: list[Part]
    with_event: set[Part] = field(default_factory=set)
    counts: Counter[Part] = field(default_factory=Counter)
    waiting: list[Pending] = field(default_factory=list)
    still: list[Pending] = field(default_factory=list)
    refused: str | None = None


def replay(pattern: Part, event: Event, around: Sequence[Event]) -> Replayed:
    """Replay the events and the one in question in canonical order, up to the last of them."""
    found = Replayed(composites_in(pattern))
    engine, plans = Engine(), dict[str, Plan]()
    keys: dict[str, Part] = {}
    for number, part in enumerate(found.parts):
        key = f"part {number}"
        try:
            engine.add(key, Plan(part))
        except Problem as problem:
            found.refused = found.refused or problem.message
            continue
        keys[key], plans[key] = part, Plan(part)
    ordered = in_canonical_order([*around, event])
    ends = [each.interval.end for each in ordered if each.interval is not None]
    if not keys or not ends:
        return found
    sequencer = FiniteSequencer(GuardedEngine(engine, lambda: plans))
    sequencer.begin(ends[0], ends[-1], ((end, end) for end in ends))
    relevant = {each.index: each.atoms for each in engine.match(Batch(ordered)).composite_inputs}
    root = next((key for key, part in keys.items() if part is pattern), None)
    for index, each in enumerate(ordered):
        _note(found, keys, sequencer.serve(each, relevant.get(index, ())), event)
        if each.identity == event.identity and root is not None and root in engine:
            found.waiting = _of_event(engine.network.pending(root), event)
    _note(found, keys, Outcome(list(engine.advance_to(ends[-1]).matches)), event)
    if root is not None and root in engine:
        found.still = _of_event(engine.network.pending(root), event)
    return found


def composites_in(pattern: Part) -> list[Part]:
    """Return the composite parts of a pattern, each once, from the inside out; the pattern is the
    last.
    """
    found: dict[Part, None] = {}

    def walk(part: Part) -> None:
        for inner in parts_of(part):
            walk(inner)
        if not isinstance(part, Atom):
            found.setdefault(part)

    walk(pattern)
    inside = list(found)
    return [*inside[: MAX_PARTS - 1], pattern] if len(inside) > MAX_PARTS else inside


def _note(found: Replayed, keys: dict[str, Part], outcome: Outcome, event: Event) -> None:
    for match in outcome.matches:
        part = keys[match.subscription]
        found.counts[part] += 1
        if _has(match, event):
            found.with_event.add(part)


def _has(match: Match, event: Event) -> bool:
    return event.identity in zip(match.sources, match.events, strict=True)


def _of_event(pending: Iterable[Pending], event: Event) -> list[Pending]:
    return [
        each
        for each in pending
        if any(member.identity == event.identity for member in each.occurrence.members)
    ]
