"""The benchmark of XML blocks: its blocks are what their texts say, its XPath expressions mean the
same, it runs.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tocsin_benchmarks import app
from tocsin_benchmarks.xml import paper as xml_paper
from tocsin_benchmarks.xml import trial as xml_trial
from tocsin_benchmarks.xml import workload as xml_workload
from tocsin_benchmarks.xml.trial import run
from tocsin_benchmarks.xml.workload import XmlWorkload
from typer.testing import CliRunner

from tests.languages.exmlql.asking import block_of
from tocsin.events.views.document import XPath
from tocsin.reference.blocks import holds


def test_blocks_are_what_their_texts_say() -> None:
    for asked in XmlWorkload(12, 2_000, 1).asked():
        assert block_of(asked.text) == asked.block


def test_documents_have_about_the_size_that_is_asked_for() -> None:
    for size in (2_000, 50_000):
        for event in XmlWorkload(1, size, 1).events(3):
            assert 0.9 * size < len(str(event.data)) < 1.1 * size


def test_the_baseline_means_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """With few articles and customers, so that blocks really match."""
    for name in ("ARTICLES", "CUSTOMERS", "WAREHOUSES"):
        monkeypatch.setattr(xml_workload, name, 3)
    workload = XmlWorkload(40, 1_000, 2)
    found = {True: 0, False: 0}
    for event in workload.events(6):
        for asked in workload.asked():
            expected = XPath(asked.xpath, {}).select(event.document)
            assert holds(asked.block, event) is expected
            found[bool(expected)] += 1
    assert min(found.values()) > 20


def test_a_trial_has_all_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_trial, "BASELINE_BLOCKS", 10)
    monkeypatch.setattr(xml_trial, "LIMIT_SECONDS", 0.01)
    figures = run({"blocks": 30, "bytes": 1_000, "documents": 3, "seed": 1})
    assert figures["same_matches"]
    assert figures["baseline_blocks"] == 10


def test_a_tiny_run_saves_figures_and_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the package has a function of the same name
    command = sys.modules["tocsin_benchmarks.xml.command"]
    monkeypatch.setattr(command, "run_module", lambda _, request: run(request))
    monkeypatch.setattr(xml_trial, "LIMIT_SECONDS", 0.01)
    monkeypatch.setattr("tocsin_benchmarks.harness.output.plotted", lambda *_: "no plot")
    arguments = [
        "xml",
        "--part",
        "blocks",
        "--sizes",
        "20",
        "--document",
        "1000",
        "--output",
        str(tmp_path),
    ]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    assert "XML blocks" in done.stdout
    assert "Both find the same matches" in done.stdout
    assert json.loads((tmp_path / "results.json").read_text())["trials"][0]["distinct"] == 20


def test_the_papers_experiment_agrees_with_a_plain_loop() -> None:
    figures = xml_paper.run({"keys": 20, "orders": 2, "seed": 3})
    assert figures["same_matches"]
    assert figures["order_matters"]
    for counts in figures["counts"]:
        assert counts == sorted(counts)
        assert counts[-1] > 0
    table = xml_paper.paper_table([figures]).markdown()
    assert "The plain loop over all pairs agrees." in table
    assert "| paper | 3 | 7 | 9 | 14 | 21 | - |" in table
