"""The RFID benchmark: the workload is the one that is defined, runs repeat, and both sides find the
same.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tocsin_benchmarks import app
from tocsin_benchmarks.rfid.command import FIGURE, Series, tables_of
from tocsin_benchmarks.rfid.plot import fit_of, lines_of
from tocsin_benchmarks.rfid.trial import run
from tocsin_benchmarks.rfid.workload import ROLES, TAXONOMIES, TYPES, RfidWorkload
from typer.testing import CliRunner

from tocsin.knowledge.concepts.concept import Disjunction, Enumeration
from tocsin.languages.concept import tbox_of_text
from tocsin.plan.nodes.composites import Absence, Either, Join, parts_of
from tocsin.plan.nodes.concepts import ConceptTest


def test_the_taxonomies_have_the_depth_and_width_of_the_definition() -> None:
    tbox = tbox_of_text(RfidWorkload(1, 1, 1).tbox_text)
    assert [len(level) for level in TAXONOMIES["step"].levels] == [1, 3, 9, 27, 81]
    assert [len(level) for level in TAXONOMIES["state"].levels] == [1, 5, 25]
    whole = tbox.expanded("step")
    assert isinstance(whole, Disjunction)
    assert len(whole.operands) == 81
    assert all(isinstance(leaf, Enumeration) and len(leaf.elements) == 3 for leaf in whole.operands)


def test_events_have_one_type_and_six_properties_a_second_apart() -> None:
    events = [json.loads(line) for line in RfidWorkload(1, 400, 7).lines()]
    assert {event["type"] for event in events} == set(TYPES)
    assert all(set(event["data"]) == set(ROLES) for event in events)
    lasting = sum(event["time"] != event["endtime"] for event in events)
    assert 50 <= lasting <= 110


def test_subscriptions_are_of_the_kinds_of_the_definition() -> None:
    workload = RfidWorkload(400, 1, 7)
    assert all(
        isinstance(workload.plan(text).pattern, ConceptTest) for text in workload.atomic_texts()
    )
    patterns = [workload.plan(text).pattern for text in workload.composite_texts()]
    absent = [
        each for each in patterns if any(isinstance(part, Absence) for part in parts_of(each))
    ]
    either = [each for each in patterns if isinstance(each, Either)]
    assert len([each for each in patterns if isinstance(each, Join)]) + len(either) == 400
    assert 20 <= len(absent) <= 60
    assert 20 <= len(either) <= 60


@pytest.mark.parametrize("series", list(Series))
def test_a_trial_gives_a_row(series: Series) -> None:
    figures = run({"series": series.value, "subscriptions": 20, "events": 60, "seed": 3})
    assert figures["served"] == 60
    assert figures.get("tableau_agrees", True)
    (table,) = tables_of([figures])
    assert table.rows[0][0] == "20"
    assert len(table.rows[0]) == len(table.header)


def test_figure_10_has_time_and_space_over_the_number_of_composites() -> None:
    trials = [
        run({"series": series, "subscriptions": count, "events": 40, "seed": 3})
        for series, count in (("composite", 20), ("atomic", 20), ("composite", 10))
    ]
    lines = lines_of(trials)
    assert {name: [count for count, _ in points] for name, points in lines.items()} == {
        "time": [10, 20],
        "subscriptions": [10, 20],
        "with a match": [10, 20],
    }
    assert all(value > 0 for points in lines.values() for _, value in points)
    prepared, whole = lines["subscriptions"], lines["with a match"]
    assert all(more >= alone for (_, more), (_, alone) in zip(whole, prepared, strict=True))
    assert [value for _, value in prepared] == sorted(value for _, value in prepared)


def test_the_fit_tells_lines_from_curves() -> None:
    assert fit_of([(n, 3 * n + 1) for n in range(5)]) == pytest.approx(1)
    assert fit_of([(n, 2**n) for n in range(8)]) < 0.9
    assert fit_of([(1, 5)]) == 1


def test_the_command_draws_the_figure(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    arguments = ["rfid", "--sizes", "5,10", "--events", "20", "--series", "composite", "--plot"]
    done = CliRunner().invoke(app, [*arguments, "--output", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert (tmp_path / FIGURE).read_bytes().startswith(b"\x89PNG")
    refused = CliRunner().invoke(app, ["rfid", "--series", "atomic", "--plot"])
    assert refused.exit_code == 2
