"""Terminologies: expansion, enumerations, fingerprints, and what changes of them do to live
subscriptions.
"""

from __future__ import annotations

import pickle

import pytest

from tests.engine.concepts.worlds import PAPER
from tocsin.errors import StateProblem
from tocsin.knowledge.concepts.concept import (
    Complement,
    Conjunction,
    Disjunction,
    Enumeration,
    Exists,
    ForAll,
    Nothing,
    Symbol,
    Thing,
    concept_text,
    conjunction,
    disjunction,
    enumeration,
    normal_form,
)
from tocsin.knowledge.concepts.datatypes import datatype, has
from tocsin.knowledge.concepts.tbox import merge_tboxes
from tocsin.languages.concept import tbox_of_text

LAND = enumeration(("railCarrying", "roadCarrying"))
A, B, C = map(Symbol, "ABC")


def test_full_expansion_of_the_example() -> None:
    tbox = tbox_of_text(PAPER)
    transporting = (Symbol("shipping"), Symbol("airlifting"), LAND)
    assert tbox.expanded("transporting") == Disjunction(transporting)
    assert tbox.expanded("bizState") == Disjunction((Symbol("selling"), *transporting))
    assert {"shipping", "airlifting", "selling"} <= tbox.base_symbols
    assert not tbox.is_base("landCarrying")
    assert {"railCarrying", "roadCarrying"} <= tbox.known_individuals


def test_specialisations_are_conjoined_with_what_distinguishes_the_concept() -> None:
    tbox = tbox_of_text("ReuseCrate <: Crate; ReuseCrate <: Asset; Crate <: Container;")
    assert tbox.expanded("ReuseCrate") == Conjunction(
        tuple(map(Symbol, ("ReuseCrate*", "Crate*", "Container", "Asset")))
    )


def test_both_spellings_and_a_bare_enumeration() -> None:
    ascii_text = "A := B and exists r.(C or not D); E <: A; F = {x, y}; G := {z};"
    unicode_text = "A ≡ B ⊓ ∃r.(C ⊔ ¬D); E ⊑ A; F = {y, x}; G ≡ {z};"
    assert tbox_of_text(ascii_text) == tbox_of_text(unicode_text)
    assert tbox_of_text("G := {z};").enumerated["G"] == Enumeration(("z",))


def test_an_element_in_a_filler_is_the_individual() -> None:
    tbox = tbox_of_text("Land = {rail}; ByRail := exists bizStep.rail;")
    assert tbox.expanded("ByRail") == Exists("bizStep", enumeration(("rail",)))


def test_the_fingerprint_tells_terminologies_apart_and_not_their_order() -> None:
    one, other = tbox_of_text("A := B; C := D;"), tbox_of_text("C := D; A := B;")
    assert one == other
    assert hash(one) == hash(other)
    assert one != tbox_of_text("A := B; C := B;")
    assert pickle.loads(pickle.dumps(one)) == one


def test_merged_terminologies_have_the_axioms_of_both_once() -> None:
    assert merge_tboxes(
        (tbox_of_text("A := B; C := D;"), tbox_of_text("C := D; E := F;"))
    ) == tbox_of_text("A := B; C := D; E := F;")


def test_the_actions_of_epcis_are_known_unless_the_terminology_says_otherwise() -> None:
    assert tbox_of_text("").expanded("ActionType") == enumeration(("ADD", "OBSERVE", "DELETE"))
    assert tbox_of_text("ActionType = {GO};").expanded("ActionType") == enumeration(("GO",))


def test_a_new_terminology_must_know_the_names_of_live_subscriptions() -> None:
    new = tbox_of_text("transporting := shipping;")
    new.require({"s1": ["transporting", "shipping"]})
    with pytest.raises(StateProblem, match=r"s2 uses landCarrying, railCarrying") as raised:
        new.require({"s1": ["transporting"], "s2": ["landCarrying", "railCarrying"]})
    assert raised.value.code == "TBOX_CHANGED_INCOMPATIBLE"


def test_negation_normal_form() -> None:
    concept = Complement(Conjunction((A, Complement(Exists("r", Disjunction((B, Complement(C))))))))
    assert normal_form(concept) == Disjunction(
        (Complement(A), Exists("r", Disjunction((B, Complement(C)))))
    )
    assert normal_form(concept, negated=True) == Conjunction(
        (A, ForAll("r", Conjunction((Complement(B), C))))
    )
    assert normal_form(Complement(Thing())) == Nothing()


def test_a_negated_datatype_is_not_turned_round() -> None:
    less = datatype("int", "<", 5)
    assert normal_form(less, negated=True) == Complement(less)


def test_operands_are_flat_and_once() -> None:
    assert conjunction((A, Conjunction((B, A)), Thing())) == Conjunction((A, B))
    assert disjunction((Nothing(), A)) == A
    assert conjunction((A, Nothing())) == Nothing()


@pytest.mark.parametrize(
    ("name", "relation", "limit", "value", "expected"),
    [
        ("int", "<", 5, 4, True),
        ("int", "<", 5, "4", False),
        ("int", "<", 5, 4.5, False),
        ("int", "<", 5, True, False),
        ("decimal", "<", 5, 4.5, True),
        ("byte", ">", 5, 300, False),
        ("short", ">", 5, 300, True),
        ("string", "=", "abc", "abc", True),
        ("boolean", "=", True, True, True),
        ("boolean", "=", True, 1, False),
        ("dateTime", "<", "2026-01-01T00:00:00Z", "2025-12-31T23:00:00-02:00", False),
        ("dateTime", "<", "2026-01-01T00:00:00Z", "2025-12-31T23:00:00Z", True),
        ("date", "<", "2026-01-01", "2025-12-31", True),
        ("date", "<", "2026-01-01", "2025-13-31", False),
    ],
)
def test_datatypes(name: str, relation: str, limit: object, value: object, expected: bool) -> None:
    assert has(value, datatype(name, relation, limit)) is expected  # type: ignore[arg-type]


def test_a_concept_reads_back_from_its_text() -> None:
    text = 'A and exists r.(B or not {x, y}) and forall s.(xsd:int < 5) and exists t.(xsd:string = "é")'
    tbox = tbox_of_text(f"N := {text};")
    again = tbox_of_text(f"N := {concept_text(tbox.expanded('N'))};")
    assert again.expanded("N") == tbox.expanded("N")
