"""The patterns as a Spark stream over rows of a micro-batch and over shards, beside a stream that
reads the same files and does nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tocsin_benchmarks.harness.table import NOTHING, Table, rounded

_HEADER = (
    "rows a micro-batch",
    "patterns",
    "density",
    "shards",
    "events/s",
    "median batch",
    "longest batch",
    "of a bare batch",
)


def micro_batch_requests(
    rows: Sequence[int], shards: Sequence[int], asked: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """For each number of rows the bare stream, then what is asked with each number of shards."""
    requests: list[dict[str, Any]] = []
    for count in rows:
        for number, request in enumerate(asked):
            own = {**request, "rows": count}
            requests += [own | {"bare": True}] if number == 0 else []
            requests += [own | {"shards": each} for each in shards] or [own]
    return requests


def micro_batch_tables_of(trials: Sequence[Mapping[str, Any]]) -> list[Table]:
    """One row for each stream; none where there are none."""
    if not trials:
        return []
    bare = {
        each["trial"]["rows"]: each["median_seconds"]
        for each in trials
        if each["trial"].get("bare")
    }
    rows = tuple(_row(each, bare[each["trial"]["rows"]]) for each in trials)
    note = (
        "Seconds of the clock on local[2]; the first micro-batch is not counted, and there are ten"
        " more. The last column is the median beside that of a stream that reads the same files and"
        " counts them."
    )
    return [Table("Micro-batches, Spark stream", _HEADER, rows, (note,))]


def _row(figures: Mapping[str, Any], bare: float) -> tuple[str, ...]:
    asked = figures["trial"]
    is_bare = asked.get("bare", False)
    return (
        f"{asked['rows']:,}",
        "bare stream" if is_bare else f"{asked['patterns']:,}",
        NOTHING if is_bare else asked["density"],
        NOTHING if is_bare else str(asked.get("shards", "as cores")),
        rounded(figures["measured_events"] / figures["seconds"]),
        f"{figures['median_seconds']:.2f} s",
        f"{figures['longest_seconds']:.2f} s",
        f"{figures['median_seconds'] / bare:.2f}",
    )
