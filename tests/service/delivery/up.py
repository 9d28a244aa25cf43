"""The command `tocsin up` as a process of its own, which can be killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.waiting import PATIENCE, wait_until
from tocsin.client import Client


class Up:
    """A service in a folder, started, killed and started again on the same port."""

    def __init__(self, folder: Path, **delivery: Any) -> None:
        self.folder = folder
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._config = folder / "settings.toml"
        lines = [f"{name} = {json.dumps(value)}" for name, value in delivery.items()]
        self._config.write_text("\n".join(["[delivery]", *lines]) + "\n")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Returns when the service is ready."""
        words = f"up --data {self.folder / 'data'} --port {self.port} --engine local --no-auth"
        command = [sys.executable, "-m", "tocsin", *words.split(), "--config", str(self._config)]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env=dict(os.environ))
        with Client(self.url) as client:
            wait_until(lambda: client.is_ready() or self._has_ended(), progress=self.told)
        assert not self._has_ended(), self.told()

    def _has_ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def told(self) -> str:
        """What the service said."""
        return (self.folder / "log").read_text()[-3000:]

    def kill(self) -> None:
        """Ends it without a word."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Asks it to end."""
        self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(how)
            process.wait(PATIENCE)


@contextmanager
def up(folder: Path, **delivery: Any) -> Iterator[Up]:
    """A service that is ready, for as long as it is used."""
    service = Up(folder, **delivery)
    service.start()
    try:
        yield service
    finally:
        service.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
