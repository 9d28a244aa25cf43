"""`tocsin verify`: compare an engine with the reference, on the user's own subscriptions and
events.
"""

from __future__ import annotations

from typing import Annotated

import typer

from tocsin.cli.dead_letter_report import report_dead_letters, require_some
from tocsin.cli.evaluators import EvaluatorName, Request, evaluate
from tocsin.cli.inputs import event_files
from tocsin.cli.options import (
    DocumentTime,
    EventFormat,
    Events,
    FieldColumns,
    Infer,
    Ontology,
    SplitBy,
    Subscriptions,
    Zone,
)
from tocsin.cli.subscription_files import load
from tocsin.connectors.events import Split
from tocsin.errors import MeaningProblem


def verify(
    subscriptions: Subscriptions,
    events: Events,
    ontology: Ontology = None,
    infer: Infer = None,
    engine: Annotated[
        EvaluatorName, typer.Option(help="The engine to compare with the reference.")
    ] = EvaluatorName.LOCAL,
    format: EventFormat = None,
    split: SplitBy = Split.DOCUMENT,
    columns: FieldColumns = None,
    zone: Zone = None,
    time: DocumentTime = None,
) -> None:
    """Compare an engine with the reference; exit status 1 on any difference."""
    if "-" in events:
        raise MeaningProblem(
            "verify reads the events twice", code="FileError", hint="give a file instead of -"
        )
    files = event_files(events, format, split, columns, zone, time)
    request = Request(load(subscriptions, ontology, infer, skip_wrong=False), files)
    answer = evaluate(engine, request)
    report_dead_letters(answer, files, kept=False)
    found = {each.line() for each in answer.matches}
    expected = {each.line() for each in evaluate(EvaluatorName.REFERENCE, request).matches}
    for line in sorted(found - expected):
        typer.echo(f"only {engine.value}: {line}")
    for line in sorted(expected - found):
        typer.echo(f"only reference: {line}")
    if found != expected:
        typer.echo(f"{len(found ^ expected)} difference(s)", err=True)
        raise typer.Exit(1)
    typer.echo(f"{engine.value} and reference agree: {len(found)} match(es)", err=True)
    require_some(answer, files)
