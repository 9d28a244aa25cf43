"""Events and subscriptions for the tests of the Spark host, and what the reference says
about them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.sql import DataFrame

from tocsin.catalog import Subscription, compile_subscription
from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.reference import matches
from tocsin.spark.output.batches import matches_in
from tocsin.spark.versions.optional_names import to_arrow

EXPRESSIONS = {
    "cheap": "price < 40",
    "kind": "kind = 'b' AND NOT price BETWEEN 20 AND 60",
    "like": "note LIKE '%a_c%' OR ce_type = 'sold'",
    "deep": "box.size >= 2 OR box.colour IN ('red', 'blue')",
    "void": "kind IS NULL AND ce_id <> 'e3'",
    "sum": "price + box.size > 50",
    "all": "",
}
SUBSCRIPTIONS = [Subscription(id, "selector", text) for id, text in EXPRESSIONS.items()]


def selector(id: str, expression: str = "") -> Subscription:
    return Subscription(id, "selector", expression)


def random_body(chance: random.Random, number: int) -> dict[str, Any]:
    """A CloudEvents object: some have no time, no place, no data, or data of other kinds."""
    body: dict[str, Any] = {
        "id": f"e{number}",
        "source": chance.choice(["shop", "fleet"]),
        "type": chance.choice(["sold", "moved"]),
    }
    if chance.random() < 0.8:
        start = chance.randrange(50)
        body["time"] = f"2026-01-01T00:00:{start:02d}.{chance.choice(['5', '000001', '25'])}Z"
        if chance.random() < 0.5:
            body["endtime"] = f"2026-01-01T00:00:{chance.randrange(start + 1, 60):02d}Z"
    if chance.random() < 0.3:
        body["place"] = f"POINT ({chance.randrange(9)} {chance.randrange(9)}.5)"
    if chance.random() < 0.9:
        body["data"] = random_data(chance)
    return body


def random_data(chance: random.Random) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if chance.random() < 0.8:
        data["price"] = chance.choice([chance.randrange(100), chance.randrange(100) + 0.5])
    if chance.random() < 0.8:
        data["kind"] = chance.choice("ab")
    if chance.random() < 0.5:
        data["note"] = chance.choice(["xabcx", "a\nc", "ac", ""])
    if chance.random() < 0.5:
        data["box"] = {"size": chance.randrange(4), "colour": chance.choice(["red", "green", None])}
    return data


def random_lines(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return [json.dumps(random_body(chance, number)) for number in range(count)]


def decoded(lines: Iterable[str | bytes]) -> list[Event]:
    """The events among the lines."""
    events = []
    for line in lines:
        try:
            events.append(decode(line))
        except Problem:
            continue
    return events


def expected(
    lines: Iterable[str | bytes], subscriptions: Sequence[Subscription] = SUBSCRIPTIONS
) -> list[Match]:
    """What the reference says."""
    events = decoded(lines)
    found = [
        match
        for each in subscriptions
        for match in matches(each.id, compile_subscription(each), events)
    ]
    return in_order(found)


def in_order(found: Iterable[Match]) -> list[Match]:
    return sorted(found, key=lambda match: match.order)


def found_in(frame: DataFrame) -> list[Match]:
    """The matches in the result of `match`."""
    table = to_arrow(frame.selectExpr("struct(*) AS match"))
    return in_order(matches_in(table))


def rung(frame: DataFrame) -> list[tuple[str, str]]:
    """(subscription, event) of the matches in the result of `match`."""
    return sorted((row["subscription"], row["events"][0]) for row in frame.collect())
