"""The plot of a run: events per second over the number of subscriptions, both logarithmic, one
panel per shape.

Run as a module with the results file and the image file. The only file that imports matplotlib.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib
from matplotlib import pyplot
from matplotlib.axes import Axes

from tocsin_benchmarks.harness.results import Measured, Results
from tocsin_benchmarks.selectors.contenders import Name
from tocsin_benchmarks.selectors.workloads import Shape

Line = dict[int, float]

_COLOURS = ("#c0392b", "#e67e22", "#2c3e50", "#2980b9", "#27ae60", "#8e44ad", "#7f8c8d")
_MARKERS = "osD^vPX"


def draw(source: Path, target: Path) -> None:
    """Draws the scale tests of a results file."""
    matplotlib.use("Agg")
    results = Results(json.loads(source.read_text())["trials"])
    shapes = [shape for shape in Shape if any(one.shape is shape for one in results.measured)]
    figure, panels = pyplot.subplots(
        1, max(1, len(shapes)), figsize=(5.2 * max(1, len(shapes)), 4.6), squeeze=False
    )
    for axes, shape in zip(panels[0], shapes, strict=False):
        _panel(axes, shape, [one for one in results.measured if one.shape is shape])
    panels[0][0].set_ylabel("events per second")
    if shapes:
        figure.legend(
            *panels[0][0].get_legend_handles_labels(), loc="lower center", ncols=4, frameon=False
        )
    figure.tight_layout(rect=(0, 0.12, 1, 1))
    figure.savefig(target, dpi=130)


def _panel(axes: Axes, shape: Shape, measured: list[Measured]) -> None:
    attributes = min(one.attributes for one in measured)
    for number, (label, line) in enumerate(_lines(measured, attributes).items()):
        sizes = sorted(line)
        style = {
            "color": _COLOURS[number % len(_COLOURS)],
            "marker": _MARKERS[number % len(_MARKERS)],
        }
        axes.loglog(sizes, [line[size] for size in sizes], label=label, linewidth=1.8, **style)
    axes.set_title(f"{shape.label}, {attributes} attributes")
    axes.set_xlabel("subscriptions")
    axes.grid(visible=True, which="major", alpha=0.3)


def _lines(measured: list[Measured], attributes: int) -> dict[str, Line]:
    """Ours by batch and by single event first, then the others."""
    lines: dict[str, Line] = defaultdict(dict)
    for one in sorted(measured, key=lambda one: list(Name).index(one.contender)):
        if one.attributes == attributes and one.events_per_second:
            single = one.rate("single event")
            lines[_label(one)][one.subscriptions] = one.events_per_second
            if single:
                lines["tocsin, one event at a time"][one.subscriptions] = single
    return lines


def _label(one: Measured) -> str:
    return "tocsin, batches" if one.contender is Name.TOCSIN else one.contender.value


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
