"""From text to syntax within the limits; every way to fail is a Problem with its place."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from tocsin.errors import Place, SyntaxProblem
from tocsin.languages.opsl.build import Builder, TooDeep
from tocsin.languages.opsl.embedded import blanked
from tocsin.languages.opsl.hints import syntax_problem
from tocsin.languages.opsl.limits import Limits, exceeded
from tocsin.languages.opsl.syntax import Subscription, nodes_of
from tocsin.languages.parsing import Parser, Unexpected


def read(text: str, limits: Limits) -> Subscription:
    """The syntax of a subscription."""
    _refuse_long(text, limits)
    plain = blanked(text)
    try:
        subscription: Subscription = _parser(limits.nesting).read(plain)
    except Unexpected as found:
        raise syntax_problem(plain, found) from None
    except TooDeep as found:
        raise exceeded(
            f"the subscription nests deeper than {limits.nesting} levels",
            Place.at(text, found.offset),
            "drop parentheses that change nothing, or name a part and use the name",
        ) from None
    _refuse_large(subscription, limits)
    return subscription


@cache
def _parser(nesting: int) -> Parser:
    grammar = files("tocsin.languages.opsl") / "opsl.lark"
    return Parser(grammar.read_text(encoding="utf-8"), Builder(nesting))


def _refuse_long(text: str, limits: Limits) -> None:
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise SyntaxProblem(
            "half of a surrogate pair is no character",
            code="OpslSyntaxError",
            place=Place.at(text, error.start),
            token=ascii(text[error.start]),
            hint="write the text in valid Unicode",
        ) from None
    if size > limits.text_bytes:
        raise exceeded(
            f"the subscription has {size:,} bytes, the limit is {limits.text_bytes:,}",
            Place(1, 1),
            "split the subscription, or name its regions and parts and use the names",
        )


def _refuse_large(subscription: Subscription, limits: Limits) -> None:
    if len(subscription.bindings) > limits.variables:
        raise exceeded(
            f"the subscription has more than {limits.variables} variables", Place(1, 1), "split the subscription"
        )
    bodies = (subscription.main, *(each.definition for each in subscription.bindings))
    size = len(subscription.comparisons) + sum(1 for body in bodies for _ in nodes_of(body))
    if size > limits.parts:
        raise exceeded(
            f"the subscription has {size:,} parts, the limit is {limits.parts:,}",
            Place(1, 1),
            "split the subscription, or say several conditions on one event as one atom: selector{ ... }",
        )
