"""The catalog store: versions never change their meaning, changes are all or nothing, on SQLite and
PostgreSQL.
"""

from __future__ import annotations

import pickle
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.catalog import Catalog, Definition, Subscription, create_catalog, open_catalog
from tocsin.errors import MeaningProblem, Problem


def sub(name: str, expression: str = "a = 1") -> Subscription:
    return Subscription(name, "selector", expression)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Catalog:
    if request.param == "sqlite":
        return create_catalog(str(tmp_path / "catalog.db"))
    return create_catalog(request.getfixturevalue("postgres_url"))


def test_what_is_added_is_there_until_removed_and_every_version_stays_readable(
    catalog: Catalog,
) -> None:
    first = catalog.add(sub("x"), sub("y", "b = 2"))
    second = catalog.remove("x")
    third = catalog.add(sub("x", "c = 3"), Definition("R", region="POINT (1 2)"))
    assert (first, second, third, catalog.version()) == (1, 2, 3, 3)
    assert catalog.snapshot(0).subscriptions == ()
    assert catalog.snapshot(1).subscriptions == (sub("x"), sub("y", "b = 2"))
    assert catalog.snapshot(2).subscriptions == (sub("y", "b = 2"),)
    newest = catalog.snapshot()
    assert newest.subscriptions == (sub("y", "b = 2"), sub("x", "c = 3"))
    assert newest.definitions == (Definition("R", region="POINT (1 2)"),)


def test_changes_are_the_net_difference_in_both_directions(catalog: Catalog) -> None:
    catalog.add(sub("x"), sub("y"))
    catalog.remove("x")
    catalog.add(sub("x", "c = 3"), sub("z"))
    catalog.remove("z")
    forward = catalog.changes(1, catalog.version())
    assert (forward.added, forward.removed) == ((sub("x", "c = 3"),), ("x",))
    back = catalog.changes(catalog.version(), 1)
    assert (back.added, back.removed) == ((sub("x"),), ("x",))


def test_a_failed_change_changes_nothing(catalog: Catalog) -> None:
    catalog.add(sub("x"))
    with pytest.raises(Problem, match="DuplicateSubscriptionError"):
        catalog.add(sub("new"), sub("x"))
    with pytest.raises(Problem, match="DuplicateSubscriptionError"):
        catalog.add(sub("twice"), sub("twice"))
    with pytest.raises(Problem, match="UnknownSubscriptionError"):
        catalog.remove("x", "missing")
    assert catalog.version() == 1
    assert catalog.snapshot().subscriptions == (sub("x"),)


def test_writers_at_the_same_time_get_different_versions(catalog: Catalog) -> None:
    def write(number: int) -> None:
        open_catalog(catalog.url).add(sub(f"s{number}"))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert catalog.version() == 8
    assert {each.id for each in catalog.snapshot().subscriptions} == {
        f"s{number}" for number in range(8)
    }


def test_a_pickled_catalog_opens_the_same_database(catalog: Catalog) -> None:
    catalog.add(sub("x"))
    assert pickle.loads(pickle.dumps(catalog)).snapshot() == catalog.snapshot()


@given(
    st.lists(st.tuples(st.sampled_from("add remove".split()), st.sampled_from("xyz")), max_size=12)
)
def test_applying_changes_gives_the_snapshot(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str]]
) -> None:
    catalog = create_catalog(str(tmp_path_factory.mktemp("catalog") / "c.db"))
    history = [catalog.snapshot()]
    for number, (step, name) in enumerate(steps):
        present = {each.id for each in history[-1].subscriptions}
        if (step == "add") != (name in present):
            catalog.add(sub(name, f"a = {number}")) if step == "add" else catalog.remove(name)
            history.append(catalog.snapshot())
    for before in history:
        for after in history:
            changes = catalog.changes(before.version, after.version)
            kept = [each for each in before.subscriptions if each.id not in changes.removed]
            together = sorted([*kept, *changes.added], key=lambda each: each.id)
            assert together == sorted(after.subscriptions, key=lambda each: each.id)


@pytest.mark.parametrize(
    "url", ["nowhere/there/c.db", "oracle://x", "postgresql+psycopg://nobody@127.0.0.1:1/none"]
)
def test_a_catalog_that_cannot_be_opened_says_so(url: str) -> None:
    with pytest.raises(Problem, match="CatalogError"):
        open_catalog(url)


def test_a_document_is_a_definition(tmp_path: Path) -> None:
    catalog = create_catalog(str(tmp_path / "c.db"))
    catalog.add(Definition.from_json({"define": "rates", "xml": "<r>1</r>"}))
    (kept,) = catalog.snapshot().definitions
    assert kept == Definition("rates", document="<r>1</r>")
    assert kept.as_json() == {"define": "rates", "xml": "<r>1</r>"}
    assert Definition.from_json({"define": "rates", "document": "<r>1</r>"}) == kept


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"xml": "<r>"}, "malformed XML"),
        ({"xml": ""}, "malformed XML"),
        ({"xml": 5}, "XML data is a string"),
        ({"xml": "<!DOCTYPE r [<!ENTITY e 'x'>]><r>&e;</r>"}, "document type"),
        ({"xml": f"<r>{'x' * (4 << 20)}</r>"}, "characters"),
    ],
    ids=["open", "empty", "no text", "entities", "long"],
)
def test_a_document_that_is_none_is_refused(body: dict[str, object], reason: str) -> None:
    with pytest.raises(MeaningProblem) as caught:
        Definition.from_json({"define": "rates", **body})
    assert (caught.value.code, caught.value.token) == ("MalformedDocument", "rates")
    assert reason in caught.value.message


@pytest.mark.parametrize(
    "url", ["postgresql+psycopg://u@h:abc/db", "postgresql+psycopg://u@[::1/db"]
)
def test_a_port_that_is_no_number_is_told(url: str) -> None:
    for use in (open_catalog, create_catalog):
        with pytest.raises(
            MeaningProblem, match=r"the port '(abc|:1)', which is no number"
        ) as caught:
            use(url)
        assert ":5432/" in caught.value.hint


@pytest.mark.parametrize("name", ["a\0b.db", "x" * 5000], ids=["nul", "long"])
def test_a_name_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    for use in (open_catalog, create_catalog):
        with pytest.raises(Problem, match="CatalogError"):
            use(str(tmp_path / name))
