"""What waits for the watermark can be looked at without being given out."""

from __future__ import annotations

from tests.timelines import event_at
from tocsin.runtime.watermark import ReorderBuffer


def test_the_first_and_all_that_wait() -> None:
    buffer: ReorderBuffer[int] = ReorderBuffer()
    assert buffer.first() is None
    for instant in (5, 3, 4):
        buffer.add(event_at(instant), instant)
    assert buffer.first() == 3
    assert sorted((event.id, payload) for event, payload in buffer.held()) == [
        ("a3", 3),
        ("a4", 4),
        ("a5", 5),
    ]
    assert [payload for _, payload in buffer.release(5)] == [3, 4]
    assert [payload for _, payload in buffer.held()] == [5]
