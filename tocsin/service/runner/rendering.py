"""Conversion of matches and dead letters of a step to rows of their tenants."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from tocsin.catalog import Subscription
from tocsin.catalog.tenants import Owned
from tocsin.events.codecs.base.cloudevents import as_object, json_text
from tocsin.events.dead_letter import DeadLetter, shown_input
from tocsin.events.event import Event
from tocsin.events.matches.match import Match, MemberContent, PrefixVocabulary
from tocsin.service.storage.results import NewLetter, NewMatch
from tocsin.service.storage.rows import LogRow

REMEMBERED = 200_000
"""Newest events whose positions in the log are known."""

_Identity = tuple[str, str]


class Positions:
    """Log positions and publishers of the newest events."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._rows: dict[_Identity, tuple[int, str]] = {}
        self._remembered = remembered

    def note(self, row: LogRow, events: Iterable[Event]) -> None:
        """Note the events of a row."""
        place = (row.position, row.tenant)
        for event in events:
            self._rows[event.identity] = place
        while len(self._rows) > self._remembered:
            del self._rows[next(iter(self._rows))]

    def of(self, identity: _Identity) -> int | None:
        """Return the position of an event; None if it is not known."""
        found = self._rows.get(identity)
        return None if found is None else found[0]

    def at(self, positions: Set[int]) -> list[_Identity]:
        """Return the events at some positions."""
        return [each for each, (position, _) in self._rows.items() if position in positions]

    def publisher_of(self, identity: _Identity) -> str:
        """Return the tenant that published an event; "" if it is not known."""
        found = self._rows.get(identity)
        return "" if found is None else found[1]


def kept_match(
    match: Match,
    subscriptions: Mapping[str, Subscription],
    positions: Positions,
    words_of: Callable[[str], PrefixVocabulary | None] = lambda id: None,
    version: int = 0,
) -> NewMatch:
    """Return a match to store, with its tenant's names, and with as much of its members as the
    subscription requests.
    """
    whose = Owned.of_key(match.subscription)
    subscription = subscriptions.get(match.subscription)
    content = (subscription.content if subscription else None) or MemberContent.IDS
    words = words_of(match.subscription) if content is MemberContent.RDF else None
    body = match.as_json(content, words) | {"subscription": whose.name}
    members = [_member(event, positions) for event in match.members]
    return NewMatch(
        match.id,
        whose.tenant,
        whose.name,
        match.detected,
        json_text(body),
        json_text(members),
        version,
    )


def kept_letter(letter: DeadLetter, positions: Positions) -> NewLetter:
    """Return a dead letter to store: for the subscriber, or else for the publisher of its event."""
    identity = _identity(letter.input)
    event = None if identity is None else positions.of(identity)
    if letter.subscription is not None:
        whose = Owned.of_key(letter.subscription)
        reason = letter.reason.replace(repr(letter.subscription), repr(whose.name))
        return NewLetter(whose.tenant, whose.name, letter.code, reason, letter.input, event)
    tenant = "" if identity is None else positions.publisher_of(identity)
    return NewLetter(tenant, None, letter.code, letter.reason, letter.input, event)


def refused_letter(row: LogRow) -> NewLetter:
    """Return the dead letter of a row that was refused on arrival."""
    shown = shown_input(row.body)
    return NewLetter(row.tenant, None, row.code or "", row.reason or "", shown, row.position)


def _member(event: Event, positions: Positions) -> int | dict[str, object]:
    position = positions.of(event.identity)
    return as_object(event) if position is None else position


def _identity(text: str) -> _Identity | None:
    """Return the event that a dead letter names as its input; None for no event or several."""
    try:
        given = json.loads(text)
    except ValueError:
        return None
    if isinstance(given, dict) and isinstance(given.get("id"), str):
        source = given.get("source")
        return (source, given["id"]) if isinstance(source, str) else None
    return None


def kept_letters(letters: Sequence[DeadLetter], positions: Positions) -> list[NewLetter]:
    """Return dead letters to store."""
    return [kept_letter(letter, positions) for letter in letters]
