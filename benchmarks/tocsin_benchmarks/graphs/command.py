"""`tocsin bench graphs`: the experiment of the graph-pattern paper, what it left out, and two
baselines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from tocsin_benchmarks.graphs.workload import Kind
from tocsin_benchmarks.harness.output import milliseconds, plotted, save, show
from tocsin_benchmarks.harness.runner import about_machine, run_module
from tocsin_benchmarks.harness.table import NOTHING, Table, mebibytes, rounded
from tocsin_benchmarks.selectors.command import _numbers, _progress

SIZES = (500, 1_000, 2_000, 5_000, 10_000)
_HEADER = (
    "subscriptions",
    "shapes",
    "match rate",
    "tocsin",
    "first seen",
    "paper's strategy",
    "backtracking",
    "SPARQL ASK each",
    "x backtracking",
    "nodes/tree",
    "candidates",
    "build",
    "memory",
    "peak",
)


FIGURE = "figure6.png"


def graphs(
    sizes: Annotated[
        str | None, typer.Option(help="Numbers of subscriptions, as 500,1000,10000.")
    ] = None,
    kind: Annotated[
        list[Kind] | None, typer.Option(help="The paper's model, or one that it never measured.")
    ] = None,
    seconds: Annotated[
        float, typer.Option(help="How long the default strategy is measured.")
    ] = 2.0,
    asked: Annotated[
        int, typer.Option(min=1, help="Pairs of event and subscription that are asked in SPARQL.")
    ] = 200,
    seed: Annotated[int, typer.Option(help="Everything is drawn from it.")] = 2005,
    output: Annotated[
        Path, typer.Option(help="Where results.json, report.md and the plot go.", file_okay=False)
    ] = Path("artifacts/bench-graphs"),
    plot: Annotated[
        bool,
        typer.Option(
            "--plot", help=f"Draw figure 6 of the paper too, as {FIGURE}: time, and nodes per tree."
        ),
    ] = False,
) -> None:
    """Measure graph patterns: ten events against 500 to 10,000 subscriptions.

    Every measurement runs in a process of its own on one core. The times are of matching, the graph
    of an event being read before; nodes are those of the paper's trees.
    """
    requests = [
        {
            "kind": each.value,
            "subscriptions": size,
            "seconds": seconds,
            "asked": asked,
            "seed": seed,
        }
        for each in kind or list(Kind)
        for size in _numbers(sizes, "--sizes") or SIZES
    ]
    saved: dict[str, Any] = {"machine": about_machine(), "seed": seed, "trials": []}
    with _progress(len(requests)) as advance:
        for request in requests:
            advance(f"{request['kind']}, {request['subscriptions']:,} subscriptions")
            saved["trials"].append(run_module("tocsin_benchmarks.graphs.trial", request))
            saved["plot"] = _plot(saved["trials"])
            save(saved, output)
    show(saved, tables_of(saved["trials"]), output)
    if plot:
        typer.echo(plotted(output, "graphs.plot", FIGURE), err=True)


def tables_of(trials: Sequence[Mapping[str, Any]]) -> list[Table]:
    """One table for each kind."""
    kinds = dict.fromkeys(trial["trial"]["kind"] for trial in trials)
    return [
        Table(f"Graphs, {kind}: ms per event", _HEADER, tuple(map(_row, mine)), _notes(mine))
        for kind in kinds
        if (mine := [trial for trial in trials if trial["trial"]["kind"] == kind])
    ]


def linearity(points: Sequence[tuple[float, float]]) -> float | None:
    """R squared of the best straight line through points; None for less than three."""
    if len(points) < 3:
        return None
    xs, ys = np.array(points).T
    return float(np.corrcoef(xs, ys)[0, 1] ** 2)


def _row(figures: Mapping[str, Any]) -> tuple[str, ...]:
    size = f"{figures['trial']['subscriptions']:,}"
    if "refused" in figures:
        return (size, figures["refused"], *[NOTHING] * (len(_HEADER) - 2))
    return (
        size,
        f"{figures['shapes']:,}",
        f"{100 * figures['match_rate']:.1f} %",
        _ms(figures["seconds"]),
        _ms(figures["first_seconds"]),
        _ms(figures["paper_seconds"]),
        _ms(figures["backtracking_seconds"]),
        f"~{_ms(figures['ask_seconds'])}",
        rounded(figures["backtracking_seconds"] / figures["seconds"]),
        f"{figures['nodes_per_tree']:.2f}",
        rounded(figures["candidates"]),
        f"{figures['build_seconds']:.2f} s",
        mebibytes(figures["memory_bytes"]),
        mebibytes(figures["peak_bytes"]),
    )


def _ms(seconds: float) -> str:
    return rounded(1000 * seconds)


def _notes(trials: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    measured = [trial for trial in trials if "refused" not in trial]
    if not measured:
        return ()
    asked = (
        trial[name]
        for trial in measured
        for name in ("paper_agrees", "backtracking_agrees", "ask_agrees")
    )
    agreed = "All find the same matches." if all(asked) else "DIFFERENT matches: see results.json."
    fits = {name: linearity(_points(measured, name)) for name in ("seconds", "paper_seconds")}
    straight = "; ".join(
        f"{said} {fits[name]:.3f}"
        for said, name in (("tocsin", "seconds"), ("paper's strategy", "paper_seconds"))
        if fits[name] is not None
    )
    reading = milliseconds(measured[-1]["reading_seconds"])
    return (
        (
            f"{agreed} ~ is the time of some queries, scaled to all subscriptions. Reading an event"
            f" takes {reading}."
        ),
        *(
            [f"R squared of linearity in the number of subscriptions: {straight}."]
            if straight
            else []
        ),
    )


def _points(trials: Sequence[Mapping[str, Any]], name: str) -> list[tuple[float, float]]:
    return [(trial["trial"]["subscriptions"], trial[name]) for trial in trials]


def _plot(trials: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    lines: dict[str, list[tuple[float, float]]] = {}
    names = {
        "seconds": "tocsin",
        "backtracking_seconds": "backtracking",
        "paper_seconds": "paper's strategy",
        "ask_seconds": "SPARQL",
    }
    for figures in trials:
        if "refused" in figures:
            continue
        kind, size = figures["trial"]["kind"], figures["trial"]["subscriptions"]
        for name, label in names.items():
            if name == "seconds" or kind == Kind.PAPER.value:
                lines.setdefault(f"{label}, {kind}", []).append((size, 1 / figures[name]))
    return {"x": "subscriptions", "lines": lines}
