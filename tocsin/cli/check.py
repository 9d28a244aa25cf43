"""`tocsin check`: all problems of a file of subscriptions, with position and hint, and the use of
its ontologies.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from tocsin.catalog import Definition, Entries, loop_warnings, unused_by_concepts, usage_in
from tocsin.catalog.review import review
from tocsin.cli.options import Infer, Ontology
from tocsin.cli.subscription_files import read_file
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

    For each ontology, lists the axioms that graph patterns use and do not use, the options and
    languages that would use these, and the parts that concepts do not use. With --ontology the file
    of subscriptions is optional.
    """
    if subscriptions is None and not ontology:
        raise MeaningProblem(
            "there is nothing to check",
            code="FileError",
            hint="give a file of subscriptions, or --ontology FILE",
        )
    entries = read_file(subscriptions, ontology, infer)
    _report_usage(entries.definitions)
    if subscriptions is not None:
        _check_subscriptions(subscriptions, entries)


def _check_subscriptions(path: str, entries: Entries) -> None:
    found = review(entries)
    for each in found.problems:
        typer.echo(f"{path}: {each}")
    for each in found.warnings:
        typer.echo(f"{path}: warning: {each}", err=True)
    if found.problems:
        typer.echo(f"{len(found.problems)} problem(s)", err=True)
        raise typer.Exit(1)
    plans = {each.subscription.id: each.require_plan() for each in found.compiled}
    for warning in loop_warnings(plans):
        typer.echo(f"{path}: warning: {warning}", err=True)
    typer.echo(f"{len(entries.subscriptions)} subscription(s), no problem", err=True)


def _report_usage(definitions: Iterable[Definition]) -> None:
    for definition in definitions:
        usage = usage_in(definition)
        if usage is not None:
            typer.echo(f"{definition.name}: {usage.text()}")
            for hint in usage.hints():
                typer.echo(f"{definition.name}: hint: {hint}")
        for line in unused_by_concepts(definition):
            typer.echo(f"{definition.name}: {line}")
