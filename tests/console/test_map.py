"""The map: land where it is, regions drawn with the mouse or the keyboard and being alarmed by them,
positions that move, thousands of them.
"""

from __future__ import annotations

from collections.abc import Callable
from math import atanh, cos, pi, radians, sin
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.console.browser import PHONE, Complaints, context_of
from tests.console.story import event, publish, put, subscribe, wait_for_matches
from tests.service.serving import Served
from tests.waiting import wait_until

MANY = 10_000
BURST = 800
VANS = 36
STEPS = 14
AT_ONCE = 400
"""So many events the stream tells in one go without leaving any out."""

MOST_MILLISECONDS = 1000 / 30
"""A frame may take so long where there are thirty in a second."""

PLACES = {
    "land": [(2.3, 48.9), (100.0, 65.0), (3.0, 27.0), (-40.0, 72.0), (-60.0, -10.0)],
    "water": [(-40.0, 40.0), (2.0, 68.0), (-20.0, 0.0), (75.0, -20.0), (40.0, 74.0)],
}

COLOURS_AT = """(places) => {
  const canvas = document.querySelector('.map-base');
  const ratio = canvas.width / canvas.clientWidth;
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const context = copy.getContext('2d', { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  return places.map(([x, y]) => {
    const pixel = context.getImageData(x * ratio, y * ratio, 1, 1).data;
    return `rgb(${pixel[0]}, ${pixel[1]}, ${pixel[2]})`;
  });
}"""

COLOUR_OF = """(name) => {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}"""


def _open(page: Page) -> Locator:
    """The map, with its coasts."""
    page.goto("/#/map")
    expect(page.get_by_role("heading", level=1)).to_have_text("Map")
    shown = page.get_by_role("application", name="Map of regions")
    expect(shown.locator(".map-base[data-land]")).to_have_count(1)
    return shown


def _region(server: Served, name: str) -> str:
    found: str = server.http.get(f"/v1/definitions/{name}").json()["region"]
    return found


def _corners(wkt: str) -> list[tuple[float, float]]:
    inside = wkt.split("((")[1].split("))", maxsplit=1)[0]
    pairs = [each.split() for each in inside.split(",")]
    return [(float(x), float(y)) for x, y in pairs]


def _on_screen(
    width: float, height: float, longitude: float, latitude: float
) -> tuple[float, float]:
    """Where a place is on the map that shows 20 degrees north at zoom 2 in its middle (Mercator)."""

    def northing(degrees: float) -> float:
        return atanh(sin(radians(degrees)))

    unit = 256 * 2**2 / (2 * pi)
    x = width / 2 + radians(longitude) * unit
    y = height / 2 - (northing(latitude) - northing(20)) * unit
    return x, y


@pytest.mark.parametrize("kind", PLACES)
def test_land_is_land_and_water_is_water(visit: Page, kind: str) -> None:
    shown = _open(visit)
    box = shown.bounding_box()
    assert box is not None
    wanted = visit.evaluate(COLOUR_OF, f"--map-{kind}")
    places = [_on_screen(box["width"], box["height"], *each) for each in PLACES[kind]]
    found = zip(PLACES[kind], visit.evaluate(COLOURS_AT, places), strict=True)
    assert [place for place, colour in found if colour != wanted] == []


def test_a_region_is_drawn_and_rings_for_what_comes_into_it(page: Page, server: Served) -> None:
    shown = _open(page)
    page.get_by_role("button", name="Draw region").click()
    for x, y in ((300, 200), (480, 220), (460, 380), (280, 360)):
        shown.click(position={"x": x, "y": y})
    page.locator(".map-corner").first.click()
    page.get_by_label("Name").fill("Harbour")
    page.get_by_role("button", name="Save region").click()
    expect(page.get_by_role("status").filter(has_text="is saved")).to_be_visible()

    corners = _corners(_region(server, "Harbour"))
    assert len(corners) == 5
    assert corners[0] == corners[-1]
    link = page.get_by_role("link", name="Write a rule about it")
    assert link.get_attribute("href") == "#/new?region=Harbour"

    subscribe(server, "arrives", "WHEN position ENTERS Harbour FOR EACH ship", "rule")
    middle = [sum(each) / 4 for each in zip(*corners[:4], strict=True)]
    away = [corners[0][0] - 20, corners[0][1]]
    data = {"ship": "Ada"}
    way = enumerate(f"POINT({x} {y})" for x, y in (away, middle))
    publish(server, *(event(f"s{n}", "position", place=place, data=data) for n, place in way))
    rang = page.get_by_role("region", name="Newest matches").get_by_role("link", name="arrives")
    expect(rang).to_be_visible()
    expect(shown.locator(".map-pulses")).to_have_attribute("data-rung", "1")
    rang.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("arrives rang")
    wait_for_matches(server, 1, subscription="arrives")


def test_a_region_is_drawn_with_the_keyboard_alone(page: Page, server: Served) -> None:
    _open(page)
    page.get_by_role("button", name="Draw region").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Name").focus()
    page.keyboard.type("Field")
    page.keyboard.press("Tab")
    page.keyboard.type("1 1\n2 1\n2 2")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Save region")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Regions")).to_contain_text("Field")
    assert _corners(_region(server, "Field")) == [(1, 1), (2, 1), (2, 2), (1, 1)]


def test_a_corner_is_dragged(page: Page, server: Served) -> None:
    put(server, "/v1/definitions/Yard", {"region": "POLYGON((20 20, 40 20, 40 40, 20 40, 20 20))"})
    _open(page)
    page.get_by_role("button", name="Yard", exact=True).click()
    page.get_by_role("button", name="Edit Yard").click()
    expect(page.locator(".map-corner")).to_have_count(4)
    page.locator(".map-corner").first.drag_to(
        page.get_by_role("application"), target_position={"x": 30, "y": 400}
    )
    page.get_by_role("button", name="Save region").click()
    expect(page.get_by_role("form", name="Region")).to_have_count(0)
    corners = _corners(_region(server, "Yard"))
    assert corners[1:4] == [(40, 20), (40, 40), (20, 40)]
    assert corners[0][0] < 20


def test_an_edge_is_split_and_its_corner_removed_again(page: Page, server: Served) -> None:
    put(server, "/v1/definitions/Lot", {"region": "POLYGON((60 20, 80 20, 80 40, 60 40, 60 20))"})
    _open(page)
    page.get_by_role("button", name="Lot", exact=True).click()
    page.get_by_role("button", name="Edit Lot").click()
    page.locator(".map-edge").first.click()
    expect(page.locator(".map-corner")).to_have_count(5)
    expect(page.get_by_label("Corners")).to_have_value("60 20\n70 20\n80 20\n80 40\n60 40")
    page.locator(".map-corner").nth(1).click(button="right")
    expect(page.locator(".map-corner")).to_have_count(4)


def test_holes_are_kept(page: Page, server: Served) -> None:
    ring = "POLYGON((0 0, 9 0, 9 9, 0 9, 0 0), (2 2, 4 2, 4 4, 2 2))"
    put(server, "/v1/definitions/Ring", {"region": ring})
    _open(page)
    page.get_by_role("button", name="Edit Ring").click()
    page.get_by_label("Corners").fill("0 0\n9 0\n9 8\n0 9")
    expect(page.get_by_label("Hole")).to_have_value("2 2\n4 2\n4 4")
    page.get_by_role("button", name="Save region").click()
    expect(page.get_by_role("form", name="Region")).to_have_count(0)
    told = _region(server, "Ring").replace(" ", "")
    assert told == "POLYGON((00,90,98,09,00),(22,42,44,22))"


@pytest.mark.parametrize(
    ("corners", "flaw"),
    [
        ("0 0\n5 5\n5 0\n0 5", "The outline crosses itself."),
        ("0 0\n5 5", "A region needs three corners or more."),
        ("0 0\n5 five", "Each line has two numbers."),
    ],
)
def test_what_is_no_region_is_not_saved(page: Page, corners: str, flaw: str) -> None:
    _open(page)
    page.get_by_role("button", name="Draw region").click()
    page.get_by_label("Name").fill("Wrong")
    page.get_by_label("Corners").fill(corners)
    expect(page.get_by_role("form", name="Region")).to_contain_text(flaw)
    expect(page.get_by_role("button", name="Save region")).to_be_disabled()


def test_a_region_that_is_in_use_is_deleted_only_when_said_again(
    page: Page, server: Served, complaints: Complaints
) -> None:
    complaints.allow("409")
    put(server, "/v1/definitions/Gate", {"region": "POLYGON((0 0, 1 0, 1 1, 0 0))"})
    subscribe(server, "at-the-gate", "WHEN position ENTERS Gate", "rule")
    _open(page)
    page.get_by_role("button", name="Edit Gate").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("at-the-gate")
    assert server.http.get("/v1/definitions/Gate").status_code == 200
    page.get_by_role("button", name="Delete all the same").click()
    expect(page.get_by_role("button", name="Edit Gate")).to_have_count(0)
    assert server.http.get("/v1/definitions/Gate").status_code == 404


def test_things_move_by_the_key_that_is_chosen(visit: Page, lone: Served) -> None:
    for step in range(6):
        place = f"POINT({10 + step / 10} 50)"
        data = {"van": f"v{step % 2}", "note": "<img src=x onerror=alert(1)>"}
        publish(lone, event(f"e{step}", "position", place=place, data=data))
    shown = _open(visit)
    points = visit.get_by_test_id("points")
    expect(points).to_have_text("1")
    visit.get_by_label("By").select_option("van")
    expect(points).to_have_text("2")
    visit.get_by_role("button", name="Pause").click()
    publish(lone, event("new", "position", place="POINT(11 51)", data={"van": "v9"}))
    wait_until(lambda: lone.http.get("/v1/events?after=6").json()["events"])
    visit.wait_for_timeout(1_000)
    expect(points).to_have_text("2")
    visit.get_by_role("button", name="Go on").click()
    expect(points).to_have_text("3")
    visit.get_by_role("button", name="Show all").click()
    _pick_leftmost(visit, shown)
    chosen = visit.get_by_role("region", name="Chosen point")
    expect(chosen).to_contain_text("<img src=x onerror=alert(1)>")


def _pick_leftmost(page: Page, shown: Locator) -> None:
    """Clicks the drawn point that is farthest to the left."""
    place = page.evaluate(
        """() => {
          const canvas = document.querySelector('.map-points');
          const { width, height } = canvas;
          const pixels = canvas.getContext('2d').getImageData(0, 0, width, height).data;
          for (let x = 0; x < width; x++)
            for (let y = 0; y < height; y++)
              if (pixels[4 * (y * width + x) + 3] > 200)
                return { x: x / devicePixelRatio + 3, y: y / devicePixelRatio };
        }"""
    )
    assert place is not None
    shown.click(position=place)


def test_a_fleet_moves_and_rings_where_it_is(
    visit: Page, lone: Served, picture: Callable[..., None]
) -> None:
    harbour = "POLYGON((9.88 53.50, 9.97 53.50, 9.99 53.545, 9.90 53.55, 9.88 53.50))"
    put(lone, "/v1/definitions/Harbour", {"region": harbour})
    subscribe(lone, "reaches-harbour", "WHEN position ENTERS Harbour FOR EACH van", "rule")
    shown = _open(visit)
    for step in range(STEPS):
        publish(lone, *(_van(number, step) for number in range(VANS)))
        visit.wait_for_timeout(150)
    publish(lone, event("end", "tick"))
    expect(visit.get_by_test_id("points")).to_have_text(str(VANS))
    entered = sum(1 for number in range(VANS) if _comes_in(number))
    assert entered > 0
    matches = wait_for_matches(lone, entered)
    assert len(matches) == entered
    listed = visit.get_by_role("region", name="Newest matches").get_by_role("listitem")
    expect(listed).to_have_count(entered)
    expect(shown.locator(".map-pulses")).to_have_attribute("data-rung", str(entered))
    visit.get_by_role("button", name="Show all").click()
    picture(visit, "map")


def _van(number: int, step: int) -> dict[str, Any]:
    x, y = _van_place(number, step)
    data = {"van": f"van-{number}", "speed": 20 + number}
    body = event(f"{number}-{step}", "position", place=f"POINT({x:.4f} {y:.4f})", data=data)
    return body | {"source": f"/fleet/van-{number}"}


def _van_place(number: int, step: int) -> tuple[float, float]:
    """Vans drive straight on, each from its own place and in its own direction."""
    angle = number * 2.4
    x = 9.80 + (number * 7 % VANS) / VANS * 0.4 + cos(angle) * 0.004 * step
    y = 53.44 + (number * 11 % VANS) / VANS * 0.2 + sin(angle) * 0.0025 * step
    return x, y


def _comes_in(number: int) -> bool:
    """Whether a van is in the harbour at any of its steps: vans that leave it do not come back."""
    return any(_is_in_harbour(*_van_place(number, step)) for step in range(STEPS))


def _is_in_harbour(x: float, y: float) -> bool:
    """Whether a place lies to the left of each of its four edges."""
    corners = [(9.88, 53.50), (9.97, 53.50), (9.99, 53.545), (9.90, 53.55)]
    edges = zip(corners, corners[1:] + corners[:1], strict=True)
    return all((bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0 for (ax, ay), (bx, by) in edges)


def test_a_burst_of_matches_is_listed_in_a_few_steps(visit: Page, lone: Served) -> None:
    subscribe(lone, "every", "n >= 0")
    _open(visit)
    visit.evaluate(
        """() => {
          window.steps = 0;
          const list = document.querySelector('[aria-label="Newest matches"] ul');
          new MutationObserver(() => window.steps++).observe(list, { childList: true });
        }"""
    )
    burst = [event(f"b{n}", place=f"POINT({n % 50} 40)", data={"n": n}) for n in range(BURST)]
    publish(lone, *burst)
    pulses = visit.locator(".map-pulses")
    expect(pulses).to_have_attribute("data-rung", str(BURST))
    listed = visit.get_by_role("region", name="Newest matches").get_by_role("listitem")
    expect(listed).to_have_count(50)
    assert 0 < visit.evaluate("window.steps") < BURST / 10


def test_places_that_are_not_on_the_globe_are_on_a_plane(visit: Page, lone: Served) -> None:
    publish(lone, event("far", "position", place="POINT(5000 3000)"))
    visit.goto("/#/map")
    expect(visit.get_by_role("button", name="Plane")).to_have_attribute("aria-pressed", "true")
    expect(visit.get_by_test_id("points")).to_have_text("1")


def test_ten_thousand_points_move_thirty_times_a_second(visit: Page, lone: Served) -> None:
    _open(visit)
    layer = visit.locator(".map-points")
    _send_many(visit, lone, 0)
    expect(visit.get_by_test_id("points")).to_have_text(f"{MANY:,}")
    before = int(layer.get_attribute("data-frames") or 0)
    _send_many(visit, lone, 1)
    expect(layer).to_have_attribute("data-points", str(MANY))
    assert int(layer.get_attribute("data-frames") or 0) > before
    assert float(layer.get_attribute("data-cost") or "inf") < MOST_MILLISECONDS


def _send_many(page: Page, server: Served, round: int) -> None:
    """Each of the many tells where it is."""
    for first in range(0, MANY, AT_ONCE):
        publish(server, *(_position(number, round) for number in range(first, first + AT_ONCE)))
        page.wait_for_timeout(250)


def _position(number: int, round: int) -> dict[str, Any]:
    x = -15 + (number * 37 % 5000) / 100 + round
    y = 32 + (number * 53 % 2800) / 100 + round / 2
    place = f"POINT({x:.2f} {y:.2f})"
    return event(f"{round}-{number}", "position", place=place) | {"source": f"ship-{number}"}


def test_a_phone_draws_too(browser: Browser, lone: Served, complaints: Complaints) -> None:
    with context_of(browser, lone.url, viewport=PHONE, has_touch=True) as context:
        page = context.new_page()
        complaints.listen(page)
        shown = _open(page)
        page.get_by_role("button", name="Draw region").tap()
        for x, y in ((100, 100), (200, 100), (150, 200)):
            shown.tap(position={"x": x, "y": y})
        page.get_by_role("button", name="Close outline").tap()
        page.get_by_label("Name").fill("Small")
        page.get_by_role("button", name="Save region").tap()
        expect(page.get_by_role("region", name="Regions")).to_contain_text("Small")
    assert len(_corners(_region(lone, "Small"))) == 4
