"""What each function of conditions and templates gives, and that no value makes one fail."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.languages.exmlql.asking import outputs, parsed
from tocsin.plan.xml.row_evaluation import (
    FUNCTIONS,
    WorkLimitExceeded,
    in_order,
    plain_text,
    row_truth,
    value_of,
)
from tocsin.plan.xml.row_terms import (
    ChoiceValue,
    ComparedValues,
    FunctionValue,
    Operand,
    OrderKey,
    TextValue,
    VariableValue,
)
from tocsin.values.formats import (
    NumberFormat,
    date_of,
    decimal_of,
    decimal_text,
    format_of,
    round_number,
)
from tocsin.values.truth import Truth

UNKNOWN = None
VALUES = [
    # texts
    ('upper("straße")', "STRASSE"),
    ('lower("ÄB")', "äb"),
    ('trim("  a b\t")', "a b"),
    ('concat("a", 1, "")', "a1"),
    ('length("añ😀")', "3"),
    ('length("")', "0"),
    ('substring("abcdef", 2, 3)', "bcd"),
    ('substring("abcdef", 5)', "ef"),
    ('substring("abcdef", 0, 3)', "ab"),  # positions 0, 1 and 2, and there is no 0
    ('substring("abcdef", -5, 3)', ""),
    ('substring("abcdef", 9, 3)', ""),
    ('substring("abcdef", 2, -1)', UNKNOWN),
    ('substring("abcdef", 1.5, 2)', UNKNOWN),
    ('substring("abcdef", "x", 2)', UNKNOWN),
    ('replace("a-b-c", "-", "+")', "a+b+c"),
    ('replace("aaa", "aa", "b")', "ba"),
    ('replace("abc", "", "b")', UNKNOWN),
    ("string(5)", "5"),
    # numbers
    ('number(" +07.50 ")', "7.5"),
    ('number("-0")', "0"),
    ('number("1e3")', UNKNOWN),
    ('number("")', UNKNOWN),
    ('number("1,000")', UNKNOWN),
    ("round(2.5)", "3"),
    ("round(-2.5)", "-3"),
    ("round(2.449, 1)", "2.4"),
    ("round(1.005, 2)", "1.01"),
    ("round(1250, -2)", "1300"),
    ("round(1, 101)", UNKNOWN),
    ('round("x")', UNKNOWN),
    ("abs(-0.50)", "0.5"),
    ("abs($m)", UNKNOWN),
    # arithmetic
    ("(1 + 2 * 3)", "7"),
    ("((1 + 2) * 3)", "9"),
    ("(0.1 + 0.2)", "0.3"),
    ("(10 / 4)", "2.5"),
    ("(1 / 3)", "0.3333333333333333333333333333333333"),
    ("(1 / 0)", UNKNOWN),
    ('(1 + "x")', UNKNOWN),
    ("(- (2 - 5))", "3"),
    ("(2 - -3)", "5"),
    ("(7 - 2 - 1)", "4"),
    # dates
    ('date("2026-01-31")', "2026-01-31"),
    ('date(" 2026-01-31Z ")', "2026-01-31"),
    ('date("2026-01-31T08:30")', "2026-01-31T08:30:00Z"),
    ('date("2026-01-31T08:30:15.25+02:00")', "2026-01-31T06:30:15.25Z"),
    ('date("2026-02-30")', UNKNOWN),
    ('date("31.01.2026")', UNKNOWN),
    ('date("2026-01-31T25:00")', UNKNOWN),
    # format
    ('format(1234567.005, "#,##0.00")', "1,234,567.01"),
    ('format(-0.001, "0.00")', "0.00"),
    ('format(7, "000")', "007"),
    ('format(0.5, "#.##")', ".5"),
    ('format(0, "#")', "0"),
    ('format(-2.345, "EUR 0.00")', "-EUR 2.35"),
    ("format(12, \"0 '#'\")", "12 #"),
    ('format("x", "0.00")', UNKNOWN),
    ('format("2026-01-31", "dd.MM.yyyy")', "31.01.2026"),
    ('format("2026-01-02T03:04:05.678Z", "d.M.yy H:m:s.SSS")', "2.1.26 3:4:5.678"),
    ("format(\"2026-01-02\", \"'day' d 'o''clock'\")", "day 2 o'clock"),
    ('format("x", "yyyy")', UNKNOWN),
    ('format(5, "yyyy")', UNKNOWN),
    ('format("2026-01-31", $m)', UNKNOWN),
    # choice
    ('if(1 < 2, "a", "b")', "a"),
    ('if("x" < "y", "a", "b")', "b"),  # texts have no order
    ('if(number("x") < 1, "a", "b")', UNKNOWN),
    ('if(1 = 1, "a", 1 / 0)', "a"),
    # markup counts with its text
    ("upper($m)", "XY"),
    ("length($m)", "2"),
]


@pytest.mark.parametrize(("text", "expected"), VALUES, ids=[case[0] for case in VALUES])
def test_a_value(text: str, expected: str | None) -> None:
    """In an attribute, so that what is unknown is seen: the attribute is not there."""
    (built,) = outputs(f"WHERE <a>$m</> CONSTRUCT <o k={text}></>", "<a>x<i>y</i></a>")
    assert built == ("<o></o>" if expected is None else f'<o k="{expected}"></o>')


CONDITIONS = [
    ("$n = 5.0", True),
    ('$n = "5"', True),
    ("NOT $n = 5", False),
    ("$n > 4 AND $n < 6", True),
    ("$n > 5 OR $n < 5", False),
    ("NOT ($n > 5 OR $n < 5)", True),
    ("$n > 5 OR $n = 5 AND $n < 3", False),  # AND binds tighter
    ('$s LIKE "a%"', True),
    ('$s LIKE "a_c"', True),
    ('$s LIKE "b%"', False),
    ('$s NOT LIKE "b%"', True),
    ('$s LIKE "a!%c" ESCAPE "!"', False),
    ('$s IN ("x", "abc")', True),
    ("$n IN (1, 5.00)", True),
    ("$n NOT IN (1, 5.00)", False),
    ("$n + 1 = 6", True),
    ("1 + $n * 2 = 11", True),
    ("$n - 1 > -$n", True),
    ('upper($s) = "ABC"', True),
    ('$s < "b"', False),
    ('NOT $s < "b"', True),  # texts have no order, and that is known
    ("number($s) = 1", False),
    ("NOT number($s) = 1", False),  # unknown
    ("number($s) = 1 OR $n = 5", True),
    ('date($d) < "2026-02-01"', True),
    ('date($d) = "2026-01-31T00:00:00Z"', True),
    ('date($d) = "2026-01-31T01:00:00+01:00"', True),
    ('date($d) > "soon"', False),
    ('NOT date($d) > "soon"', False),
    ('$d < "2026-02-01"', False),  # without date() it is a text
    ("($n) = (5)", True),
    ("5 = $n", True),
    ('"abc" = $s', True),
]


@pytest.mark.parametrize(("text", "expected"), CONDITIONS, ids=[case[0] for case in CONDITIONS])
def test_a_condition(text: str, expected: bool) -> None:
    xml = "<a><n>5</n><s>abc</s><d>2026-01-31</d></a>"
    built = outputs(f"WHERE <a><n>$n</><s>$s</><d>$d</></>, {text} CONSTRUCT <o></>", xml)
    assert bool(built) is expected


texts = st.one_of(
    st.sampled_from(
        (
            "",
            "1",
            "-2.50",
            "abc",
            "2026-01-31",
            "2026-01-31T08:00:00Z",
            "0.00",
            "dd.MM.yyyy",
            "9" * 1200,
        )
    ),
    st.text(max_size=8),
)
operands: st.SearchStrategy[Operand] = st.recursive(
    st.builds(TextValue, texts)
    | st.sampled_from((VariableValue("$x"), VariableValue("$m"), VariableValue("$none"))),
    lambda inner: st.one_of(
        *(
            st.builds(FunctionValue, st.just(name), st.tuples(*[inner] * count))
            for name, function in FUNCTIONS.items()
            for count in {function.least, function.most or 2}
        ),
        st.builds(FunctionValue, st.sampled_from("+-*/"), st.tuples(inner, inner)),
        st.builds(FunctionValue, st.just("-"), st.tuples(inner)),
        st.builds(
            ChoiceValue,
            st.builds(ComparedValues, inner, st.sampled_from(("=", "<")), inner),
            inner,
            inner,
        ),
    ),
    max_leaves=6,
)


@given(operands, operands, texts)
def test_no_value_makes_a_function_fail(one: Operand, other: Operand, x: str) -> None:
    row = {"$x": x, "$m": ("<i>1</i>&amp;",)}
    try:
        value = value_of(one, row)
        decided = row_truth(ComparedValues(one, "<", other), row)
    except WorkLimitExceeded:
        return  # too long, and told
    assert value is None or isinstance(plain_text(value), str)
    assert decided in Truth


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=6, min_value=-(10**9), max_value=10**9
    ),
    st.integers(-3, 6),
)
def test_rounding_is_half_away_from_zero(number: Decimal, digits: int) -> None:
    expected = number.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    assert round_number(number, digits) == expected
    again = decimal_of(decimal_text(number))
    assert again == number
    written = NumberFormat("", 1, 2, 2, 3, "").written(number)
    assert written is not None
    assert decimal_of(written.replace(",", "")) == round_number(number, 2)


@given(st.datetimes())
def test_dates_are_read_as_they_are_written(at: object) -> None:
    text = f"{at.isoformat()}Z"  # type: ignore[attr-defined]
    date = date_of(text)
    assert date is not None
    assert date.fields == at
    pattern = format_of("yyyy-MM-dd'T'HH:mm:ss")
    assert pattern is not None
    assert pattern.written(date.fields) == text[:19]  # type: ignore[arg-type]


def test_rows_in_order() -> None:
    rows = tuple((("$x", value),) for value in ("b", "10", "a", "9", "B", ("<i>aa</i>",), "-1.5"))
    found = [value for ((_, value),) in in_order(rows, [OrderKey("$x")])]
    assert found == ["-1.5", "9", "10", "B", "a", ("<i>aa</i>",), "b"]
    assert [value for ((_, value),) in in_order(rows, [OrderKey("$x", True)])] == found[::-1]


def test_the_number_of_arguments_is_known_for_every_function() -> None:
    for name, function in FUNCTIONS.items():
        arguments = ", ".join(['"0"'] * function.least)
        parsed(f'WHERE <a></>, {name}({arguments}) = "x"')
