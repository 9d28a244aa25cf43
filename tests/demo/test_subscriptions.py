"""The subscriptions of the demo: all compile, their script can be followed, and over a day they
ring.
"""

from __future__ import annotations

import pytest
from tocsin_demo.board import Row
from tocsin_demo.story import Story
from tocsin_demo.subscriptions import (
    COMBINING,
    definitions,
    during_the_day,
    ever,
    from_the_start,
)

from tests.demo.counting import Expected, expected_of
from tocsin.catalog import Subscription, compile_subscription, problems_of
from tocsin.plan.nodes.atoms import Atom


@pytest.fixture(scope="module")
def day() -> Expected:
    return expected_of(Story(12_000, seed=7))


@pytest.mark.parametrize("subscription", list(ever()), ids=lambda each: each.id)
def test_every_subscription_compiles(subscription: Subscription) -> None:
    assert problems_of(subscription, definitions()) == []


def test_who_combines_events_is_known_by_name() -> None:
    plans = {each.id: compile_subscription(each, definitions()) for each in ever()}
    assert {id_ for id_, plan in plans.items() if not isinstance(plan.pattern, Atom)} == COMBINING


def test_there_are_a_few_dozen_and_no_id_is_used_twice() -> None:
    ids = [each.id for each in ever()]
    assert len(ids) == len(set(ids))
    assert len(from_the_start()) >= 24


def test_what_is_removed_during_the_day_is_there_before() -> None:
    present = {each.id for each in from_the_start()}
    for change in during_the_day():
        assert set(change.remove) <= present
        present = (present - set(change.remove)) | {each.id for each in change.add}


def test_changes_come_at_hours_where_every_cut_of_the_day_has_a_seam() -> None:
    assert all(change.hour % 2 == 0 and 0 < change.hour < 24 for change in during_the_day())


def test_over_a_day_every_subscription_rings(day: Expected) -> None:
    assert {each.id for each in ever()} == set(day.rings())


def test_every_dialect_rings(day: Expected) -> None:
    rung = {Row(each).dialect for each in ever() if day.rings()[each.id]}
    assert rung == {"rule", "selector", "jms", "cesql", "opsl", "graph", "concept", "exmlql"}


def test_the_day_rings_often_enough_to_watch_and_seldom_enough_to_read(day: Expected) -> None:
    assert 0.02 < len(day.matches) / day.events < 0.3
