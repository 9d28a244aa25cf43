"""For everybody: axe-core finds nothing serious on any page, in light, dark and on a phone; all of
it works with the keyboard.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import PHONE, Complaints, context_of
from tests.console.node import module_file
from tests.console.story import tell_market, wait_for_matches
from tests.service.serving import Served

PAGES = (
    "live subscriptions subscriptions/parcel-missing new matches map timeline plan knowledge dead-letters"
).split()

LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": PHONE},
}


@pytest.fixture(scope="module", autouse=True)
def market(server: Served) -> None:
    tell_market(server)


@pytest.fixture(scope="module")
def axe() -> str:
    return module_file("axe-core/axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(params=LOOKS)
def seen(
    request: pytest.FixtureRequest, browser: Browser, server: Served, complaints: Complaints
) -> Iterator[Page]:
    with context_of(browser, server.url, **LOOKS[request.param]) as context:
        page = context.new_page()
        complaints.listen(page)
        yield page


def _serious(page: Page, axe: str) -> list[tuple[str, str, str]]:
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (each["id"], node["target"][0], node["failureSummary"])
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


def test_axe_finds_nothing_serious(seen: Page, axe: str, server: Served) -> None:
    match = wait_for_matches(server, 1)[0]["id"]
    for path in (*PAGES, f"matches/{match}", "dead-letters?id=1"):
        seen.goto("/#/live")
        seen.goto(f"/#/{path}")
        seen.get_by_role("heading", level=1).wait_for()
        seen.wait_for_timeout(400)
        assert _serious(seen, axe) == [], path


def test_a_phone_scrolls_one_way_only(browser: Browser, server: Served) -> None:
    with context_of(browser, server.url, viewport=PHONE) as context:
        page = context.new_page()
        for path in PAGES:
            page.goto(f"/#/{path}")
            page.get_by_role("heading", level=1).wait_for()
            page.wait_for_timeout(300)
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= PHONE["width"], path


def test_the_keyboard_skips_to_the_page_and_walks_it(page: Page) -> None:
    page.goto("/#/subscriptions")
    expect(page.locator(".subscription-name").first).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("main").get_by_role("link", name="New subscription")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.type("cheap")
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="cheap-offers")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("cheap-offers")


def test_focus_is_seen(page: Page) -> None:
    page.goto("/#/live")
    page.get_by_role("heading", level=1).wait_for()
    for _ in range(4):
        page.keyboard.press("Tab")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
