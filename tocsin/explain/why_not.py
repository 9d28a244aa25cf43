"""The explanation for a pattern and an event among others: matched or not, step by step, and the
partial matches with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tocsin.engine.detection.base import Pending
from tocsin.events.event import Event
from tocsin.explain.misses import Surrounding, miss_steps
from tocsin.explain.replay import Replay, composites_in, replay
from tocsin.explain.verdicts import atom_steps, evaluate_atom
from tocsin.explain.waiting import describe_pending
from tocsin.explain.wording import Explanation, ExplanationStep
from tocsin.plan.explain.phrases import is_holds, is_visible, short_text, title
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Absence, Change, Named, Part, atoms_of, parts_of
from tocsin.plan.nodes.sources import NO_SOURCES, Sources

AROUND = 1_000
"""Events examined before an event, and after it, at most."""


@dataclass(frozen=True, slots=True)
class WhyNotQuery:
    """An event, the stored events around it, and True if it was late."""

    event: Event
    around: Sequence[Event] = ()
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class EventExplanation:
    """A verdict with its steps and the partial matches that have the event."""

    matches: bool
    steps: Explanation
    waiting: Sequence[tuple[Pending, bool]] = ()
    sources: Sources = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {
            "rings": self.matches,
            "steps": [each.as_json() for each in self.steps.all],
            "first_failure": None if self.matches else self.steps.failed,
            "waiting": [
                describe_pending(each, self.sources) | {"over": over} for each, over in self.waiting
            ],
        }

    def lines(self) -> Iterator[str]:
        """Yield a line for each step."""
        return self.steps.lines(matches=self.matches)


def why_not(pattern: Part, query: WhyNotQuery, sources: Sources = NO_SOURCES) -> dict[str, Any]:
    """Return the explanation why a subscription with this pattern matches an event or not."""
    return explain_event(pattern, query, sources).as_json()


def explain_event(
    pattern: Part,
    query: WhyNotQuery,
    sources: Sources = NO_SOURCES,
    replayed: Replay | None = None,
) -> EventExplanation:
    """Return the explanation of an event in the texts of the parts.

    For a composite its events are replayed, unless they were with the event watched.
    """
    if isinstance(pattern, Atom):
        met, _ = evaluate_atom(pattern, query.event)
        return EventExplanation(bool(met), atom_steps(pattern, query.event))
    return _explain_composite(pattern, query, sources, replayed)


def query_among(ordered: Sequence[Event], index: int) -> WhyNotQuery:
    """Return the query for an event among others in canonical order."""
    event = ordered[index]
    around = ordered[max(0, index - AROUND) : index + AROUND + 1]
    return WhyNotQuery(event, [each for each in around if each.identity != event.identity])


def _explain_composite(
    pattern: Part, query: WhyNotQuery, sources: Sources, replayed: Replay | None
) -> EventExplanation:
    event = query.event
    steps = Explanation()
    if event.interval is None:
        steps.add(ExplanationStep("the event has a time", False), fails=True)
    if query.is_late:
        text = "the event is not late (ends after the watermark)"
        steps.add(ExplanationStep(text, False, "late"), fails=True)
    met = _add_atoms(pattern, event, sources, steps)
    if event.interval is None or not met:
        return EventExplanation(False, steps)
    if replayed is None:
        replayed = replay(pattern, [*query.around, event], [event])
    if replayed.problem is not None:
        step = ExplanationStep("its events can be evaluated again", False, replayed.problem)
        steps.add(step, fails=True)
    matches = pattern in replayed.matched_with(event)
    seen = Surrounding(event, query.around, replayed, sources)
    _add_parts(seen, met, steps, matches=matches)
    return EventExplanation(matches, steps, replayed.waiting_with(event), sources)


def _add_atoms(pattern: Part, event: Event, sources: Sources, steps: Explanation) -> set[Part]:
    """Add a step for each atom, with its own steps below; return the atoms that hold."""
    texts = _atom_texts(pattern, sources)
    verdicts = {atom: evaluate_atom(atom, event)[0] for atom in dict.fromkeys(atoms_of(pattern))}
    met: set[Part] = {atom for atom, holds in verdicts.items() if holds}
    needed = needed_parts(pattern)
    for atom, holds in verdicts.items():
        steps.add(ExplanationStep(texts.get(atom) or title(atom, sources), holds))
        inner = atom_steps(atom, event, 1)
        if len(inner.all) > 1 or not holds:
            steps.extend(inner, fails=not met and atom in needed)
    return met


def _add_parts(seen: Surrounding, met: set[Part], steps: Explanation, *, matches: bool) -> None:
    """Add a step for each composite part, from the inside out.

    If a part does not match although the event is one of its inputs, add the closest candidate.
    """
    replayed = seen.replayed
    matched = replayed.matched_with(seen.event)
    taking_part = met | matched
    hidden = _hidden_parts(replayed, seen.sources)
    needed = needed_parts(replayed.pattern)
    for part in replayed.parts:
        if part in hidden:
            continue
        holds = part in matched
        concerned = any(each in taking_part for each in parts_of(part))
        fails = concerned and not holds and not matches and part in needed
        count = replayed.counts[part]
        times = "once" if count == 1 else f"{count} times"
        actual = f"{times} among {len(seen.around)} events around it" if not holds else None
        inner = miss_steps(part, seen, 1) if fails else []
        has_reason = any(each.holds is False for each in inner)
        steps.add(
            ExplanationStep(title(part, seen.sources), holds if concerned else None, actual),
            fails=fails and not has_reason,
        )
        for each in inner:
            steps.add(each, fails=fails and each.holds is False)


def needed_parts(pattern: Part) -> set[Part]:
    """Return the parts that must occur: all but those inside the absent part of an absence."""
    inner = parts_of(pattern)
    if isinstance(pattern, Absence):
        inner = inner[1:]
    return {pattern}.union(*map(needed_parts, inner))


def _hidden_parts(replayed: Replay, sources: Sources) -> set[Part]:
    """Return the parts without a step: names, whose parts have one, and the parts of a HOLDS."""
    names = {each for each in replayed.parts if isinstance(each, Named)}
    inside = {
        below
        for each in replayed.parts
        if is_holds(each) and each in sources
        for below in composites_in(each)
        if below is not each
    }
    return (names | inside) - {replayed.pattern}


def _atom_texts(pattern: Part, sources: Sources) -> dict[Part, str]:
    """Return the texts of atoms that are named directly, or the state of a change with a text."""
    found: dict[Part, str] = {}
    for inside in parts_of(pattern):
        found |= _atom_texts(inside, sources)
    match pattern:
        case Named(name, inner) if isinstance(inner, Atom) and is_visible(name):
            shown = title(pattern, sources) if pattern in sources else title(inner, sources)
            found[inner] = shown if pattern in sources else f"{name}: {shown}"
        case Change(_, state) if pattern in sources and state not in sources:
            found.setdefault(state, f"the state of {short_text(pattern, sources)}")
        case _:
            pass
    return found
