"""Grammar rules to syntax tree: one method per rule of `grammar.lark`, called as the rule ends.

The nesting limit is checked here: parentheses, prefix operators and each && of a chain add a level,
a chain of || adds one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tocsin.languages.base.grammar import Children, NestingTransformer, depth_of
from tocsin.languages.base.parsing import Token, Unexpected
from tocsin.languages.base.texts import spot_of
from tocsin.languages.opsl.syntax import (
    After,
    Atomic,
    Binding,
    CatalogName,
    Concurrent,
    Fixed,
    OpslAnd,
    OpslAttribute,
    OpslComparison,
    OpslEmbeddedAtom,
    OpslOr,
    OpslSubscription,
    OpslVariable,
    OpslWindow,
    Polygon,
    Predicate,
    Spatial,
    Syntax,
    Window,
    WindowedOperand,
)

NEARNESS = ("<", "=", ">")


EACH = "[*]"
"""After a path: each element of the list there."""


class OpslTransformer(NestingTransformer):
    """Callbacks of the parser. Its only state is the nesting limit, so one serves every text."""

    def start(self, children: Children) -> OpslSubscription:
        main, *rest = children
        bindings = tuple(each for each in rest if isinstance(each, Binding))
        comparisons = tuple(each for each in rest if isinstance(each, OpslComparison))
        return OpslSubscription(main, bindings, comparisons, spot=main.spot)

    def binding(self, children: Children) -> Binding:
        variable, definition = children
        return Binding(_variable_name(variable), definition, spot=spot_of(variable))

    def comparison(self, children: Children) -> OpslComparison:
        left, relation, right = children
        return OpslComparison(left, spot_of(relation), right, spot=spot_of(relation))

    def attribute(self, children: Children) -> OpslAttribute:
        variable, path = children
        written = spot_of(path)
        plain = replace(written, text=written.text.removesuffix(EACH))
        return OpslAttribute(
            _variable_name(variable), plain, plain != written, spot=spot_of(variable)
        )

    def either(self, children: Children) -> Syntax:
        return OpslOr(
            tuple(children), spot=children[0].spot, depth=self._below(children[0].spot, children)
        )

    def both(self, children: Children) -> Syntax:
        left, sign, right = children
        return OpslAnd(
            left, right, spot=spot_of(sign), depth=self._below(spot_of(sign), (left, right))
        )

    def temporal(self, children: Children) -> Syntax:
        operator, window, operand = children
        spot = spot_of(operator)
        return WindowedOperand(
            spot.text, window, operand, spot=spot, depth=self._below(spot, (window, operand))
        )

    def fixed_window(self, children: Children) -> Window:
        instant, duration = children
        return Fixed(spot_of(instant), spot_of(duration), spot=spot_of(instant))

    def after_window(self, children: Children) -> Window:
        part, duration = children
        return After(part, spot_of(duration), spot=spot_of(duration), depth=part.depth)

    def between_window(self, children: Children) -> Window:
        first, last = children
        return OpslWindow(first, last, spot=first.spot, depth=depth_of(children))

    def concurrent(self, children: Children) -> Syntax:
        operator, other, operand = children
        spot = spot_of(operator)
        return Concurrent(other, operand, spot=spot, depth=self._below(spot, (other, operand)))

    def spatial(self, children: Children) -> Syntax:
        operator, place, operand = children
        spot = spot_of(operator)
        return Spatial(
            spot.text, place, operand, spot=spot, depth=self._below(spot, (place, operand))
        )

    def distant(self, children: Children) -> Syntax:
        operator, place, comparison, distance, operand = children
        if comparison not in NEARNESS:
            raise Unexpected(comparison.start_pos or 0, "COMPARE", str(comparison), ("NEARNESS",))
        spot = spot_of(operator)
        depth = self._below(spot, (place, operand))
        return Spatial(
            spot.text,
            place,
            operand,
            spot_of(comparison),
            spot_of(distance),
            spot=spot,
            depth=depth,
        )

    def group(self, children: Children) -> Syntax:
        inner = children[0]
        deeper: Syntax = replace(inner, depth=self._below(inner.spot, children))
        return deeper

    def variable(self, children: Children) -> Syntax:
        return OpslVariable(_variable_name(children[0]), spot=spot_of(children[0]))

    def name(self, children: Children) -> Syntax:
        return CatalogName(str(children[0]), spot=spot_of(children[0]))

    def embedded(self, children: Children) -> Syntax:
        spot = spot_of(children[0])
        language, brace, _ = spot.text.partition("{")
        start = spot.offset + len(language + brace)
        return OpslEmbeddedAtom(
            language.rstrip(), start, spot.offset + len(spot.text) - 1, spot=spot
        )

    def predicate(self, children: Children) -> Predicate:
        word, attribute, comparison, value = map(spot_of, children)
        return Predicate(word, attribute, comparison, value, spot=word)

    def atomic(self, children: Children) -> Syntax:
        return Atomic(tuple(children), spot=children[0].spot)

    def polygon(self, children: Children) -> Polygon:
        word, *polygons = children
        return Polygon(tuple(polygons), spot=spot_of(word))

    def rings(self, children: Children) -> tuple[Any, ...]:
        return tuple(children)

    def ring(self, children: Children) -> tuple[Any, ...]:
        return tuple(children)

    def point(self, children: Children) -> tuple[str, ...]:
        return tuple(map(str, children))


def _variable_name(token: Token) -> str:
    return str(token)[1:-1]
