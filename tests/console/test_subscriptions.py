"""The list of subscriptions: search, counts, state, and from it to one of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.console.story import subscribe, tell_market
from tests.service.serving import Served
from tests.waiting import wait_until


@pytest.fixture(scope="module", autouse=True)
def market(server: Served) -> None:
    tell_market(server)


def test_the_list_has_counts_and_states(
    page: Page, server: Served, picture: Callable[..., None]
) -> None:
    page.goto("/#/subscriptions")
    row = page.get_by_role("row").filter(has_text="cheap-offers")
    expect(row).to_contain_text("price < 400")
    expect(row).to_contain_text("live")
    kept = server.http.get("/v1/matches?subscription=cheap-offers&limit=1000").json()["matches"]
    expect(row.get_by_role("cell").nth(4)).to_have_text(str(len(kept)))
    expect(row.get_by_role("img")).to_have_attribute("aria-label", f"{len(kept)} in the last hour")
    expect(page.get_by_role("row").filter(has_text="orders")).to_contain_text("paused")
    picture(page, "subscriptions")


def test_search_looks_at_names_languages_and_texts(page: Page) -> None:
    page.goto("/#/subscriptions")
    names = page.locator(".subscription-name")
    expect(names).to_have_count(6)
    search = page.get_by_label("Search subscriptions")
    search.fill("rule depot")
    expect(names).to_have_text(["truck-enters-depot"])
    search.fill("shop.example")
    expect(names).to_have_text(["computers"])
    search.fill("")
    page.get_by_label("State").select_option("paused")
    expect(names).to_have_text(["orders"])
    search.fill("nothing like it")
    expect(page.get_by_text("No subscription matches this filter")).to_be_visible()


def test_most_matches_first(page: Page, server: Served) -> None:
    page.goto("/#/subscriptions")
    page.get_by_label("Order").select_option("matches")
    told = server.http.get("/v1/statistics").json()["subscriptions"]
    busiest = max(told, key=lambda id: told[id]["matches"])
    expect(page.locator(".subscription-name").first).to_have_text(busiest)


def test_pause_resume_and_delete(page: Page, server: Served) -> None:
    subscribe(server, "passing", "price > 100000")

    def state() -> str:
        return str(server.http.get("/v1/subscriptions/passing").json().get("state"))

    page.goto("/#/subscriptions/passing")
    page.get_by_role("button", name="Pause").click()
    wait_until(lambda: state() == "paused")
    page.get_by_role("button", name="Resume").click()
    wait_until(lambda: state() == "live")
    page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Cancel").click()
    assert state() == "live"
    page.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Subscriptions")
    assert server.http.get("/v1/subscriptions/passing").status_code == 404


def test_a_subscription_shows_what_it_waits_for(page: Page) -> None:
    page.goto("/#/subscriptions/parcel-missing")
    expect(page.get_by_text("Still waits for")).to_be_visible()
    expect(page.locator(".waiting-list li").first).to_contain_text("until")
