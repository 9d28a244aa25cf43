"""From text to syntax within the limits; every way to fail is a Problem with its place."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from tocsin.errors import Place, SyntaxProblem
from tocsin.languages.parsing import Parser, Unexpected
from tocsin.languages.rule.inner_texts import CODE, disguise
from tocsin.languages.rule.limits import Limits, exceeded
from tocsin.languages.rule.syntax import Rule
from tocsin.languages.rule.syntax_errors import syntax_problem
from tocsin.languages.rule.transformer import RepeatedClause, Transformer
from tocsin.languages.texts import TooDeep, refuse_long

_SHORTER = "split the rule, or define parts by names and use the names"
_CLAUSES = {"keys": "FOR EACH", "where": "WHERE", "all_within": "ALL WITHIN"}
_TOGETHER = {
    "keys": "write the keys with commas: FOR EACH region, customer",
    "where": "join the comparisons with AND",
    "select": "write the values with commas: SELECT a.x, b.y",
}


def read(text: str, limits: Limits) -> Rule:
    """The syntax of a rule."""
    refuse_long(text, limits.text_bytes, CODE, exceeded, "rule", _SHORTER)
    try:
        rule: Rule = _parser(limits.nesting).read(disguise(text))
    except Unexpected as found:
        raise syntax_problem(text, found) from None
    except TooDeep as found:
        raise exceeded(
            f"the rule nests deeper than {limits.nesting} levels",
            Place.at(text, found.offset),
            "drop parentheses that change nothing, or define a part by a name and use the name",
        ) from None
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
    grammar = files("tocsin.languages.rule") / "grammar.lark"
    return Parser(grammar.read_text(encoding="utf-8"), Transformer(nesting))
