"""`tocsin bench service --kafka`: what is published to a real broker is served and timed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tocsin_benchmarks import app
from typer.testing import CliRunner

from tests.connectors.kafka.broker import Broker

pytestmark = pytest.mark.kafka


def test_a_run_of_a_moment_through_kafka(broker: Broker, tmp_path: Path) -> None:
    words = "service --rates 100 --batch 50 --seconds 5 --selectors 5 --composites 4"
    done = CliRunner().invoke(
        app, [*words.split(), "--kafka", broker.address, "--output", str(tmp_path)]
    )
    assert done.exit_code == 0, done.output
    saved = json.loads((tmp_path / "results.json").read_text())
    [rate] = saved["rates"]
    assert saved["through"] == "Kafka"
    assert rate["refused"] == rate["lost"] == 0
    assert rate["accepted"] > 0
    assert 0 < rate["stream"][0] <= rate["stream"][1]
