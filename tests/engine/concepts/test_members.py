"""Concepts that can have no members: found where something is denied, not searched for elsewhere."""

from __future__ import annotations

import pytest

from tocsin.knowledge.concepts import tableau as members
from tocsin.knowledge.concepts.tableau import unsatisfiable_concepts
from tocsin.languages.concept.terminology import tbox_of_text


def test_a_hierarchy_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(members, "examine")
    chain = "; ".join(f"C{number} <: C{number - 1} and exists p.C0" for number in range(1, 100))
    assert unsatisfiable_concepts(tbox_of_text(chain)) == frozenset()


def test_what_is_denied_is_found_among_others() -> None:
    tbox = tbox_of_text("B <: A; C <: B and not A; D <: C; E <: A; F <: Nothing")
    assert unsatisfiable_concepts(tbox) == {"C", "D", "F"}
