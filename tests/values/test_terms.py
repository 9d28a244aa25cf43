"""Literals compare by value within a family of datatypes; everything else is unknown, also under
negation.
"""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import MeaningProblem
from tocsin.values.media_types import TURTLE
from tocsin.values.rdf import read_rdf
from tocsin.values.regex import Search
from tocsin.values.terms import (
    ANY_LITERAL,
    BOOLEAN,
    DATATYPE_PARENT,
    DATE_TIME,
    DECIMAL,
    DOUBLE,
    FLOAT,
    INTEGER,
    LANG_STRING,
    XSD,
    Blank,
    Family,
    Iri,
    Literal,
    Term,
    compare,
    plain_value,
    same_value,
    value_of,
)
from tocsin.values.truth import Truth

T, F, U = Truth.TRUE, Truth.FALSE, Truth.UNKNOWN


@pytest.mark.parametrize(
    ("one", "relation", "other", "truth"),
    [
        (Literal("400", INTEGER), "=", Literal("400.00", DECIMAL), T),
        (Literal("400", INTEGER), "<", Literal("400.00", DECIMAL), F),
        (Literal("0.1", DOUBLE), "=", Literal("0.1", DECIMAL), T),
        (Literal("1e2", DOUBLE), "=", Literal("100", INTEGER), T),
        (Literal(" 5 ", INTEGER), "=", Literal("5", INTEGER), T),
        (Literal("9007199254740993", INTEGER), "=", Literal("9007199254740992", DECIMAL), F),
        (Literal("INF", DOUBLE), ">", Literal("1e300", DOUBLE), T),
        (Literal("NaN", DOUBLE), "=", Literal("NaN", DOUBLE), F),
        (Literal("NaN", DOUBLE), "!=", Literal("1", INTEGER), T),
        (Literal("NaN", DOUBLE), "<", Literal("1", INTEGER), F),
        (Literal("5", INTEGER), "=", Literal("5"), U),
        (Literal("5", INTEGER), "!=", Literal("5"), U),
        (Literal("a"), "<", Literal("b"), T),
        (Literal("Z"), "<", Literal("a"), T),
        (Literal("\uffff"), "<", Literal("\U00010000"), T),
        (Literal("a", XSD + "token"), "=", Literal("a"), T),
        (Literal("a", LANG_STRING, "en"), "=", Literal("a"), U),
        (Literal("a", LANG_STRING, "en"), "=", Literal("a", LANG_STRING, "en"), T),
        (Literal("a", LANG_STRING, "en"), "=", Literal("a", LANG_STRING, "fr"), U),
        (Literal("true", BOOLEAN), "=", Literal("1", BOOLEAN), T),
        (Literal("true", BOOLEAN), "!=", Literal("false", BOOLEAN), T),
        (Literal("true", BOOLEAN), ">", Literal("false", BOOLEAN), U),
        (
            Literal("2026-01-01T12:00:00Z", DATE_TIME),
            "=",
            Literal("2026-01-01T13:00:00+01:00", DATE_TIME),
            T,
        ),
        (
            Literal("2026-01-01T12:00:00Z", DATE_TIME),
            "<",
            Literal("2026-01-01T12:00:00.5Z", DATE_TIME),
            T,
        ),
        (
            Literal("2026-01-01T12:00:00", DATE_TIME),
            "<",
            Literal("2026-01-01T13:00:00Z", DATE_TIME),
            U,
        ),
        (
            Literal("2026-01-01T12:00:00", DATE_TIME),
            "=",
            Literal("2026-01-01T12:00:00.0", DATE_TIME),
            T,
        ),
        (
            Literal("2026-01-01T12:00:00", DATE_TIME),
            "<",
            Literal("2026-01-02T02:00:00Z", DATE_TIME),
            U,
        ),
        (
            Literal("2026-01-01T12:00:00", DATE_TIME),
            "<",
            Literal("2026-01-02T02:00:00.000001Z", DATE_TIME),
            T,
        ),
        (
            Literal("2026-01-03T12:00:00Z", DATE_TIME),
            "=",
            Literal("2026-01-02T02:00:00", DATE_TIME),
            F,
        ),
        (
            Literal("2026-13-01T12:00:00Z", DATE_TIME),
            "=",
            Literal("2026-13-01T12:00:00Z", DATE_TIME),
            U,
        ),
        (Literal("2026-01-01", XSD + "date"), "=", Literal("2026-01-01", XSD + "date"), T),
        (Literal("2026-01-01", XSD + "date"), "<", Literal("2026-01-02", XSD + "date"), T),
        (Literal("2026-01-01", XSD + "date"), "!=", Literal("2026-01-02", XSD + "date"), T),
        (Literal("2026-01-01", XSD + "date"), "=", Literal("2026-01-01Z", XSD + "date"), U),
        (Literal("2026-01-01", XSD + "date"), "!=", Literal("2026-01-01Z", XSD + "date"), U),
        (Literal("2026-01-01", XSD + "date"), "<", Literal("2026-01-02Z", XSD + "date"), T),
        (
            Literal("2002-10-10+13:00", XSD + "date"),
            "=",
            Literal("2002-10-09-11:00", XSD + "date"),
            T,
        ),
        (Literal("2026-01-01", XSD + "date"), "<", Literal("2026-01-02T00:00:00", DATE_TIME), U),
        (Literal("2026-02-30", XSD + "date"), "<", Literal("2026-03-02", XSD + "date"), U),
        (Literal("abc", DECIMAL), "!=", Literal("5", DECIMAL), U),
        (Literal("1e5", DECIMAL), "=", Literal("100000", DECIMAL), U),
        (Literal("300", XSD + "byte"), "=", Literal("300", INTEGER), U),
        (Literal("-1", XSD + "unsignedInt"), "=", Literal("-1", INTEGER), U),
        (Literal("-1", XSD + "negativeInteger"), "=", Literal("-1", INTEGER), T),
        (Literal("1e" + "9" * 30, DOUBLE), ">", Literal("1", INTEGER), U),
        (Literal("5", INTEGER), "=", Iri("http://x/"), F),
        (Literal("5", INTEGER), "!=", Iri("http://x/"), T),
        (Literal("5", INTEGER), "<", Iri("http://x/"), U),
        (Iri("http://x/"), "=", Iri("http://x/"), T),
        (Iri("http://x/"), "!=", Iri("http://x/"), F),
        (Blank("x"), "!=", Iri("http://x/"), T),
        (Blank("x"), "<", Blank("y"), U),
    ],
)
def test_comparison(one: Term, relation: str, other: Term, truth: Truth) -> None:
    assert compare(one, relation, other) is truth


def test_the_same_term_has_the_same_value_even_where_it_is_none() -> None:
    assert same_value(Literal("abc", DECIMAL), Literal("abc", DECIMAL))
    assert not same_value(Literal("abc", DECIMAL), Literal("abd", DECIMAL))
    assert same_value(Literal("350.00", DECIMAL), Literal("350", INTEGER))
    assert not same_value(Literal("350"), Literal("350", INTEGER))


@pytest.mark.parametrize(
    ("datatype", "above"),
    [
        ("byte", ["short", "int", "long", "integer", "decimal"]),
        (
            "unsignedByte",
            [
                "unsignedShort",
                "unsignedInt",
                "unsignedLong",
                "nonNegativeInteger",
                "integer",
                "decimal",
            ],
        ),
        ("positiveInteger", ["nonNegativeInteger", "integer", "decimal"]),
        ("NCName", ["Name", "token", "normalizedString", "string"]),
        ("dateTimeStamp", ["dateTime"]),
        ("dayTimeDuration", ["duration"]),
        ("double", []),
    ],
)
def test_derivation_of_datatypes(datatype: str, above: list[str]) -> None:
    found, name = [], XSD + datatype
    while (name := DATATYPE_PARENT[name]) != ANY_LITERAL:
        found.append(name.removeprefix(XSD))
    assert found == above


NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, places=4)


@given(NUMBERS, NUMBERS, st.sampled_from([DECIMAL, DOUBLE]), st.sampled_from([DECIMAL, FLOAT]))
def test_numbers_compare_exactly_across_datatypes(
    one: Decimal, other: Decimal, left: str, right: str
) -> None:
    written = [Literal(f"{one:f}", left), Literal(f"{other:f}", right)]
    assert (compare(written[0], "<", written[1]) is T) == (one < other)
    assert same_value(*written) == (one == other)


@given(st.text(), st.sampled_from([*DATATYPE_PARENT, "http://x/type"]))
def test_any_literal_has_a_value_or_none_and_is_written_so_that_it_can_be_read(
    lexical: str, datatype: str
) -> None:
    literal = Literal(lexical, datatype, "en" if datatype == LANG_STRING else "")
    value = value_of(literal)
    assert value is None or isinstance(value.family, Family)
    assert isinstance(plain_value(literal), str | int | float | bool)
    if lexical.isprintable() or lexical.isspace():
        read = read_rdf(f"<http://x/s> <http://x/p> {literal} .", TURTLE).triples
        assert read == ((Iri("http://x/s"), "http://x/p", literal),)


@pytest.mark.parametrize(
    ("literal", "plain"),
    [
        (Literal("350", INTEGER), 350),
        (Literal("350.50", DECIMAL), 350.5),
        (Literal("350.00", DECIMAL), 350),
        (Literal("x"), "x"),
        (Literal("true", BOOLEAN), True),
        (Literal("abc", DECIMAL), "abc"),
        (Literal("1e999", DOUBLE), "1e999"),
        (Literal("INF", DOUBLE), "INF"),
        (Iri("http://x/"), "http://x/"),
    ],
)
def test_plain_values(literal: Literal | Iri, plain: object) -> None:
    assert plain_value(literal) == plain
    assert type(plain_value(literal)) is type(plain)


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "found"),
    [
        ("b", "", "abc", True),
        ("^b", "", "abc", False),
        ("B", "", "abc", False),
        ("B", "i", "abc", True),
        ("^b", "m", "a\nb", True),
        ("a.b", "", "a\nb", False),
        ("a.b", "s", "a\nb", True),
        ("a b", "x", "ab", True),
        ("a\\ b", "x", "a b", True),
        ("a[ ]b # comment", "x", "a b", True),
        ("a|b", "i", "xB", True),
    ],
)
def test_searches(pattern: str, flags: str, text: str, found: bool) -> None:
    assert Search(pattern, flags).found_in(text) is found


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [
        ("(", ""),
        ("(a)\\1", ""),
        ("(?=a)", ""),
        ("a", "q"),
        ("a" * 1_001, ""),
        ("((a{99}){99}){99}", ""),
        ("\ud800", ""),
    ],
)
def test_patterns_that_are_refused(pattern: str, flags: str) -> None:
    with pytest.raises(MeaningProblem) as caught:
        Search(pattern, flags)
    assert caught.value.code == "BAD_REGEX"


def test_a_hostile_pattern_reads_a_long_text_once() -> None:
    assert not Search("(a+)+$").found_in("a" * 100_000 + "b")
