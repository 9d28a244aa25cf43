"""A real PostgreSQL server for tests: started on loopback in a temporary folder, stopped by its own
process id; and databases on it.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import sqlalchemy as sql

from tests.servers import ServerMissingError


@contextmanager
def postgres_server(_: Path) -> Iterator[str]:
    """The URL of a fresh server's database, which lies in a folder of its own."""
    programs = _programs()
    if programs is None:
        raise ServerMissingError(
            "no PostgreSQL server is installed (make test installs it where it can)"
        )
    with TemporaryDirectory(prefix="tocsin-postgres-") as home:
        yield from _served(programs, Path(home))


@contextmanager
def own_database(server: str) -> Iterator[str]:
    """The URL of an empty database on a server, which is dropped at the end."""
    name = f"test_{uuid4().hex}"
    engine = sql.create_engine(server, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.execute(sql.text(f"CREATE DATABASE {name}"))
        yield sql.make_url(server).set(database=name).render_as_string(hide_password=False)
        with engine.connect() as connection:
            connection.execute(sql.text(f"DROP DATABASE {name} WITH (FORCE)"))
    finally:
        engine.dispose()


def _served(programs: Path, folder: Path) -> Iterator[str]:
    """A server whose folder is its own: pytest closes those of tests to other users."""
    cluster = folder / "cluster"
    port = _free_port()
    user = _unprivileged(folder)
    _run(
        user,
        [
            programs / "initdb",
            "-D",
            cluster,
            "-U",
            "tocsin",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
        ],
    )
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c max_connections=400"
    _run(
        user,
        [programs / "pg_ctl", "-D", cluster, "-o", options, "-l", folder / "log", "-w", "start"],
    )
    try:
        yield f"postgresql+psycopg://tocsin@127.0.0.1:{port}/postgres"
    finally:
        _run(user, [programs / "pg_ctl", "-D", cluster, "-m", "immediate", "-w", "stop"])


def _programs() -> Path | None:
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    found = packaged[-1] if packaged else shutil.which("pg_ctl")
    return Path(found).resolve().parent if found else None


def _unprivileged(folder: Path) -> str | None:
    """PostgreSQL refuses to run as root: then it runs as another user, whose the folder becomes."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    user = "postgres" if "postgres" in names else "nobody"
    shutil.chown(folder, user)
    return user


def _run(user: str | None, command: list[object]) -> None:
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    words = [str(word) for word in command]
    # The server inherits standard output: a pipe would never end.
    done = subprocess.run(
        words, user=user, cwd="/", env=environment, stdout=subprocess.DEVNULL, check=False
    )
    assert done.returncode == 0, f"{words[0]} failed"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
