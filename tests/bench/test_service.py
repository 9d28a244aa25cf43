"""`tocsin bench service`: the subscriptions compile, the events ring as they should, and a run of a
moment measures what it says.
"""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest
from tocsin_benchmarks import app
from tocsin_benchmarks.service.command import table_of
from tocsin_benchmarks.service.trial import Rate, middle_and_end, waits
from tocsin_benchmarks.service.workload import EVERY, ServiceWorkload
from typer.testing import CliRunner

from tocsin.catalog import Subscription, compile_subscription
from tocsin.events.codecs.base.cloudevents import decode


def test_subscriptions_compile_and_are_as_many_as_asked() -> None:
    bodies = list(ServiceWorkload(20, 30).subscriptions())
    for body in bodies:
        compile_subscription(Subscription.from_json(body))
    languages = [body["language"] for body in bodies]
    assert (languages.count("selector"), languages.count("opsl")) == (20, 30)
    assert len({body["id"] for body in bodies}) == 50


def test_lines_are_events_of_their_time_and_one_in_so_many_is_a_probe() -> None:
    lines = list(islice(ServiceWorkload(10, 10).lines("a"), 3 * EVERY))
    events = [decode(line.at(1_767_225_600_000_000)) for line in lines]
    assert [bool(event.data.get("probe")) for event in events] == [  # type: ignore[attr-defined]
        line.is_probe for line in lines
    ]
    assert sum(line.is_probe for line in lines) == 3
    assert {event.envelope["time"] for event in events} == {"2026-01-01T00:00:00Z"}
    others = islice(ServiceWorkload(10, 10).lines("b"), 3 * EVERY)
    assert not {line.id for line in lines} & {line.id for line in others}


def test_waits_are_of_what_arrived() -> None:
    assert waits({"a": 1.0, "b": 2.0}, {"a": 1.5, "c": 9.0}) == [0.5]
    assert middle_and_end([float(number) for number in range(101)]) == (50.0, 99.0)
    assert middle_and_end([1.0]) is None


def test_the_table_has_a_row_for_each_rate() -> None:
    rate = Rate(1000, 100, 999.0, 0, (0.01, 0.02), (0.03, 0.04), None, 7, 0, True)
    saved = {"selectors": 1, "composites": 1, "engine": "local", "seconds": 5, "through": "HTTP"}
    [row] = table_of([rate], saved).rows
    assert row[:5] == ("1,000", "100", "999", "10.0 ms", "20.0 ms")
    assert row[-4:] == ("-", "-", "7", "yes")


def test_a_run_of_a_moment_measures_a_real_service(tmp_path: Path) -> None:
    words = "service --rates 100 --batch 10 --seconds 3 --selectors 5 --composites 4"
    done = CliRunner().invoke(app, [*words.split(), "--output", str(tmp_path)])
    assert done.exit_code == 0, done.output
    [rate] = json.loads((tmp_path / "results.json").read_text())["rates"]
    assert rate["refused"] == rate["lost"] == 0
    assert rate["accepted"] > 0
    assert 0 < rate["stream"][0] <= rate["stream"][1]
    assert 0 < rate["webhook"][0] <= rate["webhook"][1]
    assert "### Service" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize("rates", ["", "fast", "1,,2"])
def test_rates_are_numbers(rates: str) -> None:
    assert CliRunner().invoke(app, ["service", "--rates", rates or ","]).exit_code == 2
