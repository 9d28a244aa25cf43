"""Where a query has composites: the whole way from rows of events to matches and dead letters,
batch or streaming.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from tocsin.catalog import Catalog, Snapshot, Surroundings, compile_subscription
from tocsin.errors import MeaningProblem
from tocsin.hosts.spark.catalog_version import VERSION, version_table
from tocsin.hosts.spark.detection.backtest import BackTest, first_in_order, tested
from tocsin.hosts.spark.detection.clock import Pace
from tocsin.hosts.spark.detection.route import SENT, Sending
from tocsin.hosts.spark.detection.route_by_event import WANTED, Identity, Wanting
from tocsin.hosts.spark.detection.route_deduplicated import Forwarding
from tocsin.hosts.spark.detection.shards import DEFAULT_SHARDS, MOST_SHARDS
from tocsin.hosts.spark.detection.stream import detected
from tocsin.hosts.spark.detection.wrong_clocks import with_now
from tocsin.hosts.spark.layout import Layout
from tocsin.hosts.spark.sources import FIXED_VERSION, LiveCatalog, Source
from tocsin.hosts.spark.telling import IDS_ONLY, Telling
from tocsin.plan.atoms import Atom
from tocsin.plan.composites import Part
from tocsin.values.time import Duration, Instant

DEFAULT_LATENESS: Duration = 2_000_000

_ATOMIC_LANGUAGES = frozenset({"selector"})
"""Languages without composites: a long list of them need not be compiled to know that there is
none.
"""


@dataclass(frozen=True, slots=True)
class Detection:
    """How composites are detected: shards, the clock of a stream; where the clock of finite input
    ends, who is late.

    `ahead` says how far beyond the clock of the host an event may end; None for any time.
    """

    shards: int = DEFAULT_SHARDS
    pace: Pace = field(default_factory=lambda: Pace(DEFAULT_LATENESS))
    until: Instant | None = None
    late: frozenset[Identity] = frozenset()
    ahead: Duration | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.shards <= MOST_SHARDS:
            raise MeaningProblem(f"shards is a number from 1 to {MOST_SHARDS}, got {self.shards}")


@dataclass(frozen=True, slots=True)
class Given:
    """Rows of events, each with the version of the catalog that it meets, how to read them and whom
    to ring.
    """

    rows: DataFrame
    layout: Layout
    source: Source
    telling: Telling = IDS_ONLY


def composites_in(snapshot: Snapshot) -> Iterator[tuple[str, Part]]:
    """The composites of a list or catalog, by subscription; what does not compile is none."""
    light = Surroundings.of(snapshot.definitions)
    for subscription in snapshot.subscriptions:
        if subscription.language in _ATOMIC_LANGUAGES:
            continue
        try:
            plan = compile_subscription(subscription, light)
        except Exception:  # whatever it is, the match tasks tell it
            continue
        if not isinstance(plan.pattern, Atom):
            yield subscription.id, plan.pattern


def detected_in(
    given: Given, detection: Detection, once: bool, remembered: Duration | None
) -> DataFrame:
    """(match, dead_letter) of atomic and composite subscriptions.

    `once`: in a batch each identity counts once. `remembered`: how long a stream remembers
    identities, None for not.
    """
    rows, layout, source, shards, telling = (
        given.rows,
        given.layout,
        given.source,
        detection.shards,
        given.telling,
    )
    ahead = detection.ahead
    if ahead is not None:
        rows = with_now(rows)
    if not rows.isStreaming:
        wanting = Wanting(layout, source, shards, once, detection.late, telling, ahead)
        by_event = rows.mapInArrow(wanting, WANTED)
        test = BackTest(source, shards, detection.until, telling)
        return tested(first_in_order(by_event) if once else by_event, _versions(given), test)
    if remembered is None:
        messages = rows.mapInArrow(Sending(layout, source, shards, telling, ahead), SENT)
    else:
        wanting = Wanting(layout, source, shards, with_content=False, telling=telling, ahead=ahead)
        by_event = rows.mapInArrow(wanting, WANTED)
        messages = _first_that_came(by_event, remembered).mapInArrow(Forwarding(shards), SENT)
    return detected(messages, source, shards, detection.pace, telling)


def _first_that_came(by_event: DataFrame, remembered: Duration) -> DataFrame:
    came = by_event.withColumn("came", F.current_timestamp())
    watched = came.withWatermark("came", f"{remembered // 1000} milliseconds")
    return watched.dropDuplicatesWithinWatermark(["identity"]).drop("came")


def _versions(given: Given) -> DataFrame:
    spark = given.rows.sparkSession
    if isinstance(given.source, LiveCatalog):
        return version_table(spark, Catalog(given.source.url)).withColumnRenamed(VERSION, "version")
    return spark.range(1).select(F.lit(FIXED_VERSION).cast("bigint").alias("version"))
