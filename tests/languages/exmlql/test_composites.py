"""Time clauses as joins: the relations of spec 4.1 and 4.2 on intervals, contexts as policies,
targets of triggers.
"""

from __future__ import annotations

import pytest

from tests.languages.exmlql.asking import block_of, parsed
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BetweenWindow,
    Either,
    End,
    Join,
    Named,
    Part,
    Policy,
    Precedes,
    Send,
    Triggered,
    Waiting,
)
from tocsin.plan.xml.construction import Construct
from tocsin.plan.xml.row_terms import ValueCondition

PATTERNS = "WHERE <a>$x</> #A <b>$x</> #B <c>$y</> #C "
MINUTE = 60_000_000


def pattern(clause: str) -> Part:
    return parsed(f"{PATTERNS}{clause} CONSTRUCT <o></>").pattern


def named(label: str) -> Named:
    name = label.lower()
    variable = "$y" if label == "C" else "$x"
    return Named(f"#{label}", block_of(f"WHERE <{name}>{variable}</>"))


A, B, C = named("A"), named("B"), named("C")


def holds(join: Part, *intervals: tuple[int, int]) -> bool:
    """Whether the conditions of a join hold for parts with these intervals."""
    assert isinstance(join, Join)

    def instant(part: int, end: End) -> int:
        return intervals[part][0 if end is End.START else 1]

    def met(condition: object) -> bool:
        assert isinstance(condition, Precedes)
        earlier = instant(condition.earlier.part, condition.earlier.end) + condition.gap
        later = instant(condition.later.part, condition.later.end)
        return earlier < later or (condition.or_equal and earlier == later)

    return all(map(met, join.conditions))


T1, T2, T3, T4 = (0, 2), (3, 7), (5, 14), (9, 12)


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        (";", {(T1, T2), (T1, T3), (T1, T4), (T2, T4)}),
        (":", {(T2, T3)}),
        ("||", {(T2, T3), (T3, T2), (T3, T4), (T4, T3)}),
    ],
)
def test_figure_2(operator: str, expected: set[tuple[tuple[int, int], tuple[int, int]]]) -> None:
    join = pattern(f"#A {operator} #B || #C")
    assert isinstance(join, Join)
    inner = join.parts[0]
    assert isinstance(inner, Join)
    assert inner.parts == (A, B)
    pairs = [(one, other) for one in (T1, T2, T3, T4) for other in (T1, T2, T3, T4) if one != other]
    assert {pair for pair in pairs if holds(inner, *pair)} == expected


@pytest.mark.parametrize(
    ("t", "p", "strictly", "overlapping", "parallel"),
    [
        ((0, 3), (3, 5), False, False, True),
        ((2, 2), (2, 2), False, False, True),
        ((2, 2), (3, 3), True, False, False),
        ((0, 4), (0, 6), False, False, True),
        ((0, 10), (2, 5), False, False, True),
        ((0, 3), (2, 5), False, True, True),
    ],
    ids=["row 1", "row 2", "row 3", "row 4", "row 5", "5.2"],
)
def test_edge_cases_of_two(
    t: tuple[int, int], p: tuple[int, int], strictly: bool, overlapping: bool, parallel: bool
) -> None:
    two = "WHERE <a>$x</> #A <b>$x</> #B #A {} #B CONSTRUCT <o></>"
    assert [holds(parsed(two.format(glyph)).pattern, t, p) for glyph in (";", ":", "||")] == [
        strictly,
        overlapping,
        parallel,
    ]


def test_row_18_timing_takes_what_lies_between() -> None:
    join = pattern("(#A _|_ #B) #C")
    assert isinstance(join, Join)
    assert join.parts == (A, B, C)
    assert holds(join, (0, 1), (4, 5), (2, 3))
    assert not holds(join, (0, 1), (4, 5), (2, 4))


def test_a_duration_closes_the_window() -> None:
    join = pattern("(#A _|_ 1m) #B || #C")
    assert isinstance(join, Join)
    inner = join.parts[0]
    assert isinstance(inner, Join)
    assert inner.parts == (A, B)
    assert holds(inner, (0, 1), (2, 1 + MINUTE))
    assert not holds(inner, (0, 1), (2, 2 + MINUTE))
    assert not holds(inner, (0, 1), (1, 2))


def test_absence() -> None:
    assert pattern("((#A _|_ #B) !#C)") == Absence(C, BetweenWindow(A, B), policy=Policy.RECENT)
    assert pattern("((#A _|_ 1m) !#B) | #C") == Either(
        (Absence(B, AfterWindow(A, MINUTE), policy=Policy.RECENT), C)
    )


def test_within_bounds_the_whole_and_the_state() -> None:
    join = parsed("WHERE <a></> #A <b></> #B #A ; #B WITHIN 1m ~> #B").pattern
    assert isinstance(join, Join)
    assert join.keep == MINUTE
    assert holds(join, (0, 1), (2, MINUTE))
    assert not holds(join, (0, 1), (2, MINUTE + 1))


def test_precedence_and_associativity() -> None:
    whole = pattern("#A ; #B : #C || #A | #B")
    assert isinstance(whole, Either)
    parallel, alternative = whole.parts
    assert alternative == B
    assert isinstance(parallel, Join)
    overlapped = parallel.parts[0]
    assert isinstance(overlapped, Join)
    assert overlapped.parts[1] == C
    sequence = overlapped.parts[0]
    assert isinstance(sequence, Join)
    assert sequence.parts == (A, B)


@pytest.mark.parametrize(
    ("contexts", "policy"),
    [
        ("", Policy.RECENT),
        ("CONTEXT Recent", Policy.RECENT),
        ("CONTEXT Recent, Exclusive", Policy.RECENT),
        ("CONTEXT Globe, Recent", Policy.RECENT),
        ("CONTEXT Exclusive", Policy.EXCLUSIVE),
        ("CONTEXT Globe", Policy.GLOBE),
    ],
)
def test_contexts_are_policies(contexts: str, policy: Policy) -> None:
    join = pattern(f"#A ; #B || #C {contexts}")
    assert isinstance(join, Join)
    assert join.policy is policy


def test_a_bracket_is_about_its_vertex() -> None:
    join = pattern("((#A ; #B) : #C)[Globe] CONTEXT Exclusive")
    assert isinstance(join, Join)
    assert join.policy is Policy.GLOBE
    inner = join.parts[0]
    assert isinstance(inner, Join)
    assert inner.policy is Policy.EXCLUSIVE


def test_blocks_without_a_time_clause_are_joined() -> None:
    assert pattern("") == Join((A, B, C), (), Policy.RECENT)


@pytest.mark.parametrize(
    ("contexts", "waiting"),
    [
        ("", Waiting.FIRST_AFTER),
        ("CONTEXT Exclusive, Recent", Waiting.FIRST_AFTER),
        ("CONTEXT Recent, Globe", Waiting.LATEST_SINCE),
        ("CONTEXT Exclusive", Waiting.EVERY_AFTER),
        ("CONTEXT Globe", Waiting.EVERY_SINCE),
    ],
)
def test_a_target_outside_is_waited_for(contexts: str, waiting: Waiting) -> None:
    plan = parsed(f"{PATTERNS} #A ; #B ~> #C {contexts}")
    assert isinstance(plan.pattern, Triggered)
    assert isinstance(plan.pattern.part, Join)
    assert plan.pattern.part.parts == (A, B)
    assert (plan.pattern.target, plan.pattern.waiting) == (C, waiting)
    assert plan.output == Send((), ("#C",))


def test_a_target_inside_is_sent_at_once() -> None:
    plan = parsed("WHERE <a></> #A <b></> #B #A ; #B ~> #B, #A")
    assert isinstance(plan.pattern, Join)
    assert plan.output == Send(("#B", "#A"))


def test_conditions_go_to_the_block_that_can_decide_them() -> None:
    plan = parsed("WHERE <a>$x</> #A <c>$y</> #C $x > 5, $x < $y #A ; #C CONSTRUCT <o></>")
    assert isinstance(plan.pattern, Join)
    assert plan.pattern.parts[0] == Named("#A", block_of("WHERE <a>$x</> $x > 5"))
    output: object = plan.output
    assert isinstance(output, Construct)
    assert output.conditions == (ValueCondition("$x", "<", other="$y"),)
