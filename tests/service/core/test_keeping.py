"""Metrics, retention, several gateways: what operators look at."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.service.core.asking import Asked, event
from tests.waiting import wait_until
from tocsin.hub.step_hub import StepHub
from tocsin.runtime.admission import wall_clock
from tocsin.service.core import retention as retention_module
from tocsin.service.core.retention import RetentionJob
from tocsin.service.settings.settings import Retention

DAY = 24 * 3600 * 1_000_000
BATCH = {"content-type": "application/cloudevents-batch+json"}


def _metrics(asked: Asked) -> dict[tuple[str, tuple[str, ...]], float]:
    text = asked.http.get("/metrics").text
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_metrics_count_what_has_happened(asked: Asked) -> None:
    asked.subscribe("cheap", "price < 400")
    asked.publish(
        event("1", "2026-01-01T01:00:00Z", price=1), event("2", "2026-01-01T01:00:00Z", price=1)
    )
    asked.publish(
        event("2", "2026-01-01T01:00:00Z", price=1), event("3", "2026-01-01T00:00:00Z", price=900)
    )
    asked.http.post("/v1/events", json=[{}], headers=BATCH)
    asked.settle()
    told = wait_until(lambda: _after(asked, 3))
    assert told["tocsin_matches_total", ()] == 2
    assert told["tocsin_late_events_total", ()] == 1
    assert told["tocsin_duplicates_total", ()] == 1
    assert told["tocsin_dead_letters_total", ("LateEvent",)] == 1
    assert told["tocsin_dead_letters_total", ("InvalidEventError",)] == 1
    assert told["tocsin_subscription_matches_total", ("cheap", "")] == 2
    assert told["tocsin_lag_events", ()] == 0
    assert told["tocsin_log_position", ()] == 5
    assert told["tocsin_ready", ()] == 1
    assert told["tocsin_batch_seconds_count", ()] >= 1
    assert told["tocsin_database_bytes", ()] > 0


def _after(asked: Asked, events: int) -> dict[tuple[str, tuple[str, ...]], float] | None:
    told = _metrics(asked)
    return (
        told
        if told["tocsin_events_total", ()] == events and told["tocsin_lag_events", ()] == 0
        else None
    )


def test_how_it_stands_is_told_without_touching_what_the_runner_works_on(
    start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks is another thread, and the runner may be changing what would be counted."""
    askers: set[str] = set()

    def count(_: StepHub) -> int:
        askers.add(threading.current_thread().name)
        return 7

    monkeypatch.setattr(StepHub, "pending_count", property(count))
    asked = start()
    asked.subscribe("pair", '=|(STRING: kind = "a"; 6s) STRING: kind = "b"', "opsl")
    wait_until(lambda: asked.http.get("/readyz").status_code == 200)
    wait_until(lambda: _metrics(asked)["tocsin_state_waiting", ()] == 7)
    assert askers == {"tocsin-runner"}


def test_metrics_of_subscriptions_are_for_an_admin(start: Any) -> None:
    asked = start(auth=True)
    asked.service.counters.by_subscription["acme::secret"] += 1
    assert "secret" not in asked.http.get("/metrics").text
    key = asked.service.keys.create(["admin"])
    text = asked.http.get("/metrics", headers={"Authorization": f"Bearer {key}"}).text
    assert 'subscription="secret",tenant="acme"' in text


def test_old_events_go_but_none_that_a_runner_needs(start: Any) -> None:
    asked = start()
    asked.subscribe("cheap", "price < 400")
    asked.publish(*(event(str(number), price=1) for number in range(10)))
    asked.settle()
    assert _later(asked).remove_old() == 0
    asked.service.runner.stop()
    assert _later(asked).remove_old() == 0, "without its only snapshot a runner begins anew"
    asked.service.stop()
    again = start()
    again.publish(event("10", price=1))
    again.settle()
    again.service.runner.stop()
    assert _later(again).remove_old() == 10, "the older of two snapshots was taken there"
    assert [row.position for row in again.service.log.read_stored(0, 100)] == [11]
    assert len(again.matches()) == 11


def _later(asked: Asked) -> RetentionJob:
    """The keeper as it works in a week."""
    service = asked.service
    return RetentionJob(
        service.log_database, service.database, Retention(), lambda: wall_clock() + 8 * DAY
    )


def test_matches_and_letters_go_when_they_are_old(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention_module, "CHUNK", 3)
    asked.subscribe("cheap", "price < 400")
    asked.publish(*(event(str(number), price=1) for number in range(10)))
    asked.http.post("/v1/events", json=[{}], headers=BATCH)
    asked.settle()
    service = asked.service
    kept = Retention(events="", matches="1h", dead_letters="2d")
    RetentionJob(
        service.log_database, service.database, kept, lambda: wall_clock() + DAY
    ).remove_old()
    assert asked.matches() == []
    assert len(asked.letters()) == 1
    asked.publish(event("new", price=1))
    assert asked.http.get("/v1/matches").json()["next"] == 0 or asked.matches()
    assert [m["events"] for m in asked.matches()] == [["new"]]
    assert asked.http.get("/v1/matches").json()["next"] == 11


def test_a_log_that_is_too_large_loses_its_oldest(start: Any) -> None:
    asked = start()
    asked.publish(*(event(str(number), text="x" * 1000) for number in range(19)))
    asked.settle()
    asked.service.stop()
    asked = start()
    asked.publish(event("19", text="x" * 1000))
    asked.settle()
    asked.service.runner.stop()
    service = asked.service
    RetentionJob(
        service.log_database, service.database, Retention(events="", log_bytes=10_000)
    ).remove_old()
    left = service.log.read_stored(0, 100)
    assert 5 <= len(left) <= 10
    assert left[-1].position == 20


def test_a_restart_after_retention_goes_on(start: Any) -> None:
    asked = start()
    asked.subscribe("cheap", "price < 400")
    asked.publish(*(event(str(number), price=1) for number in range(5)))
    asked.settle()
    asked.service.stop()
    asked = start()
    asked.publish(event("old", price=500))
    asked.settle()
    asked.service.runner.stop()
    assert _later(asked).remove_old() == 5
    asked.service.stop()
    again = start()
    again.publish(event("4", price=1), event("5", price=1))
    assert [m["events"] for m in again.matches(after=4)] == [["4"], ["5"]]
    assert len(again.matches()) == 6
