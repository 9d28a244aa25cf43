"""A key does nothing beyond its scopes by a side door: replays, streams that are open, figures,
pages of other origins, keys in addresses.
"""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.websockets import WebSocketDisconnect
from websockets.sync.client import connect

from tests.service.core.asking import Asked, event
from tests.service.serving import Served, served
from tests.waiting import wait_until
from tocsin.service.core import keyring
from tocsin.service.http import access
from tocsin.service.http.access import AccessScope, Caller, stream_while_valid

BATCH = {"content-type": "application/cloudevents-batch+json"}
CHEAP = {"language": "selector", "expression": "price < 400"}


def _bearer(
    asked: Asked, *scopes: str, tenant: str = "", rate: int | None = None
) -> dict[str, str]:
    return {"Authorization": f"Bearer {asked.service.keys.create(scopes, tenant, rate)}"}


@pytest.fixture
def guarded(start: Any) -> Asked:
    found: Asked = start(auth=True)
    return found


def _letter(asked: Asked, headers: dict[str, str]) -> int:
    asked.http.post("/v1/events", json=[{"id": "bad"}], headers=BATCH | headers)
    asked.settle()
    (letter,) = asked.http.get("/v1/dead-letters", headers=headers).json()["dead_letters"]
    return int(letter["id"])


def test_a_replay_with_a_body_is_a_publication(guarded: Asked) -> None:
    both, hears = _bearer(guarded, "publish", "subscribe"), _bearer(guarded, "subscribe")
    path = f"/v1/dead-letters/{_letter(guarded, both)}/replay"
    head = guarded.service.log.head
    refused = guarded.http.post(path, json=event("1"), headers=hears)
    assert (refused.status_code, refused.json()["token"]) == (403, "publish")
    assert guarded.service.log.head == head
    assert guarded.http.post(path, json=event("1"), headers=both).status_code == 202
    assert guarded.service.log.head == head + 1


@pytest.mark.parametrize("body", [event("1"), None])
def test_replays_count_for_the_rate_of_the_key(guarded: Asked, body: Any) -> None:
    publisher = _bearer(guarded, "publish", "subscribe")
    path = f"/v1/dead-letters/{_letter(guarded, publisher)}/replay"
    slow = _bearer(guarded, "publish", "subscribe", rate=1)
    codes = [guarded.http.post(path, json=body, headers=slow).status_code for _ in range(20)]
    assert codes.count(429) >= 10, codes


@pytest.mark.parametrize("path", ["/v1/matches/stream", "/v1/events/stream"])
def test_a_stream_ends_when_its_key_is_revoked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(access, "LOOK", 0.1)
    monkeypatch.setattr(keyring, "REMEMBERED", 0.0)
    with served(tmp_path, auth=True) as server:
        key = server.service.keys.create(["subscribe"])
        (kept,) = server.service.keys.list_all()
        headers = {"Authorization": f"Bearer {key}"}
        with server.http.stream("GET", path, headers=headers) as answer:
            lines = answer.iter_lines()
            assert next(lines).startswith("id: ")
            server.service.keys.revoke(kept.id)
            assert [line for line in lines if line.startswith("data")] == []
        assert server.http.get(path, headers=headers).status_code == 401


def test_a_web_socket_ends_when_its_key_is_revoked(
    guarded: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "LOOK", 0.1)
    monkeypatch.setattr(keyring, "REMEMBERED", 0.0)
    headers = _bearer(guarded, "subscribe")
    (kept,) = guarded.service.keys.list_all()
    with guarded.http.websocket_connect("/v1/matches/live", headers=headers) as socket:
        guarded.service.keys.revoke(kept.id)
        assert socket.receive_json()["code"] == "KeyUnknown"
        with pytest.raises(WebSocketDisconnect) as caught:
            socket.receive_json()
    assert caught.value.code == 4401


def test_a_busy_stream_ends_too(guarded: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Items that never pause do not keep the key from being looked at."""
    monkeypatch.setattr(access, "LOOK", 0.05)
    looks = iter([True, True, False])
    monkeypatch.setattr(Caller, "is_admitted", lambda _: next(looks))
    caller = Caller("", frozenset(AccessScope), guarded.service)
    ended: list[bool] = []

    async def items() -> AsyncIterator[int]:
        try:
            while True:
                await asyncio.sleep(0)
                yield 1
        finally:
            ended.append(True)

    async def hear() -> int:
        return sum([each async for each in stream_while_valid(caller, items())])

    assert asyncio.run(hear()) > 0
    assert next(looks, None) is None
    assert ended == [True]


def _figures(asked: Asked, headers: dict[str, str]) -> dict[tuple[str, tuple[str, ...]], float]:
    text = asked.http.get("/metrics", headers=headers).text
    return {
        (sample.name, tuple(sorted(sample.labels.values()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_figures_of_a_tenants_admin_are_those_of_the_tenant(guarded: Asked) -> None:
    tenants = {each: _bearer(guarded, "admin", tenant=each) for each in ("", "acme", "beta")}
    for tenant, name in (("acme", "hidden"), ("beta", "open")):
        answer = guarded.http.put(f"/v1/subscriptions/{name}", json=CHEAP, headers=tenants[tenant])
        assert answer.status_code == 201
    guarded.http.post(
        "/v1/events", json=[event("1", price=1), {"id": "bad"}], headers=BATCH | tenants["acme"]
    )
    guarded.settle()
    wait_until(lambda: _figures(guarded, tenants[""])["tocsin_matches_total", ()] == 2)
    own = _figures(guarded, tenants["beta"])
    assert own["tocsin_subscription_matches_total", ("beta", "open")] == 1
    assert own["tocsin_matches_total", ()] == 1
    assert not any("dead_letters" in name for name, _ in own)
    assert not any("hidden" in labels or "acme" in labels for _, labels in own)
    assert not any(name.startswith(("tocsin_deliver", "tocsin_streams")) for name, _ in own)
    hidden = _figures(guarded, tenants["acme"])
    assert hidden["tocsin_dead_letters_total", ("InvalidEventError",)] == 1
    every = _figures(guarded, tenants[""])
    assert every["tocsin_subscription_matches_total", ("acme", "hidden")] == 1
    assert every["tocsin_subscription_matches_total", ("beta", "open")] == 1
    public = _figures(guarded, _bearer(guarded, "subscribe", tenant="beta"))
    assert not any("subscription_matches" in name for name, _ in public)


@pytest.mark.parametrize(
    "path", ["/v1/matches", "/v1/matches/x/why", "/v1/events", "/v1/session", "/epcis/events"]
)
def test_a_key_in_the_address_is_not_read(tmp_path: Path, path: str) -> None:
    with served(tmp_path, auth=True) as server:
        key = server.service.keys.create(["admin"])
        assert server.http.get(path, params={"access_token": key}).status_code == 401


@pytest.mark.parametrize("path", ["/v1/matches/stream", "/v1/events/stream"])
def test_a_key_in_the_address_of_a_stream_is_read(guarded: Asked, path: str) -> None:
    key = guarded.service.keys.create(["subscribe"])
    answer = guarded.http.get(path, params={"access_token": key, "after": "x"})
    assert (answer.status_code, answer.json()["code"]) == (400, "RequestError")


def test_the_page_of_the_addresses_runs_its_own_scripts_only(asked: Asked) -> None:
    page = asked.http.get("/docs")
    policy = dict(
        each.strip().partition(" ")[::2]
        for each in page.headers["content-security-policy"].split(";")
    )
    (script,) = re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert policy["default-src"] == "'none'"
    assert policy["script-src"].split() == ["'self'", f"'sha256-{digest}'"]
    assert policy["connect-src"] == policy["img-src"].split()[0] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "http" not in page.headers["content-security-policy"]


@pytest.fixture(scope="module")
def keyless(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with served(tmp_path_factory.mktemp("keyless"), hosts=["tocsin.lan"]) as server:
        yield server


GOOD_HOSTS = [
    *("localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:9", "127.9.9.9", "[::1]:8080"),
    *("localhost.", "tocsin.localhost:80", "tocsin.lan", "Tocsin.LAN:8443"),
]
BAD_HOSTS = [
    *("evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example"),
    *("192.168.1.7", "10.0.0.1:8080", "[fe80::1]", "evil.example#localhost", "localhost@evil"),
    *("", "localhost:x", "localhost:8080:80", "[::1", "0x7f000001", "lan", "tocsin.lan.evil"),
    *("\u017fecure", "127.0.0.1 evil", "localhost/evil", "http://localhost", "xn--localhost"),
]


@pytest.mark.parametrize("host", GOOD_HOSTS)
def test_without_keys_names_of_the_service_are_served(keyless: Served, host: str) -> None:
    assert keyless.http.get("/v1/matches", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", BAD_HOSTS)
@pytest.mark.parametrize("path", ["/v1/matches", "/epcis/queries", "/", "/healthz", "/docs"])
def test_without_keys_other_names_are_refused(keyless: Served, host: str, path: str) -> None:
    """A page that gave its own name the address of this machine (DNS rebinding) reads nothing."""
    answer = keyless.http.get(path, headers={"Host": host.encode()})
    assert 400 <= answer.status_code < 500, answer.text
    if answer.status_code == 421:
        assert answer.json()["code"] == "HostRefused"
    else:  # the parser of HTTP has refused it before
        assert answer.text == "Invalid HTTP request received."


ORIGINS = [
    *("https://evil.example", "null", "http://localhost:1", "http://127.0.0.1", "file://"),
    *("chrome-extension://x", "http://evil.example:{port}", "http://127.0.0.1:{port}.evil"),
    *("http://127.0.0.1:{port}@evil", "http://localhost:{port}", "", "x", "http://[::1]:{port}"),
    *("ws://127.0.0.1:{port}", "http://127.0.0.1:{port}/x", "//127.0.0.1:{port}"),
]


@pytest.mark.parametrize("origin", ORIGINS)
def test_without_keys_a_page_of_another_origin_changes_nothing(
    keyless: Served, origin: str
) -> None:
    keyless.http.put("/v1/subscriptions/kept", json=CHEAP)
    headers = {"Origin": origin.format(port=keyless.port)}
    for method, path in (
        ("POST", "/v1/subscriptions/kept/pause"),
        ("DELETE", "/v1/subscriptions/kept"),
        ("POST", "/v1/events"),
        ("GET", "/v1/matches/stream"),
        ("POST", "/epcis/queries"),
    ):
        answer = keyless.http.request(method, path, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "OriginRefused")
    assert keyless.http.get("/v1/subscriptions/kept").json()["state"] == "live"


def test_without_keys_its_own_pages_are_served(keyless: Served) -> None:
    for origin, host in (
        (keyless.url, f"127.0.0.1:{keyless.port}"),
        ("https://tocsin.lan", "tocsin.lan"),
        ("http://LOCALHOST:5173", "localhost:5173"),
        ("http://localhost:80", "localhost"),
    ):
        answer = keyless.http.put(
            "/v1/subscriptions/own", json=CHEAP, headers={"Origin": origin, "Host": host}
        )
        assert answer.status_code in (200, 201), answer.text


@pytest.mark.parametrize("path", ["/v1/matches/live", "/epcis/queries/x/events?stream=true"])
def test_without_keys_a_web_socket_of_another_origin_hears_nothing(
    keyless: Served, path: str
) -> None:
    with _socket(keyless, path, "https://evil.example") as socket:
        assert '"OriginRefused"' in socket.recv()
        with pytest.raises(Exception, match="4403"):
            socket.recv()


def _socket(server: Served, path: str, origin: str) -> Any:
    return connect(f"ws://127.0.0.1:{server.port}{path}", origin=origin, proxy=None)


def test_where_every_address_is_listened_on_each_is_a_name(tmp_path: Path) -> None:
    with served(tmp_path, host="0.0.0.0") as server:
        for host, status in (("192.168.1.7:8080", 200), ("evil.example", 421)):
            answer = server.http.get("/v1/matches", headers={"Host": host})
            assert answer.status_code == status, host


def test_with_keys_any_name_is_served(tmp_path: Path) -> None:
    with served(tmp_path, auth=True) as server:
        headers = {"Host": "tocsin.example", "Origin": "https://other.example"}
        assert server.http.get("/healthz", headers=headers).status_code == 200
