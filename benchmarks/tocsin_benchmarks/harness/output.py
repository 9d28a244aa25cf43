"""What the benchmarks of composites show and save: tables on the screen, results.json, report.md
and a plot.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from tocsin_benchmarks.harness.drawing import draw
from tocsin_benchmarks.harness.table import NOTHING, Table, mebibytes

RESULTS = "results.json"
MARKDOWN = "report.md"
PLOT = "events-per-second.png"
LINES = "sequences.plot"
"""The plot of most benchmarks: lines that the results hold."""


def machine_line(saved: Mapping[str, Any]) -> str:
    """Where and when a run was made, and what its seconds are."""
    machine = saved["machine"]
    libraries = ", ".join(f"{name} {version}" for name, version in machine["libraries"].items())
    return (
        f"{machine['date']}, {machine['processor']}, {machine['cores']} cores,"
        f" {mebibytes(machine['memory_bytes'])}, {machine['system']}, Python {machine['python']},"
        f" {libraries}; seed {saved['seed']}. Seconds are of one core's processor time."
    )


def milliseconds(seconds: float | None) -> str:
    """A time in ms."""
    return NOTHING if seconds is None else f"{1000 * seconds:.1f} ms"


def show(
    saved: Mapping[str, Any], tables: Sequence[Table], output: Path, plot: str = LINES
) -> None:
    """The report to standard output (tables on a terminal, Markdown elsewhere), what was written to
    standard error; `plot` is the module that draws.
    """
    show_tables(saved, tables, output)
    typer.echo(plotted(output, plot), err=True)


def show_tables(saved: Mapping[str, Any], tables: Sequence[Table], output: Path) -> None:
    """The same without a plot."""
    console, said = Console(), machine_line(saved)
    text = "\n".join([f"{said}\n", *(table.markdown() for table in tables)])
    if console.is_terminal:
        console.print(said, *(table.rich() for table in tables), sep="\n", markup=False)
    else:
        typer.echo(text)
    (output / MARKDOWN).write_text(text)
    for line in (str(output / RESULTS), str(output / MARKDOWN)):
        typer.echo(line, err=True)


def save(saved: Mapping[str, Any], output: Path) -> None:
    """Writes the figures, so that an interrupted run is not lost."""
    output.mkdir(parents=True, exist_ok=True)
    (output / RESULTS).write_text(json.dumps(saved, indent=1) + "\n")


def plotted(directory: Path, module: str = LINES, name: str = PLOT) -> str:
    """The picture of the results in this directory."""
    return draw(f"tocsin_benchmarks.{module}", directory / RESULTS, directory / name)
