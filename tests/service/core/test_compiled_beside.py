"""A definition that takes long to compile is compiled beside what stands: readers do not wait, and
changes come one after the other.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.service.core.asking import Asked, event
from tests.waiting import PATIENCE
from tocsin.catalog import Definition, Surroundings

IN_DEPOT = {"language": "opsl", "expression": "@(Depot)(ARITH: price >= 0)"}


def _depot(edge: int) -> dict[str, str]:
    return {"region": f"POLYGON((0 0,0 10,{edge} 10,{edge} 0,0 0))"}


def test_readers_do_not_wait_and_changes_are_ordered(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked.http.put("/v1/definitions/Depot", json=_depot(10)).status_code == 201
    asked.subscribe("there", IN_DEPOT["expression"], "opsl")
    compiling, go_on = threading.Event(), threading.Event()
    usual = Surroundings.of

    def slow(definitions: list[Definition]) -> Surroundings:
        given = list(definitions)
        if any("20" in (each.region or "") for each in given) and not go_on.is_set():
            compiling.set()
            assert go_on.wait(PATIENCE)
        return usual(given)

    monkeypatch.setattr(Surroundings, "of", staticmethod(slow))
    with ThreadPoolExecutor(2) as threads:
        try:
            first = threads.submit(asked.http.put, "/v1/definitions/Depot", json=_depot(20))
            assert compiling.wait(PATIENCE)
            second = threads.submit(asked.http.put, "/v1/definitions/Gate", json=_depot(5))
            listed = asked.http.get("/v1/subscriptions").json()["subscriptions"]
            assert [each["id"] for each in listed] == ["there"]
            assert asked.http.get("/v1/subscriptions/there").status_code == 200
            (known,) = asked.http.get("/v1/definitions").json()["definitions"]
            assert known["region"] == _depot(10)["region"]
            assert asked.http.post("/v1/check", json=IN_DEPOT).status_code == 200
            asked.publish(event("1", price=1) | {"place": "POINT(15 5)"})
            assert asked.matches() == [], "what stands is served"
            assert not first.done()
            assert not second.done(), "the second change waits for the first"
        finally:
            go_on.set()
        assert first.result(PATIENCE).status_code == 200
        assert second.result(PATIENCE).status_code == 201
    assert asked.http.get("/v1/definitions/Gate").json()["version"] == 4
    asked.publish(event("2", price=1) | {"place": "POINT(15 5)"})
    assert [each["events"] for each in asked.matches()] == [["2"]]
