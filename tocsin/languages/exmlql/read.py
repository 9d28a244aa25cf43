"""Text to syntax tree within the limits; every failure is a problem with its place."""

from __future__ import annotations

from functools import cache

from tocsin.errors import Place
from tocsin.languages.base.grammar import Grammar, grammar_of
from tocsin.languages.base.parsing import Parser
from tocsin.languages.base.texts import START
from tocsin.languages.exmlql.syntax import (
    SYNTAX_CODE,
    Built,
    CallUse,
    ConditionItem,
    Element,
    ExmlqlSubscription,
    Item,
    Nested,
    PatternItem,
    Template,
    path_names,
    terms_in,
    uses_of,
)
from tocsin.languages.exmlql.syntax_errors import misplaced_problem, syntax_problem
from tocsin.languages.exmlql.term_transformer import ExmlqlLimits, Misplaced, TooMany, exceeded
from tocsin.languages.exmlql.transformer import ExmlqlTransformer

_GRAMMAR = Grammar(
    SYNTAX_CODE, syntax_problem, exceeded, flatter='say it with XPATH "...", or split it'
)


def read(text: str, limits: ExmlqlLimits) -> ExmlqlSubscription:
    """Return the syntax tree of a subscription."""
    try:
        subscription: ExmlqlSubscription = _GRAMMAR.read(_parser(limits), text, limits)
    except Misplaced as found:
        raise misplaced_problem(text, found) from None
    except TooMany as found:
        raise exceeded(found.message, Place.at(text, found.spot.offset), found.hint) from None
    _refuse_large(subscription, limits)
    return subscription


@cache
def _parser(limits: ExmlqlLimits) -> Parser:
    return Parser(grammar_of("exmlql"), ExmlqlTransformer(limits))


def _refuse_large(subscription: ExmlqlSubscription, limits: ExmlqlLimits) -> None:
    size = sum(map(_item_size, subscription.items))
    size += sum(1 for _ in uses_of(subscription.time)) if subscription.time else 0
    size += sum(map(_built, subscription.construct.templates)) if subscription.construct else 0
    if size > limits.parts:
        message = (
            f"the subscription has {size:,} elements, conditions and blocks, the limit is"
            f" {limits.parts:,}"
        )
        raise exceeded(message, START, "split the subscription")


def _item_size(item: Item) -> int:
    match item:
        case PatternItem(element):
            return 1 + _elements(element)
        case ConditionItem(condition):
            return terms_in(condition)
        case _:
            return 1


def _elements(element: Element) -> int:
    steps = 1 if element.tag.path is None else sum(1 for _ in path_names(element.tag.path))
    return steps + sum(_elements(child) for child, _ in element.children)


def _built(content: Built) -> int:
    match content:
        case Template(_, attributes, contents):
            values = (each.value for each in attributes if isinstance(each.value, CallUse))
            return 1 + sum(map(_built, contents)) + sum(map(terms_in, values))
        case Nested(_, items, _, inner):
            return 1 + sum(map(_item_size, items)) + _built(inner)
        case CallUse():
            return terms_in(content)
        case _:
            return 0
