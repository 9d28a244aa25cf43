"""RDF terms: IRIs, blank nodes and literals, and the comparison of literals.

Two literals are the same term if form, datatype and language agree; they have the same value if
their datatypes are of one family and the values are equal, so `400` and `400.00` are two terms and
one value. A comparison of incomparable values, or with a form that is not valid for its datatype,
gives UNKNOWN, also under negation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import Any, TypeAlias

from tocsin.errors import MeaningProblem
from tocsin.values.time import parse_instant
from tocsin.values.truth import Truth, truth

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
XSD = "http://www.w3.org/2001/XMLSchema#"

RDF_TYPE, RDF_VALUE, LANG_STRING = RDF + "type", RDF + "value", RDF + "langString"
THING, ANY_LITERAL = OWL + "Thing", RDFS + "Literal"
STRING, BOOLEAN, INTEGER, DECIMAL = (
    XSD + "string",
    XSD + "boolean",
    XSD + "integer",
    XSD + "decimal",
)
DOUBLE, FLOAT, DATE_TIME = XSD + "double", XSD + "float", XSD + "dateTime"
DATE = XSD + "date"


@dataclass(frozen=True, slots=True)
class Iri:
    """A resource known by its address."""

    text: str

    def __str__(self) -> str:
        return f"<{self.text}>"


@dataclass(frozen=True, slots=True)
class Blank:
    """A resource known inside one graph only."""

    label: str

    def __str__(self) -> str:
        return f"_:{self.label}"


@dataclass(frozen=True, slots=True)
class Literal:
    """A lexical form with its datatype. `language` is that of `rdf:langString`, in lower case, else
    "".
    """

    lexical: str
    datatype: str = STRING
    language: str = ""

    def __str__(self) -> str:
        quoted = '"' + self.lexical.translate(_ESCAPES) + '"'
        if self.language:
            return f"{quoted}@{self.language}"
        return quoted if self.datatype == STRING else f"{quoted}^^<{self.datatype}>"


_ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"})

Resource: TypeAlias = Iri | Blank
Term: TypeAlias = Iri | Blank | Literal
Triple: TypeAlias = tuple[Resource, str, Term]

HOME = Blank("H")
"""The home vertex of an event's graph that has no name of its own."""

_DERIVED = """
decimal: integer
integer: nonPositiveInteger long nonNegativeInteger
nonPositiveInteger: negativeInteger
long: int
int: short
short: byte
nonNegativeInteger: unsignedLong positiveInteger
unsignedLong: unsignedInt
unsignedInt: unsignedShort
unsignedShort: unsignedByte
string: normalizedString
normalizedString: token
token: language NMTOKEN Name
Name: NCName
NCName: ID IDREF ENTITY
dateTime: dateTimeStamp
duration: yearMonthDuration dayTimeDuration
Literal: string boolean decimal float double dateTime duration date time
Literal: gYear gYearMonth gMonth gMonthDay gDay
Literal: hexBinary base64Binary anyURI QName NOTATION
"""


def _parents(table: str) -> dict[str, str]:
    pairs = (line.split(": ") for line in table.strip().splitlines())
    found = {XSD + child: XSD + parent for parent, children in pairs for child in children.split()}
    return {
        child: ANY_LITERAL if parent == XSD + "Literal" else parent
        for child, parent in found.items()
    }


DATATYPE_PARENT: Mapping[str, str] = {**_parents(_DERIVED), LANG_STRING: ANY_LITERAL}
"""The datatype that a built-in one is derived from; rdfs:Literal is above all.

From XML Schema 1.1 part 2, section 3.
"""


class Family(Enum):
    """Values of one family compare; OTHER values are equal only where they are the same term.

    A LOCAL_TIME or LOCAL_DATE has no zone. With an instant, or a date that has one, it compares
    where the two differ by more than any zone can make up for (XML Schema part 2, 3.2.7.4).
    """

    NUMBER = "number"
    STRING = "string"
    BOOLEAN = "boolean"
    INSTANT = "instant"
    LOCAL_TIME = "local time"
    DATE = "date"
    LOCAL_DATE = "local date"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class LiteralValue:
    """The value of a literal: an exact number, a text, a truth value, an instant, or an opaque
    term.
    """

    family: Family
    content: Hashable


_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_FLOATING = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?INF|NaN")
_DATE_TIME = re.compile(
    r"-?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
    r"(Z|[+-][0-9]{2}:[0-9]{2})?"
)
_DATE = re.compile(r"(-?[0-9]{4,}-[0-9]{2}-[0-9]{2})(Z|[+-][0-9]{2}:[0-9]{2})?")
_ZONED = {Family.LOCAL_TIME: Family.INSTANT, Family.LOCAL_DATE: Family.DATE}
_WIDEST_ZONE = 14 * 3_600_000_000
"""Largest offset of a zone from UTC, in microseconds."""
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_ALL = (None, None)
_RANGES: Mapping[str, tuple[int | None, int | None]] = {
    "integer": _ALL,
    "nonPositiveInteger": (None, 0),
    "negativeInteger": (None, -1),
    "nonNegativeInteger": (0, None),
    "positiveInteger": (1, None),
    "long": (-(2**63), 2**63 - 1),
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-(2**7), 2**7 - 1),
    "unsignedLong": (0, 2**64 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 2**8 - 1),
}


def value_of(literal: Literal) -> LiteralValue | None:
    """Return the value of a literal, or None if its form is not valid for its datatype.

    A float is the decimal number that is written, not the nearest binary one: `0.1` is the same in
    every datatype.
    """
    return _kept_value(literal) if len(literal.lexical) <= _MAX_CACHED_LENGTH else _value(literal)


_MAX_CACHED_LENGTH = 100
"""Longest form with a cached value: long texts of events must not stay in memory."""


def _value(literal: Literal) -> LiteralValue | None:
    reader = _READERS.get(literal.datatype)
    if reader is None:
        return LiteralValue(Family.OTHER, literal)
    return reader(literal.lexical)


_kept_value = lru_cache(maxsize=1 << 14)(_value)


def same_value(one: Literal, other: Literal) -> bool:
    """True if two literals are the same term, or two well-formed ones of equal value."""
    if one == other:
        return True
    left = value_of(one)
    return left is not None and left == value_of(other)


def compare(one: Term, relation: str, other: Term) -> Truth:
    """Return the truth of `one relation other` by section 3.3.

    Numbers compare exactly, texts by code point, instants by time, dates by their first instant. A
    resource equals itself only and has no order, as in SPARQL.
    """
    if not (isinstance(one, Literal) and isinstance(other, Literal)):
        return truth((one == other) == (relation == "=")) if relation in _EQUALITY else _UNKNOWN
    left, right = value_of(one), value_of(other)
    if left is None or right is None:
        return _UNKNOWN
    if left.family is not right.family:
        return _compared_zones(left, relation, right)
    if left.family is Family.OTHER:
        return truth(relation == "=") if left == right and relation in _EQUALITY else _UNKNOWN
    if left.family is Family.BOOLEAN and relation not in _EQUALITY:
        return _UNKNOWN
    return truth(_compared(left.content, relation, right.content))


def _compared_zones(left: LiteralValue, relation: str, right: LiteralValue) -> Truth:
    """Return the truth for two times of which one has no zone.

    UNKNOWN if a zone could decide, and for all other values of two families.
    """
    is_pair = right.family is _ZONED.get(left.family) or left.family is _ZONED.get(right.family)
    if not is_pair:
        return _UNKNOWN
    assert isinstance(left.content, int)
    assert isinstance(right.content, int)
    if abs(left.content - right.content) <= _WIDEST_ZONE:
        return _UNKNOWN
    return truth(_compared(left.content, relation, right.content))


def plain_value(term: Term) -> str | int | float | bool:
    """Return a term as plain data for bindings.

    The number, truth value or text of a literal, the IRI, or `_:label`.
    """
    if not isinstance(term, Literal):
        return term.text if isinstance(term, Iri) else str(term)
    value = value_of(term)
    if value is None or value.family not in (Family.NUMBER, Family.BOOLEAN):
        return term.lexical
    if isinstance(value.content, bool):
        return value.content
    number = value.content
    assert isinstance(number, Decimal)
    return _plain_number(number, term.lexical)


_RELATIONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
    "=": eq,
    "!=": ne,
}
_EQUALITY = ("=", "!=")
_UNKNOWN = Truth.UNKNOWN
_LARGEST_EXPONENT = 300


def _compared(left: Any, relation: str, right: Any) -> bool:
    if isinstance(left, Decimal) and (left.is_nan() or right.is_nan()):
        return relation == "!="
    return _RELATIONS[relation](left, right)


def _plain_number(number: Decimal, lexical: str) -> str | int | float:
    if not number.is_finite() or abs(number.adjusted()) > _LARGEST_EXPONENT:
        return lexical
    return int(number) if number == number.to_integral_value() else float(number)


def _number(
    form: re.Pattern[str], low: int | None = None, high: int | None = None
) -> Callable[[str], LiteralValue | None]:
    def read(lexical: str) -> LiteralValue | None:
        text = lexical.strip(" \t\r\n")
        if form.fullmatch(text) is None:
            return None
        try:
            number = Decimal(text)
        except InvalidOperation:  # an exponent that no decimal has
            return None
        if (low is not None and number < low) or (high is not None and number > high):
            return None
        return LiteralValue(Family.NUMBER, number)

    return read


def _text(lexical: str) -> LiteralValue:
    return LiteralValue(Family.STRING, lexical)


def _truth_value(lexical: str) -> LiteralValue | None:
    found = _TRUTHS.get(lexical.strip(" \t\r\n"))
    return None if found is None else LiteralValue(Family.BOOLEAN, found)


def _instant(lexical: str) -> LiteralValue | None:
    """Return an instant in microseconds; without a zone it is a local time, counted as UTC."""
    text = lexical.strip(" \t\r\n")
    found = _DATE_TIME.fullmatch(text)
    if found is None:
        return None
    return _at(text, found[1], Family.INSTANT, Family.LOCAL_TIME)


def _date(lexical: str) -> LiteralValue | None:
    """Return the first instant of a day, in microseconds; without a zone counted as UTC."""
    found = _DATE.fullmatch(lexical.strip(" \t\r\n"))
    if found is None:
        return None
    return _at(f"{found[1]}T00:00:00{found[2] or ''}", found[2], Family.DATE, Family.LOCAL_DATE)


def _at(text: str, zone: str | None, zoned: Family, local: Family) -> LiteralValue | None:
    try:
        return LiteralValue(zoned if zone else local, parse_instant(text if zone else f"{text}Z"))
    except MeaningProblem:
        return None


def _readers() -> dict[str, Callable[[str], LiteralValue | None]]:
    readers: dict[str, Callable[[str], LiteralValue | None]] = {
        DECIMAL: _number(_DECIMAL),
        FLOAT: _number(_FLOATING),
        DOUBLE: _number(_FLOATING),
        BOOLEAN: _truth_value,
        DATE_TIME: _instant,
        XSD + "dateTimeStamp": _instant,
        DATE: _date,
    }
    readers |= {XSD + name: _number(_WHOLE, low, high) for name, (low, high) in _RANGES.items()}
    readers |= {name: _text for name in DATATYPE_PARENT if _is_text(name)}
    return readers


def _is_text(datatype: str) -> bool:
    while datatype in DATATYPE_PARENT:
        if datatype == STRING:
            return True
        datatype = DATATYPE_PARENT[datatype]
    return False


_READERS: Mapping[str, Callable[[str], LiteralValue | None]] = _readers()
