"""No name, however it is written, reaches what is another tenant's."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from tests.service.core.asking import Asked, event
from tocsin.service.delivery.targets import _folder

SECRET = {"language": "selector", "expression": "secret < 1"}
REGION = {"region": "POLYGON((0 0, 1 0, 1 1, 0 1, 0 0))"}
SPELLINGS = (
    "acme::secret",
    "ACME::secret",
    "acme%3A%3Asecret",
    "acme%253A%253Asecret",
    "::acme::secret",
    "acme::secret%00",
    "acme%EF%BC%9A%EF%BC%9Asecret",
    "acme/secret",
    "acme%2Fsecret",
    "..%2Facme::secret",
    "%E0%80",
    quote("acme\u2237secret"),
)


@pytest.fixture
def keys(start: Any) -> tuple[Asked, dict[str, dict[str, str]]]:
    asked: Asked = start(auth=True)
    made = {
        tenant: asked.service.keys.create(["subscribe"], tenant) for tenant in ("", "acme", "beta")
    }
    made["shared"] = asked.service.keys.create(["admin"], "")
    bearers = {name: {"Authorization": f"Bearer {key}"} for name, key in made.items()}
    for kind, body in (("subscriptions", SECRET), ("definitions", REGION)):
        answer = asked.http.put(f"/v1/{kind}/secret", json=body, headers=bearers["acme"])
        assert answer.status_code == 201, answer.text
    return asked, bearers


@pytest.mark.parametrize("whose", ["", "beta", "shared"])
@pytest.mark.parametrize("name", ["secret", *SPELLINGS])
def test_another_tenants_thing_is_not_reached(
    keys: tuple[Asked, dict[str, dict[str, str]]], whose: str, name: str
) -> None:
    asked, bearers = keys
    for method, path in (
        ("GET", f"/v1/subscriptions/{name}"),
        ("GET", f"/v1/subscriptions/{name}/waiting"),
        ("POST", f"/v1/subscriptions/{name}/pause"),
        ("POST", f"/v1/subscriptions/{name}/resume"),
        ("DELETE", f"/v1/subscriptions/{name}"),
        ("GET", f"/v1/definitions/{name}"),
        ("GET", f"/v1/definitions/{name}/versions"),
        ("DELETE", f"/v1/definitions/{name}"),
    ):
        answer = asked.http.request(method, path, headers=bearers[whose])
        assert 400 <= answer.status_code < 500, (method, path, answer.text)
        assert answer.headers["content-type"] == "application/problem+json"
    for kind in ("subscriptions", "definitions"):
        found = asked.http.get(f"/v1/{kind}/secret", headers=bearers["acme"])
        assert found.status_code == 200
    assert asked.http.get("/v1/subscriptions/secret", headers=bearers["acme"]).json()["state"] == (
        "live"
    )


@pytest.mark.parametrize("name", ["a::b", "acme::secret", "a\0", "\u202e", "%E0%80", " a", "a "])
@pytest.mark.parametrize(("kind", "body"), [("subscriptions", SECRET), ("definitions", REGION)])
def test_names_that_part_or_hide_are_refused(
    keys: tuple[Asked, dict[str, dict[str, str]]], kind: str, body: dict[str, Any], name: str
) -> None:
    asked, bearers = keys
    path = f"/v1/{kind}/{name if '%' in name else quote(name)}"
    answer = asked.http.put(path, json=body, headers=bearers["acme"])
    assert (answer.status_code, answer.json()["code"]) == (400, "NameError")


def test_a_tenant_called_shared_has_another_folder_than_what_is_shared() -> None:
    names = ["", "shared", "Shared", "acme", "shared-", "s"]
    assert len({_folder(each) for each in names}) == len(names)
    assert _folder("") == "shared"


def test_a_region_has_no_name_that_another_tenant_gave_it(
    keys: tuple[Asked, dict[str, dict[str, str]]],
) -> None:
    """Both tenants speak of one place; the name that one of them has for it is its own."""
    asked, bearers = keys
    place = {"region": "POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))"}
    kind = {"language": "opsl", "expression": 'STRING: kind = "s"'}
    for whose, path, body in (
        ("beta", "definitions/Yard", place),
        ("beta", "definitions/Kind", kind),
        ("beta", "subscriptions/near", {"language": "opsl", "expression": "@(Yard)Kind"}),
        ("acme", "definitions/Hideout", place),
    ):
        answer = asked.http.put(f"/v1/{path}", json=body, headers=bearers[whose])
        assert answer.status_code == 201, answer.text
    publisher = {"Authorization": f"Bearer {asked.service.keys.create(['publish'], 'beta')}"}
    near = event("1", kind="s") | {"place": "POINT(0.5 0.5)"}
    asked.http.post("/v1/events", json=near, headers=publisher)
    asked.settle()
    (match,) = asked.http.get("/v1/matches", headers=bearers["beta"]).json()["matches"]
    told = asked.http.get(f"/v1/matches/{match['id']}/why", headers=bearers["beta"]).json()
    assert [each["name"] for each in told["regions"]] == ["Yard"]
