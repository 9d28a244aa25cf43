"""Warnings: selectors that are legal and probably not meant. They refuse nothing.

UNSATISFIABLE: no event ever makes the selector, or one of its alternatives, true. BARE_WORD: a name
to the right of `=` that occurs only there, as in `kind = laptop`, is an attribute and not a text.
HYPHENATED_NAME: `order-status` is the difference of two attributes. SEPARATED_NUMBER: `IN (1,000)`
are two numbers. LIST_COMPARISON: `epcList = 'x'` compares a list of EPCIS with a text.
IMPOSSIBLE_COORDINATE: no place has a latitude of 100.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tocsin.errors import MeaningProblem, Place, Problem
from tocsin.events.views.epcis import PLACES, is_list, parameter_for
from tocsin.languages.base.texts import LONGEST_TOKEN, SourceSpan, reading_order
from tocsin.languages.selector.lower import Lowered, hint_for_hyphen
from tocsin.languages.selector.syntax import (
    AttributeName,
    InTest,
    LiteralKind,
    SelectorArithmetic,
    SelectorComparison,
    SelectorLiteral,
    Syntax,
    children_of,
)
from tocsin.languages.selector.values import LoweringContext
from tocsin.plan.explain.atoms import selector_text
from tocsin.plan.nodes.atoms import (
    Between,
    BooleanNode,
    Equals,
    IsNull,
    Not,
    OneOf,
    Ordered,
    attribute_paths,
    predicates_of,
)
from tocsin.plan.passes.contradictions import contradictions, never_holds
from tocsin.plan.semantics.implication import tests_off_the_globe
from tocsin.values.scalars import ENVELOPE

_START = SourceSpan(0, "")
_TIMES = {"ce_time", "ce_endtime"}
_LONGEST_SHOWN = 60
_PLAIN_WORD = re.compile(r"[^\W\d]\w*")
_CUT_OFF_ZEROS = re.compile(r"0[0-9]{2}")


def warnings_of(syntax: Syntax | None, lowered: Lowered, setting: LoweringContext) -> list[Problem]:
    """Return every warning of a selector without problems."""
    return sorted(_warnings(syntax, lowered, setting), key=reading_order)


def _warnings(
    syntax: Syntax | None, lowered: Lowered, setting: LoweringContext
) -> Iterator[Problem]:
    yield from _never_true(lowered, setting)
    yield from _compared_lists(lowered, setting)
    yield from _off_the_globe(lowered, setting)
    if syntax is not None:
        nodes = list(_walk(syntax))
        yield from _exchanged_times(nodes, setting)
        yield from _bare_words(nodes, setting)
        yield from _names_with_a_minus(nodes, setting)
        yield from _separated_numbers(nodes, setting)


def _never_true(lowered: Lowered, setting: LoweringContext) -> Iterator[Problem]:
    found = contradictions(lowered.condition)
    for literals in found:
        last = literals[-1].operand if isinstance(literals[-1], Not) else literals[-1]
        spot = lowered.spots.get(id(last), _START)
        yield _warning("UNSATISFIABLE", setting, spot, _literals_text(literals), _way_out(literals))
    if not found and never_holds(lowered.condition):
        yield _warning(
            "UNSATISFIABLE", setting, _START, "the selector is true of no event", "it never rings"
        )


def _compared_lists(lowered: Lowered, setting: LoweringContext) -> Iterator[Problem]:
    for predicate in predicates_of(lowered.condition):
        spot = lowered.spots.get(id(predicate), _START)
        paths = () if isinstance(predicate, IsNull) else sorted(attribute_paths(predicate))
        for path in paths:
            name = ".".join(path)
            if is_list(path):
                message = f"{name} is a list in EPCIS events, and a list compares with nothing"
                query = f'{{"{parameter_for(path)}": [...]}}'
                hint = (
                    f"ask for an element in the language epcis, as in {query}, or with exists"
                    f" {path[0]}.{{...}}"
                )
                yield _warning("LIST_COMPARISON", setting, spot, message, hint)
            elif len(path) == 1 and name in PLACES:
                message = (
                    f"{name} is an object in EPCIS events, and an object compares with nothing"
                )
                yield _warning("LIST_COMPARISON", setting, spot, message, f"write {name}.id")


def _off_the_globe(lowered: Lowered, setting: LoweringContext) -> Iterator[Problem]:
    for predicate, message in tests_off_the_globe(lowered.condition):
        spot = lowered.spots.get(id(predicate), _START)
        hint = "write degrees; of a pair the latitude is the one that is at most 90"
        yield _warning("IMPOSSIBLE_COORDINATE", setting, spot, message, hint)


def _exchanged_times(nodes: list[Syntax], setting: LoweringContext) -> Iterator[Problem]:
    """Yield a warning for a comparison that puts the end of an event before its start."""
    for node in nodes:
        match node:
            case SelectorComparison(_, relation, AttributeName(left), AttributeName(right)) if {
                left.text,
                right.text,
            } == _TIMES:
                if relation == (">" if left.text == "ce_time" else "<"):
                    message = "no event begins after its end"
                    hint = "it never rings; ce_time < ce_endtime is true of events that last"
                    yield _warning("UNSATISFIABLE", setting, left, message, hint)


def _literals_text(literals: tuple[BooleanNode, ...]) -> str:
    texts = list(dict.fromkeys(map(_shown, literals)))
    if len(texts) == 1:
        return f"{texts[0]} is true of no value"
    if len(texts) == 2:
        return f"{texts[0]} and {texts[1]} are never true of one event"
    return f"{texts[0]} and {len(texts) - 1} other conditions on it are never true of one event"


def _way_out(literals: tuple[BooleanNode, ...]) -> str:
    match literals:
        case (Between() | Equals() | OneOf() | Ordered() as only,) if only.path[0] == ENVELOPE:
            return f"ce_{only.path[1]} is a text; write the value in quotes"
        case (Between(_, low, high),):
            return f"write the lower limit first, as in BETWEEN {high.value!r} AND {low.value!r}"
        case (Equals(path, _), Equals(other, _)) if path == other:
            return "join them with OR, or write IN; as it stands it never rings"
        case _:
            return "as it stands it never rings"


def _bare_words(nodes: list[Syntax], setting: LoweringContext) -> Iterator[Problem]:
    names = Counter(node.spot.text for node in nodes if isinstance(node, AttributeName))
    for node in nodes:
        for word in _compared_words(node):
            if (
                names[word.text] == 1
                and _PLAIN_WORD.fullmatch(word.text)
                and not word.text.startswith("ce_")
            ):
                quotes = setting.rules.wording.name_quotes
                silence = f"; in {quotes} it is an attribute for sure" if quotes else ""
                message = f"{word.text} is an attribute here, not a text"
                yield _warning(
                    "BARE_WORD",
                    setting,
                    word,
                    message,
                    f"write '{word.text}' for the text{silence}",
                )


def _compared_words(node: Syntax) -> Iterator[SourceSpan]:
    """Yield names in place of a text: right of an attribute and `=` or `<>`, or in a list."""
    match node:
        case SelectorComparison(_, "=" | "<>", AttributeName(), AttributeName(spot)):
            yield spot
        case InTest(_, AttributeName(), elements):
            yield from (element.spot for element in elements if isinstance(element, AttributeName))


def _names_with_a_minus(nodes: list[Syntax], setting: LoweringContext) -> Iterator[Problem]:
    for node in nodes:
        hint = hint_for_hyphen(node)
        if hint and isinstance(node, SelectorArithmetic):
            left, right = (operand.spot for operand in node.operands)
            message = f"{left.text}-{right.text} is {left.text} minus {right.text}"
            yield _warning(
                "HYPHENATED_NAME", setting, left, message, f"{hint}, or blanks around the minus"
            )


def _separated_numbers(nodes: list[Syntax], setting: LoweringContext) -> Iterator[Problem]:
    for node in nodes:
        elements = node.elements if isinstance(node, InTest) else ()
        for element in elements[1:]:
            number = isinstance(element, SelectorLiteral) and element.kind is LiteralKind.NUMBER
            touching = setting.text[element.spot.offset - 1] == ","
            if number and touching and _CUT_OFF_ZEROS.fullmatch(element.spot.text):
                message = f"{element.spot.text} is a number of its own"
                yield _warning(
                    "SEPARATED_NUMBER", setting, element.spot, message, "write 1000 without a comma"
                )


def _walk(node: Syntax) -> Iterator[Syntax]:
    """Yield a node and all below it, in the order of the text.

    Not recursive, because chains can be as long as a text.
    """
    waiting = [node]
    while waiting:
        top = waiting.pop()
        yield top
        waiting += reversed(children_of(top))


def _shown(literal: BooleanNode) -> str:
    text = selector_text(literal)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


def _warning(
    code: str, setting: LoweringContext, spot: SourceSpan, message: str, hint: str
) -> Problem:
    place = Place.at(setting.text, spot.offset)
    return MeaningProblem(
        message, code=code, place=place, token=spot.text[:LONGEST_TOKEN], hint=hint
    )
