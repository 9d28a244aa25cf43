"""`tocsin bench sequences`: K patterns over a keyed stream, dense and sparse, beside a bare loop
that finds as many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tocsin_benchmarks.harness.output import milliseconds, plotted, save, show
from tocsin_benchmarks.harness.runner import about_machine, run_module
from tocsin_benchmarks.harness.table import NOTHING, Table, rounded
from tocsin_benchmarks.selectors.command import _numbers, _progress
from tocsin_benchmarks.sequences.micro_batches import micro_batch_requests, micro_batch_tables_of
from tocsin_benchmarks.sequences.workload import Density

SIZES = (1, 10, 100, 1_000, 10_000)
EVENTS = 200_000
CORES = ({"cores": 1, "pinned": True}, {"cores": 1}, {"cores": 2})
"""What one keyed composite is measured on, as a Spark stream. A stream on `local[1]` works on more
than one core where there are more: while Python detects, the JVM reads, compiles and cleans up. So
one core is also measured with all others taken away.
"""
DEFAULT_OUTPUT = Path("artifacts/bench-sequences")
MICRO_BATCH_PLOT = "sequences.micro_batch_plot"
MICRO_BATCH_PICTURE = "micro-batches.png"

_HEADER = (
    "patterns",
    "distinct",
    "events/s",
    "without decoding",
    "through the Hub",
    "and told",
    "matches/s",
    "matches/event",
    "p50",
    "p99",
    "bytes/pending",
    "in a snapshot",
    "pending",
    "snapshot of all",
    "built in",
    "bare loop, events/s",
)


def sequences(
    sizes: Annotated[
        str | None, typer.Option(help="Numbers of patterns, as 1,10,100,1000,10000.")
    ] = None,
    density: Annotated[
        list[Density] | None,
        typer.Option(
            help=(
                "dense: ten kinds; unlike: dense, no two patterns equal; sparse: kinds grow with"
                " patterns."
            )
        ),
    ] = None,
    events: Annotated[int, typer.Option(min=1, help="Events of each measurement.")] = EVENTS,
    seed: Annotated[int, typer.Option(help="Events are drawn from it.")] = 5,
    spark: Annotated[
        bool,
        typer.Option(
            help=(
                "Also as a Spark stream on local[2] with checkpoints, and one keyed composite on"
                " one core and on two."
            )
        ),
    ] = False,
    spark_rows: Annotated[
        str | None,
        typer.Option(
            help="Rows of a micro-batch, as 1000,100000: as a Spark stream, beside a bare one."
        ),
    ] = None,
    spark_shards: Annotated[
        str | None, typer.Option(help="Numbers of shards of these streams, as 1,2,4.")
    ] = None,
    output: Annotated[
        Path, typer.Option(help="Where results.json, report.md and the plot go.", file_okay=False)
    ] = Path("artifacts/bench-sequences"),
) -> None:
    """Measure composite detection in process: X then Y within 5 s for a key, and X without Y.

    Every measurement runs in a process of its own on one core, from bytes to rendered matches.
    """
    requests = [
        {"density": kind.value, "patterns": size, "events": events, "seed": seed}
        for kind in density or list(Density)
        for size in _numbers(sizes, "--sizes") or SIZES
    ]
    keyed = keyed_requests(events, seed) if spark else []
    saved: dict[str, Any] = {"machine": about_machine(), "seed": seed}
    batched = micro_batch_requests(
        _numbers(spark_rows, "--spark-rows"), _numbers(spark_shards, "--spark-shards"), requests
    )
    saved |= {"trials": [], "on_spark": [], "keyed": [], "micro_batches": []}
    with _progress(len(requests) + len(keyed) + len(batched)) as advance:
        for request in requests:
            advance(f"{request['density']}, {request['patterns']:,} patterns")
            saved["trials"].append(run_module("tocsin_benchmarks.sequences.trial", request))
            if spark:
                saved["on_spark"].append(
                    run_module("tocsin_benchmarks.sequences.spark_trial", request)
                )
            saved["plot"] = _plot(saved["trials"])
            save(saved, output)
        for request in keyed:
            advance(f"one keyed composite, {_cores(request)}")
            saved["keyed"].append(run_module("tocsin_benchmarks.sequences.spark_trial", request))
            save(saved, output)
        for request in batched:
            advance(f"micro-batches of {request['rows']:,} rows")
            saved["micro_batches"].append(
                run_module("tocsin_benchmarks.sequences.spark_trial", request)
            )
            save(saved, output)
    on_spark = [*spark_tables_of(saved["on_spark"]), *keyed_tables_of(saved["keyed"])]
    on_spark += micro_batch_tables_of(saved["micro_batches"])
    show(saved, [*tables_of(saved["trials"]), *on_spark], output)
    if batched:
        typer.echo(plotted(output, MICRO_BATCH_PLOT, MICRO_BATCH_PICTURE), err=True)


def keyed_requests(events: int, seed: int) -> list[dict[str, Any]]:
    """One pattern over two kinds of event, so that every event concerns it."""
    asked = {"density": Density.SPARSE.value, "patterns": 1, "events": events, "seed": seed}
    return [asked | cores for cores in CORES]


def tables_of(trials: Sequence[Mapping[str, Any]]) -> list[Table]:
    """One table for each density."""
    densities = dict.fromkeys(trial["trial"]["density"] for trial in trials)
    return [
        Table(f"Sequences, {density}", _HEADER, tuple(map(_row, mine)), _notes(mine))
        for density in densities
        if (mine := [trial for trial in trials if trial["trial"]["density"] == density])
    ]


def spark_tables_of(trials: Sequence[Mapping[str, Any]]) -> list[Table]:
    """One table for all trials on Spark; none where there are none."""
    header = ("patterns", "density", "events/s", "by the median", "matches", "events")
    rows = tuple(
        (
            f"{each['trial']['patterns']:,}",
            each["trial"]["density"],
            rounded(each["measured_events"] / each["seconds"]),
            rounded(each["median_rate"]),
            f"{each['matches']:,}",
            f"{each['measured_events']:,}",
        )
        for each in trials
    )
    note = (
        "Seconds of the clock, two cores, RocksDB state with checkpoints; the first micro-batch is"
        " not counted. By the median: of the median micro-batch, since the JVM still compiles in"
        " the first of them."
    )
    return [Table("Sequences, Spark stream on local[2]", header, rows, (note,))] if rows else []


def keyed_tables_of(trials: Sequence[Mapping[str, Any]]) -> list[Table]:
    """One keyed composite on one core and on more; none where there are none."""
    if not trials:
        return []
    rates = [each["measured_events"] / each["seconds"] for each in trials]
    rows = tuple(
        (
            _cores(each["trial"]),
            rounded(rate),
            f"{rate / rates[0]:.2f}",
            rounded(each["median_rate"]),
            " + ".join(f"{count:,}" for count in each["by_shard"]),
            f"{each['matches']:,}",
        )
        for each, rate in zip(trials, rates, strict=True)
    )
    header = (
        "cores and shards",
        "events/s",
        "of the first",
        "by the median",
        "events by shard",
        "matches",
    )
    note = (
        "X then a higher Y of the same key within 5 s, over 1,000 keys; every event is X or Y, and"
        " goes to the shard of its key. On one core alone the JVM and Python share it; on"
        " `local[1]` the JVM works beside Python where there are more cores."
    )
    return [Table("One keyed composite, Spark stream", header, rows, (note,))]


def _cores(trial: Mapping[str, Any]) -> str:
    return f"local[{trial['cores']}]{', one core alone' if trial.get('pinned') else ''}"


def _row(figures: Mapping[str, Any]) -> tuple[str, ...]:
    patterns = f"{figures['trial']['patterns']:,}"
    if "refused" in figures:
        return (patterns, figures["refused"], *[NOTHING] * (len(_HEADER) - 2))
    events, seconds = figures["measured_events"], figures["seconds"]
    return (
        patterns,
        f"{figures['distinct']:,}",
        rounded(events / seconds),
        rounded(events / (seconds - figures["decoding_seconds"])),
        rounded(figures["hub_events"] / figures["hub_seconds"]),
        rounded(figures["told_events"] / figures["told_seconds"]),
        rounded(figures["matches"] / seconds),
        rounded(figures["matches"] / events),
        milliseconds(figures["latency_p50"]),
        milliseconds(figures["latency_p99"]),
        rounded(figures["bytes_per_pending"]),
        rounded(figures["snapshot_bytes_per_pending"]),
        f"{figures['pending']:,}",
        milliseconds(figures["snapshot_seconds"]),
        f"{figures['build_seconds']:.2f} s",
        rounded(figures["loop_events"] / figures["loop_seconds"]),
    )


def _notes(trials: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    differing = [
        trial["trial"]["patterns"] for trial in trials if not trial.get("same_matches", True)
    ]
    said = (
        f"DIFFERENT numbers of matches with {differing} patterns."
        if differing
        else "Both find as many matches."
    )
    return (
        (
            "The bare loop has its events as tuples in memory and asks every pattern about every"
            f" event. {said}"
        ),
        (
            "Through the Hub: `publish` of pieces of 8,192 lines; told: all that a match tells is"
            " asked of every match, which is worked out then."
        ),
        (
            "Latency is from when 256 lines came in to the match in hand. Equal patterns are"
            " detected once and ring for each subscription; bytes are for one occurrence that waits"
            " at one place, its event not counted."
        ),
    )


def _plot(trials: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    lines: dict[str, list[tuple[int, float]]] = {}
    for figures in trials:
        if "refused" not in figures:
            asked = figures["trial"]
            lines.setdefault(f"tocsin, {asked['density']}", []).append(
                (asked["patterns"], figures["measured_events"] / figures["seconds"])
            )
            lines.setdefault(f"bare loop, {asked['density']}", []).append(
                (asked["patterns"], figures["loop_events"] / figures["loop_seconds"])
            )
    return {"x": "patterns", "lines": lines}
