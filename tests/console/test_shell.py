"""The frame of the console: navigation, theme, key, tour, and that nothing of an event becomes
markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import PHONE, Complaints, context_of
from tests.console.story import event, publish, subscribe, wait_for_matches
from tests.service.serving import Served, served

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

WALKED = (
    "Live",
    "Map",
    "New subscription",
    "New subscription",
    "Matches",
    "Timeline",
    "Dead letters",
)
"""The pages of the tour."""

MARKUP = "<img src=x onerror=\"document.title='broken'\"><script>1</script>"


def test_each_page_opens_without_a_complaint(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Live")
    for path, title in PAGES.items():
        page.goto(f"/#/{path}")
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        expect(page).to_have_title(f"{title} · Tocsin")


def test_the_session_is_told(page: Page) -> None:
    page.goto("/#/live")
    expect(page.get_by_role("navigation")).to_contain_text("local")


def test_an_address_that_is_none_leads_back(page: Page) -> None:
    page.goto("/#/nowhere/at/all")
    page.get_by_role("link", name="Go to what is live").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Live")


def test_the_theme_is_chosen_and_kept(page: Page) -> None:
    page.goto("/#/live")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.get_by_role("button", name="Dark").click()
    dark = page.evaluate(background)
    assert dark != light
    page.reload()
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate(background) == dark
    page.get_by_role("button", name="As the system").click()
    assert page.evaluate(background) == light
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(background) == dark


def test_a_phone_has_a_menu(browser: Browser, server: Served, complaints: Complaints) -> None:
    with context_of(browser, server.url, viewport=PHONE) as context:
        page = context.new_page()
        complaints.listen(page)
        page.goto("/#/live")
        link = page.get_by_role("navigation").get_by_role("link", name="Dead letters")
        expect(link).to_be_hidden()
        page.get_by_role("button", name="Menu").click()
        link.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Dead letters")
        expect(link).to_be_hidden()


def test_the_tour_is_offered_once_and_walks_the_pages(
    browser: Browser, server: Served, complaints: Complaints
) -> None:
    with context_of(browser, server.url) as context:
        page = context.new_page()
        complaints.listen(page)
        page.add_init_script(
            "if (!sessionStorage.getItem('seen')) localStorage.removeItem('tocsin.tour');"
            "sessionStorage.setItem('seen', '1')"
        )
        page.goto("/#/live")
        page.get_by_role("button", name="Show me around").click()
        card = page.get_by_role("dialog")
        for title in WALKED[:-1]:
            expect(page.get_by_role("heading", level=1)).to_have_text(title)
            expect(page.locator(".tour-mark")).to_have_count(1)
            card.get_by_role("button", name="Next").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(WALKED[-1])
        card.get_by_role("button", name="Done").click()
        expect(card).to_have_count(0)
        page.goto("/#/live")
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("Live")
        expect(page.get_by_role("button", name="Show me around")).to_have_count(0)


def test_markup_in_events_and_names_stays_text(page: Page, server: Served) -> None:
    subscribe(server, "<b>bold", f"note = '{MARKUP.replace(chr(39), chr(39) * 2)}'")
    publish(server, event(MARKUP, data={"note": MARKUP}))
    wait_for_matches(server, 1)
    for path in ("live", "subscriptions", "matches"):
        page.goto(f"/#/{path}")
        expect(page.locator("main a", has_text="<b>bold").first).to_be_visible()
        expect(page.locator("main img, main b, main script")).to_have_count(0)
    expect(page).to_have_title("Matches · Tocsin")


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "keyed", auth=True) as found:
        yield found


def test_a_key_is_asked_for_and_kept_out_of_addresses(
    browser: Browser, keyed: Served, complaints: Complaints
) -> None:
    complaints.allow("401")
    key = keyed.service.keys.create(["publish", "subscribe"])
    with context_of(browser, keyed.url) as context:
        page = context.new_page()
        complaints.listen(page)
        addresses: list[str] = []
        page.on("request", lambda request: addresses.append(request.url))
        page.goto("/#/live")
        dialog = page.get_by_role("dialog", name="API key required")
        dialog.get_by_label("Key").fill("tocsin_0_wrong")
        dialog.get_by_role("button", name="Use this key").click()
        expect(dialog).to_contain_text("not known")
        dialog.get_by_label("Key").fill(key)
        page.keyboard.press("Enter")
        expect(dialog).to_be_hidden()
        expect(page.get_by_text("Nothing has rung yet")).to_be_visible()
        page.reload()
        expect(page.get_by_text("Nothing has rung yet")).to_be_visible()
        assert not [each for each in addresses if key in each]
        page.get_by_role("button", name="Forget the key").click()
        expect(dialog).to_be_visible()
