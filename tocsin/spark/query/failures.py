"""Explanation of a failed streaming query: what to do, in place of Spark's own terms.

It is written to the log of the driver; `problem_of` returns it to a program.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import (
    JStreamingQueryListener,
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)
from pyspark.sql.utils import is_remote

from tocsin.errors import StateProblem
from tocsin.spark.query.session import ATTEMPTS
from tocsin.spark.shard.state_store import DAMAGED
from tocsin.spark.versions.optional_names import SparkContext

LOG = logging.getLogger("tocsin.spark")

_CHECKPOINT = "CheckpointError"
_PLAN = "=== Streaming Query ==="
"""The beginning of the query plan in the text of an exception; the plan does not say what failed.
"""
_LISTENING = "spark.tocsin.failuresWatched"


@dataclass(frozen=True, slots=True)
class _Known:
    """A pattern of Spark's text for a failure, with our message and hint."""

    said: re.Pattern[str]
    code: str
    message: str
    hint: str


_OPERATOR = r"\[[^\]]*WithState[^\]]*\]"
_OTHER_SPARK = _Known(
    re.compile(
        f"metadata: {_OPERATOR}; Stateful operators in current batch: {_OPERATOR}"
        "|STDS_FAILED_TO_READ_OPERATOR_METADATA"
    ),
    _CHECKPOINT,
    "the checkpoint was begun with a version of Spark that keeps the state of composites in another"
    " way, or it is damaged",
    "go on with the version that began it, or begin a new checkpoint at the earliest event that a"
    " window can still ask for; versions from 4.1 on read the checkpoints of each other",
)

_FAILURES = (
    _OTHER_SPARK,
    _Known(
        re.compile("STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY"),
        _CHECKPOINT,
        "the query detects composites, and its checkpoint holds no state of any: either it was"
        " begun without composites, or the state was deleted",
        "begin a new checkpoint, or leave the composites out; a query that is begun with"
        " composites=True may gain and lose them from run to run",
    ),
    _Known(
        re.compile("STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA"),
        _CHECKPOINT,
        "the checkpoint was begun with composites, or with other settings of deduplicate, and the"
        " query is made without them now",
        "say composites=True, which keeps the query as it was begun though no composite is left,"
        " and deduplicate as before; or begin a new checkpoint",
    ),
    _Known(
        re.compile("STATE_STORE_(KEY|VALUE)_SCHEMA_NOT_COMPATIBLE"),
        "LayoutError",
        "the checkpoint was begun by a version that kept each shard in three states",
        "begin a new checkpoint, or go on with the version that began this one",
    ),
    _Known(
        re.compile(
            "CANNOT_LOAD_STATE_STORE|FAILED_READ_FILE|MALFORMED_LOG_FILE|UNSUPPORTED_LOG_VERSION"
            "|MISSING_METADATA_FILE|BATCH_METADATA_NOT_FOUND|StateStoreError|StreamReadFeature"
            "|Incomplete log file|[Ff]ailed to read log file|[Cc]hecksum"
            " (error|mismatch|verification)|CHECKSUM_"
        ),
        _CHECKPOINT,
        "the checkpoint of the query cannot be read",
        DAMAGED,
    ),
    _Known(
        re.compile("Python worker (exited unexpectedly|failed to connect back)"),
        "WorkerLost",
        "a Python worker of the query was lost, as often as a task may be tried",
        "start the query again from its checkpoint: nothing is lost or told twice. Look for what"
        " ended the worker (most often memory); a local master tries a task again only where it is"
        f" written so, as local[2,{ATTEMPTS}]",
    ),
)


def problem_of(failure: object) -> StateProblem | None:
    """Return the problem behind the failure of a query, given as exception or text; None if
    unknown.
    """
    text, _, _ = str(failure).partition(_PLAN)
    for known in _FAILURES:
        if known.said.search(text):
            return StateProblem(known.message, code=known.code, hint=known.hint)
    return None


class Failures(StreamingQueryListener):
    """Listener that logs on the driver what to do about a failed query."""

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Do nothing."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """Do nothing."""

    def onQueryIdle(self, event: QueryIdleEvent) -> None:
        """Do nothing."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """Log the problem behind a failure, if it is a known one."""
        problem = None if event.exception is None else problem_of(event.exception)
        if problem is not None:
            LOG.error("query %s: %s", event.id, problem)

    @property
    def _jlistener(self) -> Any:
        """The Java object that Spark calls, in place of its default wrapper."""
        if not hasattr(self, "_jlistenerobj"):
            jvm: Any = SparkContext._jvm
            self._jlistenerobj = jvm.PythonStreamingQueryListenerWrapper(EndsOnly(self))
        return self._jlistenerobj


class EndsOnly(JStreamingQueryListener):
    """Listener that transfers only the end of a query from Java.

    Reading the progress takes many calls to Java: an eighth of the work of a small micro-batch.
    """

    def onQueryStarted(self, jevent: object) -> None:
        """Do nothing."""

    def onQueryProgress(self, jevent: object) -> None:
        """Do nothing."""

    def onQueryIdle(self, jevent: object) -> None:
        """Do nothing."""


def watch_failures(spark: SparkSession) -> None:
    """Add the listener for failed queries to a session, once per session."""
    if is_remote() or spark.conf.get(_LISTENING, "") == "true":
        return
    spark.streams.addListener(Failures())
    spark.conf.set(_LISTENING, "true")
