"""The knowledge page: the tree of classes with the events and subscriptions at each."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.console.story import tell_market
from tests.service.serving import Served


@pytest.fixture(scope="module", autouse=True)
def market(server: Served) -> None:
    tell_market(server)


def _row(page: Page, name: str) -> Locator:
    return page.locator(".class-row").filter(has=page.get_by_role("button", name=name, exact=True))


def test_the_tree_has_counts_at_its_classes(
    page: Page, server: Served, picture: Callable[..., None]
) -> None:
    told = server.http.get("/v1/knowledge").json()
    classes = told if isinstance(told, list) else told["classes"]
    counts = {each["iri"].rsplit("/", 1)[-1]: each for each in classes}
    assert counts["Laptop"]["events"] == 1
    assert counts["Computer"]["subscriptions"] == 1
    page.goto("/#/knowledge")
    for name in ("Product", "Computer", "Laptop", "Phone"):
        numbers = _row(page, name).locator(".number")
        expect(numbers.nth(0)).to_have_text(str(counts[name]["events"]))
        expect(numbers.nth(1)).to_have_text(str(counts[name]["subscriptions"]))
    page.get_by_role("button", name="Computer", exact=True).click()
    picture(page, "knowledge")


def test_branches_open_and_close(page: Page) -> None:
    page.goto("/#/knowledge")
    expect(_row(page, "Phone")).to_be_visible()
    page.get_by_role("button", name="Close Product").click()
    expect(_row(page, "Phone")).to_have_count(0)
    page.get_by_role("button", name="Open Product").click()
    expect(_row(page, "Phone")).to_be_visible()


def test_search_keeps_the_way_to_what_is_found(page: Page) -> None:
    page.goto("/#/knowledge")
    page.get_by_label("Search classes").fill("lap")
    expect(page.locator(".class-button")).to_have_text(["Product", "Computer", "Laptop"])


def test_a_class_leads_to_a_subscription(page: Page) -> None:
    page.goto("/#/knowledge")
    page.get_by_role("button", name="Phone", exact=True).click()
    page.get_by_role("link", name="Subscribe to it").click()
    field = page.get_by_role("textbox", name="Text of the subscription")
    expect(field).to_contain_text("<http://shop.example/Phone>")
    expect(page.get_by_text("No problems", exact=True)).to_be_visible()
