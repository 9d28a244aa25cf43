"""The ships of the Solent: the bells of the example are those of a plain walk over the same
reports, without Tocsin.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby, pairwise
from math import cos, hypot, radians, sin, sqrt
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from examples import ais_geofence as example
from examples.ais_geofence import PORTS, Bell, Report
from tests.conftest import shared_data

REPORTS = 9_000
MINUTE = 60_000

Rung = set[tuple[str, tuple[str, ...]]]
"""Which bell, and the ids of the reports that it rang for."""


@pytest.fixture(scope="module")
def reports() -> list[Report]:
    folder = shared_data("ais-solent")
    return example.read_reports(folder / example.DATA.name, REPORTS)


@pytest.fixture(scope="module")
def bells(reports: list[Report]) -> list[Bell]:
    return example.ring(reports)


def rung(bells: Sequence[Bell], kind: str) -> Rung:
    found = [(bell.label, bell.match.events) for bell in bells if bell.kind == kind]
    assert len(found) == len(set(found))
    return set(found)


def test_bells_for_entering_and_leaving_are_the_crossings_of_each_track(
    reports: list[Report], bells: list[Bell]
) -> None:
    assert rung(bells, "enters") == set(crossings(reports, inwards=True))
    assert rung(bells, "leaves") == set(crossings(reports, inwards=False))
    assert {bell.kind for bell in bells} == {"enters", "leaves", "stays", "near", "silent"}


def test_a_ship_stays_if_twenty_minutes_after_its_entry_it_was_not_seen_outside(
    reports: list[Report], bells: list[Bell]
) -> None:
    heard, now = heard_in_time(reports), millis(reports[-1])
    expected: Rung = set()
    for label, (before, entry) in crossings(reports, inwards=True):
        port, ship, start = label.partition(" ")[2], entry.partition("@")[0], millis_of(entry)
        outside = [
            each
            for each in heard
            if str(each.ship) == ship
            and start < millis(each) <= start + 20 * MINUTE
            and not is_in(each, port)
        ]
        if not outside and start + 20 * MINUTE < now:
            expected.add((f"stays {port}", (before, entry)))
    assert rung(bells, "stays") == expected


def test_ships_are_near_where_their_reports_are(reports: list[Report], bells: list[Bell]) -> None:
    assert rung(bells, "near") == {("near", pair) for pair in near_pairs(heard_in_time(reports))}


def test_a_ship_is_silent_where_ten_minutes_follow_without_a_report(
    reports: list[Report], bells: list[Bell]
) -> None:
    heard, now = heard_in_time(reports), millis(reports[-1])
    times = {ship: [millis(each) for each in track] for ship, track in by_ship(heard)}
    expected: Rung = set()
    for each in heard:
        mine, start = times[each.ship], millis(each)
        following = bisect_right(mine, start + 10 * MINUTE) - bisect_right(mine, start)
        if not following and start + 10 * MINUTE < now:
            expected.add(("silent", (each.id,)))
    assert rung(bells, "silent") == expected


def test_the_command_draws_a_picture_and_counts_the_rings(tmp_path: Path) -> None:
    data, picture = shared_data("ais-solent") / example.DATA.name, tmp_path / "solent.png"
    ended = called("--data", str(data), "--limit", "1500", "--output", str(picture))
    assert ended.exit_code == 0, ended.output
    assert "near" in ended.output
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_without_the_reports_one_line_says_so(tmp_path: Path) -> None:
    ended = called("--data", str(tmp_path / "none.csv"))
    assert ended.exit_code == 1
    assert len(ended.stderr.splitlines()) == 1
    assert "--data" in ended.stderr


def called(*arguments: str):  # type: ignore[no-untyped-def]
    app = Typer()
    app.command()(example.main)
    return CliRunner().invoke(app, arguments)


# The plain walk: nothing below knows of events, parts or windows.


def millis(report: Report) -> int:
    return millis_of(report.id)


def millis_of(id_: str) -> int:
    moment = datetime.fromisoformat(id_.partition("@")[2])
    return round((moment - datetime(2016, 1, 1, tzinfo=UTC)).total_seconds() * 1000)


def heard_in_time(reports: Sequence[Report]) -> list[Report]:
    """Each report once, in order. Those of the last instant are left out: others of that instant
    could still come.
    """
    last = reports[-1].time
    once = {each.id: each for each in reversed(reports) if each.time < last}
    return sorted(once.values(), key=lambda each: (millis(each), each.id))


def by_ship(heard: Sequence[Report]) -> Iterator[tuple[int, list[Report]]]:
    ordered = sorted(heard, key=lambda each: (each.ship, millis(each)))
    for ship, track in groupby(ordered, key=lambda each: each.ship):
        yield ship, list(track)


def crossings(reports: Sequence[Report], inwards: bool) -> Iterator[tuple[str, tuple[str, str]]]:
    for _, track in by_ship(heard_in_time(reports)):
        for before, after in pairwise(track):
            for port in PORTS:
                crossed = is_in(before, port) is not inwards and is_in(after, port) is inwards
                if crossed and millis(after) - millis(before) <= 10 * MINUTE:
                    yield f"{'enters' if inwards else 'leaves'} {port}", (before.id, after.id)


def is_in(report: Report, port: str) -> bool:
    """Whether it lies on the outline, or a ray to the east crosses the outline an odd number of
    times.
    """
    inside, corners = False, PORTS[port]
    for (x, y), (next_x, next_y) in zip(corners, (*corners[1:], corners[0]), strict=True):
        if y == next_y == report.latitude and min(x, next_x) <= report.longitude <= max(x, next_x):
            return True
        if (y > report.latitude) != (next_y > report.latitude):
            edge = x + (report.latitude - y) / (next_y - y) * (next_x - x)
            inside ^= report.longitude < edge
    return inside


def near_pairs(heard: Sequence[Report]) -> Iterator[tuple[str, str]]:
    """Each report with the first before it, by at most ten seconds, that is near and not yet taken
    for such a pair.
    """
    moving = [each for each in heard if each.knots > 3]
    times = [millis(each) for each in moving]
    lower_taken: set[str] = set()
    higher_taken: set[str] = set()
    for number, one in enumerate(moving):
        for other in moving[bisect_left(times, times[number] - 10_000) : number]:
            lower, higher = (one, other) if one.ship < other.ship else (other, one)
            if one.ship == other.ship or lower.id in lower_taken or higher.id in higher_taken:
                continue
            if metres(one, other) < 200:
                lower_taken.add(lower.id)
                higher_taken.add(higher.id)
                yield other.id, one.id


def metres(one: Report, other: Report) -> float:
    """The distance on the ellipsoid, from its two radii of curvature there: exact to millimetres
    over a short way.
    """
    middle = radians((one.latitude + other.latitude) / 2)
    squared = 0.00669437999014
    bend = sqrt(1 - squared * sin(middle) ** 2)
    across, along = 6_378_137 / bend, 6_378_137 * (1 - squared) / bend**3
    east = radians(one.longitude - other.longitude) * across * cos(middle)
    return hypot(east, radians(one.latitude - other.latitude) * along)
