"""`tocsin up`: the service on one machine. Stops cleanly on Ctrl-C, resumes where it stopped."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from tocsin.service.core.service import check_ontologies
from tocsin.service.operations.components import check_parts, open_service
from tocsin.service.operations.server import listen, serve
from tocsin.service.settings.settings import ServiceEngine, Settings, load_settings

Data = Annotated[Path | None, typer.Option(help="The folder for everything that is kept.")]
Port = Annotated[int | None, typer.Option(help="The port to listen on; 0 for any.")]
Host = Annotated[str | None, typer.Option(help="The address to listen on.")]
Engine = Annotated[ServiceEngine | None, typer.Option(help="Who matches.")]
NoAuth = Annotated[bool, typer.Option("--no-auth", help="Serve everybody, without keys.")]
Config = Annotated[Path | None, typer.Option(help="A TOML file with settings.")]
Check = Annotated[bool, typer.Option("--check", help="Only check the settings.")]


def up(
    data: Data = None,
    port: Port = None,
    engine: Engine = None,
    host: Host = None,
    no_auth: NoAuth = False,
    config: Config = None,
    check: Check = False,
) -> None:
    """Start the service: publish and subscribe over HTTP; Ctrl-C stops it."""
    begun = time.monotonic()
    logging.basicConfig(format="tocsin: %(message)s", level=logging.WARNING)
    settings = load_settings(
        config,
        data=data,
        port=port,
        engine=engine,
        host=host,
        auth=False if no_auth else None,
    )
    check_ontologies(settings)
    check_parts(settings)
    if check:
        typer.echo("the settings are good")
        return
    _run(settings, begun)


def _run(settings: Settings, begun: float) -> None:
    service = open_service(settings)
    try:
        sock = listen(service)
        service.start()
        _greet(settings, sock.getsockname()[1], time.monotonic() - begun)
        serve(service, sock)
    finally:
        with _ended_by_another_signal():
            service.stop()
    typer.echo("stopped; everything is kept")


@contextmanager
def _ended_by_another_signal() -> Iterator[None]:
    """Let Ctrl-C end the process at once, as kill -9 does, which loses nothing: an exception in the
    midst of stopping would leave threads that fail one after the other.
    """
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _greet(settings: Settings, port: int, seconds: float) -> None:
    host = _shown_host(settings.host)
    typer.echo(f"listening on http://{host}:{port} after {seconds:.1f} s")
    typer.echo(f"engine {settings.engine}, data in {settings.database or settings.data}")
    if settings.console.enabled:
        typer.echo(f"console at http://{_shown_host(settings.host)}:{port}/")
    if not settings.auth:
        typer.echo("warning: everybody may publish, subscribe and change everything (--no-auth)")


def _shown_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host
