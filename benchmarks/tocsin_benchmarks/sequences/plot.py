"""The plot of a benchmark of composites: its results name the axes and hold the lines, as points
(x, y) by label.

Run as a module with the results file and the image file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib
from matplotlib import pyplot

_MARKERS = "osD^vPX"


def draw(source: Path, target: Path) -> None:
    """Draws the lines of a results file; where x is a word, points are bars."""
    matplotlib.use("Agg")
    plot = json.loads(source.read_text())["plot"]
    figure, axes = pyplot.subplots(figsize=(6.4, 4.6))
    for number, (label, points) in enumerate(plot["lines"].items()):
        xs, ys = [point[0] for point in points], [point[1] for point in points]
        if xs and isinstance(xs[0], str):
            axes.bar(
                [place + 0.4 * number for place in range(len(xs))], ys, width=0.38, label=label
            )
            axes.set_xticks([place + 0.2 for place in range(len(xs))], xs)
        else:
            axes.plot(xs, ys, marker=_MARKERS[number % len(_MARKERS)], label=label, linewidth=1.8)
            axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(plot["x"])
    axes.set_ylabel("events per second")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(target, dpi=130)


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
