"""Why a match came to be: its members, its windows, what was bound, and the plan at that time."""

from __future__ import annotations

import json
from typing import Any

from tocsin.catalog import Catalog, Definition, Surroundings, compile_subscription
from tocsin.catalog.tenants import name_of
from tocsin.errors import Problem
from tocsin.gateway.asking import plan_told
from tocsin.gateway.storage.log import EventLog
from tocsin.gateway.storage.rows import MatchRow

_ABSENCE = "absence"


def why(
    row: MatchRow, log: EventLog, catalog: Catalog, own: tuple[Definition, ...]
) -> dict[str, Any]:
    """All that is known of a match."""
    match = json.loads(row.body)
    windows = [{"name": "match", "start": match["start"], "end": match["end"]}]
    windows += [
        {"name": name, "window": value}
        for name, value in match["bindings"].items()
        if name.startswith(_ABSENCE)
    ]
    return {
        "match": match,
        "members": _members(row, match, log),
        "bindings": match["bindings"],
        "windows": windows,
        **_meant(row, catalog, own),
    }


def _members(row: MatchRow, match: dict[str, Any], log: EventLog) -> list[dict[str, Any]]:
    """The events; of one that is no longer stored, its identity."""
    kept = json.loads(row.members)
    rows = log.rows_at([each for each in kept if isinstance(each, int)])
    names = zip(match["sources"], match["events"], strict=True)
    found: list[dict[str, Any]] = []
    for each, (source, id) in zip(kept, names, strict=False):
        if not isinstance(each, int):
            found.append({"event": each})
        elif each in rows:
            found.append({"position": each, "event": json.loads(rows[each].body)})
        else:
            found.append({"position": each, "source": source, "id": id, "expired": True})
    return found


def _meant(row: MatchRow, catalog: Catalog, own: tuple[Definition, ...]) -> dict[str, Any]:
    """The subscription as it was when it rang, and its plan."""
    snapshot = catalog.snapshot(row.version)
    name = name_of(row.tenant, row.subscription)
    found = next((each for each in snapshot.subscriptions if each.id == name), None)
    if found is None:
        return {"subscription": None, "plan": []}
    told = {"subscription": found.as_json() | {"id": row.subscription}, "version": row.version}
    try:
        plan = compile_subscription(found, Surroundings.of((*own, *snapshot.definitions)))
    except Problem as problem:
        return {**told, "plan": [], "problem": problem.as_json()}
    return {**told, **plan_told(plan)}
