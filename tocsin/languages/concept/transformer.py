"""Grammar rules to syntax tree: one method per rule, called as it ends. The nesting limit is
checked here.
"""

from __future__ import annotations

from dataclasses import replace

from tocsin.languages.base.grammar import Children, NestingTransformer
from tocsin.languages.base.parsing import Token, Unexpected
from tocsin.languages.base.texts import spot_of
from tocsin.languages.concept.syntax import (
    Bottom,
    ConceptAnd,
    ConceptEmbeddedAtom,
    ConceptName,
    ConceptNegation,
    ConceptOr,
    ConceptSubscription,
    Intersection,
    Listing,
    Quantified,
    Restriction,
    RoleCorrelation,
    Sole,
    Syntax,
    TemporalRelation,
    Terminology,
    TimedNegation,
    Top,
    Union,
    WrittenAxiom,
)


class ConceptTransformer(NestingTransformer):
    """Callbacks of the parser. Its only state is the nesting limit, so one serves every text."""

    def subscription(self, children: Children) -> ConceptSubscription:
        return ConceptSubscription(children[0], tuple(children[1:]))

    def shared(self, children: Children) -> RoleCorrelation:
        for sign in children[1::2]:
            if sign != "=":
                raise Unexpected(sign.start_pos or 0, "OPERATOR", str(sign), ("IS",))
        return RoleCorrelation(tuple(children[::2]))

    def sole(self, children: Children) -> Sole:
        return Sole(tuple(children))

    def terminology(self, children: Children) -> Terminology:
        return Terminology(tuple(children))

    def axiom(self, children: Children) -> WrittenAxiom:
        name, sign, concept = children
        if sign.type == "OPERATOR" and sign != "=":
            raise Unexpected(
                sign.start_pos or 0, "OPERATOR", str(sign), ("DEFINES", "SPECIALISES", "IS")
            )
        return WrittenAxiom(name, sign.type == "SPECIALISES", concept, spot=name.spot)

    def either(self, children: Children) -> Syntax:
        return ConceptOr(
            tuple(children), spot=children[0].spot, depth=self._below(children[0].spot, children)
        )

    def both(self, children: Children) -> Syntax:
        left, sign, right = children
        return ConceptAnd(
            left, right, spot=spot_of(sign), depth=self._below(spot_of(sign), (left, right))
        )

    def temporal(self, children: Children) -> Syntax:
        left, sign, right = children
        return TemporalRelation(
            str(sign),
            left,
            right,
            spot=spot_of(sign),
            depth=self._below(spot_of(sign), (left, right)),
        )

    def timed(self, children: Children) -> Syntax:
        sign, operand, duration, *anchored = children
        depth = self._below(spot_of(sign), (operand,))
        return TimedNegation(
            operand, spot_of(duration), bool(anchored), spot=spot_of(sign), depth=depth
        )

    def union(self, children: Children) -> Syntax:
        return Union(
            tuple(children), spot=children[0].spot, depth=self._below(children[0].spot, children)
        )

    def intersection(self, children: Children) -> Syntax:
        return Intersection(
            tuple(children), spot=children[0].spot, depth=self._below(children[0].spot, children)
        )

    def negation(self, children: Children) -> Syntax:
        sign, operand = children
        return ConceptNegation(
            operand, spot=spot_of(sign), depth=self._below(spot_of(sign), (operand,))
        )

    def quantified(self, children: Children) -> Syntax:
        sign, role, filler = children
        depth = self._below(spot_of(sign), (filler,))
        return Quantified(sign.type == "FORALL", role, filler, spot=spot_of(sign), depth=depth)

    def group(self, children: Children) -> Syntax:
        inner = children[0]
        deeper: Syntax = replace(inner, depth=self._below(inner.spot, children))
        return deeper

    def datatype(self, children: Children) -> Syntax:
        name, operator, value = children
        written = _name(value) if value.type in ("NAME", "IRI") else spot_of(value)
        return Restriction(name, spot_of(operator), written, spot=name.spot)

    def enumeration(self, children: Children) -> Syntax:
        brace, *elements = children
        return Listing(tuple(map(_name, elements)), spot=spot_of(brace))

    def name(self, children: Children) -> ConceptName:
        return _name(children[0])

    role = name

    def top(self, children: Children) -> Syntax:
        return Top(spot=spot_of(children[0]))

    def bottom(self, children: Children) -> Syntax:
        return Bottom(spot=spot_of(children[0]))

    def embedded(self, children: Children) -> Syntax:
        spot = spot_of(children[0])
        language, brace, _ = spot.text.partition("{")
        start = spot.offset + len(language + brace)
        return ConceptEmbeddedAtom(
            language.rstrip(), start, spot.offset + len(spot.text) - 1, spot=spot
        )


def _name(token: Token) -> ConceptName:
    text = str(token)
    return ConceptName(text.strip("<>"), token.type == "IRI", spot=spot_of(token))
