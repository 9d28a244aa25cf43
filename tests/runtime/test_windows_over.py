"""Windows of absolute time that are over are refused by the clock of the hub, whatever the calendar
says.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import tocsin
from tests.builders import event_json
from tocsin.catalog import Subscription, create_catalog
from tocsin.errors import MeaningProblem
from tocsin.events.dead_letter import DeadLetter

B = "STRING: kind = 'b'"
ABSENT, HAPPENS, AFTER = f"!({{}}; 10s)({B})", f"=|({{}}; 10s)({B})", f"|=({{}}; 10s)({B})"
LAST_CENTURY = "1999-12-31T23:00:00Z"


def event(time: str, kind: str = "a") -> dict[str, object]:
    return event_json(f"{kind}{time}", time=time, data={"kind": kind})


@pytest.mark.parametrize("form", [ABSENT, HAPPENS], ids=["absence", "happening"])
def test_a_hub_refuses_what_its_own_time_has_passed(form: str) -> None:
    hub = tocsin.Hub(lateness="2s")
    hub.publish(event("2026-01-01T00:00:12Z"))
    with pytest.raises(MeaningProblem) as refused:
        hub.subscribe(form.format("2026-01-01T00:00:00Z"), language="opsl", id="s")
    problem = refused.value
    assert problem.code == "WindowInPast"
    assert (problem.place.line, problem.place.column) == (1, form.index("{}") + 1)
    assert problem.token == "2026-01-01T00:00:00Z"
    assert "2026-01-01T00:00:10" in problem.message
    assert "later" in problem.hint
    # ends one second past the watermark
    hub.subscribe(form.format("2026-01-01T00:00:01Z"), language="opsl", id="s")


def test_the_clock_of_the_hub_counts_also_where_it_is_told() -> None:
    hub = tocsin.Hub(lateness="0s")
    hub.advance_to("2026-01-01T00:00:10Z")
    with pytest.raises(MeaningProblem, match="WindowInPast"):
        hub.subscribe(ABSENT.format("2026-01-01T00:00:00Z"), language="opsl")
    hub.subscribe(AFTER.format(LAST_CENTURY), language="opsl")


def test_a_hub_that_knows_no_time_takes_all_and_replays_what_is_long_ago() -> None:
    hub = tocsin.Hub(lateness="0s")
    hub.subscribe(ABSENT.format(LAST_CENTURY), language="opsl", id="s")
    found = hub.publish(event("1999-12-31T22:59:59Z"), event("1999-12-31T23:00:11Z"))
    found += hub.advance_to("1999-12-31T23:00:12Z")
    assert [match.subscription for match in found] == ["s"]


@pytest.mark.parametrize("form", [ABSENT, HAPPENS], ids=["absence", "happening"])
def test_what_was_over_when_time_began_ends_with_a_dead_letter(form: str) -> None:
    hub, told = tocsin.Hub(lateness="0s"), list[DeadLetter]()
    hub.subscribe(form.format(LAST_CENTURY), language="opsl", id="s", problems_to=told.append)
    hub.subscribe("kind = 'a'", id="atom")
    hub.subscribe(f"A2 && ({B})".replace("A2", "STRING: kind = 'a'"), language="opsl", id="other")
    found = hub.publish(event("2026-01-01T00:00:00Z"), event("2026-01-01T00:00:01Z", "b"))
    found += hub.advance_to("2026-01-01T00:00:02Z")
    assert [match.subscription for match in found] == ["atom", "other"]
    assert (
        [letter.code for letter in told]
        == [letter.code for letter in hub.dead_letters]
        == ["WindowInPast"]
    )
    # the name is free again
    hub.subscribe(form.format("2026-01-01T00:00:02Z"), language="opsl", id="s")


def test_time_that_is_told_to_an_empty_hub_begins_then() -> None:
    hub = tocsin.Hub(lateness="0s")
    hub.subscribe(ABSENT.format(LAST_CENTURY), language="opsl")
    assert hub.advance_to("2026-01-01T00:00:00Z") == []
    assert [letter.code for letter in hub.dead_letters] == ["WindowInPast"]


def test_a_subscription_of_a_catalog_is_refused_by_the_clock_of_the_host(tmp_path: Path) -> None:
    catalog = create_catalog(str(tmp_path / "c.db"))
    hub, other = (
        tocsin.Hub(lateness="0s", catalog=catalog),
        tocsin.Hub(lateness="0s", catalog=catalog),
    )
    hub.publish(event("2026-01-01T00:00:00Z"))
    catalog.add(Subscription("s", "opsl", HAPPENS.format(LAST_CENTURY)))
    hub.refresh()
    other.refresh()
    assert [letter.code for letter in hub.dead_letters] == ["WindowInPast"]
    assert list(other.dead_letters) == []
    other.publish(event("1999-12-31T23:00:01Z", "b"))
    assert [match.subscription for match in other.advance_to("1999-12-31T23:00:02Z")] == ["s"]
