"""Every wrong selector is refused with its code, its place, the token and a way out (specification section 8)."""

from __future__ import annotations

import pytest

from tocsin.errors import MeaningProblem, Problem
from tocsin.languages import parse_subscription, problems_in_subscription
from tocsin.languages.selector import Limits, parse, problems

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
    ("a != 1", SYNTAX, 3, "!", "write <>"),
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
    ("a = 1 = 2", SYNTAX, 7, "=", "compare a name"),
    ("s < 'x'", TYPE, 5, "'x'", "only = and <>"),
    ("'x' < s", TYPE, 1, "'x'", "only = and <>"),
    ("b >= TRUE", TYPE, 6, "TRUE", "only = and <>"),
    ("a BETWEEN 'x' AND 'y'", TYPE, 11, "'x'", "only = and <>"),
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


@pytest.mark.parametrize(("text", "code", "column", "token", "hint"), NATIVE, ids=[case[0] for case in NATIVE])
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
    ("jms", "5", SYNTAX, 1, "5", "compare it"),
    ("jms", "a LIKE 'x!' ESCAPE '!'", ESCAPE, 8, "'x!'", "write it twice"),
    ("cesql", "", SYNTAX, 1, "", "compare a name"),
    ("cesql", "a = 3000000000", SYNTAX, 5, "3000000000", "2147483647"),
    ("cesql", "a LIKE b", SYNTAX, 8, "b", "LIKE 'a%'"),
    ("cesql", "a BETWEEN 1 AND 2", SYNTAX, 3, "BETWEEN", ""),
    ("cesql", "ABC(1", SYNTAX, 6, "", "not closed"),
]


@pytest.mark.parametrize(
    ("dialect", "text", "code", "column", "token", "hint"), DIALECTS, ids=[f"{c[0]} {c[1]}" for c in DIALECTS]
)
def test_problem_of_a_dialect(dialect: str, text: str, code: str, column: int, token: str, hint: str):
    (found,) = problems(text, {"dialect": dialect})
    _assert_problem(found, code, (1, column), token, hint)


def test_place_counts_lines_from_one():
    (found,) = problems("a = 1\n  AND b >\n\n")
    assert (found.place.line, found.place.column) == (2, 10)
    (found,) = problems("a = 1 AND\n  b < 'x'")
    assert (found.place.line, found.place.column) == (2, 7)


def test_what_was_expected_is_said_in_words():
    (found,) = problems("a >")
    assert found.message.endswith("expected a value")
    (found,) = problems("a = 1 b")
    assert found.message.endswith("expected AND, OR or the end of the selector")
    (found,) = problems("NOT")
    assert found.message.endswith("expected a condition")


def test_every_wrong_test_is_reported_in_the_order_of_the_text():
    text = "a < 'x' AND (b LIKE 5 OR NOT c LIKE 'x' ESCAPE '') AND d = 1 AND e IN (1, 'y')"
    found = problems(text)
    assert [(problem.code, problem.token) for problem in found] == [
        (TYPE, "'x'"),
        (TYPE, "5"),
        (ESCAPE, "''"),
        (TYPE, "'y'"),
    ]
    columns = [text.index(token) + 1 for token in ("'x'", "5", "'')", "'y'")]
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
@pytest.mark.parametrize("text", ["(" * 65 + "a" + ")" * 65, "NOT " * 5000 + "a", "a = " + "-" * 9000 + "1"])
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
    [({"dialect": "sql92"}, "selector, jms, cesql"), ({"dialect": 5}, "selector"), ({"dialekt": "jms"}, "dialect")],
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


def _assert_problem(found: Problem, code: str, place: tuple[int, int], token: str, hint: str) -> None:
    assert found.code == code
    assert found.place is not None
    assert (found.place.line, found.place.column) == place
    assert found.token == token
    assert hint in found.hint
    assert found.hint
