"""Dead letters: the reason, the input, and fix and replay."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.console.browser import Complaints
from tests.console.story import publish, subscribe, wait_for_matches
from tests.service.serving import Served
from tests.waiting import wait_until

WRONG = {"specversion": "1.0", "id": "w1", "source": "shop", "type": "offer"}


@pytest.fixture(scope="module", autouse=True)
def letters(server: Served) -> None:
    subscribe(server, "cheap", "price < 400")
    publish(server, WRONG | {"time": "yesterday at noon", "data": {"price": 120}})
    publish(server, {"specversion": "1.0", "id": "w2", "type": "offer"})
    wait_until(lambda: len(server.http.get("/v1/dead-letters").json()["dead_letters"]) == 2)


def test_a_letter_tells_its_reason(page: Page) -> None:
    page.goto("/#/dead-letters")
    rows = page.locator(".letter")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("source is missing")
    expect(rows.nth(1)).to_contain_text("'yesterday at noon' is not an RFC 3339 time")


def test_fix_and_replay_rings(page: Page, server: Served, picture: Callable[..., None]) -> None:
    page.goto("/#/dead-letters")
    page.locator(".letter").filter(has_text="yesterday at noon").click()
    field = page.get_by_label("What came")
    text = field.input_value()
    assert '"price": 120' in text
    picture(page, "dead-letters")
    field.fill(text.replace("yesterday at noon", "2026-01-01T08:00:00Z"))
    page.get_by_role("button", name="Replay edited event").click()
    expect(page.get_by_text("It is in the log again")).to_be_visible()
    (match,) = wait_for_matches(server, 1)
    assert match["events"] == ["w1"]
    expect(page.locator(".letter").filter(has_text="yesterday")).to_contain_text("replayed")


def test_what_is_still_wrong_is_told(page: Page, complaints: Complaints) -> None:
    complaints.allow("status of 400")
    page.goto("/#/dead-letters")
    page.locator(".letter").filter(has_text="source is missing").click()
    field = page.get_by_label("What came")
    field.fill("{")
    expect(page.get_by_text("This is no JSON yet")).to_be_visible()
    field.fill('{"specversion": "1.0", "id": "w2", "type": "offer", "source": 7}')
    page.get_by_role("button", name="Replay edited event").click()
    expect(page.get_by_role("alert")).to_contain_text("source")
    page.get_by_role("button", name="Back to what came").click()
    expect(page.get_by_role("button", name="Replay as it is")).to_be_visible()
