"""The whole of it at scale: PostgreSQL, a Spark standalone cluster, a worker that is killed in the
middle.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.service.spark.standalone import standalone_cluster
from tests.service.spark.test_gateways import EVEN, event
from tests.service.spark.up import service


@pytest.mark.spark
@pytest.mark.postgres
def test_a_cluster_rings_what_it_should_over_a_killed_worker(
    tmp_path: Path, postgres_url: str
) -> None:
    folder = tmp_path / "cluster"
    folder.mkdir()
    with standalone_cluster(folder) as cluster:
        spark = {
            "master": cluster.address,
            "memory": "1g",
            "every": "100ms",
            "conf": {"spark.executor.memory": "768m", "spark.executor.cores": "1"},
        }
        with service(
            tmp_path / "up", engine="spark", database=postgres_url, lateness="1h", spark=spark
        ) as up:
            up.subscribe("even", "selector", EVEN)
            up.subscribe(
                "pair", "opsl", "=|(ARITH: n = 1; 1h)(ARITH: n = 150)", policy="unrestricted"
            )
            up.publish(*(event(number) for number in range(100)))
            up.wait_for_matches(50)
            os.killpg(cluster.workers[0].pid, signal.SIGKILL)
            up.publish(*(event(number) for number in range(100, 200)))
            up.publish({"id": "end", "source": "s", "type": "t", "time": "2026-01-01T10:00:00Z"})
            up.wait_for_matches(101)
            wanted = [("even", str(number)) for number in range(0, 200, 2)]
            assert up.rung() == sorted([*wanted, ("pair", "1", "150")])
