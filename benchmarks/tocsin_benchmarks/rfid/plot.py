"""Figure 10 of the RFID paper: the time to match an event (a) and the space (b) over the number of
composites.

Space is counted as the paper counts it, in concepts and attributes, of the prepared subscriptions
and with what a match needs besides. Axes are linear and begin at 0, as there; the fit says how
nearly linear the points are. Run as a module with the results file and the image file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes

SERIES = "composite"
Points = list[tuple[float, float]]


def draw(source: Path, target: Path) -> None:
    """Draws both panels of a results file."""
    matplotlib.use("Agg")
    lines = lines_of(json.loads(source.read_text())["trials"])
    figure, (time, space) = pyplot.subplots(1, 2, figsize=(10.4, 4.4))
    _panel(time, {"time to match an event": lines["time"]}, "milliseconds per event", "(a) time")
    _panel(
        space,
        {name: lines[name] for name in ("subscriptions", "with a match")},
        "concepts and attributes",
        "(b) space",
    )
    figure.tight_layout()
    figure.savefig(target, dpi=130)


def lines_of(trials: Sequence[Mapping[str, Any]]) -> dict[str, Points]:
    """The points of the figure, in the order of the number of subscriptions; other series have no
    part in it.
    """
    mine = [each for each in trials if each["trial"]["series"] == SERIES and "refused" not in each]
    mine.sort(key=lambda figures: figures["trial"]["subscriptions"])
    counts = [figures["trial"]["subscriptions"] for figures in mine]
    values = {
        "time": [1000 * figures["seconds"] / figures["served"] for figures in mine],
        "subscriptions": [figures["units"] for figures in mine],
        "with a match": [figures["units"] + figures["match_units"] for figures in mine],
    }
    return {name: list(zip(counts, each, strict=True)) for name, each in values.items()}


def fit_of(points: Sequence[tuple[float, float]]) -> float:
    """The share of the variance that a straight line explains (R²); 1 where there is none to
    explain.
    """
    xs, ys = np.array(points, float).T
    spread = float(((ys - ys.mean()) ** 2).sum())
    if len(points) < 3 or not spread:
        return 1.0
    slope, start = np.polyfit(xs, ys, 1)
    return 1 - float(((ys - slope * xs - start) ** 2).sum()) / spread


def _panel(axes: Axes, lines: Mapping[str, Points], unit: str, title: str) -> None:
    for marker, (label, points) in zip("os", lines.items(), strict=False):
        if points:
            xs, ys = zip(*points, strict=True)
            axes.plot(
                xs, ys, marker=marker, linewidth=1.8, label=f"{label}, R² {fit_of(points):.3f}"
            )
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("composite subscriptions")
    axes.set_ylabel(unit)
    axes.set_title(title)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False)


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
