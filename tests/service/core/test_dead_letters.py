"""Dead letters tried again: an event after it was mended, a subscription after its definition was."""

from __future__ import annotations

from typing import Any

from tests.service.core.asking import Asked, event
from tests.waiting import wait_until
from tocsin.service.storage.results import NewLetter

BATCH = {"content-type": "application/cloudevents-batch+json"}


def test_a_refused_event_is_published_after_it_was_mended(asked: Asked) -> None:
    asked.subscribe("cheap", "price < 400")
    asked.http.post("/v1/events", json=[{"id": "1", "data": {"price": 1}}], headers=BATCH)
    (letter,) = asked.letters()
    still = asked.http.post(f"/v1/dead-letters/{letter['id']}/replay")
    assert (still.status_code, still.json()["code"]) == (400, "InvalidEventError")
    answer = asked.http.post(f"/v1/dead-letters/{letter['id']}/replay", json=event("1", price=1))
    assert (answer.status_code, answer.json()["replayed"]) == (202, letter["id"])
    assert [m["events"] for m in asked.matches()] == [["1"]]
    assert asked.letters()[0]["replayed"] is not None


def test_an_event_that_was_served_before_is_served_again(asked: Asked) -> None:
    """A late event rang nothing; when a subscription wants it, it is not taken for a repeat."""
    asked.publish(event("1", "2026-01-01T01:00:00Z", kind="x"))
    asked.publish(event("2", "2026-01-01T00:00:00Z", kind="late"))
    asked.subscribe("any", "kind = 'late'")
    (letter,) = asked.letters(code="LateEvent")
    assert asked.matches() == []
    assert asked.http.post(f"/v1/dead-letters/{letter['id']}/replay").status_code == 202
    assert [m["events"] for m in asked.matches()] == [["2"]]
    asked.http.post(f"/v1/dead-letters/{letter['id']}/replay")
    assert [m["events"] for m in asked.matches()] == [["2"]]


def test_a_suspended_subscription_is_served_again(start: Any) -> None:
    asked = start(limits={"waiting": 3}, lateness="0s")
    asked.subscribe("pair", '=|(STRING: kind = "a"; 1h) STRING: kind = "b"', "opsl")
    asked.publish(*(event(str(n), f"2026-01-01T00:00:{n:02}Z", kind="a") for n in range(10)))
    asked.publish(event("x", "2026-01-01T00:00:20Z", kind="x"))
    letter = wait_until(lambda: asked.letters(subscription="pair"))[0]
    assert letter["code"] == "QueueLimitExceeded"
    assert asked.http.get("/v1/subscriptions/pair").json()["state"] == "suspended"
    assert asked.http.post(f"/v1/dead-letters/{letter['id']}/replay").status_code == 202
    wait_until(lambda: asked.http.get("/v1/subscriptions/pair").json()["state"] == "live")
    asked.publish(
        event("a1", "2026-01-01T00:00:30Z", kind="a"),
        event("b1", "2026-01-01T00:00:31Z", kind="b"),
        event("c1", "2026-01-01T00:01:00Z", kind="c"),
    )
    assert [m["events"] for m in asked.matches()] == [["a1", "b1"]]


def test_others_may_know_what_to_do_with_a_letter(asked: Asked) -> None:
    asked.service.letters.add([NewLetter("", None, "DeliveryError", "down", "{}")])
    (letter,) = asked.letters()
    nothing = asked.http.post(f"/v1/dead-letters/{letter['id']}/replay")
    assert (nothing.status_code, nothing.json()["code"]) == (409, "ReplayError")
    done: list[str] = []
    asked.service.replays.others.append(lambda row: not done.append(row.code))
    assert asked.http.post(f"/v1/dead-letters/{letter['id']}/replay").status_code == 202
    assert done == ["DeliveryError"]


def test_what_is_not_there_is_told(asked: Asked) -> None:
    assert asked.http.post("/v1/dead-letters/7/replay").status_code == 404
    assert asked.http.post("/v1/dead-letters/x/replay").status_code == 400
