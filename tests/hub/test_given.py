"""What callers give a Hub by habit: datetimes, numbers, lists. It is taken, or the problem shows
the way out.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

import tocsin
from tests.builders import event_json
from tocsin.catalog import open_catalog
from tocsin.errors import MeaningProblem, Problem

EIGHT = datetime(2026, 1, 1, 8, tzinfo=UTC)


def event(**fields: Any) -> dict[str, Any]:
    return event_json(**{"type": "offer", "source": "shop"} | fields)


def test_a_datetime_is_taken_where_an_instant_is_expected() -> None:
    hub = tocsin.Hub(lateness=timedelta(seconds=2))
    hub.subscribe("a = 1", id="all")
    there = EIGHT.astimezone(timezone(timedelta(hours=2)))
    (match,) = hub.publish(event(time=there, endtime=EIGHT + timedelta(hours=1), data={"a": 1}))
    told = match.as_json()
    assert (told["start"], told["end"]) == ("2026-01-01T08:00:00Z", "2026-01-01T09:00:00Z")
    hub.advance_to(EIGHT + timedelta(hours=2))
    hub.publish(event(id="late", time=EIGHT))
    assert hub.dead_letters[-1].code == "LateEvent"


def test_a_datetime_and_a_date_in_data_are_texts_as_json_has_them() -> None:
    hub = tocsin.Hub()
    hub.subscribe("at = '2026-01-01T08:00:00Z' AND day = '2026-01-01'", id="s")
    assert len(hub.publish(event(data={"at": EIGHT, "day": date(2026, 1, 1)}))) == 1


def test_an_epcis_event_in_memory_may_have_datetimes() -> None:
    hub = tocsin.Hub()
    hub.subscribe("action = 'OBSERVE'", id="s")
    body = {
        "type": "ObjectEvent",
        "eventID": "urn:uuid:1",
        "eventTime": EIGHT,
        "eventTimeZoneOffset": "+00:00",
        "epcList": [],
        "action": "OBSERVE",
    }
    (match,) = hub.publish(body)
    assert match.as_json()["start"] == "2026-01-01T08:00:00Z"


def test_a_datetime_without_a_zone_is_a_dead_letter_that_says_so() -> None:
    hub = tocsin.Hub()
    assert hub.publish(event(time=datetime(2026, 1, 1, 8))) == []
    assert "no zone" in hub.dead_letters[-1].reason
    assert "tzinfo=UTC" in hub.dead_letters[-1].reason


@pytest.mark.parametrize("given", [[event()], (event(),), {"e"}, iter([event()]), 5, None])
def test_publish_takes_events_one_by_one(given: Any) -> None:
    hub = tocsin.Hub()
    hub.subscribe("", id="all")
    with pytest.raises(MeaningProblem) as raised:
        hub.publish(event(id="before"), given)
    assert raised.value.code == "PublishError"
    assert "hub.publish(*events)" in raised.value.hint
    assert hub.counts.events == 0


def test_a_lateness_needs_a_unit() -> None:
    with pytest.raises(Problem, match='"5s"'):
        tocsin.Hub(lateness=5)  # type: ignore[arg-type]


def without(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    """As if the library were not installed."""
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def refusing(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == library:
            raise ModuleNotFoundError(f"No module named {library!r}", name=library)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refusing)


def test_without_psycopg_the_problem_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "psycopg")
    with pytest.raises(MeaningProblem) as raised:
        open_catalog("postgresql+psycopg://user@127.0.0.1/db")
    assert "pip install 'tocsin[postgresql]'" in raised.value.hint


def test_without_pyspark_the_import_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [
        name for name in sys.modules if name == "tocsin.spark" or name.startswith("tocsin.spark")
    ]:
        monkeypatch.delitem(sys.modules, name)
    without(monkeypatch, "pyspark")
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'tocsin\[spark\]'"):
        importlib.import_module("tocsin.spark")
