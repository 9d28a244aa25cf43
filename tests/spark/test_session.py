"""The local session: what it needs of the machine, and what it says where that is missing."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.waiting import wait_for_end
from tocsin.errors import StateProblem
from tocsin.spark import match
from tocsin.spark.query.session import local_session, require_java


def fake_java(folder: Path, version: str) -> None:
    (folder / "bin").mkdir()
    java = folder / "bin" / "java"
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2021-04-20' >&2\n")
    java.chmod(0o755)


@pytest.mark.parametrize(("version", "number"), [("1.8.0_292", "8"), ("11.0.2", "11")])
def test_an_old_java_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, number: str
) -> None:
    fake_java(tmp_path, version)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(StateProblem, match=f"is Java {number}"):
        require_java()


@pytest.mark.parametrize("version", ["17.0.9", "21", "25-ea"])
def test_a_new_java_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    fake_java(tmp_path, version)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    require_java()


def test_without_java_one_line_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StateProblem) as raised:
        require_java()
    assert "openjdk-17-jre-headless" in str(raised.value)
    assert "\n" not in str(raised.value)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    with pytest.raises(StateProblem):
        require_java()


def test_a_session_is_quiet_local_and_runs_this_python(spark: SparkSession) -> None:
    settings = spark.sparkContext.getConf()
    assert settings.get("spark.driver.bindAddress") == "127.0.0.1"
    assert spark.sparkContext.uiWebUrl is None
    found = spark.range(1).mapInArrow(_executables, "path string").collect()
    assert [row["path"] for row in found] == [sys.executable]


def test_a_running_session_is_used_and_another_master_refused(spark: SparkSession) -> None:
    assert local_session() is spark
    assert local_session("local[2]") is spark
    with pytest.raises(StateProblem, match="runs already"):
        local_session("local[7]")


def _executables(batches):  # type: ignore[no-untyped-def]
    for batch in batches:
        yield batch.from_pydict({"path": [sys.executable] * batch.num_rows})


PROVIDER = "spark.sql.streaming.stateStore.providerClass"
PAIR = "WHEN t THEN t WITHIN 1m"


def test_rocksdb_is_set_with_one_line_that_says_so(
    spark: SparkSession, caplog: pytest.LogCaptureFixture
) -> None:
    before = spark.conf.get(PROVIDER)
    stream = spark.readStream.format("rate").load()
    spark.conf.set(PROVIDER, "org.example.AnotherProvider")
    try:
        with caplog.at_level(logging.WARNING, logger="tocsin.spark"):
            match(stream, "WHEN t", time="timestamp", name="t")
            assert caplog.messages == []
            for _ in range(2):
                match(stream, PAIR, time="timestamp", name="t")
        (line,) = caplog.messages
        assert "RocksDB" in line
        assert "RocksDB" in (spark.conf.get(PROVIDER) or "")
    finally:
        spark.conf.set(PROVIDER, str(before))


def test_what_does_not_fit_a_checkpoint_is_a_sentence_before_the_query_starts(
    spark: SparkSession, tmp_path: Path
) -> None:
    stream = spark.readStream.format("rate").load()
    place, plain = str(tmp_path / "begun"), str(tmp_path / "plain")

    def made(rules: str, checkpoint: str, **given: Any) -> DataFrame:
        return match(stream, rules, time="timestamp", name="t", checkpoint=checkpoint, **given)

    made(PAIR, place, shards=3)
    made(PAIR, place)  # never started: it may still change
    begin(made(PAIR, place), place)
    begin(made("WHEN t", plain), plain)
    with pytest.raises(StateProblem, match="2 shards, not 3") as raised:
        made(PAIR, place, shards=3)
    assert "say shards=2" in raised.value.hint
    with pytest.raises(StateProblem, match="begun with composites"):
        made("WHEN t", place)
    with pytest.raises(StateProblem, match="begun without composites"):
        made(PAIR, plain)
    made("WHEN t", place, composites=True)
    made("WHEN t", plain, shards=5)
    begin(made(PAIR, place), place)


def begin(found: DataFrame, checkpoint: str) -> None:
    query = (
        found.writeStream.format("noop")
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    wait_for_end(query)
