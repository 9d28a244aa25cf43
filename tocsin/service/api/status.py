"""Routes for the state of the service: liveness, readiness, metrics, rates and operators.

`/healthz`, `/readyz` and `/metrics` are for operators; `/v1/session`, `/v1/statistics`, `/v1/plan`
and `/v1/subscriptions/{id}/waiting` are for a tenant.

The metrics for Prometheus are read from the components at each scrape.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from tocsin.catalog.tenants import Owned
from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.explain.waiting import describe_waiting, seen_waiting
from tocsin.runtime.admission import wall_clock
from tocsin.service.console.network import take_look
from tocsin.service.console.tally import MINUTES
from tocsin.service.core.service import Service
from tocsin.service.delivery.service import Delivery
from tocsin.service.delivery.worker import DeliveryWorker
from tocsin.service.http.access import AccessScope, caller_of, caller_with
from tocsin.service.http.requests import run_read, service_of
from tocsin.service.storage.subscription_status import StoredFailure
from tocsin.values.time import format_instant
from tocsin.version import __version__


def metrics_text(service: Service, *, by_subscription: bool, tenant: str | None = None) -> bytes:
    """Return all metrics in the text format; single subscriptions only if `by_subscription`.

    With a tenant: its own metrics and those of events, which all tenants share.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Figures(service, by_subscription, tenant))
    return generate_latest(registry)


class _Figures(Collector):
    def __init__(self, service: Service, by_subscription: bool, tenant: str | None) -> None:
        self._service = service
        self._by_subscription = by_subscription
        self._tenant = tenant

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics with their current values."""
        yield from self._counted()
        yield from self._letters()
        yield from self._lag()
        yield self._steps()
        if self._tenant is None:
            yield from self._load()
            yield from self._sizes()
            yield from self._deliveries()
        if self._by_subscription:
            yield self._match_metric()

    def _matches(self) -> Iterator[tuple[Owned, int]]:
        """Yield the number of matches of each subscription in scope."""
        for key, count in sorted(dict(self._service.counters.by_subscription).items()):
            whose = Owned.of_key(key)
            if self._tenant in (None, whose.tenant):
                yield whose, count

    def _deliveries(self) -> Iterator[Metric]:
        for part in self._service.parts:
            if isinstance(part, Delivery):
                yield from delivery_figures(part.worker)

    def _counted(self) -> Iterator[Metric]:
        counts = self._service.counters
        own = self._tenant is not None
        matches = sum(count for _, count in self._matches()) if own else counts.matches
        for name, text, value in (
            ("events", "Events that were served", counts.events),
            ("matches", "Matches that were found", matches),
            ("late_events", "Events that came behind the watermark", counts.late),
            ("duplicates", "Duplicate events dropped", counts.duplicates),
            (
                "snapshot_fallbacks",
                "Damaged snapshots that the runner passed over",
                self._service.progress.fallbacks,
            ),
        ):
            yield CounterMetricFamily(f"tocsin_{name}", text, value=value)

    def _letters(self) -> Iterator[Metric]:
        letters = CounterMetricFamily(
            "tocsin_dead_letters", "Dead letters by code", labels=["code"]
        )
        by_code: Counter[str] = Counter()
        for (tenant, code), count in dict(self._service.counters.letters).items():
            if self._tenant in (None, tenant):
                by_code[code] += count
        for code, count in sorted(by_code.items()):
            letters.add_metric([code], count)
        yield letters

    def _lag(self) -> Iterator[Metric]:
        service = self._service
        status = service.runner.status()
        behind = max(0, service.log.head - status.position)
        yield GaugeMetricFamily("tocsin_ready", "1 where events are matched", status.is_ready)
        yield GaugeMetricFamily("tocsin_log_position", "Events in the log", service.log.head)
        yield GaugeMetricFamily("tocsin_lag_events", "Events that wait to be matched", behind)
        yield GaugeMetricFamily(
            "tocsin_lag_seconds",
            "Age of the oldest unmatched event, in seconds",
            self._waits(behind),
        )

    def _load(self) -> Iterator[Metric]:
        waiting = self._service.runner.status().waiting
        yield GaugeMetricFamily("tocsin_state_waiting", "Partial matches held in state", waiting)
        yield GaugeMetricFamily("tocsin_streams", "Listeners to matches", self._service.streams)

    def _waits(self, behind: int) -> float:
        if not behind:
            return 0.0
        position = self._service.runner.status().position + 1
        row = self._service.log.rows_at([position]).get(position)
        return 0.0 if row is None else max(0, wall_clock() - row.received) / 1_000_000

    def _sizes(self) -> Iterator[Metric]:
        state = self._service.counters.snapshot_bytes
        yield GaugeMetricFamily("tocsin_state_bytes", "The last snapshot of the state", state)
        if self._service.settings.database is None:
            size = sum(_size(each) for each in self._service.settings.data.glob("*.db*"))
            yield GaugeMetricFamily("tocsin_database_bytes", "All that is kept", size)

    def _steps(self) -> Metric:
        counts = self._service.counters
        buckets = [(str(bound), float(count)) for bound, count in counts.cumulated()]
        return HistogramMetricFamily(
            "tocsin_batch_seconds", "How long a batch takes", buckets, sum_value=counts.seconds
        )

    def _match_metric(self) -> Metric:
        rings = CounterMetricFamily(
            "tocsin_subscription_matches",
            "Matches by subscription",
            labels=["tenant", "subscription"],
        )
        for whose, count in self._matches():
            rings.add_metric([whose.tenant, whose.name], count)
        return rings


def delivery_figures(worker: DeliveryWorker) -> Iterator[Metric]:
    """Yield the outcomes of deliveries, and how many subscriptions have undelivered matches."""
    outcomes = CounterMetricFamily(
        "tocsin_deliveries", "Messages by outcome; buried are matches given up", labels=["outcome"]
    )
    for outcome in ("delivered", "failed", "gone", "buried"):
        outcomes.add_metric([outcome], worker.outcomes[outcome])
    yield outcomes
    waiting = "Subscriptions with matches that are not delivered yet"
    yield GaugeMetricFamily("tocsin_deliveries_waiting", waiting, worker.under_way)
    yield GaugeMetricFamily("tocsin_delivered_subscriptions", "Those with a target", worker.lines)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


router = APIRouter(tags=["health"])


@router.get("/healthz")
async def is_alive() -> dict[str, str]:
    """Return 200 while the process responds."""
    return {"status": "alive"}


@router.get("/readyz")
async def is_ready(request: Request) -> Response:
    """Return 200 while events are accepted and matched, else 503."""
    service = service_of(request)
    status = service.runner.status()
    told = {
        "status": "ready" if status.is_ready else "not ready",
        "engine": str(service.settings.engine),
        "position": status.position,
        "head": service.log.head,
        "lag": max(0, service.log.head - status.position),
        "error": status.error,
    }
    return JSONResponse(told, 200 if status.is_ready else 503)


@router.get("/metrics", response_class=PlainTextResponse)
async def tell_metrics(request: Request) -> Response:
    """Return metrics for Prometheus. Those of single subscriptions are for admins only: a tenant's
    admin gets its own, the admin without a tenant all.
    """
    service = service_of(request)
    try:
        caller = caller_with(request, AccessScope.ADMIN)
    except Problem:
        is_admin, tenant = False, None
    else:
        is_admin, tenant = True, caller.tenant or None
    text = await asyncio.to_thread(metrics_text, service, by_subscription=is_admin, tenant=tenant)
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")


# The caller, its scopes, and the service.

session_router = APIRouter(tags=["session"])


@session_router.get("/v1/session")
async def tell_session(request: Request) -> dict[str, Any]:
    """Return the tenant and the scopes of the key, and version and engine of the service.

    Any valid key is accepted; without authentication none is needed.
    """
    settings = service_of(request).settings
    caller = caller_of(request)
    return {
        "version": __version__,
        "engine": str(settings.engine),
        "auth": settings.auth,
        "tenant": caller.tenant,
        "scopes": sorted(str(each) for each in caller.scopes),
        "tiles": settings.console.tiles,
        "server_time": format_instant(wall_clock()),
    }


# Rates of events and matches, now and over the last hour.

Each = Annotated[bool, Query(description="Whether single subscriptions are told, too.")]


@router.get("/v1/statistics")
async def tell_statistics(request: Request, subscriptions: Each = True) -> Response:
    """Return counts: events of all tenants; matches, dead letters and subscriptions of the caller.

    `minutes` are the last sixty, oldest first; the last one is the current minute.
    """
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)

    def look() -> str:
        told = service.statistics.summarize(caller.tenant)
        told["subscriptions"] = _each(service, caller.tenant) if subscriptions else {}
        told["spark"] = service.runner.engine_health()
        return json_text(told)

    return Response(await run_read(request, caller.tenant, look), media_type="application/json")


def _each(service: Service, tenant: str) -> dict[str, Any]:
    rung = service.statistics.matches_by_subscription(tenant)
    waiting = service.network.waiting_by_subscription(tenant)
    silent = {"matches": 0, "minutes": [0] * MINUTES}
    found: dict[str, Any] = {}
    for listed in service.entries.list_all(tenant):
        id = Owned.of_key(listed.subscription.id).name
        found[id] = rung.get(id, silent) | {
            "waiting": waiting.get(id, 0),
            "trouble": _trouble(listed.trouble),
        }
    return found


def _trouble(trouble: StoredFailure | None) -> str | None:
    """Return the reason why a subscription is suspended, or None."""
    return None if trouble is None else f"{trouble.code}: {trouble.reason}"


# The running operators, and the partial matches in them.

network_router = APIRouter(tags=["subscriptions"])


@network_router.get("/v1/plan")
async def tell_plan(request: Request) -> dict[str, Any]:
    """Return the operators of all subscriptions of the caller: kind, inputs, subscriptions, partial
    matches held and occurrences received. Needs `--engine local`.
    """
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)

    def look() -> dict[str, Any]:
        return service.network.plan(caller.tenant, service.statistics.totals(caller.tenant))

    return await run_read(request, caller.tenant, look)


@network_router.get("/v1/subscriptions/{id}/waiting")
async def tell_waiting(id: str, request: Request) -> dict[str, Any]:
    """Return the partial matches of a subscription, what they need and until when, soonest end
    first. Needs `--engine local`.
    """
    service = service_of(request)
    caller = caller_with(request, AccessScope.SUBSCRIBE)

    def look() -> dict[str, Any]:
        subscription = service.entries.get(caller.tenant, id).subscription
        name = Owned(caller.tenant, id).key
        seen = take_look(service.runner, lambda hub: seen_waiting(hub, name))
        sources = service.entries.sources_of(subscription)
        return {"waiting": describe_waiting(seen, sources), "left_out": seen[2]}

    return await run_read(request, caller.tenant, look)
