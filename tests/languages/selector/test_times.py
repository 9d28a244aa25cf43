"""Times of the envelope compare as instants: plain Python, reference, scan and indexes agree on
every comparison.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.worlds import pairs, subscribed
from tests.languages.asked import SELECTOR
from tests.languages.selector.evaluators import EVALUATORS, Evaluator, condition_of, event_with
from tocsin.engine.columns.batch import ArrowBatch
from tocsin.engine.conditions.matcher import Matcher
from tocsin.events.event import Event
from tocsin.plan.explain.atoms import selector_text
from tocsin.plan.nodes.atoms import Ordered
from tocsin.values.scalars import ENVELOPE, INSTANT

parse = SELECTOR.parse

NOON = {"time": "2026-01-31T12:00:00Z", "endtime": "2026-01-31T13:00:00.5Z"}

CASES: list[tuple[str, dict[str, Any], bool]] = [
    ("ce_time > '2026-01-01T00:00:00Z'", {}, True),
    ("ce_time = '2026-01-31T13:00:00+01:00'", {}, True),
    ("ce_time <> '2026-01-31T13:00:00+01:00'", {}, False),
    ("ce_time != '2026-01-31T12:00:00.000001Z'", {}, True),
    ("ce_time < '2026-01-31T12:00:00.1Z'", {}, True),
    ("ce_time >= '2026-01-31 12:00:00z'", {}, True),
    ("ce_time < '2026-01-31T11:30:00-01:00'", {}, True),
    ("ce_endtime = '2026-01-31T13:00:00.500Z'", {}, True),
    ("ce_time BETWEEN '2026-01-31T00:00:00+12:00' AND '2026-01-31T12:00:00Z'", {}, True),
    ("ce_time NOT BETWEEN '2026-01-31T12:00:00+01:00' AND '2026-01-31T12:30:00+01:00'", {}, True),
    ("ce_time IN ('2025-01-01T00:00:00Z', '2026-01-31T04:00:00-08:00')", {}, True),
    ("ce_time NOT IN ('2025-01-01T00:00:00Z')", {}, True),
    ("'2026-01-01T00:00:00Z' < ce_time", {}, True),
    ("ce_time < ce_endtime", {}, True),
    ("ce_endtime > ce_time", {}, True),
    ("ce_time = ce_endtime", {}, False),
    ("deadline > ce_time", {"deadline": "2026-01-31T12:00:00-00:30"}, True),
    ("ce_time < deadline", {"deadline": "2026-01-31T12:30:00+01:00"}, False),
    ("ce_time < deadline", {"deadline": "soon"}, False),
    ("NOT ce_time < deadline", {"deadline": "soon"}, False),
    ("NOT ce_time < deadline", {"deadline": 5}, False),
    (
        "ce_time BETWEEN opened AND closed",
        {"opened": "2026-01-31T10:00:00Z", "closed": "2026-01-31T23:00:00Z"},
        True,
    ),
    ("ce_time IN (opened)", {"opened": "2026-01-31T13:00:00+01:00"}, True),
    ("ce_time LIKE '2026-01-%'", {}, True),
    ("ce_time IS NOT NULL", {}, True),
]


@pytest.mark.parametrize("rings", EVALUATORS)
@pytest.mark.parametrize("dialect", ["selector", "amqp"])
@pytest.mark.parametrize(("text", "data", "expected"), CASES)
def test_a_time_is_an_instant(
    text: str, data: dict[str, Any], expected: bool, dialect: str, rings: Evaluator
):
    assert rings(parse(text, {"dialect": dialect}), event_with(data, **NOON)) == expected


@pytest.mark.parametrize("rings", EVALUATORS)
def test_without_a_time_every_comparison_is_unknown(rings: Evaluator):
    for text in (
        "ce_time > '2026-01-01T00:00:00Z'",
        "ce_time <> '2026-01-01T00:00:00Z'",
        "ce_time = ce_endtime",
    ):
        assert not rings(parse(text), event_with())
        assert not rings(parse(f"NOT {text}"), event_with())


OFFSETS = st.integers(-12 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.datetimes(datetime(2026, 1, 1), datetime(2026, 1, 1, 0, 0, 3)).flatmap(
    lambda moment: OFFSETS.map(lambda zone: moment.replace(tzinfo=UTC).astimezone(zone))
)
NEAR = st.one_of(MOMENTS, st.sampled_from([datetime(2026, 1, 1, tzinfo=UTC)]))
RELATIONS = {"=": eq, "<>": ne, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


@given(NEAR, NEAR, st.sampled_from(sorted(RELATIONS)))
def test_comparisons_agree_with_datetime(time: datetime, other: datetime, relation: str):
    plan = parse(f"ce_time {relation} '{other.isoformat()}'")
    event = event_with(time=time.isoformat())
    assert {rings(plan, event) for rings in EVALUATORS} == {RELATIONS[relation](time, other)}


@given(NEAR, NEAR, NEAR)
def test_between_and_in_agree_with_datetime(time: datetime, low: datetime, high: datetime):
    event = event_with(time=time.isoformat())
    between = parse(f"ce_time BETWEEN '{low.isoformat()}' AND '{high.isoformat()}'")
    among = parse(f"ce_time IN ('{low.isoformat()}', '{high.isoformat()}')")
    assert {rings(between, event) for rings in EVALUATORS} == {low <= time <= high}
    assert {rings(among, event) for rings in EVALUATORS} == {time in (low, high)}


def test_however_it_is_written_it_is_one_predicate_that_an_index_serves():
    one, other = (
        parse("ce_time < '2026-01-31T13:00:00+01:00'"),
        parse("'2026-01-31T12:00:00.000Z' > ce_time"),
    )
    assert one == other
    predicate = condition_of(one).expression
    assert isinstance(predicate, Ordered)
    assert predicate.path == (ENVELOPE, "time", INSTANT)


SHOWN = {
    "'2026-01-31T13:00:00+01:00' > ce_time": "ce_time < '2026-01-31T12:00:00Z'",
    "ce_time NOT IN ('2026-01-31T12:00:00Z')": "NOT ce_time IN ('2026-01-31T12:00:00Z')",
    "ce_time BETWEEN '2026-01-31T12:00:00Z' AND x": "ce_time >= '2026-01-31T12:00:00Z' AND ce_time <= x",
}


@pytest.mark.parametrize(("text", "shown"), SHOWN.items())
def test_a_time_is_shown_as_it_can_be_written(text: str, shown: str):
    assert selector_text(condition_of(parse(text)).expression) == shown
    assert selector_text(condition_of(parse(shown)).expression) == shown


@pytest.mark.parametrize("few", [0, 99])
@pytest.mark.parametrize("instants", [True, False], ids=["timestamps", "texts"])
def test_columns_of_times(few: int, instants: bool):
    times = ["2026-01-31T12:00:00Z", None, "2026-01-31T13:00:00+01:00", "2026-02-01T00:00:00Z"]
    micros = [1769860800000000, None, 1769860800000000, 1769904000000000]
    column = pa.array(micros, pa.int64()) if instants else pa.array(times)
    names = {(ENVELOPE, "time", INSTANT) if instants else (ENVELOPE, "time"): "time"}
    given_events = [event_with(**({"time": time} if time else {})) for time in times]
    batch = ArrowBatch(pa.table({"time": column}), names, given_events.__getitem__)
    texts = [
        "ce_time = '2026-01-31T12:00:00Z'",
        "ce_time > '2026-01-31T12:00:00Z'",
        "ce_time <> '2026-01-31T12:00:00Z'",
    ]
    nodes = [condition_of(parse(text)).expression for text in texts]
    expected = [(0, "0"), (2, "0"), (3, "1"), (3, "2")]
    assert pairs(subscribed(Matcher(few=few), nodes), batch) == expected


def test_milliseconds_of_a_column():
    event: Event = event_with(time="1969-12-31T23:59:59.9995Z")
    batch = ArrowBatch(
        pa.table({"time": [event.envelope["time"]]}),
        {(ENVELOPE, "time"): "time"},
        [event].__getitem__,
    )
    path = (ENVELOPE, "time", "milliseconds")
    assert batch.value(path, 0) == event.attribute(path) == -1
