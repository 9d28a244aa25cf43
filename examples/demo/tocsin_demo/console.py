"""The demo with the console: a service in this process, with data of its own that go when it ends,
to which the day is played. The terminal says where to look.
"""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from socket import socket
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

from tocsin.errors import StateProblem
from tocsin.service.core.service import Service
from tocsin.service.operations.components import open_service
from tocsin.service.operations.server import listen, make_server
from tocsin.service.settings.settings import Settings, load_settings
from tocsin.values.time import format_duration
from tocsin_demo.playing import Pace, Player
from tocsin_demo.story import LATENESS, Story

PORT = 8080
"""Where the console is, unless something else is there."""

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


@dataclass(frozen=True, slots=True)
class Show:
    """Which day, at what pace, on which port (0 for any), and whether a browser is opened."""

    story: Story
    pace: Pace
    port: int = PORT
    opens: bool = False


def show(wanted: Show, tell: Callable[[str], None]) -> None:
    """Serves the console until the day is over or, where it goes on for ever, until Ctrl-C. Leaves
    no process and no temporary file behind.
    """
    with TemporaryDirectory(prefix="tocsin-demo-") as folder:
        service = open_service(demo_settings(Path(folder), wanted.port))
        try:
            _serve(service, wanted, tell)
        finally:
            service.stop()


def _serve(service: Service, wanted: Show, tell: Callable[[str], None]) -> None:
    sock = _listen(service)
    service.start()
    server, stopping, failed = make_server(service), Event(), list[BaseException]()
    player = Player(service, wanted.story, wanted.pace, stopping, tell)
    player.prepare()

    def play() -> None:
        try:
            player.play()
        except BaseException as error:
            failed.append(error)
        if failed or not wanted.pace.goes_on:
            server.end()

    address = f"http://127.0.0.1:{sock.getsockname()[1]}/"
    tell(f"console at {address}")
    if wanted.opens and _has_display():
        webbrowser.open(address)
    thread = Thread(target=play, name="tocsin-demo", daemon=True)
    thread.start()
    try:
        server.run(sockets=[sock])
    finally:
        stopping.set()
        thread.join()
    if failed:
        raise failed[0]


def demo_settings(folder: Path, port: int = PORT, **further: Any) -> Settings:
    """Events of the story are not of today, come within a minute, and are not kept for long."""
    return load_settings(
        data=folder,
        port=port,
        auth=False,
        lateness=format_duration(LATENESS),
        ahead="off",
        retention={"events": "2h", "log_bytes": 1 << 29},
        **further,
    )


def _listen(service: Service) -> socket:
    """The socket of the service, on any port where its own is taken; whoever connects from now on
    is answered as soon as the server runs.
    """
    try:
        found = listen(service)
    except StateProblem:
        service.settings.port = 0
        found = listen(service)
    found.listen()
    return found


def _has_display() -> bool:
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, _DISPLAYS))
