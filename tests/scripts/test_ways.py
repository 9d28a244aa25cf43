"""The files that an event runs through: few enough that one person can read them."""

from __future__ import annotations

from scripts.ways import files_of_event, files_of_rule, record_files
from tocsin.values.time import parse_duration


def test_an_event_runs_through_few_files() -> None:
    files = files_of_event()
    assert len(files) <= 30, files
    assert {"hub/hub.py", "engine/engine.py", "hub/mailbox.py"} <= set(files)


def test_the_second_event_of_a_rule_runs_through_few_files() -> None:
    files = files_of_rule()
    assert len(files) <= 42, files
    assert {"engine/detection/sequence.py", "plan/semantics/match_rendering.py"} <= set(files)


def test_a_file_counts_when_one_of_its_functions_is_called() -> None:
    with record_files() as files:
        assert parse_duration("1s") == 1_000_000
    assert files == {"values/time.py"}
