"""What a person who slips in the concept language is told: the code, the place and a way out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.languages.messages import Row, require_problem, require_silence, require_warning
from tocsin.events.views.epcis import FIELDS
from tocsin.languages import warnings_in_subscription

OBJECT, PACKED = "ObjectEvent", "AggregationEvent"

PROBLEMS: list[Row] = [
    ("exist bizStep", "SYNTAX", (1, 7), "did you mean exists?"),
    ("exist bizStep.{shipping}", "SYNTAX", (1, 7), "did you mean exists?"),
    ("every bizStep.{shipping}", "SYNTAX", (1, 7), "did you mean forall?"),
    ("exists bizStep", "SYNTAX", (1, 15), "a role is followed by a dot and a concept"),
    ("After", "SYNTAX", (1, 1), "After stands between two parts: A After B"),
    (f"{OBJECT} After", "SYNTAX", (1, 18), "the second one is missing: A After B"),
    (f"{OBJECT} after {PACKED}", "SYNTAX", (1, 13), "write After, in these letters"),
    (f"{OBJECT} then {PACKED}", "SYNTAX", (1, 13), "did you mean Before?"),
    (f"{OBJECT} Before(5 min) {PACKED}", "SYNTAX", (1, 20), "a relation has no length"),
    (f"{OBJECT} Before 5 min {PACKED}", "SYNTAX", (1, 20), "A Before not (B) (48 h anchored)"),
    (
        f"{OBJECT} & not {PACKED} within 48h",
        "SYNTAX",
        (1, 36),
        "write A Before not (B) (48h anchored)",
    ),
    ("bizStep = shipping", "SYNTAX", (1, 9), "exists bizStep.{shipping}"),
    ("bizStep.shipping", "SYNTAX", (1, 8), "exists bizStep.{shipping}"),
    ("exists bizStep = shipping", "SYNTAX", (1, 16), "exists bizStep.shipping"),
    (f"“{OBJECT}”", "SYNTAX", (1, 1), "a name stands without quotes"),
    (f"{OBJECT};", "SYNTAX", (1, 12), "leave ; out"),
    (f"{OBJECT} // read at the dock", "SYNTAX", (1, 13), "a comment begins with #"),
    (f"{OBJECT} & ?x", "SYNTAX", (1, 15), "there are no variables"),
    (
        f"{OBJECT} & {PACKED} & correlate by epcList",
        "SYNTAX",
        (1, 34),
        "correlate by stands at the very end",
    ),
    ("exists quantity.(int < 5)", "UNKNOWN_TYPE", (1, 18), "did you mean xsd:int?"),
    ("exists quantity.(number < 5)", "UNKNOWN_TYPE", (1, 18), "did you mean xsd:decimal?"),
    (f"not ({OBJECT}) (60)", "DURATION", (1, 20), "write a number and its unit"),
    (
        f"{OBJECT} Before {PACKED} correlate by quantityList",
        "CORRELATION",
        (1, 50),
        "$a;.quantityList.epcClass[*]",
    ),
    (
        f"{OBJECT} Before {PACKED} correlate by epcList = sourceList",
        "CORRELATION",
        (1, 60),
        "like no other",
    ),
]

WARNINGS: list[Row] = [
    (f"{OBJECT} and not {OBJECT}", "UNSATISFIABLE", (1, 1), "it contradicts itself"),
    (
        f"{PACKED} Before\n  ({OBJECT} and not {OBJECT})",
        "UNSATISFIABLE",
        (2, 4),
        "no event is ever",
    ),
    (
        f"{OBJECT} & (exists bizStep.{{shipping}} or forall bizStep.not {{shipping}})",
        "TAUTOLOGY",
        (1, 16),
        "not missing",
    ),
    (
        f"selector{{ a = 1 AND a = 2 }} Before {OBJECT}",
        "UNSATISFIABLE",
        (1, 21),
        "never true of one event",
    ),
    ("exists bizStp.{shipping}", "MISSPELT_ROLE", (1, 8), "did you mean bizStep?"),
    (  # figure 4 of paper 3, as it is printed
        "AggregationEvent ⊓ ∃Action.(ActionType = DELETE)",
        "MISSPELT_ROLE",
        (1, 21),
        "did you mean action?",
    ),
    (
        f"{OBJECT} Before {PACKED} correlate by epcLists",
        "MISSPELT_ROLE",
        (1, 50),
        "did you mean epcList?",
    ),
]

SILENT = [
    f"{OBJECT} Before {PACKED} correlate by epcList",
    f"{OBJECT} Before {PACKED} correlate by parentID = epcList",
    "exists temperature.(xsd:int < 5)",
    f"{OBJECT} Before {PACKED} correlate by readPoint",
]


@pytest.mark.parametrize("row", PROBLEMS, ids=[row[0] for row in PROBLEMS])
def test_a_slip_is_told_with_a_way_out(row: Row) -> None:
    require_problem("concept", row)


@pytest.mark.parametrize("row", WARNINGS, ids=[row[0] for row in WARNINGS])
def test_what_is_probably_not_meant_is_warned_of(row: Row) -> None:
    require_warning("concept", row)


@pytest.mark.parametrize("field", sorted(FIELDS))
@pytest.mark.parametrize("change", [str.upper, str.lower, str.capitalize])
def test_a_field_in_other_capitals_is_warned_of(field: str, change: Callable[[str], str]) -> None:
    written = change(field)
    warned = warnings_in_subscription("concept", f"exists {written}.{{x}}", {})
    hints = [each.hint for each in warned if each.code == "MISSPELT_ROLE"]
    assert hints == ([] if written in FIELDS else [f"did you mean {field}?"])


@pytest.mark.parametrize("text", SILENT)
def test_what_can_ring_is_not_warned_of(text: str) -> None:
    require_silence("concept", text)
