"""The guard of a server that workers share: `python -m tests.server_guard KIND FOLDER`.

It starts the server, writes its address, and ends it when the last user is gone, crashed or not.
"""

from __future__ import annotations

import fcntl
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tests.connectors.kafka.broker import kafka_broker
from tests.postgres import postgres_server
from tests.servers import ADDRESS, GUARD, USERS, ServerMissingError, lock_file


@contextmanager
def _kafka(folder: Path) -> Iterator[str]:
    with kafka_broker(folder / "data") as broker:
        yield broker.address


@contextmanager
def _example(folder: Path) -> Iterator[str]:
    """Nothing but a file, for tests of what is here."""
    marker = folder / "runs"
    marker.touch()
    try:
        yield str(marker)
    finally:
        marker.unlink()


KINDS: dict[str, Callable[[Path], AbstractContextManager[str]]] = {
    "postgres": postgres_server,
    "kafka": _kafka,
    "example": _example,
}


def main(kind: str, folder: Path) -> None:
    """Keep a server until nobody uses it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with lock_file(folder / USERS) as users, lock_file(folder / GUARD) as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        try:
            with KINDS[kind](folder) as address:
                _write(folder / ADDRESS, address)
                fcntl.flock(users, fcntl.LOCK_EX)
                (folder / ADDRESS).unlink()
        except ServerMissingError as missing:
            _write(folder / "missing", str(missing))


def _write(path: Path, text: str) -> None:
    """Write a file that is whole as soon as it is there."""
    draft = path.with_suffix(".draft")
    draft.write_text(text)
    draft.rename(path)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
