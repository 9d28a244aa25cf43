"""What the benchmarks of composites show and save: tables on the screen, results.json, report.md
and a plot.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from tocsin_benchmarks.harness.table import NOTHING, Table, mebibytes

RESULTS = "results.json"
MARKDOWN = "report.md"
PLOT = "events-per-second.png"


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


def show(saved: Mapping[str, Any], tables: Sequence[Table], output: Path) -> None:
    """The report to standard output (tables on a terminal, Markdown elsewhere), what was written to
    standard error.
    """
    console, said = Console(), machine_line(saved)
    text = "\n".join([f"{said}\n", *(table.markdown() for table in tables)])
    if console.is_terminal:
        console.print(said, *(table.rich() for table in tables), sep="\n", markup=False)
    else:
        typer.echo(text)
    (output / MARKDOWN).write_text(text)
    for line in (str(output / RESULTS), str(output / MARKDOWN), plotted(output)):
        typer.echo(line, err=True)


def save(saved: Mapping[str, Any], output: Path) -> None:
    """Writes the figures, so that an interrupted run is not lost."""
    output.mkdir(parents=True, exist_ok=True)
    (output / RESULTS).write_text(json.dumps(saved, indent=1) + "\n")


def plotted(directory: Path, module: str = "sequences_plot", name: str = PLOT) -> str:
    """The plot is drawn by a process of its own: who does not want one needs no matplotlib."""
    if find_spec("matplotlib") is None:
        return "no plot: matplotlib is not installed; pip install 'tocsin[bench]' adds it"
    target = str(directory / name)
    command = [
        sys.executable,
        "-m",
        f"tocsin_benchmarks.{module}",
        str(directory / RESULTS),
        target,
    ]
    drawn = subprocess.run(command, capture_output=True, text=True, check=False)
    return (
        target
        if drawn.returncode == 0
        else f"no plot: {drawn.stderr.strip().rpartition(chr(10))[2]}"
    )
