"""Comparisons with a number that are decided many at once say what each says by itself, however
near they are.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.graphs.auction import auction
from tests.engine.graphs.worlds import EQUAL_VALUES
from tocsin.engine.graphs.encoding import EncodedGraph
from tocsin.engine.graphs.links import NO_THRESHOLD, Thresholds
from tocsin.plan.nodes.graphs import RELATIONS, Comparison, FilterNot, Regex, filter_truth
from tocsin.values.terms import DECIMAL, DOUBLE, Literal
from tocsin.values.truth import Truth

NEAR = [
    "0.1",
    "0.10",
    "0.1000000000000000000001",
    "0.0999999999999999999999",
    "1e400",
    "2e400",
    "-INF",
    "INF",
    "NaN",
]
HUGE = ["9007199254740992", "9007199254740993", "9007199254740994"]

literals = st.one_of(
    st.sampled_from(
        [Literal(text, DOUBLE) for text in NEAR] + [Literal(text, DECIMAL) for text in HUGE]
    ),
    st.sampled_from(EQUAL_VALUES),
)
comparisons = st.builds(Comparison, st.sampled_from(RELATIONS), literals)


@given(
    conditions=st.lists(comparisons, min_size=1, max_size=20),
    terms=st.lists(literals, min_size=1, max_size=5),
)
def test_many_at_once_say_what_each_says(
    conditions: list[Comparison], terms: list[Literal]
) -> None:
    thresholds = Thresholds()
    numbered = [
        (number, each) for each in conditions if (number := thresholds.use(each)) != NO_THRESHOLD
    ]
    wanted = np.unique(np.array([number for number, _ in numbered], np.int64))
    for term in terms:
        answers = thresholds.true_of(term, wanted, EncodedGraph(auction().graph))
        for number, each in numbered:
            assert answers[number] == (filter_truth(each, term) is Truth.TRUE)


@given(conditions=st.lists(comparisons, max_size=20))
def test_comparisons_go_with_the_last_that_used_them(conditions: list[Comparison]) -> None:
    thresholds = Thresholds()
    used = [number for each in conditions if (number := thresholds.use(each)) != NO_THRESHOLD]
    assert len(thresholds) == len(set(used))
    for number in used:
        thresholds.release(number)
    assert len(thresholds) == 0


def test_other_filters_are_no_thresholds() -> None:
    thresholds = Thresholds()
    number = Comparison("<", Literal("1", DECIMAL))
    for other in (
        None,
        Regex("a"),
        FilterNot(number),
        Comparison("=", Literal("1")),
        Comparison("<", EQUAL_VALUES[-1]),
    ):
        assert thresholds.use(other) == NO_THRESHOLD
    assert thresholds.use(number) != NO_THRESHOLD
