"""What is measured through Spark. The names of the ways are all that is needed here: Spark itself
is not imported.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from tocsin_benchmarks.selectors.schedule import Options

EVENTS = 50_000
MANY_COLUMNS = 1_000
"""Beyond this many boolean columns Spark needs more memory than a benchmark should take."""


class Way(StrEnum):
    """How events are matched in Spark."""

    TYPED = "tocsin.spark.match, typed columns"
    DEDUPLICATED = "tocsin.spark.match, typed columns, each event once"
    JSON = "tocsin.spark.match, CloudEvents JSON"
    BOOLEANS = "one boolean column per subscription"


def spark_requests(options: Options) -> list[tuple[str, dict[str, Any]]]:
    """Titles and trials as plain data."""
    return [
        (
            f"Spark, {size:,} x {attributes}: {way.value}",
            _request(way, size, attributes, options.seed),
        )
        for size in options.spark_sizes
        for attributes in options.attributes[:1]
        for way in Way
        if way is not Way.BOOLEANS or size <= MANY_COLUMNS
    ]


def _request(way: Way, subscriptions: int, attributes: int, seed: int) -> dict[str, Any]:
    return {
        "way": way.value,
        "subscriptions": subscriptions,
        "attributes": attributes,
        "events": EVENTS,
        "seed": seed,
    }
