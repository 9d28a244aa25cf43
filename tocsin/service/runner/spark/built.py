"""Events constructed by subscriptions: no row of the log holds them, so they are rebuilt from the
matches that constructed them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from tocsin.catalog.tenants import Owned
from tocsin.events.event import Event
from tocsin.events.matches.constructed import ID_PATTERN, SOURCE, constructed_events
from tocsin.events.matches.match import Match
from tocsin.service.storage.matches import MatchStore
from tocsin.values.time import Instant, parse_instant

_MATCH = re.compile(ID_PATTERN + r"([0-9a-f]+)-[0-9]+$")

_Identity = tuple[str, str]


class BuiltEvents:
    """Constructed events by identity, from the matches of one micro-batch and the stored ones."""

    def __init__(self, found: Iterable[Match], stored: MatchStore | None) -> None:
        self._matches = {(f"{SOURCE}{each.subscription}", each.id): each for each in found}
        self._stored = stored

    def get(self, identity: _Identity) -> Event | None:
        """Return a constructed event; None for any other, and if its match is gone."""
        source, id = identity
        named = _MATCH.match(id)
        if named is None or not source.startswith(SOURCE):
            return None
        match = self._matches.get((source, named[2])) or self._stored_match(source, named[2])
        built = [] if match is None else constructed_events(match)
        return next((event for event in built if event.id == id), None)

    def _stored_match(self, source: str, id: str) -> Match | None:
        key = source.removeprefix(SOURCE)
        row = None if self._stored is None else self._stored.get(id, Owned.of_key(key).tenant)
        return None if row is None else _match_of(key, json.loads(row.body))


def _match_of(key: str, body: dict[str, Any]) -> Match:
    return Match(
        key,
        tuple(body["events"]),
        start=_instant_of(body["start"]),
        end=_instant_of(body["end"]),
        detected=_instant_of(body["detected"]),
        place=body["place"],
        id=body["id"],
        outputs=tuple(body["outputs"]),
        sources=tuple(body["sources"]),
    )


def _instant_of(text: str | None) -> Instant | None:
    return None if text is None else parse_instant(text)
