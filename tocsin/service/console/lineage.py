"""Where constructed events come from: from each back to what came from outside."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from tocsin.events.matches.constructed import ID_PATTERN
from tocsin.service.storage.matches import MatchStore

MOST = 200
"""So many lines of descent are told."""

_MATCH = re.compile(ID_PATTERN + r"([0-9a-f]+)-[0-9]+$")


def lineage_of(ids: Iterable[str], matches: MatchStore, tenant: str) -> list[list[str]]:
    """A list for each way from a constructed event to an event from outside, the constructed one
    first; an event that nobody here constructed is its own origin.
    """
    found: list[list[str]] = []
    waiting = [[id] for id in ids]
    while waiting and len(found) < MOST:
        line = waiting.pop(0)
        origins = [] if len(line) > MOST else _origins(line[-1], matches, tenant)
        if not origins:
            found.append(line)
        waiting[:0] = [[*line, each] for each in origins]
    return found


def _origins(id: str, matches: MatchStore, tenant: str) -> list[str]:
    constructed = _MATCH.match(id)
    row = None if constructed is None else matches.get(constructed[2], tenant)
    return [] if row is None else list(json.loads(row.body)["events"])
