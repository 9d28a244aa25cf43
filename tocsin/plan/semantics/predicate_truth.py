"""The truth of one predicate for one event: the meaning that every index must agree with."""

from __future__ import annotations

from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import Computed, IsNull, PlaceIs, Predicate, region_of, value_truth
from tocsin.plan.semantics.computed_conditions import evaluate_condition
from tocsin.values.space import Geometry, are_related
from tocsin.values.truth import Truth, truth


def predicate_truth(predicate: Predicate, event: Event) -> Truth:
    """Return the truth of one predicate for one event: the reference for every index."""
    match predicate:
        case Computed(expression, semantics):
            return evaluate_condition(expression, semantics, event)
        case IsNull(path):
            return truth(event.attribute(path) is None)
        case PlaceIs():
            return truth(_is_placed(predicate, event.place))
        case _:
            return value_truth(predicate, event.attribute(predicate.path))


def _is_placed(predicate: PlaceIs, place: Geometry | None) -> bool:
    return place is not None and are_related(
        place, predicate.relation, region_of(predicate.region), predicate.distance, predicate.metric
    )
