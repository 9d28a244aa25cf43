"""Syntax to plan. AND, OR and NOT keep the shape of the text; a problem in one test hides none in
others.

A test is a predicate: comparison, LIKE, BETWEEN, IN or IS NULL, with a check of kinds. A negated
operator is Not over the positive predicate, so that both share one evaluation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tocsin.errors import Place, Problem
from tocsin.languages.base.texts import SourceSpan
from tocsin.languages.selector.literals import constant_of
from tocsin.languages.selector.problems import escape_problem, exceeded, form_problem, type_problem
from tocsin.languages.selector.syntax import (
    AttributeName,
    BetweenTest,
    InTest,
    LikeTest,
    LiteralKind,
    NullTest,
    SelectorArithmetic,
    SelectorComparison,
    SelectorConjunction,
    SelectorDisjunction,
    SelectorLiteral,
    SelectorNegation,
    Syntax,
)
from tocsin.languages.selector.values import (
    ALWAYS,
    NEVER,
    LoweringContext,
    as_instants,
    certain,
    checked_escape,
    comparison_of,
    lower_mixed_list,
    pattern_of,
    static_kind,
    value_of,
)
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    Between,
    BooleanNode,
    Computed,
    Equals,
    IsNull,
    Like,
    Not,
    OneOf,
    predicates_of,
)
from tocsin.plan.nodes.expressions import Attribute, Call, Expression, Value
from tocsin.plan.semantics.computed_conditions import IS_NULL, LIKE, text_of_pattern
from tocsin.values.like import LikePattern, compile_like
from tocsin.values.scalars import Constant, Kind
from tocsin.values.truth import Truth

_KIND_NAMES = {Kind.NUMBER: "a number", Kind.STRING: "a text", Kind.BOOLEAN: "a truth value"}


def predicate_of(node: Syntax, setting: LoweringContext) -> BooleanNode:
    """Return the condition of one test; raise its first problem."""
    match node:
        case SelectorComparison():
            return _comparison(node, setting)
        case LikeTest():
            return _like(node, setting)
        case BetweenTest():
            return _between(node, setting)
        case InTest():
            return _among(node, setting)
        case NullTest():
            return _null(node, setting)
        case _:
            return _bare(node, setting)


def _comparison(node: SelectorComparison, setting: LoweringContext) -> BooleanNode:
    nodes = (node.left, node.right)
    left, right = _compared(nodes, setting)
    if node.relation not in ("=", "<>"):
        _require_order(node.relation, nodes, (left, right), setting)
    _require_like_kinds(nodes, (left, right), setting)
    return comparison_of(node.relation, left, right, setting.rules)


def _compared(nodes: Sequence[Syntax], setting: LoweringContext) -> tuple[Expression, ...]:
    """Return the values of nodes that are compared with each other."""
    values = tuple(value_of(each, setting) for each in nodes)
    return as_instants(nodes, values, setting.text) if setting.rules.times else values


def _like(node: LikeTest, setting: LoweringContext) -> BooleanNode:
    rules = setting.rules
    subject, pattern = value_of(node.subject, setting), _pattern(node, setting)
    _require_name("LIKE", node.subject, subject, setting)
    if static_kind(subject) not in (None, Kind.STRING):
        raise type_problem(
            setting.text, node.subject.spot, "LIKE tests texts, not numbers", "compare with = or <"
        )
    match subject:
        case Attribute(path) if node.negated:
            return Not(Like(path, pattern, rules.not_like_mismatch))
        case Attribute(path):
            return Like(path, pattern, rules.like_mismatch)
        case Value(Constant(Kind.STRING, value)):
            return certain(compile_like(pattern)(str(value)) != node.negated)
        case _:
            liked = Computed(
                Call(LIKE, (subject, Value(Constant.of(text_of_pattern(pattern))))), rules.semantics
            )
            return Not(liked) if node.negated else liked


def _pattern(node: LikeTest, setting: LoweringContext) -> LikePattern:
    lenient, text = setting.rules.lenient_escape, setting.text
    escape = None
    if node.escape is not None:
        given = _string(node.escape, setting)
        if given is None:
            raise escape_problem(
                text,
                node.escape.spot,
                "ESCAPE takes a text of one character",
                "write it like ESCAPE '!'",
            )
        escape = checked_escape(given, node.escape.spot, text, lenient)
    pattern = _string(node.pattern, setting)
    if pattern is None:
        raise type_problem(
            text,
            node.pattern.spot,
            "LIKE takes a text as its pattern",
            "write it in quotes, like 'a%'",
        )
    return pattern_of(pattern, escape, node.pattern.spot, text, lenient)


def _between(node: BetweenTest, setting: LoweringContext) -> BooleanNode:
    nodes, rules = (node.subject, node.low, node.high), setting.rules
    values = _compared(nodes, setting)
    _require_order("BETWEEN", nodes, values, setting)
    _require_like_kinds(nodes, values, setting)
    match values:
        case (Attribute(path), Value(low), Value(high)) if low.kind is high.kind:
            if node.negated:
                return Not(Between(path, low, high, rules.negated_mismatch))
            return Between(path, low, high, rules.mismatch)
    subject, least, most = values
    if node.negated and not rules.comparing.unequal_is_not_equal:
        return AnyOf(
            (comparison_of("<", subject, least, rules), comparison_of(">", subject, most, rules))
        )
    inside = AllOf(
        (comparison_of(">=", subject, least, rules), comparison_of("<=", subject, most, rules))
    )
    return Not(inside) if node.negated else inside


def _among(node: InTest, setting: LoweringContext) -> BooleanNode:
    rules = setting.rules
    subject, *elements = _compared((node.subject, *node.elements), setting)
    if rules.mixed_lists:
        return lower_mixed_list(subject, elements, rules, negated=node.negated)
    _require_name("IN", node.subject, subject, setting)
    _require_one_kind(node, subject, elements, setting)
    constants = frozenset(element.constant for element in elements if isinstance(element, Value))
    if isinstance(subject, Attribute) and all(isinstance(element, Value) for element in elements):
        if node.negated:
            return Not(OneOf(subject.path, constants, rules.negated_mismatch))
        return OneOf(subject.path, constants, rules.mismatch)
    if node.negated:
        return AllOf(tuple(comparison_of("<>", subject, element, rules) for element in elements))
    return AnyOf(tuple(comparison_of("=", subject, element, rules) for element in elements))


def _null(node: NullTest, setting: LoweringContext) -> BooleanNode:
    subject = value_of(node.subject, setting)
    _require_name("IS NULL", node.subject, subject, setting)
    match subject:
        case Value():
            return certain(node.negated)
        case Attribute(path):
            absent: BooleanNode = IsNull(path)
        case _:
            absent = Computed(Call(IS_NULL, (subject,)), setting.rules.semantics)
    return Not(absent) if node.negated else absent


def _bare(node: Syntax, setting: LoweringContext) -> BooleanNode:
    """Return the condition of a value in place of one.

    TRUE and FALSE are conditions, and in the jms and amqp dialects a name.
    """
    match node:
        case SelectorLiteral(_, LiteralKind.BOOLEAN):
            return certain(
                constant_of(node, setting.text, setting.limits, java=False).value is True
            )
        case AttributeName() if setting.rules.bare is not None:
            return _true_name(node, setting.rules.bare, setting)
        case AttributeName(spot):
            raise form_problem(
                setting.text, spot, "a name alone is not a condition", f"write {spot.text} = TRUE"
            )
        case _:
            raise _value_alone(node, setting)


def _true_name(node: AttributeName, mismatch: Truth, setting: LoweringContext) -> BooleanNode:
    value = value_of(node, setting)
    if isinstance(value, Attribute):
        return Equals(value.path, Constant.of(True), mismatch)
    raise _value_alone(node, setting)


def _value_alone(node: Syntax, setting: LoweringContext) -> Problem:
    """Return the problem of a value alone, with a hint for `kind = 'a' OR 'b'` and for comments."""
    before, here = setting.text[: node.spot.offset].rstrip(), setting.text[node.spot.offset :]
    compared = _COMPARED.search(before)
    if here.startswith("--"):
        hint = "a selector has no comments; leave it out"
    elif compared:
        word, joined = compared[1], compared[2].upper()
        hint = (
            f"write IN, as in {word} IN ('a', 'b')"
            if joined == "OR"
            else f"write the name again: {word} = ..."
        )
    else:
        hint = "compare it, as in a > 5"
    return form_problem(setting.text, node.spot, "a value alone is not a condition", hint)


_COMPARED = re.compile(
    r"([\w.`]+)\s*(?:=|<>|!=|<=|>=|<|>)\s*(?:'[^']*'|\"[^\"]*\"|[\w.+-]+)\s+(or|and)$",
    re.IGNORECASE,
)
"""A comparison with AND or OR behind it."""


def _string(node: Syntax, setting: LoweringContext) -> str | None:
    if isinstance(node, SelectorLiteral) and node.kind is LiteralKind.STRING:
        return str(constant_of(node, setting.text, setting.limits, setting.rules.java).value)
    return None


def _require_order(
    operator: str, nodes: Sequence[Syntax], values: Sequence[Expression], setting: LoweringContext
) -> None:
    """Raise if a constant is of a kind that has no order in the dialect."""
    ordered = setting.rules.comparing.ordered
    texts = Kind.STRING in ordered
    for node, value in zip(nodes, values, strict=True):
        if static_kind(value) not in (None, *ordered):
            hint = (
                "truth values allow only = and <>"
                if texts
                else "texts and truth values allow only = and <>"
            )
            needs = "numbers or texts" if texts else "numbers"
            raise type_problem(setting.text, node.spot, f"{operator} needs {needs}", hint)


def _require_like_kinds(
    nodes: Sequence[Syntax], values: Sequence[Expression], setting: LoweringContext
) -> None:
    """Raise if constants are of kinds that can never be compared."""
    if setting.rules.mixed:
        return
    kinds = [static_kind(value) for value in values]
    first = next(filter(None, kinds), None)
    for node, kind in zip(nodes, kinds, strict=True):
        if kind not in (None, first):
            both = f"{_KIND_NAMES[first]} and {_KIND_NAMES[kind]}"  # type: ignore[index]
            hint = next(filter(None, map(hint_for_hyphen, nodes)), "compare values of one kind")
            raise type_problem(setting.text, node.spot, f"{both} cannot be compared", hint)


def hint_for_hyphen(node: Syntax) -> str:
    """Return a hint for two names with a minus and no blanks between them, or ""."""
    match node:
        case SelectorArithmetic(spot, "-", (AttributeName(left), AttributeName(right))):
            if left.offset + len(left.text) == spot.offset == right.offset - 1:
                return f"write a name with - in it in backticks, as in `{left.text}-{right.text}`"
    return ""


def _require_one_kind(
    node: InTest, subject: Expression, elements: Sequence[Expression], setting: LoweringContext
) -> None:
    allowed = (Kind.STRING,) if setting.rules.java else (Kind.STRING, Kind.NUMBER)
    kinds = (static_kind(element) for element in elements)
    first = static_kind(subject) or next(filter(None, kinds), None)
    for written, element in zip(node.elements, elements, strict=True):
        kind = static_kind(element)
        if kind not in (None, *allowed) or (kind is None and setting.rules.java):
            hint = (
                "write a = 1 OR a = 2 for other kinds"
                if setting.rules.java
                else "write a = TRUE for truth values"
            )
            raise type_problem(setting.text, written.spot, f"IN takes {_listed(allowed)}", hint)
        if kind is not None and kind is not first:
            raise type_problem(
                setting.text, written.spot, "the values of IN are of one kind", "split it with OR"
            )


def _listed(kinds: Sequence[Kind]) -> str:
    return " or ".join({Kind.STRING: "texts", Kind.NUMBER: "numbers"}[kind] for kind in kinds)


def _require_name(operator: str, node: Syntax, value: Expression, setting: LoweringContext) -> None:
    if setting.rules.java and not isinstance(value, Attribute):
        raise type_problem(
            setting.text,
            node.spot,
            f"{operator} takes a name on its left in the jms dialect",
            "use a comparison",
        )


@dataclass(frozen=True, slots=True)
class Lowered:
    """Condition of a selector, its problems, and the place of each predicate by its `id()`.

    With problems the condition is meaningless.
    """

    condition: BooleanNode
    problems: list[Problem] = field(default_factory=list)
    spots: dict[int, SourceSpan] = field(default_factory=dict)


def lower(syntax: Syntax | None, setting: LoweringContext) -> Lowered:
    """Return the condition of a text; without a syntax tree it is true of every event."""
    if syntax is None:
        return Lowered(ALWAYS)
    walk = _SelectorLowering(setting)
    return Lowered(walk.condition(syntax), walk.problems, walk.spots)


class _SelectorLowering:
    """One walk over a syntax tree, which counts its predicates."""

    def __init__(self, setting: LoweringContext) -> None:
        self.problems: list[Problem] = []
        self.spots: dict[int, SourceSpan] = {}
        self._setting = setting
        self._literals = 0

    def condition(self, node: Syntax) -> BooleanNode:
        match node:
            case SelectorConjunction(_, operands):
                return AllOf(tuple(map(self.condition, operands)))
            case SelectorDisjunction(_, operands):
                return AnyOf(tuple(map(self.condition, operands)))
            case SelectorNegation(_, operand):
                return Not(self.condition(operand))
            case _:
                return self._test(node)

    def _test(self, node: Syntax) -> BooleanNode:
        self._count(node)
        try:
            found = predicate_of(node, self._setting)
            start = node.left.spot if isinstance(node, SelectorComparison) else node.spot
            self.spots |= {id(predicate): start for predicate in predicates_of(found)}
            return found
        except Problem as problem:
            self.problems.append(problem)
            return NEVER

    def _count(self, node: Syntax) -> None:
        self._literals += 1
        limit = self._setting.limits.literals
        if self._literals > limit:
            raise exceeded(
                f"the selector has more than {limit:,} predicates",
                Place.at(self._setting.text, node.spot.offset),
                "use IN for a list of values, or split the subscription",
                node.spot.text,
            )
