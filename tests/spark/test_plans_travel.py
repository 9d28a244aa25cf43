"""The driver compiles, once; match tasks and shards load the plans that travel with the texts."""

from __future__ import annotations

import json
import pickle
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tocsin.catalog import Definition, Subscription, create_catalog
from tocsin.languages.base.parsing import Parser
from tocsin.spark.plans.plan_cache import MatchIndexCache
from tocsin.spark.plans.shard_plans import ShardPlans
from tocsin.spark.plans.sources import FixedList, LiveCatalog, snapshot_of, source_of
from tocsin.spark.query.outgoing_events import constructs_any

YARD = Definition("Yard", region="POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))")
ATOM = Subscription("atom", "selector", "price < 400")
GRAPH = Subscription("graph", "graph", "ASK { _:H <urn:target> ?1 . }")
PAIR = Subscription("pair", "opsl", "(ARITH: id = 1) && @(Yard)(ARITH: id = 2)")
BUILT = Subscription("built", "exmlql", "WHERE <order><id>$x</></> CONSTRUCT <result>$x</>")
ENTRIES = [YARD, ATOM, GRAPH, PAIR, BUILT]
ONCE = {each.expression: 1 for each in (ATOM, GRAPH, PAIR, BUILT)}


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each text was read."""
    counted: Counter[str] = Counter()
    read = Parser.read

    def counting(parser: Parser, text: str) -> Any:
        counted[text] += 1
        return read(parser, text)

    monkeypatch.setattr(Parser, "read", counting)
    return counted


def test_a_fixed_list_is_parsed_once_by_the_driver_and_never_by_the_tasks(
    parsed: Counter[str],
) -> None:
    source = source_of(ENTRIES)
    held = snapshot_of(source)
    assert constructs_any(held)
    assert parsed == ONCE
    shipped = pickle.loads(pickle.dumps(source))
    index = MatchIndexCache().at(shipped, 0, detects=True)
    assert sorted(index.plans()) == ["atom", "built", "graph", "pair"]
    shards = [ShardPlans(number, 2) for number in range(2)]
    for shard in shards:
        assert shard.move_to(shipped.snapshot(0)) == []
    assert sorted(id for shard in shards for id in shard.plans()) == ["pair"]
    assert parsed == ONCE
    assert held.subscriptions == (ATOM, GRAPH, PAIR, BUILT)


def test_a_live_catalog_is_parsed_by_whoever_fills_it(tmp_path: Path, parsed: Counter[str]) -> None:
    catalog = create_catalog(str(tmp_path / "catalog.db"))
    catalog.add(*ENTRIES)
    indexes, source = MatchIndexCache(), LiveCatalog(catalog.url)
    index = indexes.at(source, 1, detects=True)
    assert (len(index.engine), parsed) == (4, ONCE)
    catalog.add(Subscription("more", "selector", "price < 5"))
    assert indexes.at(source, 2, detects=True) is index
    assert (len(index.engine), parsed["price < 5"]) == (5, 1)
    assert [each.id for each in index.subscriptions][-1] == "more"


def test_a_worker_that_follows_a_catalog_holds_what_a_new_one_would(tmp_path: Path) -> None:
    catalog = create_catalog(str(tmp_path / "catalog.db"))
    source, following = LiveCatalog(catalog.url), MatchIndexCache()
    steps = [
        lambda: catalog.add(ATOM, Subscription("wrong", "selector", "a >")),
        lambda: catalog.replace(Subscription("atom", "selector", "price < 1")),
        lambda: catalog.remove("atom"),
        lambda: catalog.add(ATOM, YARD),
        lambda: catalog.replace(Subscription("wrong", "selector", "a > 1")),
        lambda: catalog.remove(definitions=["Yard"]),
    ]
    versions = [step() for step in steps]
    for version in (*versions, *reversed(versions)):
        index, new = following.at(source, version), MatchIndexCache().at(source, version)
        assert index.plans() == new.plans()
        held, expected = ({each.id: each for each in one.subscriptions} for one in (index, new))
        assert held == expected
        assert list(index.problems) == list(new.problems)


def test_a_list_of_old_without_plans_is_compiled() -> None:
    bodies = zlib.compress(json.dumps([each.as_json() for each in ENTRIES]).encode())  # type: ignore[attr-defined]
    old = FixedList("list of old", bodies)
    assert old.snapshot(0) == source_of(ENTRIES).snapshot(0)
    assert len(MatchIndexCache().at(old, 0, detects=True).engine) == 4
