"""The list of matches: newest first, filtered, live, and a hundred thousand of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.console.story import event, publish, subscribe, wait_for_matches
from tests.service.serving import Served
from tests.waiting import wait_until

MANY = 100_000
_AT_ONCE = 10_000


@pytest.fixture(scope="module", autouse=True)
def many(server: Served) -> None:
    """So many matches, rung by events."""
    subscribe(server, "all", "number >= 0")
    subscribe(server, "round", "number IN (0, 50000, 99999)")
    for first in range(0, MANY, _AT_ONCE):
        numbers = range(first, first + _AT_ONCE)
        publish(server, *(event(f"n{each}", data={"number": each}) for each in numbers))
    wait_for_matches(server, 3, subscription="round")

    def count() -> int:
        return int(server.http.get("/v1/statistics").json()["now"]["matches"])

    wait_until(lambda: count() >= MANY + 3, progress=count)


def test_a_hundred_thousand_are_scrolled_without_filling_the_page(
    page: Page, picture: Callable[..., None]
) -> None:
    page.goto("/#/matches?subscription=all")
    rows = page.locator(".windowed li")
    expect(rows.first).to_contain_text("n99999")
    picture(page, "matches")
    expect(page.get_by_role("status")).to_contain_text("1,000 or more")
    reached = page.evaluate(
        """async (many) => {
            const list = document.querySelector('.windowed');
            let most = 0;
            const size = () => Number(list.querySelector('li').getAttribute('aria-setsize'));
            const end = performance.now() + 120_000;
            while (size() < many && performance.now() < end) {
                list.scrollTop = list.scrollHeight;
                await new Promise((resolve) => setTimeout(resolve, 20));
                most = Math.max(most, list.querySelectorAll('li').length);
            }
            list.scrollTop = list.scrollHeight;
            return [size(), most];
        }""",
        MANY,
    )
    assert reached[0] == MANY
    assert reached[1] < 80
    expect(rows.last).to_contain_text("n0")
    expect(page.get_by_role("status")).to_contain_text("100,000, the newest first")


def test_one_subscription_and_new_ones_on_top(page: Page, server: Served) -> None:
    page.goto("/#/matches")
    page.get_by_label("Subscription").select_option("round")
    rows = page.locator(".windowed li")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("n99999")
    publish(server, event("again", data={"number": 50_000}))
    expect(rows).to_have_count(4)
    expect(rows.first).to_contain_text("again")


def test_new_ones_wait_while_one_reads_further_down(page: Page, server: Served) -> None:
    page.goto("/#/matches?subscription=all")
    page.locator(".windowed li").first.wait_for()
    page.locator(".windowed").evaluate("element => { element.scrollTop = 5000 }")
    expect(page.locator(".windowed li").first).not_to_contain_text("n99999")
    publish(server, event("meanwhile", data={"number": 1}))
    page.get_by_role("button", name="show 1 new").click()
    expect(page.locator(".windowed li").first).to_contain_text("meanwhile")


def test_the_time_can_be_bounded(page: Page) -> None:
    page.goto("/#/matches?subscription=round")
    page.get_by_label("Detected").select_option("Last 15 minutes")
    expect(page.locator(".windowed li").first).to_be_visible()
