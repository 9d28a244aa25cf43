"""The service and events at the edges of time: refused as anywhere, or told like any other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.core.asking import Asked, event
from tests.service.core.conftest import Start

RULES = {
    "any": "WHEN offer",
    "silence": "WHEN offer THEN NO refund WITHIN 10d",
    "before": "WHEN NO refund WITHIN 10d THEN offer",
    "pair": "WHEN offer THEN offer WITHIN 1h",
    "counted": "WHEN COUNT(offer) >= 1 OVER 30d EVERY 1d",
}
OUTSIDE = [
    *("0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "0001-01-02T23:59:59.999999Z"),
    *("9999-12-30T00:00:00Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:60Z"),
    *("0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "-0001-01-01T00:00:00Z"),
]
WITHIN = [
    *("0001-01-03T00:00:00Z", "0001-01-04T13:59:59+14:00", "0001-01-03t00:00:00.123456789z"),
    *("9999-12-29T23:59:59.999999Z", "9999-12-28T12:00:00-11:59"),
]


@pytest.fixture
def service(start: Start) -> Asked:
    found = start(idle="off", lateness="0s", ahead="off")
    for id, expression in RULES.items():
        found.subscribe(id, expression, "rule")
    return found


def ask(service: Asked, address: str, body: dict[str, Any]) -> int:
    return service.http.post(address, json=body).status_code


@pytest.mark.parametrize("time", OUTSIDE)
def test_what_is_outside_is_refused_everywhere(service: Asked, time: str) -> None:
    kind = {"content-type": "application/cloudevents-batch+json"}
    told = service.http.post("/v1/events", json=[event("e", time)], headers=kind).json()
    assert (told["accepted"], len(told["rejected"])) == (0, 1)
    assert told["rejected"][0]["reason"].startswith("time: ")
    for id in RULES:
        assert ask(service, "/v1/why-not", {"subscription": id, "event": event("e", time)}) == 400


@pytest.mark.parametrize("time", WITHIN)
def test_what_is_within_is_told_like_any_other(service: Asked, time: str) -> None:
    is_early = time.startswith("0001")
    later = "0001-02-01T00:00:00Z" if is_early else "9999-12-29T23:59:59.999999Z"
    service.publish(event("e1", time), event("e2", time), event("e3", later))
    found = service.matches()
    rung = {each["subscription"] for each in found}
    assert rung >= ({"any", "silence", "before", "counted"} if is_early else {"any"})
    for each in found:
        answer = service.http.get(f"/v1/matches/{each['id']}/why")
        assert answer.status_code == 200, answer.text
    for id, expression in RULES.items():
        given = {"subscription": id, "event": event("e4", time)}
        assert ask(service, "/v1/why-not", given) == 200
        stored = {"subscription": id, "event": {"position": 1}}
        assert ask(service, "/v1/why-not", stored) == 200
        rule = {"language": "rule", "expression": expression}
        assert ask(service, "/v1/explain", rule) == 200
        assert ask(service, "/v1/try", {**rule, "last": "1h"}) == 200
        assert service.http.get(f"/v1/subscriptions/{id}/waiting").status_code == 200
    assert service.http.get("/v1/events").status_code == 200
    assert service.letters() == []
