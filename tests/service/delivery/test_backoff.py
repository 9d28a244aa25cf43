"""Waits double, are random up to their bound, and respect what the receiver asks for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import MeaningProblem
from tocsin.service.outbound.pace import Backoff, read_retry_after

NOW = datetime(2026, 1, 31, 8, 0, tzinfo=UTC)


def test_the_bound_doubles_up_to_the_longest() -> None:
    backoff = Backoff(tries=9, first=1.0, longest=20.0)
    longest = [backoff.wait(failed, draw=lambda: 1.0) for failed in range(1, 8)]
    assert longest == [1, 2, 4, 8, 16, 20, 20]
    assert backoff.wait(5, draw=lambda: 0.0) == 0.0
    assert backoff.wait(5, draw=lambda: 0.25) == 4.0


@given(
    failed=st.integers(1, 10_000),
    asked=st.none() | st.floats(0, 1e9),
    draw=st.floats(0, 1, exclude_max=True),
)
def test_a_wait_is_never_beyond_its_bounds(failed: int, asked: float | None, draw: float) -> None:
    backoff = Backoff(longest=600, longest_asked=3600)
    wait = backoff.wait(failed, asked, lambda: draw)
    assert min(asked or 0.0, 3600) <= wait <= max(600, min(asked or 0.0, 3600))


def test_the_last_try_is_the_last() -> None:
    backoff = Backoff(tries=3)
    assert [backoff.is_last(failed) for failed in (1, 2, 3, 4)] == [False, False, True, True]


def test_a_receiver_may_be_away_for_an_hour() -> None:
    """On average, by the defaults, a message is tried for more than three hours."""
    backoff = Backoff()
    waits = [backoff.wait(failed, draw=lambda: 0.5) for failed in range(1, backoff.tries)]
    assert sum(waits) > 3 * 3600


@pytest.mark.parametrize("wrong", [{"tries": 0}, {"first": -1.0}, {"longest": -1.0}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(MeaningProblem):
        Backoff(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Sat, 31 Jan 2026 08:01:00 GMT", 60.0),
        ("Sat, 31 Jan 2026 08:01:00 -0000", 60.0),
        ("Sat, 31 Jan 2026 07:00:00 GMT", 0.0),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        ("٣", None),
        (None, None),
        ("9" * 400, 999_999_999_999.0),
    ],
)
def test_retry_after_is_a_number_or_a_date(header: str | None, seconds: float | None) -> None:
    assert read_retry_after(header, NOW) == seconds
