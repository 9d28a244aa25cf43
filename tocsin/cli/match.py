"""`tocsin match`: the matches of subscriptions over files of events; and `tocsin verify`, which
compares an engine with the reference on the user's own subscriptions and events.

Both report unserved events on standard error; if no event could be read at all, that is a problem.
"""

from __future__ import annotations

from typing import Annotated

import typer

from tocsin.catalog import knowledge_in
from tocsin.cli.evaluators import EvaluationResult, EvaluatorName, Request, evaluate
from tocsin.cli.inputs import EventFiles, event_files
from tocsin.cli.options import (
    DocumentTime,
    EventFormat,
    Events,
    FieldColumns,
    Infer,
    OnError,
    Ontology,
    SplitBy,
    Subscriptions,
    Zone,
)
from tocsin.cli.subscription_files import load
from tocsin.connectors.events import Split
from tocsin.connectors.files import write_lines
from tocsin.errors import MeaningProblem
from tocsin.events.codecs.reception import EventEndRule
from tocsin.events.matches.match import MemberContent
from tocsin.plan.semantics.bounds import WINDOW_IN_PAST
from tocsin.values.time import parse_duration, parse_instant


def report_dead_letters(answer: EvaluationResult, files: EventFiles, *, kept: bool) -> None:
    """Report the number of dead letters and the first of them; `kept` if they were written to a
    file.
    """
    unserved = [letter for letter in answer.dead_letters if letter.code != WINDOW_IN_PAST]
    if unserved:
        first = unserved[0]
        where = f", the first at {first.place}" if first.line else ", the first"
        more = "" if kept else "; --dead-letters FILE keeps them all"
        typer.echo(
            f"tocsin: {len(unserved)} event(s) not served{where}: {first.reason}{more}", err=True
        )
    elif not answer.some_read:
        typer.echo(f"tocsin: there is no event in {files.describe()}", err=True)


def require_some(answer: EvaluationResult, files: EventFiles) -> None:
    """Raise if there was input and none of it was an event."""
    if not answer.some_read and answer.dead_letters:
        hint = "--format says what a file holds, where its name and first bytes do not tell"
        raise MeaningProblem(
            f"nothing in {files.describe()} could be read as an event",
            code="NothingRead",
            hint=hint,
        )


def match(
    subscriptions: Subscriptions,
    events: Events,
    ontology: Ontology = None,
    infer: Infer = None,
    engine: Annotated[
        EvaluatorName, typer.Option(help="Engine: local, reference or spark (same results).")
    ] = EvaluatorName.LOCAL,
    lateness: Annotated[
        str | None,
        typer.Option(
            help="Count events as late that end more than this before the newest one, as 2s."
        ),
    ] = None,
    ahead: Annotated[
        str | None,
        typer.Option(
            help=(
                "Count events as wrong that end more than this ahead of the events around them,"
                " as 1d."
            )
        ),
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="Stop the clock at this time, as 2026-01-31T08:00:00Z.")
    ] = None,
    output: Annotated[
        str, typer.Option(help="Where matches go, one JSON object a line; - is standard output.")
    ] = "-",
    dead_letters: Annotated[
        str | None,
        typer.Option(help="Where malformed and late events go, with line number and reason."),
    ] = None,
    on_error: Annotated[
        OnError, typer.Option(help="Stop or skip when a subscription does not compile.")
    ] = OnError.FAIL,
    content: Annotated[
        MemberContent,
        typer.Option(help="What matches tell of their events, where a subscription does not say."),
    ] = MemberContent.IDS,
    interval: Annotated[
        EventEndRule,
        typer.Option(
            help="When an event without endtime ends: when it starts, or when it was received."
        ),
    ] = EventEndRule.START,
    format: EventFormat = None,
    split: SplitBy = Split.DOCUMENT,
    columns: FieldColumns = None,
    zone: Zone = None,
    time: DocumentTime = None,
    master: Annotated[str, typer.Option(help="Spark master, for --engine spark.")] = "local[2]",
) -> None:
    """Match the events of files against the subscriptions of a file.

    Events are CloudEvents JSON Lines or an array, EPCIS, XML, RDF, CSV or Parquet; docs/files.md
    describes them all. Matches are written in the order of detection. A malformed event never stops
    the run: it is counted on standard error and, with --dead-letters, written with its line number
    and the reason; if no event could be read at all, the exit status is 1. With --content events or
    rdf a match has its members too: the complete events, or each event as Turtle.
    """
    stop = None if until is None else parse_instant(until)
    loaded = load(subscriptions, ontology, infer, skip_wrong=on_error is OnError.SKIP)
    contents = {id: each.content or content for id, each in loaded.subscriptions.items()}
    allowed = parse_duration(lateness) if lateness else None
    with_members = set(contents.values()) != {MemberContent.IDS}
    far = parse_duration(ahead) if ahead else None
    files = event_files(events, format, split, columns, zone, time)
    request = Request(loaded, files, allowed, stop, master, with_members, interval, far)
    answer = evaluate(engine, request)
    for line in answer.warned.lines():
        typer.echo(f"tocsin: warning: {line}; the event was served", err=True)
    for letter in answer.dead_letters:
        if letter.code == WINDOW_IN_PAST:
            typer.echo(f"tocsin: warning: {letter.reason}", err=True)
    words = knowledge_in(loaded.definitions)
    write_lines(output, (each.line(contents[each.subscription], words) for each in answer.matches))
    if dead_letters is not None:
        write_lines(dead_letters, (each.text() for each in answer.dead_letters))
    report_dead_letters(answer, files, kept=dead_letters is not None)
    require_some(answer, files)


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
