"""Text to syntax tree within the limits: one method per rule of the grammar.

Values of WHERE and SELECT have a transformer of their own. Every failure is a problem with its
place. A text beyond a limit is refused with RuleLimitError and the reason, before it can cost
anything.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from tocsin.errors import Place, Problem, SyntaxProblem
from tocsin.languages.base.grammar import (
    Children,
    Grammar,
    NestingTransformer,
    TextLimits,
    grammar_of,
    limit_problems,
)
from tocsin.languages.base.parsing import Parser, Token
from tocsin.languages.base.texts import SourceSpan, spot_of
from tocsin.languages.rule.printer import CODE, mask, unmask
from tocsin.languages.rule.syntax import (
    AggregateSyntax,
    AllenRelation,
    AtomSyntax,
    Distance,
    EmbeddedAtom,
    EventAtom,
    Inside,
    Length,
    Meets,
    NearRegion,
    Number,
    Over,
    PathName,
    Region,
    Repeat,
    RuleAnd,
    RuleArithmetic,
    RuleAttribute,
    RuleComparison,
    RuleConstant,
    RuleOr,
    RuleSequence,
    RuleSyntax,
    SelectItem,
    SequenceStep,
    Slides,
    StateChangeSyntax,
    Unit,
    ValueSyntax,
)
from tocsin.languages.rule.syntax_errors import syntax_problem
from tocsin.plan.nodes.expressions import LONGEST_WINDOW
from tocsin.values.time import Duration, parse_duration

_STEP = re.compile(r"`([^`]+)`|([^.`]+)")
_FIRST_STEP = re.compile(r"(`[^`]+`|[^.`]+)(?:\.(.*))?", re.DOTALL)

NO_NUMBER = math.inf
"""Placeholder for a number that no double holds."""


class ValueTransformer(NestingTransformer):
    """Callbacks of the parser for values."""

    def comparison(self, children: Children) -> RuleComparison:
        left, relation, right = children
        return RuleComparison(left, relation_of(relation), right, spot=spot_of(relation))

    def item(self, children: Children) -> SelectItem:
        value, *name = children
        return SelectItem(value, type_of(str(name[0])) if name else "", spot=value.spot)

    def arithmetic(self, children: Children) -> RuleArithmetic:
        left, sign, right = children
        return RuleArithmetic(
            str(sign), (left, right), spot=left.spot, depth=self._below(left.spot, (left, right))
        )

    def sign(self, children: Children) -> ValueSyntax:
        sign, value = children
        if isinstance(value, RuleConstant) and value.kind == "number":
            assert isinstance(value.value, int | float)
            signed = -value.value if sign.type == "MINUS" else value.value
            return replace(value, value=signed, spot=spot_of(sign))
        return RuleArithmetic(
            str(sign), (value,), spot=spot_of(sign), depth=self._below(value.spot, (value,))
        )

    def attribute(self, children: Children) -> RuleAttribute:
        spot = spot_of(children[0])
        name, path = split_name(spot.text)
        return RuleAttribute(type_of(name), path, spot=spot)

    def constant(self, children: Children) -> RuleConstant:
        token, spot = children[0], spot_of(children[0])
        match token.type:
            case "NUMBER":
                return RuleConstant(number_of(spot.text), spot=spot)
            case "STRING":
                quote = spot.text[0]
                return RuleConstant(spot.text[1:-1].replace(quote * 2, quote), spot=spot)
            case _:
                return RuleConstant(spot.text.upper() == "TRUE", spot=spot)

    def over(self, children: Children) -> Over:
        word, name, *path = children
        function, spot = str(word).upper(), spot_of(word)
        first, rest = split_name(str(name))
        if path:
            return Over(function, type_of(first), str(path[0])[1:], spot=spot)
        return Over(function, type_of(first), rest, spot=spot)

    def distance(self, children: Children) -> Distance:
        word, left, right = children
        return Distance(str(left), str(right), spot=spot_of(word))

    def grouped(self, children: Children) -> Any:
        return replace(children[0], depth=self._below(children[0].spot, children))


def type_of(name: str) -> str:
    """Return a name without its backticks; their content is taken as it is."""
    return ".".join(quoted or plain for quoted, plain in _STEP.findall(name))


def split_name(name: str) -> tuple[str, str]:
    """Return the first step of a name and the rest of it, both as written."""
    found = _FIRST_STEP.fullmatch(name)
    assert found is not None
    return found[1], found[2] or ""


def relation_of(token: Token) -> str:
    """Return a comparison sign; `!=` becomes `<>`."""
    return "<>" if token == "!=" else str(token)


def number_of(digits: str) -> Number:
    """Return a whole number exactly, any other as the nearest double."""
    if digits.isdecimal():
        return int(digits) if len(digits) <= 400 else NO_NUMBER
    return float(digits)


_REPEAT = re.compile(r"[x×]\s*(\d+)(?:\s*\.\.\s*(\d+)|\s*(\+))?", re.IGNORECASE)

NO_LENGTH = -1


class RuleClause:
    """One clause as it is read: its field, its value and its place."""

    __slots__ = ("name", "spot", "value")

    def __init__(self, name: str, value: Any, spot: SourceSpan) -> None:
        self.name = name
        self.value = value
        self.spot = spot


class RepeatedClause(Exception):
    """Raised for a clause that occurs a second time."""

    def __init__(self, clause: RuleClause) -> None:
        super().__init__(clause.name)
        self.clause = clause


class RuleTransformer(ValueTransformer):
    """Callbacks of the parser for everything but values."""

    def start(self, children: Children) -> RuleSyntax:
        when, *clauses = children
        said: dict[str, Any] = {}
        for clause in clauses:
            if clause.name in said:
                raise RepeatedClause(clause)
            said[clause.name] = clause.value
        spots = {clause.name: clause.spot for clause in clauses}
        return RuleSyntax(when, **said, spots=spots, spot=when.spot, depth=when.depth)

    # Parts

    def any_of(self, children: Children) -> RuleOr:
        return RuleOr(
            tuple(children), spot=children[0].spot, depth=self._below(children[0].spot, children)
        )

    def all_of(self, children: Children) -> RuleAnd:
        return RuleAnd(tuple(children), spot=children[0].spot, depth=self._chain_depth(children))

    def _chain_depth(self, children: Children) -> int:
        """Return the depth of parts that are joined one after the other: each join is a level."""
        depth = children[0].depth
        for child in children[1:]:
            depth = max(depth, child.depth) + 1
            self._watch(depth, child.spot)
        return int(depth)

    def stands(self, children: Children) -> AllenRelation:
        left, word, right = children
        said = " ".join(str(word).upper().split())
        relation = said.removeprefix("NOT ")
        return AllenRelation(
            left,
            relation,
            right,
            relation != said,
            spot=spot_of(word),
            depth=self._below(left.spot, (left, right)),
        )

    def sequence(self, children: Children) -> Any:
        first = children[0]
        if len(children) == 1 and not first.absent and first.within is None:
            return first.part
        depth = max(self._chain_depth(children), self._below(first.spot, (first,)))
        return RuleSequence(tuple(children), spot=first.spot, depth=depth)

    def step(self, children: Children) -> SequenceStep:
        absent = isinstance(children[0], Token)
        part, *within = children[absent:]
        spot = spot_of(children[0]) if absent else part.spot
        length = self.length(within[0]) if within else None
        return SequenceStep(part, absent, length, spot=spot, depth=part.depth)

    def unit(self, children: Children) -> Unit:
        label = children[0] if isinstance(children[0], Token) else None
        core, *repeat = children[label is not None :]
        name = "" if label is None else str(label)[:-1].rstrip()
        spot = core.spot if label is None else SourceSpan(label.start_pos or 0, name)
        times = self._repeat(repeat[0]) if repeat else None
        return Unit(core, name, times, spot=spot, depth=self._below(core.spot, (core,)))

    def _repeat(self, token: Token) -> Repeat:
        found = _REPEAT.fullmatch(str(token))
        assert found is not None
        least, most, more = found.groups()
        top = None if more else _count(most or least)
        return Repeat(_count(least), top, spot=spot_of(token))

    def group(self, children: Children) -> Any:
        inner = children[0]
        return replace(inner, depth=self._below(inner.spot, (inner,)))

    # Atoms and states

    def event(self, children: Children) -> EventAtom:
        name, *condition = children
        kind, spot = type_of(str(name)), spot_of(name)
        if not condition:
            return EventAtom(kind, spot=spot)
        text, start = _inside(spot_of(condition[0]))
        return EventAtom(kind, text, start, spot=spot)

    def embedded(self, children: Children) -> EmbeddedAtom:
        spot = spot_of(children[0])
        language, _, _ = spot.text.partition("{")
        named, written = language.rstrip(), spot.text[len(language) :]
        text, start = _inside(SourceSpan(spot.offset + len(language), written))
        return EmbeddedAtom(named, text, start, spot=replace(spot, text=named))

    def changes(self, children: Children) -> StateChangeSyntax:
        atom, word, state, *length = children
        told = self.length(length[0]) if length else None
        return StateChangeSyntax(atom, str(word).upper(), state, told, spot=spot_of(word))

    def moves(self, children: Children) -> StateChangeSyntax:
        atom, word, region = children
        state = Inside(region, spot=region.spot)
        return StateChangeSyntax(atom, str(word).upper(), state, spot=spot_of(word))

    def meets(self, children: Children) -> Meets:
        spot = spot_of(children[0])
        text = unmask(spot.text)
        return Meets(text, spot.offset, spot=SourceSpan(spot.offset, text))

    def inside(self, children: Children) -> Inside:
        return Inside(children[0], spot=children[0].spot)

    def near(self, children: Children) -> NearRegion:
        region, distance = children
        return NearRegion(region, distance, spot=region.spot)

    def region(self, children: Children) -> Region:
        spot = spot_of(children[0])
        named = children[0].type == "NAME"
        return Region(type_of(spot.text) if named else " ".join(spot.text.split()), spot=spot)

    # Aggregates over time

    def count(self, children: Children) -> AggregateSyntax:
        word, atom = children
        return AggregateSyntax("COUNT", atom, spot=spot_of(word))

    def count_distinct(self, children: Children) -> AggregateSyntax:
        word, (atom, path) = children
        return AggregateSyntax("COUNT", atom, path, True, spot=spot_of(word))

    def aggregate(self, children: Children) -> AggregateSyntax:
        word, (atom, path) = children
        return AggregateSyntax(str(word).upper(), atom, path, spot=spot_of(word))

    def argument(self, children: Children) -> tuple[AtomSyntax, PathName | None]:
        tokens = list(children)
        path: PathName | None = None
        if tokens[-1].type == "PATH":
            spot = spot_of(tokens.pop())
            path = PathName(spot.text[1:], spot=spot)
        if tokens[0].type == "EMBEDDED":
            return self.embedded(tokens), path
        if path is None and len(tokens) == 1:
            return self._plain_argument(tokens[0])
        return self.event(tokens), path

    def _plain_argument(self, token: Token) -> tuple[EventAtom, PathName | None]:
        """Return type and path of `reading.temperature`: the first step is the type, the rest the
        path.
        """
        spot = spot_of(token)
        first, rest = split_name(spot.text)
        own = replace(spot, text=first)
        path = PathName(rest, spot=SourceSpan(spot.offset + len(first) + 1, rest)) if rest else None
        return EventAtom(type_of(first), spot=own), path

    def slides(self, children: Children) -> Slides:
        aggregate, relation, value, over, *every = children
        return Slides(
            aggregate,
            relation_of(relation),
            value,
            self.length(over),
            self.length(every[0]) if every else None,
            spot=aggregate.spot,
            depth=self._below(aggregate.spot, (aggregate.atom,)),
        )

    def number(self, children: Children) -> Number:
        *sign, digits = children
        value = number_of(str(digits))
        return -value if sign and sign[0].type == "MINUS" else value

    # Clauses

    def for_each(self, children: Children) -> RuleClause:
        return RuleClause("keys", tuple(children), children[0].spot)

    def key(self, children: Children) -> PathName:
        spot = spot_of(children[0])
        return PathName(spot.text, len(children) > 1, spot=spot)

    def where(self, children: Children) -> RuleClause:
        return RuleClause("where", tuple(children), children[0].left.spot)

    def all_within(self, children: Children) -> RuleClause:
        return RuleClause("all_within", self.length(children[0]), spot_of(children[0]))

    def ring(self, children: Children) -> RuleClause:
        said = " ".join(str(children[0]).upper().split())
        return RuleClause("ring", said.removeprefix("RING "), spot_of(children[0]))

    def select(self, children: Children) -> RuleClause:
        return RuleClause("select", tuple(children), children[0].spot)

    def policy(self, children: Children) -> RuleClause:
        return RuleClause("policy", str(children[0]), spot_of(children[0]))

    def horizon(self, children: Children) -> RuleClause:
        return RuleClause("horizon", self.length(children[0]), spot_of(children[0]))

    def length(self, token: Token) -> Length:
        """Return a duration; an invalid one is reported after the whole text is read."""
        spot = spot_of(token)
        try:
            return Length(parse_duration(spot.text), spot=spot)
        except Problem:
            return Length(NO_LENGTH, spot=spot)


def _inside(spot: SourceSpan) -> tuple[str, int]:
    """Return the text between two brackets, without blanks around it, and its offset."""
    text = unmask(spot.text[1:-1])
    return text.strip(), spot.offset + 1 + len(text) - len(text.lstrip())


def _count(digits: str) -> int:
    """Return a number of times; digits beyond every limit are cut."""
    return int(digits[:18])


@dataclass(frozen=True, slots=True)
class RuleLimits(TextLimits):
    """Bytes of text in UTF-8; nesting; parts; keys of FOR EACH; steps in a row; repeats of a part;
    longest duration.

    Each AND and THEN in a row is a level of nesting.
    """

    nesting: int = 100
    parts: int = 1024
    keys: int = 64
    steps: int = 50
    times: int = 10_000
    duration: Duration = LONGEST_WINDOW


exceeded = limit_problems("RuleLimitError")


_CLAUSES = {"keys": "FOR EACH", "where": "WHERE", "all_within": "ALL WITHIN"}
_TOGETHER = {
    "keys": "write the keys with commas: FOR EACH region, customer",
    "where": "join the comparisons with AND",
    "select": "write the values with commas: SELECT a.x, b.y",
}

_GRAMMAR = Grammar(
    CODE,
    syntax_problem,
    exceeded,
    flatter="split the rule, or drop parentheses that change nothing; each AND and THEN is a level",
    shorter="split the rule, or define parts by names and use the names",
    what="rule",
    prepare=mask,
)


def read(text: str, limits: RuleLimits) -> RuleSyntax:
    """Return the syntax tree of a rule."""
    try:
        rule: RuleSyntax = _GRAMMAR.read(_parser(limits.nesting), text, limits)
    except RepeatedClause as found:
        raise _repeated(text, found) from None
    return rule


def _repeated(text: str, found: RepeatedClause) -> SyntaxProblem:
    name, spot = found.clause.name, found.clause.spot
    return SyntaxProblem(
        f"{_CLAUSES.get(name, name.upper())} is there a second time",
        code=CODE,
        place=Place.at(text, spot.offset),
        token=spot.text[:40],
        hint=_TOGETHER.get(name, "leave one of the two out"),
    )


@cache
def _parser(nesting: int) -> Parser:
    return Parser(grammar_of("rule"), RuleTransformer(nesting))
