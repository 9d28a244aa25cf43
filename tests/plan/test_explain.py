"""A plan in words: what selector text says again parses to the same plan, and the words name what
matters.
"""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from tests.languages.asked import SELECTOR
from tests.strategies import boolean_nodes
from tocsin.plan.explain.atoms import path_text, selector_text
from tocsin.plan.explain.plan import plan_lines, summary_lines
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    BooleanNode,
    Condition,
    Equals,
    Not,
    OneOf,
    predicates_of,
)
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.passes import prepared_expression
from tocsin.values.scalars import Constant, Kind
from tocsin.values.truth import Truth

parse = SELECTOR.parse


def sayable(node: BooleanNode) -> bool:
    """Whether the native dialect has words for every predicate: it is lenient about kinds nowhere,
    and its numbers are finite.
    """
    return all(_sayable_predicate(predicate) for predicate in predicates_of(node))


def _sayable_predicate(predicate: object) -> bool:
    constants = [
        value
        for name in ("value", "limit", "low", "high")
        if isinstance(value := getattr(predicate, name, None), Constant)
    ]
    constants += list(predicate.values) if isinstance(predicate, OneOf) else []
    finite = all(c.kind is not Kind.NUMBER or abs(c.value) != float("inf") for c in constants)  # type: ignore[arg-type]
    return finite and getattr(predicate, "mismatch", Truth.UNKNOWN) is Truth.UNKNOWN


@given(boolean_nodes())
def test_selector_text_parses_back_to_the_same_meaning(node: BooleanNode) -> None:
    assume(sayable(node))
    prepared = prepared_expression(node)
    again = parse(selector_text(prepared)).pattern
    assert isinstance(again, Condition)
    assert prepared_expression(again.expression) == prepared_expression(prepared)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("a",), "a"),
        (("a", "b"), "a.b"),
        (("Number Of Orders",), "`Number Of Orders`"),
        (("and",), "`and`"),
        (("", "id"), "ce_id"),
        (("ce_id",), "`ce_id`"),
        (("a", "b c"), "`a`.`b c`"),
    ],
)
def test_a_path_is_written_so_that_it_is_read_again(path: tuple[str, ...], text: str) -> None:
    assert path_text(path) == text
    read = parse(f"{text} = 1").pattern
    assert isinstance(read, Condition)
    assert read.expression == Equals(path, Constant.of(1))


def test_the_tree_and_the_summary_name_parts_and_costs() -> None:
    plan = Plan(
        Condition(
            AnyOf(
                (
                    Equals(("a",), Constant.of(1)),
                    AllOf((Not(Equals(("b",), Constant.of("x"))), Equals(("a",), Constant.of(1)))),
                )
            )
        )
    )
    assert list(plan_lines(plan)) == ["any of", "  a = 1", "  all of", "    b <> 'x'", "    a = 1"]
    summary = "\n".join(summary_lines(plan))
    assert "3, 2 distinct" in summary
    assert "state bound    none" in summary
