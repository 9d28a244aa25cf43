"""The match tasks of a stream: rows -> rows (shard, payload, hits).

Every shard gets the progress of time; `hits` is the number of events that a row has for its shard.
A shard gets an event once, for all its subscriptions together. Matches of atomic subscriptions and
dead letters pass through the shard of the task's own number, so that the source is read once for
both. Routes are computed once per set of atoms and of partitions, and partitions from columns, so
that no event is decoded for its key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tocsin.engine.columns.batch import EventBatch, partitions_of_batch
from tocsin.engine.results import CompositeInput
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Key
from tocsin.runtime.gc_tuning import a_task
from tocsin.spark.match_task.match_task import MatchedRows, MatchTaskConfig, run_match_task
from tocsin.spark.match_task.messages import ShardMessageBuilder, pack_results
from tocsin.spark.match_task.reports import Task
from tocsin.spark.output.batches import batch_of_letters, batch_of_matches
from tocsin.spark.plans.plan_cache import MatchIndex
from tocsin.spark.plans.shard_plans import Route, shard_keys

_Target = tuple[ShardMessageBuilder, int, bool]
"""The draft of an event, the number of its set of atoms, and whether that shard reports it if late.
"""


@dataclass(frozen=True, slots=True)
class _AtomSetRoutes:
    """The routes of events that match the same atoms, by the partitions of their keys."""

    routes: Sequence[Route]
    keys: Sequence[Key]
    targets: dict[tuple[int, ...], list[_Target]] = field(default_factory=dict)


class Router:
    """Distributor of the events of one batch to a draft for each shard."""

    def __init__(self, index: MatchIndex, batch: EventBatch, shards: int) -> None:
        self.drafts = [ShardMessageBuilder() for _ in range(shards)]
        self._index = index
        self._batch = batch
        self._shards = shards
        self._forks: dict[tuple[int, ...], _AtomSetRoutes] = {}
        self._shares: dict[Key, Sequence[int]] = {}

    def send(self, relevant: Sequence[CompositeInput], beyond: frozenset[int]) -> None:
        """Add the composite inputs to the drafts; skip events without a time or in `beyond`."""
        for each in relevant:
            number = each.index
            event = self._batch.event(number)
            if event.interval is None or number in beyond:
                continue
            fork = self._fork(each.atoms)
            shares = tuple([self._shares[key][number] for key in fork.keys])
            targets = fork.targets.get(shares)
            if targets is None:
                targets = fork.targets[shares] = self._targets(fork, shares)
            for draft, atoms, teller in targets:
                draft.add(event, atoms, teller)

    def _fork(self, atoms: Sequence[Atom]) -> _AtomSetRoutes:
        """Return the routes of a set of atoms, which must be the engine's own: compared by
        identity.
        """
        name = tuple(map(id, atoms))
        if name not in self._forks:
            routes = self._index.routes(atoms, self._shards)
            keys = sorted({key for route in routes for key in route.keys})
            for key in keys:
                if key not in self._shares:
                    self._shares[key] = partitions_of_batch(self._batch, key, self._shards).tolist()
            self._forks[name] = _AtomSetRoutes(routes, keys)
        return self._forks[name]

    def _targets(self, fork: _AtomSetRoutes, shares: tuple[int, ...]) -> list[_Target]:
        share_by_key = dict(zip(fork.keys, shares, strict=True))
        by_shard: dict[int, list[bytes]] = {}
        for route in fork.routes:
            for shard in route.shards.union(map(share_by_key.__getitem__, route.keys)):
                by_shard.setdefault(shard, []).append(route.name)
        teller = min(by_shard)
        return [
            (draft, draft.number_of(tuple(names)), shard == teller)
            for shard, names in by_shard.items()
            for draft in (self.drafts[shard],)
        ]


SENT = "shard bigint, payload binary, hits int"

_SCHEMA = pa.schema([("shard", pa.int64()), ("payload", pa.binary()), ("hits", pa.int32())])

_Sent = tuple[int, bytes, int]
"""The number of a shard, the payload, and the number of its events."""


@dataclass(frozen=True, slots=True)
class StreamMatchTask:
    """Match task: rows of events -> (shard, payload, hits)."""

    serving: MatchTaskConfig
    shards: int

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Run one task."""
        mine = Task.current().partition % self.shards

        def rows_of(found: MatchedRows) -> Iterator[Any]:
            results = ((mine, pack_results(batch), 0) for batch in found.results())
            yield _sent([*results, *_message_rows(found, self.shards)], self.shards)

        with a_task():
            yield from run_match_task(batches, self.serving, rows_of)


@dataclass(frozen=True, slots=True)
class DedupedStreamTask:
    """Task after deduplication: rows by event -> (shard, payload, hits), without duplicates."""

    shards: int

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Run one task."""
        mine = Task.current().partition % self.shards
        with a_task():
            for rows in batches:
                if rows.num_rows:
                    results = ((mine, pack_results(batch), 0) for batch in _results_in(rows))
                    yield _sent([*results, *self._message_rows(rows)], self.shards)

    def _message_rows(self, rows: Any) -> Iterator[_Sent]:
        """Yield the messages of the events, and for every shard the span of event times."""
        number_of = {key: number for number, key in enumerate(shard_keys(self.shards))}
        for wanted in rows.column("wanted").to_pylist():
            for each in wanted or ():
                yield number_of[each["shard"]], each["message"], int(each["id"] != "")
        ends = pc.min_max(rows.column("end")).as_py()
        version = pc.max(rows.column("version")).as_py()
        span = None if ends["min"] is None else (ends["min"], ends["max"])
        for number in range(self.shards):
            yield number, ShardMessageBuilder().packed(version, span), 0


def _message_rows(found: MatchedRows, shards: int) -> Iterator[_Sent]:
    """Yield one message per shard: its events, if any, and the span of all events.

    Constructed events follow in messages of their own.
    """
    span = found.span()
    for number, draft in enumerate(_drafts(found, shards)):
        yield number, draft.packed(found.version, span), len(draft.events)
    for each in found.built:
        for number, draft in enumerate(_drafts(each.rows, shards)):
            if draft.events:
                yield number, draft.packed(found.version, None), len(draft.events)


def _drafts(found: MatchedRows, shards: int) -> list[ShardMessageBuilder]:
    router = Router(found.index, found.reading.batch, shards)
    router.send(found.relevant, found.beyond)
    return router.drafts


def _results_in(rows: Any) -> Iterator[Any]:
    """Yield record batches of the dead letters and matches in rows by event."""
    letters = rows.column("dead_letter").drop_null()
    if len(letters):
        yield batch_of_letters(letters)
    matches = rows.column("matches").flatten()
    if len(matches):
        yield batch_of_matches(matches)


def _sent(rows: Iterable[_Sent], shards: int) -> Any:
    """Return rows as a record batch, with the keys of the shards."""
    keys = shard_keys(shards)
    numbers, payloads, hits = zip(*rows, strict=True)
    columns = [
        pa.array([keys[number] for number in numbers], pa.int64()),
        pa.array(payloads, pa.binary()),
        pa.array(hits, pa.int32()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_SCHEMA)
