"""Tocsin on Apache Spark: the public names of the Spark host.

Without pyspark the import fails with the command that installs it.
"""

try:
    from tocsin.hosts.spark.queries.absent_columns import AbsentColumnWarning
    from tocsin.hosts.spark.queries.constructing import constructed
    from tocsin.hosts.spark.queries.failures import problem_of
    from tocsin.hosts.spark.queries.finite import run_match
    from tocsin.hosts.spark.queries.kafka_sink import matches_to_kafka
    from tocsin.hosts.spark.queries.matching import (
        AbsenceWaitsWarning,
        dead_letters,
        dead_letters_of,
        match,
        match_with_dead_letters,
        matches_of,
    )
    from tocsin.hosts.spark.queries.metrics import Metrics, Watch
    from tocsin.hosts.spark.sessions.session import local_session
    from tocsin.hosts.spark.sessions.workers import WorkerPythonWarning
except ModuleNotFoundError as error:
    if error.name is None or error.name.partition(".")[0] not in ("pyspark", "py4j", "pandas"):
        raise
    raise ModuleNotFoundError(
        f"{error}; Tocsin on Spark needs it: pip install 'tocsin[spark]'", name=error.name
    ) from error

__all__ = [
    "AbsenceWaitsWarning",
    "AbsentColumnWarning",
    "Metrics",
    "Watch",
    "WorkerPythonWarning",
    "constructed",
    "dead_letters",
    "dead_letters_of",
    "local_session",
    "match",
    "match_with_dead_letters",
    "matches_of",
    "matches_to_kafka",
    "problem_of",
    "run_match",
]
