"""The editor: every language highlighted, completed and checked while one types; tried, saved,
rung.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.console.story import ago, event, publish, tell_market
from tests.service.serving import Served
from tests.waiting import wait_until

TEXTS = {
    "rule": ("WHEN position ENTERS Depot FOR EACH truck", "ENTERS"),
    "selector": ("price < 400 AND kind = 'laptop'", "AND"),
    "opsl": ("DIST(Depot; <; 10)ARITH: speed > 50", "DIST"),
    "graph": ("ASK { _:H a <http://shop.example/Computer> . }", "ASK"),
    "concept": ("ObjectEvent and exists bizStep.{shipping}", "exists"),
    "exmlql": ("WHERE <order><id>$i</></>", "WHERE"),
}


@pytest.fixture(scope="module", autouse=True)
def market(server: Served) -> None:
    tell_market(server)


def _open(page: Page, language: str) -> Locator:
    """A new subscription in a language; gives the text field."""
    page.goto("/#/live")
    page.goto("/#/new")
    page.get_by_label("Language").select_option(language)
    return page.get_by_role("textbox", name="Text of the subscription")


def _write(field: Locator, text: str) -> None:
    """Puts a text in place of what is there, as one who pastes it."""
    field.press("Control+a")
    field.evaluate(
        """(element, text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData('text/plain', text);
            const pasted = { clipboardData, bubbles: true, cancelable: true };
            element.dispatchEvent(new ClipboardEvent('paste', pasted));
        }""",
        text,
    )


def _underlined(page: Page) -> Locator:
    return page.locator(".cm-lintRange-error")


@pytest.mark.parametrize("language", TEXTS)
def test_every_language_is_highlighted_and_understood(page: Page, language: str) -> None:
    text, keyword = TEXTS[language]
    field = _open(page, language)
    _write(field, text)
    expect(page.get_by_text("No problems", exact=True)).to_be_visible()
    expect(page.locator(".plan-lines")).not_to_be_empty()
    color = "element => getComputedStyle(element).color"
    word = field.locator("span", has_text=keyword).first
    assert word.inner_text() == keyword
    assert word.evaluate(color) != field.evaluate(color)


@pytest.mark.parametrize("language", TEXTS)
def test_a_problem_is_underlined_in_every_language(page: Page, language: str) -> None:
    field = _open(page, language)
    _write(field, TEXTS[language][0] + " )) wrong ((")
    expect(_underlined(page).first).to_be_visible()
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()


def test_the_underline_is_at_its_place_with_the_hint(
    page: Page, server: Served, picture: Callable[..., None]
) -> None:
    text = "WHEN position ENTERS Depott\nFOR EACH truck"
    field = _open(page, "rule")
    _write(field, text)
    expect(_underlined(page)).to_have_text("Depott")
    body = {"language": "rule", "expression": text}
    (told,) = server.http.post("/v1/check", json=body).json()["problems"]
    problems = page.get_by_role("status", name="Problems")
    expect(problems).to_contain_text(told["message"])
    expect(problems).to_contain_text(told["hint"])
    _underlined(page).hover()
    expect(page.locator(".cm-tooltip-lint")).to_contain_text(told["hint"])
    picture(page, "underline")
    page.mouse.move(0, 0)
    _write(field, text.replace("Depott", "Depot"))
    expect(_underlined(page)).to_have_count(0)
    expect(page.get_by_text("No problems", exact=True)).to_be_visible()


def test_a_place_behind_characters_of_two_units_is_right(page: Page) -> None:
    field = _open(page, "selector")
    _write(field, "note = '🚚🚚' AND price << 3")
    expect(_underlined(page)).to_have_text("<")
    before = "element => element.previousSibling && element.parentNode.textContent"
    line = _underlined(page).evaluate(before)
    assert line.startswith("note = '🚚🚚' AND price <")


@pytest.mark.parametrize(
    ("language", "typed", "offered"),
    [
        ("selector", "pri", "price"),
        ("selector", "price < 4 an", "AND"),
        ("rule", "WHEN position ENTERS Dep", "Depot"),
        ("rule", "WHEN login(us", "user"),
        ("rule", "WHEN pos", "position"),
        ("graph", "ASK { _:H a Lap", "Laptop"),
    ],
)
def test_completion_offers_what_is_known(
    page: Page, language: str, typed: str, offered: str
) -> None:
    with page.expect_response("**/v1/attributes"):
        field = _open(page, language)
    field.click()
    page.keyboard.type(typed)
    option = page.locator(".cm-tooltip-autocomplete li").filter(has_text=offered).first
    if not option.is_visible():
        page.keyboard.press("Control+Space")
    option.wait_for()
    option.click()
    expect(field).to_contain_text(offered)


def test_try_it_shows_the_past_on_timeline_and_map(
    page: Page, server: Served, picture: Callable[..., None]
) -> None:
    expression = "WHEN position ENTERS Depot\nFOR EACH truck\nHORIZON 1d"
    field = _open(page, "rule")
    page.get_by_label("Name").fill("enters-depot")
    _write(field, expression)
    expect(page.get_by_text("No problems", exact=True)).to_be_visible()
    page.get_by_role("button", name="Try it").click()
    told = server.http.post(
        "/v1/try", json={"language": "rule", "expression": expression, "last": "24h"}
    ).json()
    assert told["count"] > 0
    status = (
        page.get_by_role("status")
        .filter(has_text="in the last")
        .or_(page.get_by_role("status").filter(has_text="of the last"))
    )
    expect(status).to_contain_text(f"{told['count']} match")
    timeline = page.locator(".try-body canvas").first
    timeline.wait_for()
    picture(page, "try")
    page.get_by_role("button", name="map", exact=True).click()
    expect(page.locator(".try-body .map-match").first).to_be_attached()
    page.get_by_role("button", name="list", exact=True).click()
    expect(page.locator(".try-list li")).to_have_count(told["count"])
    known = server.http.get("/v1/subscriptions").json()["subscriptions"]
    assert "asked" not in [each["id"] for each in known]


def test_what_is_saved_rings(page: Page, server: Served, picture: Callable[..., None]) -> None:
    field = _open(page, "selector")
    page.get_by_label("Name").fill("very cheap")
    _write(field, "price < 20")
    expect(page.get_by_text("No problems", exact=True)).to_be_visible()
    field.press("Control+s")
    expect(page.get_by_role("heading", level=1)).to_have_text("very cheap")
    publish(server, event("nearly-free", data={"price": 5}))
    page.get_by_role("link", name="1 matches").or_(
        page.get_by_role("link", name="Matches")
    ).last.wait_for()
    page.goto("/#/matches?subscription=very+cheap")
    expect(page.get_by_role("link").filter(has_text="nearly-free")).to_be_visible()
    page.goto("/#/subscriptions/parcel-missing")
    expect(page.locator(".plan-lines")).not_to_be_empty()
    picture(page, "editor")


def test_a_change_is_saved_over_the_old_text(page: Page, server: Served) -> None:
    page.goto("/#/subscriptions/failed-logins")
    field = page.get_by_role("textbox", name="Text of the subscription")
    save = page.get_by_role("button", name="Save changes")
    expect(save).to_be_disabled()
    changed = "WHEN COUNT(login(ok = FALSE)) >= 4 OVER 5m\nFOR EACH user"
    _write(field, changed)
    save.click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    kept = server.http.get("/v1/subscriptions/failed-logins").json()
    assert kept["expression"] == changed


def test_settings_are_checked_too(page: Page, server: Served) -> None:
    field = _open(page, "rule")
    page.get_by_label("Name").fill("with-settings")
    _write(field, "WHEN a THEN b WITHIN 1h")
    page.get_by_text("Settings").click()
    page.get_by_label("Policy").fill("whatever")
    problems = page.get_by_role("status", name="Problems")
    expect(problems).to_contain_text("whatever")
    page.get_by_label("Policy").fill("")
    page.get_by_label("Options, as JSON").fill("{")
    expect(problems).to_contain_text("options is no JSON")
    page.get_by_label("Options, as JSON").fill("")
    page.get_by_label("Subscriber").fill("night-shift")
    expect(page.get_by_text("No problems", exact=True)).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("with-settings")
    assert server.http.get("/v1/subscriptions/with-settings").json()["subscriber"] == "night-shift"


def test_an_address_brings_a_rule_about_a_region(page: Page) -> None:
    page.goto("/#/new?region=Depot")
    field = page.get_by_role("textbox", name="Text of the subscription")
    expect(field).to_have_text(
        re.compile(r"WHEN position ENTERS Depot\s*FOR EACH truck\s*HORIZON 1d")
    )
    expect(page.get_by_text("No problems", exact=True)).to_be_visible()


def test_an_example_is_a_beginning(page: Page) -> None:
    field = _open(page, "selector")
    page.get_by_label("Example").select_option(label="A bound")
    expect(field).to_contain_text("price < 400")
    expect(page.get_by_text("No problems", exact=True)).to_be_visible()


def test_the_keyboard_leaves_the_text_with_tab(page: Page, server: Served) -> None:
    field = _open(page, "selector")
    page.get_by_label("Name").fill("by-keyboard")
    field.focus()
    page.keyboard.type("price = 7 ")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Settings")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Control+s")
    wait_until(lambda: server.http.get("/v1/subscriptions/by-keyboard").status_code == 200)
    publish(server, event("seven", time=ago(0), data={"price": 7}))
