"""Tocsin on Apache Spark: the public names. The only folder that imports pyspark.

Begin with `match` in `query/matching.py`. The data go `input`, `match_task`, `shard`, `output`;
`plans` has the subscriptions, `query/session.py` makes a local session, `versions` knows what each
version of Spark can do. A name is loaded when it
is first used, since worker processes import the rooms of this package and need none of what a
driver calls. Without pyspark the import says what to install.

Imports: `spark.query`, `spark.versions`; never `hub`, which stands beside it.
Test a change with: `tests/spark`, with the scenarios in `tests/spark/shard/test_languages.py`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tocsin.explain.table_rows import explain_match
    from tocsin.spark.query.absent_columns import AbsentColumnWarning
    from tocsin.spark.query.failures import problem_of
    from tocsin.spark.query.finite import run_match
    from tocsin.spark.query.matching import (
        AbsenceWaitsWarning,
        dead_letters,
        dead_letters_of,
        match,
        match_with_dead_letters,
        matches_of,
    )
    from tocsin.spark.query.metrics import Metrics, Watch
    from tocsin.spark.query.outgoing_events import constructed, matches_to_kafka
    from tocsin.spark.query.session import WorkerPythonWarning, local_session
    from tocsin.spark.query.sql import register
    from tocsin.spark.versions.capabilities import support

__all__ = [
    "AbsenceWaitsWarning",
    "AbsentColumnWarning",
    "Metrics",
    "Watch",
    "WorkerPythonWarning",
    "constructed",
    "dead_letters",
    "dead_letters_of",
    "explain_match",
    "local_session",
    "match",
    "match_with_dead_letters",
    "matches_of",
    "matches_to_kafka",
    "problem_of",
    "register",
    "run_match",
    "support",
]

_HOMES = {
    "AbsenceWaitsWarning": "tocsin.spark.query.matching",
    "AbsentColumnWarning": "tocsin.spark.query.absent_columns",
    "Metrics": "tocsin.spark.query.metrics",
    "Watch": "tocsin.spark.query.metrics",
    "WorkerPythonWarning": "tocsin.spark.query.session",
    "constructed": "tocsin.spark.query.outgoing_events",
    "dead_letters": "tocsin.spark.query.matching",
    "dead_letters_of": "tocsin.spark.query.matching",
    "explain_match": "tocsin.explain.table_rows",
    "local_session": "tocsin.spark.query.session",
    "match": "tocsin.spark.query.matching",
    "match_with_dead_letters": "tocsin.spark.query.matching",
    "matches_of": "tocsin.spark.query.matching",
    "matches_to_kafka": "tocsin.spark.query.outgoing_events",
    "problem_of": "tocsin.spark.query.failures",
    "register": "tocsin.spark.query.sql",
    "run_match": "tocsin.spark.query.finite",
    "support": "tocsin.spark.versions.capabilities",
}


def _missing(error: ModuleNotFoundError) -> ModuleNotFoundError:
    return ModuleNotFoundError(
        f"{error}; Tocsin on Spark needs it: pip install 'tocsin[spark]'", name=error.name
    )


try:
    import pyspark as _pyspark  # noqa: F401
except ModuleNotFoundError as error:
    raise _missing(error) from error


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        found: object = getattr(import_module(_HOMES[name]), name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pyspark", "py4j", "pandas"):
            raise
        raise _missing(error) from error
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
