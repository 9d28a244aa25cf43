"""Sink of micro-batches: each is stored completely or not at all, a repeated one is left out.

No row of the log holds an event that a subscription has constructed, so it is rebuilt from the
match that constructed it.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tocsin.catalog import Catalog, Subscription, Surroundings
from tocsin.catalog.tenants import Owned
from tocsin.errors import StateProblem
from tocsin.events.codecs.base.cloudevents import as_object, json_text
from tocsin.events.codecs.decode import decode_all
from tocsin.events.dead_letter import DeadLetter
from tocsin.events.event import Event
from tocsin.events.matches.match import ID_PATTERN, SOURCE, Match, MemberContent, constructed_events
from tocsin.runtime.admission import wall_clock
from tocsin.service.runner.rendering import Positions, kept_letter, kept_match, refused_letter
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.progress import NewTrouble, RunnerOutput, RunnerStep, RunnerStore
from tocsin.service.storage.results import MatchStore, NewLetter, NewMatch
from tocsin.service.storage.rows import LogRow
from tocsin.spark.plans.sources import VersionsByPosition
from tocsin.spark.query.live import Placed, placed_matches, read_letters
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


VERSIONS_HELD = 4
"""Versions of the catalog cached in memory: the matches of a micro-batch are of few."""

MAX_NEWEST_ROWS = 50_000
"""Newest rows searched for an event of which only the identity is known."""


@dataclass(frozen=True, slots=True)
class Held:
    """The catalog at a version, as far as it is needed to render matches."""

    version: int
    subscriptions: dict[str, Subscription]
    environment: Surroundings


class Sink:
    """Stores micro-batches. `progress` is that of the query, set by `begin`; `stored` are the
    matches stored before.
    """

    def __init__(self, log: EventLog, catalog: Catalog, stored: MatchStore | None = None) -> None:
        self._log, self._catalog, self._stored = log, catalog, stored
        self._versions = VersionsByPosition(catalog)
        self._held: dict[int, Held] = {}
        self._progress: RunnerStore | None = None
        self._begun = threading.Event()
        self._troubles: set[tuple[str, str, str]] = set()
        self.position = 0
        self.kept_position = -1
        self.matches = 0
        self.letters = 0

    def begin(self, progress: RunnerStore) -> None:
        """Set the store of the query's progress, once the query has started."""
        self._progress = progress
        self._begun.set()

    def __call__(self, frame: Any, number: int) -> None:
        """Store one micro-batch."""
        batch = frame.toArrow()
        if not self._begun.wait(60) or self._progress is None:
            raise StateProblem("the query has not begun", code="SparkError")
        results = self._results(batch)
        if not results.is_urgent and self.position == self.kept_position:
            return
        step = RunnerStep(number, self.position, wall_clock(), self._catalog.version())
        self._progress.save_batch(step, results)
        self.kept_position = self.position
        self.matches += len(results.matches)
        self.letters += len(results.letters)

    def _results(self, batch: Any) -> RunnerOutput:
        found, letters = list(placed_matches(batch)), list(read_letters(batch))
        if not found and not letters:
            return RunnerOutput()
        self._versions.refresh()
        rows = self._rows(found, letters)
        built = BuiltEvents((each.match for each in found), self._stored)
        results = RunnerOutput(matches=[self._kept(each, rows, built) for each in found])
        for letter in letters:
            if self._is_trouble(letter):
                self._note_trouble(letter, results)
            else:
                results.letters.append(_letter(letter, rows))
        return results

    def _kept(self, placed: Placed, rows: _Rows, built: BuiltEvents) -> NewMatch:
        match, held = placed.match, self._held_for(placed)
        identities = list(zip(match.sources, match.events, strict=True))
        if _content(held, match.subscription) is MemberContent.IDS:
            whose = Owned.of_key(match.subscription)
            body = match.as_json() | {"subscription": whose.name}
            return NewMatch(
                match.id,
                whose.tenant,
                whose.name,
                match.detected,
                json_text(body),
                json_text(
                    [
                        _member(built.get(each)) if position is None else position
                        for each, position in zip(identities, placed.positions, strict=True)
                    ]
                ),
                held.version,
            )
        known = (rows.events.get(each) or built.get(each) for each in identities)
        members = tuple(each for each in known if each is not None)
        told = replace(match, members=members)
        words_of = held.environment.words_of
        return kept_match(told, held.subscriptions, rows.positions, words_of, held.version)

    def _rows(self, found: Sequence[Placed], letters: Sequence[DeadLetter]) -> _Rows:
        """Return the rows of the log that matches and letters need."""
        wanted = {letter.line for letter in letters if letter.line is not None}
        for each in found:
            if _content(self._held_for(each), each.match.subscription) is not MemberContent.IDS:
                wanted |= {position for position in each.positions if position is not None}
        rows = self._log.rows_at(sorted(wanted)) if wanted else {}
        if any(letter.line is None and letter.subscription is None for letter in letters):
            rows |= self._newest_rows()
        return _Rows.of(rows)

    def _newest_rows(self) -> dict[int, LogRow]:
        """Return the rows that may be in this micro-batch: late events are reported without their
        position.
        """
        newest = self._log.read_stored(max(0, self.kept_position), MAX_NEWEST_ROWS)
        return {row.position: row for row in newest}

    def _is_trouble(self, letter: DeadLetter) -> bool:
        """True if a letter is about a subscription that cannot be served, not about an event."""
        return letter.subscription is not None and letter.line is None

    def _note_trouble(self, letter: DeadLetter, results: RunnerOutput) -> None:
        """Add the problem of a subscription once, though every worker reports it."""
        name = letter.subscription or ""
        key = (name, letter.code, letter.reason)
        if key not in self._troubles:
            self._troubles.add(key)
            results.letters.append(kept_letter(letter, Positions()))
            results.troubles.append(NewTrouble(name, letter.code, letter.reason))

    def _held_for(self, placed: Placed) -> Held:
        """Return the catalog as of the last member of a match, so that a subscription that was
        removed since still gets its content.
        """
        logged = (each for each in placed.positions if each is not None)
        newest = max(logged, default=None)
        version = self._catalog.version() if newest is None else self._versions.at(newest)
        if version not in self._held:
            while len(self._held) >= VERSIONS_HELD:
                del self._held[next(iter(self._held))]
            snapshot = self._catalog.snapshot(version)
            light = Surroundings.of(snapshot.definitions)
            held = {each.id: each for each in snapshot.subscriptions}
            self._held[version] = Held(version, held, light)
        return self._held[version]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of the log, and the events in them."""

    rows: dict[int, LogRow]
    events: dict[tuple[str, str], Event]
    positions: Positions

    @staticmethod
    def of(rows: dict[int, LogRow]) -> _Rows:
        positions = Positions()
        events: dict[tuple[str, str], Event] = {}
        for row in rows.values():
            found = [] if row.code is not None else _events(row)
            positions.note(row, found)
            events |= {event.identity: event for event in found}
        return _Rows(rows, events, positions)


def _letter(letter: DeadLetter, rows: _Rows) -> NewLetter:
    row = rows.rows.get(letter.line or 0)
    if row is None:
        return kept_letter(letter, rows.positions)
    if row.code is not None:
        return refused_letter(row)
    kept = kept_letter(letter, rows.positions)
    tenant = kept.tenant if letter.subscription is not None else row.tenant
    return replace(kept, tenant=tenant, event=row.position)


def _events(row: LogRow) -> list[Event]:
    try:
        return decode_all(row.body)
    except Exception:  # its dead letter has the reason
        return []


def _content(held: Held, name: str) -> MemberContent:
    subscription = held.subscriptions.get(name)
    return (subscription.content if subscription else None) or MemberContent.IDS


def _member(built: Event | None) -> dict[str, object] | None:
    """Return a member that is in no row of the log; None if it is not known any more."""
    return None if built is None else as_object(built)
