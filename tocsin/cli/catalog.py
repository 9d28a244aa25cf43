"""`tocsin catalog`: subscriptions in a store that the Hub and running Spark queries read too."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from tocsin.catalog import open_catalog
from tocsin.cli.loading import load
from tocsin.cli.options import Ontology, Subscriptions

app = typer.Typer(help="Subscriptions in a live catalog (SQLite file or PostgreSQL URL).", no_args_is_help=True)

Url = Annotated[
    str, typer.Argument(metavar="CATALOG", help="A SQLite file, or postgresql+psycopg://user@host/database.")
]


@app.command("add")
def add(catalog: Url, subscriptions: Subscriptions, ontology: Ontology = None) -> None:
    """Add all subscriptions of a file, or none; running queries take them over with their next micro-batch."""
    loaded = load(subscriptions, ontology, skip_wrong=False)
    version = open_catalog(catalog).add(*loaded.definitions, *loaded.subscriptions.values())
    typer.echo(f"{len(loaded.subscriptions)} subscription(s) added, version {version}", err=True)


@app.command("remove")
def remove(catalog: Url, ids: Annotated[list[str], typer.Argument(metavar="ID...")]) -> None:
    """Remove subscriptions by id, all or none."""
    version = open_catalog(catalog).remove(*ids)
    typer.echo(f"{len(ids)} subscription(s) removed, version {version}", err=True)


@app.command("list")
def show(
    catalog: Url, version: Annotated[int | None, typer.Option(help="As of this version; the newest by default.")] = None
) -> None:
    """List the subscriptions as JSON Lines."""
    snapshot = open_catalog(catalog).snapshot(version)
    for subscription in snapshot.subscriptions:
        typer.echo(json.dumps(subscription.as_json(), ensure_ascii=False))
    typer.echo(f"{len(snapshot.subscriptions)} subscription(s), version {snapshot.version}", err=True)
