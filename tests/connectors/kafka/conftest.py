"""One broker for all tests of a run, whose topics have names of their own, and one for tests that
stop it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.connectors.kafka.broker import Broker, kafka_broker
from tests.servers import ServerMissingError, folder_of_run, shared_server, without


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    run = folder_of_run(tmp_path_factory)
    with shared_server("kafka", run) as address:
        yield Broker(run / "shared-kafka" / "data", address)


@pytest.fixture(scope="session")
def own_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that a test may stop and start."""
    try:
        with kafka_broker(tmp_path_factory.mktemp("kafka")) as found:
            yield found
    except ServerMissingError as missing:
        without(str(missing))
