"""The OpenAPI document: requests made from it, sound and broken, never bring about a fault of ours.
And the page that shows it needs no network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case
from schemathesis.schemas import BaseSchema

from tests.service.core.asking import Asked
from tests.waiting import wait_until
from tocsin.service.api.app import create_app
from tocsin.service.core.service import Service
from tocsin.service.settings.settings import load_settings

EXAMPLES = 15
"""Requests for each operation."""


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BaseSchema]:
    folder: Path = tmp_path_factory.mktemp("described")
    service = Service(load_settings(data=folder, auth=False))
    service.start()
    app = create_app(service)
    ready = TestClient(app, base_url="http://127.0.0.1")
    wait_until(lambda: ready.get("/readyz").status_code == 200)  # until then it is 503 by design
    yield schemathesis.openapi.from_asgi("/openapi.json", app)
    service.stop()


def _operations() -> list[tuple[str, str]]:
    paths = create_app(None).openapi()["paths"]  # type: ignore[arg-type]
    endless = {"/v1/matches/stream", "/v1/events/stream"}
    return [
        (path, method)
        for path in sorted(paths)
        for method in sorted(paths[path])
        if path not in endless
    ]


@pytest.mark.parametrize(("path", "method"), _operations())
def test_no_request_brings_about_a_fault(described: BaseSchema, path: str, method: str) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.explicit, Phase.generate),
    )
    @given(described[path][method].as_strategy())
    def ask(case: Case) -> None:
        response = case.call()
        assert response.status_code < 500, response.text
        if response.status_code >= 400:
            assert response.headers["content-type"][0].startswith("application/problem+json")

    ask()


def test_the_page_asks_nobody_else(asked: Asked) -> None:
    page = asked.http.get("/docs")
    assert page.status_code == 200
    assert not re.findall(r"""(?:src|href)=["']https?://""", page.text)
    for address in re.findall(r"""(?:src|href)=["']([^"']+)["']""", page.text):
        assert asked.http.get(f"/{address}").status_code == 200, address


def test_every_address_of_the_design_is_described(asked: Asked) -> None:
    described = asked.http.get("/openapi.json").json()["paths"]
    wanted = {
        "/v1/events": {"post", "get"},
        "/v1/events/stream": {"get"},
        "/v1/session": {"get"},
        "/v1/statistics": {"get"},
        "/v1/attributes": {"get"},
        "/v1/knowledge": {"get"},
        "/v1/plan": {"get"},
        "/v1/subscriptions/{id}/waiting": {"get"},
        "/v1/why-not": {"post"},
        "/v1/subscriptions/{id}": {"get", "put", "delete"},
        "/v1/subscriptions": {"get"},
        "/v1/definitions/{name}": {"get", "put", "delete"},
        "/v1/check": {"post"},
        "/v1/explain": {"post"},
        "/v1/try": {"post"},
        "/v1/matches": {"get"},
        "/v1/matches/{id}/why": {"get"},
        "/v1/matches/stream": {"get"},
        "/v1/dead-letters": {"get"},
        "/v1/dead-letters/{id}/replay": {"post"},
        "/healthz": {"get"},
        "/readyz": {"get"},
        "/metrics": {"get"},
    }
    for path, methods in wanted.items():
        assert methods <= set(described[path]), path


def test_what_is_not_there_is_a_problem_document(asked: Asked) -> None:
    for answer in (asked.http.get("/v2/nothing"), asked.http.delete("/v1/events")):
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["code"] in ("NOT_FOUND", "METHOD_NOT_ALLOWED")


def test_a_fault_of_ours_is_a_problem_document_too(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(asked.service.entries, "list_all", fail)
    client = TestClient(create_app(asked.service), raise_server_exceptions=False)
    answer = client.get("/v1/subscriptions")
    assert (answer.status_code, answer.json()["code"]) == (500, "InternalError")
    assert "boom" in answer.json()["detail"]
