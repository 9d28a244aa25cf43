"""Figure 6 of the graph-pattern paper: time per event (a) and nodes of a matching tree (b) over the
subscriptions.

Axes are linear and begin at 0, as there. Run as a module with the results file and the image file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib import pyplot
from matplotlib.axes import Axes

Points = list[tuple[float, float]]


def draw(source: Path, target: Path) -> None:
    """Draws both panels of a results file."""
    matplotlib.use("Agg")
    lines = lines_of(json.loads(source.read_text())["trials"])
    figure, (time, nodes) = pyplot.subplots(1, 2, figsize=(10.4, 4.4))
    _panel(time, lines["time"], "milliseconds per event", "(a) time, the paper's algorithm")
    _panel(nodes, lines["nodes"], "circles and squares per tree", "(b) nodes of a matching tree")
    figure.tight_layout()
    figure.savefig(target, dpi=130)


def lines_of(trials: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Points]]:
    """The points of both panels, one line for each kind, in the order of the number of
    subscriptions.
    """
    lines: dict[str, dict[str, Points]] = {"time": {}, "nodes": {}}
    measured = [each for each in trials if "refused" not in each]
    for each in sorted(measured, key=lambda each: int(each["trial"]["subscriptions"])):
        kind, size = each["trial"]["kind"], each["trial"]["subscriptions"]
        lines["time"].setdefault(kind, []).append((size, 1000 * each["paper_seconds"]))
        lines["nodes"].setdefault(kind, []).append((size, each["nodes_per_tree"]))
    return lines


def _panel(axes: Axes, lines: Mapping[str, Points], unit: str, title: str) -> None:
    for marker, (label, points) in zip("osD^v", lines.items(), strict=False):
        axes.plot(*zip(*points, strict=True), marker=marker, linewidth=1.8, label=label)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("subscriptions")
    axes.set_ylabel(unit)
    axes.set_title(title)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False)


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
