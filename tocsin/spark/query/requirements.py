"""The capabilities that a query needs of the Spark it is made for, required before it is made."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import DataFrame

from tocsin.spark.plans.sources import LiveCatalog, Source
from tocsin.spark.query.metrics import Watch
from tocsin.spark.versions.capabilities import (
    Capability,
    is_remote,
    require_protobuf,
    support_of,
)


def require_support(
    events: DataFrame, source: Source, detects: bool, watch: Watch | None = None
) -> None:
    """Raise if the Spark of the events lacks a capability that the query needs.

    The protobuf of a server of Spark Connect is not known here.
    """
    found = support_of(events.sparkSession)
    needed = list(_needed(events, source, detects, watch))
    for each in needed:
        found.require(each)
    if Capability.COMPOSITES in needed and not is_remote(events.sparkSession):
        require_protobuf(found)


def _needed(
    events: DataFrame, source: Source, detects: bool, watch: Watch | None
) -> Iterator[Capability]:
    yield Capability.STREAMS if events.isStreaming else Capability.BATCH
    if detects and events.isStreaming:
        yield Capability.COMPOSITES
    if isinstance(source, LiveCatalog):
        yield Capability.LIVE_CATALOGS
    if watch is not None:
        yield Capability.METRICS
        if watch.by_subscription:
            yield Capability.METRICS_BY_SUBSCRIPTION
