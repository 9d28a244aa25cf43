"""Knowledge that changes under a running Hub: subscriptions are read again, break by name, heal,
and keep receivers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tocsin
from tests.builders import event_json
from tocsin.catalog import Catalog, Definition, Subscription, create_catalog, open_catalog
from tocsin.errors import Problem
from tocsin.events.dead_letter import DeadLetter

PREFIXES = "@prefix : <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
KINDS = f"{PREFIXES} :Laptop rdfs:subClassOf :Computer . :Selling a rdfs:Class . :target a rdfs:Property ."
KINDS = KINDS.replace("rdfs:Property", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#Property>")
WITH_PHONES = KINDS + " :Phone rdfs:subClassOf :Computer ."
WITHOUT_TARGET = f"{PREFIXES} :Laptop rdfs:subClassOf :Computer . :Selling a rdfs:Class ."
STEPS = "transporting := shipping or {rail};"
MORE_STEPS = "transporting := shipping or {rail, road};"
COMPUTERS = "(_:H, ?1, (Selling, target, Computer))"
PALLETS = "exists step.transporting"


def ontology(text: str, name: str = "shop") -> Definition:
    return Definition(name, ontology=text, media_type="text/turtle")


def tbox(text: str, name: str = "steps") -> Definition:
    return Definition(name, ontology=text, media_type="text/x-tbox")


def offer(id: str, kind: str) -> dict[str, Any]:
    data = f"@prefix : <http://x/> . <urn:ops:H> a :Selling ; :target :mine . :mine a :{kind} ."
    return event_json(id, content_type="text/turtle", data=data)


def step(id: str, what: str, second: int = 0) -> dict[str, Any]:
    return event_json(id, "ObjectEvent", second, data={"step": what})


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return create_catalog(str(tmp_path / "c.db"))


def test_a_changed_ontology_reaches_a_running_hub_and_the_receiver_stays(catalog: Catalog) -> None:
    catalog.add(ontology(KINDS))
    hub, heard = tocsin.Hub(catalog=catalog), []
    hub.subscribe(COMPUTERS, language="graph", id="computers", to=heard.append)
    hub.publish(offer("before", "Phone"))
    open_catalog(catalog.url).replace(ontology(WITH_PHONES))
    hub.publish(offer("not yet", "Phone"))
    hub.refresh()
    hub.publish(offer("after", "Phone"))
    assert [match.events for match in heard] == [("after",)]
    assert not hub.dead_letters


def test_a_changed_tbox_reaches_a_running_hub(catalog: Catalog) -> None:
    catalog.add(tbox(STEPS), Subscription("pallets", "concept", PALLETS))
    hub = tocsin.Hub(catalog=catalog)
    assert not hub.publish(step("1", "road"))
    catalog.replace(tbox(MORE_STEPS))
    hub.refresh()
    assert [match.events for match in hub.publish(step("2", "road"))] == [("2",)]


@pytest.mark.parametrize(
    ("before", "after", "subscription", "term", "event"),
    [
        (
            ontology(KINDS),
            ontology(WITHOUT_TARGET),
            ("graph", COMPUTERS),
            "target",
            offer("e", "Laptop"),
        ),
        (
            tbox(STEPS),
            tbox("moving := shipping;"),
            ("concept", PALLETS),
            "transporting",
            step("e", "rail"),
        ),
        (
            Definition("Gate", region="POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0))"),
            None,
            ("opsl", "@(Gate)selector{ kind = 'car' }"),
            "Gate",
            {
                "id": "e",
                "source": "s",
                "type": "t",
                "time": "2026-01-01T00:00:00Z",
                "place": "POINT (1 1)",
                "data": {"kind": "car"},
            },
        ),
        (
            Definition("Cheap", language="opsl", expression="ARITH: price < 9"),
            None,
            ("opsl", "Cheap"),
            "Cheap",
            {
                "id": "e",
                "source": "s",
                "type": "t",
                "time": "2026-01-01T00:00:00Z",
                "data": {"price": 1},
            },
        ),
    ],
    ids=["ontology", "tbox", "region", "part"],
)
def test_what_breaks_is_told_by_term_and_subscription_and_heals(
    catalog: Catalog,
    before: Definition,
    after: Definition | None,
    subscription: tuple[str, str],
    term: str,
    event: dict[str, Any],
) -> None:
    catalog.add(before)
    hub, heard, told = tocsin.Hub(catalog=catalog), list[tocsin.Match](), list[DeadLetter]()
    language, text = subscription
    hub.subscribe(text, language=language, id="mine", to=heard.append, problems_to=told.append)
    hub.subscribe("", id="other")
    catalog.replace(after) if after is not None else catalog.remove_definitions(before.name)
    hub.refresh()
    (letter,) = hub.dead_letters
    assert "'mine'" in letter.reason
    assert term in letter.reason
    assert told == [letter]
    assert [match.subscription for match in hub.publish(event)] == ["other"]
    hub.refresh()
    catalog.add(Subscription("unrelated", "selector", "a = 1"))
    hub.refresh()
    assert len(hub.dead_letters) == 1, "told once"
    catalog.replace(before) if after is not None else catalog.add(before)
    hub.refresh()
    hub.publish({**event, "id": "again"})
    assert [match.events for match in heard] == [("again",)]


def test_a_definition_and_the_subscription_that_needs_it_are_replaced_together(
    catalog: Catalog,
) -> None:
    catalog.add(tbox(STEPS), Subscription("pallets", "concept", PALLETS))
    hub = tocsin.Hub(catalog=catalog)
    catalog.replace(
        tbox("moving := {rail};"), Subscription("pallets", "concept", "exists step.moving")
    )
    hub.refresh()
    assert not hub.dead_letters
    assert len(hub.publish(step("1", "rail"))) == 1


def test_a_replaced_subscription_keeps_its_receiver(catalog: Catalog) -> None:
    hub, heard = tocsin.Hub(catalog=catalog), []
    hub.subscribe("step = 'rail'", id="mine", to=heard.append)
    catalog.replace(Subscription("mine", "selector", "step = 'road'"))
    hub.refresh()
    hub.publish(step("1", "rail"), step("2", "road"))
    assert [match.events for match in heard] == [("2",)]


def test_what_a_change_does_not_concern_keeps_its_state(catalog: Catalog) -> None:
    catalog.add(Definition("Cheap", language="opsl", expression="ARITH: price < 9"))
    hub = tocsin.Hub(catalog=catalog, lateness="0s")
    hub.subscribe("=|(selector{ step = 'a' };9s)selector{ step = 'b' }", language="opsl", id="pair")
    hub.publish(step("1", "a", 1), step("2", "x", 2))
    catalog.replace(Definition("Cheap", language="opsl", expression="ARITH: price < 7"))
    hub.refresh()
    hub.publish(step("3", "b", 3))
    assert [match.events for match in hub.advance_to("2026-01-01T00:01:00Z")] == [("1", "3")]


def test_removing_a_broken_subscription_leaves_nothing(catalog: Catalog) -> None:
    catalog.add(tbox(STEPS))
    hub = tocsin.Hub(catalog=catalog)
    handle = hub.subscribe(PALLETS, language="concept", id="mine")
    catalog.remove_definitions("steps")
    hub.refresh()
    handle.cancel()
    catalog.add(tbox(STEPS))
    hub.refresh()
    assert hub.publish(step("1", "rail")) == []


def test_a_hub_without_catalog_reads_changed_files_and_refuses_wrong_ones(tmp_path: Path) -> None:
    file = tmp_path / "steps.tbox"
    file.write_text(STEPS)
    hub = tocsin.Hub(ontology=file)
    hub.subscribe(PALLETS, language="concept", id="mine")
    file.write_text(MORE_STEPS)
    hub.refresh()
    assert len(hub.publish(step("1", "road"))) == 1
    file.write_text("transporting := ;")
    with pytest.raises(Problem):
        hub.refresh()
    assert len(hub.publish(step("2", "road"))) == 1, "what is wrong changes nothing"


def test_a_first_ontology_that_is_defined_later_is_known_to_those_who_were_there() -> None:
    hub = tocsin.Hub()
    hub.define(tbox(STEPS))
    hub.subscribe(PALLETS, language="concept", id="mine")
    with pytest.raises(Problem, match=r"TBOX_REDEFINED.*second.*transporting"):
        hub.define(tbox("transporting := flying;", "second"))
    assert len(hub.publish(step("1", "rail"))) == 1


def test_a_hub_makes_no_catalog(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"no catalog at .*nope\.db.*catalog create"):
        tocsin.Hub(catalog=str(tmp_path / "nope.db"))
    assert not (tmp_path / "nope.db").exists()
