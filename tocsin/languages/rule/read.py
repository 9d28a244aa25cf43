"""Text to syntax tree within the limits; every failure is a problem with its place.

A text beyond a limit is refused with RuleLimitError and the reason, before it can cost anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tocsin.errors import Place, SyntaxProblem
from tocsin.languages.base.grammar import Grammar, TextLimits, grammar_of, limit_problems
from tocsin.languages.base.parsing import Parser
from tocsin.languages.rule.embedded_texts import CODE, mask
from tocsin.languages.rule.syntax import RuleSyntax
from tocsin.languages.rule.syntax_errors import syntax_problem
from tocsin.languages.rule.transformer import RepeatedClause, RuleTransformer
from tocsin.plan.nodes.expressions import LONGEST_WINDOW
from tocsin.values.time import Duration


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
