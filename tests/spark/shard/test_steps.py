"""One scenario each, on the fake host: late events, idle streams, duplicates, and subscriptions
that come and go.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.spark.shard.fake import FakeHost
from tests.spark.shard.scenes import NAMES, line
from tocsin.catalog import Catalog, Definition, Subscription, create_catalog
from tocsin.errors import StateProblem
from tocsin.runtime.watermark import ClockSettings
from tocsin.spark.input.layout import JsonRows
from tocsin.spark.match_task.match_task import ByMatch, MatchTaskConfig
from tocsin.spark.output.batches import matches_in
from tocsin.spark.output.letters import letters_in
from tocsin.spark.plans.sources import VERSION, FixedList, LiveCatalog, Source
from tocsin.spark.shard import state_store

SECOND = 1_000_000
THEN = Subscription("then", "opsl", "=|(A; 5s)B")
SILENCE = Subscription("silence", "opsl", "!(A; 4s)B")


def host_of(
    *entries: Subscription | Definition, idle: int | None = None, shards: int = 2
) -> FakeHost:
    return FakeHost(FixedList.of([*NAMES, *entries]), shards, ClockSettings(2 * SECOND, idle))


def rung(host: FakeHost) -> list[tuple[str, tuple[str, ...]]]:
    return [(match.subscription, match.events) for match in host.matches]


def test_an_event_waits_until_the_watermark_has_passed_it() -> None:
    host = host_of(THEN)
    host.batch([line("b1", "b", 3), line("z1", "z", 4)])
    host.batch([line("a1", "a", 2.5)])
    assert rung(host) == []
    host.batch([line("z2", "z", 5.5)])
    assert rung(host) == [("then", ("a1", "b1"))]


def test_an_event_behind_the_watermark_is_a_dead_letter_told_once() -> None:
    subscriptions = [replace(THEN, id=f"then{number}") for number in range(8)]
    host = host_of(*subscriptions, shards=3)
    host.batch([line("z1", "z", 10)])
    host.batch([line("a1", "a", 7.999), line("a2", "a", 8)])
    host.batch([line("b1", "b", 9), line("z2", "z", 20)])
    assert [(letter.code, letter.reason, letter.input) for letter in host.letters] == [
        ("LateEvent", "late", '{"source": "s", "id": "a1"}')
    ]
    assert sorted(rung(host)) == sorted((each.id, ("a2", "b1")) for each in subscriptions)


def test_a_late_event_rings_atomic_subscriptions_all_the_same() -> None:
    host = host_of(THEN, Subscription("atom", "selector", "kind = 'a'"))
    host.batch([line("z1", "z", 10)])
    host.batch([line("a1", "a", 1)])
    assert rung(host) == [("atom", ("a1",))]
    assert [letter.reason for letter in host.letters] == ["late"]


def test_the_same_event_again_counts_once() -> None:
    host = host_of(Subscription("pair", "opsl", "|(A)B", horizon="1h"))
    host.batch([line("a1", "a", 1), line("b1", "b", 1)], [line("a1", "a", 1)])
    host.batch([line("a1", "a", 1)])
    host.batch([line("z", "z", 30)])
    assert rung(host) == [("pair", ("a1", "b1"))]


@pytest.mark.parametrize("lost", [False, True])
def test_the_clock_of_an_idle_stream_runs_on(lost: bool) -> None:
    host = host_of(SILENCE, idle=10 * SECOND)
    host.wait_until(100_000)
    host.batch([line("a1", "a", 0)])
    if lost:
        host.lose_workers()
    host.wait_until(109_999)
    assert rung(host) == []
    host.wait_until(110_001)
    assert rung(host) == [("silence", ("a1",))], (
        "ten seconds after the event its four and the lateness are over"
    )
    host.batch([line("b1", "b", 3)])
    assert [letter.reason for letter in host.letters] == ["late"]


def test_without_an_idle_time_only_events_move_the_clock() -> None:
    host = host_of(SILENCE)
    host.batch([line("a1", "a", 0)])
    host.batch([line("z1", "z", 6)])
    assert rung(host) == [], "at the watermark of 4 s an event at the deadline may still come"
    host.batch([line("z2", "z", 6.000001)])
    assert rung(host) == [("silence", ("a1",))]


@pytest.mark.parametrize("lost", [False, True])
def test_a_window_that_was_over_when_time_began_is_a_dead_letter(lost: bool) -> None:
    over = [
        Subscription("absent", "opsl", "!(2026-01-01T00:00:01Z;1s)B"),
        Subscription("happens", "opsl", "=|(2026-01-01T00:00:01Z;1s)B"),
    ]
    host = host_of(*over, Subscription("later", "opsl", "!(2026-01-01T00:00:02Z;9s)B"), shards=3)
    host.batch([line("a1", "a", 2.5)])
    assert host.letters == [], "time has not begun: an event may still come before this one"
    host.batch([line("z1", "z", 30)])
    assert sorted((letter.code, letter.input) for letter in host.letters) == [
        ("WindowInPast", "absent"),
        ("WindowInPast", "happens"),
    ]
    if lost:
        host.lose_workers()
    host.batch([line("z2", "z", 60)])
    assert rung(host) == [("later", ())]
    assert len(host.letters) == 2


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    catalog = create_catalog(str(tmp_path / "catalog.db"))
    catalog.add(*NAMES, THEN)
    return catalog


def test_a_window_that_is_over_by_the_watermark_is_refused_with_its_place(catalog: Catalog) -> None:
    host = LiveHost(catalog)
    host.batch([line("a1", "a", 10)])
    host.batch([line("z1", "z", 20)])
    over, still_open = (f"!(2026-01-01T00:00:01Z;{seconds}s)B" for seconds in (17, 18))
    catalog.add(Subscription("over", "opsl", over), Subscription("open", "opsl", still_open))
    host.batch([line("z2", "z", 21)])
    assert [(letter.code, letter.input) for letter in host.letters] == [("WindowInPast", over)]
    host.batch([line("z3", "z", 40)])
    assert rung(host) == [("open", ())]


class LiveHost(FakeHost):
    """A fake host over a catalog: rows carry the version, as the join with the table of versions
    gives it to them.
    """

    def __init__(self, catalog: Catalog) -> None:
        super().__init__(LiveCatalog(catalog.url), 1, ClockSettings(2 * SECOND))
        self.catalog = catalog

    def version(self) -> int:
        return self.catalog.version()


@pytest.mark.parametrize("log_bytes", [0, 1 << 20], ids=["snapshots", "steps"])
@pytest.mark.parametrize("lost", [False, True], ids=["remembered", "lost"])
def test_subscriptions_that_stay_keep_their_state(
    catalog: Catalog, lost: bool, log_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_store, "LOG_BYTES", log_bytes)
    monkeypatch.setattr(state_store, "LOG_FACTOR", 0)
    host = LiveHost(catalog)
    host.batch([line("a1", "a", 1), line("z1", "z", 3.5)])
    catalog.add(
        SILENCE,
        replace(THEN, id="newcomer"),
        Definition("UNUSED", language="selector", expression="v = 1"),
    )
    if lost:
        host.lose_workers()
    host.batch([line("b1", "b", 4), line("a2", "a", 5), line("z2", "z", 8)])
    assert rung(host) == [("then", ("a1", "b1"))], "the newcomer has not seen a1"
    if lost:
        host.lose_workers()
    host.batch([line("z3", "z", 8.1)])
    catalog.remove("then")
    if lost:
        host.lose_workers()
    host.batch([line("b2", "b", 8.5), line("z4", "z", 30)])
    assert rung(host)[1:] == [("newcomer", ("a2", "b2"))], (
        "b2 came in time, so there was no silence"
    )


def test_a_list_that_changes_between_two_runs_keeps_what_stays() -> None:
    first, second = FixedList.of([*NAMES, THEN, SILENCE]), FixedList.of([*NAMES, THEN])
    host = FakeHost(first, 2, ClockSettings(2 * SECOND))
    host.batch([line("a1", "a", 1), line("z1", "z", 3.5)])
    restarted(host, second)
    host.batch([line("b1", "b", 5.5), line("z2", "z", 30)])
    assert rung(host) == [("then", ("a1", "b1"))], "silence was removed before its time came"


def test_another_number_of_shards_is_refused() -> None:
    host = host_of(THEN)
    host.batch([line("a1", "a", 1)])
    _serve_with(host, shards=1)
    host.shards = 1
    with pytest.raises(StateProblem, match="2 shards"):
        host.batch([line("b1", "b", 2)])


def restarted(host: FakeHost, source: Source) -> None:
    """The same store, a new program with other subscriptions."""
    host.lose_workers()
    host.source = source
    _serve_with(host, source=source)


@pytest.mark.parametrize(
    "log_bytes",
    [
        pytest.param(0, id="snapshots"),
        pytest.param(1 << 20, id="steps"),
    ],
)
def test_a_newcomer_does_not_see_what_was_before_it_though_workers_are_lost(
    catalog: Catalog, log_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_store, "LOG_BYTES", log_bytes)
    monkeypatch.setattr(state_store, "LOG_FACTOR", 0)
    host = LiveHost(catalog)
    host.batch([line("a1", "a", 1), line("z1", "z", 3.5)])
    catalog.add(replace(THEN, id="newcomer"))
    host.batch([line("z2", "z", 3.6)])
    host.lose_workers()
    host.batch([line("b1", "b", 4), line("z3", "z", 8)])
    assert rung(host) == [("then", ("a1", "b1"))]


def test_a_query_without_detection_tells_of_a_composite_that_comes_later(catalog: Catalog) -> None:
    """Its atoms ring for nobody, and the other subscriptions go on."""
    catalog.add(Subscription("atom", "selector", "kind = 'a'"))
    values = {"value": [line("a1", "a", 1).encode()], VERSION: [catalog.version()]}
    rows = pa.RecordBatch.from_pydict(values)
    table = pa.Table.from_batches(
        ByMatch(MatchTaskConfig(JsonRows(), LiveCatalog(catalog.url)))(iter([rows]))
    )
    assert [each.subscription for each in matches_in(table)] == ["atom"]
    assert ["composites=True" in letter.reason for letter in letters_in(table)] == [True]


def _serve_with(host: FakeHost, **settings: Any) -> None:
    """Have the detector continue with other settings, as after a restart."""
    processor: Any = host.tester.processor
    processor._detector = replace(processor._detector, **settings)
