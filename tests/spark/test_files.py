"""Files of every format on Spark: the same matches and dead letters, with the same places, as in
process.
"""

from __future__ import annotations

import gzip
from pathlib import Path

from pyspark.sql import SparkSession

from tests.cli.test_files import SUBSCRIPTIONS, mixed
from tests.connectors.reading import GOOD, lines_of, written
from tocsin.cli.evaluators import EvaluationResult, EvaluatorName, Request, evaluate
from tocsin.cli.inputs import event_files
from tocsin.cli.subscription_files import load
from tocsin.events.codecs.base.cloudevents import MAX_BYTES


def answers(folder: Path, *given: str) -> tuple[EvaluationResult, EvaluationResult]:
    loaded = load(written(folder, "subscriptions/s.yaml", SUBSCRIPTIONS), skip_wrong=False)
    request = Request(loaded, event_files(given))
    local, spark = (
        evaluate(engine, request) for engine in (EvaluatorName.LOCAL, EvaluatorName.SPARK)
    )
    return local, spark


def assert_same(local: EvaluationResult, spark: EvaluationResult) -> None:
    assert [each.line() for each in spark.matches] == [each.line() for each in local.matches]
    assert [each.text() for each in spark.dead_letters] == [
        each.text() for each in local.dead_letters
    ]
    assert spark.some_read == local.some_read


def test_a_directory_of_everything(spark: SparkSession, tmp_path: Path) -> None:
    del spark
    mixed(tmp_path / "events")
    local, other = answers(tmp_path, str(tmp_path / "events"))
    assert len(local.matches) == 6
    assert_same(local, other)


def test_a_broken_first_line_and_one_that_is_too_long(spark: SparkSession, tmp_path: Path) -> None:
    del spark
    content = b'{"id": "x", "source": "s\n{' + b" " * (2 * MAX_BYTES) + b"\n" + lines_of(*GOOD)
    for name, raw in (("e.jsonl", content), ("e.jsonl.gz", gzip.compress(content))):
        local, other = answers(tmp_path, written(tmp_path, name, raw))
        assert [letter.line for letter in local.dead_letters] == [1, 2]
        assert_same(local, other)


def test_where_nothing_could_be_read(spark: SparkSession, tmp_path: Path) -> None:
    del spark
    for content in ('{"id": 1}\n', "Dear all,\n"):
        local, other = answers(tmp_path, written(tmp_path, "e.jsonl", content))
        assert not local.some_read
        assert_same(local, other)
