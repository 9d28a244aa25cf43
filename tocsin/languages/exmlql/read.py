"""From text to syntax within the limits; every way to fail is a Problem with its place."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from tocsin.errors import Place, SyntaxProblem
from tocsin.languages.exmlql.build import Builder, Misplaced
from tocsin.languages.exmlql.hints import syntax_problem
from tocsin.languages.exmlql.limits import Limits, exceeded
from tocsin.languages.exmlql.problems import SYNTAX_CODE
from tocsin.languages.exmlql.syntax import Element, PatternItem, Subscription, Template, uses_of
from tocsin.languages.parsing import Parser, Unexpected
from tocsin.languages.texts import TooDeep, refuse_long


def read(text: str, limits: Limits) -> Subscription:
    """The syntax of a subscription."""
    refuse_long(text, limits.text_bytes, SYNTAX_CODE, exceeded, "subscription", "split the subscription")
    try:
        subscription: Subscription = _parser(limits.nesting).read(text)
    except Unexpected as found:
        raise syntax_problem(text, found) from None
    except Misplaced as found:
        place = Place.at(text, found.spot.offset)
        raise SyntaxProblem(
            found.message, code=SYNTAX_CODE, place=place, token=found.spot.text, hint=found.hint
        ) from None
    except TooDeep as found:
        message = f"the subscription nests deeper than {limits.nesting} levels"
        raise exceeded(message, Place.at(text, found.offset), 'say it with XPATH "...", or split it') from None
    _refuse_large(subscription, limits)
    return subscription


@cache
def _parser(nesting: int) -> Parser:
    grammar = files("tocsin.languages.exmlql") / "exmlql.lark"
    return Parser(grammar.read_text(encoding="utf-8"), Builder(nesting))


def _refuse_large(subscription: Subscription, limits: Limits) -> None:
    size = len(subscription.items) + (sum(1 for _ in uses_of(subscription.time)) if subscription.time else 0)
    size += sum(_elements(each.element) for each in subscription.blocks if isinstance(each, PatternItem))
    if subscription.construct:
        size += sum(map(_built, subscription.construct.templates))
    if size > limits.parts:
        message = f"the subscription has {size:,} elements and blocks, the limit is {limits.parts:,}"
        raise exceeded(message, Place(1, 1), "split the subscription")


def _elements(element: Element) -> int:
    return 1 + sum(_elements(child) for child, _ in element.children)


def _built(template: Template) -> int:
    return 1 + sum(_built(each) for each in template.contents if isinstance(each, Template))
