"""Preparation (spec 4.3): the same answers, negations on predicates only, cheap tests first."""

from __future__ import annotations

from hypothesis import given

from tests.strategies import boolean_nodes, events
from tocsin.events.event import Event
from tocsin.plan.explain.atoms import selector_text
from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Equals, Like, Not, Ordered
from tocsin.plan.passes import prepared_expression
from tocsin.plan.passes.simplify import cost
from tocsin.reference import truth_of
from tocsin.values.like import LikePattern, Wild
from tocsin.values.scalars import Constant


def is_(name: str, value: str) -> Equals:
    return Equals((name,), Constant.of(value))


JMS = Like(("Abstract",), LikePattern.of((Wild.ANY_RUN, "JMS", Wild.ANY_RUN)))
CHEAP = Ordered(("Price",), "<", Constant.of(100))


@given(boolean_nodes(), events())
def test_preparing_never_changes_a_truth_value(node: BooleanNode, event: Event) -> None:
    assert truth_of(prepared_expression(node), event) is truth_of(node, event)


@given(boolean_nodes())
def test_after_preparing_only_predicates_are_negated_and_groups_alternate(
    node: BooleanNode,
) -> None:
    def check(node: BooleanNode) -> None:
        match node:
            case Not(operand):
                assert not isinstance(operand, Not | AllOf | AnyOf)
            case AllOf(operands) | AnyOf(operands):
                assert len(operands) != 1
                assert len(set(operands)) == len(operands)
                assert not any(isinstance(operand, type(node)) for operand in operands)
                for operand in operands:
                    check(operand)
            case _:
                pass

    check(prepared_expression(node))


@given(boolean_nodes())
def test_operands_of_and_are_in_order_of_cost(node: BooleanNode) -> None:
    def check(node: BooleanNode) -> None:
        if isinstance(node, AllOf):
            costs = [cost(operand) for operand in node.operands]
            assert costs == sorted(costs)
        if isinstance(node, AllOf | AnyOf):
            for operand in node.operands:
                check(operand)

    check(prepared_expression(node))


def test_the_four_subscriptions_of_the_paper_are_compiled_as_the_spec_lists_them() -> None:
    listed = (
        AnyOf((is_("Author", "Jack"), AllOf((JMS, is_("Publisher", "QReilly"))))),
        AnyOf((AllOf((JMS, CHEAP)), is_("Type", "Computer"))),
        AnyOf((is_("Author", "Jack"), AllOf((is_("Publisher", "OReilly"), is_("Type", "PDA"))))),
        AnyOf((AnyOf((JMS, CHEAP)), is_("Publisher", "GReilly"))),
    )
    assert [selector_text(prepared_expression(each)) for each in listed] == [
        "Publisher = 'QReilly' AND Abstract LIKE '%JMS%' OR Author = 'Jack'",
        "Price < 100 AND Abstract LIKE '%JMS%' OR Type = 'Computer'",
        "Publisher = 'OReilly' AND Type = 'PDA' OR Author = 'Jack'",
        "Price < 100 OR Publisher = 'GReilly' OR Abstract LIKE '%JMS%'",
    ]


def test_excluded_middle_is_not_simplified_away() -> None:
    node = AnyOf((CHEAP, Not(CHEAP)))
    assert set(prepared_expression(node).operands) == {CHEAP, Not(CHEAP)}  # type: ignore[union-attr]
