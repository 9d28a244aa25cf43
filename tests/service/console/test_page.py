"""The console is served from files, packed, with a policy that lets the page do nothing else."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.service.core.conftest import Start
from tocsin.errors import Problem
from tocsin.service.console import files
from tocsin.service.settings.settings import load_settings

SCRIPT = "console.log('" + "tocsin " * 200 + "')"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of built files."""
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>Tocsin</title>")
    (folder / "favicon.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (folder / "assets" / "index-1a2b.js").write_text(SCRIPT)
    (tmp_path / "secret.js").write_text("not yours")
    monkeypatch.setattr(files.built_files, "__defaults__", (folder,))
    return folder


@pytest.mark.usefixtures("built")
def test_the_page_may_do_nothing_but_what_it_is_made_for(start: Start) -> None:
    answer = start().http.get("/")
    assert (answer.status_code, answer.text) == (200, "<!doctype html><title>Tocsin</title>")
    policy = dict(
        each.strip().split(" ", 1) for each in answer.headers["content-security-policy"].split(";")
    )
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "font-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.usefixtures("built")
def test_assets_are_packed_and_kept_by_browsers(start: Start) -> None:
    http = start().http
    with http.stream("GET", "/assets/index-1a2b.js", headers={"accept-encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
    assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(raw).decode() == SCRIPT
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    plain = http.get("/assets/index-1a2b.js", headers={"accept-encoding": "identity"})
    assert (plain.text, "content-encoding" in plain.headers) == (SCRIPT, False)
    again = http.get("/assets/index-1a2b.js", headers={"if-none-match": plain.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert http.get("/favicon.svg").headers["content-type"] == "image/svg+xml"


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    "path", ["/assets/nothing.js", "/assets/../../secret.js", "/assets/%2e%2e/%2e%2e/secret.js"]
)
def test_nothing_else_is_served(start: Start, path: str) -> None:
    answer = start().http.get(path)
    assert answer.status_code == 404
    assert "not yours" not in answer.text


def test_without_built_files_the_page_says_how_to_build_them(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files.built_files, "__defaults__", (tmp_path,))
    answer = start().http.get("/")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "make console" in answer.text


@pytest.mark.usefixtures("built")
def test_it_may_be_switched_off(start: Start) -> None:
    http = start(console={"enabled": False}).http
    for path in ("/", "/assets/index-1a2b.js", "/favicon.svg"):
        answer = http.get(path)
        assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    ("tiles", "server"),
    [
        ("https://tiles.example/{z}/{x}/{y}.png", "https://tiles.example"),
        ("http://127.0.0.1:8099/{z}/{x}/{y}", "http://127.0.0.1:8099"),
        ("https://{s}.tiles.example/{z}/{x}/{y}.png?k=1", "https://*.tiles.example"),
    ],
)
def test_a_tile_server_is_let_in(start: Start, tiles: str, server: str) -> None:
    http = start(console={"tiles": tiles}).http
    policy = http.get("/").headers["content-security-policy"]
    assert f"img-src 'self' data: {server};" in policy
    assert http.get("/v1/session").json()["tiles"] == tiles


@pytest.mark.parametrize(
    "tiles",
    [
        "tiles.example/{z}/{x}/{y}",
        "javascript://a/{z}/{x}/{y}",
        "https://a.example/{z}/{x}.png",
        "https://a.example; script-src *; /{z}/{x}/{y}",
        "https://a.example/{z}/{x}/{y}\r\nX: y",
        "https://* /{z}/{x}/{y}",
        "https:///{z}/{x}/{y}",
    ],
)
def test_an_address_that_says_something_else_is_refused(tiles: str) -> None:
    with pytest.raises(Problem) as caught:
        load_settings(console={"tiles": tiles})
    assert caught.value.code == "SettingsError"
    assert caught.value.token == "console.tiles"
