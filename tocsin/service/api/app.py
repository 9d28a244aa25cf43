"""The HTTP application: all routes of one service."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import APIRouter, FastAPI
from starlette.routing import Route

from tocsin.service.api import (
    asking,
    definitions,
    events,
    matches,
    pages,
    status,
    subscriptions,
    why_not,
)
from tocsin.service.api.bodies import PROBLEMS
from tocsin.service.core.service import Service
from tocsin.service.http.problems import add_problem_handlers
from tocsin.version import __version__

ROUTERS = (
    events.router,
    asking.router,
    subscriptions.router,
    definitions.router,
    matches.router,
    matches.letter_router,
    status.router,
    status.session_router,
    status.network_router,
    why_not.router,
)


def create_app(service: Service, further: Iterable[APIRouter] = ()) -> FastAPI:
    """Return the application of a service; the caller starts and stops the service.

    Publishing is a plain route before all others, without the work that FastAPI does for each
    request.
    """
    app = FastAPI(title="Tocsin", version=__version__, docs_url=None, redoc_url=None)
    app.state.service = service
    add_problem_handlers(app)
    pages.serve_assets(app)
    app.include_router(pages.router)
    for router in (*ROUTERS, *further):
        app.include_router(router, responses=PROBLEMS)
    app.router.routes.insert(0, Route("/v1/events", events.publish, methods=["POST"]))
    return app
