"""Commands on the data of a service that does not run: `tocsin recover`, `reset-time`, `move`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tocsin.service.operations.postgres_migration import migrate_data
from tocsin.service.operations.recovery import explain_losses, recover_stores
from tocsin.service.operations.recovery import reset_time as set_back
from tocsin.service.settings.settings import load_settings
from tocsin.values.time import parse_instant

_DATA = typer.Option(help="The data folder of a service that does not run.")

Data = Annotated[Path | None, _DATA]
Config = Annotated[Path | None, typer.Option(help="A TOML file with settings.")]
Yes = Annotated[bool, typer.Option("--yes", help="Go on without what is lost.")]
Time = Annotated[
    str | None,
    typer.Option("--to", help="The time to go on from; by default that of the next event."),
]
Database = Annotated[str, typer.Option("--to", help="The URL of an empty PostgreSQL database.")]


def recover(data: Data = None, config: Config = None, yes: Yes = False) -> None:
    """Show what the stores of a service have lost; with --yes, go on without it."""
    settings = load_settings(config, data=data)
    lines = recover_stores(settings) if yes else explain_losses(settings)
    for line in lines:
        typer.echo(line)
    if not lines:
        typer.echo("nothing is lost")
    elif yes:
        typer.echo("recovered; start the service")
    else:
        typer.echo("nothing was changed; to go on without it: tocsin recover --yes")
        raise typer.Exit(1)


def reset_time(data: Data = None, config: Config = None, to: Time = None) -> None:
    """Set the time of a service back after a clock was ahead; composites lose what waited."""
    settings = load_settings(config, data=data)
    for line in set_back(settings, None if to is None else parse_instant(to)):
        typer.echo(line)


def move(data: Annotated[Path, _DATA], to: Database) -> None:
    """Move all that a data folder holds into a PostgreSQL database; the service goes on there."""
    counts = migrate_data(data, to)
    for name, count in counts.items():
        if count:
            typer.echo(f"{count:>9} {name}")
    typer.echo("moved; start with `database` in the settings, and the same --data")
