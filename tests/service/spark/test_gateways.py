"""Several gateways on one PostgreSQL: all accept, one matches; when it dies, another goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from tests.builders import event_json
from tests.service.spark.up import Up
from tests.waiting import wait_until
from tocsin.service.storage.lock import FileLock, SessionLock

EVEN = " OR ".join(f"ce_id LIKE '%{digit}'" for digit in "02468")


def event(number: int) -> dict[str, Any]:
    return event_json(number, second=8 * 3600 + number, data={"n": number})


@pytest.mark.postgres
def test_a_gateway_that_dies_is_followed_by_another(tmp_path: Path, postgres_url: str) -> None:
    config = {"database": postgres_url, "engine": "local", "lateness": "1h"}
    gateways = [Up(tmp_path / name, config) for name in ("a", "b")]
    try:
        for up in gateways:  # the first gets the lock
            up.start()
            up.ready()
        first, second = gateways
        second.subscribe("even", "selector", EVEN)
        second.subscribe(
            "pair", "opsl", "=|(ARITH: n = 1; 1h)(ARITH: n = 150)", policy="unrestricted"
        )
        for number in range(0, 100, 2):
            first.publish(event(number))
            second.publish(event(number + 1))
        second.wait_for_matches(50)
        first.kill()
        second.publish(*(event(number) for number in range(100, 200)))
        second.publish({"id": "end", "source": "s", "type": "t", "time": "2026-01-01T10:00:00Z"})
        second.wait_for_matches(101)
        wanted = [("even", str(number)) for number in range(0, 200, 2)]
        assert second.rung() == sorted([*wanted, ("pair", "1", "150")])
    finally:
        for up in gateways:
            up.stop()


@pytest.mark.postgres
def test_a_lock_is_had_by_one_session_and_ends_with_it(postgres_url: str) -> None:
    one, other = SessionLock(postgres_url), SessionLock(postgres_url)
    assert one.acquire()
    assert one.acquire(), "it has it already"
    assert not other.acquire()
    with sql.create_engine(postgres_url).connect() as connection:
        connection.execute(
            sql.text(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
                " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            )
        )
    assert not one.is_held(), "the server has ended the session"
    wait_until(other.acquire)
    assert not one.acquire()
    other.release()
    assert one.acquire()
    one.release()


def test_a_lock_on_a_file_is_had_by_one(tmp_path: Path) -> None:
    one, other = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert one.acquire()
    assert not other.acquire()
    one.release()
    assert not one.is_held()
    assert other.acquire()
    other.release()
