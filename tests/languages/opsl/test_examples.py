"""The subscriptions of the specification's worked examples and edge cases, as plans written by
hand.
"""

from __future__ import annotations

import pytest

from tests.languages.opsl.plans import (
    REGION1,
    REGION2,
    SECOND,
    TRUCK,
    A,
    B,
    C,
    D,
    E,
    finish,
    parsed,
    start,
    vehicle,
    x,
    y,
)
from tocsin.plan.nodes.atoms import AllOf, Condition, Equals, Not
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    AtRegion,
    FixedWindow,
    Join,
    Named,
    Near,
    Only,
    Part,
    Precedes,
)
from tocsin.values.scalars import Constant
from tocsin.values.space import SpatialRelation

AT_ONCE = (Precedes(start(1), finish(0), 0, True), Precedes(start(0), finish(1), 0, True))
WITHIN_A_MINUTE = (
    Precedes(finish(0), start(1)),
    Precedes(finish(1), finish(0), -60 * SECOND, True),
)

PAIR_X, PAIR_Y = x(Join((A, B))), y(Join((D, E)))
FIGURE_1 = Join(
    (
        Join((PAIR_X, PAIR_Y), AT_ONCE),
        Join((PAIR_X, PAIR_Y), (Near(1, SpatialRelation.MEETS, 0),)),
    )
)


def convoy(follower: str, leader: str, relation: SpatialRelation) -> Part:
    parts = (Named(follower, vehicle(7)), Named(leader, vehicle(1)))
    return Join((Join(parts, AT_ONCE), Join(parts, (Near(1, relation, 0, 100.0),))))


LEAVES_THE_CONVOY = """=|($e1;;60s)($e2;), $e1; = (|($A;)($B;) && DIST($A;;<;100)($B;)),
$e2; = (|($C;)($D;) && DIST($C;;>;100)($D;)),
$A; = E-A, $B; = E-B, $C; = E-A, $D; = E-B"""

WORKED: dict[str, Part] = {
    "=|(@(Region1)(Truck); 60s)(DIST(Region1; >; 500)(Truck))": Join(
        (
            Only(TRUCK, AtRegion(SpatialRelation.INSIDE, REGION1)),
            Only(TRUCK, AtRegion(SpatialRelation.FARTHER, REGION1, 500.0)),
        ),
        WITHIN_A_MINUTE,
    ),
    "=|(DIST(Region2; >; 200)(Truck); 60s)(@(Region2)(Truck))": Join(
        (
            Only(TRUCK, AtRegion(SpatialRelation.FARTHER, REGION2, 200.0)),
            Only(TRUCK, AtRegion(SpatialRelation.INSIDE, REGION2)),
        ),
        WITHIN_A_MINUTE,
    ),
    LEAVES_THE_CONVOY: Join(
        (
            Named("e1", convoy("A", "B", SpatialRelation.NEARER)),
            Named("e2", convoy("C", "D", SpatialRelation.FARTHER)),
        ),
        WITHIN_A_MINUTE,
    ),
    "|($x;)$y; && OVLP($x;)$y;, $x; = A&&B, $y; = D&&E": FIGURE_1,
}

EDGES: dict[str, Part] = {
    "!(A;10)B": Absence(B, AfterWindow(A, 10_000)),
    "!(A;0)B": Absence(B, AfterWindow(A, 0)),
    "=|(A;B)C": Join((A, B, C), (Precedes(finish(0), start(2)), Precedes(finish(2), start(1)))),
    "OVLP(Region1)A": Only(A, AtRegion(SpatialRelation.MEETS, REGION1)),
    "@(Region1)A": Only(A, AtRegion(SpatialRelation.INSIDE, REGION1)),
    "DIST(Region1;=;5)A": Only(A, AtRegion(SpatialRelation.AT, REGION1, 5.0)),
    "DIST(Region1;<;0)A": Only(A, AtRegion(SpatialRelation.NEARER, REGION1, 0.0)),
    "@(Region1)(!(0;10)B)": Only(
        Absence(B, FixedWindow(0, 10_000)), AtRegion(SpatialRelation.INSIDE, REGION1)
    ),
    "|($x;)$x;, $x; = A": Join((x(A), x(A)), AT_ONCE),
    "$x; && $x;, $x; = A": Join((x(A), x(A))),
    "ARITH: id != 5": Condition(AllOf((Not(Equals(("id",), Constant.of(5))),))),
}


@pytest.mark.parametrize("text", WORKED)
def test_worked_example(text: str) -> None:
    assert parsed(text) == WORKED[text]


@pytest.mark.parametrize("text", EDGES)
def test_edge_case(text: str) -> None:
    assert parsed(text) == EDGES[text]


def test_a_binding_may_stand_in_parentheses() -> None:
    assert parsed("|($x;)$y; && OVLP($x;)$y;, $x; = (A&&B), $y; = (D&&E)") == FIGURE_1


def test_the_order_of_bindings_changes_nothing() -> None:
    assert parsed("|($x;)$y; && OVLP($x;)$y;, $y; = D&&E, $x; = A&&B") == FIGURE_1


def test_a_variable_may_be_bound_to_other_variables() -> None:
    assert parsed("$x;, $x; = $y; && $z;, $y; = $z;, $z; = A") == x(
        Join((y(Named("z", A)), Named("z", A)))
    )


def test_two_variables_of_one_part_are_two_variables() -> None:
    assert parsed("$x; && $y;, $x; = A, $y; = A") == Join((x(A), y(A)))
