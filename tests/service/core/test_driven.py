"""A hub that is taken from step to step: put away and taken up again anywhere, it gives the same
matches and letters as one that never was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import event_text
from tocsin.catalog import Catalog, Definition, Subscription, create_catalog
from tocsin.engine.json_scan.batch_reader import MIN_TEXTS
from tocsin.hub.step_hub import StepHub, StepOutcome
from tocsin.service.runner.local import pack_state, unpack_state
from tocsin.spark.match_task.serde import unpack

SECOND = 1_000_000
START = 1_767_225_600 * SECOND
A = 'STRING: kind = "a"'
B = 'STRING: kind = "b"'


@dataclass(frozen=True)
class Step:
    """Seconds since the step before, the events that come (number, kind, seconds before now), and
    the version of the catalog.
    """

    pause: int
    events: tuple[tuple[int, str, int], ...]
    version: int


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    made = create_catalog(str(tmp_path_factory.mktemp("catalog") / "catalog.db"))
    made.add(
        Definition("A", language="opsl", expression=A),
        Definition("B", language="opsl", expression=B),
        Subscription("atom", "selector", "kind = 'a'"),
        Subscription("pair", "opsl", "=|(A; 6s)B"),
        Subscription("silence", "opsl", "!(A; 5s)B"),
    )
    made.add(Subscription("acme::late", "opsl", "=|(B; 4s)A"))
    made.remove("pair")
    made.replace(Definition("B", language="opsl", expression='STRING: kind = "c"'))
    return made


def _steps() -> st.SearchStrategy[list[Step]]:
    kinds = st.sampled_from("abc")
    events = st.lists(st.tuples(st.integers(0, 8), kinds, st.integers(0, 4)), max_size=4)
    step = st.builds(
        lambda pause, given, more: (pause, tuple(given), more),
        st.integers(0, 7),
        events,
        st.booleans(),
    )
    return st.lists(step, min_size=1, max_size=12).map(_versioned)


def _versioned(steps: Sequence[tuple[int, tuple[tuple[int, str, int], ...], bool]]) -> list[Step]:
    versions = accumulate(
        (more for _, _, more in steps), lambda at, more: min(4, at + more), initial=1
    )
    return [Step(pause, given, at) for (pause, given, _), at in zip(steps, versions, strict=False)]


def _events(step: Step, now: int) -> list[bytes]:
    return [
        event_text(number, source=kind, time=now - back * SECOND, data={"kind": kind}).encode()
        for number, kind, back in step.events
    ]


def _told(outcomes: Iterable[StepOutcome]) -> list[object]:
    return [
        (
            [match.as_json() for match in each.matches],
            [letter.as_json() for letter in each.letters],
            sorted(trouble.subscription for trouble in each.troubles),
        )
        for each in outcomes
    ]


def _run(catalog: Catalog, steps: Sequence[Step], put_away_before: set[int]) -> list[StepOutcome]:
    hub, now, found = StepHub(catalog, lateness="2s"), START, []
    for number, step in enumerate(steps):
        if number in put_away_before:
            taken_up = StepHub(catalog, lateness="2s")
            taken_up.restore(unpack_state(pack_state(hub.snapshot())))
            hub = taken_up
        now += step.pause * SECOND
        found.append(hub.step(now, step.version, _events(step, now)))
    found.append(hub.step(now + 60 * SECOND, steps[-1].version))
    return found


@settings(max_examples=25)
@given(_steps(), st.sets(st.integers(0, 11)))
def test_put_away_anywhere_it_gives_the_same(
    catalog: Catalog, steps: list[Step], put_away: set[int]
) -> None:
    assert _told(_run(catalog, steps, put_away)) == _told(_run(catalog, steps, set()))


@settings(max_examples=25)
@given(_steps(), st.data())
def test_steps_taken_again_after_a_snapshot_lead_to_the_same(
    catalog: Catalog, steps: list[Step], data: st.DataObject
) -> None:
    """What a process does that died: the snapshot, then the steps since, then on."""
    cut = data.draw(st.integers(0, len(steps) - 1))
    hub, now, instants = StepHub(catalog), START, []
    kept = hub.snapshot()
    for number, step in enumerate(steps):
        now += step.pause * SECOND
        instants.append(now)
        hub.step(now, step.version, _events(step, now))
        if number == cut:
            kept = unpack_state(pack_state(hub.snapshot()))
    again = StepHub(catalog)
    again.restore(kept)
    for number in range(cut + 1, len(steps)):
        again.step(
            instants[number], steps[number].version, _events(steps[number], instants[number])
        )
    assert _plain(again) == _plain(hub)


def _plain(hub: StepHub) -> dict[str, object]:
    state: dict[str, object] = unpack(pack_state(hub.snapshot()))
    return state | {"held": sorted(state["held"], key=repr)}  # type: ignore[call-overload]


def test_an_idle_clock_runs_on_from_where_the_stream_stood(catalog: Catalog) -> None:
    hub = StepHub(catalog, lateness="2s", idle="1s")
    first = hub.step(START, 1, _events(Step(0, ((1, "a", 0),), 1), START))
    assert [match.subscription for match in first.matches] == ["atom"]
    rung: list[tuple[int, str]] = []
    while not rung:
        wake = hub.next_wake()
        assert wake is not None
        assert wake <= START + 8 * SECOND
        rung += [(wake, match.subscription) for match in hub.step(wake, 1).matches]
    assert rung == [(START + 7 * SECOND + 1, "silence")]


def test_without_idle_only_events_move_time(catalog: Catalog) -> None:
    hub = StepHub(catalog, idle=None)
    hub.step(START, 1, _events(Step(0, ((1, "a", 0),), 1), START))
    assert hub.next_wake() is None
    assert hub.step(START + 3600 * SECOND, 1).matches == []


def test_an_event_too_far_ahead_moves_no_time(catalog: Catalog) -> None:
    hub = StepHub(catalog, ahead="1h")
    far = hub.step(START, 1, _events(Step(0, ((1, "b", -7200),), 1), START))
    assert [letter.code for letter in far.letters] == ["TooFarAhead"]
    near = hub.step(START, 1, _events(Step(0, ((2, "a", 0),), 1), START))
    assert near.letters == []


def test_a_subscription_that_breaks_is_a_trouble_until_it_is_mended(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    made = create_catalog(str(tmp_path_factory.mktemp("catalog") / "catalog.db"))
    made.add(Definition("A", language="opsl", expression=A), Subscription("s", "opsl", "A"))
    hub = StepHub(made)
    assert hub.step(START, 1).troubles == []
    made.remove(definitions=["A"])
    assert [each.subscription for each in hub.step(START, 2).troubles] == ["s"]
    made.add(Definition("A", language="opsl", expression=A))
    mended = hub.step(START, 3, _events(Step(0, ((1, "a", 0),), 3), START))
    assert [match.subscription for match in mended.matches] == ["s"]


def test_who_has_ended_stays_so_after_a_restart_until_it_is_subscribed_again(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    made = create_catalog(str(tmp_path_factory.mktemp("catalog") / "catalog.db"))
    pair = Subscription("pair", "opsl", f"=|({A}; 6s){B}")
    made.add(pair, Subscription("atom", "selector", "kind = 'a'"))

    def hub() -> StepHub:
        return StepHub(made, queue_limit=2, lateness="0s")

    first = hub()
    crowd = _events(Step(0, tuple((number, "a", 0) for number in range(9)), 1), START)
    ended = first.step(START, 1, crowd).troubles
    ended += first.step(START + SECOND, 1, _events(Step(0, ((20, "c", 0),), 1), START)).troubles
    assert {each.subscription for each in ended} == {"pair"}
    second = hub()
    second.restore(unpack_state(pack_state(first.snapshot())))
    assert set(second.subscriptions()) == {"atom"}
    made.replace(Subscription("pair", "opsl", f"=|({A}; 7s){B}"))
    second.step(START + 2 * SECOND, 2)
    third = hub()
    third.restore(unpack_state(pack_state(second.snapshot())))
    assert set(third.subscriptions()) == {"atom", "pair"}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 4)), min_size=2, max_size=20))
@settings(deadline=None)
def test_events_that_came_many_at_a_time_are_put_away_as_they_came(
    catalog: Catalog, drawn: list[tuple[str, int]]
) -> None:
    crowd = [("c", 5)] * MIN_TEXTS
    first = Step(
        0, tuple((n, kind, late) for n, (kind, late) in enumerate([*drawn[::2], *crowd])), 1
    )
    second = Step(
        0, tuple((n, kind, late) for n, (kind, late) in enumerate([*drawn[1::2], *crowd], 99)), 1
    )
    whole, before, after = (StepHub(catalog) for _ in range(3))
    for hub in (whole, before):
        hub.step(START, 1, _events(first, START))
    after.restore(unpack_state(pack_state(before.snapshot())))
    later = START + SECOND
    outcomes = [hub.step(later, 1, _events(second, later)) for hub in (whole, after)]
    outcomes += [hub.step(later + 60 * SECOND, 1) for hub in (whole, after)]
    told = [[match.as_json() for match in outcome.matches] for outcome in outcomes]
    assert told[0] == told[1]
    assert told[2] == told[3]
    assert pack_state(whole.snapshot()) == pack_state(after.snapshot())
