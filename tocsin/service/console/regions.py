"""The regions in a plan as GeoJSON, with the names of their definitions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from tocsin.catalog import Definition
from tocsin.catalog.tenants import Owned
from tocsin.errors import Problem
from tocsin.plan.nodes.atoms import Condition, PlaceIs, predicates_of
from tocsin.plan.nodes.composites import AtRegion, Part, atoms_of
from tocsin.service.console.plan_tree import restrictions_in
from tocsin.values.space import DISTANCES, format_place, geojson_text, parse_place


def regions_of(pattern: Part, definitions: Iterable[Definition]) -> list[dict[str, Any]]:
    """Return each region once: its name, its geometry, and the spatial relation required."""
    names = dict(_names(definitions))
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


def _names(definitions: Iterable[Definition]) -> Iterator[tuple[str, str]]:
    for each in definitions:
        if each.region is not None:
            try:
                yield format_place(parse_place(each.region)), Owned.of_key(each.name).name
            except Problem:
                continue
