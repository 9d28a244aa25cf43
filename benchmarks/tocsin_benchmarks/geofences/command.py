"""`tocsin bench geofences`: positions against many regions, beside shapely's bare tree in the same
run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tocsin_benchmarks.harness.output import save, show
from tocsin_benchmarks.harness.runner import about_machine, run_module
from tocsin_benchmarks.harness.table import NOTHING, Table, rounded
from tocsin_benchmarks.selectors.command import _numbers, _progress

SIZES = (5_000, 23_000, 100_000)
POSITIONS = 100_000
QUICK_SIZES = (50, 200)
QUICK_POSITIONS = 500

_HEADER = (
    "regions",
    "hits/position",
    "bare tree, positions/s",
    "events to hits, positions/s",
    "ratio",
    "JSON to matches, positions/s",
    "ratio",
    "one by one, positions/s",
    "built in",
)


def geofences(
    sizes: Annotated[
        str | None, typer.Option(help="Numbers of regions, as 5000,23000,100000.")
    ] = None,
    positions: Annotated[
        int | None, typer.Option(min=1, help="Positions of each measurement.")
    ] = None,
    quick: Annotated[
        bool, typer.Option(help="A few regions and positions, to see that it works.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Regions and positions are drawn from it.")] = 5,
    output: Annotated[
        Path, typer.Option(help="Where results.json, report.md and the plot go.", file_okay=False)
    ] = Path("artifacts/bench-geofences"),
) -> None:
    """Measure geofences in process: which of many regions is each position inside of.

    Every measurement runs in a process of its own on one core. The bare tree gets ready-made
    geometry, we get events.
    """
    count = positions or (QUICK_POSITIONS if quick else POSITIONS)
    asked = _numbers(sizes, "--sizes") or (QUICK_SIZES if quick else SIZES)
    saved: dict[str, Any] = {"machine": about_machine(), "seed": seed, "trials": []}
    with _progress(len(asked)) as advance:
        for size in asked:
            advance(f"{size:,} regions")
            request = {"regions": size, "positions": count, "seed": seed}
            saved["trials"].append(run_module("tocsin_benchmarks.geofences.trial", request))
            saved["plot"] = _plot(saved["trials"])
            save(saved, output)
    show(saved, [table_of(saved["trials"])], output)


def table_of(trials: Sequence[Mapping[str, Any]]) -> Table:
    """All sizes in one table."""
    return Table("Geofences", _HEADER, tuple(map(_row, trials)), _notes(trials))


def _row(figures: Mapping[str, Any]) -> tuple[str, ...]:
    regions = f"{figures['trial']['regions']:,}"
    if "refused" in figures:
        return (regions, figures["refused"], *[NOTHING] * (len(_HEADER) - 2))
    bare, ours, from_json = _speeds(figures)
    return (
        regions,
        rounded(figures["hits"] / figures["trial"]["positions"]),
        rounded(bare),
        rounded(ours),
        f"{ours / bare:.2f}",
        rounded(from_json),
        f"{from_json / bare:.2f}",
        rounded(figures["singles"] / figures["single_seconds"]),
        f"{figures['build_seconds']:.1f} s",
    )


def _speeds(figures: Mapping[str, Any]) -> tuple[float, float, float]:
    positions = figures["trial"]["positions"]
    return (
        positions / figures["bare_seconds"],
        positions / figures["seconds"],
        positions / figures["json_seconds"],
    )


def _notes(trials: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    differing = [trial["trial"]["regions"] for trial in trials if not trial.get("same_hits", True)]
    said = f"DIFFERENT hits with {differing} regions." if differing else "Both find the same hits."
    return (
        (
            "The bare tree is one call of shapely for all positions at once; events come in"
            f" batches of 8,192. {said}"
        ),
        (
            "From events: reading their places, matching, pairs of event and subscription. From"
            " JSON: decoding, ordering, matching and a match for each hit. The quickest of three"
            " runs counts."
        ),
    )


def _plot(trials: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    done = [figures for figures in trials if "refused" not in figures]
    names = ("bare tree", "tocsin, events to hits", "tocsin, JSON to matches")
    lines = {
        name: [(figures["trial"]["regions"], _speeds(figures)[number]) for figures in done]
        for number, name in enumerate(names)
    }
    return {"x": "regions", "lines": lines}
