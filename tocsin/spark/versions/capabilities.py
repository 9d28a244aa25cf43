"""The table of capabilities by version of Spark, and the refusal of one that a version lacks.

`match` asks the table before it makes a query, so that a version that is too old is a `Problem`
with a hint, and never a stack trace of Java. The version is that of the server if the session is
one of Spark Connect, and never newer than the pyspark here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import PackageNotFoundError, version

import pyspark
from pyspark.sql import SparkSession

from tocsin.errors import UnsupportedProblem

Minor = tuple[int, int]
"""Major and minor number of a version of Spark."""

OLDEST: Minor = (3, 5)
MINORS: tuple[Minor, ...] = (OLDEST, (4, 0), (4, 1), (4, 2), (4, 3))
"""The versions that are tested; newer ones of 4 are taken for the last one."""


class Capability(Enum):
    """A capability that may depend on the version; the value is its name for people."""

    BATCH = "batch: conditions, composites, back-tests"
    STREAMS = "streams of conditions"
    COMPOSITES = "composites on streams"
    LIVE_CATALOGS = "live catalogs"
    METRICS = "metrics"
    METRICS_BY_SUBSCRIPTION = "metrics by subscription"
    LOG_TABLE = "the log of the service, as a batch"
    LOG_STREAM = "the log of the service, as a stream (tocsin up --engine spark)"


@dataclass(frozen=True, slots=True)
class _Row:
    """The first version with a capability, and a hint for versions before it."""

    since: Minor
    hint: str = "use a newer version of Spark"


TABLE: dict[Capability, _Row] = {
    Capability.BATCH: _Row(OLDEST),
    Capability.STREAMS: _Row(OLDEST),
    Capability.COMPOSITES: _Row(OLDEST),
    Capability.LIVE_CATALOGS: _Row(OLDEST),
    Capability.METRICS: _Row(OLDEST),
    Capability.METRICS_BY_SUBSCRIPTION: _Row(
        (4, 1), 'metrics=Watch("name", by_subscription=False) counts the rest'
    ),
    Capability.LOG_TABLE: _Row((4, 0), "keep the events in files or in Kafka too, and read those"),
    Capability.LOG_STREAM: _Row(
        (4, 2), "without --engine spark the service matches in its own process"
    ),
}


class StateApi(Enum):
    """An interface of Spark for keyed state; the value is the method of grouped rows."""

    ROWS = "transformWithState"
    PANDAS = "transformWithStateInPandas"
    GROUP_STATE = "applyInPandasWithState"


_STATE_APIS: dict[StateApi, tuple[Minor, Minor]] = {
    StateApi.ROWS: ((4, 1), (4, 1)),
    StateApi.PANDAS: ((4, 0), (4, 1)),
    StateApi.GROUP_STATE: (OLDEST, OLDEST),
}
"""The first version with an interface, and the first with it over Spark Connect; the first
interface that a version has is used.
"""

_CONNECT = "pyspark.sql.connect"

PROTOBUF: dict[Minor, str] = {
    (4, 0): "5.28.3",
    (4, 1): "6.33.0",
    (4, 2): "6.33.5",
    (4, 3): "6.33.5",
}
"""The protobuf with which the messages of a version's state server were generated."""


@dataclass(frozen=True, slots=True)
class Support:
    """The capabilities of one version of Spark."""

    spark: Minor
    state_api: StateApi

    def has(self, capability: Capability) -> bool:
        """Return True if the version has a capability."""
        return TABLE[capability].since <= self.spark

    def require(self, capability: Capability) -> None:
        """Raise if the version lacks a capability; the hint says what to do."""
        if not self.has(capability):
            row = TABLE[capability]
            raise UnsupportedProblem(
                f"Spark {_text(self.spark)} lacks {capability.value}: they need Spark"
                f" {_text(row.since)}",
                code="SparkVersionError",
                token=capability.name.lower(),
                hint=row.hint,
            )

    def lines(self) -> list[str]:
        """Return a line for each capability: what the version has, and hints for the rest."""
        return [f"Spark {_text(self.spark)}", *map(self._line, Capability)]

    def _line(self, capability: Capability) -> str:
        if not self.has(capability):
            row = TABLE[capability]
            return f"  no   {capability.value}: since Spark {_text(row.since)}; {row.hint}"
        how = f" ({self.state_api.value})" if capability is Capability.COMPOSITES else ""
        return f"  yes  {capability.value}{how}"

    def __str__(self) -> str:
        return "\n".join(self.lines())


def support(spark: SparkSession | None = None) -> Support:
    """Print the capabilities of a session's Spark, or of this pyspark, and return them."""
    found = support_of(spark)
    print(found)
    return found


def support_of(spark: SparkSession | None = None) -> Support:
    """Return the capabilities of a session's Spark, or of this pyspark without a session."""
    minor = _minor(spark)
    column = int(spark is not None and is_remote(spark))
    found = (api for api, since in _STATE_APIS.items() if since[column] <= minor)
    return Support(minor, next(found, StateApi.GROUP_STATE))


def is_remote(spark: SparkSession) -> bool:
    """True if the session is a client of Spark Connect: its server decides which Python runs."""
    return type(spark).__module__.startswith(_CONNECT)


def require(spark: SparkSession, *capabilities: Capability) -> None:
    """Raise if the Spark of a session lacks one of the capabilities."""
    found = support_of(spark)
    for each in capabilities:
        found.require(each)


def require_protobuf(found: Support) -> None:
    """Raise if the protobuf here is older than what the version's state server needs.

    Call it only if the workers run this Python's packages.
    """
    if found.state_api is StateApi.GROUP_STATE:
        return
    needed = PROTOBUF[max(minor for minor in PROTOBUF if minor <= found.spark)]
    try:
        installed: str | None = version("protobuf")
    except PackageNotFoundError:
        installed = None
    if installed is None or _numbers(installed) < _numbers(needed):
        raise UnsupportedProblem(
            f"composites on streams need protobuf {needed} with Spark {_text(found.spark)}; "
            + ("it is not installed" if installed is None else f"{installed} is installed"),
            code="SparkVersionError",
            token="protobuf",
            hint=f"pip install 'protobuf>={needed},<7'",
        )


def _minor(spark: SparkSession | None) -> Minor:
    """Return the older version of the session and of this pyspark.

    A vendor's pyspark may have numbers of its own; then the session decides.
    """
    here = _parse(pyspark.__version__)
    if spark is None:
        return here
    there = _parse(spark.version)
    return min(here, there) if abs(here[0] - there[0]) <= 1 else there


def _parse(text: str) -> Minor:
    major, minor, *_ = (*_numbers(text), 0, 0)
    return major, minor


def _numbers(text: str) -> tuple[int, ...]:
    leading = re.match(r"\d+(\.\d+)*", text)
    return tuple(map(int, leading[0].split("."))) if leading else ()


def _text(minor: Minor) -> str:
    return f"{minor[0]}.{minor[1]}"
