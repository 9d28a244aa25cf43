"""A queue limit suspends the one subscription, tells its subscriber, and harms no other."""

from __future__ import annotations

import tocsin
from tests.builders import event_json
from tocsin.events.dead_letter import DeadLetter
from tocsin.events.matches.match import Match


def event(number: int, kind: str) -> dict[str, object]:
    return event_json(f"{kind}{number}", second=number, data={"kind": kind, "n": number})


def test_too_much_waiting_suspends_one_subscription_and_tells_its_subscriber() -> None:
    hub = tocsin.Hub(lateness="0s", queue_limit=3)
    told: list[DeadLetter] = []
    rung: list[Match] = []
    many = "selector{ kind = 'a' } && selector{ kind = 'z' }"
    hub.subscribe(many, language="opsl", id="many", problems_to=told.append)
    hub.subscribe(
        "=|(selector{ kind = 'a' };2s)selector{ kind = 'b' }",
        language="opsl",
        id="few",
        to=rung.append,
    )
    for number in range(1, 7):
        hub.publish(event(number, "a"))
    hub.publish(event(7, "b"))
    hub.publish(event(8, "z"))
    hub.advance_to("2026-01-01T00:01:00Z")
    assert [letter.code for letter in told] == ["QueueLimitExceeded"]
    assert "'many'" in told[0].reason
    assert [letter.code for letter in hub.dead_letters] == ["QueueLimitExceeded"]
    assert {match.subscription for match in rung} == {"few"}
    assert [match.events for match in rung] == [("a5", "b7")]
    hub.subscribe(many, language="opsl", id="many")  # the name is free again


def test_a_limit_that_is_not_passed_changes_nothing() -> None:
    hub = tocsin.Hub(lateness="0s", queue_limit=3)
    hub.subscribe("selector{ kind = 'a' } && selector{ kind = 'z' }", language="opsl", id="many")
    for number in range(1, 4):
        hub.publish(event(number, "a"))
    hub.publish(event(4, "z"))
    found = hub.advance_to("2026-01-01T00:01:00Z")
    assert [match.events for match in found] == [("a1", "z4")]
    assert not hub.dead_letters


def ring_of(size: int) -> str:
    """A graph in which every vertex leads to every other: a longest path takes for ever to rule
    out.
    """
    arcs = " ".join(
        f":v{i} :to {', '.join(f':v{j}' for j in range(size) if j != i)} ." for i in range(size)
    )
    kinds = " ".join(f":v{i} a :V ." for i in range(size))
    return f"@prefix : <http://x/> . <urn:ops:H> a :Home ; :to :v0 . {kinds} {arcs}"


def test_what_is_too_hard_to_decide_does_not_ring_and_is_told() -> None:
    hub = tocsin.Hub()
    size = 12
    steps = " ".join(
        f"(?{i}, ?{i + 1}, (<http://x/V>, <http://x/to>, <http://x/V>))" for i in range(size)
    )
    hub.subscribe(
        f"(_:H, ?0, (<http://x/Home>, <http://x/to>, <http://x/V>)) {steps}",
        language="graph",
        id="hard",
    )
    given = {
        "id": "1",
        "source": "s",
        "type": "t",
        "datacontenttype": "text/turtle",
        "data": ring_of(size),
    }
    assert hub.publish(given) == []
    assert [letter.code for letter in hub.dead_letters] == ["LIMIT"]
    assert "'hard'" in hub.dead_letters[0].reason
    assert hub.dead_letters[0].input == '{"source": "s", "id": "1"}'
