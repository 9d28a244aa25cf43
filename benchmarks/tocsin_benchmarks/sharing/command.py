"""`tocsin bench sharing`: what equal subscriptions cost, and what a worker has to do when it
starts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tocsin_benchmarks.harness.output import save, show_tables
from tocsin_benchmarks.harness.runner import about_machine, run_module
from tocsin_benchmarks.harness.table import NOTHING, Table
from tocsin_benchmarks.selectors.command import _progress

_TRIALS = (
    {"kind": "later", "size": 300, "events": 20_000},
    {"kind": "settled", "size": 300, "events": 20_000},
    {"kind": "alike", "size": 200, "events": 4_000},
    {"kind": "worker", "size": 100_000},
)
_QUICK = (
    {"kind": "later", "size": 5, "events": 500},
    {"kind": "settled", "size": 5, "events": 500},
    {"kind": "alike", "size": 5, "events": 100},
    {"kind": "worker", "size": 200},
)
_SAID = {
    "later": (
        "{size:,} equal composites, one by one while events flow",
        "all at once before, for each match",
    ),
    "settled": (
        "the same, once their window has passed since the last came",
        "all at once before, for each match",
    ),
    "alike": ("{size:,} subscribers to one convoy", "one subscriber"),
    "worker": ("a worker starts with {size:,} selectors of a catalog", "compiled from their texts"),
}
_HEADER = ("what", "against", "seconds", "seconds of the other", "ratio")


def sharing(
    quick: Annotated[
        bool, typer.Option(help="Few subscriptions and events, to see that it works.")
    ] = False,
    output: Annotated[
        Path, typer.Option(help="Where results.json and report.md go.", file_okay=False)
    ] = Path("artifacts/bench-sharing"),
) -> None:
    """Measure what is shared: equal composites that come later, many subscribers to the same thing,
    and plans that workers load instead of compiling.

    Every measurement runs in a process of its own on one core.
    """
    trials = _QUICK if quick else _TRIALS
    saved: dict[str, Any] = {"machine": about_machine(), "seed": 5, "trials": []}
    with _progress(len(trials)) as advance:
        for trial in trials:
            advance(str(trial["kind"]))
            saved["trials"].append(run_module("tocsin_benchmarks.sharing.trial", trial))
            save(saved, output)
    show_tables(saved, [table_of(saved["trials"])], output)


def table_of(trials: Sequence[Mapping[str, Any]]) -> Table:
    """All measurements in one table."""
    more = [each["one_more_seconds"] for each in trials if "one_more_seconds" in each]
    notes = tuple(f"One subscription more takes a worker {seconds:.3f} s." for seconds in more)
    return Table("Sharing", _HEADER, tuple(map(_row, trials)), notes)


def _row(figures: Mapping[str, Any]) -> tuple[str, ...]:
    what, against = _SAID[figures["trial"]["kind"]]
    named = what.format(size=figures["trial"]["size"])
    if "refused" in figures:
        return (named, figures["refused"], *[NOTHING] * (len(_HEADER) - 2))
    seconds, base = figures["seconds"], figures["base_seconds"]
    return (named, against, f"{seconds:.3g}", f"{base:.3g}", f"{seconds / base:.2f}")
