"""From the embedded default to PostgreSQL: the service goes on where it stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.spark.test_gateways import EVEN, event
from tests.service.spark.up import service
from tocsin.errors import StateProblem
from tocsin.service.operations.postgres_migration import migrate_data


@pytest.mark.postgres
def test_a_composite_that_waits_rings_after_the_move(tmp_path: Path, postgres_url: str) -> None:
    pair = "=|(ARITH: n = 1; 1h)(ARITH: n = 150)"
    with service(tmp_path, engine="local", lateness="1h") as up:
        up.subscribe("even", "selector", EVEN)
        up.subscribe("pair", "opsl", pair, policy="unrestricted")
        up.publish(*(event(number) for number in range(100)))
        up.wait_for_matches(50)
        with pytest.raises(StateProblem, match="a service uses the folder"):
            migrate_data(tmp_path / "data", postgres_url)
    counts = migrate_data(tmp_path / "data", postgres_url)
    assert (counts["tocsin_events"], counts["tocsin_matches"]) == (100, 50)
    with pytest.raises(StateProblem, match="not empty"):
        migrate_data(tmp_path / "data", postgres_url)
    with service(tmp_path, engine="local", lateness="1h", database=postgres_url) as up:
        up.subscribe("more", "selector", "n = 199")
        up.publish(*(event(number) for number in range(100, 200)))
        up.publish({"id": "end", "source": "s", "type": "t", "time": "2026-01-01T10:00:00Z"})
        up.wait_for_matches(102)
        wanted = [("even", str(number)) for number in range(0, 200, 2)]
        assert up.rung() == sorted([*wanted, ("pair", "1", "150"), ("more", "199")])


def test_a_folder_without_a_service_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StateProblem, match="no data folder"):
        migrate_data(tmp_path, "postgresql+psycopg://nobody@127.0.0.1:9/none")
