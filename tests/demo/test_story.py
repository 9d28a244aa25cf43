"""The generated day: the same for the same seed, in order of arrival, with its blemishes where they
should be.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from threading import Event as Flag

import pytest
from tocsin_demo import pallets, purchases
from tocsin_demo.auction import CHEAP, ONE_MAKER
from tocsin_demo.blemishes import BLEMISHES, Blemish
from tocsin_demo.slices import line_of, prepare
from tocsin_demo.story import DAY, LATENESS, MIDNIGHT, Story
from tocsin_demo.tours import ARRIVES, FALLS_OUT, LEAVES, MISSING, UNLOADS, Fate
from tocsin_demo.wording import in_words

from tests.demo.counting import texts, truth_of
from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.events.event import Event
from tocsin.runtime.watermark import Watermark


@pytest.fixture(scope="module")
def day() -> list[str]:
    return texts(Story(8_000, seed=3).tell())


def events_of(lines: list[str]) -> list[Event]:
    events = []
    for line in lines:
        try:
            events.append(decode(line))
        except Problem:
            continue
    return events


def test_the_same_seed_tells_the_same_day_and_another_seed_another() -> None:
    day = texts(Story(1_000, seed=1).tell())
    assert day == texts(Story(1_000, seed=1).tell())
    assert day != texts(Story(1_000, seed=2).tell())


@pytest.mark.parametrize("lines", [1_000, 1_234])
def test_a_day_has_as_many_lines_as_asked_for_in_order_of_arrival(lines: int) -> None:
    arrivals = [line.arrival for line in Story(lines, seed=1).tell()]
    assert len(arrivals) == lines
    assert arrivals == sorted(arrivals)
    assert arrivals[0] >= MIDNIGHT
    assert arrivals[-1] < MIDNIGHT + DAY


def test_a_day_of_too_few_lines_is_refused() -> None:
    with pytest.raises(Problem, match="at least 1000"):
        Story(999, seed=1)


def test_a_few_lines_are_malformed_and_all_others_are_events_with_their_own_id(
    day: list[str],
) -> None:
    events = events_of(day)
    assert len(day) - len(events) == 6
    assert len({event.id for event in events}) == len(events)


def test_a_few_events_are_late_and_all_others_arrive_in_time(day: list[str]) -> None:
    watermark = Watermark(LATENESS)
    assert sum(watermark.is_late(event) for event in events_of(day)) == 6


@pytest.mark.parametrize("blemish", BLEMISHES)
def test_every_blemish_makes_a_line_no_event(blemish: Blemish, day: list[str]) -> None:
    good = next(line for line in day if '"place"' in line)
    decode(good)
    with pytest.raises(Problem):
        decode(blemish(good))


def test_every_kind_of_event_has_words_of_its_own(day: list[str]) -> None:
    by_type = {event["type"]: line for line in day if (event := _read(line))}
    assert len(by_type) == 18
    for line in by_type.values():
        assert json.loads(line)["id"] not in in_words(line)


def test_slices_hold_the_whole_day_in_order_and_find_a_line_by_its_id(
    tmp_path, day: list[str]
) -> None:
    slices = prepare(Story(8_000, seed=3), tmp_path, Flag())
    assert [line for each in slices for line in each.path.read_text().splitlines()] == day
    assert sum(each.lines for each in slices) == 8_000
    assert all(earlier.end <= later.start for earlier, later in pairwise(slices))
    line = day[4_000]
    found = [line_of(json.loads(line)["id"], each.path.read_text()) for each in slices]
    assert [each for each in found if each is not None] == [line]


@pytest.mark.parametrize("seed", range(5))
def test_every_day_has_trucks_that_arrive_trucks_that_do_not_and_convoys_that_fall_apart(
    seed: int,
) -> None:
    tours = Story(1_000, seed).tours()
    assert {tour.fate for tour in tours} == set(Fate)
    truth = Counter(what for tour in tours for what, _ in tour.truth())
    assert truth[LEAVES] == 2 * len(tours) == truth[ARRIVES] + truth[MISSING]
    assert min(truth[ARRIVES], truth[MISSING], truth[UNLOADS], truth[FALLS_OUT]) > 0


def test_a_tour_goes_as_its_fate_says() -> None:
    tours = {tour.fate: tour for tour in Story(1_000, seed=1).tours()}
    told = {fate: [what for what, _ in tour.truth()] for fate, tour in tours.items()}
    in_time, too_late = [LEAVES, ARRIVES, UNLOADS], [LEAVES, MISSING, UNLOADS]
    assert told == {
        Fate.TOGETHER: in_time * 2,
        Fate.DELAYED: too_late * 2,
        Fate.FALLS_BEHIND: [*in_time * 2, FALLS_OUT],
        Fate.BREAKS_DOWN: [*in_time, LEAVES, MISSING, FALLS_OUT],
    }


@pytest.mark.parametrize("seed", range(5))
def test_every_day_has_something_to_ring_for_in_every_story(seed: int) -> None:
    story = Story(1_000, seed)
    assert {pallet.fate for pallet in story.pallets()} == set(pallets.Fate)
    assert {purchase.fate for purchase in story.purchases()} == set(purchases.Fate)
    truth = Counter(what for what, _ in truth_of(story))
    rare = (
        CHEAP,
        ONE_MAKER,
        pallets.MOVING,
        pallets.OPENED,
        pallets.WAITED,
        pallets.IDLE,
        purchases.SETTLED,
    )
    assert all(0 < truth[what] < 200 for what in rare)


def test_a_pallet_goes_as_its_fate_says() -> None:
    told = {
        pallet.fate: [what for what, _ in pallet.truth()]
        for pallet in Story(1_000, seed=1).pallets()
    }
    moved = [pallets.MOVING, pallets.MOVING]
    assert told[pallets.Fate.WELL] == moved
    assert told[pallets.Fate.OPENED] == [*moved, pallets.OPENED]
    assert told[pallets.Fate.WAITS] == [*moved, pallets.WAITED]
    assert told[pallets.Fate.LOST] == []


def test_nothing_is_packed_at_night_and_at_lunch_time() -> None:
    idle = [end[11:16] for _, end in pallets.idle_hours(Story(1_000, seed=1).pallets(), MIDNIGHT)]
    night = [f"{hour:02d}:00" for hour in range(1, 7)]
    assert idle == [*night, "13:00", *(f"{hour}:00" for hour in range(18, 24))]


def _read(line: str) -> dict[str, str] | None:
    try:
        decode(line)
    except Problem:
        return None
    return json.loads(line)
