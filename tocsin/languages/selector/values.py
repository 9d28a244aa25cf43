"""Values of a selector: names, literals and arithmetic as expressions, with everything constant already computed.

What is known before any event comes is used at once: `2 * 50` is `100`, and a text in a sum is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.languages.selector.limits import Limits
from tocsin.languages.selector.literals import constant_of, path_of
from tocsin.languages.selector.problems import type_problem
from tocsin.languages.selector.rules import Rules
from tocsin.languages.selector.syntax import Arithmetic, Literal, Name, Syntax
from tocsin.plan.arithmetic import calculate
from tocsin.plan.expression import Attribute, Call, Expression, Value
from tocsin.values.scalars import Constant, Kind


@dataclass(frozen=True, slots=True)
class Setting:
    """What lowering a text needs at every step: the text for its places, the dialect, the limits."""

    text: str
    rules: Rules
    limits: Limits


def value_of(node: Syntax, setting: Setting) -> Expression:
    """The expression of a value; raises where the node is a condition or cannot be computed."""
    match node:
        case Name(spot):
            return Attribute(path_of(spot.text))
        case Literal():
            return Value(constant_of(node, setting.text, setting.limits, setting.rules.java))
        case Arithmetic():
            return _arithmetic(node, setting)
        case _:
            raise type_problem(
                setting.text,
                node.spot,
                "a condition is not a value",
                "compare values, and join conditions with AND or OR",
            )


def static_kind(expression: Expression) -> Kind | None:
    """The kind that the expression has in every event, or None where the event decides."""
    match expression:
        case Value(constant):
            return constant.kind
        case Call():
            return Kind.NUMBER
        case _:
            return None


def _arithmetic(node: Arithmetic, setting: Setting) -> Expression:
    operands = tuple(_number_operand(operand, node.operator, setting) for operand in node.operands)
    constants = [operand.constant.value for operand in operands if isinstance(operand, Value)]
    if len(constants) < len(operands):
        return Call(node.operator, operands)
    result = calculate(node.operator, tuple(constants))
    if result is None:
        reason = "divides by zero" if node.operator == "/" and not constants[-1] else "is too large for a double"
        raise type_problem(setting.text, node.spot, f"the result {reason}", "the condition could never be true")
    return Value(Constant.of(result))


def _number_operand(node: Syntax, operator: str, setting: Setting) -> Expression:
    operand = value_of(node, setting)
    if static_kind(operand) not in (None, Kind.NUMBER):
        raise type_problem(
            setting.text,
            node.spot,
            f"{operator} takes numbers",
            "texts are not joined with +, and truth values not added",
        )
    return operand
