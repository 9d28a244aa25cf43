"""`tocsin up` as a process of its own: started, asked, killed by its id."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx

from tests.waiting import PATIENCE, wait_until

ROOT = Path(__file__).resolve().parents[3]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Up:
    """A service that runs."""

    folder: Path
    config: dict[str, Any]
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    environment: dict[str, str] = field(default_factory=dict)

    def start(self) -> None:
        """Starts it; `ready` waits."""
        self.folder.mkdir(parents=True, exist_ok=True)
        settings = self.folder / "settings.toml"
        settings.write_text(_toml(self.config))
        words = ["up", "--data", self.folder / "data", "--port", str(self.port), "--no-auth"]
        with (self.folder / "up.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tocsin", *words, "--config", settings],
                cwd=self.folder,
                env=os.environ | {"PYTHONPATH": str(ROOT)} | self.environment,
                stdout=log,
                stderr=log,
            )

    def ready(self) -> None:
        wait_until(self._is_ready, progress=self.said)

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Wait while events are served."""
        wait_until(holds, progress=lambda: self.status().get("position"), report=self.said)

    def wait_for_matches(self, count: int) -> None:
        """Wait until so many matches are stored."""
        self.wait_until(lambda: len(self.matches()) >= count)

    def kill(self, number: int = signal.SIGKILL) -> None:
        assert self.process is not None
        self.process.send_signal(number)
        self.process.wait(PATIENCE)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill(signal.SIGTERM)

    def driver(self) -> int:
        """The process id of the Spark driver, which is a child of the gateway."""
        assert self.process is not None
        found = _children(self.process.pid)
        assert len(found) == 1, found
        return found[0]

    def subscribe(self, name: str, language: str, expression: str, **more: object) -> None:
        body = {"language": language, "expression": expression, **more}
        answer = self.client.put(f"/v1/subscriptions/{name}", json=body)
        assert answer.status_code in (200, 201), answer.text

    def publish(self, *events: dict[str, Any]) -> None:
        """Publishes until it is accepted: a service that is away comes back."""
        lines = "\n".join(json.dumps(event) for event in events)
        answer = self.client.post(
            "/v1/events", content=lines, headers={"content-type": "application/x-ndjson"}
        )
        assert answer.status_code == 202, answer.text

    def matches(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        after = 0
        while True:
            answer = self.client.get(f"/v1/matches?after={after}&limit=1000").json()
            if not answer["matches"]:
                return found
            found += answer["matches"]
            after = answer["next"]

    def rung(self) -> list[tuple[str, ...]]:
        """Subscription and events of every match, sorted."""
        return sorted((each["subscription"], *each["events"]) for each in self.matches())

    @cached_property
    def client(self) -> httpx.Client:
        return httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}", timeout=PATIENCE, trust_env=False
        )

    def status(self) -> dict[str, Any]:
        return dict(self.client.get("/readyz").json())

    def said(self) -> str:
        logs = [self.folder / "up.log", self.folder / "data" / "spark.log"]
        return "\n".join(log.read_text()[-2000:] for log in logs if log.exists())

    def _is_ready(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.said()
        try:
            return self.client.get("/readyz").status_code == 200
        except httpx.HTTPError:
            return False


@contextmanager
def service(folder: Path, **config: Any) -> Iterator[Up]:
    """A service that is started and, whatever happens, stopped."""
    up = Up(folder, config)
    up.start()
    try:
        up.ready()
        yield up
    finally:
        up.stop()


def _children(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text()
    threads = Path(f"/proc/{process}/task").iterdir()
    found = {int(each) for task in threads for each in (task / "children").read_text().split()}
    return sorted(found | {int(each) for each in text.split()})


def _toml(config: dict[str, Any], section: str = "") -> str:
    plain = {name: value for name, value in config.items() if not isinstance(value, dict)}
    lines = [f"{_key(name)} = {json.dumps(value)}" for name, value in plain.items()]
    text = (f"[{section}]\n" if section else "") + "\n".join(lines) + "\n"
    for name, value in config.items():
        if isinstance(value, dict):
            text += _toml(value, f"{section}.{_key(name)}" if section else name)
    return text


def _key(name: str) -> str:
    return json.dumps(name) if "." in name else name
