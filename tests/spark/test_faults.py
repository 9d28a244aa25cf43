"""Faults in Spark's tasks: a row that raises is told, what the others get does not change, and no
query dies of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest

from tests.builders import event_text
from tests.spark.poison import MATCHING, TELLING, poison_engines
from tests.spark.scenes import selector
from tocsin.catalog import Subscription
from tocsin.engine.atoms import AtomMatchers
from tocsin.engine.engine import Engine
from tocsin.engine.json_scan.batch_reader import MIN_TEXTS
from tocsin.events.codecs import bindings
from tocsin.events.codecs import decode as inside
from tocsin.spark.input import rows as reading
from tocsin.spark.input.layout import JsonRows
from tocsin.spark.match_task import match_task
from tocsin.spark.match_task import match_task as worker
from tocsin.spark.match_task.by_event import ByEvent
from tocsin.spark.match_task.match_task import ByMatch, MatchTaskConfig
from tocsin.spark.plans import plan_cache as index
from tocsin.spark.plans.sources import FixedList

SUBSCRIPTIONS = [
    selector("even", "x IN (0, 2, 4)"),
    selector("kind", "ce_type = 't'"),
    Subscription("xml", "exmlql", "WHERE <x>$x</> CONSTRUCT <y>$x</>"),
]
IDS = [f"e{number}" for number in range(40)]


@pytest.fixture
def poisoned() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(AtomMatchers, "match", AtomMatchers.match)
        patched.setattr(Engine, "render_atomic_match", Engine.render_atomic_match)
        poison_engines()
        yield


def rows_of(ids: Sequence[str]) -> Any:
    lines = [event_text(id, data={"x": len(id) % 5}).encode() for id in ids]
    return pa.RecordBatch.from_pydict({"value": lines})


def by_match(
    subscriptions: Sequence[Subscription], ids: Sequence[str]
) -> tuple[list[Any], list[Any]]:
    task = ByMatch(MatchTaskConfig(JsonRows(), FixedList.of(subscriptions)))
    found = [row for batch in task(iter([rows_of(ids)])) for row in batch.to_pylist()]
    return [row["match"] for row in found if row["match"]], [
        row["dead_letter"] for row in found if row["dead_letter"]
    ]


def by_event(
    subscriptions: Sequence[Subscription], ids: Sequence[str]
) -> tuple[list[Any], list[Any]]:
    task = ByEvent(MatchTaskConfig(JsonRows(), FixedList.of(subscriptions)), with_content=True)
    found = [row for batch in task(iter([rows_of(ids)])) for row in batch.to_pylist()]
    assert len({row["identity"] for row in found}) == len(found)
    matches = [match for row in found for match in row["matches"] or ()]
    return matches, [row["dead_letter"] for row in found if row["dead_letter"]]


def wanting(
    subscriptions: Sequence[Subscription], ids: Sequence[str]
) -> tuple[list[Any], list[Any]]:
    serving = MatchTaskConfig(JsonRows(), FixedList.of(subscriptions), detects=True)
    task = ByEvent(serving, with_content=True, shards=2)
    found = [row for batch in task(iter([rows_of(ids)])) for row in batch.to_pylist()]
    matches = [match for row in found for match in row["matches"] or ()]
    return matches, [row["dead_letter"] for row in found if row["dead_letter"]]


TASKS = pytest.mark.parametrize("task", [by_match, by_event, wanting])


@TASKS
@pytest.mark.parametrize("at", [0, 17, 40])
@pytest.mark.usefixtures("poisoned")
def test_a_row_that_raises_in_matching_is_told_and_the_others_ring(task: Any, at: int) -> None:
    expected, _ = task(SUBSCRIPTIONS, IDS)
    found, letters = task(SUBSCRIPTIONS, [*IDS[:at], MATCHING, *IDS[at:]])
    assert found == expected
    assert len(expected) > len(IDS)
    assert {letter["code"] for letter in letters} == {"InternalError"}
    assert {letter["subscription"] for letter in letters} == {each.id for each in SUBSCRIPTIONS}
    assert all(json.loads(letter["input"])["id"] == MATCHING for letter in letters)
    assert all("ZeroDivisionError: matching" in letter["reason"] for letter in letters)


@TASKS
@pytest.mark.usefixtures("poisoned")
def test_a_row_that_raises_in_telling_rings_for_those_who_tell_it(task: Any) -> None:
    expected, _ = task(SUBSCRIPTIONS, IDS)
    found, letters = task(SUBSCRIPTIONS, [*IDS, TELLING])
    assert [match for match in found if match["events"] != [TELLING]] == expected
    assert "xml" in {letter["subscription"] for letter in letters}
    assert {letter["code"] for letter in letters} == {"InternalError"}


@TASKS
def test_a_row_that_cannot_be_read_for_a_fault_of_ours(
    task: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(raw: bytes) -> Any:
        if b'"e7"' in raw:
            raise KeyError("fault")
        return inside.decode_all(raw)

    few = IDS[: MIN_TEXTS - 1]  # so few that they are not scanned, but read one by one
    expected, _ = task(SUBSCRIPTIONS, [id for id in few if id != "e7"])
    monkeypatch.setattr(bindings, "decode_all", raising)
    found, (letter,) = task(SUBSCRIPTIONS, few)
    assert found == expected
    assert (letter["code"], '"e7"' in letter["input"]) == ("InternalError", True)


@TASKS
def test_what_cannot_be_put_out_is_told(task: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(reading: Any, at: Any, *, places: bool = True) -> Any:
        if any(event.id == "e7" for event in reading.events):
            raise OverflowError("heads")
        return heads(reading, at, places=places)

    expected, _ = task(SUBSCRIPTIONS, [id for id in IDS if id != "e7"])
    heads = reading.EventRowBatch.heads
    monkeypatch.setattr(reading.EventRowBatch, "heads", raising)
    found, (letter,) = task(SUBSCRIPTIONS, IDS)
    assert found == expected
    assert (letter["code"], json.loads(letter["input"])) == (
        "InternalError",
        {"source": "s", "id": "e7"},
    )


def test_more_matches_than_are_to_be_held_at_once_come_in_pieces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert match_task.MAX_MATCHES_HELD > 10
    expected = by_match(SUBSCRIPTIONS, IDS)
    calls: list[int] = []
    match = Engine.match
    monkeypatch.setattr(match_task, "MAX_MATCHES_HELD", 10)
    monkeypatch.setattr(
        Engine, "match", lambda engine, batch: calls.append(batch.size) or match(engine, batch)
    )
    assert by_match(SUBSCRIPTIONS, IDS) == expected
    assert max(calls[1:]) <= 20


def test_a_subscription_that_cannot_be_compiled_for_a_fault_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def raising(subscription: Subscription, light: Any) -> Any:
        if subscription.id == "even":
            raise IndexError("compile")
        return compile_subscription(subscription, light)

    compile_subscription = index.compile_subscription  # type: ignore[attr-defined]
    expected, _ = by_match(SUBSCRIPTIONS[1:], IDS)
    monkeypatch.setattr(index, "compile_subscription", raising)
    monkeypatch.setattr(worker, "WORKER_INDEXES", index.MatchIndexCache())
    found, (letter,) = by_match(SUBSCRIPTIONS, IDS)
    assert found == expected
    assert (letter["code"], letter["subscription"]) == ("InternalError", "even")
