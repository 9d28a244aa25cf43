"""Order and lateness: any arrival order within the lateness gives the same matches, in any cut into
batches.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tocsin
from tests.builders import event_json
from tests.scenarios.loading import Scenario, scenarios, shown
from tests.timelines import event_at
from tocsin.events.event import Event
from tocsin.runtime.watermark import ReorderBuffer, Watermark

SCENARIOS = [scenario for scenario in scenarios("opsl.toml") if len(scenario.events) > 1]


@given(st.sampled_from(SCENARIOS), st.randoms(use_true_random=False), st.integers(1, 4))
def test_any_arrival_order_within_the_lateness_is_as_in_order(
    scenario: Scenario, dice: random.Random, size: int
) -> None:
    hub = tocsin.Hub(lateness="10m")
    hub.define(*scenario.definitions)
    wanted = scenario.subscription
    hub.subscribe(
        wanted.expression,
        language=wanted.language,
        id="s",
        policy=wanted.policy,
        horizon=wanted.horizon,
        options=dict(wanted.options),
    )
    events = list(scenario.events)
    dice.shuffle(events)
    found = []
    for start in range(0, len(events), size):
        found += hub.publish(*events[start : start + size])
    found += hub.advance_to("1970-01-02T00:00:00Z")
    assert sorted(shown(match) for match in found) == sorted(scenario.expected)
    assert hub.counts.late == 0


@given(st.lists(st.integers(0, 20), max_size=12))
def test_the_buffer_gives_out_in_order_and_only_what_the_watermark_has_passed(
    instants: list[int],
) -> None:
    buffer: ReorderBuffer[None] = ReorderBuffer()
    watermark = Watermark(lateness=5)
    given_out: list[Event] = []
    accepted = 0
    for number, instant in enumerate(instants):
        event = event_at(instant, f"a{number}x")
        if watermark.is_late(event):
            assert instant < max(instants[:number]) - 5
            continue
        accepted += 1
        buffer.add(event, None)
        given_out += [each for each, _ in buffer.release(watermark.instant)]
        assert all(each.order[0] < max(instants[: number + 1]) - 5 for each in given_out)
    given_out += [each for each, _ in buffer.release(None)]
    assert [each.order for each in given_out] == sorted(each.order for each in given_out)
    assert (len(given_out), len(buffer)) == (accepted, 0)


def test_time_moves_the_watermark_and_never_back() -> None:
    watermark = Watermark(lateness=5)
    assert watermark.instant is None
    watermark.advance_to(20)
    watermark.advance_to(10)
    assert watermark.instant == 15
    assert [watermark.is_late(event_at(instant)) for instant in (14, 15, 16)] == [
        True,
        False,
        False,
    ]


def test_an_event_at_the_deadline_is_in_time_and_the_bell_waits_for_it() -> None:
    hub = tocsin.Hub(lateness="0s")
    hub.subscribe("!(selector{ k = 'a' }; 10)selector{ k = 'b' }", language="opsl", id="s")

    def event(name: str, kind: str, millisecond: int) -> dict[str, object]:
        return event_json(name, second=millisecond / 1000, data={"k": kind})

    assert hub.publish(event("a1", "a", 0)) == []
    assert hub.publish(event("c1", "c", 10)) == [], (
        "an event that ends at the deadline may still come"
    )
    assert hub.publish(event("b1", "b", 10)) == []
    assert hub.publish(event("c2", "c", 11)) == []
    hub.publish(event("a2", "a", 20))
    rung = hub.publish(event("c3", "c", 31))
    assert [(match.events, match.bindings["absence"]) for match in rung] == [
        (("a2",), "2026-01-01T00:00:00.02Z/2026-01-01T00:00:00.03Z")
    ]


@pytest.mark.parametrize("lateness", ["soon", "-1s", ""])
def test_a_lateness_that_is_no_duration_is_refused(lateness: str) -> None:
    with pytest.raises(tocsin.Problem, match="duration"):
        tocsin.Hub(lateness=lateness)
