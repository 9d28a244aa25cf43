"""What comparisons mean for events, by the reference: each joins only what belongs together."""

from __future__ import annotations

from tests.builders import build_event
from tests.languages.opsl.plans import CONTEXT
from tocsin.events.event import Event
from tocsin.languages import parse_subscription
from tocsin.reference import matches

SAME_PARCEL = "$x;.parcel = $y;.parcel"
BOUND = "$x; = A, $y; = B, $z; = C"


def event(text: str) -> Event:
    """The event of `A1@3`: kind A, parcel 1, three seconds past the minute; its id is the text."""
    moment = int(text.partition("@")[2])
    return build_event(text, "scan", moment, data={"k": text[0], "parcel": text[1]})


def rung(text: str, events: str) -> list[str]:
    plan = parse_subscription("opsl", text, {}, CONTEXT)
    return ["+".join(match.events) for match in matches("s", plan, map(event, events.split()))]


def test_a_join_takes_parts_with_equal_attributes() -> None:
    text = f"=|($x;;10s)$y; WHERE {SAME_PARCEL}, $x; = A, $y; = B"
    assert rung(text, "A1@0 A2@1 B2@2 B3@3 B1@4") == ["A2@1+B2@2", "A1@0+B1@4"]


def test_only_a_part_with_an_equal_attribute_ends_a_silence() -> None:
    text = f"!($x;;10s)$y; WHERE {SAME_PARCEL}, $x; = A, $y; = B"
    assert rung(text, "A1@0 A2@1 B1@5") == ["A2@1"]


def test_both_ends_of_a_silence_belong_together() -> None:
    text = f"!($x;;$y;)$z; WHERE {SAME_PARCEL} AND $z;.parcel = $x;.parcel, {BOUND}"
    assert rung(text, "A1@0 A2@1 B2@3 B1@4") == ["A2@1+B2@3", "A1@0+B1@4"]
    assert rung(text, "A1@0 A2@1 C1@2 B2@3 B1@4") == ["A2@1+B2@3"]
    assert rung(text, "A1@0 A1@1 B1@3") == ["A1@0+B1@3"]
