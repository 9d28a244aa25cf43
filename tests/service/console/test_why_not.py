"""Why a subscription does not ring: the first condition that fails, by how much, and what waits."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.core.asking import Asked, event
from tests.service.core.conftest import Start

DAY = "2026-01-01T"
DEPOT = "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))"
SHOP = "http://shop.example/"


@pytest.fixture
def quiet(start: Start) -> Asked:
    """A service in which only events move time, at once."""
    return start(idle="off", lateness="0s")


def _typed(id: str, type: str, time: str, place: str | None = None, **data: Any) -> dict[str, Any]:
    body = event(id, f"{DAY}{time}Z", **data) | {"type": type}
    return body | ({"place": place} if place else {})


def _ask(asked: Asked, subscription: object, event: object) -> dict[str, Any]:
    body = {"subscription": subscription, "event": event}
    answer = asked.http.post("/v1/why-not", json=body)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def _rule(text: str) -> dict[str, str]:
    return {"language": "rule", "expression": text}


def _selector(text: str) -> dict[str, str]:
    return {"language": "selector", "expression": text}


def _failed(told: dict[str, Any]) -> dict[str, Any]:
    assert told["rings"] is False
    found: dict[str, Any] = told["steps"][told["first_failure"]]
    return found


def test_the_first_predicate_that_fails_and_by_how_much(asked: Asked) -> None:
    told = _ask(asked, _selector("kind = 'a' AND price < 400"), event("1", kind="a", price=425))
    assert [each["holds"] for each in told["steps"]] == [False, True, False]
    failed = _failed(told)
    assert (failed["text"], failed["actual"], failed["expected"]) == ("price < 400", 425, "< 400")
    assert failed["distance"] == 25
    assert told["waiting"] == []


@pytest.mark.parametrize(
    ("text", "data", "actual", "distance"),
    [
        ("price BETWEEN 10 AND 20", {"price": 4}, 4, 6),
        ("price BETWEEN 10 AND 20", {"price": 23.5}, 23.5, 3.5),
        ("price = 10", {"price": 7}, 7, 3),
        ("price = 10", {"price": "ten"}, "ten", None),
        ("name LIKE 'a%'", {"name": "bob"}, "bob", None),
        ("NOT price = 10", {"price": 10}, 10, None),
        ("price IN (1, 2)", {"price": 3}, 3, None),
        ("price * 2 > 10", {"price": 4}, 4, None),
    ],
)
def test_how_far_values_are_off(
    asked: Asked, text: str, data: dict[str, Any], actual: object, distance: object
) -> None:
    failed = _failed(_ask(asked, _selector(text), event("1", **data)))
    assert (failed["actual"], failed.get("distance")) == (actual, distance)


def test_what_is_missing_is_neither_true_nor_false(asked: Asked) -> None:
    failed = _failed(_ask(asked, _selector("price < 400"), event("1")))
    assert (failed["holds"], failed["actual"]) == (None, None)


def test_what_rings_has_no_failure(asked: Asked) -> None:
    told = _ask(asked, _selector("price < 400 OR kind = 'b'"), event("1", price=500, kind="b"))
    assert (told["rings"], told["first_failure"]) == (True, None)
    assert [each["holds"] for each in told["steps"]] == [True, False, True]
    assert [each["depth"] for each in told["steps"]] == [0, 1, 1]


def test_a_subscription_by_its_id_and_an_event_by_its_position(asked: Asked) -> None:
    asked.subscribe("cheap", "price < 400")
    asked.publish(event("1", price=500), event("2", price=1))
    assert _failed(_ask(asked, "cheap", {"position": 1}))["distance"] == 100
    assert _ask(asked, "cheap", {"position": 2})["rings"] is True


def test_a_place_outside_says_how_far(quiet: Asked) -> None:
    quiet.http.put("/v1/definitions/Depot", json={"region": DEPOT})
    text = {"language": "opsl", "expression": '@(Depot) STRING: kind = "truck"'}
    told = _ask(quiet, text, _typed("1", "position", "08:00:00", "POINT(13 5)", kind="truck"))
    failed = _failed(told)
    assert (failed["actual"], failed["distance"]) == ("POINT (13 5)", "3")
    inside = _typed("1", "position", "08:00:00", "POINT(3 5)", kind="truck")
    assert _ask(quiet, text, inside)["rings"] is True


def test_a_graph_fails_at_the_first_statement_that_nothing_fits(asked: Asked) -> None:
    text = f"ASK {{ _:H <{SHOP}item> ?i . ?i <{SHOP}price> ?p . ?i <{SHOP}size> ?s . }}"
    turtle = f"@prefix : <{SHOP}> . _:H :item [ :price :Three ] ."
    asked.http.post("/v1/events", content=turtle, headers={"content-type": "text/turtle"})
    told = _ask(asked, {"language": "graph", "expression": text}, {"position": 1})
    assert [each["holds"] for each in told["steps"]] == [True, True, False]
    assert "size" in _failed(told)["text"]


def test_a_concept_fails_at_an_operand(asked: Asked) -> None:
    steps = "transporting := shipping or landCarrying; landCarrying = {railCarrying, roadCarrying};"
    body = {"ontology": steps, "format": "text/x-tbox"}
    assert asked.http.put("/v1/definitions/steps", json=body).status_code == 201
    text = "TransactionEvent and exists bizStep.transporting"
    about = {"language": "concept", "expression": text}
    told = _ask(asked, about, event("1", bizStep="packing") | {"type": "TransactionEvent"})
    assert [each["holds"] for each in told["steps"]][:2] == [True, False]
    assert "bizStep" in _failed(told)["text"]
    moving = event("1", bizStep="railCarrying") | {"type": "TransactionEvent"}
    assert _ask(asked, about, moving)["rings"] is True


def test_an_xml_block_tells_what_it_misses(asked: Asked) -> None:
    text = {"language": "exmlql", "expression": "WHERE <order><id>$i</><sum>$s</></>, $s > 10"}
    document = "<order><id>7</id><sum>{}</sum></order>"
    kind = {"content-type": "application/xml"}
    for total in (5, 50):
        asked.http.post("/v1/events", content=document.format(total), headers=kind)
    told = _ask(asked, text, {"position": 1})
    assert [each["holds"] for each in told["steps"]] == [True, False]
    assert "5" in _failed(told)["actual"]
    assert _ask(asked, text, {"position": 2})["rings"] is True


SEQUENCE = "WHEN order THEN payment WITHIN 1h FOR EACH customer"


def test_a_sequence_that_came_too_late_says_by_how_much(quiet: Asked) -> None:
    quiet.publish(
        _typed("far", "order", "01:00:00", customer="c"),
        _typed("near", "order", "08:00:00", customer="c"),
        _typed("paid", "payment", "09:10:00", customer="c"),
    )
    told = _ask(quiet, _rule(SEQUENCE), {"position": 3})
    failed = _failed(told)
    assert failed["distance"] == "10m"
    head = next(each for each in told["steps"] if each["text"].startswith("closest candidate"))
    assert "`order` is event near, `payment` is event paid" in head["text"]


def test_a_sequence_of_another_key(quiet: Asked) -> None:
    quiet.publish(
        _typed("1", "order", "08:00:00", customer="c"),
        _typed("2", "payment", "08:10:00", customer="d"),
    )
    failed = _failed(_ask(quiet, _rule(SEQUENCE), {"position": 2}))
    assert failed["text"] == "the same customer"
    assert failed["actual"] == "c and d"


def test_a_sequence_without_its_other_part_waits(quiet: Asked) -> None:
    quiet.publish(_typed("1", "order", "08:00:00", customer="c"))
    quiet.publish(_typed("2", "other", "08:01:00"))
    told = _ask(quiet, _rule(SEQUENCE), {"position": 1})
    assert "payment" in _failed(told)["text"]
    (waiting,) = told["waiting"]
    assert (waiting["until"], waiting["over"]) == (f"{DAY}09:00:00Z", False)
    assert [each["id"] for each in waiting["members"]] == ["1"]


def test_a_sequence_that_rings(quiet: Asked) -> None:
    quiet.publish(
        _typed("1", "order", "08:00:00", customer="c"),
        _typed("2", "payment", "08:10:00", customer="c"),
    )
    for position in (1, 2):
        told = _ask(quiet, _rule(SEQUENCE), {"position": position})
        assert (told["rings"], told["first_failure"]) == (True, None)
    other = _ask(quiet, _rule(SEQUENCE), _typed("3", "shipment", "09:00:00"))
    assert other["rings"] is False
    assert "ce_type" in _failed(other)["text"]


def test_a_silence_that_was_broken_says_by_what(quiet: Asked) -> None:
    quiet.publish(
        _typed("1", "left", "08:00:00", parcel="p"),
        _typed("other", "arrived", "08:30:00", parcel="q"),
        _typed("2", "arrived", "09:00:00", parcel="p"),
        _typed("3", "other", "12:00:00"),
    )
    rule = _rule("WHEN left THEN NO arrived WITHIN 2h FOR EACH parcel")
    failed = _failed(_ask(quiet, rule, {"position": 1}))
    assert failed["actual"] == f"event 2 at {DAY}09:00:00Z is `arrived`"
    assert "arrived" in failed["text"]


def test_too_few_are_counted(quiet: Asked) -> None:
    quiet.publish(
        *(_typed(str(n), "login", f"08:00:0{n}", ok=False) for n in range(2)),
        _typed("in", "login", "08:00:09", ok=True),
    )
    rule = _rule("WHEN login(ok = FALSE) x3 WITHIN 5m THEN login(ok = TRUE)")
    told = _ask(quiet, rule, {"position": 3})
    assert told["rings"] is False
    assert told["first_failure"] is not None


def test_an_event_without_a_time_takes_no_part(quiet: Asked) -> None:
    failed = _failed(_ask(quiet, _rule(SEQUENCE), event("1") | {"type": "order"}))
    assert failed["text"] == "the event has a time"


def test_a_late_event_is_told_to_be_late(quiet: Asked) -> None:
    quiet.subscribe("s", SEQUENCE, "rule")
    quiet.publish(_typed("1", "other", "12:00:00"))
    quiet.settle()
    quiet.publish(_typed("2", "payment", "08:00:00", customer="c"))
    quiet.settle()
    assert _failed(_ask(quiet, "s", {"position": 2}))["actual"] == "late"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"subscription": "s"}, 400),
        ({"subscription": "none", "event": {"position": 1}}, 404),
        ({"subscription": 7, "event": {"position": 1}}, 400),
        ({"subscription": {"language": "selector", "expression": "a = 1"}, "event": 3}, 400),
        ({"subscription": {"language": "selector", "expression": "a = 1"}, "event": {}}, 400),
        (
            {
                "subscription": {"language": "selector", "expression": "a = 1"},
                "event": {"position": 99},
            },
            404,
        ),
        (
            {"subscription": {"language": "selector", "expression": "a ="}, "event": {"id": "1"}},
            400,
        ),
    ],
)
def test_what_cannot_be_answered_is_refused(asked: Asked, body: object, status: int) -> None:
    answer = asked.http.post("/v1/why-not", json=body)
    assert answer.status_code == status, answer.text
    assert answer.json()["code"]
