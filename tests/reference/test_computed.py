"""Computed conditions: the engine's evaluator and the reference's, written apart, agree on random
expressions.
"""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from tests.languages.selector.evaluators import event_with
from tests.strategies import attribute_values
from tocsin.plan.nodes.expressions import Attribute, Call, Expression, Semantics, Value
from tocsin.plan.semantics.computed_conditions import evaluate_condition
from tocsin.reference.computed import computed_truth
from tocsin.values.scalars import Constant

NUMBERS = [
    0,
    1,
    2,
    3,
    -1,
    -7,
    7,
    0.5,
    -2.5,
    2.0,
    1e308,
    -1e308,
    1.5e308,
    10**308,
    2**53 + 1,
    10**309,
    1e-320,
]
TEXTS = ["", "a", "Ab", "abcd", "2026-01-31T12:00:00Z", "2026-01-31T13:00:00.0005+01:00", "%", "ß"]
OPERATORS = [("+", 2), ("-", 2), ("*", 2), ("/", 2), ("%", 2), ("+", 1), ("-", 1), ("COALESCE", 2)]
FUNCTIONS = [
    ("LOWER", 1),
    ("UPPER", 1),
    ("LEFT", 2),
    ("RIGHT", 2),
    ("SUBSTRING", 2),
    ("SUBSTRING", 3),
    ("DATE", 1),
]

values = st.one_of(
    attribute_values(), st.sampled_from(NUMBERS), st.sampled_from(TEXTS), st.floats(allow_nan=False)
)
constants = (
    st.one_of(st.sampled_from(NUMBERS), st.sampled_from(TEXTS), st.booleans())
    .map(Constant.of)
    .map(Value)
)
leaves = st.one_of(constants, st.sampled_from([Attribute((name,)) for name in "abc"]))


def _calls(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.sampled_from([*OPERATORS, *FUNCTIONS, ("INSTANT", 1)]).flatmap(
        lambda each: st.lists(inner, min_size=each[1], max_size=each[1]).map(
            lambda args: Call(each[0], tuple(args))
        )
    )


expressions = st.recursive(leaves, _calls, max_leaves=5)
conditions = st.one_of(
    st.builds(
        lambda relation, left, right: Call(relation, (left, right)),
        st.sampled_from(["=", "<>", "<", "<=", ">", ">="]),
        expressions,
        expressions,
    ),
    st.builds(lambda operand: Call("IS NULL", (operand,)), expressions),
    st.lists(expressions, min_size=2, max_size=4).map(lambda operands: Call("IN", tuple(operands))),
    st.builds(
        lambda subject, pattern: Call("LIKE", (subject, Value(Constant.of(pattern)))),
        expressions,
        st.text("ab%_\\", max_size=4),
    ),
)
DATA = st.dictionaries(st.sampled_from("abc"), values)
HALF = Attribute(("a",))


@given(conditions, st.sampled_from([Semantics.SELECTOR, Semantics.JMS, Semantics.AMQP]), DATA)
@example(
    Call("=", (Call("%", (HALF, Value(Constant.of(3)))), Value(Constant.of(-1)))),
    Semantics.AMQP,
    {"a": -7},
)
@example(Call("<", (HALF, Attribute(("b",)))), Semantics.JMS, {"a": "x", "b": "y"})
@example(Call("<>", (HALF, Attribute(("b",)))), Semantics.AMQP, {"a": 1, "b": "y"})
def test_two_evaluators_agree(expression: Call, semantics: Semantics, data: dict[str, Any]):
    event = event_with(data)
    assert computed_truth(expression, semantics, event) is evaluate_condition(
        expression, semantics, event
    )
