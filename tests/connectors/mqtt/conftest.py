"""A server for each test: sessions that last would last from one test to the next."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.connectors.mqtt.mosquitto import Mosquitto, mosquitto


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Mosquitto]:
    with mosquitto(tmp_path) as found:
        yield found
