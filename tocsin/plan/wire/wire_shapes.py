"""Plans by their shapes: plans that differ only in their constants share one reader.

A shape is the wire form of a plan with a hole for the value of each constant. The text has the
values first, then the shape: `[7,"x"]`, a line feed, `{"tocsin-plan":1,...}`. A part without a hole
is read once and shared by all plans of a shape. A plan that refers to knowledge, or has no
constant, is written in the ordinary form; both forms are read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

from tocsin.knowledge.concepts.tbox import TBox
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.wire.wire import (
    body_of,
    class_of,
    malformed_plan_problem,
    node_of,
    plan_body,
    plan_from_json,
    wire_text,
)
from tocsin.values.scalars import Constant

_MAX_CACHED_SHAPES = 4_096
"""Shapes in the cache at most; one takes some kilobytes."""

_HOLE = "hole"
_SCALARS = frozenset((str, int, float, bool))

Values = Sequence[Any]
Maker = Callable[[Values], Any]


def plan_to_shape_text(plan: Plan) -> str:
    """Return the plan as values and shape; in the ordinary form if it has no shape."""
    body = plan_body(plan)
    values: list[Any] = []
    shape = wire_text(_with_holes(body, values))
    speaks_of_knowledge = '"knowledge":' in shape
    if not values or speaks_of_knowledge:
        return wire_text(body)
    return f"{wire_text(values)}\n{shape}"


def plan_from_text(text: str, knowledge: Iterable[Ontology | TBox] = ()) -> Plan:
    """Return the plan of a text in either form; raise if it is neither."""
    if not text.startswith("["):
        return plan_from_json(text, knowledge)
    said, _, shape = text.partition("\n")
    values = json.loads(said)
    reader = _reader_of(shape)
    if len(values) != reader.holes or not _SCALARS.issuperset(map(type, values)):
        raise malformed_plan_problem("the values do not fit the shape")
    plan = reader.make(values)
    if not isinstance(plan, Plan):
        raise malformed_plan_problem("the text holds no plan")
    return plan


@dataclass(frozen=True, slots=True)
class _ShapeReader:
    """Reader of a shape: its number of values, and the function that makes a plan of them."""

    holes: int
    make: Maker


@lru_cache(maxsize=_MAX_CACHED_SHAPES)
def _reader_of(shape: str) -> _ShapeReader:
    body = body_of(shape)
    return _ShapeReader(shape.count(f'{{"{_HOLE}":'), _maker(body))


def _with_holes(value: Any, values: list[Any]) -> Any:
    """Return the same with a hole for each value of a constant; the values are appended to
    `values`.
    """
    if isinstance(value, list):
        return [_with_holes(each, values) for each in value]
    if not isinstance(value, dict):
        return value
    if value.get("node") == Constant.__name__ and type(value["value"]) in _SCALARS:
        values.append(value["value"])
        return value | {"value": {_HOLE: len(values) - 1}}
    return {name: _with_holes(each, values) for name, each in value.items()}


def _has_hole(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_has_hole, value))
    return isinstance(value, dict) and (_HOLE in value or any(map(_has_hole, value.values())))


def _maker(value: Any) -> Maker:
    """Return the function that makes this part of a plan from the plan's values."""
    if not _has_hole(value):
        same = node_of(value)
        return lambda values: same
    if isinstance(value, list):
        return _tuple_maker(value)
    if _HOLE in value:
        place = value[_HOLE]
        return lambda values: values[place]
    if "set" in value:
        elements = _tuple_maker(value["set"])
        return lambda values: frozenset(elements(values))
    return _node_maker(value)


def _tuple_maker(items: list[Any]) -> Maker:
    makers = list(map(_maker, items))
    return lambda values: tuple([make(values) for make in makers])


def _node_maker(body: dict[str, Any]) -> Maker:
    """Return the maker of a node, its members in order; members without a hole are made once."""
    node = class_of(body["node"])
    given = {name: each for name, each in body.items() if name != "node"}
    names = [each.name for each in fields(node) if each.name in given]
    if len(names) < len(given) or names != [each.name for each in fields(node)][: len(names)]:
        return _named_maker(node, given)
    fixed = [None if _has_hole(given[name]) else node_of(given[name]) for name in names]
    holes = [
        (place, _maker(given[name])) for place, name in enumerate(names) if _has_hole(given[name])
    ]

    def make(values: Values) -> Any:
        members = fixed.copy()
        for place, maker in holes:
            members[place] = maker(values)
        return node(*members)

    return make


def _named_maker(node: type, given: dict[str, Any]) -> Maker:
    """Return the maker of a node that leaves out members before others that it has."""
    makers = {name: _maker(each) for name, each in given.items()}
    return lambda values: node(**{name: make(values) for name, make in makers.items()})
