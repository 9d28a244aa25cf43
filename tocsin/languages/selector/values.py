"""Values of a selector: names, literals, arithmetic and functions as expressions, with constants
folded.

Folding happens at compile time: `2 * 50` becomes `100`, and a text in a sum is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tocsin.errors import Place, UnsupportedProblem
from tocsin.languages.base.texts import SourceSpan, alternatives
from tocsin.languages.selector.dialects import Dialect
from tocsin.languages.selector.limits import Limits
from tocsin.languages.selector.literals import constant_of
from tocsin.languages.selector.problems import form_problem, type_problem
from tocsin.languages.selector.syntax import (
    AttributeName,
    SelectorArithmetic,
    SelectorFunction,
    SelectorLiteral,
    Syntax,
)
from tocsin.languages.selector.times import is_time
from tocsin.plan.nodes.expression import Attribute, Call, Expression, Semantics, Value
from tocsin.plan.semantics.arithmetic import COALESCE, apply_function, calculate
from tocsin.plan.semantics.text_functions import ARGUMENTS, TEXT_RESULTS
from tocsin.values.scalars import Constant, Kind


@dataclass(frozen=True, slots=True)
class LoweringContext:
    """Context of lowering: the text for its places, the dialect, the limits."""

    text: str
    rules: Dialect
    limits: Limits


def value_of(node: Syntax, setting: LoweringContext) -> Expression:
    """Return the expression of a value; raise if the node is a condition or cannot be computed."""
    match node:
        case AttributeName(spot):
            return setting.rules.named(spot, setting.text)
        case SelectorLiteral():
            return Value(constant_of(node, setting.text, setting.limits, setting.rules.java))
        case SelectorArithmetic():
            return _arithmetic(node, setting)
        case SelectorFunction():
            return _function(node, setting)
        case _:
            raise type_problem(
                setting.text,
                node.spot,
                "a condition is not a value",
                "compare values, and join conditions with AND or OR",
            )


def static_kind(expression: Expression) -> Kind | None:
    """Return the kind that the expression has in every event, or None if events differ."""
    match expression:
        case Value(constant):
            return constant.kind
        case Call(function) if function == COALESCE:
            return None
        case Call(function):
            return Kind.STRING if function in TEXT_RESULTS else Kind.NUMBER
        case _:
            return None


def _arithmetic(node: SelectorArithmetic, setting: LoweringContext) -> Expression:
    _refuse_comment(node, setting)
    operands = tuple(_number_operand(operand, node.operator, setting) for operand in node.operands)
    constants = [operand.constant.value for operand in operands if isinstance(operand, Value)]
    if len(constants) < len(operands):
        return Call(node.operator, operands)
    result = calculate(node.operator, tuple(constants))
    if result is None:
        raise type_problem(
            setting.text,
            node.spot,
            f"the result {_reason(node, constants)}",
            "the condition could never be true",
        )
    return Value(Constant.of(result))


def _refuse_comment(node: SelectorArithmetic, setting: LoweringContext) -> None:
    """Raise for two adjacent minus signs: a comment elsewhere, arithmetic here."""
    begins = setting.text.startswith("--", node.spot.offset)
    if begins and node.operator == "-" and setting.rules.semantics is Semantics.SELECTOR:
        raise form_problem(
            setting.text,
            SourceSpan(node.spot.offset, "--"),
            "-- is no operator",
            "a selector has no comments; for minus a negative number write a blank between, as in 5"
            " - -x",
        )


def _reason(node: SelectorArithmetic, constants: Sequence[object]) -> str:
    if node.operator in ("/", "%") and not constants[-1]:
        return "divides by zero"
    return "is no whole number" if node.operator == "%" else "is too large for a double"


def _number_operand(node: Syntax, operator: str, setting: LoweringContext) -> Expression:
    operand = value_of(node, setting)
    if static_kind(operand) not in (None, Kind.NUMBER):
        raise type_problem(
            setting.text,
            node.spot,
            f"{operator} takes numbers",
            "texts are not joined with +, and truth values not added",
        )
    if isinstance(operand, Attribute) and is_time(operand):
        raise type_problem(
            setting.text, node.spot, "a time is no number", "compare it, as in ce_time < ce_endtime"
        )
    return operand


def _function(node: SelectorFunction, setting: LoweringContext) -> Expression:
    _refuse_clock(node, setting)
    counts = ARGUMENTS.get(node.name)
    if counts is None:
        known = f"the functions are {alternatives(ARGUMENTS)}"
        raise form_problem(
            setting.text, node.spot, f"{node.name} is no function of the amqp dialect", known
        )
    if len(node.arguments) not in counts:
        takes = (
            f"{node.name} takes {alternatives(map(str, counts))} arguments, got"
            f" {len(node.arguments)}"
        )
        raise form_problem(setting.text, node.spot, takes, _FORMS[node.name])
    arguments = tuple(value_of(argument, setting) for argument in node.arguments)
    _require_kinds(node, arguments, setting)
    constants = tuple(each.constant.value for each in arguments if isinstance(each, Value))
    if len(constants) < len(arguments):
        return Call(node.name, arguments)
    result = apply_function(node.name, constants)
    if result is None:
        raise type_problem(
            setting.text,
            node.spot,
            f"{node.name} makes nothing of what it is given",
            _FORMS[node.name],
        )
    return Value(Constant.of(result))


def _refuse_clock(node: SelectorFunction, setting: LoweringContext) -> None:
    if node.name == "UTC":
        raise UnsupportedProblem(
            "UTC() asks for the time of day, and a subscription gives the same answer whenever it"
            " is asked",
            code="SelectorUnsupportedError",
            place=Place.at(setting.text, node.spot.offset),
            token=node.spot.text,
            hint=(
                "compare two times of the event, or with a fixed one, as in p.creation_time > "
                "DATE('2026-01-31T08:00:00Z')"
            ),
        )


def _require_kinds(
    node: SelectorFunction, arguments: tuple[Expression, ...], setting: LoweringContext
) -> None:
    """Raise unless the arguments are a text first, then numbers."""
    for place, (written, argument) in enumerate(zip(node.arguments, arguments, strict=True)):
        wanted = Kind.NUMBER if place else Kind.STRING
        if static_kind(argument) not in (None, wanted):
            what = "a number" if place else "a text"
            raise type_problem(
                setting.text, written.spot, f"{node.name} takes {what} here", _FORMS[node.name]
            )


_FORMS = {
    "LOWER": "write LOWER(name)",
    "UPPER": "write UPPER(name)",
    "LEFT": "write LEFT(name, 3)",
    "RIGHT": "write RIGHT(name, 3)",
    "SUBSTRING": "write SUBSTRING(name, 1, 3), counted from 1",
    "DATE": "write DATE('2026-01-31T08:00:00Z'), with a zone",
}
