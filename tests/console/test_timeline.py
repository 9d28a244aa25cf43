"""The timeline: events and matches by time and key, from a day to milliseconds, what is late, the
watermark, and going back through the log.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.console.story import ago, event, publish, subscribe, wait_for_matches
from tests.service.serving import Served
from tests.waiting import wait_until

PAGE = 1_000
"""So many events the page asks for at a time."""


def _reading(id: str, seconds: float, sensor: str, **data: Any) -> dict[str, Any]:
    return event(id, "reading", ago(seconds), data={"sensor": sensor, **data})


def _open(page: Page) -> Locator:
    page.goto("/#/timeline")
    shown = page.get_by_role("application", name="Events and matches")
    expect(shown).to_be_visible()
    return shown


def _expect_lanes(page: Page, count: int) -> None:
    expect(page.locator(".timeline-canvas")).to_have_attribute("data-lanes", str(count))


def test_nothing_yet(visit: Page) -> None:
    visit.goto("/#/timeline")
    expect(visit.get_by_text("No event with a time yet")).to_be_visible()


def test_events_and_matches_lie_in_lanes_of_their_keys(
    visit: Page, lone: Served, picture: Callable[..., None]
) -> None:
    subscribe(lone, "warm", "celsius > 30")
    readings = [
        _reading(f"r{step}", 80 - step * 0.2, f"s{step % 7}", celsius=step * 31 % 36)
        for step in range(400)
    ]
    publish(lone, *readings)
    wait_for_matches(lone, sum(1 for each in readings if each["data"]["celsius"] > 30))
    _open(visit)
    _expect_lanes(visit, 2)
    visit.get_by_label("By").select_option("sensor")
    _expect_lanes(visit, 8)
    picture(visit, "timeline")
    publish(lone, _reading("new", 0, "s9", celsius=1))
    _expect_lanes(visit, 9)


def test_the_keyboard_goes_from_one_to_the_next_and_opens_it(visit: Page, lone: Served) -> None:
    subscribe(lone, "warm", "celsius > 30")
    publish(
        lone, _reading("<b>cold</b>", 20, "s1", celsius=1), _reading("hot", 5, "s1", celsius=40)
    )
    wait_for_matches(lone, 1)
    shown = _open(visit)
    _expect_lanes(visit, 2)
    shown.focus()
    visit.keyboard.press("n")
    expect(visit.locator(".timeline-picked")).to_contain_text("reading <b>cold</b>")
    visit.keyboard.press("Enter")
    card = visit.get_by_role("region", name="Picked")
    expect(card).to_contain_text('"celsius": 1')
    expect(card.get_by_role("link")).to_have_attribute("href", "#/matches/why-not?position=1")
    for _ in range(2):
        visit.keyboard.press("n")
    visit.keyboard.press("Enter")
    card.get_by_role("link", name="Why it rang").click()
    expect(visit.get_by_role("heading", level=1)).to_have_text("warm rang")


def test_it_zooms_from_a_day_to_milliseconds(visit: Page, lone: Served) -> None:
    publish(lone, _reading("a", 30, "s1"), _reading("b", 2, "s1"))
    shown = _open(visit)
    visit.get_by_role("button", name="1 d", exact=True).click()
    foot = visit.locator(".timeline-foot")
    expect(foot).to_contain_text("1 d on")
    shown.focus()
    for _ in range(60):
        visit.keyboard.press("+")
    expect(foot).to_contain_text("2 ms on")
    for _ in range(80):
        visit.keyboard.press("-")
    expect(foot).to_contain_text("366 d on")
    visit.keyboard.press("Home")
    expect(foot).to_contain_text("s on")


def test_the_wheel_zooms_and_the_mouse_moves(visit: Page, lone: Served) -> None:
    publish(lone, _reading("a", 60, "s1"), _reading("b", 0, "s1"))
    shown = _open(visit)
    foot = visit.locator(".timeline-foot .muted").last
    box = shown.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + 35
    visit.mouse.move(x, y)
    visit.mouse.wheel(0, -400)
    expect(visit.get_by_role("button", name="Follow")).to_be_visible()
    expect(foot).to_have_text(re.compile(r" and (2|3)\d(\.\d+)? s on"))
    zoomed = foot.inner_text()
    visit.mouse.down()
    visit.mouse.move(x + 200, y, steps=4)
    visit.mouse.up()
    expect(foot).not_to_have_text(zoomed)
    dragged = foot.inner_text()
    assert dragged.split(" and ")[1] == zoomed.split(" and ")[1]
    assert _start(dragged) < _start(zoomed)


def _start(told: str) -> datetime:
    return datetime.fromisoformat(told.split(" and ", maxsplit=1)[0])


def test_what_came_late_is_told_so(visit: Page, lone: Served) -> None:
    publish(lone, _reading("in time", 1, "s1"))
    wait_until(lambda: lone.http.get("/v1/statistics").json()["now"]["watermark"])
    publish(lone, _reading("late", 600, "s1"))
    wait_until(lambda: lone.http.get("/v1/statistics").json()["now"]["late"])
    shown = _open(visit)
    shown.focus()
    visit.keyboard.press("n")
    visit.keyboard.press("Enter")
    card = visit.get_by_role("region", name="Picked")
    expect(card).to_contain_text("reading late")
    expect(card).to_contain_text("came late")
    visit.keyboard.press("n")
    visit.keyboard.press("Enter")
    expect(card).to_contain_text("reading in time")
    expect(card).not_to_contain_text("came late")


def test_the_watermark_is_that_of_the_service(visit: Page, lone: Served) -> None:
    publish(lone, _reading("a", 10, "s1"), _reading("b", 5, "s1"))
    told = wait_until(lambda: lone.http.get("/v1/statistics").json()["now"]["watermark"])
    _open(visit)
    canvas = visit.locator(".timeline-canvas")
    expect(canvas).not_to_have_attribute("data-watermark", "")
    shown = canvas.get_attribute("data-watermark") or ""
    assert datetime.fromisoformat(shown) == datetime.fromisoformat(told)


def test_paused_it_stands_still(visit: Page, lone: Served) -> None:
    publish(lone, _reading("a", 10, "s1"))
    _open(visit)
    visit.get_by_label("By").select_option("ce_type")
    _expect_lanes(visit, 1)
    visit.get_by_role("button", name="Pause").click()
    publish(lone, event("b", "alarm", ago(1)))
    wait_until(lambda: lone.http.get("/v1/events?after=1").json()["events"])
    visit.wait_for_timeout(1_000)
    _expect_lanes(visit, 1)
    visit.get_by_role("button", name="Follow").click()
    _expect_lanes(visit, 2)


def test_one_goes_back_through_the_log(visit: Page, lone: Served) -> None:
    old = [_reading(f"o{number}", 900 - number / 10, "old") for number in range(PAGE)]
    publish(lone, *old)
    visit.wait_for_timeout(1_500)
    new = [_reading(f"n{number}", 300 - number / 10, "new") for number in range(PAGE + 500)]
    publish(lone, *new)
    _open(visit)
    visit.get_by_label("By").select_option("sensor")
    _expect_lanes(visit, 1)
    visit.get_by_role("button", name="Earlier").click()
    _expect_lanes(visit, 2)
    visit.get_by_role("button", name="Follow").click()
    _expect_lanes(visit, 1)
    foot = visit.locator(".timeline-foot .muted").last
    before = foot.inner_text()
    visit.get_by_role("slider").fill("0")
    expect(foot).not_to_have_text(before)
    expect(visit.locator(".timeline-scrub")).to_contain_text("Received up to")
    shown = visit.get_by_role("application")
    shown.focus()
    visit.keyboard.press("n")
    expect(visit.locator(".timeline-picked")).to_contain_text("reading o0")
    visit.get_by_role("button", name="Later").click()
    _expect_lanes(visit, 2)
