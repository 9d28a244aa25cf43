"""The explanation for a pattern and an event among others: matched or not, step by step, and the
partial matches with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tocsin.engine.detection.base import Pending
from tocsin.events.event import Event
from tocsin.explain.misses import miss_steps
from tocsin.explain.replay import Replay, replay
from tocsin.explain.steps import Explanation, ExplanationStep
from tocsin.explain.verdicts import atom_steps, evaluate_atom
from tocsin.explain.waiting import describe_pending
from tocsin.plan.explain.phrases import title
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Named, Part, atoms_of, parts_of

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

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {
            "rings": self.matches,
            "steps": [each.as_json() for each in self.steps.all],
            "first_failure": None if self.matches else self.steps.failed,
            "waiting": [describe_pending(each) | {"over": over} for each, over in self.waiting],
        }

    def lines(self) -> Iterator[str]:
        """Yield a line for each step."""
        return self.steps.lines(matches=self.matches)


def why_not(pattern: Part, query: WhyNotQuery) -> dict[str, Any]:
    """Return the explanation why a subscription with this pattern matches an event or not."""
    return explain_event(pattern, query).as_json()


def explain_event(
    pattern: Part, query: WhyNotQuery, replayed: Replay | None = None
) -> EventExplanation:
    """Return the explanation of an event; for a composite its events are replayed, unless they were
    with the event watched.
    """
    if isinstance(pattern, Atom):
        met, _ = evaluate_atom(pattern, query.event)
        return EventExplanation(bool(met), atom_steps(pattern, query.event))
    return _explain_composite(pattern, query, replayed)


def query_among(ordered: Sequence[Event], index: int) -> WhyNotQuery:
    """Return the query for an event among others in canonical order."""
    event = ordered[index]
    around = ordered[max(0, index - AROUND) : index + AROUND + 1]
    return WhyNotQuery(event, [each for each in around if each.identity != event.identity])


def _explain_composite(
    pattern: Part, query: WhyNotQuery, replayed: Replay | None
) -> EventExplanation:
    event = query.event
    steps = Explanation()
    if event.interval is None:
        steps.add(ExplanationStep("the event has a time", False), fails=True)
    if query.is_late:
        text = "it came before the watermark had passed it"
        steps.add(ExplanationStep(text, False, "late"), fails=True)
    met = _add_atoms(pattern, event, steps)
    if event.interval is None or not met:
        return EventExplanation(False, steps)
    if replayed is None:
        replayed = replay(pattern, [*query.around, event], [event])
    if replayed.problem is not None:
        step = ExplanationStep("it can be played again", False, replayed.problem)
        steps.add(step, fails=True)
    matches = pattern in replayed.matched_with(event)
    _add_parts(query, replayed, met, steps, matches=matches)
    return EventExplanation(matches, steps, replayed.waiting_with(event))


def _add_atoms(pattern: Part, event: Event, steps: Explanation) -> set[Part]:
    """Add a step for each atom, with its own steps below; return the atoms that hold."""
    names = _names(pattern)
    verdicts = {atom: evaluate_atom(atom, event)[0] for atom in dict.fromkeys(atoms_of(pattern))}
    met: set[Part] = {atom for atom, holds in verdicts.items() if holds}
    for atom, holds in verdicts.items():
        name = f"{names[atom]}: " if atom in names else ""
        steps.add(ExplanationStep(f"{name}{title(atom)}", holds))
        inner = atom_steps(atom, event, 1)
        if len(inner.all) > 1 or not holds:
            steps.extend(inner, fails=not met)
    return met


def _add_parts(
    query: WhyNotQuery, replayed: Replay, met: set[Part], steps: Explanation, *, matches: bool
) -> None:
    """Add a step for each composite part, from the inside out.

    If a part does not match although the event is one of its inputs, add the closest candidate.
    """
    matched = replayed.matched_with(query.event)
    taking_part = met | matched
    for part in replayed.parts:
        holds = part in matched
        concerned = any(each in taking_part for each in parts_of(part))
        if isinstance(part, Named) and holds:
            continue
        fails = concerned and not holds and not matches
        count = replayed.counts[part]
        actual = f"{count} times among {len(query.around)} events around it" if not holds else None
        inner = miss_steps(part, query.event, query.around, 1) if fails else []
        has_reason = any(each.holds is False for each in inner)
        steps.add(
            ExplanationStep(title(part), holds if concerned else None, actual),
            fails=fails and not has_reason,
        )
        for each in inner:
            steps.add(each, fails=fails and each.holds is False)


def _names(pattern: Part) -> dict[Part, str]:
    """Return the names of atoms that are named directly."""
    found = {atom: name for inner in parts_of(pattern) for atom, name in _names(inner).items()}
    if isinstance(pattern, Named) and isinstance(pattern.part, Atom):
        found[pattern.part] = pattern.name
    return found
