"""Failures of queries in words of ours, and masters that try tasks again; without Spark."""

from __future__ import annotations

import pytest

from tocsin.spark import problem_of
from tocsin.spark.query.failures import EndsOnly, Failures
from tocsin.spark.query.session import patient

PLAN = "\n=== Streaming Query ===\nPython worker exited unexpectedly in CANNOT_LOAD_STATE_STORE"


@pytest.mark.parametrize(
    ("said", "code", "way_out"),
    [
        (
            "[STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY] Cannot restart",
            "CheckpointError",
            "composites=True",
        ),
        (
            "[STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA] name",
            "CheckpointError",
            "composites=True",
        ),
        (
            "[CANNOT_LOAD_STATE_STORE.UNCATEGORIZED] An error",
            "CheckpointError",
            "begin a new checkpoint",
        ),
        (
            "Failed to read log file commits/0. [MALFORMED_LOG_FILE]",
            "CheckpointError",
            "begin a new checkpoint",
        ),
        (
            "Unexpected end-of-input [Source: REDACTED (`StreamReadFeature",
            "CheckpointError",
            "begin a new checkpoint",
        ),
        (
            "StateStoreError: the steps in the state store",
            "CheckpointError",
            "begin a new checkpoint",
        ),
        (
            "[STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE] Provided. StateStoreErrors$.throw",
            "LayoutError",
            "begin a new checkpoint",
        ),
        ("Python worker exited unexpectedly (crashed)", "WorkerLost", "start the query again"),
        ("Python worker failed to connect back.", "WorkerLost", "local[2,4]"),
    ],
)
def test_what_spark_says_is_told_with_a_way_out(said: str, code: str, way_out: str) -> None:
    problem = problem_of(RuntimeError(said + PLAN))
    assert problem is not None
    assert problem.code == code
    assert way_out in problem.hint


def test_what_says_enough_by_itself_is_left_alone() -> None:
    assert problem_of("[UNRESOLVED_COLUMN] a column" + PLAN) is None
    assert problem_of(None) is None


def test_of_a_query_only_its_end_is_read_from_java() -> None:
    """Whatever is asked of an event goes to Java and back; these have nothing to answer with."""
    listener = EndsOnly(Failures())
    for hear in (listener.onQueryStarted, listener.onQueryProgress, listener.onQueryIdle):
        hear(object())
    with pytest.raises(AttributeError):
        listener.onQueryTerminated(object())


@pytest.mark.parametrize(
    ("master", "tried"),
    [
        ("local[2]", "local[2,4]"),
        ("local", "local[1,4]"),
        ("local[*]", "local[*,4]"),
        ("local[3,1]", "local[3,1]"),
        ("local-cluster[2,1,1024]", "local-cluster[2,1,1024]"),
        ("spark://host:7077", "spark://host:7077"),
    ],
)
def test_a_local_master_tries_tasks_again(master: str, tried: str) -> None:
    assert patient(master) == tried
