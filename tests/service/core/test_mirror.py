"""The catalog in memory: what this process notes and what it reads come to the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tocsin.catalog import Catalog, Definition, Subscription, create_catalog
from tocsin.service.subscriptions.subscriptions import CatalogCache


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return create_catalog(str(tmp_path / "catalog.db"))


def _one(id: str, limit: int = 1) -> Subscription:
    return Subscription(id, "selector", f"price < {limit}")


def test_what_is_noted_is_what_is_read(catalog: Catalog) -> None:
    noting, reading = CatalogCache(catalog), CatalogCache(catalog)
    noting.note(catalog.add(_one("a")), added=_one("a"))
    noting.note(catalog.add(_one("acme::b")), added=_one("acme::b"))
    noting.note(catalog.replace(_one("a", 2)), added=_one("a", 2))
    noting.note(catalog.remove("acme::b"), removed="acme::b")
    reading.refresh()
    assert noting.subscriptions == reading.subscriptions == {"a": _one("a", 2)}
    assert noting.version == reading.version == 4
    assert [noting.count(tenant) for tenant in ("", "acme")] == [1, 0]
    assert [reading.count(tenant) for tenant in ("", "acme")] == [1, 0]


def test_what_another_did_in_between_is_read(catalog: Catalog) -> None:
    mirror = CatalogCache(catalog)
    catalog.add(_one("theirs"), Definition("Region", region="POINT(0 0)"))
    mirror.note(catalog.add(_one("mine")), added=_one("mine"))
    mirror.refresh()
    assert set(mirror.subscriptions) == {"theirs", "mine"}
    assert set(mirror.definitions) == {"Region"}
    assert mirror.version == 2


def test_a_paused_one_is_counted_and_not_served(catalog: Catalog) -> None:
    noting, reading = CatalogCache(catalog), CatalogCache(catalog)
    noting.note(catalog.put(_one("a")), added=_one("a"))
    noting.note(catalog.put(_one("a", 2), paused=True), added=_one("a", 2), paused=True)
    noting.note(catalog.put(_one("b"), paused=True), added=_one("b"), paused=True)
    noting.note(catalog.put(_one("b", 3)), added=_one("b", 3))
    noting.note(catalog.put(_one("c"), paused=True), added=_one("c"), paused=True)
    noting.note(catalog.remove("c"), removed="c")
    reading.refresh()
    for mirror in (noting, reading):
        assert mirror.paused == {"a": _one("a", 2)}
        assert mirror.subscriptions == {"b": _one("b", 3)}
        assert mirror.count("") == 2
