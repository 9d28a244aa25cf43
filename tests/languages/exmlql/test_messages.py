"""What a person who slips in E-XML-QL is told: the code, the place and a way out."""

from __future__ import annotations

import pytest

from tests.languages.messages import Row, require_problem, require_silence, require_warning

SYNTAX = "ExmlqlSyntaxError"

PROBLEMS: list[Row] = [
    ("WHERE <id>7</order>", SYNTAX, (1, 14), "</order> closes <id>; write </id>, or </>"),
    (
        "WHERE <order><id>7</order>",
        SYNTAX,
        (1, 21),
        "</order> stands where <id> is open; close <id> before it: </id>",
    ),
    ("WHERE <a><b><c>1</></a>", SYNTAX, (1, 22), "close <b> before it"),
    ("WHERE <a>1</> CONSTRUCT <r><x>2</r>", SYNTAX, (1, 34), "</r> closes <x>; write </x>"),
    (
        "WHERE <order no=7></>",
        SYNTAX,
        (1, 17),
        'the value of an attribute stands in double quotes: no="7"',
    ),
    ("WHERE <order no='7'></>", SYNTAX, (1, 17), 'no="7"'),
    ("WHERE <order no=“7”></>", SYNTAX, (1, 17), 'no="7"'),
    ("WHERE <order no= seven></>", SYNTAX, (1, 18), 'no="seven"'),
    ("WHERE <order xmlns='urn:x'></>", SYNTAX, (1, 20), 'NAMESPACE p = "urn:x"'),
    ("no=7", SYNTAX, (1, 1), "a subscription begins with WHERE"),
    ("NAMESPACE p urn:x WHERE <p:a></>", SYNTAX, (1, 13), 'write NAMESPACE p = "urn:x"'),
    ("NAMESPACE p = urn:x WHERE <p:a></>", SYNTAX, (1, 15), 'write NAMESPACE p = "urn:x"'),
    ("NAMESPACE p = 'urn:x' WHERE <p:a></>", SYNTAX, (1, 15), 'write NAMESPACE p = "urn:x"'),
    ('xmlns:p="urn:x" WHERE <p:a></>', SYNTAX, (1, 1), 'write NAMESPACE p = "urn:x" before WHERE'),
    ("WHERE #A , #B", SYNTAX, (1, 7), "#A names a pattern and stands after it: <order></> #A"),
    ("WHERE <a></> #A, <b></> #B #A , #B", SYNTAX, (1, 31), "events are joined by ; then"),
    ("WHERE <a></> #A, <b></> #B #A -> #B", SYNTAX, (1, 31), "events are joined by ; then"),
    ("WHERE <a></> #A, <b></> #B #A THEN #B", SYNTAX, (1, 31), "events are joined by ; then"),
    ("WHERE <a></> #A, <b></> #B #A #B", SYNTAX, (1, 31), "events are joined by ; then"),
    ("WHERE <a></> #A, <b></> #B (#A ; #B", SYNTAX, (1, 36), "a parenthesis is not closed"),
    ("WHERE <a></> #A, <b></> #B #A ; #B WITHIN 5", SYNTAX, (1, 43), "5s for seconds"),
    (
        "WHERE <a>$x</a> AND $x > 5",
        SYNTAX,
        (1, 17),
        "a comma stands between patterns and conditions",
    ),
    ("WHERE <a>$x</a>; $x > 5", SYNTAX, (1, 16), "a comma stands between patterns and conditions"),
    (
        "WHERE <a>$x</a> && $x > 5",
        SYNTAX,
        (1, 17),
        "a comma stands between patterns and conditions",
    ),
    ("WHERE <a>$x</a>, price > 5", SYNTAX, (1, 18), "<price>$x</>, and then $x"),
    ("WHERE <a>$x</>, $x BETWEEN 5 AND 9", SYNTAX, (1, 20), "write $x >= 5, $x <= 9"),
    ("WHERE <a>$x</>, $x == 5", SYNTAX, (1, 21), "write = once"),
    ("WHERE <a>$x</>, $x <> 5", SYNTAX, (1, 21), "write !="),
    ("WHERE <a>$x</>, $x = 'b'", SYNTAX, (1, 22), "a text stands in double quotes"),
    ("WHERE <a>$x</>, $x = “b”", SYNTAX, (1, 22), "write straight double quotes"),
    ("WHERE <!-- c --><a></>", SYNTAX, (1, 8), "no comments"),
    ("WHERE /a/b[c = 1]", SYNTAX, (1, 7), 'write XPATH "/a/b[c = 1]"'),
    ('WHERE <order @no="7"></>', SYNTAX, (1, 14), "without @"),
    ("WHERE <order[no=7]></>", SYNTAX, (1, 13), '<order no="7">'),
    ("WHERE <a>$x</> RETURN <b>$x</>", SYNTAX, (1, 16), "CONSTRUCT <result>$x</>"),
    ("WHERE <a>$x</> CONSTRUCT <b>$x</b", SYNTAX, (1, 34), "a tag is not closed with >"),
    ("where <a></>", SYNTAX, (1, 1), "did you mean WHERE, in capital letters?"),
    ("WHERE", SYNTAX, (1, 6), "a pattern or a condition is missing"),
]

A, OUT = "WHERE <a></> #A", "CONSTRUCT <o></>"

WARNINGS: list[Row] = [
    (
        "WHERE <a>$x</>, $x = 1, $x = 2",
        "UNSATISFIABLE",
        (1, 25),
        "$x = 1 and $x = 2 are never true of one value",
    ),
    ("WHERE <a>$x</>, $x > 5, $x < 3", "UNSATISFIABLE", (1, 25), "it never rings"),
    ("WHERE <a>$x</>,\n 5 < $x, $x <= 5", "UNSATISFIABLE", (2, 10), "$x > 5 and $x <= 5"),
    ('WHERE <a>$x</>, $x = "a", $x != "a"', "UNSATISFIABLE", (1, 27), '$x = "a" and $x != "a"'),
    ('WHERE <a>$x</>, $x = "a", $x > 2', "UNSATISFIABLE", (1, 27), "never true of one value"),
    ('WHERE <a>$x</>, $x < "abc"', "UNSATISFIABLE", (1, 17), "only numbers have an order"),
    ("WHERE <a>$x</>, ($x > 5 AND $x < 3)", "UNSATISFIABLE", (1, 29), "never true"),
    (f"{A} #A ; #A {OUT}", "UNSATISFIABLE", (1, 22), "one event wherever it stands"),
    (f"{A} #A : #A {OUT}", "UNSATISFIABLE", (1, 22), "label of its own"),
    (f"{A} <b></> #B (#A ; #B) ; #A {OUT}", "UNSATISFIABLE", (1, 39), "before itself"),
    (f"{A} <b></> #B (#B _|_ #A) #A {OUT}", "UNSATISFIABLE", (1, 39), "before itself"),
    (f"{A} (#A _|_ 5s) #A {OUT}", "UNSATISFIABLE", (1, 29), "before itself"),
    (f"{A} <b></> #B (#A _|_ #B) !#A {OUT}", "SameEvent", (1, 40), "never absent here"),
]

SILENT = [
    'WHERE <a>$x</>, $x = 1, $x = "1.0"',
    "WHERE <a>$x</>, $x != 1, $x != 2",
    "WHERE <a>$x</>, $x > 5 OR $x < 3",
    "WHERE <a><b>$x</><c>$y</></>, $x = 1, $y = 2",
    "WHERE <a>$x</>, $x >= 5, $x <= 5",
    f"{A} #A || #A {OUT}",
    f"{A} <b></> #B (#A | #B) ; #A {OUT}",
    f"{A} <b></> #B <c></> #C (#A || #B) : (#A || #C) {OUT}",
    f"{A} <a></> #B #A ; #B {OUT}",
]


@pytest.mark.parametrize("row", PROBLEMS, ids=[row[0] for row in PROBLEMS])
def test_a_slip_is_told_with_a_way_out(row: Row) -> None:
    require_problem("exmlql", row)


@pytest.mark.parametrize("row", WARNINGS, ids=[row[0] for row in WARNINGS])
def test_what_never_rings_is_warned_of(row: Row) -> None:
    require_warning("exmlql", row)


@pytest.mark.parametrize("text", SILENT)
def test_what_can_ring_is_not_warned_of(text: str) -> None:
    require_silence("exmlql", text)
