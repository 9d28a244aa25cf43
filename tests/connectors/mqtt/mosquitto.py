"""A real MQTT server for tests: Mosquitto on loopback, in a temporary folder, stopped by its own
process id.
"""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.servers import without
from tests.waiting import PATIENCE, wait_until

SETTINGS = """\
listener {port} 127.0.0.1
allow_anonymous true
persistence true
persistence_location {folder}/
max_queued_messages 0
user root
"""


@dataclass
class Mosquitto:
    """A server that runs, until it is stopped; started again, it has its sessions and its port."""

    program: str
    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def start(self) -> None:
        settings = self.folder / "mosquitto.conf"
        settings.write_text(SETTINGS.format(port=self.port, folder=self.folder))
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.program, "-c", str(settings)], stdout=log, stderr=log
            )
        wait_until(self._answers)

    def stop(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, (self.folder / "log").read_text()
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True


@contextmanager
def mosquitto(folder: Path) -> Iterator[Mosquitto]:
    """A fresh server; skips where none is installed, fails in CI."""
    program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
    if program is None:
        without("no MQTT server is installed (make test installs it where it can)")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    server = Mosquitto(program, folder, port)
    server.start()
    try:
        yield server
    finally:
        server.stop()
