"""A match explained: its windows in time, its regions, and the plan with its satisfied parts.

The plan is a tree, each part with True if some of the events satisfy it: evaluated directly, not by
the indexes. None if that is not known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tocsin.catalog import Definition
from tocsin.catalog.tenants import Owned
from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.explain.wording import absence_text, ids_text, key_values_text
from tocsin.plan.explain.atoms import selector_text
from tocsin.plan.explain.operators import condition_text, roles
from tocsin.plan.explain.phrases import (
    describe,
    is_holds,
    is_plain_join,
    is_sequence,
    is_visible,
    operands_of,
    short_text,
    title,
)
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    Atom,
    BooleanNode,
    Condition,
    Not,
    PlaceIs,
    predicates_of,
)
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    AtRegion,
    Change,
    DuringWindow,
    Either,
    Gathered,
    Join,
    Named,
    Only,
    Part,
    Sliding,
    atoms_of,
    is_one_event,
    parts_of,
)
from tocsin.plan.nodes.sources import NO_SOURCES, Sources
from tocsin.reference.atoms import holds, truth_of
from tocsin.values.space import DISTANCES, format_place, geojson_text, parse_place
from tocsin.values.time import format_duration, format_instant, parse_instant
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


_ABSENCE = re.compile(r"absence\d*")


def windows_of(
    match: Mapping[str, Any],
    pattern: Part | None,
    members: Sequence[Event],
    sources: Sources = NO_SOURCES,
) -> list[dict[str, Any]]:
    """Return each window: from, to, label, and True in `absent` for an absence."""
    start, end, bindings = match["start"], match["end"], match["bindings"]
    if pattern is None:
        found = [_window(start, end, "the match")]
        found += [_window(*each, "no event", absent=True) for each in _spans(bindings)]
        return found
    seen = MatchedEvents(pattern, bindings, members, end, sources)
    found = [_window(start, end, f"the match: {describe_match(seen)}")]
    for absence, span in seen.windows():
        text = absence_text(absence, None, seen.ids_around(absence), sources)
        label = f"{text}{key_values_text(absence, members)}"
        found.append(_window(*span, label, absent=not _is_quoted_holds(absence, sources)))
    return [*found, *_bounds(seen)]


@dataclass(frozen=True, slots=True)
class MatchedEvents:
    """A match of a pattern: its bindings, the members that are known, and its end as text."""

    pattern: Part
    bindings: Mapping[str, str]
    members: Sequence[Event]
    end: str | None
    sources: Sources

    def windows(self) -> list[tuple[Absence, tuple[str, str]]]:
        """Return each absence with its window; empty if a window cannot be assigned."""
        spans, absences = _spans(self.bindings), _absences(self.pattern)
        return list(zip(absences, spans, strict=True)) if len(absences) == len(spans) else []

    def ids_around(self, absence: Absence) -> list[str]:
        """Return the ids of the events around the window of an absence."""
        return [
            each.id
            for each in self.members
            if any(can_have(around, each) for around in parts_of(absence)[1:])
        ]

    def ids_of(self, parts: Sequence[Part]) -> list[list[str]] | None:
        """Return the ids of the events of each part of a match; None if that is ambiguous."""
        named = [self._named_ids(each) for each in parts]
        if all(each is not None for each in named):
            return [each or [] for each in named]
        known = self.members[:MAX_EVENTS]
        fits = [[each for each in known if can_have(part, each)] for part in parts]
        if all(sum(event in each for each in fits) == 1 for event in known):
            return [[event.id for event in each] for each in fits]
        in_order = len(known) == len(parts) and all(map(is_one_event, parts))
        if in_order and all(event in each for event, each in zip(known, fits, strict=True)):
            return [[event.id] for event in known]
        return None

    def _named_ids(self, part: Part) -> list[str] | None:
        if not isinstance(part, Named) or part.name not in self.bindings:
            return None
        return self.bindings[part.name].split(" ")


def describe_match(seen: MatchedEvents) -> str:
    """Return a match in the words of the subscription, with its events, windows and key values:
    "no `B` from T1 to T2 after `A` (event 2), for truck-8".
    """
    return f"{_match_text(seen.pattern, seen)}{key_values_text(seen.pattern, seen.members)}"


def can_have(part: Part, event: Event) -> bool:
    """True if an event may be a member of an occurrence of a part: an atom in it holds."""
    if isinstance(part, Atom):
        return bool(holds_for(part, event))
    match part:
        case Absence():
            return any(can_have(each, event) for each in parts_of(part)[1:])
        case Change(inner):
            return can_have(inner, event)
        case _:
            return any(can_have(each, event) for each in parts_of(part))


def _match_text(part: Part, seen: MatchedEvents) -> str:
    ids = [each.id for each in seen.members]
    match part:
        case Named(_, inner):
            return _match_text(inner, seen)
        case Only(inner) if part not in seen.sources:
            return _match_text(inner, seen)
        case Absence():
            span = next((span for each, span in seen.windows() if each is part), None)
            return absence_text(part, span, ids, seen.sources)
        case Either(parts):
            matched = next((each for each in parts if _has_all(each, seen.members)), None)
            if matched is not None:
                return _match_text(matched, seen)
            return f"{describe(part, seen.sources)}{ids_text(ids)}"
        case Join() if is_plain_join(part):
            operands = operands_of(part)
            own = seen.ids_of(operands)
            if own is not None:
                texts = [
                    f"{short_text(each, seen.sources)}{ids_text(events)}"
                    for each, events in zip(operands, own, strict=True)
                ]
                return (" then " if is_sequence(part) else " and ").join(texts)
            return f"{describe(part, seen.sources)}{ids_text(ids)}"
        case Sliding(over=over) if seen.end is not None:
            window = f" in the {format_duration(over)} to {seen.end}"
            return f"{describe(part, seen.sources)}{window}{ids_text(ids)}"
        case _:
            return f"{describe(part, seen.sources)}{ids_text(ids)}"


def _has_all(part: Part, members: Sequence[Event]) -> bool:
    return all(can_have(part, each) for each in members[:MAX_EVENTS])


def _is_quoted_holds(part: Absence, sources: Sources) -> bool:
    return is_holds(part) and part in sources


def _spans(bindings: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the windows of the absences of a match."""
    texts = (value for name, value in bindings.items() if _ABSENCE.fullmatch(name))
    return [(start, end) for start, _, end in (text.partition("/") for text in texts)]


def _absences(part: Part) -> list[Absence]:
    inner = [each for below in parts_of(part) for each in _absences(below)]
    return [*inner, part] if isinstance(part, Absence) else inner


def _bounds(seen: MatchedEvents) -> Iterator[dict[str, Any]]:
    for part in restrictions_in(seen.pattern):
        if isinstance(part.restriction, DuringWindow):
            start, length = part.restriction.start, part.restriction.length
            label = title(part, seen.sources)
            yield _window(format_instant(start), format_instant(start + length), label)
    match seen.pattern:
        case Join(keep=int(keep)):
            ends = [each.interval.end for each in seen.members if each.interval is not None]
            if ends:
                first = min(ends)
                label = f"all events end at most {format_duration(keep)} apart"
                yield _window(format_instant(first), format_instant(first + keep), label)
        case Sliding(over=over) if seen.end is not None:
            begin = format_instant(parse_instant(seen.end) - over)
            yield _window(begin, seen.end, title(seen.pattern, seen.sources))
        case _:
            pass


def _window(
    start: str | None, end: str | None, label: str, *, absent: bool = False
) -> dict[str, Any]:
    return {"from": start, "to": end, "label": label, "absent": absent}


def regions_of(pattern: Part, definitions: Iterable[Definition]) -> list[dict[str, Any]]:
    """Return each region once: its name, its geometry, and the spatial relation required."""
    names = dict(_region_names(definitions))
    found: dict[str, dict[str, Any]] = {}
    for said in _spoken_of(pattern):
        place = parse_place(said.region)
        told = {
            "name": names.get(format_place(place), ""),
            "relation": said.relation.value,
            "geometry": json.loads(geojson_text(place)),
        }
        if said.relation in DISTANCES:
            told["distance"] = said.distance
        found.setdefault(json.dumps(told, sort_keys=True), told)
    return list(found.values())


def _spoken_of(pattern: Part) -> Iterator[PlaceIs | AtRegion]:
    for atom in atoms_of(pattern):
        if isinstance(atom, Condition):
            yield from (
                each for each in predicates_of(atom.expression) if isinstance(each, PlaceIs)
            )
    for part in restrictions_in(pattern):
        if isinstance(part.restriction, AtRegion):
            yield part.restriction


def _region_names(definitions: Iterable[Definition]) -> Iterator[tuple[str, str]]:
    for each in definitions:
        if each.region is not None:
            try:
                yield format_place(parse_place(each.region)), Owned.of_key(each.name).name
            except Problem:
                continue
