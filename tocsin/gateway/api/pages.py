"""`/docs`: the addresses to read and to try, from files of the installation. Nothing is fetched
from elsewhere.
"""

from __future__ import annotations

from pathlib import Path

import fastapi_offline
from fastapi import APIRouter, FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

ASSETS = "/docs/assets"

router = APIRouter(include_in_schema=False)


@router.get("/docs")
async def show_docs() -> HTMLResponse:
    """The page."""
    return get_swagger_ui_html(
        openapi_url="openapi.json",
        title="Tocsin",
        swagger_js_url="docs/assets/swagger-ui-bundle.js",
        swagger_css_url="docs/assets/swagger-ui.css",
        swagger_favicon_url="docs/assets/favicon.png",
    )


def serve_assets(app: FastAPI) -> None:
    """The files that the page is made of."""
    folder = Path(fastapi_offline.__file__).parent / "static"
    app.mount(ASSETS, StaticFiles(directory=folder), name="docs-assets")
