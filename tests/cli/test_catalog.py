"""`tocsin catalog`: what is created, added, replaced, removed, listed and shown, and what is
refused beforehand.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tocsin.catalog import open_catalog
from tocsin.cli.main import run


class Done(NamedTuple):
    status: int
    out: str
    err: str


Call = Callable[..., Done]

STEPS = "transporting := shipping or {rail};"
ENTRIES: list[dict[str, Any]] = [
    {"define": "Gate", "region": "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0))"},
    {"define": "Cheap", "language": "opsl", "expression": "ARITH: price < 9"},
    {"id": "cars", "language": "opsl", "expression": "@(Gate)selector{ kind = 'car' }"},
    {"id": "plain", "language": "selector", "expression": "price > 1"},
]
PALLETS = {"id": "pallets", "language": "concept", "expression": "exists step.transporting"}


@pytest.fixture
def call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Call:
    monkeypatch.chdir(tmp_path)

    def tocsin(*words: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["tocsin", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            run()
        shown = capsys.readouterr()
        return Done(int(ended.value.code or 0), shown.out, shown.err)

    return tocsin


def file(name: str, *entries: dict[str, Any]) -> str:
    Path(name).write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return name


@pytest.fixture
def store(call: Call) -> str:
    assert call("catalog", "create", "c.db", file("all.jsonl", *ENTRIES)).status == 0
    return "c.db"


def test_only_create_makes_a_store(call: Call) -> None:
    given = file("some.jsonl", ENTRIES[-1])
    for words in (
        ("add", "c.db", given),
        ("replace", "c.db", given),
        ("remove", "c.db", "x"),
        ("list", "c.db"),
    ):
        done = call("catalog", *words)
        assert done.status == 1
        assert "there is no catalog" in done.err
        assert "tocsin catalog create c.db" in done.err
    assert not Path("c.db").exists()
    assert call("catalog", "create", "c.db").status == 0
    again = call("catalog", "create", "c.db")
    assert (again.status, "already" in again.err) == (1, True)


def test_a_wrong_file_makes_no_store(call: Call) -> None:
    done = call(
        "catalog",
        "create",
        "c.db",
        file("bad.jsonl", {"id": "x", "language": "selector", "expression": "a ="}),
    )
    assert done.status == 1
    assert not Path("c.db").exists()


def test_both_kinds_are_listed_and_shown_whole(call: Call, store: str) -> None:
    Path("steps.tbox").write_text(STEPS)
    assert call("catalog", "add", store, "--ontology", "steps.tbox").status == 0
    listed = [json.loads(line) for line in call("catalog", "list", store).out.splitlines()]
    ontology = {"define": "steps.tbox", "format": "text/x-tbox", "characters": len(STEPS)}
    assert listed == [*ENTRIES[:2], ontology, *ENTRIES[2:]]
    of_kind = [
        call("catalog", "list", store, "--kind", kind).out
        for kind in ("definition", "subscription")
    ]
    assert [text.count("\n") for text in of_kind] == [3, 2]
    assert json.loads(call("catalog", "show", store, "steps.tbox").out)["ontology"] == STEPS
    both = [
        json.loads(line) for line in call("catalog", "show", store, "cars", "Gate").out.splitlines()
    ]
    assert both == [ENTRIES[2], ENTRIES[0]]
    missing = call("catalog", "show", store, "cras")
    assert (missing.status, "'cras'" in missing.err) == (1, True)
    assert len(call("catalog", "list", store, "--version", 0).out) == 0


def test_what_show_gives_can_be_added_elsewhere(call: Call, store: str) -> None:
    Path("copy.jsonl").write_text(call("catalog", "show", store).out)
    assert call("catalog", "create", "d.db", "copy.jsonl").status == 0
    assert open_catalog("d.db").snapshot() == open_catalog("c.db").snapshot()


def test_a_file_may_use_what_the_catalog_defines(call: Call, store: str) -> None:
    more = {"id": "vans", "language": "opsl", "expression": "@(Gate)selector{ kind = 'van' }"}
    assert call("catalog", "add", store, file("more.jsonl", more)).status == 0
    wrong = {"id": "buses", "language": "opsl", "expression": "@(Gaet)selector{ kind = 'bus' }"}
    done = call("catalog", "add", store, file("wrong.jsonl", wrong))
    assert done.status == 1
    assert "wrong.jsonl: line 1 (buses)" in done.err
    assert "Gaet" in done.err


def test_replacing_is_one_version_and_takes_known_names_only(call: Call, store: str) -> None:
    gate = {"define": "Gate", "region": "POLYGON ((0 0, 5 0, 5 5, 0 5, 0 0))"}
    plain = {**ENTRIES[3], "expression": "price > 2"}
    done = call("catalog", "replace", store, file("new.jsonl", plain, gate))
    assert done.status == 0
    assert done.out == "changes cars: it means something else\n"
    snapshot = open_catalog(store).snapshot()
    assert snapshot.version == 2
    assert [each.as_json() for each in (*snapshot.definitions, *snapshot.subscriptions)] == [  # type: ignore[attr-defined]
        gate,
        ENTRIES[1],
        ENTRIES[2],
        plain,
    ]
    refused = call(
        "catalog", "replace", store, file("unknown.jsonl", {**plain, "id": "plane"}, plain)
    )
    assert refused.status == 1
    assert "'plane'" in refused.err
    assert "catalog add" in refused.err
    assert open_catalog(store).version() == 2


def test_nothing_breaks_unless_it_is_forced(call: Call, store: str) -> None:
    Path("steps.tbox").write_text(STEPS)
    assert (
        call("catalog", "add", store, file("p.jsonl", PALLETS), "--ontology", "steps.tbox").status
        == 0
    )
    Path("steps.tbox").write_text("moving := shipping;")
    for extra in ((), ("--dry-run",)):
        done = call("catalog", "replace", store, "--ontology", "steps.tbox", *extra)
        assert done.status == 1
        assert "breaks pallets: UNKNOWN_NAME" in done.out
        assert "'transporting'" in done.out
        assert "TBOX_CHANGED_INCOMPATIBLE" in done.err
        assert "--force" in done.err
    assert open_catalog(store).version() == 2
    tried = call("catalog", "replace", store, "--ontology", "steps.tbox", "--force", "--dry-run")
    assert (tried.status, open_catalog(store).version()) == (0, 2)
    assert call("catalog", "replace", store, "--ontology", "steps.tbox", "--force").status == 0
    Path("steps.tbox").write_text(STEPS)
    healed = call("catalog", "replace", store, "--ontology", "steps.tbox")
    assert (healed.status, healed.out) == (0, "heals pallets: it compiles again\n")


def test_a_definition_in_use_is_removed_with_its_users_or_by_force(call: Call, store: str) -> None:
    refused = call("catalog", "remove", store, "Gate")
    assert refused.status == 1
    assert "breaks cars" in refused.out
    assert "DefinitionInUse" in refused.err
    assert call("catalog", "remove", store, "Cheap").status == 0
    assert call("catalog", "remove", store, "Gate", "cars").status == 0
    assert [json.loads(line)["id"] for line in call("catalog", "list", store).out.splitlines()] == [
        "plain"
    ]


def test_a_name_of_both_kinds_needs_the_kind(call: Call, store: str) -> None:
    both = {"id": "Cheap", "language": "selector", "expression": "a = 1"}
    assert call("catalog", "add", store, file("both.jsonl", both)).status == 0
    unclear = call("catalog", "remove", store, "Cheap")
    assert (unclear.status, "--kind" in unclear.err) == (1, True)
    assert call("catalog", "remove", store, "Cheap", "--kind", "subscription").status == 0
    assert [each.name for each in open_catalog(store).snapshot().definitions] == ["Gate", "Cheap"]


def test_a_contradicting_ontology_is_refused(call: Call, store: str) -> None:
    Path("one.tbox").write_text("t := a;")
    Path("two.tbox").write_text("t := b;")
    assert call("catalog", "add", store, "--ontology", "one.tbox").status == 0
    done = call("catalog", "add", store, "--ontology", "two.tbox")
    assert done.status == 1
    assert "TBOX_REDEFINED" in done.err
    assert "two.tbox" in done.err


def test_nothing_to_take_over_is_said(call: Call, store: str) -> None:
    done = call("catalog", "add", store)
    assert (done.status, "--ontology FILE" in done.err) == (1, True)
