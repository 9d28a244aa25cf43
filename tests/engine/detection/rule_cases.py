"""The worked cases of the rule language (section 5 of its specification), and some beyond, as plans:
what each rings for, in seconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.builders import build_event
from tests.timelines import kind
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import Condition, Ordered
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Change,
    Gathered,
    Join,
    Named,
    Part,
    Policy,
    Sliding,
)
from tocsin.plan.nodes.expressions import Aggregate, Measure, Ring
from tocsin.values.scalars import Constant

SECOND = 1_000_000
A, B, C = (kind(letter) for letter in "abc")
HOT = Condition(Ordered(("v",), ">", Constant.of(8)))
COUNT, AVG = Measure(Aggregate.COUNT), Measure(Aggregate.AVG, ("v",))
BY = (("k",),)


@dataclass(frozen=True)
class Case:
    """A part, events written kind@second=value/key, and what rings, written second: seconds."""

    name: str
    part: Part
    events: str
    rings: tuple[str, ...]


def _sliding(relation: str, limit: float, **said: object) -> Sliding:
    measure = said.pop("measure", COUNT)
    over = said.pop("over", 10)
    return Sliding(B, measure, relation, limit, over * SECOND, **said)  # type: ignore[arg-type,operator]


def _after(least: int, most: int | None, **said: object) -> Gathered:
    return Gathered(B, AfterWindow(A, 10 * SECOND), least, most, **said)  # type: ignore[arg-type]


def _holds(seconds: int) -> Absence:
    becomes, ceases = Change(B, HOT, True), Change(B, HOT, False)
    return Absence(ceases, AfterWindow(Named("since", becomes), seconds * SECOND))


_BURST = "b@0 b@4 b@8 b@9 b@20 b@21 b@22"

CASES = (
    Case("count", _sliding(">=", 3), _BURST, ("8: 0 4 8", "22: 20 21 22")),
    Case(
        "count every time",
        _sliding(">=", 3, ring=Ring.EVERY_TIME),
        _BURST,
        ("8: 0 4 8", "9: 0 4 8 9", "22: 20 21 22"),
    ),
    Case(
        "count once",
        _sliding(">=", 3, ring=Ring.ONCE),
        "b@0 b@4 b@8 b@9 b@10 b@11",
        ("8: 0 4 8", "11: 9 10 11"),
    ),
    Case("mean, by the clock", _sliding(">", 5, measure=AVG), "b@0=2 b@1=8 b@5=4", ("10: 1 5",)),
    Case("after, at once", _after(2, None), "a@0 b@3 b@7 b@9", ("7: 0 3 7",)),
    Case("after, exactly", _after(2, 2), "a@0 b@3 b@7 b@9", ()),
    Case(
        "between",
        Gathered(B, BetweenWindow(A, C), 1, 2),
        "a@0 b@1 b@2 c@3",
        ("3: 0 1 2 3",),
    ),
    Case(
        "before",
        Gathered(B, BeforeWindow(A, 5 * SECOND, whole=True), 2, None),
        "b@0 b@3 b@4 a@6",
        ("6: 3 4 6",),
    ),
    Case("becomes", Change(B, HOT, True), "b@0=9 b@1=10 b@2=7 b@3=9", ("0: 0", "3: 3")),
    Case("ceases", Change(B, HOT, False), "b@0=7 b@1=9 b@2=8", ("2: 2",)),
    Case("holds", _holds(10), "b@0=9 b@5=10 b@12=7", ("10: 0",)),
    Case("holds not", _holds(10), "b@0=9 b@10=7", ()),
    # beyond the worked cases
    Case("after, exactly, at the end of the window", _after(2, 2), "a@0 b@3 b@10", ("10: 0 3 10",)),
    Case("after, none is in the range", _after(0, 1), "a@0 c@9", ("10: 0",)),
    Case("after, the first n count", _after(1, None), "a@0 a@1 b@3 b@4", ("3: 0 3", "3: 1 3")),
    Case(
        "count for each key",
        _sliding(">=", 2, by=BY),
        "b@0/x b@1/y b@2/x b@3 b@4/y",
        ("2: 0 2", "4: 1 4"),
    ),
    Case("count below, first of all", _sliding("<", 2), "b@0 b@1 b@30", ("0: 0", "10: 1")),
    Case("count of none", _sliding("=", 0), "b@0 b@2", ("12:",)),
    Case(
        "count again and again",
        _sliding(">=", 2, every=5 * SECOND, ring=Ring.EVERY_TIME),
        "b@1 b@2 b@7 c@30",
        ("5: 1 2", "10: 1 2 7"),
    ),
    Case(
        "then, for each key",
        Join((A, B), (), by=BY),
        "a@0/x b@1/y b@2/x a@3 b@4",
        ("2: 0 2",),
    ),
    Case(
        "exclusive, for each key",
        Join((A, B), (), Policy.EXCLUSIVE, by=BY),
        "a@0/x a@1/y b@2/x b@3/y",
        ("2: 0 2", "3: 1 3"),
    ),
    Case(
        "nothing between, exclusive, for each key",
        Absence(C, BetweenWindow(A, B), policy=Policy.EXCLUSIVE, by=BY),
        "a@0/x a@1/y b@2/x b@3/y",
        ("2: 0 2", "3: 1 3"),
    ),
    Case(
        "missing, for each key",
        Absence(B, AfterWindow(A, 5 * SECOND), by=BY),
        "a@0/x a@1/y b@2/x a@3",
        ("6: 1",),
    ),
    Case(
        "becomes, for each key",
        Change(B, HOT, True, BY),
        "b@0=9/x b@1=9/y b@2=9/x b@3=7/y b@4=9/y b@5=9",
        ("0: 0", "1: 1", "4: 4"),
    ),
    Case(
        "becomes, forgotten",
        Change(B, HOT, True, keep=SECOND),
        "b@0=9 b@1=9 b@3=9",
        ("0: 0", "3: 3"),
    ),
    Case("ceases, forgotten", Change(B, HOT, False, keep=SECOND), "b@0=9 b@2=7", ()),
)

_EVENT = re.compile(r"(\w)@(\d+)(?:=(\d+))?(?:/(\w))?")


def events_of(text: str) -> list[Event]:
    """Events in canonical order; their ids are their seconds."""
    return [_event(*found.groups()) for found in _EVENT.finditer(text)]


def _event(letter: str, second: str, value: str | None, key: str | None) -> Event:
    data: dict[str, object] = {"kind": letter}
    data |= {"v": int(value)} if value else {}
    data |= {"k": key} if key else {}
    return build_event(second, time=int(second) * SECOND, data=data)
