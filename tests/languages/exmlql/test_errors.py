"""Every problem of a text has the code of the spec (section 8), its place, the token and a way out."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.languages.exmlql.asking import parsed, problems_of
from tocsin.errors import LimitProblem, MeaningProblem, Problem, SyntaxProblem
from tocsin.languages.context import Context
from tocsin.languages.exmlql import Limits, parse, problems

SYNTAX = [
    ("", 1, 1, "", "begins with WHERE"),
    ("<a></>", 1, 1, "<", "begins with WHERE"),
    ("where <a></>", 1, 1, "where", "begins with WHERE"),
    ("WHERE", 1, 6, "", ""),
    ("WHERE <a>", 1, 10, "", "not closed"),
    ("WHERE <a><b>x</>", 1, 17, "", "not closed"),
    ("WHERE <a></></>", 1, 13, "<", "not open"),
    ("WHERE <a></b>", 1, 12, "b", "write </a>"),
    ("WHERE <a>\n  <b></c>\n</>", 2, 8, "c", "write </b>"),
    ("WHERE <a/>", 1, 9, "/", "<name></>"),
    ("WHERE <a//b></>", 1, 9, "//b", "XPATH"),
    ("WHERE <a>//<b></></>", 1, 10, "//", "XPATH"),
    ("WHERE <a>x#1</>", 1, 11, "#", "double quotes"),
    ('WHERE <a>"x</>', 1, 10, '"', "double quote"),
    ('WHERE <a>x "y"</>', 1, 12, '"y"', "one text"),
    ("WHERE <a><b>x</> CONSTRUCT <o></>", 1, 18, "CONSTRUCT", "</>"),
    ("WHERE <a></> stray", 1, 14, "stray", ""),
    ("WHERE <a></> construct <o></>", 1, 14, "construct", "CONSTRUCT"),
    ("WHERE <a></> CONTEXT recent", 1, 22, "recent", "Recent, Exclusive and Globe"),
    ("WHERE <p:a></>", 1, 8, "p:a", 'NAMESPACE p = "..."'),
    ('WHERE <a p:k="1"></>', 1, 10, "p:k", 'NAMESPACE p = "..."'),
    ('WHERE <a xmlns="u"></>', 1, 10, "xmlns", "NAMESPACE"),
    ('NAMESPACE p = "u" NAMESPACE p = "v" WHERE <a></>', 1, 29, "p", "another prefix"),
    ('NAMESPACE p = "" WHERE <a></>', 1, 11, "p", "without a prefix"),
    ('WHERE XPATH "//a["', 1, 13, '"//a["', "XPath 1.0"),
    ('WHERE XPATH "//p:a"', 1, 13, '"//p:a"', "NAMESPACE"),
    ('WHERE XPATH "//a[$v]"', 1, 13, '"//a[$v]"', "CONTENT_AS"),
    ('WHERE XPATH "//a[matches(., 1)]"', 1, 13, '"//a[matches(., 1)]"', "known: boolean"),
    ('WHERE XPATH "//a/namespace::b"', 1, 13, '"//a/namespace::b"', "namespace-uri()"),
    ("WHERE <a>$x</> CONSTRUCT <o><p:i></></>", 1, 30, "p:i", "NAMESPACE"),
    ('WHERE <a></> CONSTRUCT <o k="1" k="2"></>', 1, 33, "k", "leave one"),
    ('WHERE <a></> CONSTRUCT <o xmlns:p="u"></>', 1, 27, "xmlns:p", "NAMESPACE"),
    ("WHERE <a></> #A <b></> #B #A ; #B WITHIN 5parsecs ~> #A", 1, 42, "5parsecs", "10m"),
    ("WHERE <a></> WITHIN 5s", 1, 21, "5s", "leave WITHIN out"),
    ("WHERE $x = 5", 1, 7, "$x", "a pattern binds"),
    ("WHERE <a></> #A #A ;", 1, 21, "", ""),
    ("WHERE <a>\ud800</>", 1, 10, "'\\ud800'", "Unicode"),
]

A, B, C = "<a>$x</> #A ", "<b>$x</> #B ", "<c>$y</> #C "
MEANING = [
    # rules 1 and 2, section 3.5
    (f"WHERE {A}{B}", "EventForwardingConfusion", "#B", "~> #X"),
    (f"WHERE {A}{B} #A ; #B", "EventForwardingConfusion", "#A", "~> #X"),
    (f"WHERE {A}{B} #A ; #B => #B", "EventForwardingConfusion", "=>", "~> #X"),
    (f"WHERE {A}{B} #A ~> #B", "EventForwardingConfusion", "#B", "~> #X"),
    (f"WHERE {A}CONTEXT Exclusive CONSTRUCT <o></>", "EventSelectionConfusion", "Exclusive", "Recent"),
    (f"WHERE {A}{B}CONTEXT Globe CONSTRUCT <o></>", "EventSelectionConfusion", "Globe", "Recent"),
    (f"WHERE {A}{B} #A ; #B ~> #B CONSTRUCT <o></>", "EventForwardingConflict", "~>", "CONSTRUCT"),
    (f"WHERE {A} #A => #A CONSTRUCT <o></>", "EventForwardingConflict", "=>", "CONSTRUCT"),
    # contexts
    (f"WHERE {A} CONTEXT Exclusive, Globe", "ContextConflict", "Globe", "choose one"),
    (f"WHERE {A} CONTEXT Recent, Recent", "ContextConflict", "Recent", "once"),
    (f"WHERE {A}{B} (#A ; #B)[Globe, Exclusive] ~> #A", "ContextConflict", "Exclusive", "choose one"),
    # blocks
    (f"WHERE {A}{A} CONSTRUCT <o></>", "DuplicateBlock", "#A", "its own"),
    (f"WHERE {A}{B} #A ; #C ~> #A, #B", "UnknownBlock", "#C", "#A, #B"),
    (f"WHERE {A} #A ~> #D", "UnknownBlock", "#D", "#A"),
    (f"WHERE {A}{B}{C} #A ; #B ~> #B", "UnusedBlock", "#C", "leave its pattern out"),
    (f"WHERE {A} <b></> CONSTRUCT <o></>", "MixedBlockLabels", "#A", "label every pattern"),
    (f"WHERE {A}{B}{C} #A | #B ~> #A, #C", "AmbiguousTarget", "#A", "each alternative"),
    # variables
    ("WHERE <a></> CONSTRUCT <o>$z</>", "UnboundVariable", "$z", "<id>$z</>"),
    ("WHERE <a></> CONSTRUCT <o k=F($z)></>", "UnboundVariable", "$z", "<id>$z</>"),
    ("WHERE <a></> $z = 5", "UnboundVariable", "$z", "<id>$z</>"),
    (f"WHERE {A}{C} #A | #C CONSTRUCT <o>$y</>", "UnboundVariable", "$y", "each of them"),
    (f"WHERE {A}{C} (#A _|_ 5s) !#C CONSTRUCT <o>$y</>", "UnboundVariable", "$y", "each of them"),
    ("WHERE <a></> ELEMENT_AS $e CONSTRUCT <o k=$e></>", "VariableKindError", "$e", "CONTENT_AS $e"),
    ("WHERE <$n>$n</>", "VariableKindError", "$n", "its own"),
    ("WHERE <a k=$e></> ELEMENT_AS $e", "VariableKindError", "$e", "its own"),
]

LEGAL = [
    "WHERE <a></>",
    "WHERE <a></>, <b></>",
    f"WHERE {A}",
    f"WHERE {A} CONTEXT Exclusive",
    f"WHERE {A} #A => #A",
    f"WHERE {A} #A ~> #A CONTEXT Globe",
    f"WHERE {A}{B} #A ; #B ~> #B",
    f"WHERE {A}{B}{C} #A : #B ~> #C CONTEXT Recent, Globe",
    f"WHERE {A}{B}{C} #A || #B | #C WITHIN 10m CONSTRUCT <o></>",
    f"WHERE {A}{B}{C} (#A _|_ #B) #C ~> #C",
    f"WHERE {A}{B}{C} (#A _|_ #B) !#C WITHIN 1h ~> #A",
    f"WHERE {A}{B} (#A _|_ 30s) #B ~> #B",
    f"WHERE {A}{B} CONSTRUCT <o>$x</>",
    f"WHERE {A}{B} CONTEXT Recent, Globe CONSTRUCT <o>$x</>",
    f"WHERE {A}{B} ((#A ; #B)[Exclusive] || #A) ~> #A CONTEXT Recent",
    "WHERE <a></> CONTEXT Exclusive CONSTRUCT <o></>",
    f"WHERE {A}{B} #A | #B CONSTRUCT <o>$x</>",
    f"WHERE {A}{B}{C} #A | #B ~> #C",
    f"WHERE {A}{B}{C} $y = 5 #A | #B ~> #C",
    "WHERE XPATH \"//a//b[.//c][2 * (3) = 6]/following-sibling::d[starts-with(@e, '//[x')] | /f/text()\"",
    'WHERE XPATH "//a[//b[//c]]" XPATH "//a/following::b/preceding::c" XPATH "/order[//sku and //price]"',
    'WHERE <a>"WHERE"</>',
    'WHERE <a>http://x.org/y</> <b>"//"</>',
    "WHERE <a><b></>, (more)</>",
]


@pytest.mark.parametrize(("text", "line", "column", "token", "hint"), SYNTAX, ids=[case[0] for case in SYNTAX])
def test_a_text_outside_of_the_language(text: str, line: int, column: int, token: str, hint: str) -> None:
    (problem, *_) = problems_of(text)
    assert isinstance(problem, SyntaxProblem)
    assert problem.code == "ExmlqlSyntaxError"
    assert problem.place is not None
    assert (problem.place.line, problem.place.column, problem.token.strip()) == (line, column, token)
    assert problem.hint
    assert hint in problem.hint


@pytest.mark.parametrize(("text", "code", "token", "hint"), MEANING, ids=[f"{case[1]}: {case[0]}" for case in MEANING])
def test_a_text_that_cannot_be_meant(text: str, code: str, token: str, hint: str) -> None:
    with pytest.raises(MeaningProblem) as caught:
        parsed(text)
    problem = caught.value
    assert (problem.code, problem.token) == (code, token)
    assert hint in problem.hint
    assert problem.place is not None
    assert text[problem.place.column - 1 :].startswith(token)


@pytest.mark.parametrize("text", LEGAL)
def test_what_is_legal_has_no_problem(text: str) -> None:
    assert problems_of(text) == []


def test_names_are_checked_before_rule_2_and_rule_2_before_rule_1() -> None:
    both = f"WHERE {A}{B} #A ; #D ~> #B CONSTRUCT <o>$z</>"
    assert [each.code for each in problems_of(both)] == ["UnknownBlock", "UnboundVariable", "EventForwardingConflict"]


def test_the_rule_is_named() -> None:
    for text, rule in (
        (f"WHERE {A}{B}", "1.1"),
        (f"WHERE {A}{B} #A ; #B", "1.2"),
        (f"WHERE {A} CONTEXT Globe CONSTRUCT <o></>", "2.1"),
        (f"WHERE {A} #A ~> #A CONSTRUCT <o></>", "2.2"),
    ):
        assert f"(rule {rule})" in problems_of(text)[0].message


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("WHERE " + "<a>" * 70 + "</>" * 70, Limits()),
        ("WHERE <a></> CONSTRUCT " + "<a>" * 70 + "</>" * 70, Limits()),
        ("WHERE <a></> #A " + "(" * 70 + "#A" + ")" * 70 + "~> #A", Limits()),
        ("WHERE <a></>" + " " * 70_000, Limits()),
        ("WHERE " + "<a></>" * 2000, Limits()),
        ("WHERE <a>$x</>" + " $x = 1" * 1100, Limits()),
        ("WHERE <a></><b></>", Limits(parts=1)),
    ],
    ids=["deep pattern", "deep template", "deep time clause", "long", "large", "conditions", "larger than configured"],
)
def test_limits(text: str, limits: Limits) -> None:
    with pytest.raises(LimitProblem) as caught:
        parse(text, {}, Context(), limits)
    assert caught.value.code == "ExmlqlLimitError"
    assert caught.value.place is not None


def test_options_are_refused() -> None:
    assert [each.code for each in problems("WHERE <a></>", {"x": 1}, Context())] == ["OptionError"]


PIECES = ["WHERE", "<a>", "<*>", "<$>", "<$n>", "</>", "</a>", "$x", '"t"', "t", "#A", "#B", "ELEMENT_AS", "CONTENT_AS"]
PIECES += [";", ":", "||", "|", "_|_", "(", ")", "[", "]", "~>", "=>", "CONTEXT", "Recent", "Globe", "CONSTRUCT", "<o>"]
PIECES += ["XPATH", "NAMESPACE", "p", "=", "<", "5", "5s", "WITHIN", "!", ",", "F(", "k="]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join) | st.text(max_size=60))
def test_any_text_has_a_plan_or_problems(text: str) -> None:
    found = problems_of(text)
    with pytest.raises(Problem) if found else nullcontext() as caught:
        parsed(text)
    if found:
        assert isinstance(caught, pytest.ExceptionInfo)
        assert str(caught.value) == str(found[0])
    assert all(problem.place is not None and problem.hint for problem in found)
