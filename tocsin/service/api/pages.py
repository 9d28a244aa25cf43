"""The pages of the service, from files of the installation; nothing is loaded from elsewhere.

Route `/docs` is the API reference with requests to try; `/` and `/assets/...` are the console,
which loads map tiles if the settings name a server.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import fastapi_offline
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from tocsin.service.console.files import INDEX, NOT_BUILT, built_files, page_policy, read_file
from tocsin.service.http.requests import service_of
from tocsin.service.settings.settings import ConsoleSettings

ASSETS = "/docs/assets"

_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)

router = APIRouter(include_in_schema=False)


@router.get("/docs")
async def show_docs() -> HTMLResponse:
    """Return the page, which may load and run its own files only."""
    page = get_swagger_ui_html(
        openapi_url="openapi.json",
        title="Tocsin",
        swagger_js_url="docs/assets/swagger-ui-bundle.js",
        swagger_css_url="docs/assets/swagger-ui.css",
        swagger_favicon_url="docs/assets/favicon.png",
    )
    page.headers.update(_headers(bytes(page.body).decode()))
    return page


def _headers(page: str) -> dict[str, str]:
    """Return headers that allow the page its files and its inline scripts, by their hashes.

    Swagger UI sets inline styles that cannot be listed beforehand.
    """
    scripts = " ".join(f"'sha256-{_digest(each)}'" for each in _INLINE.findall(page))
    policy = (
        "default-src 'none'",
        f"script-src 'self' {scripts}",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
    return {
        "Content-Security-Policy": "; ".join(policy),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode()


def serve_assets(app: FastAPI) -> None:
    """Add the route of the page's files."""
    folder = Path(fastapi_offline.__file__).parent / "static"
    app.mount(ASSETS, StaticFiles(directory=folder), name="docs-assets")


# The console.

_FOR_EVER = "public, max-age=31536000, immutable"
"""Cache header of files below assets, whose names contain a hash of their content."""

_ANEW = "no-cache"
_ASSETS = "assets/"


@router.api_route("/", methods=["GET", "HEAD"])
async def show_console(request: Request) -> Response:
    """Return the page of the console; if it is not built, one with instructions."""
    console = _settings_of(request)
    if INDEX not in built_files():
        return Response(NOT_BUILT, 404, _console_headers(console), "text/html; charset=utf-8")
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
    headers = _console_headers(console) | {
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


def _console_headers(console: ConsoleSettings) -> dict[str, str]:
    return {
        "Content-Security-Policy": page_policy(console.tile_server),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }
