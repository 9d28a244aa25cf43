"""`/v1/statistics`: what came and rang, for whom it concerns, also before the service was started."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from tests.service.core.asking import Asked, event
from tests.service.core.conftest import Start
from tests.waiting import PATIENCE, wait_until
from tocsin.service.console import tally
from tocsin.service.console.tally import MINUTES, MinuteCounts, TenantTallies
from tocsin.service.core.service import Service
from tocsin.service.settings.settings import load_settings

BATCH = {"content-type": "application/cloudevents-batch+json"}


def _told(asked: Asked, events: int, **headers: str) -> dict[str, Any]:
    """The figures once so many events are counted, and all that they brought about."""
    asked.settle()

    def ask() -> dict[str, Any] | None:
        asked.service.statistics.look()
        found: dict[str, Any] = asked.http.get("/v1/statistics", headers=headers).json()
        return found if found["now"]["events"] == events else None

    found: dict[str, Any] = wait_until(ask)
    return found


def test_events_matches_and_dead_letters_are_counted(start: Start) -> None:
    asked = start(idle="off")
    asked.subscribe("cheap", "price < 3")
    asked.subscribe("never", "price > 100")
    asked.publish(*(event(str(n), "2026-01-01T01:00:00Z", price=n) for n in range(5)))
    asked.settle()
    asked.publish(event("late", "2026-01-01T00:00:00Z", price=50))
    asked.http.post("/v1/events", json=[{"id": "broken"}], headers=BATCH)
    told = _told(asked, events=7)
    now = told["now"]
    assert (now["matches"], now["dead_letters"], now["late"]) == (3, 2, 1)
    assert (now["lag_seconds"], now["waiting"]) == (0.0, 0)
    assert now["watermark"] == "2026-01-01T00:59:58Z"
    assert len(told["minutes"]) == MINUTES
    assert sum(each["events"] for each in told["minutes"][-2:]) == 7
    assert sum(each["matches"] for each in told["minutes"][-2:]) == 3
    assert sum(each["dead_letters"] for each in told["minutes"][-2:]) == 2
    cheap, never = told["subscriptions"]["cheap"], told["subscriptions"]["never"]
    assert (cheap["matches"], sum(cheap["minutes"][-2:]), len(cheap["minutes"])) == (3, 3, MINUTES)
    assert (never["matches"], never["minutes"], never["trouble"]) == (0, [0] * MINUTES, None)
    assert told["spark"] is None


def test_a_rate_is_told_while_events_come(asked: Asked) -> None:
    asked.service.statistics.look()
    asked.publish(*(event(str(n)) for n in range(100)))
    asked.service.statistics.look()
    told = asked.http.get("/v1/statistics", params={"subscriptions": False}).json()
    assert told["now"]["events_per_second"] > 0
    assert told["subscriptions"] == {}


def test_what_was_before_the_start_is_counted_too(tmp_path: Path, start: Start) -> None:
    first = start()
    first.subscribe("cheap", "price < 3")
    first.publish(*(event(str(n), price=n) for n in range(5)))
    first.http.post("/v1/events", json=[{"id": "broken"}], headers=BATCH)
    before = _told(first, events=6)
    first.service.stop()
    again = Service(load_settings(data=tmp_path / "data", auth=False))
    again.statistics.look()
    told = again.statistics.summarize("")
    for name in ("events", "matches", "dead_letters"):
        assert told["now"][name] == before["now"][name]
        assert sum(each[name] for each in told["minutes"]) == sum(
            each[name] for each in before["minutes"]
        )
    assert again.statistics.matches_by_subscription("")["cheap"]["matches"] == 3
    again.stop()


def test_a_tenant_is_told_of_its_own(start: Start) -> None:
    asked = start(auth=True)
    keys = asked.service.keys
    acme, beta, publisher = (
        {"authorization": f"Bearer {key}"}
        for key in (
            keys.create(["subscribe"], "acme"),
            keys.create(["subscribe"], "beta"),
            keys.create(["publish"], "acme"),
        )
    )
    body = {"language": "selector", "expression": "price < 3"}
    asked.http.put("/v1/subscriptions/cheap", json=body, headers=acme)
    batch = [event("1", price=1), {"id": "broken"}]
    asked.http.post("/v1/events", json=batch, headers=BATCH | publisher)
    told = _told(asked, events=2, **acme)
    assert (told["now"]["matches"], told["now"]["dead_letters"]) == (1, 1)
    assert told["subscriptions"]["cheap"]["matches"] == 1
    other = asked.http.get("/v1/statistics", headers=beta).json()
    assert (other["now"]["matches"], other["now"]["dead_letters"]) == (0, 0)
    assert (other["now"]["events"], other["subscriptions"]) == (2, {})


def test_where_another_process_matches_nothing_is_said_of_the_lag(start: Start) -> None:
    asked = start(engine="none")
    asked.publish(event("1"))
    time.sleep(0.01)
    asked.service.statistics.look()
    now = asked.http.get("/v1/statistics").json()["now"]
    assert (now["events"], now["lag_seconds"]) == (1, 0.0)


def test_how_long_the_oldest_waits_is_told(start: Start) -> None:
    asked = start()
    held = threading.Event()
    asked.service.runner.inspect(lambda _: held.wait(PATIENCE))
    asked.publish(event("1"))
    time.sleep(0.05)
    asked.service.statistics.look()
    now = asked.http.get("/v1/statistics", params={"subscriptions": False}).json()["now"]
    held.set()
    assert 0.05 <= now["lag_seconds"] < PATIENCE
    assert _told(asked, events=1)["now"]["lag_seconds"] == 0.0


def test_more_matches_than_memory_holds_are_counted_from_the_database(asked: Asked) -> None:
    asked.subscribe("cheap", "price < 3")
    asked.publish(*(event(str(n), price=1) for n in range(50)))
    asked.settle()
    wait_until(lambda: asked.service.feed.head == 50)
    asked.service.feed._recent.clear()
    assert _told(asked, events=50)["now"]["matches"] == 50


def test_minutes_pass_and_the_oldest_are_forgotten() -> None:
    counts = MinuteCounts()
    counts.add(1000, 3)
    counts.add(1000, 1)
    counts.add(1002, 5)
    assert counts.last(1002)[-3:] == [4, 0, 5]
    assert counts.last(1003)[-4:] == [4, 0, 5, 0]
    assert counts.last(1001)[-2:] == [4, 0]
    for minute in range(990, 1100):
        wanted = [counts.at(each) for each in range(minute - MINUTES + 1, minute + 1)]
        assert counts.last(minute) == wanted, minute
    counts.add(1000 + MINUTES, 7)
    assert counts.at(1000) == 0
    assert (sum(counts.last(1000 + MINUTES)), counts.at(1002)) == (12, 5)
    counts.add(1000, 99)
    assert sum(counts.last(1000 + MINUTES)) == 12
    counts.add(1000 + 3 * MINUTES, 1)
    assert sum(counts.last(1000 + 3 * MINUTES)) == 1
    assert sum(counts.last(1000 + 9 * MINUTES)) == 0


def test_room_is_bounded_and_given_back(monkeypatch: Any) -> None:
    monkeypatch.setattr(tally, "MAX_SUBSCRIPTIONS", 2)
    tallies = TenantTallies()
    for name in ("a", "b", "c"):
        tallies.add_matches("t", name, 100, 1)
    own = tallies.of("t")
    assert (own.matches.total, sorted(own.subscriptions)) == (3, ["a", "b"])
    tallies.forget_old(100 + MINUTES)
    assert own.subscriptions["a"].minutes is None
    assert (own.subscriptions["a"].total, own.subscriptions["a"].last(200)) == (1, [0] * MINUTES)


def test_why_a_subscription_is_not_served_is_told(asked: Asked) -> None:
    region = {"region": "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))"}
    asked.http.put("/v1/definitions/Depot", json=region)
    asked.subscribe("inside", '@(Depot) STRING: kind = "truck"', "opsl")
    asked.http.delete("/v1/definitions/Depot", params={"force": True})

    def trouble() -> str | None:
        told = asked.http.get("/v1/statistics").json()["subscriptions"]["inside"]
        found: str | None = told["trouble"]
        return found

    assert "Depot" in str(wait_until(trouble))
