"""The patterns as a Spark stream over rows of a micro-batch and over shards, beside a stream that
reads the same files and does nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tocsin_benchmarks.harness.table import NOTHING, Table, rounded

CORES = 2
"""What the streams run on; they have as many shards unless it is said."""

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


Lines = dict[str, list[tuple[int, float]]]
"""Points of a plot, by label."""


def lines_over_rows(trials: Sequence[Mapping[str, Any]]) -> Lines:
    """Events per second by rows of a micro-batch, with as many shards as cores, or the first number
    that was asked for; the bare stream beside them.
    """
    shards = _shards_of(trials)
    chosen = CORES if CORES in shards else next(iter(shards), None)
    return _lines(
        (each, each["trial"]["rows"])
        for each in trials
        if each["trial"].get("bare") or each["trial"].get("shards") == chosen
    )


def lines_over_shards(trials: Sequence[Mapping[str, Any]]) -> Lines:
    """Events per second by shards, with the most rows that were asked for."""
    most = max((each["trial"]["rows"] for each in trials), default=0)
    return _lines(
        (each, each["trial"].get("shards", CORES))
        for each in trials
        if each["trial"]["rows"] == most and not each["trial"].get("bare")
    )


def _shards_of(trials: Sequence[Mapping[str, Any]]) -> dict[int | None, None]:
    own = (each["trial"] for each in trials if not each["trial"].get("bare"))
    return dict.fromkeys(each.get("shards") for each in own)


def _lines(points: Iterable[tuple[Mapping[str, Any], int]]) -> Lines:
    lines: Lines = {}
    for figures, x in points:
        asked = figures["trial"]
        label = "bare stream" if asked.get("bare") else _patterns(asked["patterns"])
        lines.setdefault(label, []).append((x, figures["measured_events"] / figures["seconds"]))
    return {label: sorted(each) for label, each in lines.items()}


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


def _patterns(count: int) -> str:
    return f"{count:,} pattern" + "s" * (count != 1)
