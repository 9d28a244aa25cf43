"""One Spark session for all tests of the Spark host: two cores, loopback, no user interface."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.waiting import PATIENT_SPARK
from tocsin.spark import local_session


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker("spark")


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = local_session("local[2]", name="tocsin tests", memory="1g", settings=PATIENT_SPARK)
    yield session
    session.stop()
