"""`/v1/session`: who calls, and whom it talks to."""

from __future__ import annotations

from tests.service.core.asking import Asked
from tests.service.core.conftest import Start
from tocsin import __version__
from tocsin.runtime.admission import wall_clock
from tocsin.values.time import parse_instant


def test_without_keys_everybody_may_do_everything(asked: Asked) -> None:
    told = asked.http.get("/v1/session").json()
    assert abs(parse_instant(told.pop("server_time")) - wall_clock()) < 60_000_000
    assert told == {
        "version": __version__,
        "engine": "local",
        "auth": False,
        "tenant": "",
        "scopes": ["admin", "publish", "subscribe"],
        "tiles": "",
    }


def test_with_keys_it_is_told_what_the_key_allows(start: Start) -> None:
    asked = start(auth=True)
    assert asked.http.get("/v1/session").status_code == 401
    key = asked.service.keys.create(["subscribe"], "acme")
    told = asked.http.get("/v1/session", headers={"authorization": f"Bearer {key}"}).json()
    assert (told["auth"], told["tenant"], told["scopes"]) == (True, "acme", ["subscribe"])
