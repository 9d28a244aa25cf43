"""`tocsin bench service`: how many events a second the service takes and serves, and how long it
takes from publishing to being notified.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tocsin_benchmarks.harness.output import MARKDOWN, RESULTS, milliseconds
from tocsin_benchmarks.harness.runner import about_machine
from tocsin_benchmarks.harness.table import Table, mebibytes, rounded
from tocsin_benchmarks.service.trial import Rate, Trial, as_json, run_trial
from tocsin_benchmarks.service.workload import EVERY, ServiceWorkload

RATES = {1: "250,500,1000,1500,2000", 100: "1000,2000,5000,10000,15000,20000"}
SECONDS = 120.0
_HEADER = (
    "events/s asked",
    "in a request",
    "accepted/s",
    "answer p50",
    "p99",
    "stream p50",
    "p99",
    "webhook p50",
    "p99",
    "lag",
    "held",
)


def service(
    rates: Annotated[
        str | None, typer.Option(metavar="N,N,...", help="Events a second, one after the other.")
    ] = None,
    batch: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Events in a request; may be given several times."),
    ] = None,
    seconds: Annotated[float, typer.Option(min=1, help="For so long each rate is held.")] = SECONDS,
    selectors: Annotated[int, typer.Option(min=0, help="Boolean subscriptions.")] = 1_000,
    composites: Annotated[int, typer.Option(min=0, help="Composite subscriptions.")] = 1_000,
    engine: Annotated[str, typer.Option(help="local or spark.")] = "local",
    kafka: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Publish to this Kafka broker, not over HTTP."),
    ] = None,
    lateness: Annotated[str, typer.Option(help="How late events may be, for composites.")] = "2s",
    seed: Annotated[int, typer.Option(help="Events are drawn from it.")] = 5,
    output: Annotated[
        Path, typer.Option(help="Where results.json and report.md go.", file_okay=False)
    ] = Path("artifacts/bench-service"),
) -> None:
    """Publish at rising rates, until one is not held, and time the way to subscribers.

    A rate is held where all events are accepted and no more than a second of them wait at the end.
    Times are from when an event was due to be published, to the answer that it is on the disk (or
    that Kafka has it), to its match on a stream, and to its match at a webhook.
    """
    workload = ServiceWorkload(selectors, composites, seed)
    saved: dict[str, Any] = {"machine": about_machine(), "seed": seed, "engine": engine}
    saved["through"] = "HTTP" if kafka is None else "Kafka"
    saved |= {"selectors": selectors, "composites": composites, "seconds": seconds, "rates": []}
    found: list[Rate] = []
    for size in batch or list(RATES):
        asked = _rates(rates or RATES.get(size, RATES[100]))
        trial = Trial(workload, engine, asked, size, seconds, lateness, kafka)
        with tempfile.TemporaryDirectory(prefix="tocsin-bench-") as folder:
            found += run_trial(trial, Path(folder), lambda said: typer.echo(said, err=True))
        saved["rates"] = as_json(found)
        output.mkdir(parents=True, exist_ok=True)
        (output / RESULTS).write_text(json.dumps(saved, indent=1) + "\n")
    _show(saved, table_of(found, saved), output)


def _rates(given: str) -> list[float]:
    try:
        return sorted({float(each) for each in given.split(",")})
    except ValueError:
        raise typer.BadParameter("rates are numbers, as in 500,1000,2000") from None


def table_of(rates: Sequence[Rate], saved: dict[str, Any]) -> Table:
    """A row for each rate."""
    notes = (
        (
            f"{saved['selectors']:,} selectors and {saved['composites']:,} composites, --engine"
            f" {saved['engine']}, through {saved['through']}, {saved['seconds']:g} s at each rate."
            f" One event in {EVERY} is a probe, whose match is timed. Publishers, subscribers and"
            " service share the machine."
        ),
    )
    return Table("Service", _HEADER, tuple(map(_row, rates)), notes)


def _row(rate: Rate) -> tuple[str, ...]:
    times = [
        milliseconds(None if both is None else both[which])
        for both in (rate.answer, rate.stream, rate.webhook)
        for which in (0, 1)
    ]
    held = "yes" if rate.held else "no"
    lag = f"{rate.lag:,}"
    return (rounded(rate.asked), str(rate.batch), rounded(rate.accepted), *times, lag, held)


def _show(saved: dict[str, Any], table: Table, output: Path) -> None:
    machine = saved["machine"]
    said = (
        f"{machine['date']}, {machine['processor']}, {machine['cores']} cores,"
        f" {mebibytes(machine['memory_bytes'])}, Python {machine['python']}."
    )
    text = f"{said}\n\n{table.markdown()}"
    (output / MARKDOWN).write_text(text)
    console = Console()
    if console.is_terminal:
        console.print(said, table.rich(), sep="\n", markup=False)
    else:
        typer.echo(text)
    typer.echo(f"{output / RESULTS}\n{output / MARKDOWN}", err=True)
