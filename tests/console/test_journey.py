"""A newcomer's way, without reading: draw a region, write a rule about it, try it on the past, save
it, see it ring.
"""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.console.story import ago, event, publish
from tests.service.serving import Served
from tests.waiting import wait_until

HARBOUR = "10 54\n12 54\n12 56\n10 56"
OUTSIDE, INSIDE = "POINT(8 55)", "POINT(11 55)"


def _sail(server: Served, first: int, *ways: tuple[str, str, float]) -> None:
    """Ships report where they are, so many seconds ago."""
    positions = (
        event(f"r{first + number}", "report", ago(seconds), place=place, data={"ship": ship})
        for number, (ship, place, seconds) in enumerate(ways)
    )
    publish(server, *positions)


def test_from_a_region_to_a_ring(page: Page, server: Served) -> None:
    _sail(
        server,
        0,
        ("Ada", OUTSIDE, 50),
        ("Bea", OUTSIDE, 40),
        ("Ada", INSIDE, 30),
        ("Bea", OUTSIDE, 20),
        ("Ada", OUTSIDE, 10),
    )
    wait_until(lambda: len(server.http.get("/v1/events").json()["events"]) == 5)

    page.goto("/#/map")
    page.get_by_role("button", name="Draw region").click()
    page.get_by_label("Name").fill("Harbour")
    page.get_by_label("Corners").fill(HARBOUR)
    page.get_by_role("button", name="Save region").click()
    page.get_by_role("link", name="Write a rule about it").click()

    field = page.get_by_role("textbox", name="Text of the subscription")
    expect(field).to_contain_text("WHEN report ENTERS Harbour")
    expect(field).to_contain_text("FOR EACH ship")
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_text("1 match", exact=True)).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("enters-Harbour")

    page.goto("/#/live")
    expect(page.get_by_text("Nothing has rung yet")).to_be_visible()
    _sail(server, 5, ("Bea", OUTSIDE, 2), ("Bea", INSIDE, 1))
    rang = page.locator("[data-tour=newest] li").filter(has_text="enters-Harbour")
    expect(rang).to_have_count(1)
    rang.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("enters-Harbour rang")
    expect(page.get_by_role("main")).to_contain_text("r6")
