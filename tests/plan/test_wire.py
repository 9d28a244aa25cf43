"""The wire form: the same plan back, and nothing but plans."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from tests.strategies import boolean_nodes
from tocsin.errors import Problem
from tocsin.plan.nodes.atoms import BooleanNode, Condition, IsNull
from tocsin.plan.nodes.composites import (
    Absence,
    AfterInstant,
    AfterWindow,
    AtRegion,
    BetweenWindow,
    DuringWindow,
    Either,
    End,
    FixedWindow,
    Join,
    Moment,
    Named,
    Near,
    Only,
    Part,
    PartAttribute,
    Plan,
    Policy,
    Precedes,
    Related,
    atoms_of,
)
from tocsin.plan.passes import prepared
from tocsin.plan.wire.wire import plan_from_json, plan_to_json
from tocsin.values.space import SpatialRelation

A, B = Condition(IsNull(("a",))), Condition(IsNull(("b",)))
SAME_ID = Related(PartAttribute("x", ("id",)), "=", PartAttribute("y", ("id",)))
COMPOSITES: tuple[Part, ...] = (
    Join((A, B), (Precedes(Moment(0, End.FINISH), Moment(1, End.START), 5),), Policy.CHRONICLE),
    Join((Named("x", A), Named("y", B), A), (Near(0, SpatialRelation.NEARER, 1, 100.0), SAME_ID)),
    Either((A, B)),
    Only(Join((A, B)), AtRegion(SpatialRelation.INSIDE, "POLYGON ((0 0, 1 0, 1 1, 0 0))")),
    Only(Only(A, DuringWindow(0, 10)), AfterInstant(5)),
    Absence(Named("y", B), AfterWindow(Named("x", A), 10), (SAME_ID,)),
    Absence(B, FixedWindow(0, 10)),
    Absence(A, BetweenWindow(A, B)),
)


@given(boolean_nodes())
def test_a_plan_survives_the_wire(node: BooleanNode) -> None:
    plan = Plan(Condition(node))
    assert plan_from_json(plan_to_json(plan)) == plan


@pytest.mark.parametrize("part", COMPOSITES, ids=lambda part: type(part).__name__)
def test_composites_survive_the_wire_and_the_passes(part: Part) -> None:
    plan = Plan(part)
    assert plan_from_json(plan_to_json(plan)) == plan
    assert prepared(plan) == plan
    assert set(atoms_of(part)) <= {A, B}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"tocsin-plan": 2, "plan": {}}',
        '{"tocsin-plan": 1, "plan": {"node": "Exec"}}',
        '{"tocsin-plan": 1}',
    ],
)
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(Problem):
        plan_from_json(text)


def test_a_wrong_member_is_refused() -> None:
    body = json.loads(plan_to_json(Plan(A)))
    body["plan"]["pattern"]["expression"]["colour"] = "red"
    with pytest.raises(Problem, match="IsNull"):
        plan_from_json(json.dumps(body))
