"""Times in comparisons: `ce_time` and `ce_endtime` compare as instants, on both sides.

A text constant there is read when the subscription is compiled, and refused if it is not an RFC
3339 time; an attribute is read for each event, and a text that is not a time compares as unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

from tocsin.errors import MeaningProblem, Problem
from tocsin.events.event import ENVELOPE, INSTANT, MILLISECONDS
from tocsin.languages.selector.problems import type_problem
from tocsin.languages.selector.syntax import Syntax
from tocsin.plan.nodes.expression import Attribute, Call, Expression, Value
from tocsin.plan.semantics.text_functions import INSTANT_OF, TEXT_RESULTS
from tocsin.values.scalars import Constant, Kind
from tocsin.values.time import parse_instant

_TIMES = frozenset(((ENVELOPE, "time"), (ENVELOPE, "endtime")))
_LIKE_THIS = "write it like '2026-01-31T08:00:00Z', with a zone"


def is_time(value: Expression) -> bool:
    """True if the value is a time of the envelope."""
    return isinstance(value, Attribute) and value.path in _TIMES


def as_instants(
    nodes: Sequence[Syntax], values: Sequence[Expression], text: str
) -> tuple[Expression, ...]:
    """Return the values for a comparison with each other: if one is a time, all are instants."""
    _refuse_text_for_milliseconds(nodes, values, text)
    if not any(map(is_time, values)):
        return tuple(values)
    return tuple(_instant(node, value, text) for node, value in zip(nodes, values, strict=True))


def _refuse_text_for_milliseconds(
    nodes: Sequence[Syntax], values: Sequence[Expression], text: str
) -> None:
    """Raise for a text compared with `properties.creation_time`, which is a number."""
    if not any(
        isinstance(value, Attribute) and value.path[-1:] == (MILLISECONDS,) for value in values
    ):
        return
    for node, value in zip(nodes, values, strict=True):
        if isinstance(value, Value) and value.constant.kind is Kind.STRING:
            message = "creation_time counts milliseconds"
            raise type_problem(
                text, node.spot, message, "write DATE('2026-01-31T08:00:00Z'), with a zone"
            )


def _instant(node: Syntax, value: Expression, text: str) -> Expression:
    match value:
        case Attribute(path) if is_time(value):
            return Attribute((*path, INSTANT))
        case Attribute():
            return Call(INSTANT_OF, (value,))
        case Call(function) if function in TEXT_RESULTS:
            return Call(INSTANT_OF, (value,))
        case Value(Constant(Kind.STRING, written)):
            return Value(Constant.of(_read(str(written), node, text)))
        case _:
            raise type_problem(text, node.spot, "a time is compared with a time", _LIKE_THIS)


def _read(written: str, node: Syntax, text: str) -> int:
    try:
        return parse_instant(written)
    except MeaningProblem as problem:
        raise _no_time(problem, node, text) from None


def _no_time(problem: Problem, node: Syntax, text: str) -> Problem:
    return type_problem(text, node.spot, problem.message, _LIKE_THIS)
