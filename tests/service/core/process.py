"""The service in a process of its own, which may be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.waiting import PATIENCE, wait_until


@dataclass
class Running:
    """`tocsin up` as a user starts it."""

    process: subprocess.Popen[str]
    url: str
    http: httpx.Client

    def is_ready(self) -> bool:
        try:
            return self.http.get("/readyz").status_code == 200
        except httpx.HTTPError:
            return False

    def kill(self) -> None:
        """Ends it as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def stop(self, number: int = signal.SIGTERM) -> str:
        """Ends it as a user does; what it said."""
        self.process.send_signal(number)
        said, _ = self.process.communicate(timeout=PATIENCE)
        return said


@contextmanager
def running(data: Path, *options: str, files: int | None = None) -> Iterator[Running]:
    """The service on any port that is free, ready to serve; killed at the end where it still runs.
    `files` is the number of file descriptors that it may have.
    """
    command = [sys.executable, "-m", "tocsin", "up", "--data", str(data), "--port", "0", *options]
    if files is not None:
        command = ["sh", "-c", 'ulimit -n "$0" && exec "$@"', str(files), *command]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("listening on "), first + process.stdout.read()
        url = first.split()[2]
        found = Running(process, url, httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False))
        wait_until(found.is_ready)
        yield found
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(PATIENCE)
