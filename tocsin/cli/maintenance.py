"""`tocsin recover`: restart a service that refuses to start because its stores have lost data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tocsin.service.operations.postgres_migration import migrate_data
from tocsin.service.operations.recovery import explain_losses, recover_stores
from tocsin.service.operations.recovery import reset_time as set_back
from tocsin.service.settings.settings import load_settings
from tocsin.values.time import parse_instant

StoppedData = Annotated[
    Path | None, typer.Option(help="The data folder of a service that does not run.")
]
StoppedConfig = Annotated[Path | None, typer.Option(help="A TOML file with settings.")]
Yes = Annotated[bool, typer.Option("--yes", help="Go on without what is lost.")]


def recover(data: StoppedData = None, config: StoppedConfig = None, yes: Yes = False) -> None:
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


# `tocsin reset-time`: continue after a clock, or the times of events, were far ahead.

Data = Annotated[Path | None, typer.Option(help="The data folder of a service that does not run.")]
Config = Annotated[Path | None, typer.Option(help="A TOML file with settings.")]
To = Annotated[
    str | None,
    typer.Option("--to", help="The time to go on from; by default that of the next event."),
]


def reset_time(data: Data = None, config: Config = None, to: To = None) -> None:
    """Set the time of a service back after a clock was ahead; composites lose what waited."""
    settings = load_settings(config, data=data)
    for line in set_back(settings, None if to is None else parse_instant(to)):
        typer.echo(line)


# `tocsin move`: from a data folder to a database that several gateways and a cluster can use.

ClosedData = Annotated[Path, typer.Option(help="The data folder of a service that does not run.")]
TargetUrl = Annotated[str, typer.Option("--to", help="The URL of an empty PostgreSQL database.")]


def move(data: ClosedData, to: TargetUrl) -> None:
    """Move all that a data folder holds into a PostgreSQL database; the service goes on there."""
    counts = migrate_data(data, to)
    for name, count in counts.items():
        if count:
            typer.echo(f"{count:>9} {name}")
    typer.echo("moved; start with `database` in the settings, and the same --data")
