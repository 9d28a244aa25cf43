"""A match: why it rang, with its windows, the absence, places, distances, plan and lineage; and why
an event did not ring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.console.browser import Complaints
from tests.console.story import event, publish, put, subscribe, wait_for_matches
from tests.service.serving import Served, served
from tests.waiting import wait_until

DAY = "2026-01-01T"
DEPOT = "POLYGON((9.9 53.5, 10.0 53.5, 10.0 53.6, 9.9 53.6, 9.9 53.5))"
XML = {"datacontenttype": "application/xml"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service in which only events move time, with a story of one morning."""
    with served(tmp_path_factory.mktemp("service"), lateness="0s", idle="off") as found:
        _tell(found)
        yield found


def _tell(server: Served) -> None:
    put(server, "/v1/definitions/Depot", {"region": DEPOT})
    globe = {"crs": "wgs84"}
    subscribe(server, "missing", "WHEN left THEN NO arrived WITHIN 2h FOR EACH truck", "rule")
    subscribe(
        server,
        "far",
        "WHEN first: card THEN second: card WITHIN 1h WHERE DISTANCE(first, second) > 500000",
        "rule",
        options=globe,
    )
    subscribe(
        server, "in-depot", "WHEN position ENTERS Depot FOR EACH truck", "rule", options=globe
    )
    subscribe(server, "dear", "kind = 'wine' AND price > 400")
    subscribe(
        server,
        "due",
        "WHERE <order><id>$o</></> #O  <invoice><order>$o</></> #I  #O ; #I WITHIN 2d"
        " CONSTRUCT <due><id>$o</></>",
        "exmlql",
    )
    subscribe(server, "told", "WHERE <due><id>$i</></>", "exmlql")
    publish(
        server,
        _at(
            "l1",
            "left",
            "08:00:00",
            place="POINT(9.95 53.55)",
            data={"truck": "t1", "note": "<b>bold</b>"},
        ),
        _at("c1", "card", "08:01:00", place="POINT(8.5 47.4)", data={"n": 1}),
        _at("c2", "card", "08:31:00", place="POINT(10.7 59.9)", data={"n": 1}),
        _at("p1", "position", "08:40:00", place="POINT(9.95 53.55)", data={"truck": "t1"}),
        _at("o1", "offer", "08:45:00", data={"kind": "wine", "price": 375}),
        _at("d1", "doc", "08:50:00", data="<order><id>7</id></order>") | XML,
        _at("d2", "doc", "08:55:00", data="<invoice><order>7</order></invoice>") | XML,
        _at("l2", "left", "11:30:00", data={"truck": "t2"}),
        _at("end", "tick", "12:00:00"),
    )
    for name in ("missing", "far", "in-depot", "told"):
        wait_for_matches(server, 1, subscription=name)


def _at(id: str, type: str, clock: str, **rest: Any) -> dict[str, Any]:
    return event(id, type, f"{DAY}{clock}Z", **rest)


def _open(page: Page, server: Served, subscription: str) -> None:
    (match,) = wait_for_matches(server, 1, subscription=subscription)
    page.goto(f"/#/matches/{match['id']}")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{subscription} rang")


def _card(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def test_an_absence_is_a_bar_from_its_begin_to_its_end(
    page: Page, server: Served, picture: Callable[..., None]
) -> None:
    _open(page, server, "missing")
    when = _card(page, "When")
    silence = when.get_by_role("listitem").filter(has=page.locator(".mark-absent"))
    expect(silence).to_contain_text("2026-01-01 08:00:00 to 10:00:00, 2 h")
    expect(silence.locator(".mark-absent")).to_have_count(1)
    expect(when.locator(".timeline-canvas")).to_have_attribute("data-lanes", "4")
    expect(page.locator(".map-base[data-land]")).to_have_count(1)
    picture(page, "match")


def test_members_are_shown_as_text(page: Page, server: Served) -> None:
    _open(page, server, "missing")
    events = _card(page, "Events")
    expect(events).to_contain_text("left l1")
    expect(events).to_contain_text('"note": "<b>bold</b>"')


def test_what_was_satisfied_is_lit_and_what_stayed_away_is_not(page: Page, server: Served) -> None:
    _open(page, server, "missing")
    plan = _card(page, "Matched parts")
    expect(plan.locator(".why-met")).to_have_count(2)
    expect(plan.locator(".why-met").last).to_contain_text("left")
    expect(plan.locator(".why-absent")).to_contain_text("arrived")


def test_distances_lie_between_members_on_the_map(page: Page, server: Served) -> None:
    _open(page, server, "far")
    where = _card(page, "Where")
    expect(where.locator(".map-label-member")).to_have_text(["first c1", "second c2"])
    length = where.locator(".map-label-distance").inner_text()
    kilometres = float(length.removesuffix(" km").replace(",", ""))
    assert kilometres == pytest.approx(1398, rel=0.01)
    expect(where.locator("path.map-member")).to_have_count(2)


def test_what_is_bound_is_told(page: Page, server: Served) -> None:
    _open(page, server, "far")
    bindings = _card(page, "Bindings")
    expect(bindings.get_by_role("term")).to_have_text(["first", "second"])
    expect(bindings.get_by_role("definition")).to_have_text(["c1", "c2"])


def test_the_region_is_on_the_map_by_its_name(page: Page, server: Served) -> None:
    _open(page, server, "in-depot")
    where = _card(page, "Where")
    expect(where.locator(".map-label-region")).to_have_text("Depot")
    expect(where.locator("path.map-region")).to_have_count(1)


def test_a_constructed_event_leads_back_to_its_origins(page: Page, server: Served) -> None:
    _open(page, server, "told")
    chains = _card(page, "Lineage").get_by_role("listitem")
    expect(chains).to_have_count(2)
    for chain, origin in zip(chains.all(), ("d1", "d2"), strict=True):
        expect(chain).to_contain_text(origin)
        expect(chain).to_contain_text("constructed-1-")


def test_a_member_is_found_from_the_timeline(page: Page, server: Served) -> None:
    _open(page, server, "far")
    _card(page, "When").get_by_role("application").focus()
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    expect(page.locator(".why-chosen")).to_contain_text("first c1")


def test_a_match_that_is_not_there(page: Page, complaints: Complaints) -> None:
    complaints.allow("404")
    page.goto("/#/matches/none")
    expect(page.get_by_role("alert")).to_be_visible()


def _ask(page: Page, subscription: str, id: str) -> None:
    """Asks why an event did not ring, by what the page offers."""
    page.goto(f"/#/matches/why-not?{urlencode({'subscription': subscription})}")
    choice = page.get_by_role("combobox").nth(1)
    option = choice.locator("option").filter(has_text=f" {id} from")
    expect(option).to_have_count(1)
    choice.select_option(value=option.get_attribute("value"))


def test_the_first_condition_that_failed_and_by_how_much(
    page: Page, picture: Callable[..., None]
) -> None:
    _ask(page, "dear", "o1")
    verdict = page.get_by_role("status").filter(has_text="It does not ring")
    expect(verdict).to_contain_text("First failed condition: price > 400, off by 25")
    rows = _card(page, "Conditions").get_by_role("row")
    expect(rows.filter(has_text="kind = 'wine'")).to_contain_text("yes")
    failed = rows.filter(has_text="price > 400")
    expect(failed.get_by_role("cell")).to_have_text(["no", "price > 400", "375", "> 400", "25"])
    picture(page, "why-not")


def test_a_value_that_is_missing_is_unknown(page: Page) -> None:
    _ask(page, "dear", "c1")
    rows = _card(page, "Conditions").get_by_role("row")
    expect(rows.filter(has_text="price > 400")).to_contain_text("unknown")


def test_what_still_waits_and_until_when(page: Page, server: Served) -> None:
    wait_until(lambda: server.http.get("/v1/subscriptions/missing/waiting").json()["waiting"])
    _ask(page, "missing", "l2")
    expect(page.get_by_role("status").filter(has_text="It does not ring yet")).to_be_visible()
    waits = _card(page, "What waits")
    expect(waits.get_by_role("listitem")).to_contain_text("since 2026-01-01 11:30:00")
    expect(waits.get_by_role("listitem")).to_contain_text("until 13:30:00")
    expect(waits.locator(".timeline-canvas")).to_have_attribute("data-lanes", "1")


def test_what_rings_is_said_to_ring(page: Page) -> None:
    _ask(page, "in-depot", "p1")
    expect(page.get_by_role("status").filter(has_text="It rings")).to_be_visible()
