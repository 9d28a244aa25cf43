"""Wire form of a plan: JSON with a version, read back as the same plan. Unknown nodes fail."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from tocsin.errors import MeaningProblem, Problem
from tocsin.knowledge.concepts import concept
from tocsin.knowledge.concepts.assertions import World
from tocsin.knowledge.concepts.tbox import TBox
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes import atoms, composites, concepts, expression, graphs, measures
from tocsin.plan.semantics.extent import require_levels, too_deep
from tocsin.plan.xml import construction, paths, row_terms, templates
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
    *(atoms, blocks, composites, concepts, construction, expression, graphs, concept),
    *(measures, paths, row_terms, templates),
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
    *_classes(measures),
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
