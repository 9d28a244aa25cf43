"""Containment: whoever raises is found, and what the others get does not change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.dead_letter import internal_error
from tocsin.runtime.containment import (
    MAX_FAILURES,
    TRIALS,
    FailureCounter,
    isolate_subscriptions,
    run_by_halves,
    run_with_bisection,
)


class Raising:
    """Doubles numbers, all of a batch or none; raises for the bad ones, and counts how often it is
    asked.
    """

    def __init__(self, bad: set[int]) -> None:
        self.bad = bad
        self.calls = 0

    def __call__(self, items: Sequence[int]) -> list[int]:
        self.calls += 1
        if self.bad.intersection(items):
            raise ValueError(f"bad: {sorted(self.bad.intersection(items))}")
        return [2 * item for item in items]


@given(st.integers(0, 40), st.sets(st.integers(0, 39)))
def test_whoever_raises_fails_and_the_others_are_served_in_order(count: int, bad: set[int]) -> None:
    items = list(range(count))
    found = run_with_bisection(items, Raising(bad))
    doubled = [result for _, results in found.completed for result in results]
    assert doubled == [2 * item for item in items if item not in bad]
    assert [item for item, _ in found.failed] == [item for item in items if item in bad]
    assert all(str(error) == f"bad: [{item}]" for item, error in found.failed)


def test_a_batch_without_faults_is_one_piece_of_work() -> None:
    work = Raising(set())
    assert run_with_bisection([1, 2, 3], work).completed == [([1, 2, 3], [2, 4, 6])]
    assert work.calls == 1
    assert run_with_bisection([], work).completed == []
    assert work.calls == 1


def test_a_cause_that_is_put_away_at_its_first_item_costs_no_more_than_finding_it() -> None:
    work = Raising(set(range(1024)))
    failed, served = [], []
    for part, found in run_by_halves(range(1024), work):
        if isinstance(found, Exception):
            assert isinstance(found, ValueError)
            failed += part
            work.bad.clear()
        else:
            served += part
    assert (failed, served) == ([0], list(range(1, 1024)))
    assert work.calls <= 2 * 11


@given(st.integers(0, 40), st.sets(st.integers(0, 39)))
def test_the_rows_of_an_arrow_batch_are_halved_as_a_list_is(count: int, bad: set[int]) -> None:
    rows = pa.record_batch({"n": pa.array(range(count), pa.int64())})

    def numbers(part: Any) -> list[int]:
        found: list[int] = part.column("n").to_pylist()
        return found

    work = Raising(bad)
    parts = [
        (numbers(part), isinstance(found, Exception))
        for part, found in run_by_halves(rows, lambda part: work(numbers(part)))
    ]
    listed = [
        (list(part), isinstance(found, Exception))
        for part, found in run_by_halves(list(range(count)), Raising(bad))
    ]
    assert parts == listed


@given(st.integers(1, 60), st.sets(st.integers(0, 59), max_size=8))
def test_the_subscriptions_that_raise_are_named(count: int, bad: set[int]) -> None:
    keys = [f"s{number}" for number in range(count)]
    work = Raising(bad)
    found = isolate_subscriptions(keys, lambda group: work([int(key[1:]) for key in group]))
    assert set(found.raised) == {key for key in keys if int(key[1:]) in bad}
    served = sorted(number // 2 for result in found.results for number in result)
    assert served == [number for number in range(count) if number not in bad]
    assert found.rest is None


def test_where_everybody_raises_the_search_ends() -> None:
    work = Raising(set(range(100_000)))
    keys = [f"s{number}" for number in range(100_000)]
    found = isolate_subscriptions(keys, lambda group: work([int(key[1:]) for key in group]))
    assert isinstance(found.rest, ValueError)
    assert work.calls == TRIALS + 1


def test_strikes_count_until_something_rings() -> None:
    strikes = FailureCounter()
    assert [strikes.add("s") for _ in range(MAX_FAILURES)] == [False] * (MAX_FAILURES - 1) + [True]
    strikes.forget("s")
    assert not strikes.add("s")


def test_a_fault_tells_what_where_and_for_whom() -> None:
    event = from_mapping({"id": "1", "source": "s", "type": "t"})
    ((_, error),) = run_with_bisection([5], lambda items: event.attribute(items[0])).failed  # type: ignore[arg-type]
    letter = internal_error(error, (event,), "watch")
    assert letter.code == "InternalError"
    assert letter.input == '{"source": "s", "id": "1"}'
    assert "'watch'" in letter.reason
    assert "TypeError" in letter.reason
    assert "tocsin/events/event.py:" in letter.reason
