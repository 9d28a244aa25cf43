"""Routes `/queries`: named queries, their results, and receivers of new results.

`/queries/{name}/subscriptions` are the receivers, by webhook or WebSocket.
"""

from __future__ import annotations

import asyncio
import contextlib
from uuid import uuid4

from fastapi import APIRouter, Request, Response, WebSocket, WebSocketDisconnect

from tocsin.errors import LimitProblem, Problem
from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.runtime.admission import wall_clock
from tocsin.service.epcis.answers import (
    RESPONSE_HEADERS,
    address,
    allow,
    epc_format_of,
    exception_of_problem,
    make_empty_response,
    make_page_response,
    make_response,
    next_page,
)
from tocsin.service.epcis.event_search import NamedQuery, find, read_query, require_standing
from tocsin.service.epcis.exceptions import (
    ALREADY_EXISTS,
    NO_SUCH_NAME,
    NO_SUCH_RESOURCE,
    QUERY_PARAMETER,
    SUBSCRIPTION_CONTROLS,
    EpcisException,
    exception_of,
)
from tocsin.service.epcis.parameters import PageCursor, name_after, read_page, token_of
from tocsin.service.epcis.part import (
    EpcisPart,
    admit,
    admit_listener,
    part_in,
    read_object,
    service_in,
)
from tocsin.service.epcis.query_subscriptions import (
    FIELDS,
    QuerySubscription,
    ReportSchedule,
    read_receiver,
    read_terms,
    terms_of_url,
)
from tocsin.service.epcis.reports import report_of
from tocsin.service.http.access import Caller, stream_while_valid
from tocsin.service.http.requests import CountedStream, run_work

router = APIRouter(tags=["queries"])

_QUERIES = "queries"
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
    after = name_after(page.token, _QUERIES) if page.token else ""
    found = part_in(request).repository.queries(caller.tenant, after, page.per_page + 1)
    told = found[: page.per_page]
    token = token_of(PageCursor((told[-1].name,), 0), _QUERIES) if len(found) > len(told) else ""
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


# Subscriptions of a query.

subscription_router = APIRouter(tags=["subscriptions"])

_SUBSCRIPTIONS = "subscriptions"
_POLICY_VIOLATION = 1008
_GOING_AWAY = 1001


@subscription_router.post("/queries/{name}/subscriptions", status_code=201)
async def subscribe(request: Request, name: str) -> Response:
    """Subscribe a receiver to the results of a query."""
    caller = admit(request)
    part = part_in(request)
    body = await read_object(request)
    dest, token = read_receiver(body)
    terms = read_terms(body, epc_format_of(request.headers))
    made = await run_work(
        request, caller.tenant, _subscribe, part, caller.tenant, name, terms, dest, token
    )
    part.worker.wake()
    location = address(request, "queries", name, "subscriptions", made.id)
    return make_response(made.as_json(), 201, {"Location": location})


def _subscribe(
    part: EpcisPart, tenant: str, name: str, terms: ReportSchedule, dest: str, token: str
) -> QuerySubscription:
    made = _standing(part, tenant, name, terms, dest, token)
    try:
        part.worker.require_reachable(dest)
    except Problem as problem:
        raise exception_of(SUBSCRIPTION_CONTROLS, problem) from None
    most = part.settings.subscriptions
    if len(part.repository.subscriptions(tenant, name, limit=most)) >= most:
        raise LimitProblem(f"the query has {most:,} subscriptions, which is the limit")
    part.repository.add_subscription(made)
    return made


def _standing(
    part: EpcisPart, tenant: str, name: str, terms: ReportSchedule, dest: str = "", token: str = ""
) -> QuerySubscription:
    """Return a subscription that begins now, or with the events recorded since its initial time."""
    require_standing(part.ask(find_query(part, tenant, name), tenant))
    part.repository.catch_up()
    index, now = part.repository.index, wall_clock()
    start = index.last_number() if terms.initial is None else index.number_before(terms.initial)
    due = terms.next_after(now)
    return QuerySubscription(
        str(uuid4()), tenant, name, terms, dest, now, token, start, due, None, terms.initial
    )


@subscription_router.get("/queries/{name}/subscriptions")
def subscriptions(request: Request, name: str) -> Response:
    """List the subscriptions of a query."""
    caller = admit(request)
    part = part_in(request)
    find_query(part, caller.tenant, name)
    page = read_page(request.query_params)
    after = name_after(page.token, _SUBSCRIPTIONS) if page.token else ""
    found = part.repository.subscriptions(caller.tenant, name, after, page.per_page + 1)
    told = found[: page.per_page]
    token = (
        token_of(PageCursor((told[-1].id,), 0), _SUBSCRIPTIONS) if len(found) > len(told) else ""
    )
    return make_response([each.as_json() for each in told], headers=next_page(request, token))


@subscription_router.get("/queries/{name}/subscriptions/{id}")
def subscription(request: Request, name: str, id: str) -> Response:
    """Return a subscription by its id."""
    caller = admit(request)
    part = part_in(request)
    find_query(part, caller.tenant, name)
    found = part.repository.subscription(caller.tenant, name, id)
    if found is None:
        raise _no_subscription(id)
    return make_response(found.as_json())


@subscription_router.delete("/queries/{name}/subscriptions/{id}", status_code=204)
def unsubscribe(request: Request, name: str, id: str) -> Response:
    """Delete a subscription."""
    caller = admit(request)
    part = part_in(request)
    find_query(part, caller.tenant, name)
    if not part.repository.remove_subscription(caller.tenant, name, id):
        raise _no_subscription(id)
    part.worker.wake()
    return make_empty_response(RESPONSE_HEADERS)


@subscription_router.websocket("/queries/{name}/events")
async def stream(socket: WebSocket, name: str) -> None:
    """Send the results of a query as documents, until the client leaves or the query is deleted."""
    part = part_in(socket)
    try:
        caller = admit_listener(socket)
        terms = terms_of_url(socket.query_params, epc_format_of(socket.headers))
        work = service_in(socket).work
        standing = await work.run(caller.tenant, _standing, part, caller.tenant, name, terms)
        counted = CountedStream(service_in(socket), caller.tenant)
    except (EpcisException, Problem) as error:
        refused = exception_of_problem(error) if isinstance(error, Problem) else error
        told = refused.as_json()
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await socket.accept()
            await socket.send_json(told)
            await socket.close(_POLICY_VIOLATION, str(told.get("type", "refused"))[:100])
        return
    with counted:
        await socket.accept()
        sending = asyncio.create_task(_send(socket, part, standing, caller))
        leaving = asyncio.create_task(_left(socket))
        await asyncio.wait([sending, leaving], return_when=asyncio.FIRST_COMPLETED)
        for task in (sending, leaving):
            task.cancel()
        await asyncio.gather(sending, leaving, return_exceptions=True)
        code = _GOING_AWAY if caller.is_admitted() else _POLICY_VIOLATION
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await socket.close(code)


async def _send(
    socket: WebSocket, part: EpcisPart, standing: QuerySubscription, caller: Caller
) -> None:
    async for news in stream_while_valid(caller, part.worker.news(standing)):
        if news.events or standing.terms.report_if_empty:
            await socket.send_text(json_text(report_of(standing, news.events, wall_clock())))


async def _left(socket: WebSocket) -> None:
    """Return when the client leaves; its messages are ignored."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass


def _no_subscription(id: str) -> EpcisException:
    return EpcisException(NO_SUCH_RESOURCE, f"there is no subscription {id[:80]!r}")


@subscription_router.options("/queries/{name}/subscriptions")
def subscriptions_options() -> Response:
    """List the allowed methods of the subscriptions of a query."""
    return make_empty_response(allow(["GET", "POST"]))


@subscription_router.options("/queries/{name}/subscriptions/{id}")
def subscription_options() -> Response:
    """List the allowed methods of a subscription."""
    return make_empty_response(allow(["DELETE", "GET"]))
