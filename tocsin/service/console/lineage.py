"""The lineage of constructed events, back to published ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from tocsin.events.matches.constructed import ID_PATTERN
from tocsin.service.storage.results import MatchStore

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
