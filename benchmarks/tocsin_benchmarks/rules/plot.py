"""The plot of rules: events per second for each question, by rules and by hand, and the aim of
each.

Run as a module with the results file and the image file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from math import floor, log10
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib import pyplot

from tocsin_benchmarks.rules.workload import AIMS, Question

RULES, BY_HAND, AIM = "rules, bytes to matches", "by hand", "aim"
_LABELS = {
    Question.COUNT: "COUNT OVER 60s",
    Question.CHANGE: "BECOMES",
    Question.REGION: "ENTERS, LEAVES",
}
_WIDTH = 0.38


def draw(source: Path, target: Path) -> None:
    """Draws the bars of a results file, and a line across each pair where its aim is."""
    matplotlib.use("Agg")
    bars = bars_of(json.loads(source.read_text())["trials"])
    figure, axes = pyplot.subplots(figsize=(6.4, 4.6))
    middles = list(range(len(bars)))
    for side, name in ((-0.5, RULES), (0.5, BY_HAND)):
        places = [middle + side * _WIDTH for middle in middles]
        axes.bar(places, [each[name] for each in bars.values()], width=_WIDTH, label=name)
    aims = [each[AIM] for each in bars.values()]
    lefts, rights = ([middle + side * _WIDTH for middle in middles] for side in (-1, 1))
    axes.hlines(aims, lefts, rights, colors="black", linestyles="dashed", label=AIM)
    axes.set_xticks(middles, list(bars))
    axes.set_yscale("log")
    axes.set_ylim(bottom=_power_below(bars))
    axes.set_ylabel("events per second")
    axes.grid(visible=True, axis="y", alpha=0.3)
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(target, dpi=130)


def _power_below(bars: Mapping[str, Mapping[str, float]]) -> float:
    """Where bars begin, as an axis of powers has no 0."""
    least = min((speed for each in bars.values() for speed in each.values()), default=1.0)
    return float(10 ** floor(log10(least)))


def bars_of(trials: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Events per second by question and contender; what was refused has none."""
    return {
        _LABELS[question]: {
            RULES: each["measured_events"] / each["seconds"],
            BY_HAND: each["measured_events"] / each["loop_seconds"],
            AIM: AIMS[question],
        }
        for each in trials
        if "refused" not in each
        for question in (Question[each["trial"]["question"]],)
    }


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
