"""The table of capabilities decides, by the version of the session; it is that of the documentation.

No session is needed: the versions are made up.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tocsin.errors import UnsupportedProblem
from tocsin.spark import Watch, problem_of, support
from tocsin.spark.input.log_source import register_log
from tocsin.spark.plans.sources import FixedList
from tocsin.spark.query.requirements import require_support
from tocsin.spark.versions import capabilities
from tocsin.spark.versions.capabilities import (
    MINORS,
    TABLE,
    Capability,
    StateApi,
    support_of,
)

DOCS = Path(__file__).resolve().parents[2] / "docs"
NOTHING = FixedList.of([])


def session(version: str, *, remote: bool = False) -> Any:
    """Something with a version, as a session is; over Spark Connect by its module."""
    kind = type("Session", (SimpleNamespace,), {})
    kind.__module__ = "pyspark.sql.connect.session" if remote else "pyspark.sql.session"
    return kind(version=version)


def rows(version: str, *, streaming: bool = True) -> Any:
    return SimpleNamespace(sparkSession=session(version), isStreaming=streaming)


@pytest.mark.parametrize(
    ("version", "api", "remote"),
    [
        ("3.5.9", StateApi.GROUP_STATE, StateApi.GROUP_STATE),
        ("4.0.0", StateApi.PANDAS, StateApi.GROUP_STATE),
        ("4.1.4", StateApi.ROWS, StateApi.ROWS),
        ("4.3.0.dev1", StateApi.ROWS, StateApi.ROWS),
        ("4.9.0", StateApi.ROWS, StateApi.ROWS),
    ],
)
def test_a_version_has_its_interface_for_state(
    version: str, api: StateApi, remote: StateApi
) -> None:
    assert support_of(session(version)).state_api is api
    assert support_of(session(version, remote=True)).state_api is remote


def test_the_older_of_client_and_server_decides_and_a_vendor_may_count_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for here, there, minor in (
        ("4.3.0", "4.1.2", (4, 1)),
        ("4.0.5", "4.1.2", (4, 0)),
        ("4.0.0", "3.5.2", (3, 5)),
        ("17.3.1", "4.0.0", (4, 0)),
    ):
        monkeypatch.setattr("pyspark.__version__", here)
        assert support_of(session(there)).spark == minor


def test_a_version_that_is_too_old_is_refused_for_everything() -> None:
    for streaming in (False, True):
        with pytest.raises(UnsupportedProblem, match=r"Spark 3\.4 lacks .*need Spark 3\.5") as said:
            require_support(rows("3.4.4", streaming=streaming), NOTHING, False)
        assert said.value.code == "SparkVersionError"
        assert said.value.hint


def test_metrics_by_subscription_are_refused_with_what_to_say_instead() -> None:
    with pytest.raises(UnsupportedProblem, match="by_subscription=False"):
        require_support(rows("4.0.5"), NOTHING, False, Watch())
    require_support(rows("4.0.5"), NOTHING, False, Watch(by_subscription=False))
    require_support(rows("4.1.0"), NOTHING, False, Watch())


def test_the_log_of_the_service_is_refused_before_anything_is_registered() -> None:
    for version, streams in (("3.5.9", False), ("4.1.4", True)):
        with pytest.raises(UnsupportedProblem, match="the log of the service"):
            register_log(session(version), _unused, _unused, streams=streams)


def _unused(url: str) -> Any:
    raise AssertionError(url)


@pytest.mark.parametrize(
    ("spark", "installed", "needed"),
    [
        ("4.0.5", "5.28.2", "5.28.3"),
        ("4.1.4", "5.29.1", "6.33.0"),
        ("4.3.0", "6.33.0", "6.33.5"),
        ("4.1.4", None, "6.33.0"),
    ],
)
def test_an_old_protobuf_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, spark: str, installed: str | None, needed: str
) -> None:
    def version(name: str) -> str:
        if installed is None:
            raise PackageNotFoundError(name)
        return installed

    monkeypatch.setattr(capabilities, "version", version)
    with pytest.raises(UnsupportedProblem, match=f"protobuf>={re.escape(needed)}"):
        require_support(rows(spark), NOTHING, True)
    require_support(rows(spark), NOTHING, False)
    require_support(rows("3.5.9"), NOTHING, True)


def test_support_is_printed_and_returned(capsys: pytest.CaptureFixture[str]) -> None:
    found = support(session("4.0.5"))
    told = capsys.readouterr().out
    assert told.splitlines() == found.lines()
    assert told.startswith("Spark 4.0\n")
    assert "yes  composites on streams (transformWithStateInPandas)" in told
    assert "no   metrics by subscription: since Spark 4.1; metrics=Watch(" in told


def test_the_table_names_versions_that_are_tested() -> None:
    assert support_of().spark in MINORS
    assert all(row.since in MINORS for row in TABLE.values())


def test_the_documentation_has_the_same_table() -> None:
    section = (DOCS / "spark.md").read_text().partition("\n## Versions\n")[2].partition("\n## ")[0]
    head, _, *body = [line for line in section.splitlines() if line.startswith("|")]
    versions = [cell.strip() for cell in head.strip("|").split("|")][1:]
    assert versions == ["{}.{}".format(*minor) for minor in MINORS]
    told = {}
    for line in body:
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        told[name] = [not cell.startswith("no") for cell in cells]
    for each in Capability:
        assert told[each.value] == [TABLE[each].since <= minor for minor in MINORS], each


def test_a_checkpoint_of_another_version_says_what_to_do() -> None:
    named = "Stateful operators in {}: [(OperatorId: 0 -> OperatorName: {})]"
    for before, now in (
        ("transformWithStateInPandasExec", "transformWithStateInPySparkExec"),
        ("applyInPandasWithState", "transformWithStateInPySparkExec"),
    ):
        metadata, current = named.format("the metadata", before), named.format("current batch", now)
        told = f"[STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA] {metadata}; {current}."
        problem = problem_of(told)
        assert problem is not None
        assert "version of Spark" in problem.message
    lost = named.format("the metadata", "transformWithStateInPySparkExec")
    none = "Stateful operators in current batch: []"
    problem = problem_of(
        f"[STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA] {lost}; {none}."
    )
    assert problem is not None
    assert "composites=True" in problem.hint
