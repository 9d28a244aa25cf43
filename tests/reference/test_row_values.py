"""Conditions, functions and orders of rows: the engine's evaluator and the reference's, written
apart, agree.
"""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tests.languages.exmlql.test_functions import operands, texts
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded, in_order, row_truth
from tocsin.plan.xml.row_terms import (
    ComparedValues,
    FunctionValue,
    OrderKey,
    RowAll,
    RowAny,
    RowCondition,
    RowNot,
    TextValue,
    ValueAmong,
    ValueCondition,
    ValueLike,
    VariableValue,
)
from tocsin.reference.row_values import sort_rows, truth_in
from tocsin.values.like import LikePattern, Wild
from tocsin.values.truth import Truth

relations = st.sampled_from(("=", "!=", "<", "<=", ">", ">="))
patterns = st.lists(st.sampled_from(("a", "b", "1", Wild.ANY_ONE, Wild.ANY_RUN)), max_size=4).map(
    LikePattern.of
)
conditions: st.SearchStrategy[RowCondition] = st.recursive(
    st.one_of(
        st.builds(ComparedValues, operands, relations, operands),
        st.builds(ValueCondition, st.sampled_from(("$x", "$m", "$none")), relations, texts),
        st.builds(
            ValueCondition,
            st.sampled_from(("$x", "$m")),
            relations,
            other=st.sampled_from(("$x", "$m")),
        ),
        st.builds(ValueLike, operands, patterns),
        st.builds(ValueAmong, operands, st.lists(operands, min_size=1, max_size=2).map(tuple)),
    ),
    lambda inner: st.one_of(
        st.builds(RowNot, inner),
        st.builds(RowAll, st.lists(inner, min_size=1, max_size=2).map(tuple)),
        st.builds(RowAny, st.lists(inner, min_size=1, max_size=2).map(tuple)),
    ),
    max_leaves=3,
)
values = st.one_of(
    texts,
    st.sampled_from(("1", "2.50", "-3", "10", "2.5")),
    st.sampled_from((("<i>a</i>&amp;b",), ("2",))),
)
X = VariableValue("$x")


def decided(evaluate: object, condition: RowCondition, row: dict[str, object]) -> Truth | str:
    try:
        found: Truth = evaluate(condition, row)  # type: ignore[operator]
    except WorkLimitExceeded as why:
        return why.reason
    return found


@given(conditions, values, values)
@example(ComparedValues(FunctionValue("round", (X,)), "=", TextValue("3")), "2.5", "")
@example(RowNot(ComparedValues(FunctionValue("number", (X,)), "=", TextValue("3"))), "x", "")
def test_two_evaluators_agree(condition: RowCondition, x: object, m: object) -> None:
    row = {"$x": x, "$m": m}
    assert decided(row_truth, condition, row) == decided(truth_in, condition, row)


@given(
    st.lists(st.tuples(values, values), max_size=6),
    st.lists(st.tuples(st.sampled_from(("$x", "$m")), st.booleans())),
)
def test_two_orders_agree(table: list[tuple[str, str]], keys: list[tuple[str, bool]]) -> None:
    rows = [(("$m", m), ("$x", x)) for x, m in table]
    order = [OrderKey(*key) for key in keys]
    assert in_order(rows, order) == sort_rows(rows, order)
