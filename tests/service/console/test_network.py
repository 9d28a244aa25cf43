"""The shared network and what waits in it, as a tenant sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.service.core.asking import Asked, event
from tests.service.core.conftest import Start
from tests.waiting import PATIENCE
from tocsin.errors import Problem
from tocsin.service.runner.inspection import Inspections
from tocsin.service.runner.spark.runner import SparkRunner
from tocsin.service.settings.settings import load_settings

A_THEN_B = '=|(STRING: kind = "a"; 6s) STRING: kind = "b"'
A_THEN_C = '=|(STRING: kind = "a"; 6s) STRING: kind = "c"'


def _nodes(asked: Asked, **headers: str) -> dict[str, dict[str, Any]]:
    answer = asked.http.get("/v1/plan", headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.json()["left_out"] == 0
    return {each["id"]: each for each in answer.json()["nodes"]}


def _node(nodes: dict[str, dict[str, Any]], kind: str, word: str) -> dict[str, Any]:
    (found,) = (each for each in nodes.values() if each["kind"] == kind and word in each["label"])
    return found


def test_parts_are_shared_and_what_waits_is_counted(start: Start) -> None:
    asked = start(idle="off", lateness="0s")
    asked.subscribe("ab", A_THEN_B, "opsl")
    asked.subscribe("ac", A_THEN_C, "opsl")
    asked.publish(
        event("1", "2026-01-01T00:00:00Z", kind="a"), event("2", "2026-01-01T00:00:01Z", kind="a")
    )
    asked.publish(event("3", "2026-01-01T00:00:02Z", kind="x"))
    asked.settle()
    nodes = _nodes(asked)
    shared = _node(nodes, "condition", "'a'")
    assert (shared["subscriptions"], shared["inputs"], shared["served"]) == (["ab", "ac"], [], 2)
    own = _node(nodes, "condition", "'b'")
    assert (own["subscriptions"], own["served"]) == (["ab"], 0)
    joins = {tuple(each["subscriptions"]): each for each in nodes.values() if each["inputs"]}
    join = joins["ab",]
    assert (join["waiting"], join["served"], set(join["inputs"])) == (
        2,
        2,
        {shared["id"], own["id"]},
    )
    assert join["conditions"]
    told = asked.http.get("/v1/statistics").json()["subscriptions"]
    assert (told["ab"]["waiting"], told["ac"]["waiting"]) == (2, 2)


def test_an_atomic_subscription_is_shown_at_its_condition(asked: Asked) -> None:
    asked.subscribe("one", "price < 400")
    asked.subscribe("two", "price < 400")
    asked.subscribe("other", "price > 900")
    nodes = _nodes(asked)
    assert _node(nodes, "condition", "< 400")["subscriptions"] == ["one", "two"]
    assert _node(nodes, "condition", "> 900")["subscriptions"] == ["other"]
    assert len(nodes) == 2


def test_a_tenant_sees_its_own_parts_only(start: Start) -> None:
    asked = start(auth=True)
    acme, beta = (
        {"authorization": f"Bearer {asked.service.keys.create(['subscribe'], tenant)}"}
        for tenant in ("acme", "beta")
    )
    for headers, text in ((acme, A_THEN_B), (beta, A_THEN_C)):
        body = {"language": "opsl", "expression": text}
        assert asked.http.put("/v1/subscriptions/s", json=body, headers=headers).status_code == 201
    nodes = _nodes(asked, **acme)
    assert {tuple(each["subscriptions"]) for each in nodes.values()} == {("s",)}
    assert not any("'c'" in each["label"] for each in nodes.values())
    answer = asked.http.get("/v1/subscriptions/t/waiting", headers=acme)
    assert (answer.status_code, answer.json()["code"]) == (404, "UnknownSubscriptionError")


def test_what_waits_is_told_with_its_events_and_its_end(start: Start) -> None:
    asked = start(idle="off", lateness="0s")
    asked.subscribe("ab", A_THEN_B, "opsl")
    asked.publish(event("1", "2026-01-01T00:00:00Z", kind="a"))
    asked.publish(event("2", "2026-01-01T00:00:02Z", kind="x"))
    asked.settle()
    told = asked.http.get("/v1/subscriptions/ab/waiting").json()
    (waiting,) = told["waiting"]
    assert waiting["until"] == "2026-01-01T00:00:06Z"
    assert waiting["since"] == "2026-01-01T00:00:00Z"
    assert [(each["source"], each["id"]) for each in waiting["members"]] == [("shop", "1")]
    assert waiting["what"].startswith("event 1: is `")
    assert told["left_out"] == 0


def test_what_waits_for_the_watermark_is_told_too(start: Start) -> None:
    asked = start(idle="off", lateness="1h")
    asked.subscribe("ab", A_THEN_B, "opsl")
    asked.publish(event("1", "2026-01-01T00:00:00Z", kind="a"), event("2", "2026-01-01T00:00:00Z"))
    asked.settle()
    (waiting,) = asked.http.get("/v1/subscriptions/ab/waiting").json()["waiting"]
    assert waiting["what"] == "event 1: in the reorder buffer until the watermark passes it"
    assert waiting["until"] is None


def test_an_atomic_subscription_has_nothing_that_waits(asked: Asked) -> None:
    asked.subscribe("one", "price < 400")
    assert asked.http.get("/v1/subscriptions/one/waiting").json() == {"waiting": [], "left_out": 0}


def test_where_another_process_matches_it_cannot_be_told(start: Start) -> None:
    asked = start(engine="none")
    asked.subscribe("one", "price < 400")
    for path in ("/v1/plan", "/v1/subscriptions/one/waiting"):
        answer = asked.http.get(path)
        assert (answer.status_code, answer.json()["code"]) == (501, "NotHere")
        assert answer.json()["hint"]
    assert asked.http.get("/v1/statistics").json()["subscriptions"]["one"]["waiting"] == 0


def test_what_spark_keeps_cannot_be_told_here_but_how_it_is(tmp_path: Path) -> None:
    runner = SparkRunner(load_settings(data=tmp_path, engine="spark"))
    with pytest.raises(Problem) as caught:
        runner.inspect(lambda hub: hub.view(()))
    assert caught.value.code == "NotHere"
    assert runner.engine_health() == {}


def test_who_asks_when_the_service_has_stopped_is_told_so(start: Start) -> None:
    asked = start()
    asked.service.stop()
    with pytest.raises(Problem) as caught:
        asked.service.runner.inspect(lambda hub: hub.version)
    assert caught.value.code == "Stopping"


def test_who_waits_when_it_stops_is_told_so() -> None:
    looks = Inspections()
    waiting = looks.ask(lambda hub: hub.version)
    looks.refuse()
    with pytest.raises(Problem) as caught:
        waiting.result(0)
    assert caught.value.code == "Stopping"


def test_a_look_that_fails_harms_nobody(asked: Asked) -> None:
    with pytest.raises(ZeroDivisionError):
        asked.service.runner.inspect(lambda hub: hub.version // 0).result(PATIENCE)
    asked.subscribe("one", "price < 400")
    asked.publish(event("1", price=1))
    assert [match["events"] for match in asked.matches()] == [["1"]]
