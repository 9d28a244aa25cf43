"""Values of a selector as expressions, with constants folded, and comparisons of values.

Folding happens at compile time: `2 * 50` becomes `100`, and a text in a sum is refused. `ce_time`
and `ce_endtime` compare as instants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tocsin.errors import MeaningProblem, Place, Problem, UnsupportedProblem
from tocsin.languages.base.texts import SourceSpan, alternatives
from tocsin.languages.selector.dialects import Dialect
from tocsin.languages.selector.literals import constant_of
from tocsin.languages.selector.problems import Limits, escape_problem, form_problem, type_problem
from tocsin.languages.selector.syntax import (
    AttributeName,
    SelectorArithmetic,
    SelectorFunction,
    SelectorLiteral,
    Syntax,
)
from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Computed, Equals, Not, OneOf, Ordered
from tocsin.plan.nodes.expressions import Attribute, Call, Expression, Semantics, Value
from tocsin.plan.semantics.computed_conditions import (
    ARGUMENTS,
    COALESCE,
    IN,
    INSTANT_OF,
    TEXT_RESULTS,
    apply_function,
    calculate,
    compare,
)
from tocsin.values.like import LikePattern, Token, Wild
from tocsin.values.scalars import ENVELOPE, INSTANT, MILLISECONDS, Constant, Kind, Path
from tocsin.values.time import parse_instant
from tocsin.values.truth import Truth

# Times in comparisons. A text constant is read when the subscription is compiled, and refused if it
# is not an RFC 3339 time; an attribute is read for each event, and a text that is not a time
# compares as unknown.

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
            return Value(Constant.of(_read_time(str(written), node, text)))
        case _:
            raise type_problem(text, node.spot, "a time is compared with a time", _LIKE_THIS)


def _read_time(written: str, node: Syntax, text: str) -> int:
    try:
        return parse_instant(written)
    except MeaningProblem as problem:
        raise _no_time(problem, node, text) from None


def _no_time(problem: Problem, node: Syntax, text: str) -> Problem:
    return type_problem(text, node.spot, problem.message, _LIKE_THIS)


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


# Comparisons as predicates. A test of one attribute against constants is an index predicate: the
# constant may be on the left, and a sign before the attribute moves to the constant. The rest is
# computed: arithmetic on attributes, and attribute against attribute.

ALWAYS = AllOf(())
NEVER = AnyOf(())

_NULL = Truth.UNKNOWN
"""Result of a sign before a value that is not a number: there is no such value."""

_MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def comparison_of(
    relation: str, left: Expression, right: Expression, rules: Dialect
) -> BooleanNode:
    """Return the condition that two values have the relation. Kinds have been checked."""
    if isinstance(left, Value) and not isinstance(right, Value):
        return comparison_of(_MIRRORED[relation], right, left, rules)
    match left, right:
        case Value(first), Value(second):
            return certain(
                compare(relation, first.value, second.value, rules.comparing) is Truth.TRUE
            )
        case Attribute(path), Value(constant):
            return _test(relation, path, constant, rules.mismatch, rules.negated_mismatch)
        case Call("-", (Attribute(path),)), Value(Constant(Kind.NUMBER, value)):
            opposite = Constant.of(-value)  # type: ignore[operator]
            return _test(_MIRRORED[relation], path, opposite, _NULL, _NULL)
        case Call("+", (Attribute(path),)), Value(Constant(Kind.NUMBER) as constant):
            return _test(relation, path, constant, _NULL, _NULL)
        case _:
            return _computed(relation, left, right, rules)


def lower_mixed_list(
    subject: Expression, elements: Sequence[Expression], rules: Dialect, *, negated: bool
) -> BooleanNode:
    """Return the condition that a value is in a list of any kinds; an absent element equals
    nothing.
    """
    constants = [element.constant for element in elements if isinstance(element, Value)]
    if len(constants) < len(elements) or isinstance(subject, Call):
        found: BooleanNode = Computed(Call(IN, (subject, *elements)), rules.semantics)
    elif isinstance(subject, Value):
        found = certain(subject.constant in constants)
    else:
        kinds = sorted({constant.kind for constant in constants})
        sets = [frozenset(each for each in constants if each.kind is kind) for kind in kinds]
        tests = tuple(OneOf(subject.path, values, rules.mismatch) for values in sets)
        found = tests[0] if len(tests) == 1 else AnyOf(tests)
    return Not(found) if negated else found


def certain(value: bool) -> BooleanNode:
    """Return a condition that does not depend on the event."""
    return ALWAYS if value else NEVER


def _test(
    relation: str, path: Path, constant: Constant, mismatch: Truth, negated: Truth
) -> BooleanNode:
    match relation:
        case "=":
            return Equals(path, constant, mismatch)
        case "<>":
            return Not(Equals(path, constant, negated))
        case _:
            return Ordered(path, relation, constant, mismatch)


def _computed(relation: str, left: Expression, right: Expression, rules: Dialect) -> BooleanNode:
    """Return a computed comparison in one form per meaning.

    Constants are on the right, `b > a` becomes `a < b`, and operands of `=` and `<>` have a fixed
    order.
    """
    if not isinstance(right, Value):
        if relation in (">", ">="):
            relation, left, right = _MIRRORED[relation], right, left
        elif relation in ("=", "<>") and repr(right) < repr(left):
            left, right = right, left
    if relation == "<>" and rules.comparing.unequal_is_not_equal:
        return Not(Computed(Call("=", (left, right)), rules.semantics))
    return Computed(Call(relation, (left, right)), rules.semantics)


# LIKE patterns. Without an ESCAPE clause no character escapes, a backslash included. The selector
# dialect takes an escape only before `%`, `_` and itself, and never `%` or `_` as the escape. The
# jms dialect, like the brokers it comes from, takes any one character, and an escaped character
# stands for itself.

_WILD: dict[str, Token] = {"%": Wild.ANY_RUN, "_": Wild.ANY_ONE}


def pattern_of(
    pattern: str, escape: str | None, spot: SourceSpan, text: str, lenient: bool
) -> LikePattern:
    """Return the parsed pattern; `spot` is its place."""
    return LikePattern.of(list(_tokens(pattern, escape, spot, text, lenient)))


def checked_escape(escape: str, spot: SourceSpan, text: str, lenient: bool) -> str:
    """Return the escape character; raise if it is not valid."""
    if len(escape) != 1:
        raise escape_problem(
            text,
            spot,
            f"ESCAPE takes exactly one character, got {len(escape)}",
            "write it like ESCAPE '!'",
        )
    if escape in _WILD and not lenient:
        raise escape_problem(
            text,
            spot,
            f"{escape} is a wildcard and cannot escape",
            "take another one, like ESCAPE '!'",
        )
    return escape


def _tokens(
    pattern: str, escape: str | None, spot: SourceSpan, text: str, lenient: bool
) -> Iterator[Token]:
    characters = iter(pattern)
    for character in characters:
        if character != escape:
            yield _WILD.get(character, character)
            continue
        escaped = next(characters, "")
        if not escaped or not (lenient or escaped in _WILD or escaped == escape):
            raise _misused(escape, escaped, spot, text)
        yield escaped


def _misused(escape: str, escaped: str, spot: SourceSpan, text: str) -> Problem:
    where = (
        f"before {escaped}, which needs no escape"
        if escaped
        else "at the end of the pattern, where it escapes nothing"
    )
    return escape_problem(
        text, spot, f"{escape} stands {where}", f"to mean {escape} itself, write it twice"
    )
