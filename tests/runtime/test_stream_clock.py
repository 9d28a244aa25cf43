"""The clock of an idle stream: it continues at the pace of processing time, in any unit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tocsin.runtime.watermark import StreamClock

SECOND = 1_000_000


def test_an_idle_clock_continues_from_the_newest_end() -> None:
    clock = StreamClock(2 * SECOND, idle=SECOND)
    assert clock.due(0) is None
    clock.note_events(100 * SECOND, 10 * SECOND)
    assert clock.instant == 8 * SECOND
    clock.run_on(101 * SECOND - 1)
    assert clock.instant == 8 * SECOND
    clock.run_on(101 * SECOND)
    assert clock.instant == 9 * SECOND
    assert clock.due(20 * SECOND) == 112 * SECOND + 1
    clock.run_on(112 * SECOND + 1)
    assert clock.instant == 20 * SECOND + 1


def test_without_an_idle_time_only_events_advance_it() -> None:
    clock = StreamClock(0)
    clock.note_events(SECOND, SECOND)
    clock.run_on(100 * SECOND)
    assert clock.instant == SECOND
    assert clock.due(SECOND) is None


@given(
    st.lists(st.tuples(st.integers(0, 5_000), st.none() | st.integers(0, 9)), max_size=20),
    st.integers(0, 3_000),
    st.integers(0, 20),
)
def test_milliseconds_and_microseconds_give_the_same_time(
    steps: list[tuple[int, int | None]], idle: int, wanted: int
) -> None:
    """Each step: milliseconds since the one before, and the second in which its event ends."""
    fine = StreamClock(SECOND, idle=idle * 1_000)
    coarse = StreamClock(SECOND, idle=idle * 1_000, tick=1_000)
    now = 0
    for pause, second in steps:
        now += pause
        if second is None:
            fine.run_on(now * 1_000)
            coarse.run_on(now)
        else:
            fine.note_events(now * 1_000, second * SECOND)
            coarse.note_events(now, second * SECOND)
        assert fine.instant == coarse.instant
    due, coarse_due = fine.due(wanted * SECOND), coarse.due(wanted * SECOND)
    assert (due is None) == (coarse_due is None)
    if due is not None:
        assert coarse_due == -(-due // 1_000)
