"""Grammar rules to conditions and values: the known functions, with the number of arguments.

Also what both transformers share: texts without their quotes, errors at a token, and the limits. A
text beyond a limit is refused with ExmlqlLimitError.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from tocsin.languages.base.grammar import Children, NestingTransformer, TextLimits, limit_problems
from tocsin.languages.base.parsing import Token
from tocsin.languages.base.texts import SourceSpan, did_you_mean, nearest, spot_of
from tocsin.languages.exmlql.syntax import (
    SYNTAX_CODE,
    AmongUse,
    CallUse,
    Condition,
    ConditionItem,
    ConstantUse,
    ContentText,
    ExmlqlComparison,
    Junction,
    LikeUse,
    Term,
    VariableUse,
)
from tocsin.plan.xml.row_evaluation import ARITHMETIC, FUNCTION_NAMES, FUNCTIONS, IF
from tocsin.values.formats import format_of

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Misplaced(Exception):
    """Raised for a token that the grammar allows and the language does not, with a hint."""

    def __init__(self, spot: SourceSpan, message: str, hint: str, code: str = SYNTAX_CODE) -> None:
        super().__init__(spot, message, hint)
        self.spot = spot
        self.message = message
        self.hint = hint
        self.code = code


class TooMany(Exception):
    """Raised at the token that passes a limit, with a hint."""

    def __init__(self, spot: SourceSpan, message: str, hint: str) -> None:
        super().__init__(spot, message, hint)
        self.spot = spot
        self.message = message
        self.hint = hint


def unquote(token: Token) -> str:
    """Return the text of a token in double quotes; two of them stand for one inside."""
    return require_xml(str(token)[1:-1].replace('""', '"'), spot_of(token))


def require_xml(text: str, spot: SourceSpan) -> str:
    """Return the text; raise if XML cannot hold it."""
    found = _NOT_XML.search(text)
    if found:
        raise Misplaced(
            spot, f"no XML document can hold the character {found[0]!a}", "leave it out"
        )
    return text


FUNCTION_CODE = "UnknownFunction"
ARGUMENT_CODE = "FunctionArgumentError"
_RELATIONS = {"≠": "!=", "≤": "<=", "≥": ">="}
_SIGNED = re.compile(r"[0-9]")


class TermTransformer(NestingTransformer):
    """Callbacks for conditions and values."""

    def condition(self, children: Children) -> ConditionItem:
        return ConditionItem(children[0])

    def any_of(self, children: Children) -> Junction:
        return self._junction("OR", children)

    def all_of(self, children: Children) -> Junction:
        return self._junction("AND", children)

    def not_of(self, children: Children) -> Junction:
        return self._junction("NOT", children[1:])

    def condition_group(self, children: Children) -> Condition:
        condition: Condition = children[1]
        self._watch(condition.depth + 1, spot_of(children[0]))
        return condition

    def comparison(self, children: Children) -> ExmlqlComparison:
        left, relation, right = children
        return ExmlqlComparison(
            left, _RELATIONS.get(relation, str(relation)), right, self._deeper(left, right)
        )

    def like(self, children: Children) -> LikeUse:
        value, *words = children
        texts = [
            ContentText(unquote(each), spot_of(each)) for each in words if each.type == "STRING"
        ]
        escape = texts[1] if len(texts) > 1 else None
        return LikeUse(value, texts[0], escape, words[0].type == "NOT_WORD", self._deeper(value))

    def among(self, children: Children) -> AmongUse:
        value, *rest = children
        negated = rest[0].type == "NOT_WORD"
        among = tuple(_operand(each) for each in rest[2 if negated else 1 :])
        return AmongUse(value, among, negated, self._deeper(value, *among))

    def variable_value(self, children: Children) -> VariableUse:
        return VariableUse(spot_of(children[0]))

    def text_value(self, children: Children) -> ConstantUse:
        return ConstantUse(unquote(children[0]), spot_of(children[0]))

    def number_value(self, children: Children) -> ConstantUse:
        return ConstantUse(str(children[0]), spot_of(children[0]))

    def signed(self, children: Children) -> Term:
        """Return a signed value: a sign before a number is part of it, else it is an operator."""
        sign, operand = spot_of(children[0]), children[1]
        if isinstance(operand, ConstantUse) and _SIGNED.match(operand.spot.text):
            text = operand.text if sign.text == "+" else f"-{operand.text}"
            return ConstantUse(text, SourceSpan(sign.offset, sign.text + operand.spot.text))
        self._watch(operand.depth + 1, sign)
        return CallUse(sign, (operand,), operand.depth + 1)

    def arithmetic(self, children: Children) -> CallUse:
        left, operator, right = children
        return CallUse(spot_of(operator), (left, right), self._deeper(left, right))

    def group_value(self, children: Children) -> Term:
        opening, inner = children
        term: Term = inner
        self._watch(term.depth + 1, spot_of(opening))
        return term

    def call(self, children: Children) -> CallUse:
        """Return a call, checked if it is of a known function; other names may be Skolem terms."""
        opening, *arguments = children
        name = str(opening)[:-1].strip()
        function = SourceSpan(spot_of(opening).offset, name)
        depth = 1 + max((each.depth for each in arguments), default=0)
        self._watch(depth, function)
        call = CallUse(function, tuple(arguments), depth)
        if is_function(call):
            _check_arguments(call)
        else:
            _check_near_function(call)
        return call

    def _junction(self, word: str, parts: Children) -> Junction:
        return Junction(word, tuple(parts), self._deeper(*parts))

    def _deeper(self, *parts: Any) -> int:
        depth: int = 1 + max(part.depth for part in parts)
        self._watch(depth, _spot_in(parts[-1]))
        return depth


def is_function(call: CallUse) -> bool:
    """True if the call is of a function or operator, False for a Skolem term."""
    return call.function.text in FUNCTION_NAMES or call.function.text in ARITHMETIC


def unknown_function(name: SourceSpan) -> Misplaced:
    """Return the problem of a name that is not a function."""
    known = f"the functions are {', '.join(sorted(FUNCTION_NAMES))};"
    mean = did_you_mean(name.text.lower(), FUNCTION_NAMES, 0.7, otherwise=known)
    hint = f'{mean} a text that looks like a call goes in double quotes: "{name.text}(...)"'
    return Misplaced(name, f"there is no function {name.text}", hint, FUNCTION_CODE)


def _check_near_function(call: CallUse) -> None:
    """Refuse a Skolem term whose name is nearly that of a function."""
    name = call.function.text
    if name[:1].islower() and nearest(name.lower(), FUNCTION_NAMES, 0.75):
        raise unknown_function(call.function)


def _check_arguments(call: CallUse) -> None:
    name, given = call.function.text, len(call.arguments)
    least, most = (3, 3) if name == IF else (FUNCTIONS[name].least, FUNCTIONS[name].most)
    if given < least or (most is not None and given > most):
        raise _wrong_arguments(call, f"takes {_number(least, most)}, got {given}")
    if name == IF:
        if not isinstance(call.arguments[0], Condition):
            raise _wrong_arguments(call, "takes a condition first, as in if($x > 5, 1, 0)")
        operands = call.arguments[1:]
    else:
        operands = call.arguments
    for each in operands:
        _operand(each)
    pattern = call.arguments[-1]
    if name == "format" and isinstance(pattern, ConstantUse) and format_of(pattern.text) is None:
        message = f"{pattern.text!r} is no pattern"
        hint = (
            'write numbers like "#,##0.00" and dates like "dd.MM.yyyy HH:mm"; other letters go in'
            " single quotes"
        )
        raise Misplaced(pattern.spot, message, hint, ARGUMENT_CODE)


def _operand(term: Term) -> Term:
    """Return the term; raise if it is a condition."""
    if isinstance(term, Condition):
        hint = "a condition is a value only as the first argument of if: if($x > 5, 1, 0)"
        raise Misplaced(
            _spot_in(term), "a condition stands where a value is expected", hint, ARGUMENT_CODE
        )
    return term


def _wrong_arguments(call: CallUse, what: str) -> Misplaced:
    name = call.function.text
    return Misplaced(call.function, f"{name} {what}", f"write {_USAGE[name]}", ARGUMENT_CODE)


def _number(least: int, most: int | None) -> str:
    if most is None:
        return f"{least} argument or more"
    if least == most:
        return "1 argument" if least == 1 else f"{least} arguments"
    return f"{least} or {most} arguments"


def _spot_in(term: Term) -> SourceSpan:
    """Return a place inside a term."""
    match term:
        case ConstantUse(spot=spot) | VariableUse(spot):
            return spot
        case CallUse(function):
            return function
        case ExmlqlComparison(left) | LikeUse(left) | AmongUse(left):
            return _spot_in(left)
        case Junction(_, parts):
            return _spot_in(parts[0])


_USAGE = {
    "abs": "abs($number)",
    "concat": 'concat($a, " ", $b)',
    "date": "date($text)",
    "format": 'format($number, "0.00") or format($date, "dd.MM.yyyy")',
    "if": "if($x > 5, 1, 0)",
    "length": "length($text)",
    "lower": "lower($text)",
    "number": "number($text)",
    "replace": 'replace($text, "old", "new")',
    "round": "round($number) or round($number, 2)",
    "string": "string($element)",
    "substring": "substring($text, 1, 3)",
    "trim": "trim($text)",
    "upper": "upper($text)",
}


@dataclass(frozen=True, slots=True)
class ExmlqlLimits(TextLimits):
    """Bytes of text in UTF-8, nesting, and the elements, conditions, functions and blocks of a
    text.

    `steps` are those of one regular path, `queries` is the nesting depth of queries.
    """

    deepest: ClassVar[int | None] = 100

    parts: int = 1024
    steps: int = 64
    queries: int = 8


exceeded = limit_problems("ExmlqlLimitError")
