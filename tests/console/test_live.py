"""The live page: numbers and matches that move by themselves, and lead to what is behind them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import PHONE, Complaints, context_of
from tests.console.story import event, publish, subscribe, tell_market
from tests.service.serving import Served, served


@pytest.fixture(scope="module", autouse=True)
def market(server: Served) -> None:
    tell_market(server)


def test_matches_flow_in_by_themselves(page: Page, server: Served) -> None:
    page.goto("/#/live")
    newest = page.locator("[data-tour=newest] li")
    expect(newest.first).to_be_visible()
    publish(server, event("hot-offer", data={"price": 1}))
    expect(newest.first).to_contain_text("hot-offer")
    expect(newest.first).to_contain_text("cheap-offers")


def test_numbers_rise(visit: Page, lone: Served) -> None:
    subscribe(lone, "cheap", "price < 400")
    visit.goto("/#/live")
    matches = visit.get_by_role("link", name="Matches", exact=False).locator(".tile-value")
    expect(matches).to_have_text("0")
    publish(lone, *(event(f"more-{number}", data={"price": 2}) for number in range(7)))
    expect(matches).to_have_text("7")
    publish(lone, *(event(f"still-{number}", data={"price": 2}) for number in range(5)))
    expect(matches).to_have_text("12")
    assert lone.http.get("/v1/statistics").json()["now"]["matches"] == 12


def test_everything_leads_deeper(page: Page, picture: Callable[..., None]) -> None:
    page.goto("/#/live")
    page.locator("[data-tour=newest] li a").first.wait_for()
    page.locator(".chart canvas").wait_for()
    picture(page, "live")
    where = {
        "Events": "timeline",
        "Matches": "matches",
        "Waiting": "plan",
        "Dead letters": "dead-letters",
    }
    tiles = page.locator(".tile")
    for label, target in where.items():
        found = tiles.filter(has_text=label)
        assert found.get_attribute("href") == f"#/{target}"
    page.locator("[data-tour=newest] li a").first.click()
    expect(page).to_have_url(re.compile("#/matches/"))
    page.go_back()
    page.locator(".busy-row", has_text="cheap-offers").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("cheap-offers")


def test_dead_letters_are_told(page: Page, server: Served) -> None:
    page.goto("/#/live")
    wrong = {"specversion": "1.0", "id": "w2", "source": "shop", "type": "offer"}
    publish(server, wrong | {"time": "soon"})
    row = page.locator(".letter-row", has_text="'soon'")
    row.click()
    expect(page.get_by_label("What came")).to_have_value(re.compile('"soon"'))


def test_a_service_that_was_away_is_followed_again(
    browser: Browser, complaints: Complaints, tmp_path: Path
) -> None:
    complaints.allow("ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET")
    first = Served(tmp_path)
    subscribe(first, "cheap", "price < 400")
    with context_of(browser, first.url) as context:
        page = context.new_page()
        complaints.listen(page)
        page.goto("/#/live")
        publish(first, event("before", data={"price": 3}))
        newest = page.locator("[data-tour=newest] li")
        expect(newest.filter(has_text="before")).to_have_count(1)
        first.stop()
        with served(tmp_path, first.port) as second:
            publish(second, event("while-away", data={"price": 3}))
            expect(newest.filter(has_text="while-away")).to_have_count(1)
            expect(newest.filter(has_text="before")).to_have_count(1)


def test_a_phone_shows_the_numbers_first(
    browser: Browser, server: Served, complaints: Complaints, picture: Callable[..., None]
) -> None:
    with context_of(browser, server.url, viewport=PHONE) as context:
        page = context.new_page()
        complaints.listen(page)
        page.goto("/#/live")
        tiles = page.locator(".tile")
        expect(tiles).to_have_count(6)
        for tile in tiles.all():
            box = tile.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= PHONE["width"]
            assert box["y"] + box["height"] <= PHONE["height"]
        picture(page, "phone")


def test_dark_is_dark(
    browser: Browser, server: Served, complaints: Complaints, picture: Callable[..., None]
) -> None:
    with context_of(browser, server.url, color_scheme="dark") as context:
        page = context.new_page()
        complaints.listen(page)
        page.goto("/#/live")
        page.locator(".chart canvas").wait_for()
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert max(map(int, re.findall(r"\d+", background))) < 60
        picture(page, "dark")
