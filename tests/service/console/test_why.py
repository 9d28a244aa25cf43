"""Why a match rang: its members by name, its windows, regions, plan and lineage."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.core.asking import Asked, event
from tests.service.core.conftest import Start
from tests.waiting import wait_until

DAY = "2026-01-01T"
DEPOT = "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))"
CORNERS = [[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]]


@pytest.fixture
def quiet(start: Start) -> Asked:
    """A service in which only events move time, at once."""
    return start(idle="off", lateness="0s")


def _typed(id: str, type: str, time: str, place: str | None = None, **data: Any) -> dict[str, Any]:
    body = event(id, f"{DAY}{time}Z", **data) | {"type": type}
    return body | ({"place": place} if place else {})


def _why(asked: Asked, id: str) -> dict[str, Any]:
    (match,) = asked.matches(subscription=id)
    answer = asked.http.get(f"/v1/matches/{match['id']}/why")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def test_members_are_told_by_name_with_time_and_place(quiet: Asked) -> None:
    quiet.subscribe("pair", "WHEN first: order THEN second: payment WITHIN 1h", "rule")
    quiet.publish(
        _typed("1", "order", "08:00:00", "POINT(1 2)"),
        _typed("2", "payment", "08:10:00"),
        _typed("3", "other", "12:00:00"),
    )
    told = _why(quiet, "pair")
    first, second = told["members"]
    assert (first["name"], second["name"]) == ("first", "second")
    assert (first["position"], first["event"]["id"]) == (1, "1")
    assert first["place"] == {"type": "Point", "coordinates": [1.0, 2.0]}
    assert (second["start"], second["end"]) == (f"{DAY}08:10:00Z", f"{DAY}08:10:00Z")
    assert second["place"] is None
    assert told["bindings"] == {"first": "1", "second": "2"}
    assert told["lineage"] == [["1"], ["2"]]


def test_the_plan_is_a_tree_with_what_was_satisfied(quiet: Asked) -> None:
    quiet.subscribe("either", "WHEN order(price > 100 AND kind = 'a') OR refund", "rule")
    quiet.publish(_typed("1", "order", "08:00:00", price=200, kind="a"))
    quiet.publish(_typed("2", "other", "09:00:00"))
    plan = _why(quiet, "either")["plan"]
    assert (plan["kind"], plan["satisfied"]) == ("either", True)
    order, refund = plan["children"]
    assert (order["satisfied"], refund["satisfied"]) == (True, False)
    assert "price > 100" in str(order["children"])
    assert {each["satisfied"] for each in order["children"]} == {True}


def test_an_absence_is_a_window_in_which_nothing_came(quiet: Asked) -> None:
    quiet.subscribe("missing", "WHEN left THEN NO arrived WITHIN 2h", "rule")
    quiet.publish(_typed("1", "left", "08:00:00"), _typed("2", "other", "12:00:00"))
    quiet.settle()
    told = wait_until(lambda: quiet.matches() and _why(quiet, "missing"))
    (silence,) = (each for each in told["windows"] if each["absent"])
    assert (silence["from"], silence["to"]) == (f"{DAY}08:00:00Z", f"{DAY}10:00:00Z")
    assert silence["label"].startswith("no ")
    assert "arrived" in silence["label"]
    absent, after = told["plan"]["children"]
    assert (told["plan"]["satisfied"], absent["satisfied"], after["satisfied"]) == (
        True,
        False,
        True,
    )
    assert absent["label"].startswith("absent: ")


def test_a_window_of_the_plan_is_told(quiet: Asked) -> None:
    quiet.subscribe("many", "WHEN COUNT(login) >= 2 OVER 5m", "rule")
    quiet.publish(*(_typed(str(n), "login", f"08:00:0{n}") for n in range(1, 3)))
    quiet.publish(_typed("3", "other", "12:00:00"))
    windows = _why(quiet, "many")["windows"]
    assert {"from": f"{DAY}07:55:02Z", "to": f"{DAY}08:00:02Z"}.items() <= windows[1].items()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("WHEN position ENTERS Depot FOR EACH truck", "rule"),
        ('@(Depot) STRING: truck = "t1"', "opsl"),
    ],
)
def test_regions_are_told_with_their_names(quiet: Asked, text: str, language: str) -> None:
    quiet.http.put("/v1/definitions/Depot", json={"region": DEPOT})
    quiet.subscribe("inside", text, language)
    quiet.publish(_typed("1", "position", "08:00:00", "POINT(5 5)", truck="t1"))
    quiet.publish(_typed("2", "other", "12:00:00"))
    (region,) = _why(quiet, "inside")["regions"]
    assert (region["name"], region["relation"]) == ("Depot", "inside")
    assert region["geometry"]["type"] == "Polygon"
    assert sorted(region["geometry"]["coordinates"][0]) == sorted(CORNERS[0])


def test_a_constructed_event_is_followed_back_to_its_origins(quiet: Asked) -> None:
    quiet.subscribe(
        "due",
        "WHERE <order><id>$o</></> #O  <invoice><order>$o</></> #I  #O ; #I WITHIN 2d"
        " CONSTRUCT <due><id>$o</></>",
        "exmlql",
    )
    quiet.subscribe("told", "WHERE <due><id>$i</></>", "exmlql")
    xml = {"datacontenttype": "application/xml"}
    order = _typed("o", "doc", "08:00:00") | xml | {"data": "<order><id>7</id></order>"}
    invoice = _typed("i", "doc", "09:00:00") | xml | {"data": "<invoice><order>7</order></invoice>"}
    quiet.publish(order, invoice, _typed("end", "other", "12:00:00"))
    told = _why(quiet, "told")
    (constructed,) = told["match"]["events"]
    assert constructed.startswith("constructed-1-")
    assert told["lineage"] == [[constructed, "o"], [constructed, "i"]]
    assert told["members"][0]["event"]["lineage"] == "o i"


def test_what_is_no_longer_stored_is_told_to_be_so(quiet: Asked) -> None:
    quiet.subscribe("cheap", "price < 3")
    quiet.publish(event("1", price=1))
    quiet.settle()
    with quiet.service.log_database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM tocsin_events")
    told = _why(quiet, "cheap")
    (member,) = told["members"]
    assert (member["expired"], member["source"], member["id"]) == (True, "shop", "1")
    assert told["plan"]["satisfied"] is None
