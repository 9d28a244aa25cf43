"""`tocsin move`: from a data folder to a database that several gateways and a cluster can use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tocsin.service.operations.postgres_migration import migrate_data

Data = Annotated[Path, typer.Option(help="The data folder of a service that does not run.")]
To = Annotated[str, typer.Option("--to", help="The URL of an empty PostgreSQL database.")]


def move(data: Data, to: To) -> None:
    """Move all that a data folder holds into a PostgreSQL database; the service goes on there."""
    counts = migrate_data(data, to)
    for name, count in counts.items():
        if count:
            typer.echo(f"{count:>9} {name}")
    typer.echo("moved; start with `database` in the settings, and the same --data")
