"""`tocsin check`: all problems of a file of subscriptions, with place and hint."""

from __future__ import annotations

import typer

from tocsin.catalog import Surroundings, compile_subscription, loop_warnings, warnings_of
from tocsin.catalog.files import LineProblem
from tocsin.cli.loading import problems_in, read_file
from tocsin.cli.options import Ontology, Subscriptions


def check(subscriptions: Subscriptions, ontology: Ontology = None) -> None:
    """Check every subscription of a file; exit status 1 if any has a problem."""
    entries = read_file(subscriptions, ontology)
    problems = problems_in(entries)
    for each in problems:
        typer.echo(f"{subscriptions}: {each}")
    if problems:
        typer.echo(f"{len(problems)} problem(s)", err=True)
        raise typer.Exit(1)
    light = Surroundings.of(entries.definitions)
    for entry in entries.subscriptions:
        for warning in warnings_of(entry.subscription, light):
            typer.echo(f"{subscriptions}: warning: {LineProblem(entry.line, entry.subscription.id, warning)}", err=True)
    plans = {each.subscription.id: compile_subscription(each.subscription, light) for each in entries.subscriptions}
    for warning in loop_warnings(plans):
        typer.echo(f"{subscriptions}: warning: {warning}", err=True)
    typer.echo(f"{len(entries.subscriptions)} subscription(s), no problem", err=True)
