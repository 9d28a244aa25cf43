"""Replacing: one version without a gap, nothing unknown or contradicting; and catalogs are made on
purpose only.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.database.locks import wait_briefly
from tocsin.catalog import (
    Catalog,
    Definition,
    Subscription,
    create_catalog,
    effects_of,
    knowledge_in,
    open_catalog,
    require_agreement,
)
from tocsin.errors import Problem
from tocsin.knowledge.concepts.concept import Disjunction, Symbol
from tocsin.knowledge.concepts.tbox import TBox

PREFIXES = (
    "@prefix : <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
    " @prefix owl: <http://www.w3.org/2002/07/owl#> ."
)


def sub(name: str, expression: str = "a = 1") -> Subscription:
    return Subscription(name, "selector", expression)


def tbox(name: str, text: str) -> Definition:
    return Definition(name, ontology=text, media_type="text/x-tbox")


def turtle(name: str, text: str) -> Definition:
    return Definition(name, ontology=f"{PREFIXES} {text}", media_type="text/turtle")


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return create_catalog(str(tmp_path / "c.db"))


def test_what_is_replaced_keeps_its_place_and_never_misses(catalog: Catalog) -> None:
    catalog.add(sub("x"), sub("y"), sub("z"))
    catalog.replace(sub("y", "b = 2"), sub("x", "b = 1"))
    assert catalog.version() == 2
    assert [(each.id, each.expression) for each in catalog.snapshot().subscriptions] == [
        ("x", "b = 1"),
        ("y", "b = 2"),
        ("z", "a = 1"),
    ]
    catalog.remove("x")
    catalog.add(sub("x"))
    catalog.replace(sub("x", "c = 1"))
    assert [each.id for each in catalog.snapshot().subscriptions] == ["y", "z", "x"]
    changes = catalog.changes(1, 2)
    assert {each.id for each in changes.added} == set(changes.removed) == {"x", "y"}


def test_what_is_not_there_cannot_be_replaced(catalog: Catalog) -> None:
    catalog.add(sub("x"))
    with pytest.raises(Problem, match=r"no subscription 'new'.*catalog add"):
        catalog.replace(sub("x", "b = 2"), sub("new"))
    with pytest.raises(Problem, match="no definition 'x'"):
        catalog.replace(Definition("x", region="POINT (1 1)"))
    assert (catalog.version(), catalog.snapshot().subscriptions) == (1, (sub("x"),))


def test_who_has_looked_before_does_not_overwrite_what_came_between(catalog: Catalog) -> None:
    seen = catalog.add(sub("x"))
    catalog.replace(sub("x", "b = 2"), expected=seen)
    for change in (catalog.replace, catalog.add):
        with pytest.raises(Problem, match="CatalogChanged"):
            change(sub("x", "c = 3"), expected=seen)
    with pytest.raises(Problem, match="CatalogChanged"):
        catalog.remove("x", expected=seen)
    assert catalog.snapshot().subscriptions == (sub("x", "b = 2"),)


CLASSES = "<http://x/A> a owl:Class . :B a owl:Class ; owl:disjointWith :A ."


@pytest.mark.parametrize(
    ("first", "second", "code", "name"),
    [
        (tbox("one", "t := a or b;"), tbox("two", "t := a;"), "TBOX_REDEFINED", "'t'"),
        (tbox("one", "t := a or b;"), tbox("two", "t <: c;"), "TBOX_REDEFINED", "'t'"),
        (tbox("one", "t := a or b;"), tbox("two", "a := exists r.t;"), "TBOX_CYCLE", "t -> a"),
        (tbox("one", "c <: a; c <: b;"), tbox("two", "b <: not a;"), "TBOX_CONTRADICTION", "c"),
        (tbox("one", "t := {x, y};"), tbox("two", "u := t and {z};"), "TBOX_CONTRADICTION", "u"),
        (
            turtle("one", ":A rdfs:subClassOf :B ."),
            turtle("two", ":B rdfs:subClassOf :A ."),
            "CLASS_CYCLE",
            "A -> B",
        ),
        (
            turtle("one", CLASSES),
            turtle("two", ":C rdfs:subClassOf :A, :B ."),
            "TBOX_CONTRADICTION",
            "http://x/C",
        ),
        (
            turtle("one", ":A owl:equivalentClass [ owl:unionOf (:B :C) ] ."),
            tbox("two", "<http://x/A> := d or e;"),
            "TBOX_REDEFINED",
            "http://x/A",
        ),
    ],
)
def test_an_ontology_that_contradicts_another_is_refused_with_the_names(
    catalog: Catalog, first: Definition, second: Definition, code: str, name: str
) -> None:
    catalog.add(first, tbox("harmless", "other := thing1 or thing2;"))
    with pytest.raises(Problem) as caught:
        catalog.add(second)
    assert caught.value.code == code
    assert "two" in caught.value.message
    assert name in caught.value.message
    assert caught.value.hint
    with pytest.raises(Problem, match=code):
        catalog.replace(
            Definition("harmless", ontology=second.ontology, media_type=second.media_type)
        )
    assert catalog.version() == 1
    catalog.replace(Definition("one", ontology=second.ontology, media_type=second.media_type))


def test_what_has_no_members_by_itself_is_its_own_affair(catalog: Catalog) -> None:
    catalog.add(tbox("one", "nothing := a and not a;"), tbox("two", "t := a or b;"))


def test_effects_tell_who_breaks_changes_and_heals() -> None:
    def concept(id: str, text: str) -> Subscription:
        return Subscription(id, "concept", text)

    given = [
        concept("t", "exists r.t"),
        concept("u", "exists r.u"),
        concept("v", "exists r.v"),
        sub("s"),
    ]
    found = effects_of(given, [tbox("x", "t := a; u := b;")], [tbox("x", "t := a or c; v := b;")])
    assert [(each.id, problem.code, problem.token) for each, problem in found.broken] == [
        ("u", "UNKNOWN_NAME", "u")
    ]
    assert [each.id for each in found.changed] == ["t"]
    assert [each.id for each in found.healed] == ["v"]


def test_a_catalog_is_made_on_purpose_only(tmp_path: Path) -> None:
    path = tmp_path / "a b.db"
    for _ in range(2):
        with pytest.raises(
            Problem, match=r"CatalogError.*no catalog at .*a b\.db.*catalog create '.*a b\.db'"
        ):
            open_catalog(str(path))
        assert not path.exists()
    create_catalog(str(path)).add(sub("x"))
    with pytest.raises(Problem, match="already"):
        create_catalog(str(path))
    assert (
        open_catalog(str(path)).version()
        == open_catalog(f"sqlite:///{path}", create=True).version()
        == 1
    )
    assert open_catalog(str(tmp_path / "new.db"), create=True).version() == 0


@pytest.mark.parametrize("content", [b"", b"a = 1\n" * 300])
def test_a_file_that_is_no_catalog_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(Problem, match="CatalogError"):
        open_catalog(str(path))
    assert path.read_bytes() == content


def test_a_catalog_that_goes_away_is_a_problem_and_does_not_come_back_empty(
    catalog: Catalog, tmp_path: Path
) -> None:
    (tmp_path / "c.db").unlink()
    for ask in (catalog.version, catalog.snapshot, lambda: catalog.add(sub("x"))):
        with pytest.raises(Problem, match=r"CatalogError.*c\.db"):
            ask()
    assert not (tmp_path / "c.db").exists()


def test_a_locked_catalog_is_a_problem_with_a_way_out(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_briefly(monkeypatch)
    with sqlite3.connect(tmp_path / "c.db") as other:
        other.execute("BEGIN EXCLUSIVE")
        for ask in (
            catalog.version,
            lambda: catalog.add(sub("x")),
            lambda: open_catalog(catalog.url),
        ):
            with pytest.raises(Problem, match=r"CatalogLocked.*c\.db.*try again"):
                ask()
        other.rollback()
    assert catalog.add(sub("x")) == 1


def test_two_ontologies_may_each_say_what_a_class_is_the_same_as() -> None:
    """Blank nodes of one text are not those of the other, whatever their labels."""
    one = turtle("one", ":A owl:equivalentClass _:x . _:x owl:unionOf (:B :C) .")
    two = turtle("two", ":A owl:equivalentClass _:x . _:x owl:unionOf (:D :E) .")
    require_agreement([one], [two])
    known = knowledge_in([one, two])
    assert known is not None
    assert isinstance(known.tbox, TBox)
    asked = known.tbox.expand(Symbol("http://x/A"))
    assert asked == Disjunction(tuple(Symbol(f"http://x/{name}") for name in "BCDE"))
