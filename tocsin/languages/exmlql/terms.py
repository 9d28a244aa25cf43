"""Lowering of conditions and values; unknown functions and invalid LIKE patterns are problems."""

from __future__ import annotations

from typing import assert_never

from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.exmlql.problems import SYNTAX_CODE
from tocsin.languages.exmlql.syntax import (
    AmongUse,
    CallUse,
    Condition,
    ConstantUse,
    ExmlqlComparison,
    Junction,
    LikeUse,
    Term,
    VariableUse,
)
from tocsin.languages.exmlql.term_transformer import is_function, unknown_function
from tocsin.plan.xml.row_functions import IF
from tocsin.plan.xml.row_terms import (
    ChoiceValue,
    FunctionValue,
    Operand,
    RowAll,
    RowAny,
    RowCondition,
    RowNot,
    TextValue,
    ValueAmong,
    ValueLike,
    VariableValue,
    make_comparison,
)
from tocsin.values.like import LikePattern, Token, Wild

_WILD: dict[str, Token] = {"%": Wild.ANY_RUN, "_": Wild.ANY_ONE}


class TermReader:
    """Lowering of the conditions and values of one subscription."""

    def __init__(self, problems: ProblemCollector) -> None:
        self._problems = problems

    def condition(self, term: Condition) -> RowCondition:
        """Return the row condition of a term."""
        match term:
            case ExmlqlComparison(left, relation, right):
                return make_comparison(self.operand(left), relation, self.operand(right))
            case LikeUse(value, _, _, negated):
                like = ValueLike(self.operand(value), self._pattern(term))
                return RowNot(like) if negated else like
            case AmongUse(value, among, negated):
                one_of = ValueAmong(self.operand(value), tuple(map(self.operand, among)))
                return RowNot(one_of) if negated else one_of
            case Junction("NOT", (inner,)):
                return RowNot(self._inner(inner))
            case Junction("AND", parts):
                return RowAll(tuple(map(self._inner, parts)))
            case Junction(_, parts):
                return RowAny(tuple(map(self._inner, parts)))
            case _:
                assert_never(term)

    def operand(self, term: Term) -> Operand:
        """Return the operand of a term."""
        match term:
            case ConstantUse(text):
                return TextValue(text)
            case VariableUse(spot):
                return VariableValue(spot.text)
            case CallUse(function, (condition, then, otherwise)) if function.text == IF:
                return ChoiceValue(
                    self._inner(condition), self.operand(then), self.operand(otherwise)
                )
            case CallUse(function, arguments):
                if not is_function(term):
                    unknown = unknown_function(function)
                    self._problems.add(unknown.code, function, unknown.message, unknown.hint)
                return FunctionValue(function.text, tuple(map(self.operand, arguments)))
            case _:
                raise AssertionError(f"a condition is no value: {term}")

    def _inner(self, term: Term) -> RowCondition:
        assert isinstance(term, Condition)
        return self.condition(term)

    def _pattern(self, like: LikeUse) -> LikePattern:
        escape = like.escape.text if like.escape else None
        if like.escape and (len(like.escape.text) != 1 or like.escape.text in _WILD):
            hint = 'ESCAPE takes one character that is no wildcard, as in LIKE "100!%" ESCAPE "!"'
            self._problems.add(
                SYNTAX_CODE, like.escape.spot, f"{like.escape.text!r} cannot escape", hint
            )
            escape = None
        tokens: list[Token] = []
        characters = iter(like.pattern.text)
        for character in characters:
            if character != escape:
                tokens.append(_WILD.get(character, character))
                continue
            escaped = next(characters, "")
            if escaped not in (*_WILD, escape):
                hint = f"{escape} stands before %, _ or itself; to mean {escape}, write it twice"
                self._problems.add(
                    SYNTAX_CODE, like.pattern.spot, f"{escape} escapes nothing", hint
                )
            tokens.append(escaped)
        return LikePattern.of(tokens)
