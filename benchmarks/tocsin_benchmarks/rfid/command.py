"""`tocsin bench rfid`: concept subscriptions, atomic and composite, beside the plain tableau per
subscription.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from tocsin_benchmarks.harness.output import milliseconds, plotted, save, show
from tocsin_benchmarks.harness.runner import about_machine, run_module
from tocsin_benchmarks.harness.table import NOTHING, Table, mebibytes, rounded
from tocsin_benchmarks.selectors.command import _numbers, _progress

SIZES = (500, 1_000, 2_000, 5_000, 10_000)
EVENTS = 2_000
FIGURE = "figure-10.png"


class Series(StrEnum):
    """What is subscribed: single events, pairs of them, or pairs with events that come late."""

    ATOMIC = "atomic"
    COMPOSITE = "composite"
    LATE = "late"


_HEADER = (
    "subscriptions",
    "events/s",
    "matches/event",
    "mean",
    "p99",
    "prepared in",
    "concepts and attributes",
    "memory",
)
_WAITING = ("pending", "with a match")
_EXTRA = {
    Series.ATOMIC: ("plain tableau, events/s",),
    Series.COMPOSITE: _WAITING,
    Series.LATE: _WAITING,
}


def rfid(
    sizes: Annotated[
        str | None, typer.Option(help="Numbers of subscriptions, as 500,1000,10000.")
    ] = None,
    series: Annotated[
        list[Series] | None,
        typer.Option(help="atomic, composite, or late: composite with 5 % of the events late."),
    ] = None,
    events: Annotated[int, typer.Option(min=1, help="Events of each measurement.")] = EVENTS,
    seed: Annotated[int, typer.Option(help="Subscriptions and events are drawn from it.")] = 5,
    output: Annotated[
        Path, typer.Option(help="Where results.json, report.md and the plot go.", file_okay=False)
    ] = Path("artifacts/bench-rfid"),
    plot: Annotated[
        bool,
        typer.Option(
            "--plot",
            help=f"Draw figure 10 of the paper too, as {FIGURE}: time and space of composites.",
        ),
    ] = False,
) -> None:
    """Measure concept subscriptions in process, over generated taxonomies.

    Every measurement runs in a process of its own on one core.
    """
    if plot and series and Series.COMPOSITE not in series:
        raise typer.BadParameter(
            "figure 10 is of composite subscriptions: add --series composite", param_hint="--plot"
        )
    requests = [
        {"series": each.value, "subscriptions": size, "events": events, "seed": seed}
        for each in series or list(Series)
        for size in _numbers(sizes, "--sizes") or SIZES
    ]
    saved: dict[str, Any] = {"machine": about_machine(), "seed": seed, "trials": []}
    with _progress(len(requests)) as advance:
        for request in requests:
            advance(f"{request['series']}, {request['subscriptions']:,} subscriptions")
            saved["trials"].append(run_module("tocsin_benchmarks.rfid.trial", request))
            saved["plot"] = _plot(saved["trials"])
            save(saved, output)
    show(saved, tables_of(saved["trials"]), output)
    if plot:
        typer.echo(plotted(output, "rfid.plot", FIGURE), err=True)


def tables_of(trials: Sequence[Mapping[str, Any]]) -> list[Table]:
    """One table for each series."""
    tables = []
    for series in Series:
        mine = [trial for trial in trials if trial["trial"]["series"] == series.value]
        if mine:
            rows = tuple(_row(figures, series) for figures in mine)
            tables.append(
                Table(
                    f"Concepts, {series.value}",
                    (*_HEADER, *_EXTRA[series]),
                    rows,
                    _notes(mine, series),
                )
            )
    return tables


def _row(figures: Mapping[str, Any], series: Series) -> tuple[str, ...]:
    count = figures["trial"]["subscriptions"]
    if "refused" in figures:
        return (f"{count:,}", figures["refused"], *[NOTHING] * (len(_HEADER) - 1))
    served, seconds = figures["served"], figures["seconds"]
    last = (rounded(_tableau_rate(figures)),) if series is Series.ATOMIC else _waiting(figures)
    return (
        f"{count:,}",
        rounded(served / seconds),
        rounded(figures["matches"] / served),
        milliseconds(figures["single_mean"]),
        milliseconds(figures["single_p99"]),
        f"{1e6 * (figures['prepare_seconds'] + figures['build_seconds']) / count:.0f} µs each",
        f"{figures['units']:,}",
        mebibytes(figures["bytes"]),
        *last,
    )


def _waiting(figures: Mapping[str, Any]) -> tuple[str, str]:
    return f"{figures['pending']:,}", f"{figures['units'] + figures['match_units']:,}"


def _tableau_rate(figures: Mapping[str, Any]) -> float:
    """Events per second of the plain tableau, from the pairs of event and subscription that it had
    time for.
    """
    rate: float = (
        figures["tableau_pairs"] / figures["tableau_seconds"] / figures["trial"]["subscriptions"]
    )
    return rate


def _notes(trials: Sequence[Mapping[str, Any]], series: Series) -> tuple[str, ...]:
    if series is not Series.ATOMIC:
        return (
            (
                "Mean and p99 are per event, over pieces of 256 events; memory is of the"
                " subscriptions alone."
            ),
            (
                "With a match: the concepts and attributes of the subscriptions and of the events"
                " that wait for a partner."
            ),
        )
    differing = [
        trial["trial"]["subscriptions"] for trial in trials if not trial.get("tableau_agrees", True)
    ]
    said = (
        f"DIFFERENT hits with {differing} subscriptions."
        if differing
        else "Both find the same on the sample."
    )
    return (
        f"The plain tableau is asked about 200 sampled subscriptions and scaled to all. {said}",
        "Events/s are from bytes, 256 at a time; mean and p99 are of one event at a time, decoded.",
    )


def _plot(trials: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    lines: dict[str, list[tuple[int, float]]] = {}
    for figures in trials:
        if "refused" not in figures:
            asked = figures["trial"]
            point = (asked["subscriptions"], figures["served"] / figures["seconds"])
            lines.setdefault(f"tocsin, {asked['series']}", []).append(point)
            if "tableau_pairs" in figures:
                lines.setdefault("plain tableau", []).append(
                    (asked["subscriptions"], _tableau_rate(figures))
                )
    return {"x": "subscriptions", "lines": lines}
