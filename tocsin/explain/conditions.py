"""Steps for conditions about one event, predicate by predicate: the actual value, and by how much
it misses.
"""

from __future__ import annotations

from typing import Any

from tocsin.events.event import Event
from tocsin.explain.wording import Explanation, ExplanationStep, lasting
from tocsin.plan.explain.atoms import path_text, region_text, relation_text, selector_text
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    Between,
    BooleanNode,
    Equals,
    IsNull,
    Like,
    Not,
    OneOf,
    Ordered,
    PlaceIs,
    Predicate,
    attribute_paths,
    region_of,
)
from tocsin.reference.atoms import truth_of
from tocsin.values.scalars import ENVELOPE, INSTANT, Constant, Kind, Path
from tocsin.values.space import (
    Geometry,
    Metric,
    SpatialRelation,
    distance_between,
)
from tocsin.values.time import format_instant, is_instant
from tocsin.values.truth import Truth

HOLDS = {Truth.TRUE: True, Truth.FALSE: False, Truth.UNKNOWN: None}
LONGEST = 200


def condition_steps(node: BooleanNode, event: Event, depth: int = 0) -> Explanation:
    """Return the truth of every part of a condition.

    The first failure is the first predicate that would have to hold; of alternatives, the one of
    the first.
    """
    match node:
        case AllOf(operands) if len(operands) > 1:
            return _group("all of", node, operands, event, depth)
        case AnyOf(operands) if len(operands) > 1:
            return _group("one of", node, operands, event, depth)
        case AllOf((only,)) | AnyOf((only,)):
            return condition_steps(only, event, depth)
        case Not(AllOf() | AnyOf() | Not() as operand):
            found = Explanation()
            holds = HOLDS[truth_of(node, event)]
            found.add(ExplanationStep("not", holds, depth=depth), fails=holds is not True)
            found.extend(condition_steps(operand, event, depth + 1), fails=False)
            return found
        case _:
            found = Explanation()
            step = _predicate_step(node, event, depth)
            found.add(step, fails=step.holds is not True)
            return found


def _group(
    text: str, node: BooleanNode, operands: tuple[BooleanNode, ...], event: Event, depth: int
) -> Explanation:
    found = Explanation()
    holds = HOLDS[truth_of(node, event)]
    found.add(ExplanationStep(text, holds, depth=depth))
    for each in operands:
        found.extend(condition_steps(each, event, depth + 1), fails=holds is not True)
    return found


def _predicate_step(node: BooleanNode, event: Event, depth: int) -> ExplanationStep:
    holds = HOLDS[truth_of(node, event)]
    predicate, is_negated = (node.operand, True) if isinstance(node, Not) else (node, False)
    if isinstance(predicate, AllOf | AnyOf | Not):
        text = "every event" if isinstance(predicate, AllOf) else "no event"
        return ExplanationStep(text, holds, depth=depth)
    subject, actual = _actual(predicate, event)
    expected = _expected(predicate)
    if is_negated and expected is not None:
        expected = f"not {expected}"
    distance = None if holds or is_negated else _distance(predicate, event)
    return ExplanationStep(selector_text(node), holds, actual, expected, distance, depth, subject)


def _actual(predicate: Predicate, event: Event) -> tuple[str, object]:
    """Return the value that a predicate is about with its name; of several a dict, without name."""
    if isinstance(predicate, PlaceIs):
        return "place", event.place_text
    paths = sorted(attribute_paths(predicate))
    values = {path_text(path): to_display(event.attribute(_as_given(path))) for path in paths}
    return next(iter(values.items())) if len(values) == 1 else ("", values)


def _expected(predicate: Predicate) -> object:
    match predicate:
        case Equals(path, value):
            return _constant(path, value)
        case Ordered(path, relation, limit):
            return f"{relation} {_constant(path, limit)}"
        case Between(path, low, high):
            return f"from {_constant(path, low)} to {_constant(path, high)}"
        case OneOf(path, values):
            return f"one of {', '.join(sorted(str(_constant(path, each)) for each in values))}"
        case Like():
            return f"like {predicate.pattern.text(escape='')}"
        case IsNull():
            return "nothing"
        case PlaceIs(relation, region, distance):
            return f"{relation_text(relation, distance)} {region_text(region)}"
        case _:
            return None


def _distance(predicate: Predicate, event: Event) -> object:
    """Return by how much a predicate misses; None if that is not a number."""
    match predicate:
        case PlaceIs(relation, region, distance, metric):
            place = event.place
            return (
                None
                if place is None
                else place_miss(place, relation, region_of(region), distance, metric)
            )
        case Equals(path, limit) | Ordered(path, _, limit):
            return _distance_to_range(path, event, limit, limit)
        case Between(path, low, high):
            return _distance_to_range(path, event, low, high)
        case _:
            return None


def _distance_to_range(path: Path, event: Event, low: Constant, high: Constant) -> object:
    """Return how far a number is outside of the limits; None for other values."""
    value = event.attribute(path)
    if low.kind is not Kind.NUMBER or not _is_number(value):
        return None
    lowest: Any = low.value
    highest: Any = high.value
    missing = max(lowest - value, value - highest, 0)
    return lasting(missing) if _is_time(path) else missing


def place_miss(
    place: Geometry,
    relation: SpatialRelation,
    other: Geometry,
    limit: float,
    metric: Metric,
) -> str | None:
    """Return by how much a place misses a relation to another, in the unit of the metric; None if
    the distance does not.
    """
    apart = distance_between(place, other, metric)
    match relation:
        case SpatialRelation.INSIDE | SpatialRelation.MEETS:
            missing = apart
        case SpatialRelation.FARTHER:
            missing = limit - apart
        case SpatialRelation.AT:
            missing = abs(apart - limit)
        case _:
            missing = apart - limit
    return format_length(missing, metric) if missing > 0 else None


def format_length(length: float, metric: Metric) -> str:
    """Return a length with its unit; in the plane there is no unit."""
    return f"{length:.6g}{' m' if metric is Metric.WGS84 else ''}"


def to_display(value: object) -> object:
    """Return a value for display: a long text is cut, a value that is not a scalar becomes text."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST else value[: LONGEST - 3] + "..."
    if value is None or isinstance(value, bool | int | float):
        return value
    return to_display(str(value))


def _constant(path: Path, constant: Constant) -> object:
    if _is_time(path) and is_instant(constant.value):
        return format_instant(constant.value)  # type: ignore[arg-type]
    return constant.value


def _is_time(path: Path) -> bool:
    return path[0] == ENVELOPE and path[-1] == INSTANT


def _as_given(path: Path) -> Path:
    """Return the path that is shown: a time as in the event, even if it is compared as a number."""
    return path[:2] if _is_time(path) else path


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
