"""The explanation of a stored match: members, lineage, windows, bindings, regions and plan.

The plan is that of its version, with its satisfied parts. The lineage of a constructed event leads
back to published ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tocsin.catalog import Catalog, Definition, Subscription, Surroundings, compile_with_sources
from tocsin.catalog.tenants import Owned
from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import as_object, from_mapping
from tocsin.events.event import Event
from tocsin.events.matches.match import ID_PATTERN
from tocsin.explain.why import plan_tree, regions_of, windows_of
from tocsin.plan.nodes.composites import Part, Plan, names_of
from tocsin.plan.nodes.sources import Sources
from tocsin.service.base.work import bounded_work
from tocsin.service.console.stored_events import bounds_text, events_in
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.results import MatchStore
from tocsin.service.storage.rows import MatchRow
from tocsin.service.subscriptions.dry_run import describe_plan

MAX_LINES = 200
"""Lines of descent returned, at most."""

_MATCH = re.compile(ID_PATTERN + r"([0-9a-f]+)-[0-9]+$")


def lineage_of(ids: Iterable[str], matches: MatchStore, tenant: str) -> list[list[str]]:
    """Return a list for each path from a constructed event to a published one, the constructed one
    first. An event that was not constructed here is its own origin.
    """
    found: list[list[str]] = []
    waiting = [[id] for id in ids]
    while waiting and len(found) < MAX_LINES:
        line = waiting.pop(0)
        origins = [] if len(line) > MAX_LINES else _origins(line[-1], matches, tenant)
        if not origins:
            found.append(line)
        waiting[:0] = [[*line, each] for each in origins]
    return found


def _origins(id: str, matches: MatchStore, tenant: str) -> list[str]:
    constructed = _MATCH.match(id)
    row = None if constructed is None else matches.get(constructed[2], tenant)
    return [] if row is None else list(json.loads(row.body)["events"])


MAX_WHY_SECONDS = 2.0
"""Processor seconds for an answer to why or why-not, which evaluate a plan condition by condition.
"""

_NOWHERE = {"start": None, "end": None, "place": None}


@dataclass(frozen=True, slots=True)
class ExplanationStores:
    """The stores that a match is explained from, with the definitions of the settings."""

    log: EventLog
    matches: MatchStore
    catalog: Catalog
    own: tuple[Definition, ...]


def why(row: MatchRow, kept: ExplanationStores) -> dict[str, Any]:
    """Return the explanation of a stored match as a JSON object.

    Members that are no longer stored are marked as expired; without the subscription or its plan,
    the parts that need it are empty. Raises LimitProblem where it takes more than MAX_WHY_SECONDS.
    """
    match = json.loads(row.body)
    members = _members(row, match, kept.log)
    events = [each.event for each in members if each.event is not None]
    meant = _meant(row, kept)
    plan = meant.plan
    pattern = None if plan is None else plan.pattern

    def look() -> dict[str, Any]:
        told = {} if plan is None else describe_plan(plan, meant.sources)
        return {
            **told,
            "windows": windows_of(match, pattern, events, meant.sources),
            "regions": [] if pattern is None else regions_of(pattern, meant.definitions),
            "plan": None if pattern is None else plan_tree(pattern, events, meant.sources),
            "plan_lines": told.get("plan", []),
        }

    return {
        "match": match,
        "members": [each.as_json(_named(match["bindings"], pattern)) for each in members],
        "bindings": match["bindings"],
        "lineage": lineage_of(match["events"], kept.matches, row.tenant),
        **meant.fields,
        **bounded_work(MAX_WHY_SECONDS, look),
    }


def _named(bindings: dict[str, str], pattern: Part | None) -> dict[str, str]:
    """Return the bindings that name parts of the pattern, with the ids of their events."""
    names = frozenset[str]() if pattern is None else names_of(pattern)
    return {name: ids for name, ids in bindings.items() if name in names}


@dataclass(frozen=True, slots=True)
class _Member:
    """An event of a match; `event` is None if it is no longer stored."""

    source: str
    id: str
    position: int | None
    event: Event | None

    def as_json(self, named: dict[str, str]) -> dict[str, Any]:
        """Return the event with its interval and place, and its name in the subscription."""
        names = [name for name, ids in named.items() if self.id in (ids, *ids.split(" "))]
        told: dict[str, Any] = {"name": names[0] if names else None}
        if self.position is not None:
            told["position"] = self.position
        if self.event is None:
            return told | {"source": self.source, "id": self.id, "expired": True, **_NOWHERE}
        bounds = json.loads(f"{{{bounds_text(self.event)}}}")
        return told | {"event": as_object(self.event), **bounds}


def _members(row: MatchRow, match: dict[str, Any], log: EventLog) -> list[_Member]:
    kept = json.loads(row.members)
    rows = log.rows_at([each for each in kept if isinstance(each, int)])
    stored = {position: events_in(found) for position, found in rows.items()}
    names = zip(match["sources"], match["events"], strict=True)
    found: list[_Member] = []
    for each, (source, id) in zip(kept, names, strict=False):
        if isinstance(each, int):
            event = next((one for one in stored.get(each, ()) if one.id == id), None)
            found.append(_Member(source, id, each, event))
        elif each is None:
            found.append(_Member(source, id, None, None))
        else:
            found.append(_Member(source, id, None, from_mapping(each)))
    return found


@dataclass(frozen=True, slots=True)
class _Meant:
    """The subscription in the match's version: its JSON fields, plan, visible definitions and the
    texts of its parts.
    """

    fields: dict[str, Any]
    plan: Plan | None = None
    definitions: tuple[Definition, ...] = ()
    sources: Sources = field(default_factory=dict)


def _meant(row: MatchRow, kept: ExplanationStores) -> _Meant:
    snapshot = kept.catalog.snapshot(row.version)
    name = Owned(row.tenant, row.subscription).key
    found = next((each for each in snapshot.subscriptions if each.id == name), None)
    if found is None:
        return _Meant({"subscription": None})
    told = {"subscription": found.as_json() | {"id": row.subscription}, "version": row.version}
    definitions = _visible_to(row.tenant, (*kept.own, *snapshot.definitions))
    return _compiled(found, told, definitions)


def _visible_to(tenant: str, definitions: Sequence[Definition]) -> tuple[Definition, ...]:
    """Return the definitions that a tenant may read: the shared ones, then its own. Of two regions
    with one name the later gives the name.
    """
    shared = [each for each in definitions if not Owned.of_key(each.name).tenant]
    own = [each for each in definitions if tenant and Owned.of_key(each.name).tenant == tenant]
    return (*shared, *own)


def _compiled(
    found: Subscription, fields: dict[str, Any], definitions: tuple[Definition, ...]
) -> _Meant:
    try:
        plan, sources = compile_with_sources(found, Surroundings.of(definitions))
    except Problem as problem:
        return _Meant({**fields, "problem": problem.as_json()})
    return _Meant(fields, plan, definitions, sources)
