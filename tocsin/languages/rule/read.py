"""Text to syntax tree within the limits; every failure is a problem with its place."""

from __future__ import annotations

from functools import cache

from tocsin.errors import Place, SyntaxProblem
from tocsin.languages.base.grammar import Grammar, grammar_of
from tocsin.languages.base.parsing import Parser
from tocsin.languages.rule.embedded_texts import CODE, mask
from tocsin.languages.rule.limits import RuleLimits, exceeded
from tocsin.languages.rule.syntax import RuleSyntax
from tocsin.languages.rule.syntax_errors import syntax_problem
from tocsin.languages.rule.transformer import RepeatedClause, RuleTransformer

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
