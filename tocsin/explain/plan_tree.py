"""A plan as a tree, each part with True if some of the events satisfy it: evaluated directly, not
by the indexes. None if that is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.plan.explain.atoms import selector_text
from tocsin.plan.explain.operators import condition_text, roles
from tocsin.plan.explain.phrases import is_holds, is_visible, title
from tocsin.plan.nodes.atoms import AllOf, AnyOf, Atom, BooleanNode, Condition, Not
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    Change,
    Either,
    Gathered,
    Join,
    Named,
    Only,
    Part,
    parts_of,
)
from tocsin.plan.nodes.sources import NO_SOURCES, Sources
from tocsin.reference.atoms import holds, truth_of
from tocsin.values.truth import Truth

_TRUTHS = {Truth.TRUE: True, Truth.FALSE: False, Truth.UNKNOWN: None}
_ABSENT = 0
"""Slot of the absent part of an absence."""

MAX_EVENTS = 50
"""Events tested for one atom, at most."""


KINDS = {
    "Condition": "condition",
    "GraphPattern": "graph",
    "ConceptTest": "concept",
    "XmlBlock": "xml",
    "Join": "join",
    "Either": "either",
    "Only": "only",
    "Absence": "absence",
    "Gathered": "gathered",
    "Sliding": "sliding",
    "Change": "change",
    "Named": "named",
    "Triggered": "triggered",
}
"""The `kind` of a plan node by its class."""


def plan_tree(
    part: Part, events: Sequence[Event], sources: Sources = NO_SOURCES, role: str = ""
) -> dict[str, Any]:
    """Return the tree of a part; `role` is its role in the part around it, `source` its text.

    Names that a subscriber did not write are looked through. HOLDS has the parts of its start.
    """
    if isinstance(part, Named) and not is_visible(part.name):
        return plan_tree(part.part, events, sources, role)
    text = title(part, sources)
    node = {
        "label": f"{role}: {text}" if role else text,
        "role": role,
        "source": sources.get(part),
        "kind": kind_of(part),
    }
    if isinstance(part, Atom):
        return node | _atom_state(part, events)
    shown = _shown_part(part, sources)
    children = [
        plan_tree(inner, events, sources, own)
        for own, inner in zip(roles(shown), parts_of(shown), strict=True)
    ]
    return node | {
        "kind": kind_of(shown),
        "satisfied": _is_satisfied(shown, children),
        "conditions": conditions_of(part),
        "children": children,
    }


def _shown_part(part: Part, sources: Sources) -> Part:
    """Return the part whose parts are shown: of HOLDS, an absence in the plan, its start."""
    if isinstance(part, Absence) and is_holds(part) and part in sources:
        assert isinstance(part.window, AfterWindow)
        start = part.window.part
        return start.part if isinstance(start, Named) else start
    return part


def kind_of(part: Part) -> str:
    """Return the kind of a plan node."""
    return KINDS[type(part).__name__]


def conditions_of(part: Part) -> list[str]:
    """Return the conditions between the inputs of a plan node, one line each."""
    if not isinstance(part, Join | Absence | Gathered):
        return []
    return [condition_text(each) for each in part.conditions]


def holds_for(atom: Atom, event: Event) -> bool | None:
    """True if an event is an occurrence of an atom; None if it cannot be parsed as needed."""
    try:
        return holds(atom, event)
    except Problem:
        return None


def _is_satisfied(part: Part, children: Sequence[dict[str, Any]]) -> bool | None:
    inner: list[bool | None] = [each["satisfied"] for each in children]
    match part:
        case Either():
            return True if True in inner else _all(inner)
        case Absence() | Gathered():
            return _all(inner[_ABSENT + 1 :])
        case Change():
            return inner[-1]
        case _:
            return _all(inner)


def _all(given: Sequence[bool | None]) -> bool | None:
    if False in given:
        return False
    return None if None in given else True


def _atom_state(atom: Atom, events: Sequence[Event]) -> dict[str, Any]:
    """Return if an atom is satisfied; a condition has its operands, with the truth for the first
    event that satisfies it.
    """
    found = {index: holds_for(atom, event) for index, event in enumerate(events[:MAX_EVENTS])}
    met = next((index for index, each in found.items() if each), None)
    satisfied = (
        True if met is not None else (None if None in found.values() or not found else False)
    )
    children: list[dict[str, Any]] = []
    if isinstance(atom, Condition) and isinstance(atom.expression, AllOf | AnyOf | Not):
        event = events[met] if met is not None else None
        children = [_condition_tree(each, event) for each in _operands(atom.expression)]
    return {"satisfied": satisfied, "children": children if len(children) > 1 else []}


def _condition_tree(node: BooleanNode, event: Event | None) -> dict[str, Any]:
    satisfied = None if event is None else _TRUTHS[truth_of(node, event)]
    match node:
        case AllOf(operands) | AnyOf(operands) if operands:
            kind = "all" if isinstance(node, AllOf) else "any"
            children = [_condition_tree(each, event) for each in operands]
            label = f"{kind} of"
        case _:
            kind, children, label = "predicate", [], selector_text(node)
    named = {"label": label, "role": "", "source": None, "kind": kind}
    return named | {"satisfied": satisfied, "children": children}


def _operands(node: BooleanNode) -> tuple[BooleanNode, ...]:
    return node.operands if isinstance(node, AllOf | AnyOf) else (node,)


def restrictions_in(part: Part) -> list[Only]:
    """Return the parts that are bounded in absolute time or space."""
    inner = [each for below in parts_of(part) for each in restrictions_in(below)]
    return [part, *inner] if isinstance(part, Only) else inner
