"""`tocsin reset-time`: continue after a clock, or the times of events, were far ahead."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tocsin.service.operations.time_reset import reset_time as set_back
from tocsin.service.settings.settings import load_settings
from tocsin.values.time import parse_instant

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
