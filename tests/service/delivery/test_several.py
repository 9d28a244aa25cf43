"""Several processes on one PostgreSQL database: one delivers, the next takes over when it is
gone.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.delivery.office import Office
from tests.service.delivery.receiver import receiving
from tests.waiting import wait_until
from tocsin.service.storage.lock import Lease

pytestmark = pytest.mark.postgres


def test_one_holds_the_lease_and_another_gets_it_afterwards(postgres_url: str) -> None:
    first, second = Lease(postgres_url), Lease(postgres_url)
    assert first.hold()
    assert first.hold()
    assert not second.hold()
    first.release()
    assert second.hold()
    assert not first.hold()
    second.release()


def test_who_cannot_reach_the_database_does_not_hold_it() -> None:
    assert not Lease("postgresql+psycopg://tocsin@127.0.0.1:1/none").hold()


def test_a_file_is_for_one_process_anyway(tmp_path: Path) -> None:
    assert Lease(f"sqlite:///{tmp_path / 'x.db'}").hold()


def test_the_next_takes_over_without_a_gap(postgres_url: str, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    secret = {"secret": "A" * 43 + "="}
    first, second = (Office(folder, url=postgres_url, **secret) for folder in folders)
    with receiving() as receiver:
        first.delivery.start()
        wait_until(lambda: first.delivery.worker.is_delivering)
        second.delivery.start()
        first.subscribe("s", {"webhook": receiver.url})
        first.ring("s", "01", "02")
        receiver.wait_for(2)
        assert not second.delivery.worker.is_delivering
        wait_until(lambda: first.state("s")["delivered"] == 2)
        first.delivery.stop()
        second.ring("s", "03")
        receiver.wait_for(3)
        assert receiver.taken == ["01", "02", "03"]
        second.delivery.stop()
    for office in (first, second):
        office.database.close()
