"""Shared by all tests: how many random cases a property gets, and where the data of others lies.

The quick profile draws the same cases in every run, so that a change is judged by itself; `make
test-long` draws anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.postgres import own_database
from tests.servers import folder_of_run, shared_server
from tests.stages import STAGES, stage_of

_SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.data_too_large)
settings.register_profile(
    "quick", max_examples=100, deadline=None, derandomize=True, suppress_health_check=_SLOW_IS_FINE
)
settings.register_profile(
    "few", max_examples=5, deadline=None, derandomize=True, suppress_health_check=_SLOW_IS_FINE
)
settings.register_profile(
    "long", max_examples=5_000, deadline=None, suppress_health_check=_SLOW_IS_FINE
)
settings.register_profile(
    "mutants",
    max_examples=1_000,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    report_multiple_bugs=False,
    suppress_health_check=_SLOW_IS_FINE,
)
settings.load_profile(os.environ.get("TOCSIN_EXAMPLES", "quick"))

QUICK = frozenset(
    "catalog engine events hub knowledge languages plan reference runtime scenarios values".split()
)
"""The folders whose tests need no Spark: `make test-quick` runs what is in them,"""
NOT_QUICK = frozenset(
    f"test_{name}.py"
    for name in "bench business_documents changes elements small_worlds workloads".split()
)
"""but for these files, which are long: they measure, try every small world, or read large
documents.
"""

QUICK_ELSEWHERE = frozenset(
    (
        "tests/spark/test_batch.py::test_a_batch_rings_as_the_reference_says",
        "tests/service/core/test_up.py::test_from_the_command_to_the_first_match_and_on_after_a_stop",
    )
)
"""One scenario on Spark and one of the service, so that the quick run touches both."""


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the PostgreSQL server of this run; `postgres_url` is a database on it."""
    with shared_server("postgres", folder_of_run(tmp_path_factory)) as url:
        yield url


@pytest.fixture
def postgres_url(postgres: str) -> Iterator[str]:
    """The URL of an empty PostgreSQL database of the test's own."""
    with own_database(postgres) as url:
        yield url


SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def shared_data(name: str) -> Path:
    """A folder or file of conformance data; where it is absent the test is skipped, but never in
    CI.
    """
    path = SHARED_DATA / name
    if not path.exists():
        message = f"the conformance data {name} is not beside the checkout (../shared/data)"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return path


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the choice of one stage."""
    parser.addoption("--stage", choices=STAGES, help="run the tests of one stage only")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out test files of other stages."""
    stage = config.getoption("--stage")
    here = Path(__file__).parent
    if stage is None or not collection_path.name.startswith("test_"):
        return None
    return True if stage_of(collection_path.relative_to(here)) != stage else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as quick what is cheap and needs no server."""
    here = Path(__file__).parent
    for item in items:
        folder = item.path.relative_to(here).parts[0] if item.path.is_relative_to(here) else ""
        if (
            folder in QUICK
            and item.path.name not in NOT_QUICK
            and item.get_closest_marker("postgres") is None
        ):
            item.add_marker("quick")
        if item.nodeid in QUICK_ELSEWHERE:
            item.add_marker("quick")
