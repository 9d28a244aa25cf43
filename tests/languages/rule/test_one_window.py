"""Measures of one window ring when all of them hold at one instant, worked out by hand."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

import tocsin
from tests.builders import event_json

Timeline = Sequence[tuple[int, int]]
"""Seconds and values of the events, each second once."""

OVER = 5
RELATIONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}
MEASURES: dict[str, Callable[[list[int]], float | None]] = {
    "COUNT(b)": len,
    "COUNT(DISTINCT b.v)": lambda values: len(set(values)),
    "SUM(b.v)": lambda values: sum(values) if values else None,
    "AVG(b.v)": lambda values: sum(values) / len(values) if values else None,
    "MIN(b.v)": lambda values: min(values, default=None),
    "MAX(b.v)": lambda values: max(values, default=None),
}
CONDITIONS = st.lists(
    st.tuples(st.sampled_from(list(MEASURES)), st.sampled_from(list(RELATIONS)), st.integers(0, 6)),
    min_size=2,
    max_size=4,
)
TIMELINES = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 4)), unique_by=lambda each: each[0], max_size=8
).map(sorted)


@settings(max_examples=200, deadline=None)
@given(conditions=CONDITIONS, timeline=TIMELINES)
def test_all_hold_at_the_instant_that_rings(
    conditions: list[tuple[str, str, int]], timeline: list[tuple[int, int]]
) -> None:
    asked = " AND ".join(f"{name} {sign} {limit} OVER {OVER}s" for name, sign, limit in conditions)

    def holds(second: int) -> bool:
        values = [value for at, value in timeline if second - OVER < at <= second]
        found = [(MEASURES[name](values), sign, limit) for name, sign, limit in conditions]
        return all(
            value is not None and RELATIONS[sign](value, limit) for value, sign, limit in found
        )

    seconds = sorted({due for at, _ in timeline for due in (at, at + OVER)})
    first = timeline[0][0] if timeline else 0
    expected = [each for each in seconds if holds(each) and not (each > first and holds(each - 1))]
    assert _rung(f"WHEN {asked}", timeline) == expected


def _rung(rule: str, timeline: Timeline) -> list[int]:
    hub = tocsin.Hub(lateness="0s")
    hub.subscribe(rule, language="rule", id="r")
    found = [match for at, value in timeline for match in hub.publish(_event(at, value))]
    found += hub.advance_to("2026-01-01T00:01:00Z")
    return [match.end // 1_000_000 % 60 for match in found if match.end is not None]


def _event(second: int, value: int) -> dict[str, object]:
    return event_json(f"b{second}", "b", second, data={"v": value})
