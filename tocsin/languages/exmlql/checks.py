"""Warnings: subscriptions that are legal and probably not meant. They refuse nothing.

UNSATISFIABLE: the conditions on one variable exclude each other, one of them is true of no value,
or a block is before itself: a label is the same event everywhere. SameEvent: a block is absent
between events of which it is one, which is always true.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import assert_never

from tocsin.errors import Problem
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.exmlql.syntax import (
    AmongUse,
    BlockUse,
    ConstantUse,
    ExmlqlComparison,
    ExmlqlSubscription,
    Junction,
    Operation,
    PartGroup,
    Term,
    TimePart,
    VariableUse,
    WindowedPart,
    uses_of,
)
from tocsin.languages.exmlql.time_clauses import constituents
from tocsin.plan.semantics.implication import TURNED, can_all_hold
from tocsin.plan.xml.row_evaluation import number_in

_EQUALITIES = ("=", "!=")


@dataclass(frozen=True, slots=True)
class _Test:
    """A variable compared with a constant, and its place."""

    spot: SourceSpan
    relation: str
    constant: str

    @property
    def number(self) -> Decimal | None:
        return number_in(self.constant)

    def __str__(self) -> str:
        constant = self.constant if self.number is not None else f'"{self.constant}"'
        return f"{self.spot.text} {self.relation} {constant}"


def warnings_of(text: str, subscription: ExmlqlSubscription) -> list[Problem]:
    """Return the warnings of a text."""
    problems = ProblemCollector(text)
    for tests in _tests_by_variable(subscription).values():
        _warn_of_contradiction(tests, problems)
    if subscription.time is not None:
        _warn_of_order(subscription.time, problems)
    return problems.in_reading_order()


def _warn_of_order(part: TimePart, problems: ProblemCollector) -> None:
    """Warn of blocks that would have to be before themselves, anywhere in a time clause."""
    match part:
        case BlockUse():
            return
        case PartGroup(inner):
            _warn_of_order(inner, problems)
        case Operation(operator, left, right):
            _warn_of_order(left, problems)
            _warn_of_order(right, problems)
            if operator.text == ";" or (
                operator.text == ":" and (_is_block(left) or _is_block(right))
            ):
                _warn_of_shared(left, right, problems)
        case WindowedPart(first, last, middle, absent):
            around = [each for each in (first, last) if not isinstance(each, SourceSpan)]
            for each in (*around, middle):
                _warn_of_order(each, problems)
            for each in around:
                if absent:
                    _warn_of_needless_absence(each, middle, problems)
                else:
                    _warn_of_shared(each, middle, problems)
            if not isinstance(last, SourceSpan):
                _warn_of_shared(first, last, problems)
        case _:
            assert_never(part)


def _is_block(part: TimePart) -> bool:
    while isinstance(part, PartGroup):
        part = part.inner
    return isinstance(part, BlockUse)


def _shared_use(left: TimePart, right: TimePart) -> SourceSpan | None:
    """Return the place where the right part uses a block that every occurrence of both parts has.

    None if they share no such block.
    """
    shared = constituents(left)[0] & constituents(right)[0]
    return next((use for use in uses_of(right) if use.text in shared), None)


def _warn_of_shared(left: TimePart, right: TimePart, problems: ProblemCollector) -> None:
    use = _shared_use(left, right)
    if use is not None:
        problems.add(
            "UNSATISFIABLE",
            use,
            f"{use.text} is one event wherever it stands, and never comes before itself",
            "as it stands it never rings; give the other event a block with a label of its own",
        )


def _warn_of_needless_absence(
    around: TimePart, absent: TimePart, problems: ProblemCollector
) -> None:
    use = _shared_use(around, absent)
    if use is not None:
        problems.add(
            "SameEvent",
            use,
            f"{use.text} is one event wherever it stands, so it is never absent here",
            "to exclude other events of the kind, repeat the pattern with a label of its own",
        )


def _tests_by_variable(subscription: ExmlqlSubscription) -> Mapping[str, list[_Test]]:
    """Return the tests that must all hold of one value: a row has one for each variable."""
    found: dict[str, list[_Test]] = defaultdict(list)
    for item in subscription.conditions:
        for test in _tests(item.condition):
            found[test.spot.text].append(test)
    return found


def _tests(term: Term) -> Iterator[_Test]:
    match term:
        case ExmlqlComparison(VariableUse(spot), relation, ConstantUse(text)):
            yield _Test(spot, relation, text)
        case ExmlqlComparison(ConstantUse(text), relation, VariableUse(spot)):
            yield _Test(spot, TURNED[relation], text)
        case AmongUse(VariableUse(spot), (ConstantUse(text),), False):
            yield _Test(spot, "=", text)
        case Junction("AND", parts):
            for part in parts:
                yield from _tests(part)
        case _:
            return


def _warn_of_contradiction(tests: list[_Test], problems: ProblemCollector) -> None:
    for number, test in enumerate(tests):
        if not _can_hold([test]):
            message = f"{test} is true of no value: only numbers have an order"
            problems.add(
                "UNSATISFIABLE",
                test.spot,
                message,
                'write a number, or compare dates: date($x) < date("...")',
            )
            return
        if not _can_hold(tests[: number + 1]):
            other = next((each for each in tests[:number] if not _can_hold([each, test])), tests[0])
            message = f"{other} and {test} are never true of one value"
            problems.add(
                "UNSATISFIABLE",
                test.spot,
                message,
                "as it stands it never rings; join them with OR",
            )
            return


def _can_hold(tests: list[_Test]) -> bool:
    """True if some value may pass all tests.

    A text that reads as a number is one; other texts are only equal or not.
    """
    if any(test.relation not in _EQUALITIES and test.number is None for test in tests):
        return False
    texts = [test.constant for test in tests if test.relation == "=" and test.number is None]
    if texts:
        only_equal = all(test.relation in _EQUALITIES for test in tests)
        return only_equal and all(
            (test.constant == texts[0]) == (test.relation == "=") for test in tests
        )
    numbers = [(test.relation, number) for test in tests if (number := test.number) is not None]
    asked = [relation for relation, _ in numbers if relation != "!="]
    return not asked or can_all_hold(numbers)
