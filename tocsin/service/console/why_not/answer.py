"""The complete explanation for a plan and an event among others: matched or not, step by step, and
the partial matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tocsin.events.event import Event
from tocsin.plan.explain.phrases import title
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Named, Part, atoms_of, parts_of
from tocsin.service.console.waiting import describe_pending
from tocsin.service.console.why_not.atoms import atom_steps, evaluate_atom
from tocsin.service.console.why_not.misses import miss_steps
from tocsin.service.console.why_not.replaying import Replayed, replay
from tocsin.service.console.why_not.step import Explanation, ExplanationStep


@dataclass(frozen=True, slots=True)
class WhyNotQuery:
    """An event, the stored events around it, and True if it was late."""

    event: Event
    around: Sequence[Event] = ()
    is_late: bool = False


def why_not(pattern: Part, query: WhyNotQuery) -> dict[str, Any]:
    """Return the explanation why a subscription with this pattern matches an event or not."""
    if isinstance(pattern, Atom):
        met, _ = evaluate_atom(pattern, query.event)
        return _to_json(bool(met), atom_steps(pattern, query.event), [])
    return _composite(pattern, query)


def _composite(pattern: Part, query: WhyNotQuery) -> dict[str, Any]:
    event = query.event
    steps = Explanation()
    if event.interval is None:
        steps.add(ExplanationStep("the event has a time", False), fails=True)
    if query.is_late:
        text = "it came before the watermark had passed it"
        steps.add(ExplanationStep(text, False, "late"), fails=True)
    met = _add_atoms(pattern, event, steps)
    if event.interval is None or not met:
        return _to_json(False, steps, [])
    played = replay(pattern, event, query.around)
    if played.refused is not None:
        steps.add(ExplanationStep("it can be played again", False, played.refused), fails=True)
    rings = pattern in played.with_event
    _add_parts(query, played, met, steps, matches=rings)
    still = {id(each.occurrence) for each in played.still}
    waiting = [
        describe_pending(each) | {"over": id(each.occurrence) not in still}
        for each in played.waiting
    ]
    return _to_json(rings, steps, waiting)


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
    query: WhyNotQuery, played: Replayed, met: set[Part], steps: Explanation, *, matches: bool
) -> None:
    """Add a step for each composite part, from the inside out.

    If a part does not match although the event is one of its inputs, add the closest candidate.
    """
    taking_part = met | played.with_event
    for part in played.parts:
        holds = part in played.with_event
        concerned = any(each in taking_part for each in parts_of(part))
        if isinstance(part, Named) and holds:
            continue
        fails = concerned and not holds and not matches
        count = played.counts[part]
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


def _to_json(matches: bool, steps: Explanation, waiting: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "rings": matches,
        "steps": [each.as_json() for each in steps.all],
        "first_failure": None if matches else steps.failed,
        "waiting": waiting,
    }
