"""The plot of micro-batches: events per second over the rows of a micro-batch, and over shards.

Run as a module with the results file and the image file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib import pyplot

from tocsin_benchmarks.sequences.micro_batches import lines_over_rows, lines_over_shards

_MARKERS = "osD^vPX"


def draw(source: Path, target: Path) -> None:
    """Draws both panels of a results file."""
    matplotlib.use("Agg")
    trials = json.loads(source.read_text())["micro_batches"]
    most = max(each["trial"]["rows"] for each in trials)
    figure, (over_rows, over_shards) = pyplot.subplots(1, 2, figsize=(10, 4.4), sharey=True)
    _panel(over_rows, lines_over_rows(trials), "rows of a micro-batch")
    _panel(over_shards, lines_over_shards(trials), f"shards, {most:,} rows a micro-batch")
    over_rows.set_ylabel("events per second")
    figure.tight_layout()
    figure.savefig(target, dpi=130)


def _panel(axes: Any, lines: Mapping[str, Sequence[tuple[int, float]]], x: str) -> None:
    for number, (label, points) in enumerate(lines.items()):
        xs, ys = zip(*points, strict=True)
        axes.plot(xs, ys, marker=_MARKERS[number % len(_MARKERS)], label=label, linewidth=1.8)
    ticks = sorted({x for points in lines.values() for x, _ in points})
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(ticks, [f"{each:,}" for each in ticks], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_xlabel(x)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(frameon=False)


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
