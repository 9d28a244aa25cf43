"""Regions asked of single events become part of their atoms, and every pattern occurs exactly as
before.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.timelines import kind, patterns, timelines
from tocsin.errors import MeaningProblem
from tocsin.events.event import Event
from tocsin.plan.explain.atoms import selector_text
from tocsin.plan.nodes.atoms import AllOf, Condition, Equals, Not, PlaceIs
from tocsin.plan.nodes.composites import (
    Absence,
    AtRegion,
    DuringWindow,
    Either,
    FixedWindow,
    Join,
    Named,
    Only,
    Part,
    Plan,
    Policy,
)
from tocsin.plan.passes import prepared
from tocsin.plan.passes.simplify import fold_regions
from tocsin.plan.wire.wire import plan_from_json, plan_to_json
from tocsin.runtime.finite_run import Input, match_events
from tocsin.values.scalars import Constant
from tocsin.values.space import Metric, SpatialRelation

SQUARE = "POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))"
A, B = kind("a"), kind("b")
AT = AtRegion(SpatialRelation.NEARER, SQUARE, 3.0, Metric.WGS84)
HERE = PlaceIs(SpatialRelation.NEARER, SQUARE, 3.0, Metric.WGS84)
WINDOW = DuringWindow(0, 10)


def here(atom: Condition) -> Condition:
    return Condition(AllOf((atom.expression, HERE)))


@pytest.mark.parametrize(
    ("pattern", "folded"),
    [
        (Only(A, AT), here(A)),
        (Only(Only(A, WINDOW), AT), Only(here(A), WINDOW)),
        (Only(Only(A, AT), WINDOW), Only(here(A), WINDOW)),
        (Only(Either((A, Named("x", B))), AT), Either((here(A), Named("x", here(B))))),
        (Join((Only(A, AT), B)), Join((here(A), B))),
        (Absence(Only(A, AT), FixedWindow(0, 5)), Absence(here(A), FixedWindow(0, 5))),
    ],
    ids=[
        "event",
        "above a window",
        "below a window",
        "alternatives",
        "part of a join",
        "absent part",
    ],
)
def test_a_region_is_asked_of_the_event(pattern: Part, folded: Part) -> None:
    assert fold_regions(pattern) == folded


@pytest.mark.parametrize(
    "pattern",
    [
        Only(A, WINDOW),
        Only(Join((A, B)), AT),
        Only(Absence(A, FixedWindow(0, 5)), AT),
        Only(Either((A, Join((A, B)))), AT),
        Join((Only(Named("x", A), AT), Named("x", A))),
    ],
    ids=["window", "join", "absence", "one alternative of several events", "name in two places"],
)
def test_what_a_region_says_of_the_whole_stays(pattern: Part) -> None:
    assert fold_regions(pattern) == pattern


@given(st.sampled_from(list(Policy)).flatmap(patterns), timelines())
def test_folding_changes_no_match(pattern: Part, events: list[Event]) -> None:
    found = match_events({"s": Plan(fold_regions(pattern))}, Input(events))
    assert found == match_events({"s": Plan(pattern)}, Input(events))


def test_a_geofence_is_an_atom_that_says_its_place_and_survives_the_wire() -> None:
    plan = prepared(Plan(Only(A, AT)))
    assert plan.pattern == Condition(AllOf((Equals(("kind",), Constant.of("a")), HERE)))
    assert plan_from_json(plan_to_json(plan)) == plan
    assert selector_text(HERE) == f"place nearer than (3) {SQUARE}"
    assert selector_text(Not(HERE)) == f"NOT place nearer than (3) {SQUARE}"


def test_a_negative_distance_is_refused() -> None:
    with pytest.raises(MeaningProblem, match="0 or more"):
        PlaceIs(SpatialRelation.NEARER, SQUARE, -1.0)
