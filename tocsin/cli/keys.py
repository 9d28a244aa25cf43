"""`tocsin keys`: API keys to publish and subscribe. A key is shown once, when it is made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tocsin.database.stores import STATE
from tocsin.service.settings.settings import load_settings
from tocsin.service.storage.database import open_database
from tocsin.service.storage.keys import KeyStore
from tocsin.service.storage.positions import STATE_HEADS
from tocsin.values.time import format_instant

app = typer.Typer(help="Who may publish and subscribe: API keys.", no_args_is_help=True)

Data = Annotated[Path | None, typer.Option(help="The folder of the service.")]
Config = Annotated[Path | None, typer.Option(help="A TOML file with settings.")]


@app.command("create")
def create(
    scope: Annotated[
        str, typer.Option(help="What it allows: publish, subscribe, admin; several with commas.")
    ],
    data: Data = None,
    tenant: Annotated[
        str, typer.Option(help="Whose it is; by default the one without a name.")
    ] = "",
    rate: Annotated[int | None, typer.Option(min=1, help="Events a second that it allows.")] = None,
    config: Config = None,
) -> None:
    """Create a key and print it; it cannot be shown again."""
    typer.echo(_store(data, config).create(scope.split(","), tenant, rate))


@app.command("list")
def list_keys(data: Data = None, config: Config = None) -> None:
    """List keys by id: tenant, scopes, times of creation and revocation."""
    for key in _store(data, config).list_all():
        made = format_instant(key.created)
        ended = "" if key.revoked is None else f" revoked {format_instant(key.revoked)}"
        scopes = ",".join(sorted(key.scopes))
        typer.echo(f"{key.id} {key.tenant or '-'} {scopes} made {made}{ended}")


@app.command("revoke")
def revoke(
    id: Annotated[str, typer.Argument(metavar="ID", help="The id of the key, as in list.")],
    data: Data = None,
    config: Config = None,
) -> None:
    """Revoke a key; a running service applies it within seconds."""
    _store(data, config).revoke(id)


def _store(data: Path | None, config: Path | None) -> KeyStore:
    settings = load_settings(config, data=data)
    settings.data.mkdir(parents=True, exist_ok=True)
    return KeyStore(open_database(settings.state_url, STATE, heads=STATE_HEADS))
