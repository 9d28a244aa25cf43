"""A subscription with too many matches is suspended with a dead letter, at the same match whatever
is put away and taken up again; the others are served.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.builders import event_text
from tocsin.catalog import Catalog, Subscription, create_catalog
from tocsin.hub.step_hub import StepHub
from tocsin.runtime.limits import BURST_SECONDS, SECOND, MatchLimit
from tocsin.service.runner.local import pack_state, unpack_state

START = 1_767_225_600 * SECOND
LIMIT = 100
EVENTS = 120


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    made = create_catalog(str(tmp_path / "catalog.db"))
    made.add(
        Subscription("bomb", "rule", "WHEN a AND b", policy="globe", horizon="1h"),
        Subscription("pair", "rule", "WHEN a THEN b FOR EACH n", horizon="1h"),
        Subscription("alarm", "selector", "ce_type = 'b'"),
    )
    return made


def line(number: int) -> bytes:
    time = START + number * 1_000
    data = {"n": number // 2}
    return event_text(f"e{number}", "ab"[number % 2], time=time, data=data).encode()


def run(
    catalog: Catalog, limit: int, *, seconds: int = 0, put_away: bool = False
) -> tuple[dict[str, list[str]], list[str]]:
    """Return the ids of matches by subscription, and the subscriptions that were suspended."""
    chance = Random(1)
    hub = StepHub(catalog, lateness="0s", match_limit=limit)
    found: dict[str, list[str]] = {"bomb": [], "pair": [], "alarm": []}
    ended: list[str] = []
    for number in range(EVENTS):
        if put_away and chance.random() < 0.3:
            again = StepHub(catalog, lateness="0s", match_limit=limit)
            again.restore(unpack_state(pack_state(hub.snapshot())))
            hub = again
        outcome = hub.step(START + number * seconds * SECOND, catalog.version(), [line(number)])
        for match in outcome.matches:
            found[match.subscription].append(match.id)
        ended += [each.subscription for each in outcome.troubles]
        for letter in outcome.letters:
            assert letter.code == "MatchLimitExceeded"
    return found, ended


def test_a_product_is_suspended_and_its_neighbours_are_not(catalog: Catalog) -> None:
    free, nobody = run(catalog, 0)
    found, ended = run(catalog, LIMIT)
    assert nobody == []
    assert ended == ["bomb"]
    assert len(free["bomb"]) > 10 * LIMIT
    assert BURST_SECONDS * LIMIT < len(found["bomb"]) <= (BURST_SECONDS * LIMIT + 2 * EVENTS)
    assert found["bomb"] == free["bomb"][: len(found["bomb"])]
    assert (found["pair"], found["alarm"]) == (free["pair"], free["alarm"])
    assert len(found["alarm"]) == EVENTS // 2


def test_the_same_subscription_ends_at_the_same_match_wherever_it_is_put_away(
    catalog: Catalog,
) -> None:
    assert run(catalog, LIMIT, put_away=True) == run(catalog, LIMIT)


def test_time_gives_matches_back(catalog: Catalog) -> None:
    found, ended = run(catalog, LIMIT, seconds=1)
    assert ended == []
    assert found == run(catalog, 0)[0]


def test_one_match_for_each_event_is_never_too_many() -> None:
    limit = MatchLimit(1)
    assert all(limit.count(["s"]) == {} for _ in range(1_000))
    assert limit.count(["s", "s", "s"]) == {}
    assert limit.count(["s", "t", "s"]) == {"s": "it has more than 1 matches a second"}


def test_subscriptions_of_a_tenant_share_a_limit_that_no_other_tenant_feels() -> None:
    limit = MatchLimit(100, tenant_rate=10)
    ten = [["acme::a"] * 6, ["acme::b"] * 6, ["acme::c"] * 6, ["acme::d"] * 6]
    assert [limit.count(each) for each in ten] == [{}] * 4
    assert list(limit.count(["acme::e"] * 2)) == ["acme::e"]
    assert "tenant" in limit.count(["acme::e"] * 2)["acme::e"]
    assert limit.count(["beta::a"] * 6) == {}
    limit.begin(SECOND)
    assert limit.count(["acme::e"] * 6) == {}


def test_limits_go_on_after_a_snapshot() -> None:
    chance = Random(2)
    one, kept = MatchLimit(20, tenant_rate=30), MatchLimit(20, tenant_rate=30)
    for step in range(300):
        now = step * 40_000
        keys = [f"{chance.choice(['', 'a::', 'b::'])}{chance.randrange(3)}"] * chance.randrange(6)
        again = MatchLimit(20, tenant_rate=30)
        again.restore(json.loads(json.dumps(kept.snapshot())))
        kept = again
        one.begin(now)
        kept.begin(now)
        assert one.count(keys) == kept.count(keys)


def test_a_batch_is_cut_at_the_event_that_is_too_much(catalog: Catalog) -> None:
    """The limit holds inside of one step: 1,000 events would give 250,000 matches."""
    hub = StepHub(catalog, lateness="0s", match_limit=LIMIT)
    outcome = hub.step(START, catalog.version(), [line(number) for number in range(1_000)])
    outcome.matches += hub.step(START + 10 * SECOND, catalog.version()).matches
    assert sum(match.subscription == "bomb" for match in outcome.matches) <= 4 * LIMIT
    assert sum(match.subscription == "alarm" for match in outcome.matches) == 500


def _timed(kind: str, time: int, n: int = 0) -> bytes:
    return event_text(f"{kind}{n}", kind, time=time, data={"n": n}).encode()


@pytest.mark.parametrize("put_away", [False, True])
def test_a_window_that_comes_every_second_does_not_ring_for_years_in_one_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, put_away: bool
) -> None:
    """Time alone brings the matches about: one at each instant, and none of them an event's."""
    monkeypatch.setattr("tocsin.runtime.limits.FREE_BY_TIME", 300)
    made = create_catalog(str(tmp_path / "catalog.db"))
    made.add(
        Subscription("clock", "rule", "WHEN COUNT(a) >= 1 OVER 3600d EVERY 1s"),
        Subscription("late", "rule", "WHEN a THEN NO b WITHIN 5s FOR EACH n"),
        Subscription("alarm", "selector", "ce_type = 'b'"),
    )
    hub = StepHub(made, lateness="0s", match_limit=LIMIT)
    first = hub.step(START, made.version(), [_timed("a", START, n) for n in range(200)])
    if put_away:
        again = StepHub(made, lateness="0s", match_limit=LIMIT)
        again.restore(unpack_state(pack_state(hub.snapshot())))
        hub = again
    year = 365 * 24 * 3_600 * SECOND
    second = hub.step(START + year, made.version(), [_timed("b", START + year)])
    found = Counter(match.subscription for match in [*first.matches, *second.matches])
    assert [each.subscription for each in second.troubles] == ["clock"]
    assert [letter.code for letter in second.letters] == ["MatchLimitExceeded"]
    assert found == {"clock": 300 + BURST_SECONDS * LIMIT + 1, "late": 200, "alarm": 1}


def test_what_waits_may_ring_for_each_event_when_time_passes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tocsin.runtime.limits.FREE_BY_TIME", 10)
    limit = MatchLimit(1)
    for _ in range(100):
        limit.events += 10
        assert limit.count_by_time(["s"] * 10) == {}
    assert limit.count_by_time(["s"] * BURST_SECONDS) == {}
    assert list(limit.count_by_time(["s", "t"])) == ["s"]
