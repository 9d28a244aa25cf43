"""A wait lasts as long as something moves, and fails where nothing does."""

from __future__ import annotations

import itertools

import pytest

from tests import waiting
from tests.waiting import wait_until


class Clock:
    """A time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.pauses.append(seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(waiting, "time", found)
    return found


def test_what_is_there_is_returned_at_once(clock: Clock) -> None:
    assert wait_until(lambda: ["a"]) == ["a"]
    assert clock.pauses == []


def test_a_wait_goes_on_as_long_as_there_is_progress(clock: Clock) -> None:
    found = wait_until(lambda: clock.now > 10_000, progress=lambda: clock.now // 200)
    assert (found, clock.now > 10_000) == (True, True)
    assert wait_until(lambda: clock.now > 20_000 and "late", progress=itertools.count().__next__)


def test_a_wait_without_progress_fails_and_says_what_was_last_seen(clock: Clock) -> None:
    with pytest.raises(AssertionError, match=r"no progress for 300 s, last 7 of the log"):
        wait_until(
            lambda: False, progress=lambda: min(int(clock.now), 7), report=lambda: "of the log"
        )
    assert 307 <= clock.now < 308


def test_what_is_asked_for_is_progress_itself(clock: Clock) -> None:
    falsy = [[], 0, ""]
    with pytest.raises(AssertionError, match="last 0"):
        wait_until(lambda: falsy[0 if clock.now < 250 else 1])
    assert clock.now >= 550


def test_pauses_grow_to_the_longest(clock: Clock) -> None:
    wait_until(lambda: clock.now > 1, longest_pause=0.02)
    assert clock.pauses[:6] == [0.001, 0.002, 0.004, 0.008, 0.016, 0.02]
    assert max(clock.pauses) == 0.02
