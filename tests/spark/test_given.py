"""What callers give `match` by habit: taken, refused with a way out, or warned of. Nothing is
silently nothing.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.spark.scenes import selector
from tocsin.catalog import Subscription
from tocsin.errors import MeaningProblem, Problem
from tocsin.spark import AbsentColumnWarning, match
from tocsin.spark.plans.sources import FixedList, LiveCatalog, source_of
from tocsin.spark.query.session import WorkerPythonWarning, choose_python

TEXT = '{"id": "dear", "language": "selector", "expression": "amount > 1"}'
FOLLOWS = Subscription("follows", "opsl", "=|(ARITH: amount > 1; 60s)(ARITH: amount > 1)")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("amount > 1", ("neither", '"expression": "amount > 1"', '"language": "selector"')),
        ("kind = 'laptop'", ("neither", "kind = 'laptop'")),
        ("laptops", ("neither", "selector")),
        ("x " * 5000, ("neither",)),
        (TEXT, ("neither", "json.loads")),
        ("nowhere/catalog.db", ("folder",)),
        ("catalog.db", ("no catalog", "tocsin catalog create", "list of dicts")),
        ([TEXT], ("neither", "json.loads")),
        ([5], ("got int", "list of dicts")),
        ({"dear": 5}, ("got int", "dict of name to text")),
        (5, ("got int", "list of dicts")),
        (None, ("got NoneType",)),
        (b"amount > 1", ("got bytes",)),
        ("nowhere.jsonl", ("cannot read nowhere.jsonl", "No such file")),
    ],
)
def test_what_is_no_subscription_is_refused_with_the_way_to_say_it(
    given: Any, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Problem) as raised:
        source_of(given)
    for word in words:
        assert word in str(raised.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["subs.jsonl", "SUBS.JSONL", "subs.ndjson", "subs.json", "subs.yml", "subs.jsonl.gz"]
)
def test_the_path_of_a_file_of_subscriptions_is_a_list(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    lines = f'{TEXT}\n\n{{"define": "R", "region": "POINT (1 1)"}}\n'.encode()
    path.write_bytes(gzip.compress(lines) if name.endswith(".gz") else lines)
    for given in (path, str(path)):
        source = source_of(given)
        assert isinstance(source, FixedList)
        held = source.snapshot(0)
        assert [each.id for each in held.subscriptions] == ["dear"]
        assert [each.name for each in held.definitions] == ["R"]


def test_every_wrong_line_of_a_file_is_told_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "subs.jsonl"
    path.write_text(f'{{"id": 1}}\n{TEXT}\nnonsense\n')
    with pytest.raises(MeaningProblem) as raised:
        source_of(path)
    assert "line 1" in str(raised.value)
    assert "line 3" in str(raised.value)
    assert "tocsin check" in raised.value.hint


def test_one_subscription_is_a_list_of_one() -> None:
    for given in (json.loads(TEXT), selector("dear", "amount > 1")):
        assert [each.id for each in source_of(given).snapshot(0).subscriptions] == ["dear"]
    assert not isinstance(source_of(json.loads(TEXT)), LiveCatalog)


@pytest.fixture(scope="module")
def sales(spark: SparkSession) -> DataFrame:
    return spark.sql(
        """SELECT 'e1' AS id, 'shop' AS source, 'sale' AS type, timestamp'2026-01-01 08:00:00' AS time, 2 AS amount,
                  named_struct('city', 'Ghent') AS seller, timestamp_ntz'2026-01-01 08:00:00' AS local"""
    )


COLUMNS = {"amount": "data.amount", "seller": "data.seller"}


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (["amount"], ("got list", 'columns={"amount": "data.amount"}')),
        (("amount", "seller"), ("got tuple", 'columns={"amount": "data.amount"}')),
        ("amount", ("got str", "columns={")),
        ({"amount": 5}, ("got dict", "columns={")),
        ({"data.amount": "amount"}, ("no event field", '{"amount": "data.amount"}')),
        ({"id": "amount"}, ("no event field", '{"amount": "id"}')),
        ({"amont": "data.amount"}, ("not there",)),
        (
            {"local": "endtime"},
            ("timestamp_ntz", "cast('timestamp')", "convert_timezone", "zone of the session"),
        ),
        ({"local": "data.at"}, ("timestamp_ntz", "convert_timezone")),
    ],
)
def test_a_mapping_that_is_none_shows_one(
    sales: DataFrame, columns: Any, words: tuple[str, ...]
) -> None:
    with pytest.raises(MeaningProblem) as raised:
        match(sales, [selector("all")], columns=columns)
    assert raised.value.code == "ColumnError"
    for word in words:
        assert word in str(raised.value)


def test_the_way_out_for_a_time_without_a_zone_leads_out(sales: DataFrame) -> None:
    own = F.convert_timezone(F.lit("Europe/Brussels"), F.current_timezone(), F.col("local")).cast(
        "timestamp"
    )
    mapped = sales.drop("time").withColumn("at", own)
    (row,) = (
        match(mapped, [selector("all")], columns={"at": "time"})
        .selectExpr("string(start) AS start")
        .collect()
    )
    assert row.start == "2026-01-01 07:00:00"


@pytest.mark.parametrize("option", ["lateness", "idle", "deduplicate"])
def test_a_duration_needs_a_unit_and_a_timedelta_has_one(sales: DataFrame, option: str) -> None:
    given: dict[str, Any] = {option: 5}
    with pytest.raises(MeaningProblem, match='"5s"'):
        match(sales, [FOLLOWS], columns=COLUMNS, **given)
    given = {option: timedelta(seconds=5)}
    match(sales, [FOLLOWS], columns=COLUMNS, **given)


def test_until_may_be_a_datetime(sales: DataFrame) -> None:
    match(sales, [FOLLOWS], columns=COLUMNS, until=datetime(2026, 1, 2, tzinfo=UTC))
    with pytest.raises(MeaningProblem, match="no zone"):
        match(sales, [FOLLOWS], columns=COLUMNS, until=datetime(2026, 1, 2))


def heard(
    events: DataFrame, subscription: Subscription, columns: dict[str, str] | None
) -> list[str]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        match(events, [subscription], columns=columns)
    found = [each for each in told if issubclass(each.category, AbsentColumnWarning)]
    assert all(each.filename == __file__ for each in found)
    return [str(each.message) for each in found]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (selector("s", "amoun > 1"), ("amoun,", "'s'", "did you mean amount?")),
        (selector("s", "seller.town = 'Ghent'"), ("seller.town", "'s'")),
        (selector("s", "seller.citi = 'Ghent'"), ("did you mean seller.city?",)),
        (selector("s", "amount.value = 1"), ("amount.value",)),
        (selector("s", "ce_region = 'EU'"), ("ce_region",)),
        (
            Subscription("c", "opsl", "=|(ARITH: amount > 1; 60s)(ARITH: amont > 1)"),
            ("amont", "'c'"),
        ),
        (selector("s", "a = 1 AND b = 1 AND c = 1 AND d = 1 AND e = 1"), ("and 2 more",)),
    ],
)
def test_an_attribute_without_a_column_is_warned_of(
    sales: DataFrame, asked: Subscription, words: tuple[str, ...]
) -> None:
    (told,) = heard(sales, asked, COLUMNS)
    for word in words:
        assert word in told


@pytest.mark.parametrize(
    "expression",
    [
        "amount > 1 AND seller.city = 'Ghent'",
        "ce_id = 'e1' OR ce_type = 'x'",
        "ce_endtime > '2026-01-01T00:00:00Z'",
        "seller IS NULL",
    ],
)
def test_attributes_with_columns_are_not_warned_of(sales: DataFrame, expression: str) -> None:
    assert heard(sales, selector("s", expression), COLUMNS) == []


def test_what_differs_from_row_to_row_is_not_warned_of(spark: SparkSession) -> None:
    texts = spark.sql("SELECT '{}' AS value")
    maps = spark.sql("SELECT 'e' AS id, 's' AS source, 't' AS type, map('a', 1) AS data")
    assert heard(texts, selector("s", "anything = 1"), None) == []
    assert heard(maps, selector("s", "anything = 1"), None) == []


OWN_SESSION = """
from pyspark.sql import SparkSession
from tocsin.spark import match
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
events = spark.sql('''SELECT '{"id":"e1","source":"s","type":"t"}' AS value''')
rows = match(events, [{"id": "all", "language": "selector", "expression": ""}]).collect()
assert [row.events for row in rows] == [["e1"]], rows
"""


def test_a_session_of_ones_own_runs_this_python_in_its_workers(tmp_path: Path) -> None:
    """The first python3 on the path is a trap: it has neither Tocsin nor its libraries."""
    trap = tmp_path / "python3"
    trap.write_text("#!/bin/sh\nexit 1\n")
    trap.chmod(0o755)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYSPARK")
    }
    environment |= {"PATH": f"{tmp_path}:{environment['PATH']}", "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-c", OWN_SESSION],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def session_on(master: str, python: str = "python3", **settings: str) -> Any:
    context = SimpleNamespace(master=master, pythonExec=python, getConf=lambda: settings)
    return SimpleNamespace(sparkContext=context)


@pytest.mark.parametrize("master", ["local", "local[2]", "local[*]", "local-cluster[2,1,1024]"])
def test_on_this_machine_workers_run_this_python(
    master: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    session = session_on(master)
    choose_python(session)
    assert session.sparkContext.pythonExec == sys.executable


def test_a_choice_is_never_overruled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    chosen = session_on("local[2]", "/opt/python")
    set_in_session = session_on("spark://host:7077", **{"spark.pyspark.python": "/env/python"})
    for session in (chosen, set_in_session):
        choose_python(session)
    assert chosen.sparkContext.pythonExec == "/opt/python"
    assert set_in_session.sparkContext.pythonExec == "/env/python"
    monkeypatch.setenv("PYSPARK_PYTHON", "python3")
    on_the_path = session_on("spark://host:7077")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choose_python(on_the_path)
    assert on_the_path.sparkContext.pythonExec == "python3"


def test_on_a_cluster_a_warning_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    session = session_on("spark://host:7077")
    with pytest.warns(WorkerPythonWarning, match="set PYSPARK_PYTHON"):
        choose_python(session)
    assert session.sparkContext.pythonExec == "python3"
