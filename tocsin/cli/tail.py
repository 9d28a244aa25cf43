"""`tocsin tail`: new matches, one JSON object per line."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from tocsin.cli.server_options import DEFAULT_SERVER, Key, Server
from tocsin.client import Client
from tocsin.events.codecs.base.cloudevents import json_text


def tail(
    subscription: Annotated[
        str | None, typer.Option(metavar="ID", help="Only matches of this subscription.")
    ] = None,
    after: Annotated[
        int | None,
        typer.Option(metavar="POSITION", help="Begin behind a position; 0 for all.", min=0),
    ] = None,
    count: Annotated[int | None, typer.Option(help="Stop after so many.", min=1)] = None,
    follow: Annotated[
        bool, typer.Option(help="Follow new matches; otherwise stop after the stored ones.")
    ] = True,
    server: Server = DEFAULT_SERVER,
    key: Key = None,
) -> None:
    """Show matches as they come, over lost connections and restarts of the service.

    Starts now, or after a position. At the end, Ctrl-C included, it shows the position to continue
    from.
    """
    with Client(server, key) as client:
        found = (
            client.stream(subscription, after)
            if follow
            else client.matches(subscription, after or 0)
        )
        try:
            _show(itertools.islice(found, count))
        except KeyboardInterrupt:
            typer.echo("", err=True)
        finally:
            if found.position is not None:
                typer.echo(f"tocsin: go on with --after {found.position}", err=True)


def _show(matches: Iterable[dict[str, Any]]) -> None:
    for match in matches:
        typer.echo(json_text(match))
