"""The core of every hub: its steps return all that they did, and a Hub adds nothing to it but when
and to whom it is told.
"""

from __future__ import annotations

import gc
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tocsin
from tocsin.catalog import Definition, Subscription, compile_subscription, create_catalog
from tocsin.engine.engine import Engine
from tocsin.errors import StateProblem
from tocsin.hub import step_hub
from tocsin.hub.step_hub import StepHub

NOON = 1_767_268_800_000_000
SECOND = 1_000_000
A = Definition("A", language="opsl", expression='STRING: kind = "a"')
B = Definition("B", language="opsl", expression='STRING: kind = "b"')
SUBSCRIPTIONS = (
    Subscription("atom", "selector", "kind = 'a'"),
    Subscription("pair", "opsl", "=|(A; 6s)B"),
    Subscription("silence", "opsl", "!(A; 5s)B"),
)


def event(id: str, kind: str, second: float = 0) -> dict[str, Any]:
    time = f"2026-01-01T12:00:{second:06.3f}Z"
    return {"id": id, "source": "s", "type": "t", "time": time, "data": {"kind": kind}}


def core_of(*subscriptions: Subscription, **settings: Any) -> StepHub:
    core = StepHub(clock=lambda: NOON, **settings)
    core.define(A, B)
    for each in subscriptions:
        core.add(each)
    return core


def test_a_step_returns_matches_and_letters_and_no_thread_is_made() -> None:
    threads = set(threading.enumerate())
    core = core_of(*SUBSCRIPTIONS, lateness="0s")
    first = core.publish([event("a", "a"), {"id": "no event"}])
    assert [match.subscription for match in first.matches] == ["atom"]
    assert len(first.letters) == 1
    assert core.next_instant() == NOON
    later = core.advance(NOON + 5 * SECOND + 1)
    assert [match.subscription for match in later.matches] == ["silence"]
    assert (core.counts.matches, core.counts.dead_letters, core.counts.events) == (2, 1, 1)
    assert set(threading.enumerate()) == threads


def test_each_match_of_a_batch_counts_for_its_own_event() -> None:
    """A limit of one match a second beyond one for each event suspends none of these, though all
    come from one batch.
    """
    core = core_of(*SUBSCRIPTIONS[1:], lateness="0s", match_limit=1)
    events = [event(f"{n}", "ab"[n % 2], n / 100) for n in range(600)]
    found = core.publish([*events, event("last", "c", 30)])
    assert found.ended == []
    assert Counter(match.subscription for match in found.matches) == {"pair": 300}


def test_many_new_subscriptions_are_kept_from_the_collector(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(step_hub, "MANY_SUBSCRIPTIONS", 3)
    core = core_of(*SUBSCRIPTIONS[:2])
    core.publish([event("1", "a")])
    frozen = gc.get_freeze_count()
    core.add(SUBSCRIPTIONS[2])
    try:
        core.publish([event("2", "a")])
        assert gc.get_freeze_count() > frozen
    finally:
        gc.unfreeze()


def test_changes_of_subscriptions_are_told_as_values() -> None:
    core = core_of()
    assert core.add(SUBSCRIPTIONS[1]).renewed == {"pair"}
    assert "pair" in core
    assert core.remove("pair").renewed == {"pair"}
    assert "pair" not in core
    with pytest.raises(StateProblem, match="there is no subscription 'pair'"):
        core.remove("pair")
    core.add(SUBSCRIPTIONS[0])
    with pytest.raises(StateProblem, match="is there already"):
        core.add(SUBSCRIPTIONS[0])
    with pytest.raises(StateProblem, match="definition 'A' is there already"):
        core.define(A)


def test_a_name_that_is_taken_is_refused_in_the_same_words_everywhere(tmp_path: Path) -> None:
    catalog = create_catalog(str(tmp_path / "catalog.db"))
    core, shared = core_of(), StepHub(catalog)
    engine, plan = Engine(), compile_subscription(SUBSCRIPTIONS[0])
    for add in (
        lambda: core.add(SUBSCRIPTIONS[0]),
        lambda: shared.add(SUBSCRIPTIONS[0]),
        lambda: engine.add("atom", plan),
    ):
        add()
        with pytest.raises(StateProblem) as refused:
            add()
        found = refused.value
        assert (found.code, found.token) == ("DuplicateSubscriptionError", "atom")
        assert found.message == "subscription 'atom' is there already"
        assert found.hint
    with pytest.raises(StateProblem, match="subscription 'atom' is there already"):
        catalog.add(SUBSCRIPTIONS[0])


def test_what_others_change_in_the_catalog_is_told_when_it_is_followed(tmp_path: Path) -> None:
    catalog = create_catalog(str(tmp_path / "catalog.db"))
    core = StepHub(catalog, clock=lambda: NOON)
    catalog.add(A, B, *SUBSCRIPTIONS)
    assert core.follow().renewed == {"atom", "pair", "silence"}
    catalog.remove(definitions=["B"])
    broken = core.follow()
    assert {each.subscription for each in broken.broken} == {"pair", "silence"}
    assert [each.letter for each in broken.broken] == broken.letters
    assert broken.renewed == set()
    catalog.add(B)
    mended = core.follow()
    assert (mended.renewed, mended.broken) == ({"pair", "silence"}, [])


def test_a_subscription_that_ends_is_told_with_its_letter_among_the_letters() -> None:
    core = core_of(SUBSCRIPTIONS[1], lateness="0s", queue_limit=2)
    found = core.publish([event(f"a{number}", "a", number) for number in range(5)])
    (ended,) = found.ended
    assert ended.subscription == "pair"
    assert ended.letter in found.letters
    assert found.troubles == [ended]
    assert "pair" not in core


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc"), st.integers(0, 20)), max_size=20),
    st.integers(1, 5),
)
def test_a_hub_tells_what_its_core_returns(drawn: list[tuple[int, str, int]], size: int) -> None:
    core = core_of(*SUBSCRIPTIONS, time_needs_composites=True)
    hub = tocsin.Hub(ahead=None)
    hub.define(A, B)
    heard: list[tocsin.Match] = []
    for each in SUBSCRIPTIONS:
        hub.subscribe(each.expression, language=each.language, id=each.id, to=heard.append)
    events = [event(str(number), kind, second) for number, kind, second in drawn]
    matches, letters = [], []
    for start in range(0, len(events), size):
        part = events[start : start + size]
        outcome = core.publish(part)
        assert hub.publish(*part) == outcome.matches
        matches += outcome.matches
        letters += outcome.letters
    outcome = core.advance(NOON + 60 * SECOND)
    assert hub.advance_to("2026-01-01T12:01:00Z") == outcome.matches
    assert heard == matches + outcome.matches
    assert list(hub.dead_letters) == letters + outcome.letters
    assert hub.counts == core.counts
