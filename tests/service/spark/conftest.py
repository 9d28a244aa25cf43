"""A Spark session, and a log to read: SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.waiting import PATIENCE, PATIENT_SPARK
from tocsin.database.stores import LOG
from tocsin.service.storage.database import open_database
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.rows import NewRow
from tocsin.service.storage.schema import LOG_METADATA
from tocsin.spark import local_session

Append = Callable[..., int]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker("spark")


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = local_session(
        "local[2]", name="tocsin log tests", memory="1g", settings=PATIENT_SPARK
    )
    yield session
    session.stop()


BOTH = pytest.mark.parametrize(
    "log_url", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)
"""For tests that ask the database; the others run on SQLite alone."""


@pytest.fixture
def log_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if getattr(request, "param", "sqlite") == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path / 'log.db'}"


@pytest.fixture
def append(log_url: str) -> Iterator[Append]:
    """Appends texts to a log that is empty at first; a text of None is a refused one."""
    database = open_database(log_url, LOG)
    with database.writing() as connection:
        for table in LOG_METADATA.sorted_tables:
            connection.execute(table.delete())
    log = EventLog(database)
    log.start()

    def add(*texts: str | None) -> int:
        rows = [
            NewRow(b"no event", code="X", reason="y") if text is None else NewRow(text.encode())
            for text in texts
        ]
        return log.append(rows).result(PATIENCE)

    yield add
    log.close()
    database.close()
