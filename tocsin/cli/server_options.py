"""Options of client commands for the service to use, also from the environment."""

from __future__ import annotations

from typing import Annotated

import typer

DEFAULT_SERVER = "http://127.0.0.1:8080"

Server = Annotated[
    str,
    typer.Option(
        "--server", metavar="URL", envvar="TOCSIN_SERVER", help="The address of the service."
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key",
        metavar="KEY",
        envvar="TOCSIN_KEY",
        help="The key for the service; better in the environment, where others do not see it.",
    ),
]
