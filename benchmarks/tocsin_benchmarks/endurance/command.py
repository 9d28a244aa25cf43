"""`tocsin bench endurance`: memory over a long run in which state expires. Flat is what is aimed
at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer

from tocsin_benchmarks.endurance.run import Sample, samples
from tocsin_benchmarks.harness.drawing import draw
from tocsin_benchmarks.harness.output import MARKDOWN, RESULTS, machine_line, save
from tocsin_benchmarks.harness.runner import about_machine
from tocsin_benchmarks.harness.table import Table, mebibytes, rounded
from tocsin_benchmarks.selectors.command import _progress
from tocsin_benchmarks.sequences.workload import KEYS, Density, SequenceWorkload

EVENTS = 10_000_000
EVERY = 250_000
PATTERNS = 20
PLOT = "memory.png"

_HEADER = ("", "first quarter, median", "last quarter, median", "difference", "largest growth")


def endurance(
    events: Annotated[int, typer.Option(min=1, help="Events of the run.")] = EVENTS,
    patterns: Annotated[
        int, typer.Option(min=1, help="Half find X then Y, half X without Y.")
    ] = PATTERNS,
    every: Annotated[
        int, typer.Option(min=1, help="Memory is looked at after so many events.")
    ] = EVERY,
    seed: Annotated[int, typer.Option(help="Events are drawn from it.")] = 5,
    output: Annotated[
        Path, typer.Option(help="Where results.json, report.md and the plot go.", file_okay=False)
    ] = Path("artifacts/bench-endurance"),
) -> None:
    """Watch the memory of one process over many events: X then a higher Y, and X without Y.

    What was looked at is saved on the way, so that a run that is stopped is not lost.
    """
    workload = SequenceWorkload(Density.DENSE, patterns, events, seed)
    saved: dict[str, Any] = {
        "machine": about_machine(),
        "seed": seed,
        "patterns": patterns,
        "samples": [],
    }
    taken: list[Sample] = []
    with _progress(-(-events // every)) as advance:
        for sample in samples(workload, every):
            advance(
                f"{sample.events:,} events, {sample.pending:,} wait, {mebibytes(sample.resident)}"
            )
            taken.append(sample)
            saved["samples"].append(asdict(sample))
            save(saved, output)
    _show(saved, table_of(taken, patterns), output)


def table_of(taken: Sequence[Sample], patterns: int) -> Table:
    """Memory and waiting occurrences, the first quarter of the run beside the last."""
    last = taken[-1]
    notes = (
        (
            f"{last.events:,} events of {KEYS:,} keys, {patterns:,} patterns, {last.matches:,}"
            f" matches, {rounded(last.events / last.seconds)} events/s, looked at {len(taken):,}"
            " times. Largest growth: from any time to any later one."
        ),
    )
    rows = (
        ("resident memory", *_figures([sample.resident for sample in taken], mebibytes)),
        (
            "occurrences that wait",
            *_figures([sample.pending for sample in taken], "{:,.0f}".format),
        ),
    )
    return Table("Endurance", _HEADER, rows, notes)


def _figures(values: Sequence[int], written: Callable[[float], str]) -> tuple[str, ...]:
    first, last = quarters(values)
    difference = f"{100 * (last - first) / first:+.1f} %" if first else "-"
    return written(first), written(last), difference, written(largest_growth(values))


def quarters(values: Sequence[int]) -> tuple[float, float]:
    """The medians of the first and of the last quarter, each of one value at least."""
    size = max(1, len(values) // 4)
    return median(values[:size]), median(values[-size:])


def largest_growth(values: Sequence[int]) -> int:
    """How much a value exceeds the lowest of those before it, at most."""
    lowest, growth = values[0], 0
    for value in values:
        lowest = min(lowest, value)
        growth = max(growth, value - lowest)
    return growth


def _show(saved: Mapping[str, Any], table: Table, output: Path) -> None:
    text = f"{machine_line(saved)}\n\n{table.markdown()}"
    (output / MARKDOWN).write_text(text)
    typer.echo(text)
    for line in (str(output / RESULTS), str(output / MARKDOWN), _plotted(output)):
        typer.echo(line, err=True)


def _plotted(directory: Path) -> str:
    return draw("tocsin_benchmarks.endurance.plot", directory / RESULTS, directory / PLOT)
