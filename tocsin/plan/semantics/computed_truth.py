"""Truth of a computed predicate: its semantics select the evaluator."""

from __future__ import annotations

from collections.abc import Callable

from tocsin.events.event import Event
from tocsin.plan.nodes.expression import Expression, Semantics
from tocsin.plan.semantics.arithmetic import amqp_truth, jms_truth, selector_truth
from tocsin.plan.semantics.cesql import cesql_truth
from tocsin.plan.semantics.list_conditions import members_truth
from tocsin.values.truth import Truth

_EVALUATORS: dict[Semantics, Callable[[Expression, Event], Truth]] = {
    Semantics.SELECTOR: selector_truth,
    Semantics.JMS: jms_truth,
    Semantics.AMQP: amqp_truth,
    Semantics.CESQL: cesql_truth,
    Semantics.MEMBERS: members_truth,
}


def evaluate_condition(expression: Expression, semantics: Semantics, event: Event) -> Truth:
    """Return the truth of an expression used as a condition."""
    return _EVALUATORS[semantics](expression, event)
