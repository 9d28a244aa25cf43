"""Finite input: what one event raises is told of that event, and what the others get does not
change.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.builders import build_event
from tocsin.catalog import Subscription, compile_subscription
from tocsin.cli import evaluators as engines
from tocsin.cli.evaluators import EvaluatorName, Request
from tocsin.cli.subscription_files import Loaded
from tocsin.engine.detection.scheduling.network import Network
from tocsin.engine.engine import Engine
from tocsin.events.codecs import decode as piece
from tocsin.events.dead_letter import DeadLetter
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.plan.nodes.composites import Plan
from tocsin.runtime.finite_run import Input, match_events, read_events
from tocsin.values.time import Instant

SUBSCRIPTIONS = [
    Subscription("cheap", "selector", "price < 100"),
    Subscription("kind", "selector", "ce_type = 't'", options={}),
    Subscription("xml", "exmlql", "WHERE <price>$p</> CONSTRUCT <cost>$p</>"),
    Subscription("cost", "exmlql", "WHERE <cost>$c</>"),
    Subscription("pair", "opsl", "(ARITH: price = 1) && (ARITH: price = 2)"),
]
Host = Callable[[Sequence[Subscription], Sequence[Event]], tuple[list[Match], list[DeadLetter]]]


class Poison(dict[str, Any]):
    """Data that nobody can look at."""

    def get(self, *_: Any) -> Any:
        raise ZeroDivisionError("poison")

    __getitem__ = __iter__ = items = values = keys = __len__ = get


def event(number: int, **data: Any) -> Event:
    return build_event(f"e{number}", second=number, data=data)


def poisoned(number: int) -> Event:
    plain = event(number)
    return Event(plain.envelope, Poison(), plain.interval)


def compiled(subscriptions: Sequence[Subscription]) -> dict[str, Plan]:
    return {each.id: compile_subscription(each) for each in subscriptions}


def locally(
    subscriptions: Sequence[Subscription], events: Sequence[Event]
) -> tuple[list[Match], list[DeadLetter]]:
    given = Input(list(events))
    return match_events(compiled(subscriptions), given), given.dead_letters


def by_reference(
    subscriptions: Sequence[Subscription], events: Sequence[Event]
) -> tuple[list[Match], list[DeadLetter]]:
    loaded = Loaded({each.id: each for each in subscriptions}, compiled(subscriptions))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engines, "read_input", lambda *_: Input(list(events)))
        answer = engines.evaluate(EvaluatorName.REFERENCE, Request(loaded, ""))
    return answer.matches, answer.dead_letters


HOSTS = pytest.mark.parametrize("host", [locally, by_reference])
GOOD = [event(number, price=number % 3) for number in range(1, 40)]


@HOSTS
@pytest.mark.parametrize("at", [[0], [7], [38], [3, 4, 30]], ids=str)
def test_events_that_raise_are_told_and_the_others_ring_as_without_them(
    host: Host, at: list[int]
) -> None:
    plain = [each for each in SUBSCRIPTIONS if each.language != "exmlql"]
    good = [each for number, each in enumerate(GOOD) if number not in at]
    bad = [poisoned(number + 1) for number in at]
    expected, _ = host(plain, good)
    found, letters = host(plain, sorted([*good, *bad], key=lambda each: each.order))
    of_bad = [match for match in found if {each.id for each in bad}.intersection(match.events)]
    assert [match for match in found if match not in of_bad] == expected
    assert {match.subscription for match in of_bad} == {"kind"}
    told = {(letter.code, json.loads(letter.input)["id"]) for letter in letters}
    assert told == {("InternalError", each.id) for each in bad}
    assert all(
        "ZeroDivisionError: poison" in letter.reason and "tocsin/" in letter.reason
        for letter in letters
    )


@pytest.mark.parametrize("subscription", ["cheap", "xml"])
def test_a_subscription_that_raises_is_named_and_then_suspended(
    monkeypatch: pytest.MonkeyPatch, subscription: str
) -> None:
    expected = [
        match
        for match in locally(SUBSCRIPTIONS, GOOD)[0]
        if match.subscription not in (subscription, "cost")
    ]
    ring = Engine.render_atomic_match

    def raising(engine: Engine, key: str, given: Event) -> Match | None:
        if key == subscription:
            raise KeyError(given.id)
        return ring(engine, key, given)

    monkeypatch.setattr(Engine, "render_atomic_match", raising)
    found, letters = locally(SUBSCRIPTIONS, GOOD)
    assert [match for match in found if match.subscription != "cost"] == expected
    assert [letter.code for letter in letters] == ["InternalError"] * 3 + ["SubscriptionSuspended"]
    assert all(repr(subscription) in letter.reason for letter in letters)


def test_a_timer_that_raises_harms_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = locally(SUBSCRIPTIONS, GOOD)[0]
    advance = Network.advance_to

    def raising(network: Network, now: Instant | None, leap: Instant | None = None) -> Any:
        if now is None:
            raise ValueError("end of time")
        return advance(network, now, leap)

    monkeypatch.setattr(Network, "advance_to", raising)
    found, letters = locally(SUBSCRIPTIONS, GOOD)
    assert found == expected
    assert [letter.code for letter in letters] == ["InternalError"]


def test_a_subscription_that_cannot_be_added_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = locally(SUBSCRIPTIONS[1:], GOOD)[0]
    add = Engine.add

    def raising(engine: Engine, key: str, plan: Plan) -> None:
        if key == "cheap":
            raise IndexError("add")
        add(engine, key, plan)

    monkeypatch.setattr(Engine, "add", raising)
    found, (letter,) = locally(SUBSCRIPTIONS, GOOD)
    assert found == expected
    assert (letter.code, "'cheap'" in letter.reason) == ("InternalError", True)


def test_a_line_that_cannot_be_read_for_a_fault_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    decode = piece.decode_all  # type: ignore[attr-defined]

    def raising(line: bytes) -> list[Event]:
        if b"e2" in line:
            raise AttributeError("fault")
        return decode(line)

    monkeypatch.setattr(piece, "decode_all", raising)
    found = read_events(
        b'{"id": "e%d", "source": "s", "type": "t"}\n' % number for number in range(4)
    )
    assert [each.id for each in found.events] == ["e0", "e1", "e3"]
    (letter,) = found.dead_letters
    assert (letter.code, letter.line) == ("InternalError", 3)
    assert '"e2"' in letter.input
