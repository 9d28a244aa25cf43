"""The application below /epcis: all resources of the standard's interface, with its own error
documents.
"""

from __future__ import annotations

from fastapi import FastAPI, Request, Response

from tocsin.service.core.service import Service
from tocsin.service.epcis import event_routes, query_routes
from tocsin.service.epcis.answers import (
    add_exception_handlers,
    allow,
    make_empty_response,
    make_response,
)
from tocsin.service.epcis.documents import collection
from tocsin.service.epcis.exceptions import NOT_IMPLEMENTED, EpcisException
from tocsin.service.epcis.part import admit, part_of
from tocsin.version import __version__

TOP_LEVEL = (
    *("capture", "events", "eventTypes", "epcs", "bizSteps", "bizLocations"),
    *("readPoints", "dispositions", "queries"),
)
_ROUTERS = (
    event_routes.capture_router,
    query_routes.router,
    query_routes.subscription_router,
    event_routes.router,
)
"""Routers in order of matching: those of events come last, as their paths begin with any word."""


def create_epcis_app(service: Service) -> FastAPI:
    """Return the EPCIS application of a service."""
    app = FastAPI(title="Tocsin: EPCIS 2.0", version=__version__, docs_url=None, redoc_url=None)
    app.state.service = service
    app.state.part = part_of(service)
    add_exception_handlers(app)

    @app.get("/")
    def top(request: Request) -> Response:
        """List the top-level resources."""
        admit(request)
        return make_response(collection(TOP_LEVEL))

    @app.options("/")
    def top_options() -> Response:
        """List the allowed methods of the root."""
        return make_empty_response(allow(["GET"]))

    @app.delete("/nextPageToken/{token}")
    def forget_token(request: Request) -> Response:
        """Refuse with 501: tokens are not stored, so that they cannot be invalidated."""
        admit(request)
        raise EpcisException(
            NOT_IMPLEMENTED, "a nextPageToken is not kept by the server and cannot be invalidated"
        )

    for router in _ROUTERS:
        app.include_router(router)
    return app
