"""The metrics of the service for Prometheus, read from its components at each scrape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from tocsin.catalog.tenants import Owned
from tocsin.runtime.admission import wall_clock
from tocsin.service.core.service import Service
from tocsin.service.delivery.service import Delivery
from tocsin.service.delivery.worker import DeliveryWorker


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
