"""What tests of the console tell a service: subscriptions, definitions and events, through its own
addresses.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from tests.builders import event_json
from tests.service.serving import Served
from tests.waiting import wait_until

BATCH = {"Content-Type": "application/cloudevents-batch+json"}

GOODS = """
@prefix : <http://shop.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Laptop rdfs:subClassOf :Computer . :Desktop rdfs:subClassOf :Computer .
:Computer rdfs:subClassOf :Product . :Phone rdfs:subClassOf :Product .
"""

DEPOT = "POLYGON((11.0 55.0, 12.0 55.0, 12.0 56.0, 11.0 56.0, 11.0 55.0))"


def ago(seconds: float) -> str:
    """The time of so many seconds ago."""
    return (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


def event(id: str, type: str = "offer", time: str | None = None, **rest: Any) -> dict[str, Any]:
    """A CloudEvent; `place` and `data` are among the rest."""
    return event_json(id, type, time=time or ago(0), source="shop", specversion="1.0", **rest)


def put(server: Served, path: str, body: dict[str, Any]) -> None:
    """Puts a definition or a subscription."""
    answer = server.http.put(path, json=body)
    assert answer.status_code in (200, 201), answer.text


def subscribe(
    server: Served, id: str, expression: str, language: str = "selector", **rest: Any
) -> None:
    """Puts a subscription."""
    body = {"language": language, "expression": expression, **rest}
    put(server, f"/v1/subscriptions/{quote(id)}", body)


def publish(server: Served, *events: dict[str, Any]) -> dict[str, Any]:
    """Publishes events, and says what became of them."""
    answer = server.http.post("/v1/events", json=list(events), headers=BATCH)
    assert answer.status_code == 202, answer.text
    told: dict[str, Any] = answer.json()
    return told


def wait_for_matches(server: Served, count: int, **query: Any) -> list[dict[str, Any]]:
    """The matches, as soon as there are so many."""

    def found() -> list[dict[str, Any]]:
        answer = server.http.get("/v1/matches", params={"limit": 10_000, **query})
        matches: list[dict[str, Any]] = answer.json()["matches"]
        return matches if len(matches) >= count else []

    return wait_until(found)


def tell_market(server: Served) -> None:
    """A small market: offers, trucks, logins, words for goods; some of it wrong."""
    put(server, "/v1/definitions/Depot", {"region": DEPOT})
    put(server, "/v1/definitions/goods", {"ontology": GOODS})
    subscribe(server, "cheap-offers", "price < 400")
    subscribe(
        server,
        "truck-enters-depot",
        "WHEN position ENTERS Depot\nFOR EACH truck\nHORIZON 1d",
        "rule",
    )
    subscribe(server, "computers", "ASK { _:H a <http://shop.example/Computer> . }", "graph")
    subscribe(
        server,
        "failed-logins",
        "WHEN COUNT(login(ok = FALSE)) >= 3 OVER 5m\nFOR EACH user",
        "rule",
    )
    missing = "WHEN move(kind = 'left')\nTHEN NO move(kind = 'arrived') WITHIN 2h\nFOR EACH parcel"
    subscribe(server, "parcel-missing", missing, "rule")
    subscribe(server, "orders", "WHERE <order><id>$i</></>", "exmlql", paused=True)
    publish(server, *_market_events())
    turtle = "@prefix : <http://shop.example/> . _:H a :Laptop ."
    server.http.post("/v1/events", content=turtle, headers={"Content-Type": "text/turtle"})
    wrong = {"specversion": "1.0", "id": "w1", "source": "shop", "type": "offer"}
    publish(server, wrong | {"time": "yesterday at noon", "data": {"price": 120}})
    wait_for_matches(server, 30)


def _market_events() -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    for step in range(60):
        time = ago(240 - 4 * step)
        where = f"POINT({10.6 + (step * 7 % 20) / 10:.2f} {54.8 + (step * 3 % 14) / 10:.2f})"
        truck = {"truck": f"t{step % 4}", "speed": step % 90}
        offer = {"price": 250 + step * 37 % 400, "kind": ("laptop", "phone")[step % 2]}
        login = {"user": ("anna", "bo")[step % 2], "ok": step % 5 == 0}
        events += (
            event(f"o{step}", "offer", time, data=offer),
            event(f"p{step}", "position", time, place=where, data=truck),
            event(f"l{step}", "login", time, data=login),
        )
        if step % 10 == 0:
            events.append(
                event(f"m{step}", "move", time, data={"kind": "left", "parcel": f"{step}"})
            )
    return events
