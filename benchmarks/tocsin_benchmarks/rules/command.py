"""`tocsin bench rules`: a thousand rules that count, watch for changes or for regions, beside loops
written by hand in the same run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tocsin_benchmarks.harness.output import save, show
from tocsin_benchmarks.harness.runner import about_machine, run_module
from tocsin_benchmarks.harness.table import Table, rounded
from tocsin_benchmarks.rules.workload import Question
from tocsin_benchmarks.selectors.command import _progress

EVENTS = 200_000
QUICK_EVENTS = 2_000
SHAPES = {
    Question.COUNT: (1_000, 100_000),
    Question.CHANGE: (1_000, 10_000),
    Question.REGION: (5_000, 10_000),
}
"""How many rules, and over how many keys."""

QUICK_SHAPES = dict.fromkeys(Question, (20, 100))

_HEADER = (
    "each rule asks",
    "rules",
    "keys",
    "rings",
    "bytes to matches, events/s",
    "by hand, events/s",
    "ratio",
    "held for a key",
    "built in",
)


def rules(
    events: Annotated[int | None, typer.Option(min=1, help="Events of each measurement.")] = None,
    quick: Annotated[
        bool, typer.Option(help="A few rules and events, to see that it works.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Rules and events are drawn from it.")] = 7,
    output: Annotated[
        Path, typer.Option(help="Where results.json, report.md and the plot go.", file_okay=False)
    ] = Path("artifacts/bench-rules"),
) -> None:
    """Measure rules in process: counting for each key, changes of a state, regions crossed.

    Every measurement runs in a process of its own on one core, from bytes to matches.
    """
    count = events or (QUICK_EVENTS if quick else EVENTS)
    saved: dict[str, Any] = {"machine": about_machine(), "seed": seed, "trials": []}
    with _progress(len(SHAPES)) as advance:
        for question, (number, keys) in (QUICK_SHAPES if quick else SHAPES).items():
            advance(question.value)
            request = {
                "question": question.name,
                "rules": number,
                "keys": keys,
                "events": count,
                "seed": seed,
            }
            saved["trials"].append(run_module("tocsin_benchmarks.rules.trial", request))
            saved["plot"] = _plot(saved["trials"])
            save(saved, output)
    show(saved, [table_of(saved["trials"])], output)


def table_of(trials: Sequence[Mapping[str, Any]]) -> Table:
    """All questions in one table."""
    return Table("Rules", _HEADER, tuple(map(_row, trials)), _notes(trials))


def _row(figures: Mapping[str, Any]) -> tuple[str, ...]:
    trial = figures["trial"]
    ours, by_hand = _speeds(figures)
    return (
        Question[trial["question"]].value,
        f"{trial['rules']:,}",
        f"{trial['keys']:,}",
        f"{figures['matches']:,}",
        rounded(ours),
        rounded(by_hand),
        f"{ours / by_hand:.2f}",
        f"{figures['bytes_per_key']:,.0f} B",
        f"{figures['build_seconds']:.1f} s",
    )


def _speeds(figures: Mapping[str, Any]) -> tuple[float, float]:
    events = figures["measured_events"]
    return events / figures["seconds"], events / figures["loop_seconds"]


def _notes(trials: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    differing = [
        trial["trial"]["question"] for trial in trials if trial["matches"] != trial["loop_matches"]
    ]
    said = f"DIFFERENT rings for {differing}." if differing else "Both ring equally often."
    return (
        f"By hand: one loop for one question, from the same bytes, which counts rings. {said}",
        "Ours decodes, checks and orders events, matches, detects and makes a match for each ring.",
        "Held for a key: memory after 20,000 events, the events that are kept included.",
    )


def _plot(trials: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    lines = {
        name: [(place, _speeds(figures)[number]) for place, figures in enumerate(trials, 1)]
        for number, name in enumerate(("tocsin, bytes to matches", "by hand"))
    }
    return {"x": "COUNT, BECOMES, ENTERS and LEAVES", "lines": lines}
