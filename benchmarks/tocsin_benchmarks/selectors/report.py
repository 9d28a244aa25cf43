"""The report of a run: tables from saved results, so that the same results always give the same
report.

Written into one directory: results.json (all figures), report.md (the tables) and, where matplotlib
is installed, events-per-second.png.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tocsin.errors import MeaningProblem
from tocsin_benchmarks.harness.drawing import draw
from tocsin_benchmarks.harness.results import Results
from tocsin_benchmarks.harness.table import Table, mebibytes
from tocsin_benchmarks.selectors.paper_tables import paper_tables
from tocsin_benchmarks.selectors.scale_tables import scale_tables
from tocsin_benchmarks.selectors.spark_tables import spark_tables

RESULTS = "results.json"
MARKDOWN = "report.md"
PLOT = "events-per-second.png"


def tables_of(saved: Mapping[str, Any]) -> list[Table]:
    """All tables of a run."""
    results = Results(saved["trials"], saved["spark"])
    return [*paper_tables(results), *scale_tables(results), *spark_tables(results)]


def findings_of(saved: Mapping[str, Any]) -> list[str]:
    """What must be said about a run as a whole: where it ran, and whether all matchers found the
    same matches.
    """
    machine = saved["machine"]
    libraries = ", ".join(f"{name} {version}" for name, version in machine["libraries"].items())
    results = Results(saved["trials"])
    differing = results.disagreements()
    return [
        (
            f"{machine['date']}, {machine['processor']}, {machine['cores']} cores,"
            f" {mebibytes(machine['memory_bytes'])}, {machine['system']}, Python"
            f" {machine['python']}, {libraries}; seed {saved['seed']}."
        ),
        (
            "Without Spark, seconds are of one core's processor time; by the clock the"
            f" measurements took {results.crowding:.2f} times as long. Through Spark, seconds are"
            " of the clock."
        ),
        (
            f"The matchers DIFFER on: {'; '.join(differing)}."
            if differing
            else "All matchers found the same matches on the first events of every workload."
        ),
    ]


def merged(files: Sequence[Path]) -> dict[str, Any]:
    """Saved results of several runs as one, made on the machine of the first; of a trial run twice,
    the last counts.
    """
    runs = [json.loads(file.read_text()) for file in files]
    if len({run["seed"] for run in runs}) > 1:
        raise MeaningProblem("the results are of different seeds", hint="merge runs of one seed")
    return {
        **runs[0],
        **{kind: _last_of_each(run[kind] for run in runs) for kind in ("trials", "spark")},
    }


def save(saved: Mapping[str, Any], directory: Path, *, plot: bool) -> list[str]:
    """Writes the report; gives back one line for each thing that was written or could not be."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / RESULTS).write_text(json.dumps(saved, indent=1) + "\n")
    (directory / MARKDOWN).write_text(markdown(saved))
    written = [f"{directory / RESULTS}", f"{directory / MARKDOWN}"]
    return [*written, _plotted(directory)] if plot else written


def _last_of_each(lists: Iterable[Sequence[Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
    by_trial = {
        tuple(_identity(result["trial"])): result for results in lists for result in results
    }
    return list(by_trial.values())


def _identity(trial: Mapping[str, Any]) -> Iterator[Any]:
    return (
        trial.get(name) for name in ("contender", "way", "shape", "subscriptions", "attributes")
    )


def markdown(saved: Mapping[str, Any]) -> str:
    """The report as Markdown, ready to be pasted into a page."""
    return "\n".join(
        [
            *(f"{finding}\n" for finding in findings_of(saved)),
            *(one.markdown() for one in tables_of(saved)),
        ]
    )


def _plotted(directory: Path) -> str:
    return draw("tocsin_benchmarks.selectors.plot", directory / RESULTS, directory / PLOT)
