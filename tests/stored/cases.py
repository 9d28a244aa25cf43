"""Plans with events, in which every kind of node stands: written down for every version, and read
by all later ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from tests.builders import event_json
from tests.scenarios.loading import Scenario, scenarios
from tests.timelines import kind
from tocsin.catalog import Definition, Subscription, compile_subscription
from tocsin.engine.engine import Engine
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
    PartAttribute,
    Plan,
    Policy,
    Related,
    Sliding,
    Stands,
    Triggered,
    Waiting,
)
from tocsin.plan.nodes.expressions import (
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
)
from tocsin.plan.passes.settings import with_settings
from tocsin.plan.wire import wire
from tocsin.values.scalars import Constant
from tocsin.values.space import SpatialRelation

FILES = ("opsl.toml", "graph.toml", "concept.toml", "exmlql.toml")
A, B, C = (kind(letter) for letter in "abc")

TEXTS = (
    ("selector", "v > 1 AND NOT kind IN ('a', 'c') OR w BETWEEN 1 AND 2"),
    ("selector", "kind LIKE 'a%' AND v IS NOT NULL AND v + w * 2 > 3"),
    ("selector", "kind >= 'b' AND v <> 2"),
    ("graph", "ASK { _:H v ?1 . FILTER((?1 > 0 && ?1 < 2) || !(?1 = 1)) }"),
    ("concept", "exists kind.Thing or exists v.Nothing"),
    ("exmlql", "WHERE <v>$x</> #A <w>$y</> #B $x < $y #A ; #B CONSTRUCT <o>text<x>$x</></>"),
    ("exmlql", "WHERE <v>$x</> #A <w>$y</> #B $x < $y #A ; #B ~> #B"),
    ("graph", "ASK { _:H v ?1 ; w ?2 . FILTER(?1 < ?2 && (regex(?1, '2') || ?2 > 5)) }"),
)
_SAME = Related(PartAttribute("x", ("v",)), "=", PartAttribute("y", ("v",)))
_SUM = Call("SUM", (Attribute(("y", "v")),))
_V = (("v",),)
MEASURED: tuple[Part, ...] = (
    Gathered(Named("y", B), AfterWindow(A, 9), 1, None, by=_V),
    Gathered(
        Named("y", B), AfterWindow(A, 9), 2, 3, (Satisfies(Call(">=", (_SUM, _SUM))), Lasts(12))
    ),
    Gathered(Named("y", B), BetweenWindow(A, C), 1, 2),
    Gathered(B, BeforeWindow(C, 9, whole=True), 1, 3, limit=9),
    *(Sliding(B, Measure(Aggregate.COUNT), ">=", 1, 4, ring=ring, by=_V) for ring in Ring),
    *(
        Sliding(B, Measure(each, ("v",)), ">=", 1, 4)
        for each in Aggregate
        if each is not Aggregate.COUNT
    ),
    Sliding(B, Measure(Aggregate.COUNT), "<", 2, 4, 2, Ring.EVERY_TIME),
    Sliding(B, Measure(Aggregate.COUNT), "<", 2, 4, by=_V),
    Change(B, kind("b"), True, _V),
    Change(B, Condition(Ordered(("v",), ">", Constant.of(1))), False),
    Only(
        Join((Named("x", A), Named("y", B)), by=_V),
        Fulfilling((Apart("x", SpatialRelation.WITHIN, "y", 1.0, negated=True),)),
    ),
    Only(B, Keyed(_V)),
    Sliding(
        B,
        Measure(Aggregate.COUNT),
        ">=",
        2,
        9,
        also=(MeasureCondition(Measure(Aggregate.SUM, ("v",)), ">", 2),),
    ),
)
"""What a rule says beyond the languages of the papers."""

PARTS: tuple[Part, ...] = (
    *(Join((A, B), policy=policy) for policy in Policy),
    *(Absence(C, BetweenWindow(A, B), policy=policy) for policy in Policy),
    *(Triggered(Join((A, B)), C, waiting, 5) for waiting in Waiting),
    *(
        Join((A, B), (Stands(0, relation, 1),), Policy.CHRONICLE)
        for relation in ("During", "UnMeets")
    ),
    Join((Named("x", A), Named("y", B)), (_SAME,)),
    Join((Join((Named("x", A), Named("y", B)), keep=4), Join((Named("x", A), C), keep=6))),
    Absence(Named("y", B), AfterWindow(Named("x", A), 3), (_SAME,)),
    Absence(Join((A, B)), AfterWindow(C, 3)),
    Absence(B, BeforeWindow(A, 3)),
    Absence(B, EveryWindow(3)),
    *MEASURED,
)
"""What the scenarios leave out, or have in one policy only."""


@dataclass(frozen=True, slots=True)
class Case:
    """A plan, the knowledge that it speaks of, and a timeline."""

    name: str
    plan: Plan
    events: tuple[dict[str, Any], ...]
    definitions: tuple[Definition, ...] = ()


def cases() -> Iterator[Case]:
    """Every part above, and of the scenarios those that have a kind of node, or of state, that none
    before them has.
    """
    found = [*_written_parts(), *_written_texts()]
    known = frozenset().union(*map(kinds_in, found))
    yield from found
    for file in FILES:
        for scenario in scenarios(file):
            case = _of_scenario(file, scenario)
            new = kinds_in(case) - known
            if new and scenario.events and "over" not in scenario.facts:
                known |= new
                yield case


def kinds_in(case: Case) -> frozenset[str]:
    """The kinds of plan nodes, and of nodes at work, in a case."""
    engine = Engine()
    engine.add("s", case.plan)
    at_work = {type(node).__name__ for node in engine._network.operators}
    return node_kinds(json.loads(wire.plan_to_json(case.plan))) | at_work


def node_kinds(body: Any) -> frozenset[str]:
    """The kinds of nodes in a wire form."""
    if isinstance(body, list):
        return frozenset().union(*map(node_kinds, body))
    if not isinstance(body, dict):
        return frozenset()
    own = (
        {f"{body['node']}.{body['name']}" if _is_value(body) else str(body["node"])}
        if "node" in body
        else set()
    )
    return frozenset(own).union(*map(node_kinds, body.values()))


def _is_value(body: dict[str, Any]) -> bool:
    return set(body) == {"node", "name"} and issubclass(wire._NODES[body["node"]], Enum)


def timeline() -> tuple[dict[str, Any], ...]:
    """Events of three kinds, some at the same time, one that lasts."""
    rows = (
        (0, 0, "a", 1),
        (1, 1, "b", 1),
        (1, 1, "c", 2),
        (3, 3, "a", 2),
        (2, 5, "b", 2),
        (6, 6, "b", 1),
        (9, 9, "c", 1),
    )
    return tuple(_event(number, *row) for number, row in enumerate(rows))


def _event(number: int, start: int, end: int, letter: str, value: int) -> dict[str, Any]:
    return event_json(
        f"{letter}{number}",
        "test",
        source="stored",
        time=start,
        endtime=end,
        place=f"POINT ({number} 0)",
        data={"kind": letter, "v": value, "w": number},
    )


def _written_parts() -> Iterable[Case]:
    for number, part in enumerate(PARTS):
        told = (Selected("sum", _SUM),) if isinstance(part, Gathered) else ()
        plan = with_settings(Plan(part, select=told), None, 1_000_000)
        yield Case(f"part-{number:02}-{type(part).__name__.lower()}", plan, timeline())


def _written_texts() -> Iterable[Case]:
    for number, (language, text) in enumerate(TEXTS):
        plan = compile_subscription(Subscription("s", language, text))
        yield Case(f"text-{number}-{language}", plan, timeline())


def _of_scenario(file: str, scenario: Scenario) -> Case:
    plan = compile_subscription(scenario.subscription, scenario.definitions)
    knowledge = tuple(each for each in scenario.definitions if each.ontology)
    name = re.sub(r"\W+", "-", f"{file.removesuffix('.toml')} {scenario.name}").strip("-").lower()
    return Case(name[:80], plan, scenario.events, knowledge)
