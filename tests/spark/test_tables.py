"""Tables of plain columns: what their rows match is what the hub says of them as CloudEvents."""

from __future__ import annotations

import random
import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import tocsin
from tests.spark.scenes import rung
from tests.waiting import wait_for_end
from tocsin import rule
from tocsin.errors import MeaningProblem, Problem
from tocsin.spark import AbsentColumnWarning, dead_letters, explain_match, match
from tocsin.spark.plans.sources import source_of

ORDERS = "n string, customer string, amount double, country string, at timestamp"
PAYMENTS = "n string, customer string, amount int, paid timestamp"
FIRST = datetime(2026, 1, 1, 8, tzinfo=UTC)
RULES = {
    "dear": "WHEN order(amount > 50)",
    "abroad": "amount > 20 AND country <> 'BE'",
    "raise": "WHEN a: order THEN b: order WITHIN 20m FOR EACH customer WHERE b.amount > a.amount",
    "paid": "WHEN order THEN payment WITHIN 30m FOR EACH customer",
    "unpaid": "WHEN o: order THEN NO payment WITHIN 30m FOR EACH customer SELECT o.amount AS open",
    "busy": "WHEN COUNT(order) >= 3 OVER 30m FOR EACH customer",
    "sum": "WHEN all: SUM(order.amount) > 150 OVER 1h EVERY 15m SELECT SUM(all.amount) AS total",
}


def random_rows(seed: int, count: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    chance = random.Random(seed)
    orders, payments = [], []
    for number in range(count):
        at = FIRST + timedelta(seconds=chance.randrange(4 * 3600), milliseconds=number)
        customer = chance.choice(["ann", "bob", "eve", None])
        if chance.random() < 0.6:
            amount = chance.choice([None, chance.randrange(100) + chance.choice([0.0, 0.1, 0.5])])
            country = chance.choice(["BE", "SE", None])
            orders.append(
                {"n": f"o{number}", "customer": customer, "amount": amount, "country": country}
                | {"at": at}
            )
        else:
            payments.append({"n": f"p{number}", "customer": customer, "amount": 5, "paid": at})
    return orders, payments


def rows_of(spark: SparkSession, found: list[dict[str, Any]], schema: str) -> DataFrame:
    names = [each.split()[0] for each in schema.split(", ")]
    return spark.createDataFrame([tuple(row[name] for name in names) for row in found], schema)


def event_of(kind: str, row: dict[str, Any], time: str) -> dict[str, Any]:
    data = {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in row.items()
    }
    return {
        "id": row["n"],
        "source": kind,
        "type": kind,
        "time": row[time].isoformat(),
        "data": data,
    }


def in_the_hub(events: list[dict[str, Any]], rules: dict[str, str]) -> list[tuple[Any, ...]]:
    hub = tocsin.Hub(lateness="0s")
    for name, text in rules.items():
        language = "rule" if text.startswith("WHEN") else None
        hub.subscribe(text, language=language, id=name)
    ordered = sorted(events, key=lambda event: event["time"])
    found = [each for event in ordered for each in hub.publish(event)]
    found += hub.advance_to("2026-02-01T00:00:00Z")
    return sorted((each.subscription, each.events, dict(each.bindings)) for each in found)


def on_spark(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((row.subscription, tuple(row.events), row.bindings) for row in frame.collect())


def expected(orders: list[dict[str, Any]], payments: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    events = [event_of("order", row, "at") for row in orders]
    events += [event_of("payment", row, "paid") for row in payments]
    return in_the_hub(events, RULES)


@pytest.mark.parametrize("seed", [1, 2])
def test_tables_match_as_their_rows_do_in_the_hub(spark: SparkSession, seed: int) -> None:
    orders, payments = random_rows(seed, 80)
    tables = {
        "order": rows_of(spark, orders, ORDERS).repartition(3),
        "payment": rows_of(spark, payments, PAYMENTS),
    }
    found = match(
        tables, RULES, time={"order": "at", "payment": "paid"}, id="n", until="2026-02-01T00:00:00Z"
    )
    answer = on_spark(found)
    assert answer == expected(orders, payments)
    assert {each[0] for each in answer} == set(RULES), "every rule is put to the test"


def test_tables_that_stream_match_as_in_the_hub(spark: SparkSession, tmp_path: Path) -> None:
    orders, payments = random_rows(3, 60)
    for name, rows, schema in (("order", orders, ORDERS), ("payment", payments, PAYMENTS)):
        rows_of(spark, rows, schema).coalesce(1).write.parquet(str(tmp_path / name))
    streams = {
        "order": spark.readStream.schema(ORDERS).parquet(str(tmp_path / "order")),
        "payment": spark.readStream.schema(PAYMENTS).parquet(str(tmp_path / "payment")),
    }
    by_time = {"order": "at", "payment": "paid"}
    rules = {name: RULES[name] for name in ("dear", "abroad", "raise", "paid")}
    found = match(streams, rules, time=by_time, id="n", lateness="1d", ahead=None)
    end = {"n": "end", "customer": None, "amount": None, "country": None}
    query = found.writeStream.format("memory").queryName("tables").start()
    try:
        query.processAllAvailable()
        late = rows_of(spark, [end | {"at": FIRST + timedelta(days=9)}], ORDERS)
        late.coalesce(1).write.mode("append").parquet(str(tmp_path / "order"))
        query.processAllAvailable()
    finally:
        query.stop()
        wait_for_end(query)
    answer = [each for each in on_spark(spark.table("tables")) if "end" not in each[1]]
    assert answer == [each for each in expected(orders, payments) if each[0] in rules]


def one(spark: SparkSession, columns: str) -> DataFrame:
    return spark.sql(f"SELECT {columns}")


MOMENT = datetime(2026, 1, 1, 7, tzinfo=UTC)
SECONDS = int(MOMENT.timestamp())
TIMES = [
    ("timestamp'2026-01-01 08:00:00 Europe/Brussels'", {}),
    ("timestamp_ntz'2026-01-01 08:00:00'", {"zone": "Europe/Brussels"}),
    ("'2026-01-01 08:00:00'", {}),
    ("'2026-01-01T08:00'", {}),
    ("'2026-01-01 16:00:00'", {"zone": "Asia/Tokyo"}),
    ("'2026-01-01 16:00'", {"zone": "Asia/Tokyo"}),
    ("'2026-01-01T07:00:00Z'", {}),
    ("'2026-01-01T07:00:00Z'", {"zone": "Asia/Tokyo"}),
    ("'2026-01-01T09:00:00+02:00'", {}),
    (f"{SECONDS}", {}),
    (f"{SECONDS}L", {}),
    (f"{SECONDS}000L", {}),
    (f"{SECONDS}000000L", {}),
    (f"{SECONDS}000000000L", {}),
    (f"{SECONDS}.0D", {}),
    (f"{SECONDS}000.0D", {}),
    (f"CAST({SECONDS} AS DECIMAL(20, 3))", {}),
]


@pytest.mark.parametrize(("at", "options"), TIMES)
def test_a_time_is_any_column_that_says_when(
    spark: SparkSession, at: str, options: dict[str, str]
) -> None:
    spark.conf.set("spark.sql.session.timeZone", "Europe/Brussels")
    try:
        found = match(one(spark, f"1 AS a, {at} AS at"), "WHEN t", time="at", name="t", **options)
        (row,) = found.selectExpr("unix_micros(start) AS start").collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert row.start == SECONDS * 1_000_000


@pytest.mark.parametrize(("zone", "hour"), [(None, 23), ("Asia/Tokyo", 15)])
def test_a_date_is_its_midnight(spark: SparkSession, zone: str | None, hour: int) -> None:
    spark.conf.set("spark.sql.session.timeZone", "Europe/Brussels")
    try:
        found = match(
            one(spark, "date'2026-01-02' AS day"), ["WHEN t"], time="day", name="t", zone=zone
        )
        (row,) = found.selectExpr("unix_micros(start) AS start").collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert row.start == datetime(2026, 1, 1, hour, tzinfo=UTC).timestamp() * 1_000_000


@pytest.mark.parametrize("at", ["'yesterday'", "'2026-13-01 00:00:00'", "CAST('NaN' AS DOUBLE)"])
def test_a_time_that_is_none_is_a_dead_letter_with_its_row(spark: SparkSession, at: str) -> None:
    table = one(spark, f"'o1' AS n, {at} AS at")
    assert match(table, ["WHEN t"], time="at", name="t").count() == 0
    (letter,) = dead_letters(table, time="at", name="t", id="n").collect()
    assert letter.token == "time"
    assert '"id": "o1"' in letter.input


def test_a_row_without_a_time_still_matches_conditions(spark: SparkSession) -> None:
    table = one(spark, "'o1' AS n, CAST(NULL AS TIMESTAMP) AS at")
    assert rung(match(table, ["WHEN t"], time="at", name="t", id="n")) == [("rule-1", "o1")]


COLUMNS = """named_struct('a', 1, 'b c', 0.1F) AS box, array('x', 'y') AS tags, map(1, 'one') AS names,
    map('f', 0.1F) AS floats, 0.1F AS flt, CAST('NaN' AS DOUBLE) AS nan, 12.50BD AS price, X'0102' AS raw,
    parse_json('{"deep": {"n": 5}}') AS doc, interval '1 02:00:00' day to second AS took,
    interval '2-3' year to month AS age, timestamp_ntz'2026-01-01 08:00:00.5' AS local,
    date'2026-01-02' AS day, timestamp'2026-01-01 08:00:00' AS moment, 'v' AS `gift wrap`, 'd' AS `a.b`,
    'u' AS Upper, 'i' AS id, 's' AS source, 't' AS type, CAST(NULL AS STRING) AS nothing,
    make_interval(1, 2) AS calendar, 9007199254740993L AS large, true AS flag"""
HOLD = [
    "box.a = 1",
    "box.`b c` = 0.1",
    "tags IS NOT NULL",
    "names.`1` = 'one'",
    "floats.f = 0.1",
    "flt = 0.1",
    "nan IS NULL",
    "flag = TRUE",
    "price = 12.5",
    "raw = 'AQI='",
    "doc.deep.n = 5",
    "took = 93600",
    "age = 27",
    "local = '2026-01-01T08:00:00.5'",
    "day = '2026-01-02'",
    "moment = '2026-01-01T08:00:00Z'",
    "`gift wrap` = 'v'",
    "`a.b` = 'd'",
    "Upper = 'u'",
    "id = 'i' AND source = 's' AND type = 't'",
    "ce_type = 'thing' AND ce_source = 'thing'",
    "nothing IS NULL",
    "calendar LIKE '1 years%'",
    "large = 9007199254740993",
]


@pytest.mark.parametrize("by_row", [True, False])
def test_columns_of_every_type_and_name_are_attributes(spark: SparkSession, by_row: bool) -> None:
    table = one(spark, COLUMNS)
    rows = table if by_row else table.drop("names", "floats", "doc")
    held = [text for text in HOLD if by_row or text.split(".")[0] not in ("names", "floats", "doc")]
    with warnings.catch_warnings():
        warnings.simplefilter("error", AbsentColumnWarning)
        found = match(rows, {text: text for text in held}, name="thing")
        assert sorted(each.subscription for each in found.collect()) == sorted(held)
        composite = f"WHEN selector{{ {' AND '.join(held)} }} THEN NO thing WITHIN 1h"
        assert match(rows, composite, name="thing", time="moment").count() == 1


def test_the_mapping_takes_the_same_types(spark: SparkSession) -> None:
    table = one(spark, f"{COLUMNS}, 'x' AS place").drop("local")
    mapping = {name: f"data.{name}" for name in ("flt", "nan", "raw", "doc", "took", "gift wrap")}
    texts = ("flt = 0.1", "nan IS NULL", "raw = 'AQI='", "doc.deep.n = 5", "took = 93600")
    named = {text: text for text in (*texts, "`gift wrap` = 'v'")}
    found = match(table.drop("place"), named, columns={**mapping, "day": "time"})
    assert sorted(each.subscription for each in found.collect()) == sorted(named)


def test_columns_of_events_are_attributes_where_nothing_is_mapped(spark: SparkSession) -> None:
    table = one(spark, "'e' AS id, 's' AS source, 't' AS type, 0.1F AS flt, 'v' AS `gift wrap`")
    assert rung(match(table, ["flt = 0.1 AND `gift wrap` = 'v'"])) == [("rule-1", "e")]


def test_events_with_times_of_another_name_need_no_mapping(spark: SparkSession) -> None:
    table = one(
        spark, "'e' AS id, 's' AS source, 't' AS type, timestamp'2026-01-01 08:00:00' AS at"
    )
    (row,) = match(table, ["WHEN t THEN NO t WITHIN 1h"], time="at").collect()
    assert row.events == ["e"]


def test_equal_rows_are_one_event_unless_something_tells_them_apart(spark: SparkSession) -> None:
    table = spark.createDataFrame([("a", 1), ("a", 1), ("b", 1)], "k string, v int")
    assert match(table, "WHEN t", name="t").count() == 2
    assert match(table, "WHEN t", name="t", deduplicate=False).count() == 3
    numbered = table.withColumn("n", F.monotonically_increasing_id())
    assert match(numbered, "WHEN t", name="t", id="n").count() == 3


def test_the_id_of_a_row_is_the_same_in_every_session(spark: SparkSession) -> None:
    table = one(spark, f"{COLUMNS}, 1 AS one").drop("moment").withColumn("at", F.lit(MOMENT))
    (first,) = match(table, "WHEN t", name="t").collect()
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        (second,) = match(table, "WHEN t", name="t").collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert first.events == second.events
    (third,) = match(table.withColumn("one", F.lit(2)), "WHEN t", name="t").collect()
    assert third.events != first.events


def test_columns_of_two_types_in_two_tables_keep_their_values(spark: SparkSession) -> None:
    texts = one(spark, "'a' AS k, 'x1' AS v, timestamp'2026-01-01 08:00:00' AS at, 1 AS w")
    numbers = one(spark, "'b' AS k, 2 AS v, '2026-01-01 08:00:01' AS at, 1.5D AS w")
    tables = {"text": texts, "number": numbers}
    rules = {
        "text": "WHEN text(v = 'x1' AND w = 1)",
        "number": "WHEN number(v = 2 AND w = 1.5)",
        "both": "WHEN text THEN number WITHIN 1s",
    }
    found = match(tables, rules, time="at", id="k")
    assert sorted((row.subscription, row.events) for row in found.collect()) == [
        ("both", ["a", "b"]),
        ("number", ["b"]),
        ("text", ["a"]),
    ]


def test_kept_columns_come_from_the_table_that_has_them(spark: SparkSession) -> None:
    left = one(spark, "'a' AS k, 1 AS v, timestamp'2026-01-01 08:00:00' AS at")
    right = one(spark, "'b' AS k, 'z' AS w, timestamp'2026-01-01 08:00:01' AS at")
    found = match({"l": left, "r": right}, "WHEN l THEN r", time="at", keep=["k", "v", "w"])
    (row,) = found.collect()
    assert (row.k, row.v, row.w) == (["a", "b"], [1, None], [None, "z"])


def test_an_empty_table_and_a_wide_one(spark: SparkSession) -> None:
    empty = spark.createDataFrame([], "k string, at timestamp")
    rules = {"one": "WHEN t(k = 'x')", "two": "WHEN t THEN t FOR EACH k"}
    assert match(empty, rules, time="at", name="t").count() == 0
    rows = [[row * 1.0, FIRST, *[row] * 1_998] for row in range(3)]
    names = [f"c{number}" for number in range(1_998)]
    wide = spark.createDataFrame(rows, ["f", "at", *names])
    found = match(wide, {"one": "WHEN t(c1997 = 1 AND f = 1)"}, time="at", name="t", id="c0")
    assert rung(found) == [("one", "1")]


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        ("1 AS a", {"time": "at"}, ("no column 'at'", "'a'")),
        ("1 AS ordered_at", {"time": "orderd_at"}, ("did you mean 'ordered_at'",)),
        ("true AS at", {"time": "at"}, ("boolean", "a timestamp, a date")),
        ("array(1) AS at", {"time": "at"}, ("array<int>",)),
        ("timestamp_ntz'2026-01-01 00:00:00' AS at", {"time": "at"}, ("timestamp_ntz", "zone=")),
        ("1 AS a, 2 AS a", {}, ("two columns a",)),
        ("1 AS a, 2 AS A", {}, ("a and A",)),
        ("1 AS a", {"id": "b"}, ("no column 'b'",)),
        ("array(1) AS a", {"id": "a"}, ("array<int>", "the event's id")),
        ("1 AS a", {"columns": {"b": "data.x"}}, ("no column 'b'",)),
        ("1 AS a, 2 AS b", {"columns": {"a": "id", "b": "id"}}, ("two columns",)),
        ("1 AS a", {"columns": ["a"]}, ("got list",)),
        ("1 AS a", {"keep": ["b"]}, ("'b' to keep",)),
        ("1 AS a", {"time": 5}, ("name of a column",)),
        ("1 AS a", {"name": ""}, ("named by a text",)),
        ("1 AS a", {"zone": "Europe/Nowhere"}, ("zone", "Europe/Nowhere")),
        ("1 AS a", {"rules": "WHEN t THEN NO t"}, ("combines events", 'time="')),
    ],
)
def test_what_is_no_table_is_refused_with_the_way_to_say_it(
    spark: SparkSession, columns: str, options: dict[str, Any], words: tuple[str, ...]
) -> None:
    given = {"name": "t", "rules": "WHEN t", **options}
    rules = given.pop("rules")
    with pytest.raises(MeaningProblem) as raised:
        match(one(spark, columns), rules, **given)
    assert raised.value.code == "ColumnError"
    assert raised.value.hint
    for word in words:
        assert word in str(raised.value)


def test_tables_that_do_not_fit_together_are_refused(spark: SparkSession) -> None:
    table = one(spark, "1 AS a")
    stream = spark.readStream.format("rate").load()
    with pytest.raises(MeaningProblem, match="b is a batch"):
        match({"a": stream, "b": table}, "WHEN a")
    with pytest.raises(MeaningProblem, match="no table 'orders'"):
        match({"order": table}, "WHEN order", time={"orders": "a"})
    with pytest.raises(MeaningProblem, match="each has its own"):
        match({"order": table}, "WHEN order", name="x")
    with pytest.raises(MeaningProblem, match="not a DataFrame"):
        match({"order": [1]}, "WHEN order")  # type: ignore[dict-item]
    with pytest.raises(MeaningProblem, match='name="order"'):
        match(table, "WHEN order")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("WHEN ordr", ("type ordr", "did you mean order?")),
        ("WHEN login(amount > 1)", ("type login", "there is order")),
        ("WHEN order(amout > 1)", ("no column holds amout", "did you mean amount?")),
        ("WHEN order(AMOUNT > 1)", ("no column holds AMOUNT", "did you mean amount?")),
        ("WHEN order(a.b > 1)", ("did you mean `a.b`?",)),
        ("WHEN order THEN order FOR EACH custommer", ("custommer", "did you mean customer?")),
    ],
)
def test_names_of_nothing_are_warned_of(
    spark: SparkSession, text: str, words: tuple[str, ...]
) -> None:
    table = one(spark, "1 AS amount, 'c' AS customer, 2 AS `a.b`, current_timestamp() AS at")
    with pytest.warns(AbsentColumnWarning) as heard:
        match(table, text, time="at", name="order")
    (warned,) = [each for each in heard if issubclass(each.category, AbsentColumnWarning)]
    assert warned.filename == __file__
    for word in words:
        assert word in str(warned.message)


def ids(given: Any) -> list[str]:
    return [each.id for each in source_of(given).snapshot(0).subscriptions]


def test_rules_are_texts_lists_and_dicts() -> None:
    big = rule.event("order", "price > 400")
    assert ids("WHEN order") == ids("  when order") == ids("-- why\nWHEN order") == ["rule-1"]
    assert ids(["WHEN order", "price > 4"]) == ["rule-1", "rule-2"]
    assert ids({"big": "WHEN order", "dear": "price > 4", "own": big}) == ["big", "dear", "own"]
    assert ids({"big": {"language": "selector", "expression": "a = 1"}}) == ["big"]
    assert ids({"id": "a", "language": "selector", "expression": ""}) == ["a"]
    (found,) = source_of(["price > 4"]).snapshot(0).subscriptions
    assert (found.language, found.expression) == ("selector", "price > 4")
    with pytest.raises(Problem, match="'rule-2'"):
        source_of(["WHEN order", "WHEN order THEN"])
    with pytest.raises(Problem, match="'big'"):
        source_of({"big": "WHEN order >"})


SALES = """SELECT * FROM VALUES
    ('o1', 'ann', 120.5D, 1, timestamp'2026-01-01 08:00:30'), ('o2', 'bob', 7.0D, 2, timestamp'2026-01-01 08:01:00'),
    ('o3', 'ann', 7.0D, 3, timestamp'2026-01-01 08:02:00'), ('o4', NULL, 900.0D, 4, timestamp'2026-01-01 08:03:00')
    AS t(n, customer, amount, pieces, at)"""


def test_keys_and_selected_values_are_typed_columns(spark: SparkSession) -> None:
    rules = {
        "pair": "WHEN a: order THEN b: order WITHIN 1h FOR EACH customer"
        " SELECT b.amount AS second, a.pieces, b.at AS bought, b.n AS last",
        "hour": "WHEN all: COUNT(order) >= 1 OVER 1h EVERY 1h"
        " SELECT COUNT(all) AS orders, SUM(all.pieces) AS pieces, AVG(all.amount) AS mean",
        "dear": "WHEN order(amount > 500)",
    }
    table = spark.sql(SALES)
    options: dict[str, Any] = {"name": "order", "time": "at", "id": "n", "values": True}
    found = match(table, rules, keep={"n": "orders_of"}, until="2026-01-01T09:00:00Z", **options)
    types = dict(found.dtypes)
    wanted = {"customer": "string", "second": "double", "pieces": "bigint", "bought": "timestamp"}
    wanted |= {"orders": "bigint", "mean": "double", "last": "string"}
    assert {name: types[name] for name in wanted} == wanted
    rows = {row.subscription: row for row in found.collect()}
    pair = rows["pair"]
    assert (pair.customer, pair.second, pair.last, pair.orders) == ("ann", 7.0, "o3", None)
    assert pair.bought.isoformat() == "2026-01-01T08:02:00"
    assert (rows["hour"].orders, rows["hour"].mean, rows["hour"].customer) == (4, 258.625, None)
    assert rows["dear"].customer is None
    joined = found.where("subscription = 'pair'").join(table, "customer")
    assert joined.count() == 2


def test_values_need_tables_and_names_of_their_own(spark: SparkSession) -> None:
    table = spark.sql(SALES)
    rule = "WHEN a: order THEN b: order WITHIN 1h FOR EACH customer SELECT b.at AS start"
    with pytest.raises(MeaningProblem, match="two columns 'start'"):
        match(table, rule, name="order", time="at", values=True)
    with pytest.raises(MeaningProblem, match="two columns 'customer'"):
        match(table, RULES["raise"], name="order", time="at", keep="customer", values=True)
    with pytest.raises(Problem, match="table of your own"):
        match(spark.sql("SELECT '{}' AS value"), rule.replace("start", "x"), values=True)


def test_a_row_is_explained_as_an_event_of_a_file(spark: SparkSession) -> None:
    table = spark.sql(SALES)
    options = {"name": "order", "time": "at", "id": "n"}
    (row,) = table.where("n = 'o2'").collect()
    missed = explain_match(table, "WHEN order(amount > 100)", row, **options)
    assert not missed.matches
    assert "rule-1 does not match with o2" in str(missed)
    assert "amount > 100" in str(missed)
    pair = "WHEN a: order THEN b: order WITHIN 60s FOR EACH customer"
    for condition in ("n = 'o3'", F.col("n") == "o3", {"n": "o3"}):
        assert not explain_match(table, pair, condition, **options).matches
    long = explain_match(table, pair.replace("60s", "1h"), "n = 'o3'", **options)
    assert long.matches
    assert long.as_json()["event"] == "o3"
    with pytest.raises(MeaningProblem, match="no row"):
        explain_match(table, pair, "n = 'o9'", **options)
    with pytest.raises(MeaningProblem, match="one rule"):
        explain_match(table, [pair, pair], "n = 'o3'", **options)


def test_a_row_of_one_table_among_several_is_explained(spark: SparkSession) -> None:
    orders, payments = spark.sql(SALES), spark.sql("SELECT 'ann' AS customer, 1767254520 AS paid")
    tables = {"order": orders, "payment": payments}
    options = {"time": {"order": "at", "payment": "paid"}}
    rule = "WHEN order THEN payment WITHIN 10s FOR EACH customer"
    assert not explain_match(tables, rule, "n = 'o1'", **options).matches
    assert explain_match(tables, rule.replace("10s", "5m"), "n = 'o1'", **options).matches


def test_hopping_windows_are_those_of_spark(spark: SparkSession) -> None:
    """No row lies on the border of a window: there the rule has the end and Spark the start."""
    chance = random.Random(11)
    rows = [
        (f"n{number}", chance.choice("abc"), FIRST + timedelta(seconds=chance.randrange(86_400)))
        for number in range(300)
    ]
    table = spark.createDataFrame(
        [(n, k, at.replace(microsecond=1)) for n, k, at in rows], "n string, k string, at timestamp"
    )
    rule = "WHEN all: COUNT(t) >= 3 OVER 1h EVERY 10m FOR EACH k SELECT COUNT(all) AS size"
    options: dict[str, Any] = {"name": "t", "time": "at", "id": "n", "values": True}
    found = match(table, rule, until="2026-01-03T00:00:00Z", **options)
    windows = (
        table.groupBy("k", F.window("at", "1 hour", "10 minutes"))
        .agg(F.count("*").alias("size"))
        .where("size >= 3")
        .selectExpr("k", "window.end AS at", "size")
    )
    wanted = sorted(map(tuple, windows.collect()))
    assert len(wanted) > 300
    assert sorted(map(tuple, found.select("k", "detected", "size").collect())) == wanted
    last = table.agg(F.max("at")).collect()[0][0]
    over = match(table, rule, **options).select("k", "detected", "size").collect()
    assert sorted(map(tuple, over)) == [each for each in wanted if each[1] <= last]
