"""A subscription is read once: by a command, by the hub, by whoever puts it into a catalog; those who
take it over load its plan.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import tocsin
from tocsin.catalog import (
    Catalog,
    Definition,
    Subscription,
    Surroundings,
    compile_subscription,
    create_catalog,
    with_plan,
)
from tocsin.catalog.compiling import effects_of
from tocsin.cli.main import app
from tocsin.errors import Problem
from tocsin.languages import epcis
from tocsin.languages.base.parsing import Parser

TEXTS = {
    "selector": "price < 400",
    "opsl": '(ARITH: id = 7) && @(Yard)Truck && selector{ kind = "x" }',
    "graph": "ASK { _:H <urn:target> ?1 . }",
    "concept": "exists bizStep.{shipping} Before ObjectEvent",
    "exmlql": "WHERE <order><id>$x</></> CONSTRUCT <result>$x</>",
    "rule": "WHEN left THEN NO arrived WITHIN 2h AND COUNT(login) >= 3 OVER 5m FOR EACH user",
    "epcis": '{"EQ_bizStep": ["shipping"]}',
}
YARD = {"define": "Yard", "region": "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))"}
TRUCK = {"define": "Truck", "language": "opsl", "expression": "STRING: type = 'truck'"}
LINES = [
    YARD,
    TRUCK,
    *({"id": name, "language": name, "expression": text} for name, text in TEXTS.items()),
]
DEFINITIONS = (Definition.from_json(YARD), Definition.from_json(TRUCK))
SUBSCRIPTIONS = [Subscription(name, name, text) for name, text in TEXTS.items()]
EVENT = {"id": "1", "source": "s", "type": "t", "time": "2026-01-01T00:00:00Z", "data": {"a": 1}}
INSIDE = ' kind = "x" '
ONCE = {
    **{text: 1 for name, text in TEXTS.items() if name != "opsl"},
    TEXTS["opsl"].replace(INSIDE, " " * len(INSIDE)): 1,
    INSIDE: 1,
    TRUCK["expression"]: 1,
}
"""What stands in braces is blank to the language around it, and a text of its own."""


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each text was read."""
    counted: Counter[str] = Counter()
    read, read_query = Parser.read, epcis.read  # type: ignore[attr-defined]

    def counting(parser: Parser, text: str) -> Any:
        counted[text] += 1
        return read(parser, text)

    def counting_query(text: str) -> Any:
        counted[text] += 1
        return read_query(text)

    monkeypatch.setattr(Parser, "read", counting)
    monkeypatch.setattr(epcis, "read", counting_query)
    return counted


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    subscriptions, events = tmp_path / "subscriptions.jsonl", tmp_path / "events.jsonl"
    subscriptions.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    events.write_text(json.dumps(EVENT) + "\n")
    return str(subscriptions), str(events)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return create_catalog(str(tmp_path / "catalog.db"))


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_match_reads_each_text_once(
    engine: str, files: tuple[str, str], parsed: Counter[str]
) -> None:
    run("match", *files, "--engine", engine)
    assert parsed == ONCE


def test_explain_reads_each_text_once(files: tuple[str, str], parsed: Counter[str]) -> None:
    run("explain", files[0], "--event", files[1])
    assert parsed == ONCE
    parsed.clear()
    assert "<result>$x</>" in run("explain", files[0], "--id", "exmlql", "--as", "xml-ql")
    assert parsed == ONCE


def test_check_reads_each_text_once_problems_warnings_and_plans_included(
    files: tuple[str, str], parsed: Counter[str]
) -> None:
    run("check", files[0])
    used, looked_at = 1, 1
    assert parsed == {**ONCE, TRUCK["expression"]: used + looked_at}


def test_verify_reads_each_text_once(files: tuple[str, str], parsed: Counter[str]) -> None:
    run("verify", *files)
    assert parsed == ONCE


@pytest.mark.parametrize("name", TEXTS)
def test_the_hub_reads_a_text_once(name: str, parsed: Counter[str]) -> None:
    hub = tocsin.Hub()
    hub.define(*DEFINITIONS)
    hub.subscribe(TEXTS[name], language=name)
    assert set(parsed.values()) == {1}


def test_a_hub_with_a_catalog_hands_the_plan_on(catalog: Catalog, parsed: Counter[str]) -> None:
    catalog.add(*DEFINITIONS)
    hub = tocsin.Hub(catalog=catalog)
    for name, text in TEXTS.items():
        hub.subscribe(text, language=name, id=name)
    assert parsed == ONCE
    tocsin.Hub(catalog=catalog).publish(EVENT)
    assert parsed == ONCE


def test_a_catalog_gives_plans_along_with_texts(catalog: Catalog, parsed: Counter[str]) -> None:
    catalog.add(*DEFINITIONS, *SUBSCRIPTIONS)
    assert parsed == ONCE
    held = catalog.snapshot()
    assert held.subscriptions == tuple(SUBSCRIPTIONS)
    light = Surroundings.of(held.definitions)
    loaded = [compile_subscription(each, light) for each in held.subscriptions]
    assert parsed == ONCE
    assert loaded == [compile_subscription(each, DEFINITIONS) for each in SUBSCRIPTIONS]


def test_the_command_puts_what_it_compiled_into_the_catalog(
    files: tuple[str, str], tmp_path: Path, parsed: Counter[str]
) -> None:
    run("catalog", "create", str(tmp_path / "c.db"), files[0])
    assert parsed == ONCE


def test_effects_of_other_definitions_need_the_texts_once(
    catalog: Catalog, parsed: Counter[str]
) -> None:
    catalog.add(*DEFINITIONS, *SUBSCRIPTIONS)
    parsed.clear()
    held = catalog.snapshot()
    wider = (Definition("Yard", region="POLYGON((0 0, 20 0, 20 20, 0 20, 0 0))"), DEFINITIONS[1])
    effects = effects_of(held.subscriptions, held.definitions, wider)
    assert [each.id for each in effects.changed] == ["opsl"]
    assert set(parsed.values()) == {1}


# What a stored plan is good for


def origin_of(subscription: Subscription) -> str:
    assert subscription.stored is not None
    return subscription.stored.origin


def test_another_text_setting_or_definition_is_another_plan(parsed: Counter[str]) -> None:
    held = with_plan(Subscription("s", "opsl", "@(Yard)Truck"), DEFINITIONS)
    parsed.clear()
    plan = compile_subscription(held, DEFINITIONS)
    assert not parsed
    other = Subscription("s", "opsl", "Truck && @(Yard)Truck", stored=held.stored)
    assert compile_subscription(other, DEFINITIONS) != plan
    slower = Subscription("s", "opsl", "@(Yard)Truck", horizon="off", stored=held.stored)
    assert compile_subscription(slower, DEFINITIONS).pattern == plan.pattern
    wider = (Definition("Yard", region="POLYGON((0 0, 20 0, 20 20, 0 20, 0 0))"), DEFINITIONS[1])
    assert compile_subscription(held, wider) != plan
    with pytest.raises(Problem, match="Yard"):
        compile_subscription(held, ())
    assert parsed["@(Yard)Truck"] == 3


def test_a_tenant_has_the_plan_of_its_own_definitions(catalog: Catalog) -> None:
    own = Definition("t::Truck", language="opsl", expression="STRING: type = 'lorry'")
    others = Subscription("u::s", "opsl", "Truck")
    mine = Subscription("t::s", "opsl", "Truck")
    catalog.add(*DEFINITIONS, own, mine, others)
    held = catalog.snapshot()
    light = Surroundings.of(held.definitions)
    stored = {each.id: compile_subscription(each, light) for each in held.subscriptions}
    assert stored == {
        each.id: compile_subscription(each, held.definitions) for each in (mine, others)
    }
    assert stored["t::s"] != stored["u::s"]


def test_definitions_of_a_tenant_leave_the_plans_of_others(
    catalog: Catalog, parsed: Counter[str]
) -> None:
    mine, others = (Subscription(f"{each}::s", "opsl", "Truck") for each in "tu")
    catalog.add(*DEFINITIONS, mine, others)
    catalog.add(Definition("t::Truck", language="opsl", expression="STRING: type = 'lorry'"))
    held, read = catalog.snapshot(), {}
    light = Surroundings.of(held.definitions)
    for each in held.subscriptions:
        parsed.clear()
        compile_subscription(each, light)
        read[each.id] = dict(parsed)
    assert read == {"t::s": {"Truck": 1, "STRING: type = 'lorry'": 1}, "u::s": {}}


def test_what_is_said_beside_a_rule_is_another_plan() -> None:
    text = "WHEN a THEN b"
    held = with_plan(Subscription("s", "rule", text))
    for beside in ({"policy": "recent"}, {"horizon": "5m"}):
        asked = Subscription("s", "rule", text, stored=held.stored, **beside)
        fresh = Subscription("s", "rule", text, **beside)
        assert compile_subscription(asked) == compile_subscription(fresh)
        assert compile_subscription(asked) != compile_subscription(held)


@pytest.mark.parametrize(
    "wire",
    ["", "no JSON", "[]", '{"tocsin-plan":0}', '{"tocsin-plan":1,"plan":{"set":5}}', "{" * 9999],
)
def test_a_plan_that_cannot_be_read_is_compiled_anew(wire: str) -> None:
    held = with_plan(Subscription("s", "selector", "a = 1"))
    damaged = Subscription(
        "s", "selector", "a = 1", stored=type(held.stored)(origin_of(held), wire)
    )
    assert compile_subscription(damaged) == compile_subscription(
        Subscription("s", "selector", "a = 1")
    )


def test_a_plan_of_another_version_of_the_package_is_compiled_anew(
    monkeypatch: pytest.MonkeyPatch, parsed: Counter[str]
) -> None:
    held = with_plan(Subscription("s", "selector", "a = 1"))
    monkeypatch.setattr("tocsin.catalog.stored_plans._MAKER", "0.0.1 1 ")
    compile_subscription(held)
    assert parsed["a = 1"] == 2


def test_a_catalog_of_old_is_read_by_compiling_and_keeps_plans_from_the_next_change_on(
    catalog: Catalog, tmp_path: Path
) -> None:
    catalog.add(Subscription("old", "selector", "a = 1"))
    with sqlite3.connect(tmp_path / "catalog.db") as connection:
        connection.execute("drop table tocsin_plan")
        connection.execute("drop table tocsin_schema_catalog")
    again = Catalog(catalog.url)
    (old,) = again.snapshot().subscriptions
    assert (old.expression, old.stored) == ("a = 1", None)
    again.remove("old")
    again.add(Subscription("new", "selector", "a = 2"))
    (new,) = again.snapshot().subscriptions
    assert new.stored is not None
    assert again.changes(0, 1).added[0].stored is None


def test_what_does_not_compile_is_kept_without_a_plan(catalog: Catalog) -> None:
    catalog.add(Subscription("wrong", "selector", "a >"), Subscription("good", "selector", "a = 1"))
    wrong, good = catalog.snapshot().subscriptions
    assert (wrong.stored, good.stored is None) == (None, False)


def test_a_plan_is_no_part_of_what_a_subscription_says() -> None:
    plain = Subscription("s", "selector", "a = 1")
    held = with_plan(plain)
    assert held == plain
    assert held.as_json() == plain.as_json()
    assert "wire" not in repr(held)
    with pytest.raises(Problem, match="unknown member 'stored'"):
        Subscription.from_json({**plain.as_json(), "stored": {}})
