"""How tests ask a service: publish, subscribe, and wait until all that was published is served."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient

from tests.builders import event_json
from tests.waiting import wait_until
from tocsin.service.core.service import Service


def event(id: str, time: str | None = None, **data: Any) -> dict[str, Any]:
    """A CloudEvent of the source `shop`."""
    return event_json(id, "offer", time=time, source="shop", specversion="1.0", data=data)


@dataclass
class Asked:
    """A service and the client of its addresses."""

    service: Service
    http: TestClient

    def subscribe(self, id: str, expression: str, language: str = "selector", **rest: Any) -> None:
        body = {"language": language, "expression": expression, **rest}
        answer = self.http.put(f"/v1/subscriptions/{id}", json=body)
        assert answer.status_code in (200, 201), answer.text

    def publish(self, *events: dict[str, Any]) -> None:
        kind = {"content-type": "application/cloudevents-batch+json"}
        answer = self.http.post("/v1/events", json=list(events), headers=kind)
        assert answer.json() == {"accepted": len(events), "rejected": []}, answer.text

    def settle(self) -> None:
        """Waits until every row of the log was served and its outcome kept."""
        runner = self.service.runner
        wait_until(
            lambda: runner.status().position >= self.service.log.head,
            progress=lambda: runner.status().position,
        )
        wait_until(lambda: not runner._unsaved.is_urgent)  # type: ignore[attr-defined]

    def matches(self, **query: Any) -> list[dict[str, Any]]:
        self.settle()
        found: list[dict[str, Any]] = self.http.get("/v1/matches", params=query).json()["matches"]
        return found

    def letters(self, **query: Any) -> list[dict[str, Any]]:
        self.settle()
        answer = self.http.get("/v1/dead-letters", params=query)
        found: list[dict[str, Any]] = answer.json()["dead_letters"]
        return found
