"""A match explained: its windows in time, its regions, and the plan with its satisfied parts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tocsin.catalog import Definition
from tocsin.catalog.tenants import Owned
from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.explain.plan_tree import restrictions_in
from tocsin.plan.explain.phrases import short_text, title
from tocsin.plan.nodes.atoms import Condition, PlaceIs, predicates_of
from tocsin.plan.nodes.composites import (
    Absence,
    AtRegion,
    DuringWindow,
    Join,
    Part,
    Sliding,
    atoms_of,
    parts_of,
)
from tocsin.values.space import DISTANCES, format_place, geojson_text, parse_place
from tocsin.values.time import format_duration, format_instant, parse_instant

_ABSENCE = re.compile(r"absence\d*")


def windows_of(
    match: Mapping[str, Any], pattern: Part | None, members: Sequence[Event]
) -> list[dict[str, Any]]:
    """Return each window: from, to, label, and True in `absent` for an absence."""
    found = [_window(match["start"], match["end"], "the match")]
    found += _silences(match["bindings"], pattern)
    if pattern is not None:
        found += _bounds(match, pattern, members)
    return found


def _silences(bindings: Mapping[str, str], pattern: Part | None) -> Iterator[dict[str, Any]]:
    texts = [value for name, value in bindings.items() if _ABSENCE.fullmatch(name)]
    absences = [] if pattern is None else _absences(pattern)
    labels = [f"no {short_text(each.part)}" for each in absences]
    if len(labels) != len(texts):
        labels = ["nothing came"] * len(texts)
    for text, label in zip(texts, labels, strict=True):
        start, _, end = text.partition("/")
        yield _window(start, end, label, absent=True)


def _absences(part: Part) -> list[Absence]:
    inner = [each for below in parts_of(part) for each in _absences(below)]
    return [*inner, part] if isinstance(part, Absence) else inner


def _bounds(
    match: Mapping[str, Any], pattern: Part, members: Sequence[Event]
) -> Iterator[dict[str, Any]]:
    for part in restrictions_in(pattern):
        if isinstance(part.restriction, DuringWindow):
            start, length = part.restriction.start, part.restriction.length
            yield _window(format_instant(start), format_instant(start + length), title(part))
    match pattern:
        case Join(keep=int(keep)):
            ends = [each.interval.end for each in members if each.interval is not None]
            if ends:
                first = min(ends)
                label = f"ends at most {format_duration(keep)} apart"
                yield _window(format_instant(first), format_instant(first + keep), label)
        case Sliding(over=over) if match["end"] is not None:
            end = parse_instant(match["end"])
            yield _window(format_instant(end - over), match["end"], title(pattern))
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
