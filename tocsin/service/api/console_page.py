"""Routes `/` and `/assets/...`: the console, from files of the installation. Nothing is loaded from
elsewhere, except map tiles if the settings name a server.
"""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from tocsin.service.console.files import INDEX, NOT_BUILT, built_files, page_policy, read_file
from tocsin.service.http.requests import service_of
from tocsin.service.settings.console import ConsoleSettings

router = APIRouter(include_in_schema=False)

_FOR_EVER = "public, max-age=31536000, immutable"
"""Cache header of files below assets, whose names contain a hash of their content."""

_ANEW = "no-cache"
_ASSETS = "assets/"


@router.api_route("/", methods=["GET", "HEAD"])
async def show_console(request: Request) -> Response:
    """Return the page of the console; if it is not built, one with instructions."""
    console = _settings_of(request)
    if INDEX not in built_files():
        return Response(NOT_BUILT, 404, _headers(console), "text/html; charset=utf-8")
    return _answer(request, INDEX, console)


@router.api_route("/assets/{path:path}", methods=["GET", "HEAD"])
async def show_asset(path: str, request: Request) -> Response:
    """Return a script, a style, a picture or the coastlines."""
    return _answer(request, _ASSETS + path, _settings_of(request))


@router.api_route("/favicon.{ending}", methods=["GET", "HEAD"])
async def show_icon(ending: str, request: Request) -> Response:
    """Return the icon of the page."""
    return _answer(request, f"favicon.{ending}", _settings_of(request))


def _settings_of(request: Request) -> ConsoleSettings:
    console = service_of(request).settings.console
    if not console.enabled:
        raise HTTPException(404)
    return console


def _answer(request: Request, path: str, console: ConsoleSettings) -> Response:
    file = built_files().get(path)
    if file is None:
        raise HTTPException(404)
    found = read_file(file)
    headers = _headers(console) | {
        "Cache-Control": _FOR_EVER if path.startswith(_ASSETS) else _ANEW,
        "ETag": f'"{found.tag}"',
        "Vary": "Accept-Encoding",
    }
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    body = found.body
    if found.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        body = found.packed
        headers["Content-Encoding"] = "gzip"
    return Response(body, headers=headers, media_type=found.kind)


def _headers(console: ConsoleSettings) -> dict[str, str]:
    return {
        "Content-Security-Policy": page_policy(console.tile_server),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }
