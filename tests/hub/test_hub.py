"""The Hub: what rings, what is ignored, and that nothing wrong harms the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tocsin
from tests.builders import event_json
from tocsin.catalog import Subscription, create_catalog, open_catalog
from tocsin.errors import Problem


def event(name: str, second: int = 0, **data: Any) -> dict[str, Any]:
    return event_json(name, "offer", second, source="shop", data=data)


def rung(matches: list[tocsin.Match]) -> list[tuple[str, tuple[str, ...]]]:
    return [(match.subscription, match.events) for match in matches]


def test_a_matching_event_reaches_its_receiver_and_no_other() -> None:
    hub, cheap, dear = tocsin.Hub(), [], []
    hub.subscribe("price < 400 AND kind = 'laptop'", to=cheap.append, id="cheap")
    hub.subscribe("price > 1000", to=dear.append, id="dear")
    assert rung(hub.publish(event("e1", price=350, kind="laptop"))) == [("cheap", ("e1",))]
    assert rung(hub.publish(event("e2", price=500, kind="laptop"))) == []
    assert rung(cheap) == [("cheap", ("e1",))]
    assert dear == []


def test_a_cancelled_subscription_rings_no_more() -> None:
    hub = tocsin.Hub()
    handle = hub.subscribe("a = 1")
    handle.cancel()
    assert hub.publish(event("e", a=1)) == []
    with pytest.raises(Problem, match="UnknownSubscriptionError"):
        handle.cancel()


def test_a_failed_subscribe_changes_nothing() -> None:
    hub = tocsin.Hub()
    hub.subscribe("a = 1", id="s")
    with pytest.raises(Problem, match="DuplicateSubscriptionError"):
        hub.subscribe("a = 2", id="s")
    with pytest.raises(Problem, match="SelectorSyntaxError"):
        hub.subscribe("a = ", id="t")
    with pytest.raises(Problem, match="colour"):
        hub.subscribe("a = 1", id="t", colour="red")
    assert rung(hub.publish(event("e", a=1), event("f", a=2))) == [("s", ("e",))]


def test_the_same_identity_a_second_time_is_ignored() -> None:
    hub = tocsin.Hub(remember=2)
    hub.subscribe("a = 1", id="s")
    assert len(hub.publish(event("e1", a=1), event("e1", a=1))) == 1
    assert hub.publish(event("e1", a=1)) == []
    assert hub.counts.duplicates == 2
    hub.publish(event("e2"), event("e3"))
    assert len(hub.publish(event("e1", a=1))) == 1, "only the last two identities are remembered"


def test_a_malformed_event_becomes_a_dead_letter_and_the_next_one_is_served() -> None:
    hub = tocsin.Hub()
    hub.subscribe("a = 1", id="s")
    matches = hub.publish(
        b"{", {"id": "x"}, event("e", a=1), '{"id":"n","source":"s","type":"t","data":{"a":NaN}}'
    )
    assert rung(matches) == [("s", ("e",))]
    assert [letter.code for letter in hub.dead_letters] == ["InvalidEventError"] * 3
    assert hub.counts.dead_letters == 3


def test_a_receiver_that_fails_harms_nobody_else() -> None:
    hub, heard = tocsin.Hub(), []

    def broken(_match: tocsin.Match) -> None:
        raise RuntimeError("disk full")

    hub.subscribe("a = 1", id="first", to=broken)
    hub.subscribe("a = 1", id="second", to=heard.append)
    hub.publish(event("e", a=1))
    assert rung(heard) == [("second", ("e",))]
    assert [(letter.code, letter.reason) for letter in hub.dead_letters] == [
        ("DeliveryError", "RuntimeError: disk full")
    ]


def test_a_receiver_may_subscribe_and_it_takes_effect_from_the_next_event() -> None:
    hub = tocsin.Hub()
    hub.subscribe("a = 1", id="s", to=lambda match: hub.subscribe("a = 1", id="later").id)
    assert rung(hub.publish(event("e1", a=1))) == [("s", ("e1",))]
    hub.unsubscribe("s")
    assert rung(hub.publish(event("e2", a=1))) == [("later", ("e2",))]


def test_a_late_event_is_counted_and_still_rings_an_atomic_subscription() -> None:
    hub = tocsin.Hub(lateness="2s")
    hub.subscribe("a = 1", id="s")
    hub.publish(event("new", 10))
    assert len(hub.publish(event("in-time", 8, a=1))) == 1
    assert len(hub.publish(event("behind", 7, a=1))) == 1
    assert hub.counts.late == 1
    assert hub.dead_letters[-1].reason == "late"
    hub.advance_to("2026-01-01T01:00:00Z")
    hub.publish(event("hours-behind", 20))
    assert hub.counts.late == 2


def test_events_published_together_ring_in_canonical_order() -> None:
    hub = tocsin.Hub()
    hub.subscribe("", id="all")
    matches = hub.publish(event("b", 2), event("c", 1), event("a", 2))
    assert [match.events for match in matches] == [("c",), ("a",), ("b",)]


def test_hubs_share_a_catalog(tmp_path: Path) -> None:
    path = str(tmp_path / "catalog.db")
    create_catalog(path)
    one, two = tocsin.Hub(catalog=path), tocsin.Hub(catalog=path)
    handle = one.subscribe("a = 1", id="s")
    two.refresh()
    assert rung(two.publish(event("e", a=1))) == [("s", ("e",))]
    handle.cancel()
    two.refresh()
    assert two.publish(event("f", a=1)) == []
    open_catalog(path).add(Subscription("wrong", "selector", "a ="))
    two.refresh()
    assert two.dead_letters[-1].code == "SelectorSyntaxError"


def test_settings_that_are_not_served_are_refused_not_ignored() -> None:
    with pytest.raises(Problem, match=r"ONTOLOGY_FORMAT.*any\.ttl"):
        tocsin.Hub(ontology="any.ttl")
    with pytest.raises(Problem, match="policy"):
        tocsin.Hub().subscribe("a = 1", policy="sometimes")


@pytest.mark.parametrize("lateness", ["0s", "15m"])
@pytest.mark.parametrize("together", [True, False])
def test_windows_that_come_again_begin_with_the_first_event_however_events_are_cut(
    lateness: str, together: bool
) -> None:
    hub = tocsin.Hub(lateness=lateness)
    hub.subscribe("not (ObjectEvent) (PT1H)", language="concept", id="i")
    events = [
        {
            "id": str(hour),
            "source": "s",
            "type": "ObjectEvent",
            "time": f"2026-01-01T0{hour}:10:00Z",
        }
        for hour in (0, 3, 5)
    ]
    found = (
        hub.publish(*events)
        if together
        else [match for each in events for match in hub.publish(each)]
    )
    found += hub.advance_to("2026-01-01T05:30:00Z")
    starts = [match.bindings["absence"].partition("/")[0] for match in found]
    assert starts == [f"2026-01-01T0{hour}:00:00Z" for hour in (1, 2, 4)]


def test_a_late_event_takes_no_absence_back_and_is_counted() -> None:
    """T9 of the concept specification: A at 9:30 arrives when the window from 9:00 to 10:00 has
    rung.
    """
    hub = tocsin.Hub(lateness="0s")
    hub.subscribe(
        "not (ObjectEvent) (PT1H)",
        language="concept",
        id="i",
        options={"origin": "2026-01-01T08:00:00Z"},
    )

    def at(id: str, kind: str, time: str) -> dict[str, Any]:
        return event_json(id, kind, time=f"2026-01-01T{time}:00Z")

    found = [
        match
        for each in (at("1", "ObjectEvent", "08:20"), at("2", "QuantityEvent", "10:05"))
        for match in hub.publish(each)
    ]
    assert [match.bindings["absence"] for match in found] == [
        "2026-01-01T09:00:00Z/2026-01-01T10:00:00Z"
    ]
    assert hub.publish(at("3", "ObjectEvent", "09:30")) == []
    assert hub.counts.late == 1
    assert [letter.reason for letter in hub.dead_letters] == ["late"]
