"""Every problem of a text has the code of the spec (section 8), its place, the token and a
way out.
"""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.languages.asked import EXMLQL
from tests.languages.exmlql.asking import parsed, problems_of
from tocsin.errors import LimitProblem, MeaningProblem, Problem, SyntaxProblem
from tocsin.languages.base.reading import Context
from tocsin.languages.exmlql import ExmlqlLimits

parse, problems = EXMLQL.parse, EXMLQL.problems

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
    # paths
    ("WHERE <a..b></>", 1, 10, ".b", "<a.b>"),
    ("WHERE <a.></>", 1, 10, ">", "<a.b>"),
    ("WHERE <(a|></>", 1, 11, ">", "<a.b>"),
    ("WHERE <(a></>", 1, 10, ">", "<a.b>"),
    ("WHERE <|a></>", 1, 8, "|a", "<a.b>"),
    ("WHERE <$t.b></>", 1, 10, ".b", "stands alone"),
    ("WHERE <a.$t></>", 1, 10, "$t", "stands alone"),
    ("WHERE <p:a.b></>", 1, 8, "p:a", 'NAMESPACE p = "..."'),
    ("WHERE <`1 2`></>", 1, 8, "`1 2`", "<a.b>"),
    ("WHERE <`1`></>", 1, 8, "`1`", "between the backticks"),
    ("WHERE <a.b></a.c>", 1, 14, "a.c", "write </a.b>"),
    ("WHERE <a></> CONSTRUCT <$t.b></>", 1, 27, ".b", ""),
    # conditions and values
    ("WHERE <a>$x</> $x", 1, 18, "", "compare the value"),
    ("WHERE <a>$x</> $x = abc", 1, 21, "abc", '"abc"'),
    ("WHERE <a>$x</> $x = 1 and $x = 2", 1, 23, "and", "AND"),
    ('WHERE <a>$x</> $x like "a"', 1, 19, "like", "LIKE"),
    ('WHERE <a>$x</> $x LIKE "a!b" ESCAPE "!"', 1, 24, '"a!b"', "write it twice"),
    ('WHERE <a>$x</> $x LIKE "a" ESCAPE "!!"', 1, 35, '"!!"', "one character"),
    ("WHERE <a>$x</> ($x = 1", 1, 23, "", ""),
    ("WHERE <a>$x</> $x < 1 < 2", 1, 25, "2", ""),
    ("WHERE <a>upper($x)</>", 1, 10, "upper(", "in a condition"),
    # templates
    ("WHERE <a>$x</> CONSTRUCT <o>(net)</>", 1, 30, "net", "double quotes"),
    ("WHERE <a>$x</> CONSTRUCT <o>Name: upper($x)</>", 1, 35, "upper(", '"Total: " upper(...)'),
    ("WHERE <a>$x</> CONSTRUCT <o>CONSTRUCT</>", 1, 29, "CONSTRUCT", "in quotes"),
    ("WHERE <a>$x</> CONSTRUCT <o k=F(upper($x))></>", 1, 31, "F", "F($a, $b)"),
    ('WHERE <a>$x</> CONSTRUCT <o $x="1" $x="2"></>', 1, 36, "$x", "leave one"),
    ("WHERE <a>\x01</>", 1, 10, "\x01", "leave it out"),
    # ORDER-BY, IN and queries inside
    ("WHERE <a>$x</> ORDER-BY $x", 1, 16, "ORDER-BY", "CONSTRUCT"),
    ("WHERE <a>$x</> ORDER-BY CONSTRUCT <o></>", 1, 25, "CONSTRUCT", ""),
    ("WHERE <b></> IN $x", 1, 17, "$x", "without IN"),
    (
        'WHERE <$><author>$a</><title>$t</></> IN "bib" CONSTRUCT <o><p ID=P($a)>$t</></>',
        1,
        42,
        '"bib"',
        "leave IN out",
    ),
    (
        "WHERE <a>$x</> CONSTRUCT <o>WHERE $x = 1 CONSTRUCT <p></></>",
        1,
        29,
        "WHERE",
        "a pattern binds",
    ),
    (
        'WHERE <a>$x</> CONSTRUCT <o>WHERE XPATH "//b" <b>$y</> CONSTRUCT $y</>',
        1,
        41,
        '"//b"',
        "outermost",
    ),
    ("WHERE <a>$x</> CONSTRUCT <o>WHERE <b>$y</> IN $x</>", 1, 49, "<", ""),
]

A, B, C = "<a>$x</> #A ", "<b>$x</> #B ", "<c>$y</> #C "
MEANING = [
    # rules 1 and 2, section 3.5
    (f"WHERE {A}{B}", "EventForwardingConfusion", "#B", "~> #X"),
    (f"WHERE {A}{B} #A ; #B", "EventForwardingConfusion", "#A", "~> #X"),
    (f"WHERE {A}{B} #A ; #B => #B", "EventForwardingConfusion", "=>", "~> #X"),
    (f"WHERE {A}{B} #A ~> #B", "EventForwardingConfusion", "#B", "~> #X"),
    (
        f"WHERE {A}CONTEXT Exclusive CONSTRUCT <o></>",
        "EventSelectionConfusion",
        "Exclusive",
        "Recent",
    ),
    (f"WHERE {A}{B}CONTEXT Globe CONSTRUCT <o></>", "EventSelectionConfusion", "Globe", "Recent"),
    (f"WHERE {A}{B} #A ; #B ~> #B CONSTRUCT <o></>", "EventForwardingConflict", "~>", "CONSTRUCT"),
    (f"WHERE {A} #A => #A CONSTRUCT <o></>", "EventForwardingConflict", "=>", "CONSTRUCT"),
    # contexts
    (f"WHERE {A} CONTEXT Exclusive, Globe", "ContextConflict", "Globe", "choose one"),
    (f"WHERE {A} CONTEXT Recent, Recent", "ContextConflict", "Recent", "once"),
    (
        f"WHERE {A}{B} (#A ; #B)[Globe, Exclusive] ~> #A",
        "ContextConflict",
        "Exclusive",
        "choose one",
    ),
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
    (
        "WHERE <a></> ELEMENT_AS $e CONSTRUCT <o k=$e></>",
        "VariableKindError",
        "$e",
        "CONTENT_AS $e",
    ),
    ("WHERE <$n>$n</>", "VariableKindError", "$n", "its own"),
    ("WHERE <a k=$e></> ELEMENT_AS $e", "VariableKindError", "$e", "its own"),
    ("WHERE <a $k=$v>$k</>", "VariableKindError", "$k", "its own"),
    ("WHERE <a></> ELEMENT_AS $e CONSTRUCT <$e></>", "VariableKindError", "$e", "CONTENT_AS $e"),
    ("WHERE <a></> CONSTRUCT <$z></>", "UnboundVariable", "$z", "<id>$z</>"),
    ('WHERE <a></> CONSTRUCT <o $z="1"></>', "UnboundVariable", "$z", "<id>$z</>"),
    ("WHERE <a></> CONSTRUCT <o>upper($z)</>", "UnboundVariable", "$z", "<id>$z</>"),
    ("WHERE <a></>, upper($z) = 1", "UnboundVariable", "$z", "<id>$z</>"),
    ("WHERE <a>$x</> ORDER-BY $z CONSTRUCT <o></>", "UnboundVariable", "$z", "<id>$z</>"),
    ("WHERE <a></>, <b></> IN $z", "UnboundVariable", "$z", "<id>$z</>"),
    ("WHERE <a k=$x></>, <b></> IN $x", "VariableKindError", "$x", "ELEMENT_AS $x"),
    ("WHERE <a></>, <b>$x</> IN $y, <c>$y</> IN $x", "UnboundVariable", "$y", "each of them"),
    (
        "WHERE <a></> CONSTRUCT <o>WHERE <b></> IN $z CONSTRUCT <p></></>",
        "UnboundVariable",
        "$z",
        "<id>$z</>",
    ),
    (
        "WHERE <a>$x</> CONSTRUCT <o>WHERE <b>$y</> IN $x CONSTRUCT <p></><q>$y</></>",
        "UnboundVariable",
        "$y",
        "around",
    ),
    (
        f"WHERE {A}{B} #A ; #B CONSTRUCT <o>WHERE <i>$i</> CONSTRUCT $i</>",
        "MixedBlockLabels",
        "i",
        "#A or #B",
    ),
    (
        f"WHERE {A}{B} #A ; #B CONSTRUCT <o>WHERE <i>$i</> #Z CONSTRUCT $i</>",
        "UnknownBlock",
        "#Z",
        "#A, #B",
    ),
    (
        f"WHERE {A}{B} #A | #B CONSTRUCT <o>WHERE <i>$i</> #B CONSTRUCT $i</>",
        "UnknownBlock",
        "#B",
        "alternative",
    ),
    ('WHERE <a></>, <b></> IN "Rates"', "UnknownDocument", '"Rates"', '"define": "Rates"'),
    # functions
    ("WHERE <a>$x</> CONSTRUCT <o>uper($x)</>", "UnknownFunction", "uper", "did you mean upper?"),
    (
        "WHERE <a>$x</> CONSTRUCT <o k=uper($x)></>",
        "UnknownFunction",
        "uper",
        "did you mean upper?",
    ),
    ("WHERE <a>$x</> CONSTRUCT <o>Total(net)</>", "UnknownFunction", "Total", '"Total(...)"'),
    ("WHERE <a>$x</> CONSTRUCT <o>F($x)</>", "UnknownFunction", "F", "the functions are abs"),
    ("WHERE <a>$x</>, uper($x) = 1", "UnknownFunction", "uper", "did you mean upper?"),
    ("WHERE <a>$x</>, upper(F($x)) = 1", "UnknownFunction", "F", "the functions are"),
    (
        "WHERE <a>$x</>, substring($x) = 1",
        "FunctionArgumentError",
        "substring",
        "substring($text, 1, 3)",
    ),
    ("WHERE <a>$x</>, upper() = 1", "FunctionArgumentError", "upper", "upper($text)"),
    ("WHERE <a>$x</>, upper($x > 1) = 1", "FunctionArgumentError", "$x", "if("),
    ("WHERE <a>$x</>, if($x, 1, 2) = 1", "FunctionArgumentError", "if", "if($x > 5, 1, 0)"),
    ('WHERE <a>$x</>, format($x, "EEE") = 1', "FunctionArgumentError", '"EEE"', "dd.MM.yyyy"),
    ('WHERE <a>$x</>, format($x, "0 x 0") = 1', "FunctionArgumentError", '"0 x 0"', "#,##0.00"),
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
    f"WHERE {A}<b>$y</> #A CONSTRUCT <o>$x$y</>",
    "WHERE <a.b>$x</a.b> <(a|b)+>$y</(a|b)+> <$*.c></> <*></> <`a.b`></>",
    "WHERE <a>$x</a> CONSTRUCT <o>text (in parentheses) is a text</o> <p.q></p.q>",
    'WHERE <a>$x</a> CONSTRUCT <o k=All()>upper ($x) "upper(" lower($x)</>',
    'WHERE XPATH "//a[//b[//c]]" XPATH "//a/following::b/preceding::c" XPATH "/order[//sku and //price]"',
    'WHERE <a>"WHERE"</>',
    'WHERE <a>http://x.org/y</> <b>"//"</>',
    "WHERE <a><b></>, (more)</>",
]


@pytest.mark.parametrize(
    ("text", "line", "column", "token", "hint"), SYNTAX, ids=[case[0] for case in SYNTAX]
)
def test_a_text_outside_of_the_language(
    text: str, line: int, column: int, token: str, hint: str
) -> None:
    (problem, *_) = problems_of(text)
    assert isinstance(problem, SyntaxProblem)
    assert problem.code == "ExmlqlSyntaxError"
    assert problem.place is not None
    assert (problem.place.line, problem.place.column, problem.token.strip()) == (
        line,
        column,
        token,
    )
    assert problem.hint
    assert hint in problem.hint


@pytest.mark.parametrize(
    ("text", "code", "token", "hint"), MEANING, ids=[f"{case[1]}: {case[0]}" for case in MEANING]
)
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
    assert [each.code for each in problems_of(both)] == [
        "UnknownBlock",
        "UnboundVariable",
        "EventForwardingConflict",
    ]


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
        ("WHERE " + "<a>" * 70 + "</>" * 70, ExmlqlLimits()),
        ("WHERE <a></> CONSTRUCT " + "<a>" * 70 + "</>" * 70, ExmlqlLimits()),
        ("WHERE <a></> #A " + "(" * 70 + "#A" + ")" * 70 + "~> #A", ExmlqlLimits()),
        ("WHERE <a></>" + " " * 70_000, ExmlqlLimits()),
        ("WHERE " + "<a></>" * 2000, ExmlqlLimits()),
        ("WHERE <a>$x</>" + " $x = 1" * 1100, ExmlqlLimits()),
        ("WHERE <a></><b></>", ExmlqlLimits(parts=1)),
        ("WHERE <a>$x</> " + "NOT " * 70 + "$x = 1", ExmlqlLimits()),
        ("WHERE <a>$x</> CONSTRUCT <o>" + "upper(" * 70 + "$x" + ")" * 70 + "</>", ExmlqlLimits()),
        ("WHERE <a>$x</> " + "- " * 70 + "$x = 1", ExmlqlLimits()),
        ("WHERE <a>$x</> $x = 1" + " + 1" * 70, ExmlqlLimits()),
        ("WHERE <" + "(" * 70 + "a" + ")*" * 70 + "></>", ExmlqlLimits()),
        ("WHERE <" + ".".join(["a"] * 65) + "></>", ExmlqlLimits()),
        (
            "WHERE <a></> CONSTRUCT <o>" + "WHERE <a></> CONSTRUCT <b>" * 9 + "</>" * 10,
            ExmlqlLimits(),
        ),
        ("WHERE <a>$x</>, $x IN (" + ", ".join(["1"] * 1100) + ")", ExmlqlLimits()),
    ],
    ids=[
        *(
            "deep pattern",
            "deep template",
            "deep time clause",
            "long",
            "large",
            "conditions",
            "larger than configured",
        ),
        *("many negations", "deep call", "many signs", "long sum", "deep path", "long path"),
        *("deep queries", "long list"),
    ],
)
def test_limits(text: str, limits: ExmlqlLimits) -> None:
    with pytest.raises(LimitProblem) as caught:
        parse(text, {}, Context(), limits)
    assert caught.value.code == "ExmlqlLimitError"
    assert caught.value.place is not None


def test_options_are_refused() -> None:
    assert [each.code for each in problems("WHERE <a></>", {"x": 1}, Context())] == ["OptionError"]


PIECES = [
    "WHERE",
    "<a>",
    "<*>",
    "<$>",
    "<$n>",
    "</>",
    "</a>",
    "$x",
    '"t"',
    "t",
    "#A",
    "#B",
    "ELEMENT_AS",
    "CONTENT_AS",
]
PIECES += [
    ";",
    ":",
    "||",
    "|",
    "_|_",
    "(",
    ")",
    "[",
    "]",
    "~>",
    "=>",
    "CONTEXT",
    "Recent",
    "Globe",
    "CONSTRUCT",
    "<o>",
]
PIECES += [
    "upper(",
    "F(",
    "AND",
    "OR",
    "NOT",
    "LIKE",
    "IN",
    "ORDER-BY",
    "<a.b>",
    "<(a|b)*>",
    "+",
    "-",
    "*",
    "∧",
    "⊥",
]
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
