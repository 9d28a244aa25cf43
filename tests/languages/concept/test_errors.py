"""Every code of section 8 that a text can have, with its place, a way out, and no problem hiding
another.
"""

from __future__ import annotations

import pytest

from tests.engine.concepts.worlds import PAPER, context
from tests.languages.asked import CONCEPT
from tests.languages.concept.texts import problems_of, told, with_definitions
from tocsin.errors import LimitProblem, Problem, UnsupportedProblem
from tocsin.knowledge.concepts.axioms import Definition
from tocsin.knowledge.concepts.concept import Conjunction, Disjunction, Exists, Symbol
from tocsin.knowledge.concepts.tbox import TBox
from tocsin.knowledge.ontology import open_ontology
from tocsin.languages.base.reading import Context
from tocsin.languages.concept import tbox_of_text

parse, problems, warnings = CONCEPT.parse, CONCEPT.problems, CONCEPT.warnings

SYNTAX = [
    ("", 1, 1, "", "a concept such as"),
    ("(TransactionEvent", 1, 18, "", "not closed"),
    ("TransactionEvent)", 1, 17, ")", "never opened"),
    ("exists bizStep transporting", 1, 16, "transporting", "exists bizStep.transporting"),
    ("exists .transporting", 1, 8, ".", "exists bizStep.transporting"),
    ("TransactionEvent AND ObjectEvent", 1, 18, "AND", "small letters"),
    ("TransactionEvent Befor ObjectEvent", 1, 18, "Befor", "did you mean Before?"),
    ("exist r", 1, 7, "r", "did you mean exists?"),
    ("exist bizStep.selling", 1, 7, "bizStep", "did you mean exists?"),
    ("ObjectEvent and not exits bizStep.selling", 1, 27, "bizStep", "did you mean exists?"),
    ("Exists bizStep.selling", 1, 8, "bizStep", "did you mean exists?"),
    ("every bizStep.selling", 1, 7, "bizStep", "did you mean forall?"),
    ("for all bizStep.selling", 1, 5, "all", "did you mean forall?"),
    ("NOT ObjectEvent", 1, 5, "ObjectEvent", "did you mean not?"),
    ("bizStep some selling", 1, 9, "some", "some bizStep."),
    ("ObjectEvent after TransactionEvent", 1, 13, "after", "write After"),
    ("ObjectEvent then TransactionEvent", 1, 13, "then", "did you mean Before?"),
    ("ObjectEvent follows TransactionEvent", 1, 13, "follows", "did you mean After?"),
    ("TransactionEvent && ObjectEvent", 1, 19, "&", "write & once"),
    ("TransactionEvent\n  & and", 2, 5, "and", "reserved word"),
    ("exists quantity.(xsd:int < )", 1, 28, ")", "compare with a number"),
    ("exists quantity < 5", 1, 17, "<", "exists bizStep.transporting"),
    ("{railCarrying", 1, 14, "", "a brace is not closed"),
    ("{railCarrying roadCarrying}", 1, 15, "roadCarrying", "commas between"),
    ("ObjectEvent correlate epcList", 1, 23, "epcList", "correlate by epcList"),
    ("A & B correlate by one a = b", 1, 26, "=", "a role that all parts have"),
    ("ObjectEvent & selector{ x = 1", 1, 23, "{", "close it with }"),
    ("ObjectEvent \ud800", 1, 13, "'\\ud800'", "Unicode"),
]


@pytest.mark.parametrize(
    ("text", "line", "column", "token", "hint"), SYNTAX, ids=[ascii(case[0]) for case in SYNTAX]
)
def test_syntax(text: str, line: int, column: int, token: str, hint: str) -> None:
    (problem,) = problems_of(text)
    assert told(problem) == ("SYNTAX", line, column)
    assert problem.token == token
    assert hint in problem.hint


MEANING = [
    ("ObjectEvent and (ObjectEvent Before ObjectEvent)", "LEVEL", 1, 30),
    ("ObjectEvent and (ObjectEvent & ObjectEvent)", "LEVEL", 1, 30),
    ("not (ObjectEvent | ObjectEvent)", "LEVEL", 1, 6),
    ("exists bizStep.(shipping Before selling)", "LEVEL", 1, 26),
    ("ObjectEvent and selector{ a = 1 }", "LEVEL", 1, 17),
    ("ObjectEvent and not exists bizStep.selling (PT1H)", "LEVEL", 1, 44),
    ("not exists bizStep.selling (PT1H)", "LEVEL", 1, 28),
    ("(xsd:int < 5)", "LEVEL", 1, 2),
    ("not (ObjectEvent) (30)", "DURATION", 1, 20),
    ("not (ObjectEvent) (0 s)", "DURATION", 1, 20),
    ("not (ObjectEvent) (-5 min)", "DURATION", 1, 20),
    ("not (ObjectEvent) (P1M)", "DURATION", 1, 20),
    ("not (ObjectEvent) (P1Y)", "DURATION", 1, 20),
    ("not (ObjectEvent) (PT)", "DURATION", 1, 20),
    ("not (ObjectEvent) (soon)", "DURATION", 1, 20),
    ("exists bizStep.teleporting", "UNKNOWN_NAME", 1, 16),
    ("teleporting", "UNKNOWN_NAME", 1, 1),
    ("railCarrying", "UNKNOWN_NAME", 1, 1),
    ("exists quantity.(xsd:complex < 5)", "UNKNOWN_TYPE", 1, 18),
    ("exists quantity.(transporting = shipping)", "UNKNOWN_TYPE", 1, 18),
    ("exists quantity.(xsd:int < abc)", "VALUE_TYPE", 1, 18),
    ("exists quantity.(xsd:int < 5.5)", "VALUE_TYPE", 1, 18),
    ("exists quantity.(xsd:byte < 300)", "VALUE_TYPE", 1, 18),
    ('exists when.(xsd:dateTime < "2026-01-01T00:00:00")', "VALUE_TYPE", 1, 14),
    ("exists action.(ActionType = PACK)", "VALUE_TYPE", 1, 16),
    ("exists action.(ActionType < DELETE)", "OPERATOR_TYPE", 1, 16),
    ("exists sealed.(xsd:boolean < true)", "OPERATOR_TYPE", 1, 16),
    ("exists bizStep.{}", "EMPTY_ENUMERATION", 1, 16),
    ("not (ObjectEvent) (PT1H) Before TransactionEvent correlate by epcList", "UNSUPPORTED", 1, 1),
    ("not (ObjectEvent) (PT1H anchored) Meets TransactionEvent", "UNSUPPORTED", 1, 1),
    ("TransactionEvent Meets not (ObjectEvent) (PT1H anchored)", "UNSUPPORTED", 1, 24),
    ("not (ObjectEvent) (1 h anchored) Before not (ObjectEvent) (PT1H anchored)", "UNSUPPORTED", 1, 1),
    ("ObjectEvent & ObjectEvent correlate by a = b = c", "CORRELATION", 1, 40),
    ("not (ObjectEvent) (PT1H anchored)", "UNSUPPORTED", 1, 1),
    ("ObjectEvent & selector{ a = 1 } correlate by epcList", "UNSUPPORTED", 1, 15),
    ("ObjectEvent & ObjectEvent correlate by one epcList", "CORRELATION", 1, 44),
    ("ObjectEvent & ObjectEvent correlate by one readPoint", "CORRELATION", 1, 44),
    ("not (ObjectEvent) (PT1H) Before ObjectEvent correlate by one parentID", "UNSUPPORTED", 1, 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "code", "line", "column"), MEANING, ids=[case[0] for case in MEANING]
)
def test_meaning(text: str, code: str, line: int, column: int) -> None:
    found = problems_of(text)
    assert told(found[0]) == (code, line, column)
    assert isinstance(found[0], UnsupportedProblem) is (code == "UNSUPPORTED")
    with pytest.raises(Problem) as raised:
        parse(text, {}, context())
    assert raised.value.code == code


def test_no_problem_hides_another() -> None:
    found = problems_of("exists bizStep.teleporting\n& (exists bizStep.{} and vanishing)")
    assert [told(each) for each in found] == [
        ("UNKNOWN_NAME", 1, 16),
        ("EMPTY_ENUMERATION", 2, 19),
        ("UNKNOWN_NAME", 2, 26),
    ]


def test_a_slip_is_told_from_a_new_name() -> None:
    (problem,) = problems_of("exists bizStep.transportin")
    assert problem.hint.startswith("did you mean transporting?")


def test_options() -> None:
    assert [each.code for each in problems_of("ObjectEvent", world="flat")] == ["OptionError"]
    assert [each.code for each in problems_of("ObjectEvent", ttl="1h")] == ["OptionError"]
    assert [each.code for each in problems_of("ObjectEvent", origin="noon")] == ["OptionError"]
    assert (
        problems_of("ObjectEvent", world="open", intervals="proper", origin="2026-01-01T00:00:00Z")
        == []
    )


def test_roles_must_be_declared_once_some_are() -> None:
    declared = Context(ontology=open_ontology().with_tbox(TBox(roles=("bizStep",))))
    assert problems("exists bizStep.Thing", {}, declared) == []
    found = problems("exists bizStp.Thing & ObjectEvent correlate by epcs", {}, declared)
    assert [told(each) for each in found] == [("UNKNOWN_ROLE", 1, 8), ("UNKNOWN_ROLE", 1, 48)]


TBOXES = [
    ("A := B; B := exists r.A;", "TBOX_CYCLE", 1, 1),
    ("A <: A;", "TBOX_CYCLE", 1, 1),
    ("A := B;\nA := C;", "TBOX_REDEFINED", 2, 1),
    ("A := B;\nA <: C;", "TBOX_REDEFINED", 2, 1),
    ("A = {a};\nA := C;", "TBOX_REDEFINED", 2, 1),
    ("and := B;", "TBOX_RESERVED", 1, 1),
    ("Thing <: B;", "TBOX_RESERVED", 1, 1),
    ("A = {};", "EMPTY_ENUMERATION", 1, 5),
    ("A := B Before C;", "SYNTAX", 1, 8),
    ("A := (B & C);", "LEVEL", 1, 9),
    ("A := exists r.(B = c);", "UNKNOWN_TYPE", 1, 16),
    ("A B;", "SYNTAX", 1, 3),
]


@pytest.mark.parametrize(
    ("text", "code", "line", "column"), TBOXES, ids=[case[0] for case in TBOXES]
)
def test_tbox(text: str, code: str, line: int, column: int) -> None:
    with pytest.raises(Problem) as raised:
        tbox_of_text(text)
    assert told(raised.value) == (code, line, column)


def test_the_cycle_is_shown() -> None:
    with pytest.raises(Problem, match="A -> B -> C -> A") as raised:
        tbox_of_text("A := B; B := C or D; C := exists r.A;")
    assert raised.value.code == "TBOX_CYCLE"


def test_a_problem_of_the_ontology_is_one_of_its_concept_subscriptions() -> None:
    with pytest.raises(Problem) as raised:
        tbox_of_text("A := A;")
    broken = Context(ontology=open_ontology().with_tbox(raised.value))
    assert [each.code for each in problems("ObjectEvent", {}, broken)] == ["TBOX_CYCLE"]


def test_what_a_definition_has_wrong_is_told_where_it_is_used() -> None:
    (problem,) = problems(
        "ObjectEvent & Odd", {}, with_definitions(Odd="exists bizStep.teleporting")
    )
    assert told(problem) == ("UNKNOWN_NAME", 1, 15)
    (problem,) = problems("Round & Round", {}, with_definitions(Round="ObjectEvent and Round"))[:1]
    assert told(problem) == ("TBOX_CYCLE", 1, 1)


def test_a_concept_that_expands_beyond_the_limit_is_refused() -> None:
    wide = [Definition("N0", Disjunction((Symbol("A"), Symbol("B"))))]
    wide += [
        Definition(
            f"N{n}",
            Conjunction((Exists("r", Symbol(f"N{n - 1}")), Exists("s", Symbol(f"N{n - 1}")))),
        )
        for n in range(1, 40)
    ]
    (problem,) = problems("N39", {}, Context(ontology=open_ontology().with_tbox(TBox(tuple(wide)))))
    assert isinstance(problem, LimitProblem)
    assert told(problem) == ("LIMIT", 1, 1)


def test_nesting_and_length_are_limited() -> None:
    deep = "(" * 200 + "ObjectEvent" + ")" * 200
    assert [each.code for each in problems_of(deep)] == ["LIMIT"]
    assert [each.code for each in problems_of("ObjectEvent or " * 10_000 + "ObjectEvent")] == [
        "LIMIT"
    ]


WARNINGS = [
    ("exists bizStep.{railCarrying, railCarrying}", ["DUPLICATE_ELEMENT"]),
    ("ObjectEvent and not ObjectEvent", ["UNSATISFIABLE"]),
    ("exists bizStep.({railCarrying} and {roadCarrying})", ["UNSATISFIABLE"]),
    ("ObjectEvent or not ObjectEvent", ["TAUTOLOGY"]),
    ("Thing", ["TAUTOLOGY"]),
    ("ObjectEvent and exists bizStep.transporting", []),
    ("exists bizStep.teleporting", []),
]


@pytest.mark.parametrize(("text", "codes"), WARNINGS, ids=[case[0] for case in WARNINGS])
def test_warnings(text: str, codes: list[str]) -> None:
    assert [each.code for each in warnings(text, {}, context(PAPER))] == codes
