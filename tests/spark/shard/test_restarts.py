"""Restarts that cannot go well say what to do; a poison event and a lost worker stop no query, nor
stop it again.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark import TaskContext
from pyspark.errors import StreamingQueryException
from pyspark.sql import Row, SparkSession
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from tests.spark.poison import MATCHING, PoisonedList
from tests.spark.shard.scenes import NAMES, Stream, ids, line, local
from tests.spark.shard.test_stream import ATOM, SILENCE, THEN
from tocsin.catalog import Definition, Snapshot, Subscription
from tocsin.spark import problem_of
from tocsin.spark.plans.sources import FixedList
from tocsin.spark.query import matching
from tocsin.spark.shard import state_apis
from tocsin.spark.shard.state_apis import BYTES_SCHEMA, RowProcessor
from tocsin.spark.shard.state_store import WORKER_SHARDS

Entries = Iterable[Subscription | Definition]


@pytest.fixture
def stream(spark: SparkSession, tmp_path: Path) -> Iterator[Stream]:
    scene = Stream(spark, tmp_path, {"lateness": "2s", "shards": 1})
    yield scene
    if scene.query is not None:
        scene.query.stop()


class MortalList(FixedList):
    """A list of subscriptions whose tasks lose their worker in the first attempt."""

    def snapshot(self, version: int) -> Snapshot:
        """The list, in every attempt but the first."""
        task = TaskContext.get()
        if task is not None and task.attemptNumber() == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().snapshot(version)


class FormerProcessor(RowProcessor):
    """Names its states as before a shard was one map, and keeps something in the first."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Three states."""
        self._head = handle.getValueState("head", BYTES_SCHEMA)
        handle.getValueState("base", BYTES_SCHEMA)
        handle.getListState("log", BYTES_SCHEMA)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        """Nothing comes out."""
        self._head.update((b"".join(bytes(row.payload) for row in rows),))
        return iter(())


def served_as(monkeypatch: pytest.MonkeyPatch, kind: type[FixedList]) -> None:
    """Lists of subscriptions become lists of a kind from now on, which no worker knows from another
    test.
    """

    def source_of(entries: Entries, *_: Any) -> FixedList:
        plain = FixedList.of(entries)
        return kind(f"{plain.key} as {kind.__name__}", plain.payload)

    monkeypatch.setattr(matching, "source_of", source_of)


def failure_of(stream: Stream, subscriptions: Entries) -> str:
    with pytest.raises(StreamingQueryException) as caught:
        stream.run(subscriptions)
    problem = problem_of(caught.value)
    assert problem is not None, str(caught.value)
    return str(problem)


def test_poison_is_told_and_the_query_goes_on_and_starts_again(
    stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    served_as(monkeypatch, PoisonedList)
    stream.put([line("a1", "a", 1), line(MATCHING, "b", 2), line("b1", "b", 3), line("z1", "z", 9)])
    stream.run([*NAMES, ATOM, THEN])
    stream.put([line("a2", "a", 10), line("b2", "b", 12), line("z2", "z", 30)])
    stream.run([*NAMES, ATOM, THEN])
    good = [
        line("a1", "a", 1),
        line("b1", "b", 3),
        line("a2", "a", 10),
        line("b2", "b", 12),
        line("z2", "z", 30),
    ]
    assert ids(stream.all_matches()) == ids(local([*NAMES, ATOM, THEN], good))
    letters = stream.all_letters()
    assert {letter.code for letter in letters} == {"InternalError"}
    assert all(MATCHING in letter.input for letter in letters)


def test_a_lost_worker_costs_a_second_try(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    served_as(monkeypatch, MortalList)
    lines = [line("a1", "a", 1), line("b1", "b", 3), line("z1", "z", 9)]
    stream.put(lines)
    stream.run([*NAMES, ATOM, THEN])
    assert ids(stream.all_matches()) == ids(local([*NAMES, ATOM, THEN], lines))


def test_a_first_composite_and_a_last_one_between_runs(stream: Stream) -> None:
    stream.put([line("a1", "a", 1)])
    stream.run([*NAMES, ATOM])
    stream.put([line("b1", "b", 2)])
    assert "composites=True" in failure_of(stream, [*NAMES, ATOM, THEN])
    stream.run([*NAMES, ATOM])  # nothing is harmed: as it was begun, it goes on
    assert [(each.subscription, each.events) for each in stream.all_matches()] == [
        ("atom", ("b1",))
    ]


def test_a_checkpoint_of_three_states_is_refused(
    stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(state_apis, "RowProcessor", FormerProcessor)
        stream.put([line("a1", "a", 1)])
        stream.run([*NAMES, THEN])
    stream.put([line("b1", "b", 2)])
    assert "LayoutError" in failure_of(stream, [*NAMES, THEN])


def test_a_query_begun_for_composites_may_lose_and_gain_them(stream: Stream) -> None:
    stream.settings["composites"] = True
    stream.put([line("b0", "b", 0.5)])
    stream.run([*NAMES, ATOM])
    stream.put([line("a1", "a", 1), line("b1", "b", 2), line("z1", "z", 5)])
    stream.run([*NAMES, ATOM, THEN])
    stream.put([line("b2", "b", 6), line("z2", "z", 30)])
    stream.run([*NAMES, ATOM])
    rung = sorted((each.subscription, each.events) for each in stream.all_matches())
    assert rung == [("atom", ("b0",)), ("atom", ("b1",)), ("atom", ("b2",)), ("then", ("a1", "b1"))]


def test_a_last_composite_and_a_damaged_checkpoint_say_what_to_do(stream: Stream) -> None:
    stream.put([line("a1", "a", 1), line("z1", "z", 4)])
    stream.run([*NAMES, ATOM, SILENCE])
    stream.put([line("b1", "b", 6), line("z2", "z", 30)])
    assert "composites=True" in failure_of(stream, [*NAMES, ATOM])
    checkpoint, kept = stream.folder / "checkpoint", stream.folder / "kept"
    shutil.copytree(checkpoint, kept)
    for damage in (cut_offsets, cut_state):
        shutil.rmtree(checkpoint)
        shutil.copytree(kept, checkpoint)
        damage(checkpoint)
        WORKER_SHARDS._by_token.clear()
        assert "begin a new checkpoint" in failure_of(stream, [*NAMES, ATOM, SILENCE])
    shutil.rmtree(checkpoint)
    shutil.copytree(kept, checkpoint)
    stream.run([*NAMES, ATOM, SILENCE])
    rung = sorted((each.subscription, each.events) for each in stream.all_matches())
    assert rung == [("atom", ("b1",)), ("silence", ("a1",))]


def cut_offsets(checkpoint: Path) -> None:
    newest = max((checkpoint / "offsets").glob("[0-9]*"), key=lambda path: int(path.name))
    newest.write_bytes(newest.read_bytes()[:5])
    (newest.parent / f".{newest.name}.crc").unlink(missing_ok=True)


def cut_state(checkpoint: Path) -> None:
    for path in (checkpoint / "state").rglob("*"):
        if path.suffix in (".zip", ".changelog", ".sst"):
            path.write_bytes(path.read_bytes()[:10])
