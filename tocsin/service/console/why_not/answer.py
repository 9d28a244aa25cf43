"""The complete explanation for a plan and an event among others: matched or not, step by step, and
the partial matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tocsin.events.event import Event
from tocsin.plan.explain.composites import title
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Named, Part, atoms_of, parts_of
from tocsin.service.console.waiting import pending_told
from tocsin.service.console.why_not.atoms import atom_steps, is_met
from tocsin.service.console.why_not.misses import miss_steps
from tocsin.service.console.why_not.replaying import Replayed, replay
from tocsin.service.console.why_not.step import Step, Steps


@dataclass(frozen=True, slots=True)
class Asked:
    """An event, the stored events around it, and True if it was late."""

    event: Event
    around: Sequence[Event] = ()
    is_late: bool = False


def why_not(pattern: Part, asked: Asked) -> dict[str, Any]:
    """Return the explanation why a subscription with this pattern matches an event or not."""
    if isinstance(pattern, Atom):
        met, _ = is_met(pattern, asked.event)
        return _told(bool(met), atom_steps(pattern, asked.event), [])
    return _composite(pattern, asked)


def _composite(pattern: Part, asked: Asked) -> dict[str, Any]:
    event = asked.event
    steps = Steps()
    if event.interval is None:
        steps.add(Step("the event has a time", False), fails=True)
    if asked.is_late:
        text = "it came before the watermark had passed it"
        steps.add(Step(text, False, "late"), fails=True)
    met = _add_atoms(pattern, event, steps)
    if event.interval is None or not met:
        return _told(False, steps, [])
    played = replay(pattern, event, asked.around)
    if played.refused is not None:
        steps.add(Step("it can be played again", False, played.refused), fails=True)
    rings = pattern in played.with_event
    _add_parts(asked, played, met, steps, rings=rings)
    still = {id(each.occurrence) for each in played.still}
    waiting = [
        pending_told(each) | {"over": id(each.occurrence) not in still} for each in played.waiting
    ]
    return _told(rings, steps, waiting)


def _add_atoms(pattern: Part, event: Event, steps: Steps) -> set[Part]:
    """Add a step for each atom, with its own steps below; return the atoms that hold."""
    names = _names(pattern)
    verdicts = {atom: is_met(atom, event)[0] for atom in dict.fromkeys(atoms_of(pattern))}
    met: set[Part] = {atom for atom, holds in verdicts.items() if holds}
    for atom, holds in verdicts.items():
        name = f"{names[atom]}: " if atom in names else ""
        steps.add(Step(f"{name}{title(atom)}", holds))
        inner = atom_steps(atom, event, 1)
        if len(inner.all) > 1 or not holds:
            steps.extend(inner, fails=not met)
    return met


def _add_parts(
    asked: Asked, played: Replayed, met: set[Part], steps: Steps, *, rings: bool
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
        fails = concerned and not holds and not rings
        count = played.counts[part]
        actual = f"{count} times among {len(asked.around)} events around it" if not holds else None
        inner = miss_steps(part, asked.event, asked.around, 1) if fails else []
        has_reason = any(each.holds is False for each in inner)
        steps.add(
            Step(title(part), holds if concerned else None, actual), fails=fails and not has_reason
        )
        for each in inner:
            steps.add(each, fails=fails and each.holds is False)


def _names(pattern: Part) -> dict[Part, str]:
    """Return the names of atoms that are named directly."""
    found = {atom: name for inner in parts_of(pattern) for atom, name in _names(inner).items()}
    if isinstance(pattern, Named) and isinstance(pattern.part, Atom):
        found[pattern.part] = pattern.name
    return found


def _told(rings: bool, steps: Steps, waiting: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "rings": rings,
        "steps": [each.as_json() for each in steps.all],
        "first_failure": None if rings else steps.failed,
        "waiting": waiting,
    }
