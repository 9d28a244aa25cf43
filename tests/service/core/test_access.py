"""Keys, scopes, tenants, rates: nobody does what was not allowed, or sees what is another's."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

from tests.service.core.asking import Asked, event
from tests.waiting import wait_until
from tocsin.service.core import keyring as keyring_module

CHEAP = {"language": "selector", "expression": "price < 400"}
BATCH = {"content-type": "application/cloudevents-batch+json"}


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.fixture
def guarded(start: Any) -> Asked:
    found: Asked = start(auth=True)
    return found


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/events"),
        ("GET", "/v1/subscriptions"),
        ("GET", "/v1/subscriptions/x"),
        ("PUT", "/v1/subscriptions/x"),
        ("DELETE", "/v1/subscriptions/x"),
        ("POST", "/v1/subscriptions/x/pause"),
        ("GET", "/v1/definitions"),
        ("PUT", "/v1/definitions/x"),
        ("DELETE", "/v1/definitions/x"),
        ("POST", "/v1/check"),
        ("POST", "/v1/explain"),
        ("POST", "/v1/try"),
        ("GET", "/v1/matches"),
        ("GET", "/v1/matches/x/why"),
        ("GET", "/v1/matches/stream"),
        ("GET", "/v1/dead-letters"),
        ("POST", "/v1/dead-letters/1/replay"),
        ("GET", "/v1/session"),
        ("GET", "/v1/events"),
        ("GET", "/v1/events/stream"),
        ("GET", "/v1/attributes"),
        ("GET", "/v1/statistics"),
        ("GET", "/v1/knowledge"),
        ("GET", "/v1/plan"),
        ("GET", "/v1/subscriptions/x/waiting"),
        ("POST", "/v1/why-not"),
    ],
)
def test_without_a_key_nothing_is_done(guarded: Asked, method: str, path: str) -> None:
    for headers, code in (({}, "KeyMissing"), (_bearer("tocsin_0_x"), "KeyUnknown")):
        answer = guarded.http.request(method, path, headers=headers, content=b"{}")
        assert (answer.status_code, answer.json()["code"]) == (401, code)
        assert answer.headers["www-authenticate"] == "Bearer"


def test_health_needs_no_key(guarded: Asked) -> None:
    assert guarded.http.get("/healthz").status_code == 200
    wait_until(lambda: guarded.http.get("/readyz").status_code == 200)


def test_a_key_does_what_its_scopes_say(guarded: Asked) -> None:
    publisher = _bearer(guarded.service.keys.create(["publish"]))
    subscriber = _bearer(guarded.service.keys.create(["subscribe"]))
    admin = _bearer(guarded.service.keys.create(["admin"]))
    http = guarded.http
    assert http.post("/v1/events", json=[event("1")], headers=BATCH | publisher).status_code == 202
    assert http.get("/v1/matches", headers=publisher).json()["code"] == "ScopeMissing"
    assert http.put("/v1/subscriptions/a", json=CHEAP, headers=publisher).status_code == 403
    assert http.put("/v1/subscriptions/a", json=CHEAP, headers=subscriber).status_code == 201
    assert http.post("/v1/events", json=[event("2")], headers=BATCH | subscriber).status_code == 403
    assert (
        http.put("/v1/definitions/R", json={"region": "POINT(0 0)"}, headers=subscriber).status_code
        == 403
    )
    assert http.post("/v1/events", json=[event("3")], headers=BATCH | admin).status_code == 202
    assert http.get("/v1/subscriptions", headers=admin).status_code == 200


def test_a_revoked_key_is_good_for_nothing(guarded: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyring_module, "REMEMBERED", 0.0)
    key = guarded.service.keys.create(["subscribe"])
    assert guarded.http.get("/v1/matches", headers=_bearer(key)).status_code == 200
    (kept,) = guarded.service.keys.list_all()
    guarded.service.keys.revoke(kept.id)
    assert guarded.http.get("/v1/matches", headers=_bearer(key)).status_code == 401


def test_of_a_key_only_a_hash_is_kept(guarded: Asked) -> None:
    key = guarded.service.keys.create(["subscribe"])
    secret = key.split("_", 2)[2]  # the secret itself may have an underscore
    guarded.service.stop()
    for file in guarded.service.settings.data.iterdir():
        assert secret.encode() not in file.read_bytes()


def test_tenants_have_their_own_of_everything(guarded: Asked) -> None:
    http, keys = guarded.http, guarded.service.keys
    acme, beta = (_bearer(keys.create(["subscribe"], tenant)) for tenant in ("acme", "beta"))
    publisher = _bearer(keys.create(["publish"]))
    for tenant, limit in ((acme, 10), (beta, 20)):
        body = {"language": "selector", "expression": f"price < {limit}"}
        assert http.put("/v1/subscriptions/cheap", json=body, headers=tenant).status_code == 201
    http.post(
        "/v1/events", json=[event("1", price=5), event("2", price=15)], headers=BATCH | publisher
    )
    guarded.settle()
    heard = {
        name: http.get("/v1/matches", headers=tenant).json()["matches"]
        for name, tenant in (("acme", acme), ("beta", beta))
    }
    assert [match["events"] for match in heard["acme"]] == [["1"]]
    assert [match["events"] for match in heard["beta"]] == [["1"], ["2"]]
    assert {match["subscription"] for match in heard["beta"]} == {"cheap"}
    other = heard["beta"][0]["id"]
    assert http.get(f"/v1/matches/{other}/why", headers=acme).status_code == 404
    assert http.get(f"/v1/matches/{other}/why", headers=beta).status_code == 200
    assert (
        http.get("/v1/matches", headers=_bearer(keys.create(["subscribe"]))).json()["matches"] == []
    )
    assert http.delete("/v1/subscriptions/cheap", headers=acme).status_code == 204
    assert http.get("/v1/subscriptions/cheap", headers=beta).status_code == 200


def test_definitions_are_per_tenant_and_those_of_the_admin_are_shared(guarded: Asked) -> None:
    http, keys = guarded.http, guarded.service.keys
    acme, beta = (_bearer(keys.create(["subscribe"], tenant)) for tenant in ("acme", "beta"))
    admin = _bearer(keys.create(["admin"]))
    shared, own = (
        {"language": "opsl", "expression": f'STRING: kind = "{kind}"'} for kind in ("s", "o")
    )
    assert http.put("/v1/definitions/Kind", json=shared, headers=admin).status_code == 201
    assert http.put("/v1/definitions/Kind", json=own, headers=acme).status_code == 201
    assert http.put("/v1/definitions/Mine", json=own, headers=acme).status_code == 201
    use = {"language": "opsl", "expression": "Kind"}
    for tenant in (acme, beta):
        assert http.put("/v1/subscriptions/s", json=use, headers=tenant).status_code == 201
    mine = {"language": "opsl", "expression": "Mine"}
    assert http.put("/v1/subscriptions/m", json=mine, headers=beta).status_code == 400
    http.post(
        "/v1/events", json=[event("1", kind="s"), event("2", kind="o")], headers=BATCH | admin
    )
    guarded.settle()
    for tenant, heard in ((acme, ["2"]), (beta, ["1"])):
        matches = http.get("/v1/matches", headers=tenant).json()["matches"]
        assert [match["events"] for match in matches] == [heard]
    names = http.get("/v1/definitions", headers=beta).json()["definitions"]
    assert [(each["name"], each["shared"]) for each in names] == [("Kind", True)]
    assert http.delete("/v1/definitions/Kind", headers=beta).status_code == 404


def test_dead_letters_are_told_to_the_one_they_concern(guarded: Asked) -> None:
    http, keys = guarded.http, guarded.service.keys
    acme, beta = (
        _bearer(keys.create(["publish", "subscribe"], tenant)) for tenant in ("acme", "beta")
    )
    http.post("/v1/events", json=[{"id": "bad"}], headers=BATCH | acme)
    guarded.settle()
    (letter,) = http.get("/v1/dead-letters", headers=acme).json()["dead_letters"]
    assert http.get("/v1/dead-letters", headers=beta).json()["dead_letters"] == []
    assert http.post(f"/v1/dead-letters/{letter['id']}/replay", headers=beta).status_code == 404


def test_a_key_publishes_no_faster_than_it_may(guarded: Asked) -> None:
    slow = _bearer(guarded.service.keys.create(["publish"], rate=10))
    answers = [
        guarded.http.post(
            "/v1/events", json=[event(f"{n}-{m}") for m in range(10)], headers=BATCH | slow
        )
        for n in range(3)
    ]
    assert answers[0].status_code == 202
    assert answers[-1].status_code == 429
    assert answers[-1].json()["code"] == "RateLimitExceeded"
    assert answers[-1].headers["retry-after"] == "1"
    assert guarded.service.log.head == 10 * sum(each.status_code == 202 for each in answers)


def test_requests_a_second_are_limited_too(start: Any) -> None:
    asked = start(limits={"requests": 5})
    codes = [asked.http.get("/v1/matches").status_code for _ in range(50)]
    assert codes[0] == 200
    assert 429 in codes


def test_a_web_socket_needs_a_key_too(guarded: Asked) -> None:
    with guarded.http.websocket_connect("/v1/matches/live") as socket:
        assert socket.receive_json()["code"] == "KeyMissing"
        with pytest.raises(WebSocketDisconnect) as caught:
            socket.receive_json()
    assert caught.value.code == 4401


def test_a_browser_may_give_its_key_in_the_address_of_a_stream_only(guarded: Asked) -> None:
    key = guarded.service.keys.create(["subscribe"])
    assert guarded.http.get(f"/v1/matches?access_token={key}").status_code == 401
    answer = guarded.http.get(f"/v1/matches/stream?access_token={key}&after=x")
    assert (answer.status_code, answer.json()["code"]) == (400, "RequestError")


@pytest.mark.parametrize(
    ("scopes", "tenant"),
    [([], ""), (["everything"], ""), (["publish"], "a::b"), (["publish"], "ä b")],
)
def test_keys_that_cannot_be_made(guarded: Asked, scopes: list[str], tenant: str) -> None:
    with pytest.raises(Exception, match=r"scope|tenant"):
        guarded.service.keys.create(scopes, tenant)
