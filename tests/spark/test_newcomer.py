"""A newcomer with tables of their own: three rules for each, in Python and in SQL, by the docs."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from pyspark.sql import SparkSession

from tocsin.spark import match, register

YARD = "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))"


@dataclass(frozen=True)
class Case:
    """A table, the options for it, and the events of every match of its rules."""

    name: str
    table: str
    time: str
    id: str
    rules: dict[str, list[str]]
    columns: dict[str, str] = field(default_factory=dict)


CASES = [
    Case(
        "order",
        """VALUES ('o1', 'ann', 120.0, '2026-01-01 08:00:00'), ('o2', 'bob', 20.0, '2026-01-01 08:10:00'),
           ('o3', 'ann', 15.5, '2026-01-01 08:20:00'), ('o4', 'ann', 300.0, '2026-01-01 10:00:00')
           AS orders(nr, customer, amount, ordered)""",
        "ordered",
        "nr",
        {
            "WHEN order(amount > 100)": ["o1", "o4"],
            "WHEN order THEN order WITHIN 30m FOR EACH customer": ["o1 o3"],
            "WHEN SUM(order.amount) > 300 OVER 3h FOR EACH customer": ["o1 o3 o4"],
        },
    ),
    Case(
        "click",
        """VALUES (1, 'u1', '/cart', 1767254400000), (2, 'u1', '/pay', 1767254460000),
           (3, 'u2', '/cart', 1767254470000), (4, 'u2', '/home', 1767254480000)
           AS clicks(seq, `user id`, page, at_ms)""",
        "at_ms",
        "seq",
        {
            "WHEN click(page LIKE '/c%')": ["1", "3"],
            "WHEN click(page = '/cart') THEN click(page = '/pay') WITHIN 5m FOR EACH `user id`": [
                "1 2"
            ],
            "WHEN click(page = '/cart') THEN NO click(page = '/pay') WITHIN 5m FOR EACH `user id`": [
                "3"
            ],
        },
    ),
    Case(
        "reading",
        """VALUES ('r1', 's1', 20.5F, timestamp'2026-01-01 08:00:00'), ('r2', 's1', CAST('NaN' AS FLOAT), timestamp'2026-01-01 08:01:00'),
           ('r3', 's1', 30.1F, timestamp'2026-01-01 08:02:00'), ('r4', 's2', 40.0F, timestamp'2026-01-01 08:03:00')
           AS readings(key, sensor, value, taken)""",
        "taken",
        "key",
        {
            "WHEN reading(value = 30.1)": ["r3"],
            "WHEN reading BECOMES value > 25 FOR EACH sensor": ["r3", "r4"],
            "WHEN MAX(reading.value) > 35 OVER 10m FOR EACH sensor": ["r4"],
        },
    ),
    Case(
        "position",
        """VALUES ('p1', 't1', 'POINT (20 5)', date'2026-01-01'), ('p2', 't1', 'POINT (5 5)', date'2026-01-02'),
           ('p3', 't1', 'POINT (6 5)', date'2026-01-03'), ('p4', 't1', 'POINT (30 5)', date'2026-01-04')
           AS positions(ping, truck, wkt, day)""",
        "day",
        "ping",
        {
            f"WHEN position ENTERS {YARD} FOR EACH truck": ["p2"],
            f"WHEN position LEAVES {YARD} FOR EACH truck": ["p4"],
            f"WHEN position HOLDS INSIDE {YARD} FOR 1d FOR EACH truck": ["p2"],
        },
        {"wkt": "place"},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.name))
def test_three_rules_over_a_table_in_python_and_in_sql(spark: SparkSession, case: Case) -> None:
    register(spark)
    table = spark.sql(f"SELECT * FROM {case.table}")
    table.createOrReplaceTempView("mine")
    rules = {f"rule {number}": text for number, text in enumerate(case.rules)}
    found = match(
        table, rules, time=case.time, name=case.name, id=case.id, columns=case.columns or None
    )
    answers = found.collect()
    for name, text in rules.items():
        python = sorted(" ".join(row.events) for row in answers if row.subscription == name)
        assert python == case.rules[text], text
        written = text.replace("'", "\\'")
        pairs = ", ".join(f"'{column}', '{given}'" for column, given in case.columns.items())
        columns = f", columns => map({pairs})" if pairs else ""
        rows = spark.sql(
            f"SELECT events FROM tocsin_match(TABLE(mine), rule => '{written}',"
            f" time => '{case.time}', name => '{case.name}', id => '{case.id}'{columns})"
        ).collect()
        assert sorted(" ".join(row.events) for row in rows) == case.rules[text], f"SQL: {text}"
