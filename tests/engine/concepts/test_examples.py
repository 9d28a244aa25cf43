"""The atomic edge cases of the specification (5.1, A1-A20) in both worlds, by the tableau."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.concepts.worlds import PAPER, concept_test, event_of
from tocsin.engine.columns.batch import Batch
from tocsin.engine.concepts.matcher import ConceptMatcher
from tocsin.reference.concepts import holds

CRATES = "ReuseCrate <: Crate; ReuseCrate <: Asset; Crate <: Container; Pallet <: Container;"
URGENT = "Urgent := TransactionEvent and exists flag.red;"
T = "TransactionEvent"
UNPACKED = "AggregationEvent and exists action.(ActionType = DELETE)"
STEP = "exists bizStep."

CASES: list[tuple[str, str, str, str, dict[str, Any], bool, bool]] = [
    ("5.1", PAPER, f"{T} and {STEP}transporting", T, {"bizStep": "railCarrying"}, True, True),
    ("A1", PAPER, f"{T} and {STEP}transporting", T, {"bizStep": "shipping"}, True, True),
    ("A2", PAPER, f"{T} and {STEP}transporting", T, {"bizStep": "transporting"}, True, True),
    ("A3", PAPER, f"{T} and {STEP}landCarrying", T, {"bizStep": "transporting"}, False, False),
    ("A4 selling", PAPER, f"{T} and {STEP}transporting", T, {"bizStep": "selling"}, False, False),
    ("A4 none", PAPER, f"{T} and {STEP}transporting", T, {}, False, False),
    ("A4 type", PAPER, f"{T} and {STEP}transporting", "ObjectEvent", {"bizStep": "shipping"}, False, False),
    ("A5", PAPER, f"{STEP}bizState", T, {"bizStep": "railCarrying"}, True, True),
    ("A6", PAPER, "forall bizStep.transporting", T, {"bizStep": "railCarrying"}, False, True),
    ("A7", PAPER, "forall bizStep.transporting", T, {}, False, True),
    ("A7 required", PAPER, f"{STEP}transporting and forall bizStep.transporting", T, {}, False, False),
    ("A8", PAPER, "forall bizStep.transporting", T, {"bizStep": ["railCarrying", "selling"]}, False, False),
    ("A9 none", PAPER, f"not {STEP}transporting", T, {}, False, True),
    ("A9 selling", PAPER, f"not {STEP}transporting", T, {"bizStep": "selling"}, False, True),
    ("A10", PAPER, f"{STEP}(not landCarrying)", T, {"bizStep": "otherStep"}, True, True),
    ("A11", PAPER, f"{STEP}(not transporting)", T, {"bizStep": "otherStep"}, False, True),
    ("A12", PAPER, f"not {T}", "ObjectEvent", {}, False, True),
    ("A13", PAPER, f"{STEP}(transporting and selling)", T, {"bizStep": ["railCarrying", "selling"]}, False, False),
    (
        "A13 apart",
        PAPER,
        f"{STEP}transporting and {STEP}selling",
        T,
        {"bizStep": ["railCarrying", "selling"]},
        True,
        True,
    ),
    ("A14 road", PAPER, STEP + "{railCarrying}", T, {"bizStep": "roadCarrying"}, False, False),
    ("A14 rail", PAPER, STEP + "{railCarrying}", T, {"bizStep": "railCarrying"}, True, True),
    ("A15", PAPER, STEP + "{railCarrying, roadCarrying}", T, {"bizStep": "landCarrying"}, True, True),
    ("A16", PAPER, "exists quantity.(xsd:int < 5)", T, {"quantity": "abc"}, False, False),
    ("A16 not", PAPER, "exists quantity.(not (xsd:int < 5))", T, {"quantity": "abc"}, True, True),
    ("A16 number", PAPER, "exists quantity.(xsd:int < 5)", T, {"quantity": 4}, True, True),
    ("A17 add", PAPER, UNPACKED, "AggregationEvent", {"action": "ADD"}, False, False),
    ("A17 delete", PAPER, UNPACKED, "AggregationEvent", {"action": "DELETE"}, True, True),
    ("A18 container", CRATES, "exists unit.Container", T, {"unit": "ReuseCrate"}, True, True),
    ("A18 asset", CRATES, "exists unit.Asset", T, {"unit": "ReuseCrate"}, True, True),
    ("A18 upwards", CRATES, "exists unit.Crate", T, {"unit": "Container"}, False, False),
    ("A19", CRATES, "exists unit.(not Crate)", T, {"unit": "Pallet"}, False, True),
    ("A20", URGENT, "Urgent", T, {"flag": "red"}, True, True),
    ("A20 type", URGENT, T, "Urgent", {}, True, True),
    ("A20 flag", URGENT, "exists flag.red", "Urgent", {}, True, True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "tbox", "text", "types", "data", "open_", "closed"),
    CASES,
    ids=[case[0] for case in CASES],
)
def test_edge_cases(
    name: str, tbox: str, text: str, types: str, data: dict[str, Any], open_: bool, closed: bool
) -> None:
    event = event_of(types, data, name)
    answers = {world: holds(concept_test(text, tbox, world), event) for world in ("open", "closed")}
    assert answers == {"open": open_, "closed": closed}


@pytest.mark.parametrize(
    ("name", "tbox", "text", "types", "data", "open_", "closed"),
    CASES,
    ids=[case[0] for case in CASES],
)
def test_edge_cases_in_the_engine(
    name: str, tbox: str, text: str, types: str, data: dict[str, Any], open_: bool, closed: bool
) -> None:
    matcher = ConceptMatcher()
    for world in ("open", "closed"):
        matcher.add(world, concept_test(text, tbox, world))
    hits = matcher.match(Batch([event_of(types, data, name)]))
    assert set(matcher.keys_of(hits.slots)) == {
        world for world, yes in (("open", open_), ("closed", closed)) if yes
    }
