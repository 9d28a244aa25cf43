"""Fields of matches that a query does not tell are left out by workers, and nothing else is."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql.pandas.types import from_arrow_type

from tests.builders import build_match
from tocsin.spark.output.batches import (
    BY_MATCH,
    batch_of_letters,
    batch_of_matches,
    matches_to_arrow,
    narrow,
    narrow_type,
)
from tocsin.spark.output.carried_columns import CarriedColumns
from tocsin.spark.output.letters import Letter
from tocsin.spark.output.member_output import IDS_ONLY, MemberOutput, MemberRenderer, MembersColumn

KEEPING = CarriedColumns("{}", by_event=True)
TELLINGS = {
    "ids": (IDS_ONLY, {"members", "kept"}),
    "members": (MemberOutput(MembersColumn.STRUCTS), {"kept"}),
    "kept": (MemberOutput(keeping=KEEPING), {"members"}),
    "both": (MemberOutput(MembersColumn.TEXTS, keeping=KEEPING), set[str]()),
}


def batches() -> list[Any]:
    """Matches, some of a longer batch, and dead letters, which have no match."""
    matches = [
        build_match(
            events=("a", "b"),
            start=1,
            end=2,
            detected=2,
            id=f"id{number}",
            bindings={"x": "1"},
            outputs=("o",),
            sources=("p", "q"),
        )
        for number in range(5)
    ]
    found = batch_of_matches(matches_to_arrow(matches, MemberRenderer(IDS_ONLY, {}, None)))
    letter = Letter("LateEvent", "late", None, None, None, None, "input")
    return [found, found.slice(2, 2), batch_of_letters([letter, letter])]


@pytest.mark.parametrize("name", TELLINGS)
def test_what_is_not_told_is_left_out(name: str) -> None:
    telling, left_out = TELLINGS[name]
    for wide in batches():
        small = narrow(wide, telling)
        assert [from_arrow_type(field.type) for field in small.schema] == [
            field.dataType for field in narrow_type(telling)
        ]
        for told, before in zip(small.to_pylist(), wide.to_pylist(), strict=True):
            assert told["dead_letter"] == before["dead_letter"]
            assert told["match"] == (
                before["match"]
                and {key: value for key, value in before["match"].items() if key not in left_out}
            )


def test_where_all_is_told_the_type_is_that_of_workers() -> None:
    assert narrow_type(TELLINGS["both"][0]) == BY_MATCH
