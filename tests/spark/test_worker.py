"""What a Python worker does, without Spark: versions of the index, and how rows become Arrow
batches.
"""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import event_text
from tests.spark.scenes import SUBSCRIPTIONS, expected, in_order, random_lines, selector
from tests.timelines import kind, patterns
from tocsin.catalog import Catalog, Definition, Snapshot, Subscription, create_catalog
from tocsin.engine.detection.scheduling.network import Network
from tocsin.errors import StateProblem
from tocsin.plan.nodes.composites import Part, Policy, Sliding
from tocsin.plan.nodes.expressions import Aggregate, Measure, Ring
from tocsin.spark.input.layout import JsonRows
from tocsin.spark.match_task import by_event
from tocsin.spark.match_task import match_task as worker
from tocsin.spark.match_task.by_event import ByEvent
from tocsin.spark.match_task.match_task import ByMatch, MatchTaskConfig
from tocsin.spark.match_task.reports import Reports, Task
from tocsin.spark.output.batches import matches_in
from tocsin.spark.plans.plan_cache import MatchIndex, MatchIndexCache, RoutedAtoms
from tocsin.spark.plans.sources import VERSION, FixedList, LiveCatalog, VersionTask, source_of


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return create_catalog(str(tmp_path / "catalog.db"))


def event_rows(*ids: str, version: int | None = None, **data: Any) -> Any:
    lines = [event_text(id, data=data).encode() for id in ids]
    columns = {"value": lines} | ({} if version is None else {VERSION: [version] * len(ids)})
    return pa.RecordBatch.from_pydict(columns)


def rung(matcher: ByMatch, rows: Any) -> list[str]:
    found = [row["match"] for batch in matcher(iter([rows])) for row in batch.to_pylist()]
    return sorted(match["subscription"] for match in found if match is not None)


def test_a_worker_serves_exactly_the_version_it_is_asked_for(catalog: Catalog) -> None:
    catalog.add(selector("a"), selector("b", "x = 1"))
    catalog.remove("a")
    catalog.add(selector("c"))
    catalog.remove("b")
    catalog.add(selector("b", "x = 2"))
    matcher = ByMatch(MatchTaskConfig(JsonRows(), LiveCatalog(catalog.url)))
    by_version = {0: [], 1: ["a", "b"], 2: ["b"], 3: ["b", "c"], 4: ["c"], 5: ["c"]}
    for version in (5, 1, 3, 3, 0, 4, 2, 5):
        assert rung(matcher, event_rows("e", version=version, x=1)) == by_version[version]
    assert rung(matcher, event_rows("e", version=5, x=2)) == ["b", "c"]


def test_moving_on_touches_only_what_changed(catalog: Catalog) -> None:
    catalog.add(*(selector(f"s{number}", f"a = {number}") for number in range(50)))
    indexes, source = MatchIndexCache(), LiveCatalog(catalog.url)
    index = indexes.at(source, 1)
    assert index.work == 50
    catalog.remove("s7")
    catalog.add(selector("new"))
    assert indexes.at(source, 3) is index
    assert index.work == 52
    assert len(index.engine) == 50


def test_a_new_receiver_is_no_new_plan_and_a_new_definition_is() -> None:
    index = MatchIndex()
    before = Subscription("s", "opsl", "ARITH: a = 1", subscriber="ann")
    index.move_to(Snapshot(1, (before,)))
    index.move_to(Snapshot(2, (Subscription("s", "opsl", "ARITH: a = 1", subscriber="bob"),)))
    assert index.work == 1
    index.move_to(Snapshot(3, (before,), (Definition("R", region="POINT (1 1)"),)))
    assert index.work == 3


def test_a_subscription_that_does_not_compile_leaves_the_others_alone() -> None:
    index = MatchIndex()
    index.move_to(Snapshot(1, (selector("wrong", "a >"), selector("right"))))
    assert list(index.problems) == ["wrong"]
    assert "right" in index.engine
    index.move_to(Snapshot(2, (selector("wrong", "a > 1"),)))
    assert not index.problems
    assert "wrong" in index.engine
    assert len(index.engine) == 1


def test_a_worker_keeps_few_sources() -> None:
    indexes = MatchIndexCache(kept=2)
    first, second, third = (FixedList.of([selector(name)]) for name in "abc")
    kept = indexes.at(first, 0)
    indexes.at(second, 0)
    assert indexes.at(first, 0) is kept
    indexes.at(third, 0)
    assert indexes.at(first, 0) is kept
    forgotten = indexes.at(second, 0)
    assert forgotten.work == 1


def test_a_catalog_that_lost_its_versions_is_another_catalog(catalog: Catalog) -> None:
    catalog.add(selector("a"))
    assert VersionTask(catalog.url, 1).version() == 1
    with pytest.raises(StateProblem, match="version 1"):
        VersionTask(catalog.url, 2).version()
    with pytest.raises(StateProblem, match="same database"):
        MatchIndexCache().at(LiveCatalog(catalog.url), 2)


def test_a_failing_move_forgets_the_index(catalog: Catalog) -> None:
    catalog.add(selector("a"))
    indexes, source = MatchIndexCache(), LiveCatalog(catalog.url)
    index = indexes.at(source, 1)
    with pytest.raises(StateProblem):
        indexes.at(source, 9)
    assert indexes.at(source, 1) is not index


def test_sources_travel_and_equal_lists_are_one_source() -> None:
    entries = [selector("a", "x = 1"), {"define": "R", "region": "POINT (1 1)"}]
    source = source_of(entries)
    assert pickle.loads(pickle.dumps(source)) == source
    assert source_of(list(entries)).key == source.key
    assert source_of([selector("a", "x = 2"), entries[1]]).key != source.key
    snapshot = source.snapshot(0)
    assert (snapshot.subscriptions, snapshot.definitions[0].name) == ((entries[0],), "R")


def test_problems_are_told_once_and_again_for_a_batch_tried_again() -> None:
    index = MatchIndex()
    index.move_to(Snapshot(1, (selector("wrong", "a >"),)))
    reports = Reports()
    told = [len(list(reports.due(Task("q", batch, 0), index))) for batch in ("7", "7", "8", "9")]
    assert told == [1, 1, 0, 0]
    assert len(list(reports.due(Task("other query", "9", 0), index))) == 1
    index.move_to(Snapshot(2, (selector("wrong", "a <"),)))
    assert len(list(reports.due(Task("q", "10", 0), index))) == 1


def test_a_replaced_definition_reaches_a_worker_and_touches_only_who_may_use_it(
    catalog: Catalog,
) -> None:
    def steps(text: str) -> Definition:
        return Definition("steps", ontology=text, media_type="text/x-tbox")

    pallets = Subscription("pallets", "concept", "exists step.moving")
    catalog.add(
        steps("moving := {rail};"),
        pallets,
        *(selector(f"s{number}", "x = 1") for number in range(9)),
    )
    catalog.replace(steps("moving := {rail, road};"))
    catalog.replace(steps("other := {rail};"))
    catalog.replace(steps("moving := {road};"))
    matcher = ByMatch(MatchTaskConfig(JsonRows(), LiveCatalog(catalog.url)))
    found = [
        rung(matcher, event_rows("e", version=version, step="road")) for version in (1, 2, 3, 4)
    ]
    assert found == [[], ["pallets"], [], ["pallets"]]
    indexes, source = MatchIndexCache(), LiveCatalog(catalog.url)
    first = indexes.at(source, 1).work
    assert indexes.at(source, 2).work == first + 2, "out and in again, and no selector"


def test_what_breaks_again_is_told_again() -> None:
    def at(version: int, text: str) -> Snapshot:
        known = Definition("steps", ontology=text, media_type="text/x-tbox")
        return Snapshot(
            version, (Subscription("pallets", "concept", "exists step.moving"),), (known,)
        )

    index, reports, told = MatchIndex(), Reports(), []
    for version, text in enumerate(("moving := a;", "other := a;", "moving := a;", "other := a;")):
        index.move_to(at(version, text))
        told.append([letter.token for letter in reports.due(Task("q", str(version), 0), index)])
    assert told == [[], ["moving"], [], ["moving"]]


@pytest.mark.parametrize("most", [1, 3, 7, 10_000])
def test_matches_come_in_portions(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(worker, "MAX_MATCHES", most)
    monkeypatch.setattr(by_event, "MAX_MATCHES", most)
    lines = random_lines(seed=3, count=40)
    rows = [
        pa.RecordBatch.from_pydict({"value": [line.encode() for line in some]})
        for some in (lines[:15], lines[15:])
    ]
    source = source_of(SUBSCRIPTIONS)
    batches = list(ByMatch(MatchTaskConfig(JsonRows(), source))(iter(rows)))
    assert in_order(matches_in(pa.Table.from_batches(batches))) == expected(lines)
    assert max(batch.num_rows for batch in batches) <= most
    rows_by_event = pa.Table.from_batches(
        ByEvent(MatchTaskConfig(JsonRows(), source), with_content=True)(iter(rows))
    )
    assert rows_by_event.num_rows == len(lines)
    flat = pa.table({"match": rows_by_event.column("matches").combine_chunks().flatten()})
    assert in_order(matches_in(flat)) == expected(lines)


def test_an_empty_batch_of_rows_is_passed_over() -> None:
    empty = event_rows()
    assert (
        list(ByMatch(MatchTaskConfig(JsonRows(), source_of([selector("a")])))(iter([empty]))) == []
    )


def test_what_an_xpath_would_cost_too_much_for_is_told_and_the_others_are_served() -> None:
    bomb = "//b/preceding-sibling::b[following-sibling::b/preceding-sibling::b]"
    source = source_of(
        [
            Subscription("bomb", "exmlql", f'WHERE XPATH "{bomb}"'),
            Subscription("other", "exmlql", 'WHERE XPATH "/r[//b]"'),
        ]
    )
    event = {"id": "1", "source": "s", "type": "t", "datacontenttype": "application/xml"}
    line = json.dumps({**event, "data": "<r>" + "<b/>" * 2000 + "</r>"}).encode()
    found = [
        row
        for batch in ByMatch(MatchTaskConfig(JsonRows(), source))(
            iter([pa.RecordBatch.from_pydict({"value": [line]})])
        )
        for row in batch.to_pylist()
    ]
    assert [row["match"]["subscription"] for row in found if row["match"]] == ["other"]
    assert [
        (row["dead_letter"]["code"], row["dead_letter"]["subscription"])
        for row in found
        if row["dead_letter"]
    ] == [("LIMIT", "bomb")]


def test_odd_events_are_served_and_told_once_in_a_task() -> None:
    known = Definition("steps", ontology="moving := {rail};", media_type="text/x-tbox")
    source = source_of([known, Subscription("mine", "concept", "exists step.moving")])
    batches = [event_rows("1", "2", step="rail"), event_rows("3", step="rail")]
    found = [
        row
        for batch in ByMatch(MatchTaskConfig(JsonRows(), source))(iter(batches))
        for row in batch.to_pylist()
    ]
    assert len([row for row in found if row["match"]]) == 3
    (letter,) = [row["dead_letter"] for row in found if row["dead_letter"]]
    assert (letter["code"], letter["token"]) == ("EventWarning", "t")
    assert letter["reason"].startswith("UNKNOWN_TYPE: ")


HOPPING = Sliding(kind("a"), Measure(Aggregate.COUNT), ">=", 1, 6, 3, Ring.EVERY_TIME)


@given(
    st.lists(
        st.tuples(st.sampled_from("pqr"), st.one_of(patterns(Policy.DEFERRED), st.just(HOPPING))),
        max_size=8,
    )
)
def test_the_atoms_of_composites_are_those_that_detection_takes(
    changes: list[tuple[str, Part]],
) -> None:
    routed, network, held = RoutedAtoms(), Network(), set[str]()
    for key, pattern in changes:
        if key in held:
            held.remove(key)
            assert set(routed.remove(key)) == set(network.remove(key))
        else:
            held.add(key)
            assert set(routed.add(key, pattern)) == set(network.add(key, pattern))
        assert set(routed.users) == set(network.atoms)
        assert routed.shortest_pause == network.shortest_pause
