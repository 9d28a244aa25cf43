"""Every wrong selector is refused with its code, its place, the token and a way out (specification
section 8).
"""

from __future__ import annotations

import pytest

from tests.languages.asked import SELECTOR
from tocsin.errors import MeaningProblem, Problem
from tocsin.languages import parse_subscription, problems_in_subscription
from tocsin.languages.selector import Limits

parse, problems = SELECTOR.parse, SELECTOR.problems

SYNTAX, TYPE, ESCAPE = "SelectorSyntaxError", "SelectorTypeError", "SelectorEscapeError"

NATIVE: list[tuple[str, str, int, str, str]] = [
    ("a >", SYNTAX, 4, "", "compare a name"),
    ("a = ", SYNTAX, 4, "", "compare a name"),
    ("(a = 1", SYNTAX, 7, "", "not closed"),
    ("a = 1)", SYNTAX, 6, ")", "never opened"),
    ("a = 1 b = 2", SYNTAX, 7, "b", "AND or OR"),
    ("a = 1 AMD b = 2", SYNTAX, 7, "AMD", "did you mean AND?"),
    ("a > = 1", SYNTAX, 5, "=", "write >= without a blank"),
    ("a < > 1", SYNTAX, 5, ">", "write <> without a blank"),
    ("# a = 1", SYNTAX, 3, "a", "nothing may follow"),
    ("a = 'x", SYNTAX, 5, "'", "no closing quote"),
    ('a = "x', SYNTAX, 5, '"', "no closing quote"),
    ("a = 'it's'", SYNTAX, 9, "s", "'it''s'"),
    ("a IN ()", SYNTAX, 7, ")", "at least one value"),
    ("and = 1", SYNTAX, 1, "and", "AND is a reserved word; write it in backticks"),
    ("a = 1 AND like = 2", SYNTAX, 11, "like", "LIKE is a reserved word"),
    ("a == 1", SYNTAX, 4, "=", "write = once"),
    ("a ! = 1", SYNTAX, 3, "!", "write != without a blank"),
    ("a <> != 1", SYNTAX, 6, "!=", "compare a name"),
    ("a => 1", SYNTAX, 4, ">", "write >="),
    ("a && b", SYNTAX, 3, "&", "write AND"),
    ("a = NULL", SYNTAX, 5, "NULL", "IS NULL"),
    ("a IN (1, NULL)", SYNTAX, 10, "NULL", "IS NULL"),
    ("a IS 5", SYNTAX, 6, "5", "IS NOT NULL"),
    ("a BETWEEN 1", SYNTAX, 12, "", "BETWEEN low AND high"),
    ("a NOT = 1", SYNTAX, 7, "=", "NOT stands before"),
    ("a. = 1", SYNTAX, 2, ".", "between two names"),
    ("a..b = 1", SYNTAX, 2, ".", "between two names"),
    ("`` = 1", SYNTAX, 1, "`", "backtick"),
    ("a", SYNTAX, 1, "a", "write a = TRUE"),
    ("NOT a", SYNTAX, 5, "a", "write a = TRUE"),
    ("a + 1", SYNTAX, 3, "+", "compare it"),
    ("a = 1 = 2", SYNTAX, 7, "=", "two values at a time"),
    ("5 < a < 10", SYNTAX, 7, "<", "x BETWEEN 1 AND 5"),
    ("a > 1 AND < 5", SYNTAX, 11, "<", "write the name again"),
    ("a = ‘x’", SYNTAX, 5, "‘", "straight quotes"),
    ("a = “x”", SYNTAX, 5, "“", "straight quotes"),
    ("a = «x»", SYNTAX, 5, "«", "straight quotes"),
    ("a < 1,000", SYNTAX, 6, ",", "write 1000"),
    ("a BETWEEN 1,000 AND 2,000", SYNTAX, 12, ",", "write 1000"),
    ("a < 1_000", SYNTAX, 6, "_000", "write 1000"),
    ("a < 1'000'000", SYNTAX, 6, "'000'", "write 1000000"),
    ("a < 1.000.000", SYNTAX, 10, ".000", "write 1000000"),
    ("a < 3,5", SYNTAX, 6, ",", "a point before a fraction"),
    ("a < 5km", SYNTAX, 6, "km", "no unit"),
    ("a < 400€", SYNTAX, 8, "€", "no unit"),
    ("a < 50% AND b = 1", SYNTAX, 7, "%", "no unit"),
    ("a % 2 = 1", SYNTAX, 3, "%", "amqp"),
    ("items[0] = 1", SYNTAX, 6, "[", "order.price"),
    ("items[0].price > 1", SYNTAX, 6, "[", "order.price"),
    ("a.b['c'] = 1", SYNTAX, 4, "[", "order.price"),
    ("[order status] = 1", SYNTAX, 1, "[", "backticks"),
    ("a IN ['x']", SYNTAX, 6, "[", "IN ('a', 'b')"),
    ("a IN 'x', 'y'", SYNTAX, 6, "'x'", "IN ('a', 'b')"),
    ("a = 'x', 'y'", SYNTAX, 8, ",", "IN ('a', 'b')"),
    ("upper(kind) = 'A'", SYNTAX, 6, "(", "no functions, UPPER included; the amqp dialect"),
    ("length(kind) > 1", SYNTAX, 7, "(", "no functions"),
    ("a = lower(b)", SYNTAX, 10, "(", "no functions"),
    ("a = 1;", SYNTAX, 6, ";", "leave ; out"),
    ("a = 1; b = 2", SYNTAX, 6, ";", "leave ; out"),
    ("a IS NOT", SYNTAX, 9, "", "IS NOT NULL"),
    ("a IS NOT 5", SYNTAX, 10, "5", "<> and a value"),
    ("a IS 'x'", SYNTAX, 6, "'x'", "write = and a value"),
    ("a IS TRUE", SYNTAX, 6, "TRUE", "write = and a value"),
    ("a NOT NULL", SYNTAX, 7, "NULL", "IS NOT NULL"),
    ("price < 1.000,50", SYNTAX, 14, ",", "write 1000.50"),
    ("price < 1'000'000", SYNTAX, 10, "'000'", "write 1000000"),
    ("items[*] = 4", SYNTAX, 6, "[", "lists are asked by epcis, concept"),
    ("ce_time > now()", SYNTAX, 14, "(", "a selector knows no clock; write the time itself"),
    (
        "lower(kind) = 'a'",
        SYNTAX,
        6,
        "(",
        'the amqp dialect has LOWER: "options": {"dialect": "amqp"}',
    ),
    ("-- comment", SYNTAX, 1, "-", "no comments"),
    ("price < 400 LIMIT 5", SYNTAX, 13, "LIMIT", "leave LIMIT out"),
    ("price < 400 ORDER BY price", SYNTAX, 13, "ORDER", "leave ORDER out"),
    ("kind = 'a' OR 'b'", SYNTAX, 15, "'b'", "kind IN ('a', 'b')"),
    ("price > 1 AND 5", SYNTAX, 15, "5", "write the name again: price = ..."),
    ("EXISTS price", SYNTAX, 8, "price", "write price IS NOT NULL"),
    ("a = 1 AND exists(order.price)", SYNTAX, 17, "(", "write order.price IS NOT NULL"),
    ("a = 1 -- comment", SYNTAX, 7, "--", "no comments"),
    ("a = 1 --comment", SYNTAX, 7, "--", "no comments"),
    ("a = 1 -- the first", SYNTAX, 14, "first", "no comments"),
    ("a = --5", SYNTAX, 5, "--", "no comments"),
    ("a = 1 // comment", SYNTAX, 8, "/", "no comments"),
    ("a = 1 /* comment */", SYNTAX, 8, "*", "no comments"),
    ("a ≤ 5", SYNTAX, 3, "≤", "write <="),
    ("a ≠ 5", SYNTAX, 3, "≠", "write <>"),
    ("a = −5", SYNTAX, 5, "−", "write -"),
    ("a\u200b = 5", SYNTAX, 2, "\u200b", "invisible"),
    ("\ufeffa = 5", SYNTAX, 1, "\ufeff", "invisible"),
    ("a | b", SYNTAX, 3, "|", "write OR"),
    ("a || b", SYNTAX, 3, "|", "write OR"),
    ("!a = 5", SYNTAX, 1, "!", "write NOT"),
    ("a =~ 'x'", SYNTAX, 4, "~", "LIKE"),
    ("a = \\'x\\'", SYNTAX, 5, "\\", "texts only"),
    ("kind contains 'x'", SYNTAX, 6, "contains", "LIKE '%word%'"),
    ("kind ILIKE 'x'", SYNTAX, 6, "ILIKE", "LOWER"),
    ("kind equals 'x'", SYNTAX, 6, "equals", "write ="),
    ("WHERE a = 1", SYNTAX, 7, "a", "the condition alone"),
    ("SELECT * FROM events WHERE a = 1", SYNTAX, 15, "events", "the condition alone"),
    ("$price < 5", SYNTAX, 1, "$", "backticks"),
    ("{a = 1}", SYNTAX, 1, "{", "without braces"),
    ("order-status = 'x'", TYPE, 16, "'x'", "`order-status`"),
    ("1 < 'x'", TYPE, 5, "'x'", "one kind"),
    ("a + 1 < 'x'", TYPE, 9, "'x'", "one kind"),
    ("b >= TRUE", TYPE, 6, "TRUE", "only = and <>"),
    ("a BETWEEN 1 AND 'y'", TYPE, 17, "'y'", "one kind"),
    ("a BETWEEN 'x' AND 2", TYPE, 19, "2", "one kind"),
    ("a BETWEEN FALSE AND TRUE", TYPE, 11, "FALSE", "only = and <>"),
    ("ce_time > '2026-01-01'", TYPE, 11, "'2026-01-01'", "with a zone"),
    ("ce_time > '2026-01-01T00:00:00'", TYPE, 11, "'2026-01-01T00:00:00'", "with a zone"),
    ("ce_endtime = 'yesterday'", TYPE, 14, "'yesterday'", "with a zone"),
    ("'2026-02-30T00:00:00Z' < ce_time", TYPE, 1, "'2026-02-30T00:00:00Z'", "with a zone"),
    ("ce_time IN ('2026-01-01T00:00:00Z', 'x')", TYPE, 37, "'x'", "with a zone"),
    ("ce_time BETWEEN '2026-01-01T00:00:00Z' AND 5", TYPE, 44, "5", "with a zone"),
    ("ce_time > 5", TYPE, 11, "5", "with a zone"),
    ("ce_time = TRUE", TYPE, 11, "TRUE", "with a zone"),
    ("ce_time < a + 1", TYPE, 13, "+", "with a zone"),
    ("ce_endtime - ce_time > 5", TYPE, 1, "ce_endtime", "compare it"),
    ("a IN (1, 'x')", TYPE, 10, "'x'", "OR"),
    ("a IN (TRUE)", TYPE, 7, "TRUE", "TRUE"),
    ("a LIKE 5", TYPE, 8, "5", "quotes"),
    ("a LIKE b", TYPE, 8, "b", "quotes"),
    ("5 LIKE 'x'", TYPE, 1, "5", "="),
    ("1 = 'x'", TYPE, 5, "'x'", "one kind"),
    ("a + 'x' = 1", TYPE, 5, "'x'", "not joined"),
    ("a > 1 / 0", TYPE, 7, "/", "never be true"),
    ("(a = 1) + 2 = 3", TYPE, 4, "=", "AND or OR"),
    ("a = (b = 1)", TYPE, 8, "=", "AND or OR"),
    ("a LIKE 'x' ESCAPE 'ab'", ESCAPE, 19, "'ab'", "ESCAPE '!'"),
    ("a LIKE 'x' ESCAPE ''", ESCAPE, 19, "''", "ESCAPE '!'"),
    ("a LIKE 'x' ESCAPE '%'", ESCAPE, 19, "'%'", "ESCAPE '!'"),
    ("a LIKE 'x' ESCAPE '_'", ESCAPE, 19, "'_'", "ESCAPE '!'"),
    ("a LIKE 'x' ESCAPE 5", ESCAPE, 19, "5", "ESCAPE '!'"),
    ("a LIKE 'x!' ESCAPE '!'", ESCAPE, 8, "'x!'", "write it twice"),
    ("a LIKE '!x' ESCAPE '!'", ESCAPE, 8, "'!x'", "write it twice"),
]


@pytest.mark.parametrize(
    ("text", "code", "column", "token", "hint"), NATIVE, ids=[case[0] for case in NATIVE]
)
def test_native_problem(text: str, code: str, column: int, token: str, hint: str):
    with pytest.raises(Problem) as raised:
        parse(text)
    _assert_problem(raised.value, code, (1, column), token, hint)


DIALECTS: list[tuple[str, str, str, int, str, str]] = [
    ("jms", 'a = "x"', SYNTAX, 5, '"', "single quotes"),
    ("jms", "`a` = 1", SYNTAX, 1, "`", "backticks"),
    ("jms", "a = 1 #", SYNTAX, 7, "#", "end mark"),
    ("jms", "or = 1", SYNTAX, 1, "or", "reserved word"),
    ("jms", "a = 089", SYNTAX, 5, "089", "071"),
    ("jms", "a = 1.5L", SYNTAX, 5, "1.5L", "57L"),
    ("jms", "a IN (1, 2)", TYPE, 7, "1", "OR"),
    ("jms", "a IN ('x', b)", TYPE, 12, "b", "OR"),
    ("jms", "'x' LIKE 'x'", TYPE, 1, "'x'", "comparison"),
    ("jms", "a + 1 IS NULL", TYPE, 3, "+", "comparison"),
    ("jms", "a < 'x'", TYPE, 5, "'x'", "only = and <>"),
    ("jms", "a BETWEEN 'x' AND 'y'", TYPE, 11, "'x'", "only = and <>"),
    (
        "jms",
        "ce_time > '2026-01-01T00:00:00Z'",
        TYPE,
        11,
        "'2026-01-01T00:00:00Z'",
        "only = and <>",
    ),
    ("jms", "a != 1", SYNTAX, 3, "!", "write <>"),
    ("jms", "a % 2 = 1", SYNTAX, 3, "%", "amqp"),
    ("jms", "5", SYNTAX, 1, "5", "compare it"),
    ("jms", "a LIKE 'x!' ESCAPE '!'", ESCAPE, 8, "'x!'", "write it twice"),
    ("cesql", "", SYNTAX, 1, "", "compare a name"),
    ("cesql", "a = 3000000000", SYNTAX, 5, "3000000000", "2147483647"),
    ("cesql", "a LIKE b", SYNTAX, 8, "b", "LIKE 'a%'"),
    ("cesql", "a BETWEEN 1 AND 2", SYNTAX, 3, "BETWEEN", ""),
    ("cesql", "ABC(1", SYNTAX, 6, "", "not closed"),
]


@pytest.mark.parametrize(
    ("dialect", "text", "code", "column", "token", "hint"),
    DIALECTS,
    ids=[f"{c[0]} {c[1]}" for c in DIALECTS],
)
def test_problem_of_a_dialect(
    dialect: str, text: str, code: str, column: int, token: str, hint: str
):
    (found,) = problems(text, {"dialect": dialect})
    _assert_problem(found, code, (1, column), token, hint)


def test_place_counts_lines_from_one():
    (found,) = problems("a = 1\n  AND b >\n\n")
    assert (found.place.line, found.place.column) == (2, 10)
    (found,) = problems("a = 1 AND\n  b < TRUE")
    assert (found.place.line, found.place.column) == (2, 7)


def test_what_was_expected_is_said_in_words():
    (found,) = problems("a >")
    assert found.message.endswith("expected a value")
    (found,) = problems("a = 1 b")
    assert found.message.endswith("expected AND, OR or the end of the selector")
    (found,) = problems("NOT")
    assert found.message.endswith("expected a condition")


def test_every_wrong_test_is_reported_in_the_order_of_the_text():
    text = "a < TRUE AND (b LIKE 5 OR NOT c LIKE 'x' ESCAPE '') AND d = 1 AND e IN (1, 'y')"
    found = problems(text)
    assert [(problem.code, problem.token) for problem in found] == [
        (TYPE, "TRUE"),
        (TYPE, "5"),
        (ESCAPE, "''"),
        (TYPE, "'y'"),
    ]
    columns = [text.index(token) + 1 for token in ("TRUE", "5", "'')", "'y'")]
    assert [problem.place.column for problem in found] == columns


def test_a_right_selector_has_no_problems():
    assert problems("a = 1 AND b LIKE 'x%'") == []


LIMITS: list[tuple[str, Limits]] = [
    ("a = '" + "x" * 65_536 + "'", Limits()),
    ("a = '" + "ä" * 33_000 + "'", Limits()),
    ("(" * 100_000, Limits()),
    ("(" * 65 + "a = 1" + ")" * 65, Limits()),
    ("(" * 20_000 + "a = 1" + ")" * 20_000, Limits()),
    ("NOT " * 65 + "a = 1", Limits()),
    ("NOT " * 16_000 + "a = 1", Limits()),
    ("a = " + "-" * 60_000 + "1", Limits()),
    ("a " + "+ a " * 15_000 + "= 1", Limits()),
    (" OR ".join(f"a = {n}" for n in range(1025)), Limits()),
    ("a = " + "9" * 401, Limits()),
    ("a = 1e999", Limits()),
    ("a = 1 AND b = 2", Limits(literals=1)),
    ("NOT (NOT a = 1)", Limits(nesting=2)),
    ("a = 1", Limits(text_bytes=4)),
]


@pytest.mark.parametrize(("text", "limits"), LIMITS, ids=[case[0][:20] for case in LIMITS])
def test_limit(text: str, limits: Limits):
    (found,) = problems(text, {}, limits)
    assert found.code == "SelectorLimitError"
    assert found.place is not None
    assert found.hint


WITHIN = [
    "(" * 64 + "a = 1" + ")" * 64,
    "NOT " * 64 + "a = 1",
    " OR ".join(f"a = {n}" for n in range(1024)),
    "a IN (" + ", ".join(map(str, range(5000))) + ")",
    "a = " + "9" * 400,
]


@pytest.mark.parametrize("text", WITHIN, ids=[text[:20] for text in WITHIN])
def test_just_within_the_limits(text: str):
    assert problems(text) == []


@pytest.mark.parametrize("dialect", ["jms", "cesql"])
@pytest.mark.parametrize(
    "text", ["(" * 65 + "a" + ")" * 65, "NOT " * 5000 + "a", "a = " + "-" * 9000 + "1"]
)
def test_every_dialect_limits_nesting(dialect: str, text: str):
    assert [found.code for found in problems(text, {"dialect": dialect})] == ["SelectorLimitError"]


def test_a_long_chain_is_not_nesting():
    chain = " AND ".join(["a = 1"] * 1000)
    for dialect in ("selector", "jms", "cesql"):
        assert problems(chain, {"dialect": dialect}) == []


def test_a_nesting_limit_that_evaluators_cannot_follow_is_refused():
    with pytest.raises(MeaningProblem):
        Limits(nesting=10_000)


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"dialect": "sql92"}, "selector, jms, amqp, cesql"),
        ({"dialect": 5}, "selector"),
        ({"dialekt": "jms"}, "dialect"),
    ],
)
def test_unknown_option(options: dict[str, object], hint: str):
    (found,) = problems("a = 1", options)
    assert found.code == "OptionError"
    assert hint in found.hint
    with pytest.raises(MeaningProblem):
        parse("a = 1", options)


def test_unknown_language():
    (found,) = problems_in_subscription("cobol", "a = 1", {})
    assert "selector" in found.hint
    with pytest.raises(MeaningProblem):
        parse_subscription("cobol", "a = 1", {})


def test_the_table_of_languages_reaches_the_selector():
    assert parse_subscription("selector", "a = 1", {}) == parse("a = 1")
    assert problems_in_subscription("selector", "a", {"dialect": "jms"}) == []


def _assert_problem(
    found: Problem, code: str, place: tuple[int, int], token: str, hint: str
) -> None:
    assert found.code == code
    assert found.place is not None
    assert (found.place.line, found.place.column) == place
    assert found.token == token
    assert hint in found.hint
    assert found.hint
