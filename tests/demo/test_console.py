"""The demo with the console: the day that is played to the service rings what the stories say, and
the terminal tells where to look.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import httpx
import pytest
from tocsin_demo.console import demo_settings
from tocsin_demo.playing import Pace, Player, lines_of
from tocsin_demo.story import DAY, MIDNIGHT, Story
from tocsin_demo.subscriptions import from_the_start

from tests.demo.counting import TOLD, expected_of, told_in
from tests.waiting import PATIENCE, wait_until
from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.service.core.service import Service
from tocsin.service.operations.components import open_service

SHORT = Story(1_200, seed=11)


@contextmanager
def serving(folder: Path) -> Iterator[Service]:
    service = open_service(demo_settings(folder, 0, idle="off"))
    service.start()
    try:
        yield service
    finally:
        service.stop()


def test_the_day_rings_what_the_stories_say(tmp_path: Path) -> None:
    expected = expected_of(SHORT)
    heard: list[str] = []
    with serving(tmp_path) as service:
        player = Player(service, SHORT, Pace(0.1), Event(), heard.append)
        player.prepare()
        player.play()
        wait_until(lambda: not service.runner._unsaved.is_urgent)  # type: ignore[attr-defined]
        matches = [json.loads(row.body) for row in service.matches.read(0, 100_000, tenant="")]
        letters = service.letters.read(0, 100_000, "")
        left = {each.subscription.id for each in service.entries.list_all("")}
    single = [each for each in matches if each["subscription"] not in TOLD]
    rung = sorted((each["subscription"], each["events"][0]) for each in single)
    assert rung == sorted(expected.matches)
    assert told_in(matches) == expected.told
    refused = [letter for letter in letters if letter.code != "LateEvent"]
    assert len(refused) == expected.malformed
    assert len(heard) == 24
    assert heard[-1].startswith("24:00  1,200 events, ")
    assert "parcels-after-eight" in left
    assert "spring-campaign" not in left


def test_another_day_begins_with_the_same_subscriptions(tmp_path: Path) -> None:
    stopping = Event()

    def hear(line: str) -> None:
        if line.startswith("day 2, 01:00"):
            stopping.set()

    with serving(tmp_path) as service:
        player = Player(service, Story(1_000, seed=3), Pace(0.1, goes_on=True), stopping, hear)
        player.prepare()
        player.play()
        left = {each.subscription.id for each in service.entries.list_all("")}
        rows = service.log.read_stored(1_000, 1_000)
    assert left == {each.id for each in from_the_start()}
    assert rows
    assert all(b"2026-03-14T" in row.body for row in rows if row.code is None)


def test_no_event_of_a_day_is_one_of_another() -> None:
    story = Story(1_000, seed=3)
    days = [[_read(line.text) for line in lines_of(story, day)] for day in range(3)]
    events = [[each for each in day if each is not None] for day in days]
    identities = [{each.identity for each in day} for day in events]
    assert not identities[0] & identities[1]
    assert not identities[1] & identities[2]
    for number, day in enumerate(events):
        first = MIDNIGHT + number * DAY
        assert all(first <= each.interval.start < first + DAY for each in day)


def _read(text: str):  # type: ignore[no-untyped-def]
    try:
        return decode(text)
    except Problem:
        return None


@contextmanager
def running(scratch: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", "from tocsin.cli.main import run; run()", "demo", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"TMPDIR": str(scratch), "PYTHONUNBUFFERED": "1"},
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(PATIENCE)


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    said: list[str] = []
    for line in process.stdout:
        said.append(line)
        if line.startswith("console at "):
            return line.split()[-1]
    raise AssertionError("".join(said))


def _answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}healthz", trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


def test_where_the_output_is_no_terminal_it_ends_with_the_day(tmp_path: Path) -> None:
    options = ("--console", "--events", "1000", "--seconds", "4", "--port", "0")
    with running(tmp_path, *options) as process:
        address = _address(process)
        with httpx.Client(base_url=address, timeout=PATIENCE, trust_env=False) as http:
            assert http.get("/v1/session").json()["engine"] == "local"
            names = {each["name"] for each in http.get("/v1/definitions").json()["definitions"]}
            assert {"Warehouse", "Customer"} <= names
        said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert "24:00  1,000 events" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_leaves_nothing(tmp_path: Path, number: int) -> None:
    options = ("--console", "--events", "1000", "--seconds", "600", "--port", "0")
    with running(tmp_path, *options) as process:
        address = _address(process)
        wait_until(lambda: _answers(address))
        process.send_signal(number)
        said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []
