"""Composites on batch DataFrames: a back-test in total order, with no late events.

The clock runs to the end of time or to `until`. Spark sorts the events of each shard; an engine
then reads them one by one, so that a shard may be larger than memory. If composites construct, the
messages are stored and evaluated again until no constructed event is new, as in the local host.
Matches of atomic subscriptions and dead letters pass through in the same pass.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from tempfile import SpooledTemporaryFile
from typing import Any

import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from tocsin.engine.engine import Engine
from tocsin.events.event import Event, in_canonical_order
from tocsin.events.matches.match import SOURCE, Match
from tocsin.plan.nodes.atoms import Atom
from tocsin.runtime.finite_run import republish_until_stable
from tocsin.runtime.gc_tuning import a_task
from tocsin.runtime.guarded import GuardedEngine, Outcome
from tocsin.runtime.limits import FanOut
from tocsin.runtime.sequencer import FiniteSequencer
from tocsin.runtime.watermark import Span
from tocsin.spark.match_task.messages import ShardMessage, message_of
from tocsin.spark.output.batches import BY_MATCH, MATCHES, Results, batch_of_both, batches_of
from tocsin.spark.output.member_output import IDS_ONLY, MemberOutput
from tocsin.spark.plans.shard_plans import ShardPlans, shard_keys
from tocsin.spark.plans.sources import Source
from tocsin.spark.shard.shard import told_once
from tocsin.values.time import Instant

MAX_BYTES_IN_MEMORY = 64 << 20
"""Bytes of messages that a shard holds in memory; beyond it they are on disk."""

_Wanted = tuple[Event, Iterable[Atom]]
_SIZE = struct.Struct(">I")


class Repeated:
    """The messages of a shard, in canonical order, for repeated reading."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=MAX_BYTES_IN_MEMORY)  # noqa: SIM115
        self._built: set[tuple[str, str]] = set()

    def add(self, raw: bytes, message: ShardMessage) -> None:
        """Add the next message, as bytes and decoded."""
        self._file.write(_SIZE.pack(len(raw)) + raw)
        self._built.update(
            hit.event.identity for hit in message.hits if hit.event.source.startswith(SOURCE)
        )

    def detect(
        self, members: ShardPlans, spans: Sequence[Span], until: Instant | None, forget_every: int
    ) -> Outcome:
        """Return the result of the messages and of all constructed events, as far as this shard
        reports it.
        """
        last = Outcome()

        def evaluate(further: Sequence[Event], fan_out: FanOut) -> list[Match]:
            nonlocal last
            new = [event for event in further if event.identity not in self._built]
            last = self._evaluated(members, spans, until, forget_every, new, fan_out)
            return last.matches

        found, letters = republish_until_stable(evaluate, members.builders())
        last.matches = [match for match in found if members.tells(match.subscription)]
        last.add(told_once(Outcome(letters=letters), members))
        return last

    def _evaluated(
        self,
        members: ShardPlans,
        spans: Sequence[Span],
        until: Instant | None,
        forget_every: int,
        further: Sequence[Event],
        fan_out: FanOut,
    ) -> Outcome:
        """Evaluate all messages and some further events."""
        guard = _guard_of(members, fan_out)
        served = guard.match(in_canonical_order(further))
        outcome = Outcome()
        outcome.add(served.diagnostics)
        outcome.add(told_once(guard.render_atomic_matches(served.atomic_matches), members))
        whole = [*spans, *((each.interval.end,) * 2 for each in further if each.interval)]
        sequencer = FiniteSequencer(guard, forget_every=forget_every)
        if whole:
            lows, highs = zip(*whole, strict=True)
            outcome.add(sequencer.begin(min(lows), max(highs), whole))
        for event, atoms in merge(self._wanted(members), served.relevant, key=_order):
            outcome.add(sequencer.serve(event, atoms))
        outcome.add(sequencer.end(until))
        return outcome

    def _wanted(self, members: ShardPlans) -> Iterator[_Wanted]:
        self._file.seek(0)
        while head := self._file.read(_SIZE.size):
            (size,) = _SIZE.unpack(head)
            for hit in message_of(self._file.read(size)).hits:
                yield hit.event, members.atoms(hit.atoms)


def _guard_of(members: ShardPlans, fan_out: FanOut) -> GuardedEngine:
    """Return a new engine, without state, with the plans of a shard."""
    plans, engine = members.plans(), Engine(contains_faults=True)
    for id, plan in plans.items():
        engine.add(id, plan)
    return GuardedEngine(engine, lambda: plans, fan_out, suspends=False)


def _order(wanted: _Wanted) -> tuple[Instant, Instant, str, str]:
    return wanted[0].order


FORGET_EVERY = 1000
"""The number of events after which an engine drops expired state."""

_ITEMS = (
    "array<struct<shard: bigint, start: bigint, source: string, id: string, message: binary, match:"
    f" {MATCHES.simpleString()}>>"
)
_LISTS = f"array<{MATCHES.simpleString()}>"
_ORDER = ("shard", "end", "start", "source", "id")


def detect_batch(spread: DataFrame, versions: DataFrame, test: BackTest) -> DataFrame:
    """Convert rows spread over shards to (match, dead_letter).

    `versions` has one row, the version for shards without events.
    """
    beginnings = _beginnings(versions, test.shards)
    rows = spread.unionByName(beginnings, allowMissingColumns=True)
    placed = rows.repartition(test.shards, "shard").sortWithinPartitions(*_ORDER)
    return placed.mapInArrow(test, BY_MATCH)


def _beginnings(versions: DataFrame, shards: int) -> DataFrame:
    """Return a row for every shard: time passes in a shard without events too."""
    keys = F.explode(F.array(*(F.lit(key).cast("bigint") for key in shard_keys(shards))))
    return versions.select(keys.alias("shard"), F.col("version"))


def spread_over_shards(by_event: DataFrame, shards: int) -> DataFrame:
    """Return a row per event and shard, per match, and per dead letter.

    Only rows of events and of time spans have an id, which is empty for time spans.
    """
    keys = F.array(*(F.lit(key).cast("bigint") for key in shard_keys(shards)))
    own = F.element_at(keys, (F.pmod(F.hash("identity"), F.lit(shards)) + 1).cast("int"))
    wanted = F.transform(
        "wanted",
        lambda each: _item(
            each["shard"], each["start"], each["source"], each["id"], each["message"]
        ),
    )
    rings = F.transform(
        F.coalesce("matches", F.array().cast(_LISTS)), lambda each: _item(own, match=each)
    )
    is_letter = F.col("dead_letter").isNotNull()
    letters = F.when(is_letter, F.array(_item(own))).otherwise(F.array().cast(_ITEMS))
    item = F.explode(F.concat(wanted, rings, letters))
    chosen = by_event.select("end", "version", "dead_letter", item.alias("item"))
    return chosen.select("end", "version", "dead_letter", "item.*")


def _item(
    shard: Column,
    start: Column | None = None,
    source: Column | None = None,
    id: Column | None = None,
    message: Column | None = None,
    match: Column | None = None,
) -> Column:
    def typed(column: Column | None, kind: str) -> Column:
        return (F.lit(None) if column is None else column).cast(kind)

    return F.struct(
        shard.alias("shard"),
        typed(start, "bigint").alias("start"),
        typed(source, "string").alias("source"),
        typed(id, "string").alias("id"),
        typed(message, "binary").alias("message"),
        typed(match, MATCHES.simpleString()).alias("match"),
    )


@dataclass(frozen=True, slots=True)
class BackTest:
    """Task: sorted rows of shards -> (match, dead_letter)."""

    source: Source
    shards: int
    until: Instant | None
    telling: MemberOutput = IDS_ONLY

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Run one task, shard after shard."""
        with a_task():
            yield from self._served(batches)

    def _served(self, batches: Iterator[Any]) -> Iterator[Any]:
        run: Run | None = None
        for rows in batches:
            passing, others = _parted(rows)
            yield batch_of_both(passing)
            for shard, version, message in others:
                if run is None or run.key != shard:
                    yield from self._ended(run)
                    run = Run(shard, self.shards, self.source)
                run.take(version, message)
            yield from self._told(run)
        yield from self._ended(run)

    def _told(self, run: Run | None) -> Iterator[Any]:
        """Yield the results of a shard since the last call."""
        return (
            iter(()) if run is None else batches_of(run.results(), run.members.teller(self.telling))
        )

    def _ended(self, run: Run | None) -> Iterator[Any]:
        """End the input of a shard and yield its last results."""
        if run is not None:
            run.end(self.until)
        return self._told(run)


class Run:
    """One shard over finite input."""

    def __init__(self, key: int, shards: int, source: Source) -> None:
        self.key = key
        self.members = ShardPlans(shard_keys(shards).index(key), shards)
        self._source = source
        self._version = 0
        self._spans: list[Span] = []
        self._sequencer = FiniteSequencer(self.members.guard(), forget_every=FORGET_EVERY)
        self._outcome = Outcome()
        self._repeated: Repeated | None = None

    def take(self, version: int, message: bytes | None) -> None:
        """Take the next event in canonical order, a time span, or just the version."""
        self._version = version
        if message is None:
            return
        told = message_of(message)
        if told.hits:
            self._begin()
        elif told.span is not None:
            self._spans.append(told.span)
        if told.hits and self._repeated is not None:
            self._repeated.add(message, told)
            return
        for hit in told.hits:
            atoms = self.members.atoms(hit.atoms)
            self._outcome.add(self._sequencer.serve(hit.event, atoms))

    def end(self, until: Instant | None) -> None:
        """End the input: the clock runs to `until`."""
        self._begin()
        if self._repeated is None:
            self._outcome.add(self._sequencer.end(until))
        else:
            found = self._repeated.detect(self.members, self._spans, until, FORGET_EVERY)
            self._outcome.add(found)

    def results(self) -> Results:
        """Return the results since the last call."""
        outcome, self._outcome = self._outcome, Outcome()
        return Results(outcome.matches, list(self.members.letters_of(outcome)))

    def _begin(self) -> None:
        """Load the subscriptions once, before the first event and after all time spans."""
        if self.members.version is not None:
            return
        self.members.move_to(self._source.snapshot(self._version))
        if self.members.builds:
            self._repeated = Repeated()
        elif self._spans:
            oldest = min(oldest for oldest, _ in self._spans)
            newest = max(newest for _, newest in self._spans)
            self._outcome.add(self._sequencer.begin(oldest, newest, self._spans))


def _parted(rows: Any) -> tuple[Any, Iterator[tuple[int, int, bytes | None]]]:
    """Split rows into results, which pass through, and (shard, version, message) of the others."""
    is_result = pc.or_(rows.column("match").is_valid(), rows.column("dead_letter").is_valid())
    others = rows.filter(pc.invert(is_result))
    columns = (others.column(name).to_pylist() for name in ("shard", "version", "message"))
    return rows.filter(is_result), zip(*columns, strict=True)
