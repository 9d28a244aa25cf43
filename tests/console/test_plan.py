"""The plan: what is shared by whom, what waits in it, and which part is hot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.console.story import ago, event, publish, subscribe
from tests.service.serving import Served
from tests.waiting import wait_until

MANY = 200


def _tell(server: Served) -> None:
    """Two subscriptions that share the order, one that shares nothing; three orders wait."""
    subscribe(server, "unpaid", "WHEN order THEN NO payment WITHIN 1h FOR EACH shop", "rule")
    subscribe(server, "sent", "WHEN order THEN parcel WITHIN 2h FOR EACH shop", "rule")
    subscribe(server, "cheap", "price < 400")
    orders = (
        event(f"o{number}", "order", ago(9 - number), data={"shop": f"s{number}"})
        for number in range(3)
    )
    publish(server, *orders, event("now", "tick"))
    wait_until(lambda: any(each["waiting"] == 3 for each in _nodes(server)))


def _nodes(server: Served) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = server.http.get("/v1/plan").json()["nodes"]
    return nodes


def _part(page: Page, text: str) -> Locator:
    return page.locator("[data-node]").filter(has_text=text)


def test_nothing_yet(visit: Page) -> None:
    visit.goto("/#/plan")
    expect(visit.get_by_text("No subscriptions yet")).to_be_visible()


def test_what_is_shared_is_told_with_who_shares_it(
    visit: Page, lone: Served, picture: Callable[..., None]
) -> None:
    _tell(lone)
    visit.goto("/#/plan")
    order = _part(visit, "ce_type = 'order'")
    expect(order).to_contain_text("shared by 2")
    expect(_part(visit, "price < 400")).not_to_contain_text("shared")
    order.click()
    chosen = visit.get_by_role("region", name="Chosen part")
    expect(chosen.get_by_role("link")).to_have_text(["sent", "unpaid"])
    picture(visit, "plan")
    expect(visit.locator(".plan-far").filter(has_text="price < 400")).to_have_count(1)
    expect(visit.locator(".plan-near").filter(has_text="unpaid")).to_have_count(1)


def test_what_waits_is_counted_in_its_part(visit: Page, lone: Served) -> None:
    _tell(lone)
    visit.goto("/#/plan")
    (absence,) = (each for each in _nodes(lone) if each["kind"] == "absence")
    assert absence["waiting"] == 3
    expect(visit.locator(f"[data-node={absence['id']}]")).to_contain_text("3 wait")
    table = visit.get_by_role("region", name="Busiest parts")
    row = table.get_by_role("row").filter(has_text=absence["label"])
    expect(row.get_by_role("cell").nth(1)).to_have_text("3")


def test_the_part_with_most_to_do_comes_first(visit: Page, lone: Served) -> None:
    _tell(lone)
    visit.goto("/#/plan")
    first = visit.get_by_role("region", name="Busiest parts").get_by_role("row").nth(1)
    expect(first).to_be_visible()
    expect(first).not_to_contain_text("price")
    publish(lone, *(event(f"c{number}", data={"price": 3}) for number in range(20)))
    expect(first).to_contain_text("price < 400")
    expect(first.get_by_role("cell").last).to_have_text("20")


def test_one_subscription_is_shown_alone(visit: Page, lone: Served) -> None:
    _tell(lone)
    visit.goto("/#/plan")
    expect(visit.locator(".plan-subscription")).to_have_count(3)
    visit.get_by_role("combobox").select_option("unpaid")
    expect(visit.locator(".plan-subscription")).to_have_text(["unpaid"])
    expect(_part(visit, "parcel")).to_have_count(0)
    expect(_part(visit, "ce_type = 'payment'")).to_have_count(1)


def test_the_keyboard_walks_through_the_graph(visit: Page, lone: Served) -> None:
    _tell(lone)
    visit.goto("/#/plan")
    expect(visit.locator("[data-node]").first).to_be_visible()
    visit.get_by_role("combobox").focus()
    visit.keyboard.press("Tab")
    focused = visit.locator("[data-node]:focus")
    expect(focused).to_have_count(1)
    visit.keyboard.press("Enter")
    expect(focused).to_have_attribute("aria-pressed", "true")
    expect(visit.get_by_role("region", name="Chosen part")).to_be_visible()
    before = focused.get_attribute("data-node")
    visit.keyboard.press("Tab")
    assert focused.get_attribute("data-node") != before


def test_of_many_parts_the_busiest_are_drawn(visit: Page, lone: Served) -> None:
    for number in range(MANY):
        subscribe(lone, f"s{number}", f"price = {number}")
    publish(lone, *(event(f"e{number}", data={"price": 77}) for number in range(5)))
    wait_until(lambda: any(each["served"] == 5 for each in _nodes(lone)))
    visit.goto("/#/plan")
    expect(visit.get_by_text("quieter parts are not drawn")).to_be_visible()
    expect(_part(visit, "price = 77")).to_have_count(1)
    assert visit.locator(".plan-part").count() < MANY
    visit.get_by_role("combobox").select_option("s199")
    expect(_part(visit, "price = 199")).to_have_count(1)
