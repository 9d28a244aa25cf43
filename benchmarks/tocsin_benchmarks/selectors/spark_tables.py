"""What Spark costs: the same workload through Spark on two cores, beside the engine alone on one
core.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tocsin_benchmarks.harness.results import Results
from tocsin_benchmarks.harness.table import NOTHING, Table, rounded
from tocsin_benchmarks.selectors.contenders import Name
from tocsin_benchmarks.selectors.workloads import Shape

_HEADER = (
    "way",
    "selectors",
    "attributes",
    "events",
    "first run",
    "events/s",
    "matches/s",
    "engine alone, events/s",
)
_NOTES = (
    (
        "Read from Parquet, written nowhere. The first run includes starting the workers and"
        " compiling the subscriptions in each of them; events/s is taken from the runs after it."
        " Engine alone: best batch size, one core, no Spark."
    ),
)


def spark_tables(results: Results) -> list[Table]:
    """The table of the runs through Spark; none where there were none."""
    if not results.spark:
        return []
    return [
        Table(
            "Spark, local[2], AND",
            _HEADER,
            tuple(_row(one, results) for one in results.spark),
            _NOTES,
        )
    ]


def _row(result: Mapping[str, Any], results: Results) -> tuple[str, ...]:
    trial = result["trial"]
    start = (
        trial["way"],
        f"{trial['subscriptions']:,}",
        str(trial["attributes"]),
        f"{trial['events']:,}",
    )
    alone = results.find(Name.TOCSIN, Shape.AND, trial["subscriptions"], trial["attributes"])
    if "refused" in result:
        return (*start, result["refused"], NOTHING, NOTHING, NOTHING)
    speed, matches = result["events_per_second"], result["matches"]
    return (
        *start,
        f"{rounded(result['first_seconds'])} s",
        rounded(speed),
        rounded(None if matches is None else matches / trial["events"] * speed),
        rounded(alone.events_per_second if alone else None),
    )
