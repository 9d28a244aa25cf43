"""Rules in SQL: the table function says what the hub says of the rows as CloudEvents, whatever the
partitions, and the function for conditions what `match` says.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tests.spark.test_tables import (
    COLUMNS,
    HOLD,
    ORDERS,
    RULES,
    event_of,
    in_the_hub,
    random_rows,
    rows_of,
)
from tocsin.spark import match, register

END = "2026-02-01T00:00:00Z"


@pytest.fixture(scope="module")
def orders(spark: SparkSession) -> Iterator[list[dict[str, Any]]]:
    register(spark)
    rows, _ = random_rows(4, 90)
    rows_of(spark, rows, ORDERS).repartition(4).createOrReplaceTempView("orders")
    yield rows
    spark.catalog.dropTempView("orders")


def asked(spark: SparkSession, table: str, rule: str, **given: str) -> list[tuple[Any, ...]]:
    named = {"rule": rule, "time": "at", "name": "order", "id": "n", "until": END, **given}
    told = ", ".join(f"{name} => '{value}'" for name, value in named.items())
    escaped = told.replace("\\", "\\\\")
    found = spark.sql(f"SELECT * FROM tocsin_match({table}, {escaped})")
    return sorted((tuple(row.events), row.bindings) for row in found.collect())


def hub_says(orders: list[dict[str, Any]], rule: str) -> list[tuple[Any, ...]]:
    events = [event_of("order", row, "at") for row in orders]
    return sorted((events, bindings) for _, events, bindings in in_the_hub(events, {"r": rule}))


KEYED, WHOLE = RULES["raise"], RULES["sum"]


@pytest.mark.parametrize("rule", [KEYED, WHOLE, RULES["dear"], "amount > 20"])
def test_a_table_in_sql_matches_as_its_rows_do_in_the_hub(
    spark: SparkSession, orders: list[dict[str, Any]], rule: str
) -> None:
    answer = asked(spark, "TABLE(orders)", rule)
    assert answer
    assert answer == hub_says(orders, rule)


def test_partition_by_and_order_by_in_the_call_change_nothing(
    spark: SparkSession, orders: list[dict[str, Any]]
) -> None:
    by = "TABLE(orders) PARTITION BY customer ORDER BY at"
    assert asked(spark, by, KEYED) == hub_says(orders, KEYED)


def test_partition_by_without_a_key_asks_about_each_partition(
    spark: SparkSession, orders: list[dict[str, Any]]
) -> None:
    rule = "WHEN a: order(amount > 90) THEN b: order(amount > 80) WITHIN 10m"
    answer = asked(spark, "TABLE(orders) PARTITION BY customer", rule)
    by_customer: dict[Any, list[dict[str, Any]]] = {}
    for row in orders:
        by_customer.setdefault(row["customer"], []).append(row)
    assert answer == sorted(each for rows in by_customer.values() for each in hub_says(rows, rule))


def test_partition_by_that_divides_the_keys_is_refused(
    spark: SparkSession, orders: list[dict[str, Any]]
) -> None:
    assert orders
    with pytest.raises(PySparkException, match="leave PARTITION BY out"):
        asked(spark, "TABLE(orders) PARTITION BY country", KEYED)


def test_an_empty_table_and_one_without_a_name(
    spark: SparkSession, orders: list[dict[str, Any]]
) -> None:
    assert orders
    assert asked(spark, "TABLE(SELECT * FROM orders WHERE FALSE)", KEYED) == []
    found = spark.sql("SELECT * FROM tocsin_match(TABLE(orders), rule => 'amount > 20')")
    assert found.count() == len(hub_says(orders, "amount > 20"))
    expected = match(spark.table("orders"), ["amount > 20"], name="row")
    assert sorted(row.id for row in found.collect()) == sorted(row.id for row in expected.collect())
    assert found.columns == expected.columns


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("TABLE(orders), rule => 'WHEN order THEN'", "RuleSyntaxError"),
        ("TABLE(orders), rule => 'WHEN order THEN order'", "no column holds their time"),
        ("TABLE(orders), rule => 'WHEN order', time => 'att'", "did you mean"),
        ("TABLE(orders), rule => 'WHEN order', time => 'customer' || rand()", "constant"),
        ("TABLE(SELECT true AS at), rule => 'WHEN row', time => 'at'", "boolean"),
        ("'orders', rule => 'WHEN row'", "not a table"),
    ],
)
def test_a_wrong_call_is_refused_when_it_is_analysed(
    spark: SparkSession, orders: list[dict[str, Any]], call: str, words: str
) -> None:
    assert orders
    with pytest.raises(PySparkException, match=words):
        spark.sql(f"SELECT * FROM tocsin_match({call})")


def test_conditions_are_a_function_of_a_row(spark: SparkSession) -> None:
    register(spark)
    spark.sql(f"SELECT {COLUMNS}").drop("age", "calendar", "doc").createOrReplaceTempView("things")
    texts = [text for text in HOLD if not text.startswith(("age", "calendar", "doc", "ce_"))]
    for text in texts:
        escaped = text.replace("'", "\\'")
        (row,) = spark.sql(
            f"SELECT tocsin_matches(struct(*), '{escaped}') AS yes,"
            f" tocsin_matches(struct(*), 'NOT ({escaped})') AS no FROM things"
        ).collect()
        assert (row.yes, row.no) == (True, False), text


def test_conditions_leave_out_rows_that_are_null(spark: SparkSession) -> None:
    register(spark)
    found = spark.sql(
        "SELECT tocsin_matches(r, t) AS yes FROM VALUES"
        " (named_struct('a', 1), 'a = 1'), (NULL, 'a = 1'), (named_struct('a', 1), NULL),"
        " (named_struct('a', NULL), 'NOT a = 1') AS v(r, t)"
    )
    assert [row.yes for row in found.collect()] == [True, False, False, False]
