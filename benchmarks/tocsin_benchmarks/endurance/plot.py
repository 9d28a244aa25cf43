"""The plot of a long run: resident memory above, occurrences that wait below, both over the number
of events, from 0.

Run as a module with the results file and the image file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib
from matplotlib import pyplot

_PANELS = (("resident", 2**20, "resident memory, MiB"), ("pending", 1_000, "waiting, thousands"))
_HEADROOM = 1.25


def draw(source: Path, target: Path) -> None:
    """Draws the samples of a results file."""
    matplotlib.use("Agg")
    taken = json.loads(source.read_text())["samples"]
    figure, panels = pyplot.subplots(len(_PANELS), 1, figsize=(6.4, 5.2), sharex=True)
    for axes, (name, unit, label) in zip(panels, _PANELS, strict=True):
        xs, ys = (
            [sample["events"] / 1e6 for sample in taken],
            [sample[name] / unit for sample in taken],
        )
        axes.plot(xs, ys, marker="o", markersize=3, linewidth=1.5)
        axes.set_ylim(0, _HEADROOM * max(ys) or 1)
        axes.set_ylabel(label)
        axes.grid(visible=True, alpha=0.3)
    panels[-1].set_xlabel("million events")
    figure.tight_layout()
    figure.savefig(target, dpi=130)


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
