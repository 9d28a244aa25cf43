"""The plot of paced runs, as figures 4 to 6 of the paper: a row for each class, a panel for each
figure over time.

Run as a module with the results file and the image file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib
from matplotlib import pyplot
from matplotlib.axes import Axes

_PANELS = (
    ("composites", 1, "composites found"),
    ("messages", 1, "messages between processes"),
    ("server_bytes", 2**20, "memory of the server, MiB"),
    ("client_bytes", 2**20, "memory of the client, MiB"),
)
_STYLES = {
    "local": ("#c0392b", "local host"),
    "spark": ("#2980b9", "Spark"),
    "client": ("#7f8c8d", "fat client"),
}


def draw(source: Path, target: Path) -> None:
    """Draws the paced runs of a results file."""
    matplotlib.use("Agg")
    trials = [each for each in json.loads(source.read_text())["paced"] if "refused" not in each]
    classes = list(dict.fromkeys(each["trial"]["scenario"] for each in trials))
    rows = max(1, len(classes))
    figure, panels = pyplot.subplots(
        rows, len(_PANELS), figsize=(4 * len(_PANELS), 3 * rows), squeeze=False
    )
    for row, name in zip(panels, classes, strict=False):
        mine = [each for each in trials if each["trial"]["scenario"] == name]
        for axes, (curve, unit, label) in zip(row, _PANELS, strict=True):
            _panel(axes, mine, curve, unit)
            axes.set_title(f"{name}: {label}", fontsize=9)
    panels[0][0].legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(target, dpi=130)


def _panel(axes: Axes, trials: list[dict[str, dict[str, str]]], curve: str, unit: int) -> None:
    for each in trials:
        colour, label = _STYLES[each["trial"]["host"]]
        points = each["over_time"][curve]
        axes.plot(
            [point[0] for point in points],
            [point[1] / unit for point in points],  # type: ignore[operator]
            color=colour,
            label=label,
        )
        axes.axvline(float(each["sending_seconds"]), color="#cbd5e1", linewidth=0.8)  # type: ignore[arg-type]
    axes.set_xlabel("seconds", fontsize=8)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.grid(visible=True, alpha=0.3)


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
