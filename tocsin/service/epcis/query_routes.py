"""Routes `/queries`: named queries and their results."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from tocsin.errors import LimitProblem
from tocsin.service.epcis.answers import (
    address,
    make_empty_response,
    make_page_response,
    make_response,
    next_page,
)
from tocsin.service.epcis.event_search import find
from tocsin.service.epcis.exceptions import (
    ALREADY_EXISTS,
    NO_SUCH_NAME,
    QUERY_PARAMETER,
    SUBSCRIPTION_CONTROLS,
    EpcisException,
)
from tocsin.service.epcis.headers import RESPONSE_HEADERS, allow
from tocsin.service.epcis.paging import PageCursor, name_after, token_of
from tocsin.service.epcis.parameters import read_page
from tocsin.service.epcis.part import EpcisPart
from tocsin.service.epcis.queries import NamedQuery, read_query
from tocsin.service.epcis.requests import admit, part_in, read_object
from tocsin.service.epcis.schedule import FIELDS
from tocsin.service.http.requests import run_work

router = APIRouter(tags=["queries"])

_LIST = "queries"
_OF_WEBSOCKET = ("stream", "initialRecordTime", "reportIfEmpty", *FIELDS)


@router.post("/queries", status_code=201)
async def create_query(request: Request) -> Response:
    """Create a named query."""
    caller = admit(request)
    part = part_in(request)
    query = read_query(await read_object(request))
    await run_work(request, caller.tenant, _create, part, caller.tenant, query)
    location = address(request, "queries", query.name)
    return make_response(query.as_json(), 201, {"Location": location})


def _create(part: EpcisPart, tenant: str, query: NamedQuery) -> None:
    part.ask(query, tenant)
    if len(part.repository.queries(tenant, "", part.settings.queries)) >= part.settings.queries:
        raise LimitProblem(
            f"there are {part.settings.queries:,} queries, which is the limit", code="LimitError"
        )
    if not part.repository.add_query(tenant, query):
        raise EpcisException(
            ALREADY_EXISTS, f"there is a query {query.name!r}", hint="delete it first"
        )


@router.get("/queries")
def queries(request: Request) -> Response:
    """List the queries of the caller."""
    caller = admit(request)
    page = read_page(request.query_params)
    after = name_after(page.token, _LIST) if page.token else ""
    found = part_in(request).repository.queries(caller.tenant, after, page.per_page + 1)
    told = found[: page.per_page]
    token = token_of(PageCursor((told[-1].name,), 0), _LIST) if len(found) > len(told) else ""
    return make_response([query.as_json() for query in told], headers=next_page(request, token))


@router.get("/queries/{name}")
def query(request: Request, name: str) -> Response:
    """Return a query by its name."""
    caller = admit(request)
    return make_response(find_query(part_in(request), caller.tenant, name).as_json())


@router.delete("/queries/{name}", status_code=204)
def delete_query(request: Request, name: str) -> Response:
    """Delete a query and its subscriptions."""
    caller = admit(request)
    part = part_in(request)
    find_query(part, caller.tenant, name)
    part.repository.remove_query(caller.tenant, name)
    part.worker.wake()
    return make_empty_response(RESPONSE_HEADERS)


@router.get("/queries/{name}/events")
async def results(request: Request, name: str) -> Response:
    """Return the events that a query finds now."""
    caller = admit(request, xml=True)
    return await run_work(request, caller.tenant, _results, request, caller.tenant, name)


def _results(request: Request, tenant: str, name: str) -> Response:
    part = part_in(request)
    query = find_query(part, tenant, name)
    _require_plain(request)
    page = read_page(request.query_params)
    part.repository.catch_up()
    return make_page_response(
        request, find(part.repository.index, part.ask(query, tenant), page), name
    )


def _require_plain(request: Request) -> None:
    for given in request.query_params:
        if given in _OF_WEBSOCKET:
            raise EpcisException(
                SUBSCRIPTION_CONTROLS,
                f"{given} is for a WebSocket, and the request does not open one",
                token=given,
                hint="send Upgrade: websocket, or leave it out",
            )
        if given not in ("perPage", "nextPageToken"):
            raise EpcisException(
                QUERY_PARAMETER,
                f"{given[:80]} is no parameter here: what a query asks is in its definition",
                token=given[:80],
                hint="ask /events with parameters, or make another query",
            )


def find_query(part: EpcisPart, tenant: str, name: str) -> NamedQuery:
    """Return the query of that name; raise EpcisException if it is unknown."""
    found = part.repository.query(tenant, name)
    if found is None:
        raise EpcisException(NO_SUCH_NAME, f"there is no query {name[:200]!r}")
    return found


@router.options("/queries")
def queries_options() -> Response:
    """List the allowed methods of /queries."""
    return make_empty_response(allow(["GET", "POST"]))


@router.options("/queries/{name}")
def query_options() -> Response:
    """List the allowed methods of a query."""
    return make_empty_response(allow(["GET", "DELETE"]))


@router.options("/queries/{name}/events")
def results_options() -> Response:
    """List the allowed methods of the results of a query."""
    return make_empty_response(allow(["GET"]))
