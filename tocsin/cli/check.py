"""`tocsin check`: all problems of a file of subscriptions, with place and hint; and what of an
ontology is used.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from tocsin.catalog import (
    Definition,
    Entries,
    Surroundings,
    compile_subscription,
    loop_warnings,
    usage_in,
)
from tocsin.catalog.review import definition_problems, file_warnings
from tocsin.cli.loading import problems_in, read_file
from tocsin.cli.options import Infer, Ontology
from tocsin.errors import MeaningProblem


def check(
    subscriptions: Annotated[
        str | None,
        typer.Argument(
            metavar="[SUBSCRIPTIONS]", help="JSON Lines; - for standard input, .gz works."
        ),
    ] = None,
    ontology: Ontology = None,
    infer: Infer = None,
) -> None:
    """Check every subscription of a file; exit status 1 if any has a problem.

    Of each ontology it tells which axioms graph patterns use and which not, and what would use
    them. With --ontology the file of subscriptions may be left out.
    """
    if subscriptions is None and not ontology:
        raise MeaningProblem(
            "there is nothing to check",
            code="FileError",
            hint="give a file of subscriptions, or --ontology FILE",
        )
    entries = read_file(subscriptions, ontology, infer)
    _tell_usage(entries.definitions)
    if subscriptions is not None:
        _check_subscriptions(subscriptions, entries)


def _check_subscriptions(path: str, entries: Entries) -> None:
    problems = sorted(
        [*problems_in(entries), *definition_problems(entries)], key=lambda each: each.line
    )
    for each in problems:
        typer.echo(f"{path}: {each}")
    for each in file_warnings(entries):
        typer.echo(f"{path}: warning: {each}", err=True)
    if problems:
        typer.echo(f"{len(problems)} problem(s)", err=True)
        raise typer.Exit(1)
    light = Surroundings.of(entries.definitions)
    plans = {
        each.subscription.id: compile_subscription(each.subscription, light)
        for each in entries.subscriptions
    }
    for warning in loop_warnings(plans):
        typer.echo(f"{path}: warning: {warning}", err=True)
    typer.echo(f"{len(entries.subscriptions)} subscription(s), no problem", err=True)


def _tell_usage(definitions: Iterable[Definition]) -> None:
    for definition in definitions:
        usage = usage_in(definition)
        if usage is not None:
            typer.echo(f"{definition.name}: {usage.text()}")
            for hint in usage.hints():
                typer.echo(f"{definition.name}: hint: {hint}")
