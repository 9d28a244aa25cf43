"""Composites on batch DataFrames: a back-test. Ordered as a whole, nothing late, the clock runs to
the end or `until`.

Spark sorts the events of each shard; an engine then sees them one by one, so that a shard may be
larger than memory. Matches of atomic subscriptions and dead letters pass through in the same pass.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from tocsin.events.dead_letter import window_over
from tocsin.events.match import Match, once
from tocsin.hosts.garbage import collect_rarely
from tocsin.hosts.pauses import Span, pauses
from tocsin.hosts.spark.contained import guarded, letters_of
from tocsin.hosts.spark.detection.messages import RESULTS, message_of, results
from tocsin.hosts.spark.detection.results import packed_results
from tocsin.hosts.spark.detection.shard import Outcome, letter_of
from tocsin.hosts.spark.detection.shard_plans import Members
from tocsin.hosts.spark.detection.shards import shard_keys
from tocsin.hosts.spark.rows import Letter
from tocsin.hosts.spark.schemas import BY_MATCH, MATCHES
from tocsin.hosts.spark.sources import Source
from tocsin.hosts.spark.telling import IDS_ONLY, Teller, Telling
from tocsin.values.time import Instant

FORGET_EVERY = 1000
"""After how many events an engine is told to drop what can no longer matter."""

_ITEMS = (
    "array<struct<shard: bigint, source: string, id: string, message: binary, match:"
    f" {MATCHES.simpleString()}>>"
)
_LISTS = f"array<{MATCHES.simpleString()}>"
_ORDER = ("shard", "end", "start", "source", "id")


def tested(by_event: DataFrame, versions: DataFrame, test: BackTest) -> DataFrame:
    """Rows by event -> (match, dead_letter); `versions` has one row, the version for shards without
    events.
    """
    beginnings = _beginnings(versions, test.shards)
    rows = _spread(by_event, test.shards).unionByName(beginnings, allowMissingColumns=True)
    placed = rows.repartition(test.shards, "shard").sortWithinPartitions(*_ORDER)
    return placed.mapInArrow(test, BY_MATCH)


def first_in_order(by_event: DataFrame) -> DataFrame:
    """Of events with one identity the first in canonical order, with its matches and what shards
    want of it.
    """
    kept = ["end", "start", "matches", "dead_letter", "version", "wanted"]
    first = F.min_by(F.struct(*kept), F.struct("end", "start", "content"))
    return by_event.groupBy("identity").agg(first.alias("first")).select("identity", "first.*")


def _beginnings(versions: DataFrame, shards: int) -> DataFrame:
    """A row for every shard: time passes also where nothing happens."""
    keys = F.explode(F.array(*(F.lit(key).cast("bigint") for key in shard_keys(shards))))
    return versions.select(keys.alias("shard"), F.col("version"))


def _spread(by_event: DataFrame, shards: int) -> DataFrame:
    """One row per event and shard that wants it, one per match, one per dead letter."""
    keys = F.array(*(F.lit(key).cast("bigint") for key in shard_keys(shards)))
    own = F.element_at(keys, (F.pmod(F.hash("identity"), F.lit(shards)) + 1).cast("int"))
    wanted = F.transform(
        "wanted", lambda each: _item(each["shard"], each["source"], each["id"], each["message"])
    )
    rings = F.transform(
        F.coalesce("matches", F.array().cast(_LISTS)), lambda each: _item(own, match=each)
    )
    is_letter = F.col("dead_letter").isNotNull()
    letters = F.when(is_letter, F.array(_item(own))).otherwise(F.array().cast(_ITEMS))
    item = F.explode(F.concat(wanted, rings, letters))
    chosen = by_event.select("end", "start", "version", "dead_letter", item.alias("item"))
    return chosen.select("end", "start", "version", "dead_letter", "item.*")


def _item(
    shard: Column,
    source: Column | None = None,
    id: Column | None = None,
    message: Column | None = None,
    match: Column | None = None,
) -> Column:
    def typed(column: Column | None, kind: str) -> Column:
        return (F.lit(None) if column is None else column).cast(kind)

    return F.struct(
        shard.alias("shard"),
        typed(source, "string").alias("source"),
        typed(id, "string").alias("id"),
        typed(message, "binary").alias("message"),
        typed(match, MATCHES.simpleString()).alias("match"),
    )


@dataclass(frozen=True, slots=True)
class BackTest:
    """Rows of shards, sorted -> (match, dead_letter)."""

    source: Source
    shards: int
    until: Instant | None
    telling: Telling = IDS_ONLY

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The work of one task, shard after shard."""
        collect_rarely()
        run: Run | None = None
        for rows in batches:
            yield _passing(rows)
            found: list[Match] = []
            for shard, version, message in _for_shards(rows):
                if run is None or run.key != shard:
                    if run is not None:
                        yield from self._results(run, found + run.ended(self.until), run.letters)
                    found, run = [], Run(shard, self.shards, self.source)
                found += run.told(version, message)
            if run is not None:
                yield from self._results(run, found)
        if run is not None:
            yield from self._results(run, run.ended(self.until), run.letters)

    def _results(
        self, run: Run, matches: list[Match], letters: Sequence[Letter] = ()
    ) -> Iterator[Any]:
        return packed_results(Outcome(matches, list(letters)), run.teller(self.telling))


class Run:
    """One shard over finite input."""

    def __init__(self, key: int, shards: int, source: Source) -> None:
        self.key = key
        self._source = source
        self._members = Members(shard_keys(shards).index(key), shards)
        self._guard = guarded(self._members.engine, self._members.plans)
        self._rung: set[str] = set()
        self._version = 0
        self._events = 0
        self._spans: list[Span] = []
        self._pauses: deque[Span] = deque()
        self.letters: list[Letter] = []

    def teller(self, telling: Telling) -> Teller:
        """Who tells of members what is asked for."""
        return self._members.teller(telling)

    def told(self, version: int, message: bytes | None) -> list[Match]:
        """The next event in canonical order, or only that the shard is there."""
        self._version = version
        if message is None:
            return []
        told = message_of(message)
        if not told.hits:
            self._spans += [] if told.span is None else [told.span]
            return []
        found = self._begin()
        for hit in told.hits:
            end = hit.event.interval.end if hit.event.interval is not None else None
            while self._pauses and end is not None and self._pauses[0][1] <= end:
                found += self._guard.pass_over(self._pauses.popleft())
            found += self._guard.detect(hit.event, self._members.atoms(hit.atoms))
            self._events += 1
            if self._events % FORGET_EVERY == 0 and hit.event.interval is not None:
                self._members.engine.forget_before(hit.event.interval.end)
        return self._new(found)

    def ended(self, until: Instant | None) -> list[Match]:
        """There are no more events: the clock runs on."""
        found = self._begin()
        for pause in self._pauses:
            found += self._guard.pass_over(pause)
        if self._spans:
            last = max(newest for _, newest in self._spans)
            found += self._guard.advance_to(last if until is None else min(until, last - 1))
        return self._new(found + self._guard.advance_to(until, until))

    def _begin(self) -> list[Match]:
        """Takes its subscriptions in; from when to when there are events it has been told before
        any event.
        """
        if self._members.version is not None:
            return []
        self._members.move_to(self._source.snapshot(self._version))
        if not self._spans:
            return []
        engine, oldest = self._members.engine, min(oldest for oldest, _ in self._spans)
        self.letters += map(letter_of, map(window_over, engine.begin_at(oldest)))
        longest = engine.shortest_pause
        if longest is None:
            return []
        self._pauses.extend(pauses(self._spans, longest))
        return self._guard.advance_to(oldest - 1, oldest - 1)

    def _new(self, found: list[Match]) -> list[Match]:
        matches = [match for match in once(found) if match.id not in self._rung]
        self._rung.update(match.id for match in matches)
        self.letters += letters_of(self._guard.take_letters())
        return matches


def _passing(rows: Any) -> Any:
    is_result = pc.or_(rows.column("match").is_valid(), rows.column("dead_letter").is_valid())
    chosen = rows.filter(is_result)
    columns = [chosen.column(field.name).cast(field.type) for field in RESULTS]
    return results(*columns)


def _for_shards(rows: Any) -> Iterator[tuple[int, int, bytes | None]]:
    is_result = pc.or_(rows.column("match").is_valid(), rows.column("dead_letter").is_valid())
    chosen = rows.filter(pc.invert(is_result))
    columns = (chosen.column(name).to_pylist() for name in ("shard", "version", "message"))
    return zip(*columns, strict=True)
