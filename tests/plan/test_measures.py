"""New nodes: what cannot be built, the wire form, words, bounds, and values over named parts."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import build_event
from tests.timelines import kind
from tocsin.errors import LimitProblem, MeaningProblem, Problem, StateProblem
from tocsin.events.event import Event
from tocsin.plan.explain.plan import part_lines, state_lines
from tocsin.plan.nodes.atoms import Condition, Ordered
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Change,
    EveryWindow,
    Fulfilling,
    Gathered,
    Join,
    Keyed,
    Named,
    Only,
    Part,
    Plan,
    Sliding,
    is_one_event,
)
from tocsin.plan.nodes.expressions import (
    LONGEST_WINDOW,
    Aggregate,
    Apart,
    Attribute,
    Call,
    Lasts,
    Measure,
    MeasureCondition,
    Ring,
    Satisfies,
    Selected,
    Value,
)
from tocsin.plan.semantics.bounds import bounds_of, keeps_empty_keys, with_horizon
from tocsin.plan.semantics.condition_evaluation import (
    key_of,
    mean,
    measure_value,
    satisfies,
    selected_values,
    total,
)
from tocsin.plan.semantics.occurrence import Occurrence, occurrence_of
from tocsin.plan.wire.wire import plan_from_json, plan_from_text, plan_to_json, plan_to_shape_text
from tocsin.values.scalars import Constant
from tocsin.values.space import SpatialRelation

A, B, C = (kind(letter) for letter in "abc")
HOT = Condition(Ordered(("v",), ">", Constant.of(8)))
COUNT = Measure(Aggregate.COUNT)
SUM = Measure(Aggregate.SUM, ("v",))
BY = (("user",),)
OF_B = Call("SUM", (Attribute(("b", "v")),))
MORE = Satisfies(Call(">", (OF_B, Value(Constant.of(5)))))
PARTS: tuple[Part, ...] = (
    Gathered(Named("b", B), AfterWindow(A, 10), 2, None, by=BY),
    Gathered(Named("b", B), BetweenWindow(A, C), 1, 2, (MORE, Lasts(9)), keep=7, limit=5),
    Gathered(B, BeforeWindow(A, 10, whole=True), 2, 2),
    Sliding(B, COUNT, ">=", 3, 10, by=BY),
    Sliding(B, SUM, "<", 2.5, 10, every=5, ring=Ring.EVERY_TIME),
    Sliding(B, COUNT, "<", 3, 10, ring=Ring.ONCE, keep=4),
    Change(A, HOT, True, BY, keep=4),
    Change(A, HOT, False, keep=4),
    Only(Named("a", A), Fulfilling((Apart("a", SpatialRelation.WITHIN, "a", 3.0, negated=True),))),
    Only(A, Keyed(BY)),
    Join((A, B), (Lasts(3),), by=BY),
    Absence(B, BeforeWindow(A, 10, whole=True), by=BY),
)


@pytest.mark.parametrize("part", PARTS)
def test_the_wire_form_gives_the_same_plan_back(part: Part) -> None:
    plan = Plan(part, select=(Selected("total", OF_B),))
    text = plan_to_json(plan)
    assert plan_from_json(text) == plan
    assert json.loads(text)["tocsin-plan"] == 2


def test_what_the_first_version_could_say_is_written_as_it_was() -> None:
    plan = Plan(Join((A, Absence(B, BeforeWindow(A, 3)))))
    text = plan_to_json(plan)
    assert json.loads(text)["tocsin-plan"] == 1
    assert all(word not in text for word in ('"by"', '"select"', '"whole"'))
    assert plan_from_json(text) == plan


def test_several_measures_of_one_window_are_version_3() -> None:
    also = (MeasureCondition(SUM, ">", 2.5), MeasureCondition(COUNT, "<", 9))
    plan = Plan(Join((A, Sliding(B, COUNT, ">=", 3, 10, by=BY, also=also))))
    text = plan_to_json(plan)
    assert json.loads(text)["tocsin-plan"] == 3
    assert plan_from_json(text) == plan
    assert plan_from_text(plan_to_shape_text(plan)) == plan
    words = "COUNT >= 3 and SUM of v > 2.5 and COUNT < 9 over 10us, rings on change, for each user"
    assert next(part_lines(plan.pattern.parts[1])) == words  # type: ignore[union-attr]


def test_a_window_rings_empty_only_where_all_measures_hold_of_nothing() -> None:
    few, none = MeasureCondition(COUNT, "<", 3), MeasureCondition(SUM, "<", 3)
    assert keeps_empty_keys(Sliding(B, COUNT, "<", 3, 10, also=(few,)))
    assert not keeps_empty_keys(Sliding(B, COUNT, "<", 3, 10, also=(none,)))
    assert not keeps_empty_keys(Sliding(B, SUM, "<", 3, 10, also=(few,)))


@pytest.mark.parametrize("part", PARTS)
def test_every_new_part_has_words_and_a_bound(part: Part) -> None:
    assert "\n".join(part_lines(part))
    bounded = with_horizon(Plan(part), 100).pattern
    assert all(bound.lifetime is not None for bound in bounds_of(bounded))
    assert list(state_lines(bounded)) or isinstance(part, Only)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (PARTS[0], "2 or more within 10us after (deferred, for each user)"),
        (PARTS[2], "2 within 10us before (deferred)"),
        (PARTS[3], "COUNT >= 3 over 10us, rings on change, for each user"),
        (PARTS[4], "SUM of v < 2.5 over 10us, again every 5us"),
        (PARTS[6], "where the state begins to hold, for each user"),
        (PARTS[10], "together (deferred, for each user)"),
    ],
)
def test_words(part: Part, words: str) -> None:
    assert next(part_lines(part)) == words


def test_state_without_a_bound_is_refused_where_there_is_no_horizon() -> None:
    for part in (
        Change(A, HOT, True),
        Sliding(B, COUNT, "<", 3, 10),
        Gathered(B, BetweenWindow(A, C), 1, 2),
    ):
        with pytest.raises(StateProblem):
            with_horizon(Plan(part), None)
    assert [b.lifetime for b in bounds_of(Sliding(B, COUNT, ">=", 3, 10))] == [10]
    few = with_horizon(Plan(Sliding(B, COUNT, "<", 3, 10)), 90).pattern
    assert [bound.lifetime for bound in bounds_of(few)] == [100]


WRONG = (
    lambda: Gathered(B, AfterWindow(A, 10), 3, 2),
    lambda: Gathered(B, AfterWindow(A, 10), -1, None),
    lambda: Gathered(B, AfterWindow(A, 10), 2, None, limit=3),
    lambda: Gathered(B, EveryWindow(10), 1, 2),  # type: ignore[arg-type]
    lambda: Absence(B, EveryWindow(10), by=BY),
    lambda: Absence(B, AfterWindow(Named("a", A), 3), (Lasts(3),)),
    lambda: Sliding(Join((A, B)), COUNT, ">", 1, 10),
    lambda: Sliding(B, COUNT, "~", 1, 10),
    lambda: Sliding(B, COUNT, ">", 1, 0),
    lambda: MeasureCondition(COUNT, "~", 1),
    lambda: Sliding(B, COUNT, ">", 1, 10, every=0, ring=Ring.EVERY_TIME),
    lambda: Sliding(B, COUNT, ">", 1, 10, every=5),
    lambda: Measure(Aggregate.SUM),
    lambda: Measure(Aggregate.COUNT, ("v",)),
    lambda: Change(Join((A, B)), HOT, True),
    lambda: Apart("a", SpatialRelation.INSIDE, "b", 1.0),
    lambda: Apart("a", SpatialRelation.WITHIN, "b", math.nan),
)


@pytest.mark.parametrize("make", WRONG)
def test_what_means_nothing_cannot_be_built(make: object) -> None:
    with pytest.raises(MeaningProblem):
        make()  # type: ignore[operator]


def test_limits_have_a_reason_and_a_way_out() -> None:
    def too_many() -> Part:
        return Gathered(B, AfterWindow(A, 10), 10_001, None)

    def too_long() -> Part:
        return Sliding(B, COUNT, ">", 1, LONGEST_WINDOW + 1)

    for make, code in ((too_many, "TooManyCounted"), (too_long, "WindowTooLong")):
        with pytest.raises(LimitProblem) as refused:
            make()
        assert refused.value.code == code
        assert refused.value.hint


def test_only_what_is_known_to_be_one_event_is_one() -> None:
    assert is_one_event(Change(Named("a", A), HOT, True))
    assert not is_one_event(Sliding(A, COUNT, ">", 1, 3))


def valued(number: int, **data: object) -> Event:
    return build_event(number, second=number, data=data)


EVENTS = tuple(valued(n, v=v) for n, v in enumerate([2, 0.5, "x", None, True, 2.0, [1]]))


@pytest.mark.parametrize(
    ("aggregate", "value"),
    [("DISTINCT", 4), ("SUM", 4.5), ("AVG", 1.5), ("MIN", 0.5), ("MAX", 2)],
)
def test_what_is_no_number_is_left_out(aggregate: str, value: float) -> None:
    assert measure_value(Measure(Aggregate[aggregate], ("v",)), EVENTS) == value


def test_of_no_number_only_counts_have_a_value() -> None:
    values = {
        each: measure_value(Measure(each, ("v",)), ()) for each in Aggregate if each.name != "COUNT"
    }
    assert {each.name for each, value in values.items() if value is not None} == {"DISTINCT"}
    assert measure_value(COUNT, ()) == 0


NUMBERS = st.lists(
    st.one_of(st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False)),
    min_size=1,
)


@given(NUMBERS)
def test_sums_are_exact_and_rounded_once(numbers: list[int | float]) -> None:
    whole = all(float(each).is_integer() for each in numbers)
    exact = sum(Fraction(each) for each in numbers)
    carried = [int(each) if float(each).is_integer() else each for each in numbers]
    found = total(carried)
    if whole:
        assert found == exact
        return
    try:
        assert found == math.fsum(map(float, numbers))
    except OverflowError:
        assert found is None or math.isfinite(found)


def test_a_mean_is_whole_where_it_divides_evenly() -> None:
    assert [mean(6, 3), mean(7, 2), mean(None, 2), mean(10**400, 3)] == [2, 3.5, None, None]


def group(*members: Event) -> Occurrence:
    return Occurrence(members, members[0].order[0], members[-1].order[0])


def test_values_over_named_parts() -> None:
    names = {"b": group(*EVENTS), "a": occurrence_of(valued(9, v=3, w="x", ok=True))}
    select = {
        "n": Call("COUNT", (Attribute(("b",)),)),
        "sum": OF_B,
        "first": Call("FIRST", (Attribute(("b", "v")),)),
        "last": Call("LAST", (Attribute(("b", "v")),)),
        "skipped": Call("SKIPPED", (Attribute(("b", "v")),)),
        "none skipped": Call("SKIPPED", (Attribute(("a", "v")),)),
        "word": Attribute(("a", "w")),
        "ok": Attribute(("a", "ok")),
        "of several": Attribute(("b", "v")),
        "of nobody": Attribute(("c", "v")),
        "more": Call("+", (Attribute(("a", "v")), OF_B)),
        "since": Call("START", (Attribute(("b",)),)),
        "until": Call("END", (Attribute(("b",)),)),
        "count of nobody": Call("COUNT", (Attribute(("c",)),)),
    }
    told = selected_values([Selected(name, value) for name, value in select.items()], names)
    assert told == {
        "n": "7",
        "sum": "4.5",
        "first": "2",
        "last": "1",
        "skipped": "4",
        "word": "x",
        "ok": "true",
        "more": "7.5",
        "since": "2026-01-01T00:00:00Z",
        "until": "2026-01-01T00:00:06Z",
        "count of nobody": "0",
    }


def test_conditions_over_named_parts_are_true_or_not_met() -> None:
    names = {"b": group(*EVENTS), "a": occurrence_of(valued(9, v=3))}
    assert satisfies(Call(">", (OF_B, Attribute(("a", "v")))), names)
    assert not satisfies(Call(">", (Attribute(("a", "v")), OF_B)), names)
    assert not satisfies(Call("=", (Attribute(("a", "w")), Attribute(("a", "w")))), names)
    assert satisfies(Call("IS NULL", (Attribute(("a", "w")),)), names)
    assert satisfies(Call("LIKE", (Attribute(("x",)), Value(Constant.of("%")))), names) is False


def test_a_key_is_what_all_members_have() -> None:
    one, other, truth = valued(1, k=1, l="x"), valued(2, k=1.0, l="x"), valued(3, k=True, l="x")
    both = (("k",), ("l",))
    assert key_of(both, (one, other)) == (1, "x")
    assert key_of(both, (one, truth)) is None
    assert key_of(both, (valued(4, k=None, l="x"),)) is None
    assert key_of(both, (valued(4, k=[1], l="x"),)) is None
    assert key_of(both, ()) is None


def test_the_wire_refuses_what_is_no_node() -> None:
    text = plan_to_json(Plan(replace(PARTS[3], over=10)))  # type: ignore[type-var]
    for wrong in (
        text.replace('"Sliding"', '"Slide"'),
        text.replace('"relation":">="', '"relation":"~"'),
    ):
        with pytest.raises(Problem):
            plan_from_json(wrong)
