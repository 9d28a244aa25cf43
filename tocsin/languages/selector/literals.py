"""Names and literals as paths and constants. Whole numbers are exact, others the nearest double."""

from __future__ import annotations

import math
import re

from tocsin.errors import Place, Problem
from tocsin.languages.base.texts import SourceSpan
from tocsin.languages.selector.problems import Limits, exceeded, form_problem
from tocsin.languages.selector.syntax import LiteralKind, SelectorLiteral
from tocsin.values.scalars import ENVELOPE, Constant, Path

ENVELOPE_NAMES = frozenset(
    ("id", "source", "type", "time", "endtime", "subject", "datacontenttype", "dataschema")
)

_STEP = re.compile(r"`([^`]+)`|([^.`]+)")
_WHOLE = re.compile(r"[0-9]+")
_JAVA_WHOLE = re.compile(
    r"(?P<hex>0x[0-9a-f]+)l?|(?P<octal>0[0-7]+)l?|(?P<decimal>0|[1-9][0-9]*)l?", re.IGNORECASE
)
_JAVA_FRACTION = re.compile(r"([0-9.]+(?:e[+-]?[0-9]+)?)[df]?", re.IGNORECASE)
_BASES = {"hex": 16, "octal": 8, "decimal": 10}


def path_of(name: str) -> Path:
    """Return the path of a name.

    `ce_id` and its like lead into the envelope, dots into objects, backticks make one step.
    """
    return envelope_path(name) or tuple(quoted or plain for quoted, plain in _STEP.findall(name))


def envelope_path(name: str) -> Path:
    """Return the path of a name in the envelope, or () for other names."""
    prefix, _, rest = name.partition("_")
    return (ENVELOPE, rest) if prefix == "ce" and rest in ENVELOPE_NAMES else ()


def constant_of(literal: SelectorLiteral, text: str, limits: Limits, java: bool) -> Constant:
    """Return the constant of a literal; raise if a number is malformed or too large."""
    written = literal.spot.text
    match literal.kind:
        case LiteralKind.BOOLEAN:
            return Constant.of(written.upper() == "TRUE")
        case LiteralKind.STRING:
            quote = written[0]
            return Constant.of(written[1:-1].replace(quote * 2, quote))
        case LiteralKind.NUMBER:
            if len(written) > limits.digits:
                raise _too_large(literal.spot, text, f"a number has at most {limits.digits} digits")
            return Constant.of(
                _java_number(literal.spot, text) if java else _number(literal.spot, text)
            )


def _number(spot: SourceSpan, text: str) -> int | float:
    return int(spot.text) if _WHOLE.fullmatch(spot.text) else _double(spot.text, spot, text)


def _java_number(spot: SourceSpan, text: str) -> int | float:
    if whole := _JAVA_WHOLE.fullmatch(spot.text):
        form = whole.lastgroup or "decimal"
        return int(whole[form], _BASES[form])
    fraction = _JAVA_FRACTION.fullmatch(spot.text)
    if fraction is None or _WHOLE.fullmatch(spot.text):
        raise form_problem(
            text,
            spot,
            f"{spot.text} is not a number of the jms dialect",
            "write it like 57, 0x39, 071, 57L, 5.7 or 7E3",
        )
    return _double(fraction[1], spot, text)


def _double(written: str, spot: SourceSpan, text: str) -> float:
    value = float(written)
    if math.isinf(value):
        raise _too_large(spot, text, "a number with a fraction or an exponent is a double")
    return value


def _too_large(spot: SourceSpan, text: str, hint: str) -> Problem:
    return exceeded("the number is too large", Place.at(text, spot.offset), hint, spot.text[:40])
