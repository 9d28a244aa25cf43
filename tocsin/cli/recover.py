"""`tocsin recover`: restart a service that refuses to start because its stores have lost data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tocsin.service.operations.recovery import explain_losses, recover_stores
from tocsin.service.settings.settings import load_settings

Data = Annotated[Path | None, typer.Option(help="The data folder of a service that does not run.")]
Config = Annotated[Path | None, typer.Option(help="A TOML file with settings.")]
Yes = Annotated[bool, typer.Option("--yes", help="Go on without what is lost.")]


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
