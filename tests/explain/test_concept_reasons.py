"""Explanations: the clash in every branch of a match, one open branch of a miss, in words; and what
is undecided.
"""

from __future__ import annotations

import pytest

from tests.engine.concepts.worlds import concept_test, event_of
from tocsin.errors import EventProblem
from tocsin.explain.verdicts import concept_reasons
from tocsin.knowledge.concepts.assertions import EVENT, World
from tocsin.knowledge.concepts.concept import normal_form
from tocsin.knowledge.concepts.tableau import TableauLimits, examine
from tocsin.languages.concept import tbox_of_text
from tocsin.plan.semantics.assertions import assertions_of
from tocsin.reference.concepts import holds, require_consistent

TRANSPORT = "TransactionEvent and exists bizStep.transporting"
NEVER_BOTH = "Sold := TransactionEvent and not ObjectEvent;"


def test_a_match_tells_the_clash_of_every_branch() -> None:
    lines = list(
        concept_reasons(concept_test(TRANSPORT), event_of(data={"bizStep": "railCarrying"}))
    )
    assert lines[0].startswith(
        "rings: it cannot be that the event is not TransactionEvent and exists bizStep."
    )
    assert lines[1:] == [
        "  if e is not TransactionEvent: e would be TransactionEvent and not TransactionEvent (K1)",
        "  if e is forall bizStep.(not shipping and not airlifting and not landCarrying): "
        "railCarrying is listed in landCarrying (K2)",
    ]


def test_some_kind_of_transporting_is_told_branch_by_branch() -> None:
    lines = list(
        concept_reasons(
            concept_test("exists bizStep.transporting"), event_of(data={"bizStep": "transporting"})
        )
    )
    assert len(lines) == 4
    assert all("if some transporting is" in line and "would be" in line for line in lines[1:])


def test_a_miss_tells_one_open_branch() -> None:
    lines = list(concept_reasons(concept_test(TRANSPORT), event_of(data={"bizStep": "selling"})))
    assert lines[0].startswith("does not ring: the event need not be")
    assert "  selling is not landCarrying" in lines
    lines = list(
        concept_reasons(concept_test("not exists bizStep.selling", world="open"), event_of())
    )
    assert "  somebody 1 is selling" in lines


def test_an_event_that_contradicts_itself_matches_nothing() -> None:
    event = event_of("Sold ObjectEvent")
    for text in ("ObjectEvent", "Thing", "TransactionEvent", "not TransactionEvent"):
        for world in ("open", "closed"):
            assert not holds(concept_test(text, NEVER_BOTH, world), event)
    assert list(concept_reasons(concept_test("Thing", NEVER_BOTH), event)) == [
        "does not ring: the event contradicts itself"
    ]
    with pytest.raises(EventProblem, match="contradicts itself") as raised:
        require_consistent(event, tbox_of_text(NEVER_BOTH))
    assert raised.value.code == "EVENT_INCONSISTENT"
    require_consistent(event_of("Sold"), tbox_of_text(NEVER_BOTH))


def test_past_the_limits_nothing_is_decided_and_nothing_matches() -> None:
    test = concept_test("exists bizStep.transporting")
    event = event_of(data={"bizStep": "transporting"})
    said = assertions_of(event, test.tbox)
    outcome = examine(
        said,
        [(EVENT, normal_form(test.concept, negated=True))],
        World.CLOSED,
        TableauLimits(branches=1),
    )
    assert not outcome.decided
    assert not outcome.is_inconsistent
    assert holds(test, event)
    assert not holds(test, event, TableauLimits(branches=1))
    assert not holds(test, event, TableauLimits(assumptions=1))
    assert not holds(test, event, TableauLimits(all_assumptions=1))
