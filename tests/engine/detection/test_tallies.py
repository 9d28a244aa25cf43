"""Measures that are kept up to date are those of what is there, to the bit."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.builders import build_unread_event
from tocsin.engine.detection.accumulators import ACCUMULATORS
from tocsin.events.event import Event
from tocsin.plan.nodes.expressions import Aggregate, Measure
from tocsin.plan.semantics.condition_evaluation import measure_value
from tocsin.reference.measures import compute_measure

VALUES = st.one_of(
    st.integers(-5, 5),
    st.floats(allow_nan=False),
    st.sampled_from(
        [0.1, 0.2, 0.3, 1e308, -1e308, 5e-324, 2.0, 2**53 + 1, 10**400, True, "1", None]
    ),
    st.sampled_from([math.inf, -math.inf, math.nan, [1], {"x": 1}]),
)


def holding(number: int, value: Any) -> Event:
    return build_unread_event({"v": value}, id=number)


@pytest.mark.parametrize("aggregate", list(Aggregate), ids=lambda each: each.name)
@given(st.lists(st.tuples(st.booleans(), VALUES), max_size=30))
@example([(False, -math.inf), (False, 1e308), (False, 1e308), (False, 0.5)])
@example([(False, 1e308), (False, 1e308), (False, -1e308), (False, 0.5)])
def test_what_is_kept_up_to_date_is_what_is_there(
    aggregate: Aggregate, moves: list[tuple[bool, Any]]
) -> None:
    tally, there = ACCUMULATORS[aggregate](), deque[Event]()
    measure = Measure(aggregate, () if aggregate is Aggregate.COUNT else ("v",))
    for number, (drops, value) in enumerate(moves):
        if drops and there:
            tally.drop(there.popleft().data["v"])  # type: ignore[index, call-overload]
        else:
            there.append(holding(number, value))
            tally.add(value)
        found, expected = tally.value(), compute_measure(measure, list(there))
        assert (found, type(found)) == (expected, type(expected))
        at_once = measure_value(measure, list(there))
        assert (at_once, type(at_once)) == (expected, type(expected))


def test_work_does_not_grow_with_what_is_there() -> None:
    """A monotone queue holds no more than falls to it: each number enters and leaves it once."""
    tally = ACCUMULATORS[Aggregate.MAX]()
    for number in range(10_000):
        tally.add(number)
    assert len(tally._line) == 1  # type: ignore[attr-defined]
