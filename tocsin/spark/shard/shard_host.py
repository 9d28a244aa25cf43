"""Sticky shards: a worker that gets a step forwards it to the process that holds the shard in
memory.

Spark rotates the Python workers of a machine, so that with two shards on two cores each would find
the other's memory every second time, and would have to be read from the store again. A host listens
on loopback, as Spark's own workers do, and serves only clients with its secret; port and secret are
in a file named by the state, in the folder that Spark keeps for the executor.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from threading import Thread
from typing import Any

_LOOPBACK = "127.0.0.1"
_SECRET_BYTES = 32
_WAITING = 16
"""The backlog of connections: more than a machine has tasks for shards."""

_UNANSWERED = (OSError, EOFError, AuthenticationError, ValueError)
"""The errors of a host that has ended or never existed."""


def folder_of_executor() -> Path | None:
    """Return the folder shared by the workers of an executor, deleted with it; None elsewhere."""
    first = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0]
    return Path(first) if first and Path(first).is_dir() else None


class ShardHost:
    """This process as a host of shards: `serve` answers requests in threads of their own."""

    def __init__(self, folder: Path, serve: Callable[[Any], Any]) -> None:
        self._folder = folder
        self._serve = serve
        self._secret = os.urandom(_SECRET_BYTES)
        self._listener = Listener((_LOOPBACK, 0), backlog=_WAITING, authkey=self._secret)
        Thread(target=self._listen, name="tocsin home", daemon=True).start()

    def publish_endpoint(self, token: bytes) -> None:
        """Publish that this process holds a shard in the state of that name."""
        said = {"port": self._listener.address[1], "secret": self._secret.hex()}
        target = os.open(_note(self._folder, token), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(target, "w") as file:
            json.dump(said, file)

    def forget(self, token: bytes) -> None:
        """Withdraw the file of a state that this process does not hold."""
        _note(self._folder, token).unlink(missing_ok=True)

    def _listen(self) -> None:
        while True:
            try:
                asker = self._listener.accept()
            except _UNANSWERED:
                continue
            Thread(target=self._answer, args=(asker,), daemon=True).start()

    def _answer(self, asker: Connection) -> None:
        """Answer one request; after an error the caller does the work itself."""
        with asker:
            try:
                answer = self._serve(asker.recv())
            except Exception:
                answer = None
            try:
                asker.send(answer)
            except _UNANSWERED:
                return


def ask_shard_host(folder: Path, token: bytes, question: Any) -> Any:
    """Return the answer of the process that holds a state; None if there is no such process."""
    try:
        said = json.loads(_note(folder, token).read_text())
        with Client((_LOOPBACK, said["port"]), authkey=bytes.fromhex(said["secret"])) as home:
            home.send(question)
            return home.recv()
    except _UNANSWERED:
        return None


def _note(folder: Path, token: bytes) -> Path:
    return folder / f"tocsin-{token.hex()}"
