"""The log of events: positions without gaps, in the order of the disk, shared waits, honest
failures.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import wait
from pathlib import Path

import pytest
import sqlalchemy as sql

from tests.waiting import PATIENCE
from tocsin.database.database import Database
from tocsin.database.stores import LOG
from tocsin.errors import LimitProblem, StateProblem
from tocsin.service.storage import log as log_module
from tocsin.service.storage.database import open_database
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.rows import NewRow
from tocsin.service.storage.schema import EVENTS


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    found = open_database(f"sqlite:///{tmp_path / 'log.db'}", LOG)
    yield found
    found.close()


@pytest.fixture
def log(database: Database) -> Iterator[EventLog]:
    made = EventLog(database)
    made.start()
    yield made
    made.close()


def _rows(*names: str) -> list[NewRow]:
    return [NewRow(name.encode()) for name in names]


def test_what_is_done_is_on_the_disk_in_order(database: Database, log: EventLog) -> None:
    assert log.append(_rows("a", "b")).result(PATIENCE) == 2
    assert log.append(_rows("c")).result(PATIENCE) == 3
    other = EventLog(database)
    assert other.head == 3
    assert [(row.position, row.body) for row in other.read(0, 10)] == [
        (1, b"a"),
        (2, b"b"),
        (3, b"c"),
    ]
    assert [row.body for row in other.read(1, 1)] == [b"b"]


def test_many_publishers_get_positions_without_gaps(log: EventLog) -> None:
    def publish(name: str) -> None:
        futures.extend([log.append(_rows(f"{name}{number}")) for number in range(50)])

    futures: list[object] = []
    threads = [threading.Thread(target=publish, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    wait(futures, PATIENCE)  # type: ignore[type-var]
    assert sorted(each.result() for each in futures) == list(range(1, 201))  # type: ignore[attr-defined]
    stored = log.read_stored(0, 1000)
    assert [row.position for row in stored] == list(range(1, 201))
    for name in "abcd":
        own = [row.body.decode() for row in stored if row.body.decode().startswith(name)]
        assert own == [f"{name}{number}" for number in range(50)]


def test_waiting_appends_share_one_transaction(database: Database) -> None:
    """Counted, not timed: what waits when the writer begins goes to the disk together."""
    log = EventLog(database)
    futures = [log.append(_rows(str(number))) for number in range(100)]
    commits = []
    sql.event.listen(database._engine, "commit", commits.append)
    log.start()
    wait(futures, PATIENCE)
    log.close()
    assert len(commits) == 1


def test_memory_and_disk_tell_the_same(log: EventLog) -> None:
    log.append([NewRow(b"x", "acme"), NewRow(b"bad", "acme", "Code", "why")]).result(PATIENCE)
    assert log.read(0, 10) == log.read_stored(0, 10)


def test_time_does_not_go_back(log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_module, "wall_clock", lambda: 1_000)
    log.append(_rows("a")).result(PATIENCE)
    monkeypatch.setattr(log_module, "wall_clock", lambda: 500)
    log.append(_rows("b")).result(PATIENCE)
    assert [row.received for row in log.read_stored(0, 10)] == [1_000, 1_000]


def test_a_write_that_fails_is_told_to_those_who_wait_and_nobody_else(
    database: Database, log: EventLog
) -> None:
    log.append(_rows("a")).result(PATIENCE)
    with database.writing() as connection:
        connection.execute(sql.text("ALTER TABLE tocsin_events RENAME TO elsewhere"))
    with pytest.raises(StateProblem) as caught:
        log.append(_rows("b")).result(PATIENCE)
    assert caught.value.code == "StorageError"
    with database.writing() as connection:
        connection.execute(sql.text("ALTER TABLE elsewhere RENAME TO tocsin_events"))
    assert log.append(_rows("c")).result(PATIENCE) == 2
    assert [row.body for row in log.read_stored(0, 10)] == [b"a", b"c"]


def test_more_than_may_wait_is_refused(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_module, "MAX_QUEUED_BYTES", 10)
    log = EventLog(database)
    log.append(_rows("12345678"))
    with pytest.raises(LimitProblem) as caught:
        log.append(_rows("12345678"))
    assert caught.value.code == "LogBusy"


def test_closing_writes_what_waits_and_takes_no_more(database: Database) -> None:
    log = EventLog(database)
    waiting = log.append(_rows("a"))
    log.start()
    log.close()
    assert waiting.result(PATIENCE) == 1
    with pytest.raises(StateProblem):
        log.append(_rows("b"))


def test_what_another_process_appends_is_noticed(database: Database, log: EventLog) -> None:
    other = EventLog(database)
    log.append(_rows("a", "b")).result(PATIENCE)
    assert (other.head, other.read(0, 10)) == (0, log.read_stored(0, 10))
    other.look_for_others()
    assert other.head == 2


def test_the_table_is_one_that_spark_can_read(database: Database, log: EventLog) -> None:
    log.append(_rows("a")).result(PATIENCE)
    with database.reading() as connection:
        assert connection.execute(sql.select(EVENTS.c.position, EVENTS.c.code)).all() == [(1, None)]
