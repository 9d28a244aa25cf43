"""Comparisons as predicates. A test of one attribute against constants is an index predicate: the
constant may be on the left, and a sign before the attribute moves to the constant. The rest is
computed: arithmetic on attributes, and attribute against attribute.
"""

from __future__ import annotations

from collections.abc import Sequence

from tocsin.events.event import Path
from tocsin.languages.selector.dialects import Dialect
from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Computed, Equals, Not, OneOf, Ordered
from tocsin.plan.nodes.expression import Attribute, Call, Expression, Value
from tocsin.plan.semantics.arithmetic import IN, compare
from tocsin.values.scalars import Constant, Kind
from tocsin.values.truth import Truth

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
