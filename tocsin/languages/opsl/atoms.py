"""Atomic subscriptions: predicates of a declared type; a missing attribute or another type fails
them.
"""

from __future__ import annotations

import math
import re

from tocsin.errors import Problem
from tocsin.events.event import ENVELOPE, Path
from tocsin.events.views.epcis import is_list, parameter_for
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.opsl.limits import OpslLimits, exceeded
from tocsin.languages.opsl.syntax import Atomic, Predicate
from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Condition, Equals, Not, Ordered
from tocsin.values.scalars import Constant

NOTHING = Condition(AnyOf(()))
"""Placeholder for a part with a problem; it never leaves this language."""

_ENVELOPE_NAMES = frozenset(
    ("id", "source", "type", "time", "endtime", "subject", "datacontenttype", "dataschema")
)
_STEP = re.compile(r"`([^`]+)`|([^.`\s]+)")
_WHOLE = re.compile(r"[+-]?\d+")
_UNEQUAL = ("!=", "<>")


def condition_of(atomic: Atomic, problems: ProblemCollector, limits: OpslLimits) -> Condition:
    """Return the conjunction of all predicates; a problem in one hides none in others."""
    found: list[BooleanNode] = []
    for predicate in atomic.predicates:
        fault = _type_fault(predicate)
        if fault:
            problems.add("PredicateTypeError", *fault)
            continue
        try:
            found.append(_test(predicate, limits))
        except Problem as problem:
            problems.at(predicate.value, problem)
    return Condition(AllOf(tuple(found)))


def path_of(name: str) -> Path:
    """Return the path of a name.

    `ce_id` and its like lead into the envelope, dots into objects, backticks make one step.
    """
    prefix, _, rest = name.partition("_")
    if prefix == "ce" and rest in _ENVELOPE_NAMES:
        return (ENVELOPE, rest)
    return tuple(quoted or plain for quoted, plain in _STEP.findall(name))


def _type_fault(predicate: Predicate) -> tuple[SourceSpan, str, str] | None:
    """Return place, message and hint of a type error in a predicate; None if its types fit."""
    if is_list(path_of(predicate.attribute.text)):
        name = predicate.attribute.text
        message = f"{name} is a list in EPCIS events, and a list compares with nothing"
        hint = f'ask for an element: epcis{{ "{parameter_for(path_of(name))}": ["..."] }}'
        return (predicate.attribute, message, hint)
    text = predicate.value.text[0] in "'\""
    match predicate.type.text:
        case "ARITH" if text:
            return (predicate.value, "ARITH compares with a number", "write STRING: for a text")
        case "STRING" if not text:
            return (
                predicate.value,
                "STRING compares with a text",
                "write the text in quotes, or ARITH: for a number",
            )
        case "STRING" if predicate.comparison.text not in ("=", *_UNEQUAL):
            return (predicate.comparison, "texts have no order", "compare texts with = or != only")
        case "ARITH" | "STRING":
            return None
        case other:
            near = (
                other.upper()
                if other.upper() in ("ARITH", "STRING")
                else "ARITH for numbers or STRING for texts"
            )
            return (predicate.type, f"the type {other} is not known", f"write {near}")


def _test(predicate: Predicate, limits: OpslLimits) -> BooleanNode:
    path, relation = path_of(predicate.attribute.text), predicate.comparison.text
    constant = _constant(predicate.value.text, limits)
    if relation == "=":
        return Equals(path, constant)
    if relation in _UNEQUAL:
        return Not(Equals(path, constant))
    return Ordered(path, relation, constant)


def _constant(written: str, limits: OpslLimits) -> Constant:
    quote = written[0]
    if quote in "'\"":
        return Constant.of(written[1:-1].replace(quote * 2, quote))
    if len(written) > limits.digits:
        raise exceeded(
            "the number is too large",
            None,
            f"a number has at most {limits.digits} digits",
            written[:40],
        )
    if _WHOLE.fullmatch(written):
        return Constant.of(int(written))
    value = float(written)
    if math.isinf(value):
        raise exceeded(
            "the number is too large",
            None,
            "a number with a fraction or an exponent is a double",
            written,
        )
    return Constant.of(value)
