"""`tocsin subscriptions`: the subscriptions at a service, and their status. `tocsin tail`: new
matches of them, one JSON object per line.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from tocsin.cli.server_options import DEFAULT_SERVER, Key, Server
from tocsin.client import Client
from tocsin.events.codecs.base.cloudevents import json_text

app = typer.Typer(
    help="Subscriptions at a service: list, show, pause, resume, replay, delete.",
    no_args_is_help=True,
)

Id = Annotated[str, typer.Argument(metavar="ID", help="The id of the subscription.")]
Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of subscriptions.")]


@app.command("list")
def list_all(server: Server = DEFAULT_SERVER, key: Key = None) -> None:
    """List all subscriptions, one JSON object per line."""
    with Client(server, key) as client:
        for each in client.subscriptions():
            typer.echo(_text(each))


@app.command("show")
def show(id: Id, server: Server = DEFAULT_SERVER, key: Key = None) -> None:
    """Show a subscription and, if its matches are delivered, its delivery status."""
    with Client(server, key) as client:
        found = client.subscription(id)
        if set(found.get("deliver") or {}) & {"webhook", "kafka", "file"}:
            found["delivery"] = client.delivery(id)
    typer.echo(json.dumps(found, indent=2, ensure_ascii=False))


@app.command("pause")
def pause(ids: Ids, server: Server = DEFAULT_SERVER, key: Key = None) -> None:
    """Pause subscriptions: they do not ring until they are resumed."""
    with Client(server, key) as client:
        for id in ids:
            client.pause(id)
            typer.echo(f"{id} is paused")


@app.command("resume")
def resume(ids: Ids, server: Server = DEFAULT_SERVER, key: Key = None) -> None:
    """Resume paused subscriptions."""
    with Client(server, key) as client:
        for id in ids:
            client.pause(id, False)
            typer.echo(f"{id} rings again")


@app.command("replay")
def replay(
    id: Id,
    after: Annotated[
        int | None,
        typer.Option(metavar="POSITION", help="Begin behind it; where it is, by default.", min=0),
    ] = None,
    server: Server = DEFAULT_SERVER,
    key: Key = None,
) -> None:
    """Deliver again at once, after the receiver has failed or refused."""
    with Client(server, key) as client:
        told = client.resume_delivery(id) if after is None else client.replay(id, after)
    typer.echo(_text(told))


@app.command("secret")
def secret(
    id: Id,
    change: Annotated[
        bool, typer.Option("--change", help="Make a new one; the old is good for a day more.")
    ] = False,
    server: Server = DEFAULT_SERVER,
    key: Key = None,
) -> None:
    """Show the secret that signs the messages to a webhook."""
    with Client(server, key) as client:
        typer.echo(client.change_secret(id) if change else client.secret(id))


@app.command("delete")
def delete(ids: Ids, server: Server = DEFAULT_SERVER, key: Key = None) -> None:
    """Delete subscriptions."""
    with Client(server, key) as client:
        for id in ids:
            client.delete(id)
            typer.echo(f"{id} is deleted")


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


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
