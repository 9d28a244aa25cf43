"""`tocsin bench selectors`: the paper's tables, the scale tests and the cost of Spark, in
one run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tocsin.errors import MeaningProblem
from tocsin_benchmarks.harness.runner import Result, about_machine, run_module
from tocsin_benchmarks.selectors.report import findings_of, markdown, merged, save, tables_of
from tocsin_benchmarks.selectors.schedule import Options, Part, trials
from tocsin_benchmarks.selectors.spark_schedule import spark_requests
from tocsin_benchmarks.selectors.trial import Trial
from tocsin_benchmarks.selectors.workloads import Shape

QUICK = Options(sizes=(1_000, 10_000), attributes=(10,), spark_sizes=(1_000,), seconds=1.0)
DEFAULT = Options()

Requests = list[tuple[str, Callable[[], Result]]]


def selectors(
    part: Annotated[
        list[Part] | None,
        typer.Option(
            help=(
                "paper: tables 5 and 6; alike: the same in plain Python; scale; spark: local[2]."
                " All."
            )
        ),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(help="Subscriptions of the scale tests, as 1000,10000,100000,1000000."),
    ] = None,
    attributes: Annotated[
        str | None, typer.Option(help="Attributes of their events, as 10,20.")
    ] = None,
    shape: Annotated[
        list[Shape] | None, typer.Option(help="Form of their selectors; all three by default.")
    ] = None,
    spark_sizes: Annotated[
        str | None, typer.Option(help="Subscriptions of the runs through Spark.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.01, help="About how long one measurement takes.")
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Selectors and events are drawn from it.")
    ] = DEFAULT.seed,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small sizes and short measurements: a few minutes.")
    ] = False,
    results: Annotated[
        list[Path] | None,
        typer.Option(
            help="Measure nothing: report these saved results, as one.", exists=True, dir_okay=False
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option(help="Where results.json, report.md and the plot go.", file_okay=False)
    ] = Path("artifacts/bench-selectors"),
) -> None:
    """Measure selector matching against the ways others match, on this machine.

    Every measurement runs in a process of its own on one core (Spark: two) and is limited in time.
    The whole run takes about two hours; --quick a few minutes. Tables are shown and saved with all
    figures and a plot.
    """
    if results:
        show(merged(results), output)
        return
    base = QUICK if quick else DEFAULT
    options = Options(
        parts=tuple(part or base.parts),
        sizes=_numbers(sizes, "--sizes") or base.sizes,
        attributes=_numbers(attributes, "--attributes") or base.attributes,
        shapes=tuple(shape or base.shapes),
        spark_sizes=_numbers(spark_sizes, "--spark-sizes") or base.spark_sizes,
        seconds=seconds or base.seconds,
        seed=seed,
    )
    show(run(options, output), output)


def run(options: Options, output: Path) -> dict[str, Any]:
    """All results of a run; they are saved after every trial, so that an interrupted run is not
    lost.
    """
    saved: dict[str, Any] = {
        "machine": about_machine(),
        "seed": options.seed,
        "trials": [],
        "spark": [],
    }
    requests: Requests = [(_title(trial), partial(_local, trial)) for trial in trials(options)]
    through_spark: Requests = [
        (title, partial(_spark, request)) for title, request in _spark_requests(options)
    ]
    with _progress(len(requests) + len(through_spark)) as advance:
        for kind, parts in (("trials", requests), ("spark", through_spark)):
            for title, measure in parts:
                advance(title)
                saved[kind].append(measure())
                save(saved, output, plot=False)
    return saved


def show(saved: dict[str, Any], output: Path) -> None:
    """The report to standard output (tables on a terminal, Markdown elsewhere), what was written to
    standard error.
    """
    console = Console()
    if console.is_terminal:
        console.print(
            *findings_of(saved),
            *(table.rich() for table in tables_of(saved)),
            sep="\n",
            markup=False,
        )
    else:
        typer.echo(markdown(saved))
    for line in save(saved, output, plot=True):
        typer.echo(line, err=True)


def _local(trial: Trial) -> Result:
    return run_module("tocsin_benchmarks.selectors.run_trial", trial.as_json())


def _spark(request: dict[str, Any]) -> Result:
    return run_module("tocsin_benchmarks.selectors.run_spark_trial", request, {})


def _spark_requests(options: Options) -> list[tuple[str, dict[str, Any]]]:
    if Part.SPARK not in options.parts:
        return []
    if find_spec("pyspark") is None:
        typer.echo(
            "tocsin: no runs through Spark: it is not installed; pip install 'tocsin[spark]'"
            " adds it",
            err=True,
        )
        return []
    return spark_requests(options)


def _title(trial: Trial) -> str:
    workload = "paper" if trial.shape is None else trial.shape.label
    return f"{workload}, {trial.subscriptions:,} x {trial.attributes}: {trial.contender.value}"


@contextmanager
def _progress(total: int) -> Iterator[Callable[[str], None]]:
    """A bar on a terminal, a line for each trial elsewhere; yields what to call when the next trial
    begins.
    """
    console = Console(stderr=True)
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task, begun = bar.add_task("", total=total), 0

        def advance(title: str) -> None:
            nonlocal begun
            bar.update(task, completed=begun, description=title)
            begun += 1
            if not console.is_terminal:
                console.print(f"{begun}/{total} {title}", markup=False, highlight=False)

        yield advance


def _numbers(text: str | None, option: str) -> tuple[int, ...]:
    """Numbers of a list such as 1000,10000; none where the option was not given."""
    if text is None:
        return ()
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError:
        numbers = (0,)
    if min(numbers) < 1:
        raise MeaningProblem(
            f"{option} is a list of numbers above 0, got {text!r}", hint="write it like 1000,10000"
        )
    return numbers
