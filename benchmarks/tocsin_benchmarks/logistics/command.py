"""`tocsin bench logistics`: the experiment of the spatio-temporal paper, against a fat client, in
one run or paced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tocsin_benchmarks.harness.output import milliseconds, save, show
from tocsin_benchmarks.harness.runner import about_machine, run_module
from tocsin_benchmarks.harness.table import NOTHING, Table, mebibytes, rounded
from tocsin_benchmarks.logistics.paced import PacedHost, run_paced
from tocsin_benchmarks.logistics.workload import EVENTS, VEHICLES, Scenario
from tocsin_benchmarks.selectors.command import _progress

CLIENT_EVENTS = 4_000
RATE = 2_000.0
GRACE = 10.0
DEFAULT_OUTPUT = Path("artifacts/bench-logistics")

_HEADER = (
    "class",
    "composites found",
    "events/s",
    "from JSON, events/s",
    "fat client, events/s",
    "ratio",
    "ratio from JSON",
    "p50",
    "p99",
    "peak memory",
    "built in",
    "left waiting",
)


def logistics(
    scenario: Annotated[
        list[Scenario] | None, typer.Option(help="Class of subscriptions; all three.")
    ] = None,
    vehicles: Annotated[
        int, typer.Option(min=1, max=VEHICLES, help="Subscriptions of each class.")
    ] = VEHICLES,
    events: Annotated[int, typer.Option(min=4, help="Events of each class.")] = EVENTS,
    client_events: Annotated[
        int, typer.Option(min=1, help="Events that the fat client gets.")
    ] = CLIENT_EVENTS,
    spark: Annotated[
        bool, typer.Option(help="Also as a Spark stream on local[2] with checkpoints.")
    ] = False,
    paced: Annotated[
        bool,
        typer.Option(help="Instead: events at a rate, and what is found, sent and held over time."),
    ] = False,
    rate: Annotated[float, typer.Option(min=1, help="Paced: events a second.")] = RATE,
    grace: Annotated[
        float, typer.Option(min=0, help="Paced: seconds that are left after the last event.")
    ] = GRACE,
    on: Annotated[
        list[PacedHost] | None, typer.Option(help="Paced: local, spark, client; all three.")
    ] = None,
    output: Annotated[
        Path, typer.Option(help="Where results.json, report.md and the plot go.", file_okay=False)
    ] = Path("artifacts/bench-logistics"),
) -> None:
    """Measure the paper's logistics scenario: vehicles leave, arrive and fall out of the convoy.

    The fat client evaluates every subscription on every event. All composites must be found.
    """
    asked = scenario or list(Scenario)
    if paced:
        shared = {"vehicles": vehicles, "events": events, "rate": rate, "grace": grace}
        run_paced(asked, on or list(PacedHost), shared, output)
        return
    saved: dict[str, Any] = {
        "machine": about_machine(),
        "seed": "none",
        "trials": [],
        "on_spark": [],
    }
    with _progress(len(asked)) as advance:
        for one in asked:
            advance(one.value)
            request = {
                "scenario": one.value,
                "vehicles": vehicles,
                "events": events,
                "client_events": client_events,
            }
            saved["trials"].append(run_module("tocsin_benchmarks.logistics.trial", request))
            if spark:
                saved["on_spark"].append(
                    run_module("tocsin_benchmarks.logistics.spark_trial", request, {})
                )
            saved["plot"] = _plot(saved["trials"])
            save(saved, output)
    show(saved, [table_of(saved["trials"]), *spark_tables_of(saved["on_spark"])], output)


def spark_tables_of(trials: Sequence[Mapping[str, Any]]) -> list[Table]:
    """One table for all classes on Spark; none where there are none."""
    header = ("class", "composites found", "events/s", "events")
    note = (
        "Seconds of the clock, two cores, RocksDB state with checkpoints; the first micro-batch is"
        " not counted."
    )
    return (
        [
            Table(
                "Logistics, Spark stream on local[2]",
                header,
                tuple(map(_spark_row, trials)),
                (note,),
            )
        ]
        if trials
        else []
    )


def _spark_row(figures: Mapping[str, Any]) -> tuple[str, ...]:
    name = figures["trial"]["scenario"]
    if "refused" in figures:
        return (name, figures["refused"], NOTHING, NOTHING)
    found = f"{figures['found']:,} of {figures['composites']:,}"
    speed = rounded(figures["measured_events"] / figures["seconds"])
    return (name, found, speed, f"{figures['measured_events']:,}")


def table_of(trials: Sequence[Mapping[str, Any]]) -> Table:
    """All classes in one table."""
    return Table(
        "Logistics, one subscription for each vehicle", _HEADER, tuple(map(_row, trials)), _NOTES
    )


def _row(figures: Mapping[str, Any]) -> tuple[str, ...]:
    name = figures["trial"]["scenario"]
    if "refused" in figures:
        return (name, figures["refused"], *[NOTHING] * (len(_HEADER) - 2))
    speeds = _speeds(figures)
    return (
        name,
        f"{figures['found']:,} of {figures['composites']:,}",
        *map(rounded, speeds),
        f"{rounded(speeds[0] / speeds[2])}x",
        f"{rounded(speeds[1] / speeds[2])}x",
        milliseconds(figures["latency_p50"]),
        milliseconds(figures["latency_p99"]),
        mebibytes(figures["peak_bytes"]),
        f"{figures['build_seconds']:.1f} s",
        str(figures["left_waiting"]),
    )


def _speeds(figures: Mapping[str, Any]) -> tuple[float, float, float]:
    events = figures["trial"]["events"]
    ours, from_json = events / figures["seconds"], events / figures["json_seconds"]
    return ours, from_json, figures["client_events"] / figures["client_seconds"]


def _plot(trials: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    done = [figures for figures in trials if "refused" not in figures]
    names = [figures["trial"]["scenario"] for figures in done]
    ours = [_speeds(figures)[0] for figures in done]
    client = [_speeds(figures)[2] for figures in done]
    lines = {
        "tocsin": list(zip(names, ours, strict=True)),
        "fat client": list(zip(names, client, strict=True)),
    }
    return {"x": "class of subscriptions", "lines": lines}


_NOTES = (
    (
        "Events of both are in memory; `from JSON` includes reading them, which the fat client is"
        " spared. Latency is from when 2,000 events came in, a second of the paper's run, to the"
        " match in hand. `Left waiting` is what is held long after the last event."
    ),
)
