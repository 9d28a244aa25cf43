"""Route `/docs`: the API reference with requests to try, from files of the installation. Nothing is
loaded from elsewhere.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import fastapi_offline
from fastapi import APIRouter, FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

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
