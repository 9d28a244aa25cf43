"""The frame of the console: navigation, theme, key, policy."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.gateway.serving import Served

PAGES = {
    "live": "Live",
    "subscriptions": "Subscriptions",
    "new": "New subscription",
    "matches": "Matches",
    "map": "Map",
    "timeline": "Timeline",
    "plan": "Plan",
    "knowledge": "Knowledge",
    "dead-letters": "Dead letters",
}


def test_each_page_opens_without_a_complaint(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Live")
    for path, title in PAGES.items():
        page.goto(f"/#/{path}")
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        expect(page).to_have_title(f"{title} · Tocsin")


def test_the_session_is_told(page: Page, server: Served) -> None:
    page.goto("/#/live")
    expect(page.get_by_role("navigation")).to_contain_text("local")
