"""Wire form of a plan: JSON with a version, read back as the same plan. Unknown nodes fail.

Plans that differ only in their constants share one reader, by their shape: the wire form with a
hole for the value of each constant. The text has the values first, then the shape: `[7,"x"]`, a
line feed, `{"tocsin-plan":1,...}`. A part without a hole is read once and shared by all plans of a
shape. A plan that refers to knowledge, or has no constant, is written in the ordinary form; both
forms are read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

from tocsin.errors import MeaningProblem, Problem
from tocsin.knowledge.concepts import concept
from tocsin.knowledge.concepts.assertions import World
from tocsin.knowledge.concepts.tbox import TBox
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes import atoms, composites, concepts, expressions, graphs
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.semantics.extent import require_levels, too_deep
from tocsin.plan.xml import construction, paths, row_terms
from tocsin.plan.xml import xml_patterns as blocks
from tocsin.values.like import LikePattern, Wild
from tocsin.values.scalars import Constant, Kind
from tocsin.values.space import Metric, SpatialRelation
from tocsin.values.terms import Iri, Literal
from tocsin.values.truth import Truth

VERSION = 3
"""Current version. Version 2 adds keys, counting, changes and selected values; version 3 several
measures of one window, and conditions between the variables of a graph. A plan is written in the
first version that can express it, which every later version reads.
"""

_VERSIONS = (1, 2, 3)
_SINCE_2 = {"by": (), "select": (), "whole": False}
_SINCE_3: dict[str, Any] = {"also": (), "across": None}
_LEFT_OUT = _SINCE_2 | _SINCE_3
"""Fields that version 1 did not have, with the values for which they are left out."""


def plan_to_json(plan: composites.Plan) -> str:
    """Return the plan as one line of JSON."""
    return wire_text(plan_body(plan))


def plan_body(plan: composites.Plan) -> dict[str, Any]:
    """Return the JSON object of a plan."""
    body = _encode(plan)
    return {"tocsin-plan": _version_of(body), "plan": body}


def wire_text(body: Any) -> str:
    """Return JSON in one line, without escapes for non-ASCII characters."""
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False)


def plan_from_json(text: str, knowledge: Iterable[Ontology | TBox] = ()) -> composites.Plan:
    """Return the plan of a wire text; raise if it is malformed or of another version.

    Ontologies and TBoxes go by their fingerprints on the wire; `knowledge` must have those of the
    plan.
    """
    plan = _Decoder({each.fingerprint: each for each in knowledge}).value(body_of(text))
    if not isinstance(plan, composites.Plan):
        raise malformed_plan_problem("the text holds no plan")
    return plan


def body_of(text: str) -> Any:
    """Return the body of the plan in a wire text; raise if it is malformed or nests too deep."""
    try:
        body = json.loads(text)
    except RecursionError:
        raise too_deep() from None
    except ValueError as error:
        raise malformed_plan_problem(f"not JSON: {error}") from None
    require_levels(body)
    if not isinstance(body, dict) or body.get("tocsin-plan") not in _VERSIONS:
        raise malformed_plan_problem(f"expected a plan of wire version {VERSION} or before")
    return body.get("plan")


def node_of(body: Mapping[str, Any]) -> Any:
    """Return the node of an object that refers to no knowledge."""
    return _Decoder({}).value(body)


def class_of(name: str) -> type:
    """Return the class of a node by its name on the wire."""
    node = _NODES.get(name)
    if node is None:
        raise malformed_plan_problem(f"unknown node {name!r}")
    return node


def _classes(*modules: Any) -> dict[str, type]:
    """Return the node and enum classes that the modules themselves define."""
    return {
        name: each
        for module in modules
        for name, each in vars(module).items()
        if isinstance(each, type) and each.__module__ == module.__name__
    }


_MODULES = (
    *(atoms, blocks, composites, concepts, construction, expressions, graphs, concept),
    *(paths, row_terms),
)
_NODES: dict[str, type] = _classes(*_MODULES) | {
    each.__name__: each
    for each in (
        Constant,
        Iri,
        Kind,
        LikePattern,
        Literal,
        Metric,
        SpatialRelation,
        Truth,
        Wild,
        World,
    )
}
_MEMBERS = {name: dict(each.__members__) for name, each in _NODES.items() if issubclass(each, Enum)}
_PLAIN = frozenset((str, int, float, bool, type(None)))


def _encode(value: Any) -> Any:
    if isinstance(value, Ontology | TBox):
        return {"knowledge": value.fingerprint}
    if isinstance(value, Enum):
        return {"node": type(value).__name__, "name": value.name}
    if is_dataclass(value):
        said = {each.name: getattr(value, each.name) for each in fields(value)}
        body = {
            name: _encode(each)
            for name, each in said.items()
            if name not in _LEFT_OUT or each != _LEFT_OUT[name]
        }
        return {"node": type(value).__name__, **body}
    if isinstance(value, tuple):
        return [_encode(item) for item in value]
    if isinstance(value, frozenset):
        return {"set": sorted((_encode(item) for item in value), key=json.dumps)}
    if isinstance(value, float) and math.isinf(value):
        return {"infinity": 1 if value > 0 else -1}
    return value


def _version_of(body: Any) -> int:
    """Return the first version that can express the body."""
    if isinstance(body, list):
        return max(map(_version_of, body), default=1)
    if not isinstance(body, dict):
        return 1
    if not _SINCE_3.keys().isdisjoint(body):
        return 3
    is_new = body.get("node") in _NODES_SINCE_2 or not _SINCE_2.keys().isdisjoint(body)
    return max([2 if is_new else 1, *map(_version_of, body.values())])


_NODES_SINCE_2 = {
    *_classes(expressions),
    *("Gathered", "Sliding", "Change", "Fulfilling", "Keyed", "Share"),
}


class _Decoder:
    """Decoder of values; ontologies and TBoxes go by their fingerprints."""

    def __init__(self, knowledge: Mapping[str, Ontology | TBox]) -> None:
        self._knowledge = knowledge

    def value(self, value: Any) -> Any:
        kind = type(value)
        if kind is list:
            return self._items(value)
        if kind is not dict:
            return value
        if "node" in value:
            return self._node(value)
        if "set" in value:
            return frozenset(self._items(value["set"]))
        if "infinity" in value:
            return math.inf * value["infinity"]
        return self._known(value["knowledge"]) if "knowledge" in value else self._node(value)

    def _items(self, items: list[Any]) -> tuple[Any, ...]:
        """Return the values of a list; a loop, because a comprehension takes one stack frame."""
        found = []
        for item in items:
            found.append(item if type(item) in _PLAIN else self.value(item))
        return tuple(found)

    def _known(self, fingerprint: str) -> Ontology | TBox:
        if fingerprint not in self._knowledge:
            raise MeaningProblem(
                f"the plan needs the knowledge with fingerprint {fingerprint}",
                code="PlanFormatError",
                token=fingerprint,
                hint="give the ontology that the plan was made with",
            )
        return self._knowledge[fingerprint]

    def _node(self, body: dict[str, Any]) -> Any:
        name = body.get("node", "")
        node = _NODES.get(name)
        if node is None:
            raise malformed_plan_problem(f"unknown node {body.get('node')!r}")
        try:
            if name in _MEMBERS:
                return _MEMBERS[name][body["name"]]
            given: dict[str, Any] = {}
            for member, item in body.items():
                given[member] = item if type(item) in _PLAIN else self.value(item)
            del given["node"]
            return node(**given)
        except (KeyError, TypeError, ValueError) as error:
            raise malformed_plan_problem(f"{body.get('node')}: {error}") from None


def malformed_plan_problem(message: str) -> Problem:
    """Return the problem of a text that is not a plan."""
    return MeaningProblem(message, code="PlanFormatError")


# Plans by their shapes.

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
