"""`tocsin bench rules`: a thousand rules that count, watch for changes or for regions, beside loops
written by hand in the same run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tocsin_benchmarks.harness.output import save, show
from tocsin_benchmarks.harness.runner import about_machine, run_module
from tocsin_benchmarks.harness.table import NOTHING, Table, rounded
from tocsin_benchmarks.rules.workload import Question
from tocsin_benchmarks.selectors.command import _progress

EVENTS = 200_000
QUICK_EVENTS = 2_000
SHAPES = {
    Question.COUNT: (1_000, 100_000),
    Question.CHANGE: (1_000, 10_000),
    Question.REGION: (5_000, 10_000),
}
"""How many rules, and over how many keys."""

QUICK_SHAPES = dict.fromkeys(Question, (20, 100))
SPARK_EVENTS = 44_000
"""Fewer than in process: micro-batches on two cores take their time."""

_HEADER = (
    "each rule asks",
    "rules",
    "keys",
    "rings",
    "bytes to matches, events/s",
    "by hand, events/s",
    "ratio",
    "held for a key",
    "built in",
)
_SPARK_HEADER = (
    "rules",
    "keys",
    "events",
    "COUNT rules, events/s",
    "groupBy(window), events/s",
    "ratio",
    "rings",
    "groups of 3 or more",
)
_SPARK_NOTES = (
    "Seconds of the clock, two cores, RocksDB state with checkpoints; the first micro-batch of each"
    " is not counted.",
    "Spark's own count knows the one question that all rules ask. Its windows of 60 s do not"
    " overlap: what crosses a border is counted in two parts, and no group tells its events.",
)


def rules(
    events: Annotated[int | None, typer.Option(min=1, help="Events of each measurement.")] = None,
    quick: Annotated[
        bool, typer.Option(help="A few rules and events, to see that it works.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Rules and events are drawn from it.")] = 7,
    spark: Annotated[
        bool,
        typer.Option(
            help=(
                "Also the COUNT rules as a Spark stream on local[2], beside Spark's own count by"
                " window and key."
            )
        ),
    ] = False,
    output: Annotated[
        Path, typer.Option(help="Where results.json, report.md and the plot go.", file_okay=False)
    ] = Path("artifacts/bench-rules"),
) -> None:
    """Measure rules in process: counting for each key, changes of a state, regions crossed.

    Every measurement runs in a process of its own on one core, from bytes to matches.
    """
    count = events or (QUICK_EVENTS if quick else EVENTS)
    shapes = QUICK_SHAPES if quick else SHAPES
    saved: dict[str, Any] = {"machine": about_machine(), "seed": seed, "trials": [], "on_spark": []}
    with _progress(len(shapes) + spark) as advance:
        for question in shapes:
            advance(question.value)
            request = _request(question, shapes, count, seed)
            saved["trials"].append(run_module("tocsin_benchmarks.rules.trial", request))
            save(saved, output)
        if spark:
            advance("COUNT on Spark")
            request = _request(Question.COUNT, shapes, min(count, events or SPARK_EVENTS), seed)
            saved["on_spark"].append(run_module("tocsin_benchmarks.rules.spark_trial", request, {}))
            save(saved, output)
    show(
        saved,
        [table_of(saved["trials"]), *spark_tables_of(saved["on_spark"])],
        output,
        "rules.plot",
    )


def _request(
    question: Question, shapes: Mapping[Question, tuple[int, int]], events: int, seed: int
) -> dict[str, Any]:
    rules, keys = shapes[question]
    asked = {"question": question.name, "rules": rules, "keys": keys}
    return asked | {"events": events, "seed": seed}


def table_of(trials: Sequence[Mapping[str, Any]]) -> Table:
    """All questions in one table."""
    return Table("Rules", _HEADER, tuple(map(_row, trials)), _notes(trials))


def spark_tables_of(trials: Sequence[Mapping[str, Any]]) -> list[Table]:
    """The COUNT rules and Spark's own count; none where Spark was not asked for."""
    rows = tuple(map(_spark_row, trials))
    return (
        [Table("Rules, Spark stream on local[2]", _SPARK_HEADER, rows, _SPARK_NOTES)]
        if rows
        else []
    )


def _spark_row(figures: Mapping[str, Any]) -> tuple[str, ...]:
    trial = figures["trial"]
    shape = (f"{trial['rules']:,}", f"{trial['keys']:,}")
    if "refused" in figures:
        return (*shape, figures["refused"], *[NOTHING] * (len(_SPARK_HEADER) - 3))
    events = figures["measured_events"]
    ours, own = events / figures["seconds"], events / figures["spark_seconds"]
    return (
        *shape,
        f"{events:,}",
        rounded(ours),
        rounded(own),
        f"{ours / own:.2f}",
        f"{figures['matches']:,}",
        f"{figures['spark_groups']:,}",
    )


def _row(figures: Mapping[str, Any]) -> tuple[str, ...]:
    trial = figures["trial"]
    asked = (Question[trial["question"]].value, f"{trial['rules']:,}", f"{trial['keys']:,}")
    if "refused" in figures:
        return (*asked, figures["refused"], *[NOTHING] * (len(_HEADER) - 4))
    ours, by_hand = _speeds(figures)
    return (
        *asked,
        f"{figures['matches']:,}",
        rounded(ours),
        rounded(by_hand),
        f"{ours / by_hand:.2f}",
        f"{figures['bytes_per_key']:,.0f} B",
        f"{figures['build_seconds']:.1f} s",
    )


def _speeds(figures: Mapping[str, Any]) -> tuple[float, float]:
    events = figures["measured_events"]
    return events / figures["seconds"], events / figures["loop_seconds"]


def _notes(trials: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    differing = [
        trial["trial"]["question"]
        for trial in trials
        if trial.get("matches") != trial.get("loop_matches")
    ]
    said = f"DIFFERENT rings for {differing}." if differing else "Both ring equally often."
    return (
        f"By hand: one loop for one question, from the same bytes, which counts rings. {said}",
        "Ours decodes, checks and orders events, matches, detects and makes a match for each ring.",
        "Held for a key: memory after 20,000 events, the events that are kept included.",
    )
