"""Routes `/v1/check`, `/v1/explain`, `/v1/try`: validation and dry run of a subscription before it
is stored.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request

from tocsin.errors import MeaningProblem
from tocsin.runtime.admission import wall_clock
from tocsin.service.api.bodies import SUBSCRIPTION, TRIED, json_body
from tocsin.service.core.service import Service
from tocsin.service.http.access import AccessScope, Caller, caller_with
from tocsin.service.http.requests import object_of, run_work, service_of
from tocsin.service.subscriptions.dry_run import SHOWN, explain, read_subscription, try_out
from tocsin.values.time import is_instant, parse_duration

router = APIRouter(tags=["subscriptions"])

_DEFAULT_LAST = "24h"
_MAX_SHOWN = 1_000


@router.post("/v1/check", openapi_extra=json_body(SUBSCRIPTION))
async def check(request: Request) -> dict[str, Any]:
    """Return every problem of a subscription with its position and a fix, and its warnings."""
    service, caller, body = await _read_request(request)
    subscription = read_subscription(caller.tenant, body)

    def look() -> dict[str, Any]:
        problems = service.entries.problems(subscription)
        warnings = () if problems else service.entries.warnings(subscription)
        return {
            "ok": not problems,
            "problems": [each.as_json() for each in problems],
            "warnings": [each.as_json() for each in warnings],
        }

    return await run_work(request, caller.tenant, look)


@router.post("/v1/explain", openapi_extra=json_body(SUBSCRIPTION))
async def explain_subscription(request: Request) -> dict[str, Any]:
    """Return the plan of a subscription, and the bounds of its state."""
    service, caller, body = await _read_request(request)
    subscription = read_subscription(caller.tenant, body)
    return await run_work(request, caller.tenant, explain, service.entries, subscription)


@router.post("/v1/try", openapi_extra=json_body(TRIED))
async def try_subscription(request: Request, last: str | None = None) -> dict[str, Any]:
    """Return the matches that a subscription would have had among the stored events of `last`."""
    service, caller, body = await _read_request(request)
    rest = dict(body)
    said = rest.pop("last", None)
    span = last or said or _DEFAULT_LAST
    shown = rest.pop("limit", SHOWN)
    if not isinstance(span, str):
        raise MeaningProblem("last is a duration such as 24h", code="RequestError", token="last")
    if not is_instant(wall_clock() - parse_duration(span)):
        raise MeaningProblem(
            "last goes back to before the year 1",
            code="RequestError",
            token=span[:80],
            hint="write it like 24h; a long one such as 1000d takes all that is stored",
        )
    if not isinstance(shown, int) or isinstance(shown, bool) or not 0 <= shown <= _MAX_SHOWN:
        raise MeaningProblem(
            f"limit is a number from 0 to {_MAX_SHOWN}", code="RequestError", token="limit"
        )
    subscription = read_subscription(caller.tenant, rest)
    most = service.settings.limits.try_events
    tried = await run_work(
        request,
        caller.tenant,
        try_out,
        service.entries,
        service.log,
        subscription,
        span,
        shown,
        most,
    )
    return {"last": span, **asdict(tried)}


async def _read_request(request: Request) -> tuple[Service, Caller, dict[str, Any]]:
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)
    return service, caller, await object_of(request, service.settings.limits.request_bytes)
